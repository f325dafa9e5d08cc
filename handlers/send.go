package handlers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"alcove/blobs"
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
// cut: what came cannot be taken for what was asked for.
func (a *API) sendSpans(c *Call, out *wire.Paced, d *Download, spans []wire.Span, parts *wire.Multipart) {
	defer out.End()
	for i, s := range spans {
		if parts != nil {
			if _, err := io.WriteString(out, parts.Heads[i]); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		if err := a.sendSpan(c, out, d, s); err != nil {
			a.cutOff(c, d, err)
		}
	}
	if parts != nil {
		if _, err := io.WriteString(out, parts.End()); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// cutOff ends the connection of a download that cannot go on. The log tells why, unless it is the client.
func (a *API) cutOff(c *Call, d *Download, err error) {
	if !errors.Is(err, wire.ErrClient) {
		a.Log.Error("a download was cut off", "name", d.Name, "error", err, "request", c.RequestID)
	}
	panic(http.ErrAbortHandler)
}

// sendSmall sends a small range from a buffer. It does nothing, and reports false, where the range
// is larger or there are enough large buffers on their way; damage is an error before
// anything is sent. Over HTTP/2 a buffer that was written may still be needed.
func (a *API) sendSmall(c *Call, w *recorder, d *Download, s wire.Span, status int) (sent bool, err error) {
	if s.Len() == 0 || s.Len() > wire.WriteChunk || c.request.ProtoMajor != 1 {
		return false, nil
	}
	if err = d.Blob.Check(c.request.Context(), s.From, s.To); err != nil {
		w.Header().Del("Content-Range")
		return false, fmt.Errorf("cannot send a file: %w", err)
	}
	buffer, done := wire.SendBuffer()
	defer done()
	if int64(len(buffer)) < s.Len() {
		return false, nil
	}
	body := buffer[:s.Len()]
	if _, err = d.Blob.ReadAt(body, s.From); err != nil {
		w.Header().Del("Content-Range")
		return false, fmt.Errorf("cannot send a file: %w", err)
	}
	w.Header().Set("Content-Length", strconv.FormatInt(s.Len(), 10))
	if s.From == 0 {
		c.count(d.Count)
	}
	a.write(c, w, status, body)
	return true, nil
}

func (a *API) sendSpan(c *Call, out *wire.Paced, d *Download, s wire.Span) error {
	if d.Blob != nil {
		return a.copyBlob(c, out, d.Blob, s.From, s.To)
	}
	return d.Archive.WriteRange(out, s.From, s.To, func(_ io.Writer, i int, from, to int64) error {
		b, err := a.Blobs.Read(d.Archive.refs[i], d.Archive.FileSize(i), d.Archive.CRC32(i))
		if err != nil {
			return err
		}
		defer b.Close()
		return a.copyBlob(c, out, b, from, to)
	})
}

// copyBlob sends bytes of a blob, piece by piece, each piece checked before.
func (a *API) copyBlob(c *Call, out *wire.Paced, b blobs.Blob, from, to int64) error {
	piece := int64(blobs.Chunk)
	for from < to {
		n := min(piece-from%blobs.Chunk, to-from)
		begun := time.Now()
		if err := b.Check(c.request.Context(), from, from+n); err != nil {
			return err
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
