package handlers

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"alcove/blobs"
)

// Bytes on their way out. Every chunk of a blob is checked before any of it is sent: a
// download of damaged bytes never comes to its end, and nothing wrong is in what came
// before. What was checked goes from the file to the connection by the system alone, where
// there is such a way.

// sendSpans sends ranges of a download, in the frame of parts where there are several. When
// what is stored is not there or damaged, or the client stops taking bytes, the connection is
// cut: nobody can take what came for what he asked for.
func (a *API) sendSpans(c *Call, out *paced, d *Download, spans []span, parts *multipart) {
	defer out.control.SetWriteDeadline(time.Time{})
	for i, s := range spans {
		if parts != nil {
			if _, err := io.WriteString(out, parts.heads[i]); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		if err := a.sendSpan(c, out, d, s); err != nil {
			a.cutOff(c, d, err)
		}
	}
	if parts != nil {
		if _, err := io.WriteString(out, parts.end()); err != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// cutOff ends the connection of a download that cannot go on. The log tells why, unless it is the client.
func (a *API) cutOff(c *Call, d *Download, err error) {
	if !errors.Is(err, errClient) {
		a.Log.Error("a download was cut off", "name", d.Name, "error", err, "request", c.RequestID)
	}
	panic(http.ErrAbortHandler)
}

// sendSmall sends a small range from a buffer. It does nothing, and reports false, where the range
// is larger or there are enough large buffers on their way; what is damaged is an error before
// anything is sent. Over HTTP/2 a buffer that was written may still be needed.
func (a *API) sendSmall(c *Call, w *recorder, d *Download, s span, status int) (sent bool, err error) {
	if s.len() == 0 || s.len() > writeChunk || c.request.ProtoMajor != 1 {
		return false, nil
	}
	if err = d.Blob.Check(c.request.Context(), s.from, s.to); err != nil {
		w.Header().Del("Content-Range")
		return false, fmt.Errorf("cannot send a file: %w", err)
	}
	buffer, done := takeSendBuffer()
	defer done()
	if int64(len(buffer)) < s.len() {
		return false, nil
	}
	body := buffer[:s.len()]
	if _, err = d.Blob.ReadAt(body, s.from); err != nil {
		w.Header().Del("Content-Range")
		return false, fmt.Errorf("cannot send a file: %w", err)
	}
	w.Header().Set("Content-Length", strconv.FormatInt(s.len(), 10))
	if s.from == 0 {
		c.count(d.Count)
	}
	a.write(c, w, status, body)
	return true, nil
}

func (a *API) sendSpan(c *Call, out *paced, d *Download, s span) error {
	if d.Blob != nil {
		return a.copyBlob(c, out, d.Blob, s.from, s.to)
	}
	return d.Archive.WriteRange(out, s.from, s.to, func(_ io.Writer, i int, from, to int64) error {
		b, err := a.Blobs.Read(d.Archive.refs[i], d.Archive.FileSize(i), d.Archive.CRC32(i))
		if err != nil {
			return err
		}
		defer b.Close()
		return a.copyBlob(c, out, b, from, to)
	})
}

// copyBlob sends bytes of a blob, piece by piece, each piece checked before.
func (a *API) copyBlob(c *Call, out *paced, b blobs.Blob, from, to int64) error {
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
		sent, err := out.copy(bytes, n)
		from += sent
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("a blob ended early, at byte %d", from)
		case err != nil:
			return errors.Join(errClient, err)
		}
		piece = out.next(piece, sent == n, time.Since(begun))
	}
	return nil
}

// A buffer is held while a client takes its time: the first downloads at a time have large
// ones, and those beyond, of which there may be thousands, small ones.
const (
	sendBuffer  = 256 << 10
	largeSends  = 64
	smallBuffer = 16 << 10
)

var (
	sending      atomic.Int32 // with large buffers
	sendBuffers  = sync.Pool{New: func() any { return new([sendBuffer]byte) }}
	smallBuffers = sync.Pool{New: func() any { return new([smallBuffer]byte) }}
)

// takeSendBuffer is a buffer, and what gives it back.
func takeSendBuffer() (buffer []byte, done func()) {
	if sending.Add(1) > largeSends {
		sending.Add(-1)
		b := smallBuffers.Get().(*[smallBuffer]byte)
		return b[:], func() { smallBuffers.Put(b) }
	}
	b := sendBuffers.Get().(*[sendBuffer]byte)
	return b[:], func() { sendBuffers.Put(b); sending.Add(-1) }
}
