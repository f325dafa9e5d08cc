package bucket

import (
	"context"
	"errors"
	"strings"
	"testing"

	"alcove/record"
)

// stops checks what a failed commit does to the store of dir: every write of the batch is
// told that the outcome is unknown, OnFatal runs once, no write is taken any more, reads
// and Close still work, and a restart finds what was stored before.
func stops(t *testing.T, fail func(*DB)) {
	dir := t.TempDir()
	fatal := make(chan error, 10)
	db := openDB(t, dir, Options{OnFatal: func(err error) { fatal <- err }})
	write(t, db, putPerson(1, "before"))
	seq := db.Sequence()
	fail(db)
	large := func(tx *Tx) error {
		return Articles.Put(tx, 1, &record.Article{Working: record.Working{Metadata: record.Metadata{Description: strings.Repeat("x", 4<<20)}}})
	}
	refuse := func(tx *Tx) error { return errors.Join(putPerson(3, "never")(tx), errRefused) }
	for i, err := range together(t, db, nil, putPerson(2, "unknown"), refuse, large, func(*Tx) error { return errRefused }) {
		if !errors.Is(err, ErrStopped) {
			t.Errorf("write %d of the failed batch: %v", i, err)
		}
	}
	if err := <-fatal; !strings.HasPrefix(err.Error(), "cannot commit, the outcome is unknown: ") {
		t.Errorf("OnFatal is told: %v", err)
	}
	for range 3 {
		if err := db.Update(context.Background(), 1, putPerson(4, "late")); !errors.Is(err, ErrStopped) {
			t.Errorf("a later write: %v", err)
		}
	}
	if !db.Stopped() || db.Sequence() != seq {
		t.Errorf("stopped: %v, sequence %d after %d", db.Stopped(), db.Sequence(), seq)
	}
	hasPeople(t, db, 4, func(id int64) bool { return id == 1 })
	db.Close()
	db = openDB(t, dir, Options{})
	hasPeople(t, db, 4, func(id int64) bool { return id == 1 })
	read(t, db, (*Tx).CheckChain)
	write(t, db, putPerson(4, "again"))
	select {
	case err := <-fatal:
		t.Errorf("OnFatal is called again: %v", err)
	default:
	}
}

// The store stops when the file cannot grow and it is not known why: room was never taken for it.
func TestRefusedGrowth(t *testing.T) {
	onFile(t)
	stops(t, refuseGrowth)
}

func refuseGrowth(db *DB) { db.file.Ahead.Taken, db.file.MaxSize = 0, 1 }

// A commit may fail where OnFatal is nil.
func TestFatalWithoutListener(t *testing.T) {
	onFile(t)
	db := openDB(t, t.TempDir(), Options{})
	refuseGrowth(db)
	err := db.Update(t.Context(), 1, func(tx *Tx) error {
		return Articles.Put(tx, 1, &record.Article{Working: record.Working{Metadata: record.Metadata{Description: strings.Repeat("x", 4<<20)}}})
	})
	if !errors.Is(err, ErrStopped) || !db.Stopped() {
		t.Errorf("got %v, stopped: %v", err, db.Stopped())
	}
}
