package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/formats"
	"alcove/handlers/endpoint"
	"alcove/jobs"
	"alcove/record"
)

// FileDownload sends the bytes of a file: of a public version to any
// client, of a working copy to its owner, to the members of its project, and to those who
// hold a private link to the article. A linked file is where its link says; the server itself never
// goes there.
func (a *API) FileDownload(c *endpoint.Call) (endpoint.Reply, error) {
	f, public, err := a.readableFile(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	counts := public
	if public && c.Account != nil {
		err = a.DB.View(func(tx *bucket.Tx) error {
			counts = !c.Owns(tx, f.ArticleID)
			return nil
		})
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.give(c, f, public, counts)
}

// readableFile is the file of the path when the caller may have its bytes, and whether
// every client may.
func (a *API) readableFile(c *endpoint.Call) (f *record.PublicFile, public bool, err error) {
	f, disabled, err := a.publicFile(c.ID("file_id"))
	if public = !disabled; err == nil && disabled {
		err = a.DB.View(func(tx *bucket.Tx) error {
			if c.Owns(tx, f.ArticleID) {
				return nil
			}
			own, err := files.Files.Get(tx, f.ID)
			if err != nil {
				return err
			}
			shared := false
			if !own.Dropped {
				shared, err = c.Shares(tx, working.ArticleOwners.Of(tx, own.ArticleID).In)
			}
			if err == nil && !shared {
				err = record.ErrDownloadDisabled
			}
			return err
		})
	}
	if errors.Is(err, bucket.ErrNotFound) {
		public = false
		err = a.DB.View(func(tx *bucket.Tx) error {
			own, err := reachableFile(c, tx)
			if err == nil {
				f = own.Public(own.Modified)
			}
			return err
		})
	}
	return f, public, err
}

// PublicFileDownload sends the bytes of a public file.
func (a *API) PublicFileDownload(c *endpoint.Call) (endpoint.Reply, error) {
	return a.givePublic(c, c.ID("file_id"))
}

// givePublic sends a public file by its id.
func (a *API) givePublic(c *endpoint.Call, id int64) (endpoint.Reply, error) {
	f, disabled, err := a.publicFile(id)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return endpoint.Reply{}, record.ErrFileNotFound
	case err != nil:
		return endpoint.Reply{}, err
	case disabled:
		return endpoint.Reply{}, record.ErrDownloadDisabled
	}
	return a.give(c, f, true, true)
}

// publicFile is the public file with an id, and whether the latest version of its
// article switches downloads off.
func (a *API) publicFile(id int64) (f *record.PublicFile, disabled bool, err error) {
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		if f, err = files.PublicFiles.Get(tx, id); err == nil {
			disabled = published.ArticlesWithoutDownloads.Holds(tx, nil, f.ArticleID)
		}
		return err
	})
	return f, disabled, err
}

// give sends a file, or tells where it lies. Bytes that are sent from here count as a download
// when they should.
func (a *API) give(c *endpoint.Call, f *record.PublicFile, public, counts bool) (endpoint.Reply, error) {
	if f.Link != "" {
		return endpoint.Reply{Status: http.StatusFound, Location: asciiLink(f.Link)}, nil
	}
	r, err := a.open(f, public)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if counts {
		r.File.Count = jobs.Use{Item: bucket.Pair{A: record.KindArticle, B: f.ArticleID}, Download: true, File: f.ID}
	}
	if public {
		err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
			r.Header = a.inItem(c, tx, f.ArticleID, 0)
			return nil
		})
	}
	return r, err
}

// inItem returns the Link header of a download, which names the page of the article that it is of: of a version, or of
// all for 0. A range has none, because a client asks for many.
func (a *API) inItem(c *endpoint.Call, tx bucket.Reader, article, version int64) http.Header {
	if len(c.Header["Range"]) > 0 {
		return nil
	}
	key := bucket.Pair{A: article, B: version}
	if version == 0 {
		facts, _ := published.ArticleFacts.Facts(tx, article)
		key.B = facts.Version
	}
	var page struct {
		URL string `json:"url_public_html"`
	}
	doc, err := a.Items.ArticleDocs.List(tx, key)
	if err != nil || json.Unmarshal(doc.List, &page) != nil {
		return nil // the bytes matter more
	}
	if version != 0 {
		page.URL += fmt.Sprintf("/%d", version)
	}
	return http.Header{"Link": {formats.Header([]formats.Link{{Rel: "collection", URL: page.URL, Type: "text/html"}})}}
}

// asciiLink is a link as it may stand in a header (RFC 3986, 2.1): what is no printable
// ASCII is percent-encoded, the rest stays as it was given.
func asciiLink(link string) string {
	var b strings.Builder
	for _, c := range []byte(link) {
		if c <= ' ' || c > '~' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// storedFile is the whole file of the path in a working copy that is the caller's, that it
// reads in a project, or that a private link opens to it.
func storedFile(c *endpoint.Call, tx *bucket.Tx) (*record.File, error) {
	owner := files.Owners.Of(tx, c.ID("file_id"))
	mine := c.Is(owner)
	if !mine {
		shared, err := c.Shares(tx, working.ArticleOwners.Of(tx, owner.In).In)
		if err != nil {
			return nil, err
		}
		l, err := c.PresentedLink(tx, "articles")
		if err != nil {
			return nil, err
		}
		if !shared && (l == nil || l.ItemID != owner.In) {
			return nil, record.ErrFileNotFound
		}
		mine = shared
	}
	f, err := files.Files.Get(tx, c.ID("file_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.Dropped || !f.Finished()) {
		return nil, record.ErrFileNotFound
	}
	if err != nil || mine {
		return f, err
	}
	art, err := working.Articles.Get(tx, f.ArticleID)
	if err == nil && art.DownloadDisabled {
		err = record.ErrDownloadDisabled
	}
	return f, err
}

func (a *API) open(f *record.PublicFile, public bool) (endpoint.Reply, error) {
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return endpoint.Reply{}, fmt.Errorf("cannot send file %d: %w", f.ID, err)
	}
	blob, err := a.Blobs.Read(ref, f.Size, f.CRC32)
	if errors.Is(err, fs.ErrNotExist) {
		return endpoint.Reply{}, fmt.Errorf("cannot send file %d: its blob is missing", f.ID)
	}
	if err != nil {
		return endpoint.Reply{}, fmt.Errorf("cannot send file %d: %w", f.ID, err)
	}
	return endpoint.Reply{File: &endpoint.Download{
		Blob: blob, Size: f.Size, Name: f.Name, MIME: f.MIME, ETag: f.SHA256, Modified: f.Published, Public: public,
	}}, nil
}
