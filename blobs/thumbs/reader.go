package thumbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

var errSlow = errors.New("reading it takes too long")

// reader is a source of which a decoder gets so many bytes and so much time. Decoders spend their
// time between reads on what they have read, which is bounded too.
type reader struct {
	src   Source
	ctx   context.Context
	left  int64     // bytes that may still be read
	until time.Time // when reading ends
	fault error     // why the source could not be read, which says nothing of the picture
	over  bool      // a bound was met
}

func (r *reader) Read(p []byte) (int, error) {
	return r.take(p, func(p []byte) (int, error) { return r.src.Read(p) })
}

func (r *reader) ReadAt(p []byte, at int64) (int, error) {
	return r.take(p, func(p []byte) (int, error) { return r.src.ReadAt(p, at) })
}

func (r *reader) take(p []byte, read func([]byte) (int, error)) (int, error) {
	switch {
	case r.ctx.Err() != nil:
		r.fault = context.Cause(r.ctx)
		return 0, r.fault
	case int64(len(p)) > r.left, time.Now().After(r.until):
		r.over = true
		return 0, errSlow
	}
	n, err := read(p)
	r.left -= int64(n)
	if err != nil && err != io.EOF {
		r.fault = err
	}
	return n, err
}

func (r *reader) Seek(at int64, whence int) (int64, error) {
	n, err := r.src.Seek(at, whence)
	if err != nil {
		r.fault = err
	}
	return n, err
}

// verdict tells what an error of a decoder means.
func (r *reader) verdict(err error) error {
	switch {
	case r.fault != nil:
		return fmt.Errorf("cannot make a thumbnail: %w", r.fault)
	case r.over:
		return fmt.Errorf("%w: %v", ErrTooLarge, errSlow)
	case errors.Is(err, ErrNoPicture), errors.Is(err, ErrTooLarge):
		return err
	}
	return fmt.Errorf("%w: %v", ErrNoPicture, err)
}
