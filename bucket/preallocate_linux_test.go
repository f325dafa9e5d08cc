package bucket

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"

	"alcove/bucket/bolt"
	"alcove/bucket/kv"

	"go.etcd.io/bbolt"
)

// disk stands for a file system that fills up.
type disk struct {
	full, readOnly atomic.Bool
}

// fill puts a store on a disk. Taking room fails on it as it does on the real one when it is full.
func (d *disk) fill(db *DB) {
	take := db.file.Ahead.Take
	db.file.Ahead.Floor = 1000
	db.file.Ahead.Look = func(*os.File) (bolt.Space, error) {
		s := bolt.Space{Free: 1 << 40, ReadOnly: d.readOnly.Load()}
		if d.full.Load() {
			s.Free = 999
		}
		return s, nil
	}
	db.file.Ahead.Take = func(f *os.File, from, to int64) error {
		if d.full.Load() {
			return &os.PathError{Op: "fallocate", Path: f.Name(), Err: syscall.ENOSPC}
		}
		return take(f, from, to)
	}
}

// large is a write that needs some MiB of the file.
func large(id int64, mib int) func(*Tx) error { return bulky(id, mib<<20) }

// bulky is a write that needs some bytes of the file.
func bulky(id int64, n int) func(*Tx) error {
	return func(tx *Tx) error {
		tx.touch()
		b, err := tx.kv.Create("large")
		if err != nil {
			return err
		}
		return b.Put(intKeys.enc(id), make([]byte, n))
	}
}

