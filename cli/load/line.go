package load

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

// check makes the draft of a line that can be loaded, or tells that it was. It stores
// nothing.
func (l *Loader) check(c *items.Caller, tx *bucket.Tx, ln *Line) (items.Item, Loaded, error) {
	was, err := working.Loads.Get(tx, l.key(ln.ID))
	switch {
	case err == nil && was.Hash != ln.Hash && ln.Grows:
		return l.checkMore(c, tx, ln, was)
	case err == nil && was.Hash != ln.Hash:
		return nil, Loaded{}, &ChangedLineError{was: was, from: ln.moved.body != nil && ln.moved.body.Origin != nil}
	case err == nil:
		return nil, Loaded{Item: was.ArticleID + was.CollectionID, Already: true}, nil
	case !errors.Is(err, bucket.ErrNotFound):
		return nil, Loaded{}, err
	}
	item, err := ln.kind.Draft(c, tx, ln.body)
	if err != nil {
		return nil, Loaded{}, err
	}
	w := item.Common()
	if err := l.describe(c, tx, item, ln); err != nil {
		return nil, Loaded{}, err
	}
	if err := l.bring(c, tx, item, ln); err != nil {
		return nil, Loaded{}, err
	}
	authors := len(w.Authors)
	if named := ln.body.Common().Authors; named != nil {
		authors += len(*named)
	}
	if ln.more.Authors != nil {
		authors += len(*ln.more.Authors)
		if err := c.MayName(tx, *ln.more.Authors, w.Authors, ln.kind.AuthorUnknown); err != nil {
			return nil, Loaded{}, err
		}
	}
	if err := record.Bounded("authors", authors, 0, l.items.Limits.Lists.Authors); err != nil {
		return nil, Loaded{}, err
	}
	if ln.Publish {
		m := w.Metadata // complete adds what a working copy does not keep
		if err := ln.kind.Creditable(&m, authors); err != nil {
			return nil, Loaded{}, err
		}
		if err := ln.kind.Complete(tx, &m); err != nil {
			return nil, Loaded{}, err
		}
		if len(c.Warned) > 0 && !ln.Accept {
			return nil, Loaded{}, &WarnedLineError{c.Warned}
		}
	}
	if art, ok := item.(*record.Article); ok {
		err = l.checkFiles(tx, *art, ln.Files)
	}
	return item, Loaded{Warnings: c.Warned}, err
}

// checkFiles refuses files that could not be added one after another.
func (l *Loader) checkFiles(tx *bucket.Tx, art record.Article, files []*LineFile) error {
	if len(files) == 0 {
		return nil
	}
	account, err := users.Accounts.Get(tx, l.account)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := f.Body.Check(); err != nil {
			return err
		}
		file := &record.File{}
		f.Body.Apply(file)
		if err := l.items.Admits(account, &art, file); err != nil {
			return err
		}
		items.CountFile(account, &art, file)
	}
	return nil
}

// load makes the item of a line, unless there is one.
func (l *Loader) load(c *items.Caller, tx *bucket.Tx, ln *Line) (Loaded, error) {
	item, done, err := l.check(c, tx, ln)
	if err != nil || done.Already {
		return done, err
	}
	k, w := ln.kind, item.Common()
	if done.Has > 0 {
		return l.loadMore(c, tx, item, ln, done)
	}
	moved := ln.moved.public()
	if c.Appears, err = appearsNow(tx, item, ln.Publish); err != nil {
		return Loaded{}, err
	}
	c.Appears = c.Appears || moved
	if err := k.Number(c, tx, w, ln.body.Common().Authors); err != nil {
		return Loaded{}, err
	}
	if slices.ContainsFunc(w.Identifiers(), func(name string) bool { return k.Numbers(name, w.ID) }) {
		if err := k.Store(tx, item); err != nil { // see working.GivenElsewhere
			return Loaded{}, err
		}
	}
	if ln.more.Authors != nil {
		ids, err := c.Name(tx, *ln.more.Authors)
		if err != nil {
			return Loaded{}, err
		}
		w.Authors = items.Unique(append(w.Authors, ids...))
	}
	if n := ln.moved.was.Counts; n != (record.Counts{}) { // before the orders by them
		if err := published.Counts.Put(tx, k.Item(w.ID), &n); err != nil {
			return Loaded{}, err
		}
	}
	if art, ok := item.(*record.Article); ok && !moved {
		if err := l.changeFiles(tx, art, ln.Files, 0, map[*LineFile]int64{}); err != nil {
			return Loaded{}, err
		}
	}
	switch {
	case moved:
		err = l.publishMoved(c, tx, item, ln)
	case ln.Publish:
		done.Waits, err = l.items.Publish(tx, item)
	default:
		err = k.StoreDeferred(tx, item)
	}
	if err != nil {
		return Loaded{}, err
	}
	for _, body := range ln.besides.links {
		link, err := k.NewLink(tx, w, body)
		if err != nil {
			return Loaded{}, err
		}
		done.Links = append(done.Links, link.Token)
	}
	done.Item = w.ID
	note := &record.Load{ArticleID: w.ID, Hash: ln.Hash}
	if k == l.items.Collections {
		note.ArticleID, note.CollectionID = 0, w.ID
	}
	return done, working.Loads.PutDeferred(tx, l.key(ln.ID), note)
}

// appearsNow reports whether an item is public once it is published, rather than handed in for
// review or held by an embargo, as articles can be.
func appearsNow(tx *bucket.Tx, item items.Item, published bool) (bool, error) {
	art, ok := item.(*record.Article)
	if !published || !ok {
		return published, nil
	}
	if art.Embargo.Kind == record.ArticleEmbargo {
		return false, nil
	}
	reviewed, err := items.AsksForReview(tx, art.GroupID)
	return !reviewed, err
}

// file is the record of a file whose bytes are there.
func (f *LineFile) file() (*record.File, error) {
	file := &record.File{}
	if f.Body.Apply(file); file.Linked() {
		return file, nil
	}
	if f.sums == nil {
		return nil, fmt.Errorf("cannot load the file %q: its bytes were not kept", file.Name)
	}
	file.Status, file.MIME = record.FileAvailable, f.mime
	file.MD5, file.SHA256, file.CRC32 = f.sums.MD5.String(), f.sums.SHA256.String(), f.sums.CRC32
	file.SuppliedMD5 = file.MD5
	return file, nil
}

// longID is how many bytes of an ID stand in the store as they are.
const longID = 200

// Became is the item that a line with a key of its own has become.
func (l *Loader) Became(tx *bucket.Tx, key string) (*record.Load, error) {
	return working.Loads.Get(tx, l.key("key:"+key))
}

// key is where the store keeps that a line was loaded, for this account.
func (l *Loader) key(id string) string {
	if len(id) > longID {
		sum := sha256.Sum256([]byte(id))
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	return fmt.Sprintf("%d/%s", l.account, id)
}
