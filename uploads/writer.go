package uploads

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"time"
)

// castagnoli is the polynomial of CRC-32C, which processors compute faster than memory is read.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// bufferSize is the size of the buffer between a body and the disk.
const bufferSize = 256 << 10

// writebackStep is how many bytes of a part go to the disk while the next ones arrive.
const writebackStep = 2 << 20

var buffers = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// BodyError is an error of the body that a part was read from, so of the client or its connection
// and not of the disk. Err is what the body returned.
type BodyError struct{ Err error }

func (e *BodyError) Error() string { return "cannot read body: " + e.Err.Error() }

// Unwrap returns the body's own error.
func (e *BodyError) Unwrap() error { return e.Err }

// Writer holds the lock of one part. It belongs to one goroutine, which ends with Release.
type Writer struct {
	staging *Staging
	token   string
	part    Part
	held    *lock // nil once released
}

// Begin locks part n of an upload. It fails with ErrLocked while the part is being written or the
// whole upload is held, with ErrRemoved while the upload is going away, with ErrNoSuchPart or
// ErrBadToken. It touches no file, and does not know whether the upload exists: the caller looks
// that up next, and clears the part's record, before it calls WriteFrom.
func (s *Staging) Begin(token string, layout Layout, n int) (*Writer, error) {
	part, ok := layout.Part(n)
	if !ok {
		return nil, ErrNoSuchPart
	}
	l, err := s.take(token, n)
	if err != nil {
		return nil, err
	}
	return &Writer{staging: s, token: token, part: part, held: l}, nil
}

// Part returns the part that is locked.
func (w *Writer) Part() Part { return w.part }

// Release unlocks the part. It may be called again, to no effect. The error is that of deleting
// the file of an upload that was removed meanwhile; the caller may ignore it, as Walk finds such
// files.
func (w *Writer) Release() error {
	if w.held == nil {
		return nil
	}
	l := w.held
	w.held = nil
	return w.staging.give(w.token, l, w.part.No)
}

// WriteFrom reads exactly the part's length from body, writes it at the part's offset, and returns
// its CRC-32C once the bytes are on the disk, and so is the name of the file if this is its first
// byte. It writes nothing outside the part, and takes 256 KiB of memory.
//
// A body that ends early gives ErrShort, one that goes on gives ErrLong after one byte too many
// was read, one that fails gives a *BodyError. An upload that is removed meanwhile gives
// ErrRemoved, and a context that ends gives its cause. WriteFrom looks at both between two
// reads, so it is the body's deadline that ends the wait for a silent client, which meanwhile
// keeps the part locked, also against its own second try. Everything else is the disk: see
// IsNoSpace. After any error the part's bytes are undefined, those of other parts are as before.
func (w *Writer) WriteFrom(ctx context.Context, body io.Reader) (crc uint32, err error) {
	if w.held == nil {
		return 0, errors.New("cannot write part: its lock was released")
	}
	buf := buffers.Get().(*[bufferSize]byte)
	defer buffers.Put(buf)
	var f *os.File
	defer func() {
		if f != nil {
			f.Close() // Nothing is lost if it fails: what counts was synced before.
		}
	}()

	sent := w.part.Start // to the disk
	for at := w.part.Start; at <= w.part.End; {
		n, bodyErr := fill(body, buf[:min(bufferSize, w.part.End+1-at)])
		if w.staging.isRemoved(w.held) {
			return 0, ErrRemoved
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		if n > 0 {
			if f == nil {
				if f, err = w.staging.create(w.token); err != nil {
					return 0, fmt.Errorf("cannot write part %d: %w", w.part.No, err)
				}
			}
			if _, err := f.WriteAt(buf[:n], at); err != nil {
				return 0, fmt.Errorf("cannot write part %d: %w", w.part.No, bare(err))
			}
			crc = crc32.Update(crc, castagnoli, buf[:n])
			at += int64(n)
			if at-sent >= writebackStep && !plantNoBlobSync {
				early(f, sent, at-sent)
				sent = at
			}
		}
		if bodyErr == io.EOF {
			return 0, fmt.Errorf("%w: %d of %d bytes", ErrShort, at-w.part.Start, w.part.Len())
		}
		if bodyErr != nil {
			return 0, &BodyError{bodyErr}
		}
	}
	switch n, bodyErr := fill(body, buf[:1]); {
	case n > 0:
		return 0, ErrLong
	case bodyErr != io.EOF:
		return 0, &BodyError{bodyErr}
	}
	if plantNoBlobSync {
		return crc, nil
	}
	began := time.Now()
	if err := datasync(f); err != nil {
		return 0, fmt.Errorf("cannot sync part %d: %w", w.part.No, bare(err))
	}
	w.staging.syncs.Since(began)
	return crc, nil
}

// fill reads until p is full, with no error, or until the body gives one, io.EOF included. Unlike
// io.ReadFull it keeps the body's own io.ErrUnexpectedEOF, a broken connection, apart from its end.
func fill(body io.Reader, p []byte) (n int, err error) {
	for empty := 0; n < len(p); {
		m, err := body.Read(p[n:])
		if n += m; n == len(p) {
			break
		}
		if err != nil {
			return n, err
		}
		if m > 0 {
			empty = 0
		} else if empty++; empty == 100 {
			return n, io.ErrNoProgress
		}
	}
	return n, nil
}
