package handlers

import (
	"crypto/sha256"
	"fmt"
)

// filePage is the part of a list of files that a reply shows: unless another order is asked for,
// files are listed as they were made, so the place behind one is its id. With a cursor that of the last file before is known, and
// what comes before costs nothing; an item may have more files than pages reach.
type filePage struct {
	window
	behind int64 // the id of a file, 0 for the beginning
	shown  int   // files up to the end of the page, where it is not in the order they were made
	order  fileOrder
	seal   seal
}

// filePage reads paging and cursor of a list of files. Its cursors are for the lists of the same
// name alone: of the working copy of an article, of what is public of it, or of a version.
func (c *Call) filePage(name string, numbers ...int64) (*filePage, error) {
	sum := sha256.Sum256(fmt.Append(nil, "files of ", name, numbers))
	page := &filePage{seal: seal{c.API.cursors, [6]byte(sum[:])}}
	p, err := c.paging(Paging{})
	if err != nil {
		return nil, err
	}
	at, err := c.from(p, page.seal, position{})
	if err != nil {
		return nil, err
	}
	page.behind, page.shown = int64(at.id), int(at.at)
	page.window, err = p.window(fileLists)
	return page, err
}

// workingFilePage is the page of files of a working copy, in the order that the query asks for.
func (c *Call) workingFilePage(article int64) (*filePage, error) {
	order, err := c.fileOrder()
	if err != nil {
		return nil, err
	}
	p, err := c.filePage("working copy"+order.text(), article)
	if err != nil {
		return nil, err
	}
	p.order = order
	return p, nil
}

// publicFilePage is the page of files of the public version of the path. Without a version in the
// path it is that of the latest one, and goes on in the one after when that is published meanwhile.
func (c *Call) publicFilePage(article int64) (*filePage, error) {
	if version, ok := c.ids.find("version"); ok {
		return c.filePage("version", article, version)
	}
	return c.filePage("public", article)
}

// cursor is that of the page behind one that ends with a file, 0 for an empty one.
func (p *filePage) cursor(last int64) string {
	if last == 0 {
		last = p.behind
	}
	return position{at: int64(p.shown), id: uint64(last)}.cursor(p.seal)
}
