package handlers

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/jobs"
	"alcove/record"
)

// Opened is a file that the caller may download, open to be read. Every byte that is read was checked.
type Opened struct {
	*record.PublicFile
	Public bool // every client may download it

	call    *endpoint.Call
	blob    blobs.Blob
	release func()
}

// OpenFile opens the file of the path for a caller that may download it, and refuses it to others as a
// download does. A file that lies elsewhere is not found. The caller closes it.
func (a *API) OpenFile(c *endpoint.Call) (*Opened, error) {
	f, public, err := a.readableFile(c)
	if err != nil {
		return nil, err
	}
	return a.opened(c, f, public)
}

// OpenPublicFile opens a file that every client may download, and no other, also for its owner. The
// caller closes it.
func (a *API) OpenPublicFile(c *endpoint.Call, id int64) (*Opened, error) {
	if !c.Named("file_id", strconv.FormatInt(id, 10)) {
		return nil, record.ErrFileNotFound
	}
	f, disabled, err := a.publicFile(id)
	if err != nil {
		return nil, err
	}
	if disabled {
		return nil, record.ErrDownloadDisabled
	}
	return a.opened(c, f, true)
}

func (a *API) opened(c *endpoint.Call, f *record.PublicFile, public bool) (*Opened, error) {
	if f.Link != "" {
		return nil, record.ErrFileNotFound
	}
	release := a.Blobs.Lease(a.DB.Time().Add(-time.Since(c.Start)))
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		release()
		return nil, fmt.Errorf("cannot open file %d: %w", f.ID, err)
	}
	blob, err := a.Blobs.Read(ref, f.Size, f.CRC32)
	if err != nil {
		release()
		return nil, fmt.Errorf("cannot open file %d: %w", f.ID, err)
	}
	return &Opened{f, public, c, blob, release}, nil
}

// ReadAt is io.ReaderAt, of bytes that are as they were stored.
func (o *Opened) ReadAt(p []byte, at int64) (int, error) {
	if at < o.Size {
		if err := o.blob.Check(o.call.Context, at, min(at+int64(len(p)), o.Size)); err != nil {
			return 0, err
		}
	}
	return o.blob.ReadAt(p, at)
}

// Part is the download of bytes that are made of what is in the file: part of its entity tag tells which.
// Sending them closes the file. They count as no download.
func (o *Opened) Part(r io.Reader, part, name string, size int64) *endpoint.Download {
	return &endpoint.Download{
		Made: struct {
			io.Reader
			io.Closer
		}{r, o}, Size: size, Name: name, ETag: o.SHA256 + "-" + part, Modified: o.Published, Public: o.Public,
	}
}

// Close ends the reading.
func (o *Opened) Close() error {
	o.release()
	return o.blob.Close()
}

// Share counts that a reader shares a public item, a kind and an id, once for each visitor and day.
// A page of another site cannot make it count (403).
func (a *API) Share(c *endpoint.Call, kind, id int64) error {
	if err := endpoint.SameOrigin.Check(c.Request); err != nil {
		return record.ErrOtherOrigin
	}
	err := a.DB.ViewPublic(func(tx *bucket.PublicTx) (err error) {
		if kind == record.KindArticle {
			_, err = published.Articles.Get(tx, id)
		} else {
			_, err = published.Collections.Get(tx, id)
		}
		if errors.Is(err, bucket.ErrNotFound) {
			err = record.ErrNotFound
		}
		return err
	})
	if err == nil {
		c.Count(jobs.Use{Item: bucket.Pair{A: kind, B: id}, Share: true})
	}
	return err
}

// Citing is a public item that cites another. Path leads to its page.
type Citing struct{ Title, Path string }

// CitedBy is the first of the public items whose latest version names a DOI, without a version, and
// how many more there are. The item itself is left out.
func CitedBy(tx *bucket.PublicTx, kind, id int64, doi string, most int) (first []Citing, more int, err error) {
	var keys []bucket.Pair
	sort := bucket.SortKey(record.ItemDOI(doi))
	for hit := range counting.CitationsByDOI.Ascending(tx, sort) {
		switch {
		case hit.Key == bucket.Pair{A: kind, B: id} || len(hit.Sort) != len(sort):
		case len(keys) < most:
			keys = append(keys, hit.Key)
		default:
			more++
		}
	}
	for _, key := range keys {
		citing, err := citing(tx, key)
		if err != nil {
			return nil, 0, err
		}
		first = append(first, citing)
	}
	return first, more, nil
}

// PartOf is the first of the public collections whose latest version has an article, and how many
// more there are.
func PartOf(tx *bucket.PublicTx, article int64, most int) (first []Citing, more int, err error) {
	for hit := range counting.CollectionsByMember.Ascending(tx, bucket.SortKey(article)) {
		if len(first) == most {
			more++
			continue
		}
		c, err := citing(tx, hit.Key)
		if err != nil {
			return nil, 0, err
		}
		first = append(first, c)
	}
	return first, more, nil
}

// citing reads the title of the latest public version of an item.
func citing(tx *bucket.PublicTx, key bucket.Pair) (Citing, error) {
	if key.A == record.KindArticle {
		head, err := published.Articles.Get(tx, key.B)
		if err != nil {
			return Citing{}, err
		}
		v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: key.B, B: int64(head.Latest)})
		if err != nil {
			return Citing{}, err
		}
		return Citing{v.Title, fmt.Sprintf("/articles/%d", key.B)}, nil
	}
	head, err := published.Collections.Get(tx, key.B)
	if err != nil {
		return Citing{}, err
	}
	v, err := published.CollectionVersions.Get(tx, bucket.Pair{A: key.B, B: int64(head.Latest)})
	if err != nil {
		return Citing{}, err
	}
	return Citing{v.Title, fmt.Sprintf("/collections/%d", key.B)}, nil
}
