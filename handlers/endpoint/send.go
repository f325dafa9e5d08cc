package endpoint

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"alcove/blobs"
	"alcove/blobs/archive"
	"alcove/handlers/wire"
	"alcove/record"
)

// Bytes on their way out. Every chunk of a blob is checked before any of it is sent: a
// download of damaged bytes never comes to its end, and nothing wrong is in what came
// before. Checked bytes go from the file to the connection by the system alone, where
// there is such a way.

var errRange = &record.Error{Class: record.RangeUnmet, Code: "RangeNotSatisfiable", Message: "The file has no bytes in this range"}

// sendSpans sends ranges of a download, in the frame of parts where there are several. When
// what is stored is not there or damaged, or the client stops taking bytes, the connection is
// cut: what came cannot be taken for what was asked for. A range that is sent alone has just been checked up to an
// offset; the head of a part may wait for a slow client, so that each part is checked behind it.
func (a *Server) sendSpans(c *Call, out *wire.Paced, d *Download, spans []wire.Span, checked int64, parts *wire.Multipart) {
	defer out.End()
	for i, s := range spans {
		if parts != nil {
			checked = 0
			if _, err := io.WriteString(out, parts.Heads[i]); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		if err := a.sendSpan(c, out, d, s, checked); err != nil {
			a.cutOff(c, err)
		}
	}
	if parts != nil {
		if _, err := io.WriteString(out, parts.End()); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// cutOff ends the connection of a download that cannot go on. The log tells why, unless it is the client.
func (a *Server) cutOff(c *Call, err error) {
	if !errors.Is(err, wire.ErrClient) {
		a.Log.Error("a download was cut off", "route", c.Pattern, "error", err, "request", c.RequestID)
	}
	panic(http.ErrAbortHandler)
}

func (a *Server) sendSpan(c *Call, out *wire.Paced, d *Download, s wire.Span, checked int64) error {
	if d.Blob != nil {
		return a.copyBlob(c, out, d.Blob, s.From, s.To, checked)
	}
	return d.Archive.WriteRange(out, s.From, s.To, func(_ io.Writer, i int, from, to int64) error {
		if i < len(d.Archive.Made) {
			return archive.WritePart(out, from, to, d.Archive.Made[i])
		}
		b, err := a.Blobs.Read(d.Archive.Refs[i-len(d.Archive.Made)], d.Archive.FileSize(i), d.Archive.CRC32(i))
		if err != nil {
			return err
		}
		defer b.Close()
		return a.copyBlob(c, out, b, from, to, 0)
	})
}

// copyBlob sends bytes of a blob, piece by piece, each piece checked before. Up to an offset they have just been.
func (a *Server) copyBlob(c *Call, out *wire.Paced, b blobs.Blob, from, to, checked int64) error {
	piece := int64(blobs.Chunk)
	for from < to {
		n := min(piece-from%blobs.Chunk, to-from)
		begun := time.Now()
		if from+n > checked {
			if err := b.Check(c.Request.Context(), from, from+n); err != nil {
				return err
			}
		}
		bytes, err := b.From(from)
		if err != nil {
			return fmt.Errorf("cannot send a file: %w", err)
		}
		sent, err := out.Copy(bytes, n)
		from += sent
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("a blob ended early, at byte %d", from)
		case err != nil:
			return errors.Join(wire.ErrClient, err)
		}
		piece = out.Next(piece, sent == n, time.Since(begun))
	}
	return nil
}

// sendMade sends bytes that are made as they are sent. Where making them fails the connection is cut, as
// that of any download that cannot go on.
func (a *Server) sendMade(c *Call, w *recorder, d *Download) error {
	h := w.Header()
	h.Set("Accept-Ranges", "none")
	h.Set("Content-Length", strconv.FormatInt(d.Size, 10))
	w.WriteHeader(http.StatusOK)
	if c.Method == http.MethodHead {
		return nil
	}
	out := wire.NewPaced(w, c.Request, a.Limits.StallTimeout)
	defer out.End()
	n, err := io.Copy(struct{ io.Writer }{out}, struct{ io.Reader }{d.Made})
	if err == nil && n == d.Size {
		return nil
	}
	if !errors.Is(err, wire.ErrClient) {
		a.Log.Warn("a download was cut off, as what is in a file is not what it says", "bytes", n, "error", err, "request", c.RequestID)
	}
	panic(http.ErrAbortHandler)
}

// sendFile sends a file or a range of it.
func (a *Server) sendFile(c *Call, w *recorder, d *Download) error {
	release := a.Blobs.Lease(a.DB.Time().Add(-time.Since(c.Start))) // what a record named then, also if it is deleted meanwhile
	defer release()
	if d.Blob != nil {
		defer d.Blob.Close()
	}
	if d.Made != nil {
		defer d.Made.Close()
	}
	h, tag := w.Header(), `"`+d.ETag+`"`
	mediaType := downloadType(d.MIME)
	disposition := c.disposition(mediaType)
	h[sandboxed.name] = sandboxed.value
	if disposition == "inline" && mediaType == pdf {
		h[framed.name] = framed.value
	}
	h.Set("Accept-Ranges", "bytes")
	h.Set("Etag", tag)
	c.cacheHeaders(h, d.Public)
	if d.Public && !c.secrets.any() {
		h[anyPage.name] = anyPage.value
	}
	c.setModified(h, d.Modified)
	if status := c.notModified(tag, d.Modified); status != 0 {
		if status == http.StatusPreconditionFailed {
			return record.ErrStale
		}
		w.WriteHeader(status)
		c.countAgain(d.Count)
		return nil
	}
	h.Set("Content-Type", mediaType)
	h.Set("Content-Disposition", disposition+"; "+wire.FileName(d.Name))
	if d.Made != nil {
		return a.sendMade(c, w, d)
	}
	spans, status := wire.Spans(c.Method, c.Header, d.Size, tag, func(t time.Time) bool { return visible(d.Modified, time.Now()).Equal(t) })
	var parts *wire.Multipart
	length := d.Size
	switch {
	case status == http.StatusRequestedRangeNotSatisfiable:
		h.Set("Content-Range", "bytes */"+strconv.FormatInt(d.Size, 10))
		return errRange
	case len(spans) > 1:
		parts = wire.NewMultipart(h.Get("Content-Type"), spans, d.Size)
		h.Set("Content-Type", parts.ContentType())
		length = parts.Size()
	case status == http.StatusPartialContent:
		h["Content-Range"] = []string{spans[0].Of(d.Size)}
		length = spans[0].Len()
	}
	checked := int64(0)
	if d.Blob != nil && c.Method == http.MethodGet {
		first := spans[0]
		checked = min(first.To, max(first.From+wire.WriteChunk, (first.From/blobs.Chunk+1)*blobs.Chunk))
		if err := d.Blob.Check(c.Request.Context(), first.From, checked); err != nil {
			h.Del("Content-Range") // damage that shows this early gets an answer of its own
			return fmt.Errorf("cannot send a file: %w", err)
		}
	}
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	w.WriteHeader(status)
	if c.Method == http.MethodHead {
		return nil
	}
	for _, s := range spans {
		if s.From == 0 {
			c.Count(d.Count)
			break
		}
	}
	a.sendSpans(c, wire.NewPaced(w, c.Request, a.Limits.StallTimeout), d, spans, checked, parts)
	return nil
}

const pdf = "application/pdf"

// shown are the types that a browser may show under this origin when ?inline=true asks for it: there
// is nothing in them that it could run here, and it is told not to guess another type.
var shown = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "text/plain": true, pdf: true}

// disposition is whether a file of a type is to be shown by its reader, or stored.
func (c *Call) disposition(mediaType string) string {
	plain, _, _ := strings.Cut(mediaType, ";")
	if asked, _ := c.Query.Find("inline"); asked == "true" && shown[plain] {
		return "inline"
	}
	return "attachment"
}

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

// pieces are what is sent as it is made, since its length is not known before.
type pieces interface {
	// Next is the next piece, which may be empty before the end and is good until the next call, and whether it is
	// the last.
	Next() (piece []byte, last bool, err error)
	Close()
}

// sendPieces sends pieces. A single one has a length; a reply of several that cannot go on
// is cut off, so that no client takes a part for the whole.
func (a *Server) sendPieces(c *Call, w *recorder, t pieces) error {
	defer t.Close()
	piece, last, err := t.Next()
	if err != nil {
		return err
	}
	if last {
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(piece))}
	}
	a.write(c, w, http.StatusOK, piece)
	control := http.NewResponseController(w)
	for !last && c.Method != http.MethodHead {
		piece, last, err = t.Next()
		if err == nil {
			control.SetWriteDeadline(time.Now().Add(a.Limits.StallTimeout))
			err = a.writeOn(w, control, piece)
		}
		if err != nil {
			a.cutOff(c, err)
		}
	}
	return nil
}

