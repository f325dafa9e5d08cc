package handlers

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"alcove/blobs"
	"alcove/bucket"
	"alcove/record"
)

// FileDownload sends the bytes of a file (specification 4.4, api-facts 7): of a public
// version to anybody, of a working copy to its owner and to those who hold a private
// link to the article. A linked file is where its link says; the server itself never
// goes there.
func (a *API) FileDownload(c *Call) (Reply, error) {
	f, public, err := a.readableFile(c)
	if err != nil {
		return Reply{}, err
	}
	counts := public
	if public && c.Account != nil {
		err = a.DB.View(func(tx *bucket.Tx) error {
			counts = !c.owns(tx, f.ArticleID)
			return nil
		})
	}
	if err != nil {
		return Reply{}, err
	}
	return a.give(f, public, counts)
}

// readableFile is the file of the path when the caller may have its bytes, and whether
// anybody may.
func (a *API) readableFile(c *Call) (f *record.PublicFile, public bool, err error) {
	public = true
	f, disabled, err := a.publicFile(c)
	if err == nil && disabled {
		public = false
		err = a.DB.View(func(tx *bucket.Tx) error {
			if !c.owns(tx, f.ArticleID) {
				return record.ErrDownloadDisabled
			}
			return nil
		})
	}
	if errors.Is(err, bucket.ErrNotFound) {
		public = false
		err = a.DB.View(func(tx *bucket.Tx) error {
			own, err := c.reachableFile(tx)
			if err == nil {
				f = own.Public(own.Modified)
			}
			return err
		})
	}
	return f, public, err
}

// PublicFileDownload sends the bytes of a public file, whoever asks (api-facts 7).
func (a *API) PublicFileDownload(c *Call) (Reply, error) {
	f, disabled, err := a.publicFile(c)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		return Reply{}, record.ErrFileNotFound
	case err != nil:
		return Reply{}, err
	case disabled:
		return Reply{}, record.ErrDownloadDisabled
	}
	return a.give(f, true, true)
}

// publicFile is the public file of the path, and whether the latest version of its
// article switches downloads off.
func (a *API) publicFile(c *Call) (f *record.PublicFile, disabled bool, err error) {
	err = a.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		if f, err = bucket.PublicFiles.Get(tx, c.ID("file_id")); err != nil {
			return err
		}
		head, err := bucket.PublicArticles.Get(tx, f.ArticleID)
		if err != nil {
			return err
		}
		disabled = head.DownloadDisabled
		return nil
	})
	return f, disabled, err
}

// give sends a file, or tells where it lies. What is sent from here counts as a download
// when it should.
func (a *API) give(f *record.PublicFile, public, counts bool) (Reply, error) {
	if f.Link != "" {
		return Reply{Status: http.StatusFound, Location: asciiLink(f.Link)}, nil
	}
	r, err := a.open(f, public)
	if err == nil && counts {
		r.File.Count = use{item: bucket.Pair{A: bucket.KindArticle, B: f.ArticleID}, download: true, file: f.ID}
	}
	return r, err
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

// storedFile is the whole file of the path in a working copy that is the caller's, or
// that a private link opens to him.
func (c *Call) storedFile(tx *bucket.Tx) (*record.File, error) {
	f, err := bucket.Files.Get(tx, c.ID("file_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.Dropped || !f.Finished()) {
		return nil, record.ErrFileNotFound
	}
	if err != nil || c.Account != nil && f.AccountID == c.Account.ID {
		return f, err
	}
	l, err := c.heldLink(tx, "articles")
	if err != nil {
		return nil, err
	}
	if l == nil || l.ItemID != f.ArticleID {
		return nil, record.ErrFileNotFound
	}
	art, err := bucket.Articles.Get(tx, f.ArticleID)
	if err == nil && art.DownloadDisabled {
		err = record.ErrDownloadDisabled
	}
	return f, err
}

func (a *API) open(f *record.PublicFile, public bool) (Reply, error) {
	ref, err := blobs.ParseRef(f.SHA256)
	if err != nil {
		return Reply{}, fmt.Errorf("cannot send file %d: %w", f.ID, err)
	}
	file, size, err := a.Blobs.Open(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return Reply{}, fmt.Errorf("cannot send file %d: its blob is missing", f.ID)
	}
	if err != nil {
		return Reply{}, fmt.Errorf("cannot send file %d: %w", f.ID, err)
	}
	if size != f.Size {
		file.Close()
		return Reply{}, fmt.Errorf("cannot send file %d: its blob has %d bytes and should have %d", f.ID, size, f.Size)
	}
	return Reply{File: &Download{
		File: file, Size: size, Name: f.Name, MIME: f.MIME, ETag: f.SHA256, Modified: f.Published, Public: public,
	}}, nil
}

// sendFile sends a file or a range of it. Whatever it holds, a browser gets nothing
// that it would run under this origin (decision 25).
func (a *API) sendFile(c *Call, w *recorder, d *Download) error {
	if d.File != nil {
		defer d.File.Close()
	}
	h := w.Header()
	h.Set("Content-Type", downloadType(d.MIME))
	h.Set("Content-Disposition", "attachment; "+fileName(d.Name))
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'")
	h.Set("Accept-Ranges", "bytes")
	c.cacheHeaders(h, d.Public)
	tag := `"` + d.ETag + `"`
	h.Set("ETag", tag)
	setModified(h, d.Modified, time.Now())
	if status := c.notModified(tag, d.Modified); status != 0 {
		if status == http.StatusPreconditionFailed {
			return record.ErrStale
		}
		h.Del("Content-Type")
		h.Del("Content-Disposition")
		w.WriteHeader(status)
		return nil
	}
	from, to, status := c.byteRange(d, tag)
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(d.Size, 10))
		return errRange
	case http.StatusPartialContent:
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, d.Size))
	}
	h.Set("Content-Length", strconv.FormatInt(to-from, 10))
	w.WriteHeader(status)
	if c.Method == http.MethodHead {
		return nil
	}
	if from == 0 {
		c.count(d.Count)
	}
	if d.Archive != nil {
		return a.sendArchive(w, d, from, to)
	}
	return a.copyFile(c, w, d, from, to)
}

