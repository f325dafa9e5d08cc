package bolt

import (
	"context"
	"fmt"
	"io"
	"os"

	"alcove/bucket/damage"
	"go.etcd.io/bbolt"
)

// MostPinned is how many pages may be waiting for a walk to end. They make the file larger, and
// bbolt writes the list of all free pages in every commit: with 4,096, which is 16 MiB of pages,
// that takes a fraction of a millisecond, and with a million some 70 milliseconds.
const MostPinned = 1 << 12

// Examine goes through the pages of a file that is open and not used yet, before any of them is
// believed. all is false, and none was read, when they have more bytes than most.
func Examine(path string, most int64) (all bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("cannot read the database: %w", err)
	}
	defer f.Close()
	h, err := readHeads(f)
	if err != nil {
		return false, fmt.Errorf("cannot read the database: %w", err)
	}
	m, ok := h.newest()
	if !ok {
		return false, errNoMeta
	}
	if m.pages > uint64(most/m.pageSize) {
		return false, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var first *Damage
	err = walkFile(ctx, f, m, nil, nil, func(d Damage) {
		if first == nil {
			first = &d
			cancel()
		}
	})
	if first != nil {
		return false, fmt.Errorf("cannot open the database %s: %s: %w%s", path, first, damage.ErrUnusable, Restore)
	}
	return err == nil, nil
}

// walkFile goes through the pages of a file as of a meta. It fails only when its context ends.
func walkFile(ctx context.Context, from io.ReaderAt, m commitMeta, pace func(int), visit Visitor, report func(Damage)) error {
	return newStructure(ctx, from, m, pace, visit, report).walk(m)
}

func newStructure(ctx context.Context, from io.ReaderAt, m commitMeta, pace func(int), visit Visitor, report func(Damage)) *structure {
	if pace == nil {
		pace = func(int) {}
	}
	return &structure{
		file: &pageFile{from: from, size: m.pageSize, pages: m.pages, pace: pace},
		ctx:  ctx, report: report, visit: visit,
	}
}

// Walk says how Store.Walk goes.
type Walk struct {
	Thorough bool      // from the disk where the system allows it, with the pages that lead to the others
	Most     int       // how many pages may wait for it to end
	Pace     func(int) // called with the number of bytes before they are read, nil for none
	Visit    Visitor   // nil for none
	Report   func(Damage)
}

// Walk goes through all pages as the last commit left them, and tells each that is not as it was
// written, and the buckets that cannot be read. Until it returns no page that it may read is used
// again, so the file grows by what is written meanwhile: it no longer waits for Pace when some has
// been written, and ends with damage.ErrMuchWritten when it is too much.
func (s *Store) Walk(ctx context.Context, o Walk) (damagedBuckets map[string]bool, err error) {
	open := os.Open
	if o.Thorough {
		open = openDirect
	}
	f, err := open(s.Path())
	if err != nil {
		return nil, fmt.Errorf("cannot read the database: %w", err)
	}
	defer f.Close()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	pace := s.hurried(o, giveUp)
	err = s.pinned(func(h *heads, m commitMeta) error {
		for i, wrong := range h.wrong {
			switch {
			case !o.Thorough:
			case wrong != "":
				o.Report(Damage{Page: int64(i), Reason: "it leads to a commit, and " + wrong})
			case oddHead(h.raw[i], uint64(i)):
				o.Report(Damage{Page: int64(i), Reason: "it leads to a commit, and its head is wrong"})
			}
		}
		w := newStructure(ctx, f, m, pace, o.Visit, o.Report)
		err := w.walk(m)
		damagedBuckets = w.damagedBuckets
		return err
	})
	return damagedBuckets, err
}

// hurried is the pace of a walk through pages that stay as they are until it ends.
func (s *Store) hurried(o Walk, giveUp context.CancelCauseFunc) func(int) {
	read, late := 0, false
	return func(n int) {
		if read += n; read >= 256<<10 {
			read = 0
			waiting := s.Stats().PendingPageN
			if late = waiting > o.Most/4; waiting > o.Most {
				giveUp(damage.ErrMuchWritten)
			}
		}
		if !late && o.Pace != nil {
			o.Pace(n)
		}
	}
}

// pinned calls fn with the metas of the file while the pages of the newest of them stay as
// they are.
func (s *Store) pinned(fn func(*heads, commitMeta) error) error {
	f, err := os.Open(s.Path())
	if err != nil {
		return fmt.Errorf("cannot read the database: %w", err)
	}
	defer f.Close()
	const looks = 100 // between two of them others may have committed more than once
	for range looks {
		found := false
		err := s.View(func(tx *bbolt.Tx) error {
			h, err := readHeads(f)
			if err != nil {
				return fmt.Errorf("cannot read the database: %w", err)
			}
			for i, m := range h.meta {
				if h.wrong[i] == "" && m.commit == uint64(tx.ID()) {
					found = true
					return fn(h, m)
				}
			}
			return nil
		})
		if err != nil || found {
			return err
		}
	}
	return fmt.Errorf("cannot read the database: %w", errNoMeta)
}

// Size is how many bytes the file has.
func (s *Store) Size() int64 {
	info, err := os.Stat(s.Path())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Free is how many bytes of the file are in pages that nothing uses.
func (s *Store) Free() int64 {
	n := s.Stats()
	return int64(n.FreePageN+n.PendingPageN) * int64(s.Info().PageSize)
}