// write sends status and body. No client can hold a reply by not reading it: the deadline
// moves only as long as bytes go out. The log tells when a client has gone away.
func (a *Server) write(c *Call, w *recorder, status int, body []byte) {
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(a.Limits.StallTimeout))
	if c.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	w.WriteHeader(status)
	if a.writeOn(w, control, body) != nil {
		c.Buffer = nil // over HTTP/2 some of it may still be on its way
	}
}

// writeOn sends bytes of a body, a bite at a time; the deadline of the first is set.
func (a *Server) writeOn(w *recorder, control *http.ResponseController, body []byte) error {
	for len(body) > 0 {
		n := min(len(body), wire.WriteChunk)
		if _, err := w.Write(body[:n]); err != nil {
			return errors.Join(wire.ErrClient, err)
		}
		if body = body[n:]; len(body) > 0 {
			control.SetWriteDeadline(time.Now().Add(a.Limits.StallTimeout))
		}
	}
	return nil
}

var (
	// sandboxed keeps a browser from running, under this origin, whatever a file holds.
	sandboxed = header{"Content-Security-Policy", []string{"sandbox; default-src 'none'; frame-ancestors 'none'"}}
	// framed lets pages of this origin alone show a PDF within them. The viewer of a browser draws it, which
	// gives no script in it this origin; Chromium starts its own in this sandbox, too.
	framed = header{"Content-Security-Policy", []string{"sandbox; default-src 'none'; frame-ancestors 'self'"}}
	// anyPage lets other sites show what is public; commonHeaders let none.
	anyPage = header{"Cross-Origin-Resource-Policy", []string{"cross-origin"}}
)