var errRange = &record.Error{Kind: record.RangeUnmet, Code: "RangeNotSatisfiable", Message: "The file has no bytes in this range"}

// downloadType is the type sent for a file: the one that was detected, unless a browser
// might run it.
func downloadType(detected string) string {
	kind, params, err := mime.ParseMediaType(detected)
	switch {
	case err != nil, strings.Contains(kind, "html"), strings.Contains(kind, "xml"), strings.Contains(kind, "script"),
		strings.HasPrefix(kind, "multipart/"), strings.HasPrefix(kind, "message/"):
		return "application/octet-stream"
	}
	return mime.FormatMediaType(kind, params)
}

// stretch is how many bytes of a download must go out within the stall timeout: with a
// timeout of a minute, a line of 18 kB a second is fast enough.
const stretch = 1 << 20

// copyFile sends the bytes from one offset to before another. A client is served as
// long as it takes bytes; the deadline moves with them. When the file ends early the
// connection is cut, so that nobody takes it for whole.
func (a *API) copyFile(c *Call, w *recorder, d *Download, from, to int64) error {
	if _, err := d.File.Seek(from, io.SeekStart); err != nil {
		return fmt.Errorf("cannot send a file: %w", err)
	}
	control := http.NewResponseController(w)
	defer control.SetWriteDeadline(time.Time{})
	for from < to {
		n := min(stretch, to-from)
		control.SetWriteDeadline(time.Now().Add(a.Limits.StallTimeout))
		sent, err := io.CopyN(w, d.File, n)
		from += sent
		if err != nil {
			if errors.Is(err, io.EOF) {
				a.Log.Error("a blob ended early", "sha256", d.ETag, "at", from)
			}
			panic(http.ErrAbortHandler)
		}
	}
	return nil
}

// byteRange reads Range and If-Range (RFC 9110, 14.2 and 13.1.5). One range is served;
// several, an unknown unit, a malformed range and a HEAD get the whole file. A range that
// ends before it begins is rejected like one behind the end (15.5.17).
func (c *Call) byteRange(d *Download, tag string) (from, to int64, status int) {
	text := c.Header.Values("Range")
	if c.Method != http.MethodGet || len(text) != 1 || !c.ifRange(d, tag) {
		return 0, d.Size, http.StatusOK
	}
	unit, spec, ok := strings.Cut(text[0], "=")
	if !ok || !strings.EqualFold(strings.TrimSpace(unit), "bytes") || strings.Contains(spec, ",") {
		return 0, d.Size, http.StatusOK
	}
	first, last, ok := strings.Cut(strings.TrimSpace(spec), "-")
	if !ok || !digits(first) || !digits(last) || first == "" && last == "" {
		return 0, d.Size, http.StatusOK
	}
	if first == "" { // the last bytes
		n := clamped(last)
		if n == 0 || d.Size == 0 {
			return 0, 0, http.StatusRequestedRangeNotSatisfiable
		}
		return d.Size - min(n, d.Size), d.Size, http.StatusPartialContent
	}
	from, to = clamped(first), d.Size
	if last != "" {
		to = min(clamped(last), d.Size-1) + 1
	}
	if from >= to {
		return 0, 0, http.StatusRequestedRangeNotSatisfiable
	}
	return from, to, http.StatusPartialContent
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// clamped is a number of digits, or the largest there is when it does not fit.
func clamped(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return 1<<62 - 1
	}
	return min(n, 1<<62-1)
}

// ifRange reports whether a range is wanted of the file as it is now.
func (c *Call) ifRange(d *Download, tag string) bool {
	text := c.Header.Get("If-Range")
	switch {
	case text == "":
		return true
	case strings.HasPrefix(text, `"`):
		return text == tag
	case strings.HasPrefix(text, "W/"):
		return false
	}
	t, err := http.ParseTime(text)
	return err == nil && visible(d.Modified, time.Now()).Equal(t)
}

// fileName is the file name of a Content-Disposition (RFC 6266): the name as ASCII for
// old clients, and exactly, in UTF-8 (RFC 8187).
func fileName(name string) string {
	ascii := strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\' || r == '"' || r == '%':
			return '_'
		case r < 0x20 || r == 0x7f:
			return -1
		case r > 0x7e:
			return '_'
		}
		return r
	}, name)
	if ascii == "" {
		ascii = "file"
	}
	out := `filename="` + ascii + `"`
	if ascii != name {
		out += "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	}
	return out
}