// K07: on a full disk ordinary writes are refused before they begin, what gives space back goes
// on, as do reads, and no commit ever meets the full disk. Once there is space again writes go on
// by themselves.
func TestFullDisk(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	fatal := make(chan error, 1)
	db := openDB(t, dir, Options{OnFatal: func(err error) { fatal <- err }})
	d := &disk{}
	d.fill(db)
	const people = 500
	there := map[int64]bool{}
	restore := func(from, to int64) {
		t.Helper()
		write(t, db, func(tx *Tx) error {
			for id := from; id <= to; id++ {
				if there[id] = true; People.Has(tx, id) {
					continue
				}
				if err := putPerson(id, strings.Repeat("P", 200))(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	remove := func(id int64) func(*Tx) error {
		return func(tx *Tx) error { return People.Delete(tx, id) }
	}
	restore(1, people)
	for round := range 2 {
		mib := 4 * int(db.file.Ahead.Step>>20)
		d.full.Store(true)
		for id := int64(1); id <= 60; id++ {
			if err := db.Update(t.Context(), 1, putPerson(people+id, "P")); !errors.Is(err, kv.ErrNoSpace) {
				t.Fatalf("an ordinary write: %v", err)
			}
			if err := db.Update(Frees(t.Context()), 1, remove(id)); err != nil {
				t.Fatalf("deletion %d on a full disk: %v", id, err)
			}
			there[id] = false
		}
		if round == 0 {
			// More than the room that was taken: refused, without stopping the store, and the
			// others of its batch are made.
			low := Frees(t.Context())
			errs := together(t, db, map[int]context.Context{0: low, 1: low, 2: low, 3: t.Context()},
				remove(61), large(2, mib), remove(62), putPerson(9000, "P"))
			if errs[0] != nil || !errors.Is(errs[1], kv.ErrNoSpace) || errs[2] != nil || !errors.Is(errs[3], kv.ErrNoSpace) {
				t.Fatalf("a batch on a full disk: %v", errs)
			}
			there[61], there[62] = false, false
			if err := db.Update(low, 1, large(2, mib)); !errors.Is(err, kv.ErrNoSpace) || db.Stopped() {
				t.Fatalf("a large write on a full disk: %v, stopped: %v", err, db.Stopped())
			}
		}
		hasPeople(t, db, people+400, func(id int64) bool { return there[id] })
		d.full.Store(false)
		write(t, db, large(10, 8))
		restore(1, 62)
	}
	read(t, db, (*Tx).CheckChain)
	checkPages(t, db)
	closeDB(t, db)
	select {
	case err := <-fatal:
		t.Fatal(err)
	default:
	}
	db = openDB(t, dir, Options{})
	read(t, db, (*Tx).CheckChain)
	checkPages(t, db)
}

// checkPages has bbolt check every page of its file.
func checkPages(t *testing.T, db *DB) {
	t.Helper()
	err := db.file.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			t.Error(err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A file system that became one for reading refuses writes until it can be written again.
func TestReadOnly(t *testing.T) {
	onFile(t)
	db := openDB(t, t.TempDir(), Options{})
	d := &disk{}
	d.fill(db)
	write(t, db, putPerson(1, "P"))
	d.readOnly.Store(true)
	for _, ctx := range []context.Context{t.Context(), Frees(t.Context())} {
		if err := db.Update(ctx, 1, putPerson(2, "P")); !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("a write: %v", err)
		}
	}
	hasPeople(t, db, 2, func(id int64) bool { return id == 1 })
	d.readOnly.Store(false)
	write(t, db, putPerson(2, "P"))
	if out := db.uncommitted(fmt.Errorf("cannot: %w", kv.ErrReadOnly)); out != barred || db.Stopped() {
		t.Errorf("a commit that was refused before it counted: %v", out)
	}
	if out := db.uncommitted(fmt.Errorf("cannot: %w", syscall.EIO)); out != stopped || !db.Stopped() {
		t.Errorf("a commit that failed: %v", out)
	}
}

// Room is taken ahead, so that the file has blocks for more than what is in it.
func TestRoomAhead(t *testing.T) {
	onFile(t)
	db := openDB(t, t.TempDir(), Options{})
	for id := range int64(100) {
		write(t, db, bulky(id+1, 200<<10))
		info, err := db.file.Ahead.File.Stat()
		if err != nil {
			t.Fatal(err)
		}
		n, err := db.file.Used()
		if err != nil {
			t.Fatal(err)
		}
		if db.file.Ahead.Taken > 0 && db.file.Ahead.Taken-n < 1<<20 {
			t.Fatalf("of %d bytes %d are in use: too little is left for deletions on a full disk", db.file.Ahead.Taken, n)
		}
		if db.file.Ahead.Step != bolt.PreallocStep {
			t.Fatalf("a commit found too little room: %d bytes are taken ahead now", db.file.Ahead.Step)
		}
		blocks := info.Sys().(*syscall.Stat_t).Blocks * 512
		if db.file.Ahead.Taken > 0 && (blocks < db.file.Ahead.Taken || info.Size() < db.file.Ahead.Taken || db.file.Ahead.Taken < n) {
			t.Fatalf("the file has %d bytes and %d on the disk; %d are in use and %d were taken", info.Size(), blocks, n, db.file.Ahead.Taken)
		}
	}
	checkPages(t, db)
}

// K18: while the disk stands still reads go on, and of the writes only as many wait as the queue
// holds; the others are refused.
func TestSlowDisk(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		db, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		release := make(chan struct{})
		standing := make(chan error)
		go func() {
			standing <- db.Update(context.Background(), 0, func(tx *Tx) error { <-release; return putPerson(1, "P")(tx) })
		}()
		synctest.Wait()
		made := make(chan error)
		const more = 50
		for n := range cap(db.queue) + more {
			go func() { made <- db.Update(context.Background(), 0, putPerson(int64(n+2), "P")) }()
		}
		for range more {
			if err := <-made; !errors.Is(err, ErrBusy) {
				t.Errorf("beyond the queue: %v", err)
			}
		}
		hasPeople(t, db, 10, func(int64) bool { return false })
		close(release)
		if err := <-standing; err != nil {
			t.Error(err)
		}
		for range cap(db.queue) {
			if err := <-made; err != nil {
				t.Error(err)
			}
		}
		closeDB(t, db)
	})
}
