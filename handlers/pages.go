package handlers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/jobs"
	"alcove/record"
)

// The pages for people (package site) need this of a call beside what handlers of the API use.

// ErrorPage renders a refusal as a page. Without a page the refusal is sent as JSON.
type ErrorPage func(c *Call, status int, refused present.Error) (page []byte, header http.Header)

// Browser reports whether the client asks for a page: it names text/html, and the address is not
// one that only programs use.
func (c *Call) Browser() bool {
	path := "/" + strings.TrimLeft(c.request.URL.Path, "/") + "/"
	if strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/upload/") || strings.HasPrefix(path, "/mirror/") {
		return false
	}
	return strings.Contains(strings.ToLower(strings.Join(c.Header.Values("Accept"), ",")), "text/html")
}

// Address is a copy of what was asked for, without secrets.
func (c *Call) Address() url.URL { return *c.request.URL }

// Encrypted reports whether the request came over TLS to this server.
func (c *Call) Encrypted() bool { return c.request.TLS != nil }

// Credentials reports whether a token or a private link came with the request.
func (c *Call) Credentials() bool { return c.secrets.any() }

// PrivateLink is the token of the private link that came with the request, "" for none. An answer that
// has it is for its holder alone.
func (c *Call) PrivateLink() string { return c.secrets.link }

// Named takes a part of the path for an id with a name, and reports whether it is one.
func (c *Call) Named(name, text string) bool {
	return c.readPath([]Param{{name, text}}) == nil
}

// failPage sends a refusal as a page, and reports whether it did.
func (a *API) failPage(c *Call, w *recorder, status int, refused present.Error) bool {
	if a.ErrorPage == nil || !c.Browser() {
		return false
	}
	page, header := a.ErrorPage(c, status, refused)
	if page == nil {
		return false
	}
	for name, values := range header {
		w.Header()[name] = values
	}
	a.sendRefusal(c, w, status, page)
	return true
}

// Unasked is the call without its query string, which is the page's own: a list that a page shows
// is asked for in words of the API.
func (c *Call) Unasked() *Call { return c.Asking("") }

// Asking is the call with another query string, which must be one that the API reads.
func (c *Call) Asking(query string) *Call {
	inner := *c
	inner.Query, _ = lists.ReadQuery(query)
	inner.Header = c.Header.Clone()
	inner.Header.Del(cursorHeader)
	return &inner
}

// Opened is a file that the caller may download, open to be read. Every byte that is read was checked.
type Opened struct {
	*record.PublicFile
	Public bool // every client may download it

	call    *Call
	blob    blobs.Blob
	release func()
}

// OpenFile opens the file of the path for a caller that may download it, and refuses it to others as a
// download does. A file that lies elsewhere is not found. The caller closes it.
func (a *API) OpenFile(c *Call) (*Opened, error) {
	f, public, err := a.readableFile(c)
	if err != nil {
		return nil, err
	}
	return a.opened(c, f, public)
}

// OpenPublicFile opens a file that every client may download, and no other, also for its owner. The
// caller closes it.
func (a *API) OpenPublicFile(c *Call, id int64) (*Opened, error) {
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

func (a *API) opened(c *Call, f *record.PublicFile, public bool) (*Opened, error) {
	if f.Link != "" {
		return nil, record.ErrFileNotFound
	}
	release := a.Blobs.Lease(a.DB.Time().Add(-time.Since(c.start)))
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		release()
		return nil, fmt.Errorf("cannot open file %d: %w", f.ID, err)
	}
	blob, err := a.Blobs.Share(ref, f.Size, f.CRC32)
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
func (o *Opened) Part(r io.Reader, part, name string, size int64) *Download {
	return &Download{
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

// sameOrigin tells what a page of this server asks for from what a page of another one does
// (Fetch Metadata, Sec-Fetch-Site, and Origin).
var sameOrigin = http.NewCrossOriginProtection()

// Share counts that a reader shares a public item, a kind and an id, once for each visitor and day.
// A page of another site cannot make it count (403).
func (a *API) Share(c *Call, kind, id int64) error {
	if err := sameOrigin.Check(c.request); err != nil {
		return record.ErrOtherOrigin
	}
	err := a.DB.ViewPublic(func(tx *bucket.PublicTx) (err error) {
		if kind == bucket.KindArticle {
			_, err = bucket.PublicArticles.Get(tx, id)
		} else {
			_, err = bucket.PublicCollections.Get(tx, id)
		}
		if errors.Is(err, bucket.ErrNotFound) {
			err = record.ErrNotFound
		}
		return err
	})
	if err == nil {
		c.count(jobs.Use{Item: bucket.Pair{A: kind, B: id}, Share: true})
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
	for hit := range bucket.CitationsByDOI.Ascending(tx, sort) {
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
	for hit := range bucket.CollectionsByMember.Ascending(tx, bucket.SortKey(article)) {
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
	if key.A == bucket.KindArticle {
		head, err := bucket.PublicArticles.Get(tx, key.B)
		if err != nil {
			return Citing{}, err
		}
		v, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: key.B, B: int64(head.Latest)})
		if err != nil {
			return Citing{}, err
		}
		return Citing{v.Title, fmt.Sprintf("/articles/%d", key.B)}, nil
	}
	head, err := bucket.PublicCollections.Get(tx, key.B)
	if err != nil {
		return Citing{}, err
	}
	v, err := bucket.CollectionVersions.Get(tx, bucket.Pair{A: key.B, B: int64(head.Latest)})
	if err != nil {
		return Citing{}, err
	}
	return Citing{v.Title, fmt.Sprintf("/collections/%d", key.B)}, nil
}

// Branding is what the operator says and shows on every page. The zero value is the usual look.
type Branding struct {
	Text               string // of the first page; "" for the usual one
	Accent, AccentDark string // colours as #0b5c66, both or neither
	Links              []FooterLink
	Logo               []byte // PNG or SVG, nil for none
	LogoType           string // its media type
	Groups             bool   // whether groups have names for everyone
	Embed              bool   // whether pages of other sites may show items in a frame
	// Pages are texts in Markdown by the last part of their address ("about") and then by the
	// language ("", "de"); "" is for readers of all other languages.
	Pages map[string]map[string]string
}

// FooterLink is a link at the foot of every page.
type FooterLink struct{ Words, URL string }

// OwnPages are the addresses at which an operator's texts may stand.
var OwnPages = []string{"about", "terms", "privacy", "accessibility", AgreementPage}
