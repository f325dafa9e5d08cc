package bucket

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"alcove/bucket/bolt"
)

// The types of Compact; see bolt.Compaction.
type (
	Compaction = bolt.Compaction
	Compacted  = bolt.Compacted
)

// Stages of Compact, in their order. Until the last one has begun it can be interrupted.
const (
	StageLook    = bolt.StageLook
	StageCopy    = bolt.StageCopy
	StageCompare = bolt.StageCompare
	StageReplace = bolt.StageReplace
)

// Compact writes the database of a data directory again, without its free pages and with what is
// left in order. It fails with ErrInUse when another process holds it, with ErrUnusable when
// anything in it is damaged, and with ErrNoSpace when the disk has too little room for both
// files. Then, and whenever it is interrupted, the old file is there as it was, unless it is one
// of an older program, which is prepared first, as by Open.
func Compact(ctx context.Context, dir string, o Compaction) (r Compacted, err error) {
	if err := Admit(dir); err != nil {
		return r, err
	}
	path, err := filepath.EvalSymlinks(filepath.Join(dir, FileName)) // a link to it stays one
	if err != nil {
		return r, fmt.Errorf("cannot compact the database: %w", err)
	}
	b, err := bolt.Open(path, plantNoSync)
	if err != nil {
		return r, err
	}
	defer b.Close()
	if _, err := bolt.Examine(path, openPatience); err != nil {
		return r, err
	}
	if err := (&DB{kv: b, clock: time.Now}).prepareGuarded(dir, ""); err != nil {
		return r, err
	}
	o.Check = checkContents
	return b.Compact(ctx, o)
}

// checkContents sees all that stands in a file, and says what of it is damaged or missing.
func checkContents() (bolt.Visitor, func() error) {
	var damaged *Finding
	s := newChecksumWalk(func(f Finding) {
		if damaged == nil {
			damaged = &f
		}
	})
	return s.visit, func() error {
		if damaged == nil {
			s.end(map[string]bool{})
		}
		if damaged == nil {
			return nil
		}
		return found{*damaged}
	}
}

// found is what is damaged in a file, as an error.
type found struct{ Finding }

func (f found) Error() string {
	if f.Key != nil {
		return fmt.Sprintf("%s %s of %s: %s", f.Of, f.KeyText(), f.Table(), f.Reason)
	}
	return f.Finding.String()
}

// largeFile is the size from which on a file is worth a look: the lists of free pages of smaller
// ones cost a commit less than half a millisecond.
const largeFile = 64 << 20

// Free is how many bytes of the file are in pages that nothing uses, and how many it has.
func (db *DB) Free() (free, size int64) {
	if db.file == nil {
		return 0, 0
	}
	return db.file.Free(), db.FileSize()
}

// WorthCompacting reports whether more than half of a large file is free.
func (db *DB) WorthCompacting() bool {
	free, size := db.Free()
	return size >= largeFile && free > size/2
}
