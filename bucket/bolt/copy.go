package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"alcove/bucket/kv"
)

// CopyTo writes the file to w as a transaction of the store sees it. The pages are read from the
// file, not through the map, a MiB at a time.
func (s *Store) CopyTo(ctx context.Context, t kv.Tx, w io.Writer) error {
	to := &pages{ctx: ctx, w: w}
	_, err := t.(*tx).WriteTo(to)
	return cmp.Or(to.err, err) // bbolt passes on no more than its text
}

// pages passes on what is written, in large pieces, until the context ends. First come
// the two pages that lead to all others, each in one piece.
type pages struct {
	ctx   context.Context
	w     io.Writer
	first []byte // of the two
	begun bool   // both were passed on
	err   error  // why it could not
}

func (p *pages) Write(b []byte) (n int, err error) {
	switch err = context.Cause(p.ctx); {
	case err != nil:
	case p.begun:
		n, err = p.w.Write(b)
	case p.first == nil:
		n, p.first = len(b), bytes.Clone(b)
	default:
		p.begun, n = true, len(b)
		second := bytes.Clone(b)
		inPlace(p.first, second)
		_, err = p.w.Write(append(p.first, second...))
	}
	p.err = cmp.Or(p.err, err)
	return n, err
}

// inPlace puts the metas of the last two commits where bbolt itself puts them, by the number of
// the commit. Its copies always have the newer one first.
func inPlace(first, second []byte) {
	if m, _ := parseCommit(first, 0); m.commit%2 == 0 || len(first) != len(second) {
		return
	}
	a, b := first[pageHead:pageHead+metaSize], second[pageHead:pageHead+metaSize]
	for i := range a {
		a[i], b[i] = b[i], a[i]
	}
}

func (p *pages) ReadFrom(r io.Reader) (n int64, err error) {
	piece := make([]byte, 1<<20)
	for {
		got, err := r.Read(piece)
		if got > 0 {
			if _, err := p.Write(piece[:got]); err != nil {
				return n, err
			}
			n += int64(got)
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
