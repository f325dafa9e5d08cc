package bucket

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"alcove/bucket/kv"
	"alcove/record"
)

// together runs writes in one batch, in order, and returns their errors: the writer is
// held up until all of them wait in the queue.
func together(t *testing.T, db *DB, ctxs map[int]context.Context, fns ...func(*Tx) error) []error {
	t.Helper()
	started, release := make(chan struct{}), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		db.Update(Frees(context.Background()), 0, func(*Tx) error { close(started); <-release; return nil })
	})
	<-started
	errs := make([]error, len(fns))
	for i, fn := range fns {
		ctx := ctxs[i]
		if ctx == nil {
			ctx = context.Background()
		}
		done.Go(func() { errs[i] = db.Update(ctx, int64(i), fn) })
		for len(db.queue) <= i {
			runtime.Gosched()
		}
	}
	close(release)
	done.Wait()
	return errs
}

// commits is the number of transactions that were ever committed to the file.
func commits(t *testing.T, db *DB) (n int) {
	t.Helper()
	if err := kv.View(db.kv, func(tx kv.Tx) error { n = int(tx.Position()); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Every write of many goroutines is there when its Update has returned.
func TestConcurrentWrites(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	var done sync.WaitGroup
	const writers, each = 32, 10
	for w := range int64(writers) {
		done.Go(func() {
			for i := range int64(each) {
				id := w*each + i + 1
				before := db.Sequence()
				if err := db.Update(context.Background(), w, putPerson(id, fmt.Sprint(w))); err != nil {
					t.Error(err)
					return
				}
				if db.Sequence() <= before {
					t.Errorf("the sequence stays at %d after a write", before)
				}
				err := db.View(func(tx *Tx) error {
					p, err := People.Get(tx, id)
					if err == nil && p.FullName != fmt.Sprint(w) {
						err = fmt.Errorf("the record is %+v", p)
					}
					return err
				})
				if err != nil {
					t.Errorf("person %d after its write: %v", id, err)
				}
			}
		})
	}
	done.Wait()
	read(t, db, func(tx *Tx) error {
		actors := map[int64]int{}
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			actors[c.Actor]++
			if (c.ID()-1)/each != c.Actor {
				t.Errorf("the log says that %d wrote person %d", c.Actor, c.ID())
			}
		}
		for w := range int64(writers) {
			if actors[w] != each {
				t.Errorf("the log has %d writes of %d, want %d", actors[w], w, each)
			}
		}
		return tx.CheckChain()
	})
}

// Writes that wait while a commit is under way share the next one.
func TestGroupCommit(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	before := commits(t, db)
	fns := make([]func(*Tx) error, maxBatch)
	for i := range fns {
		fns[i] = putPerson(int64(i+1), "P")
	}
	for i, err := range together(t, db, nil, fns...) {
		if err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if n := commits(t, db) - before; n != 1 {
		t.Errorf("%d writes took %d commits", len(fns), n)
	}
	hasPeople(t, db, maxBatch+1, func(id int64) bool { return id <= maxBatch })
}

// A write that fails after it has written leaves nothing, in the tables, the indexes or
// the log, and the others of its batch are stored once.
func TestFailedWritesInBatch(t *testing.T) {
	for _, failing := range []int{1, 2, maxReruns + 1, 3 * maxReruns} {
		t.Run(fmt.Sprint(failing), func(t *testing.T) {
			db := openDB(t, t.TempDir(), Options{})
			var fns []func(*Tx) error
			n := int64(2*failing + 1)
			for id := int64(1); id <= n; id++ {
				fns = append(fns, func(tx *Tx) error {
					if err := Accounts.Put(tx, id, &record.Account{Email: fmt.Sprint(id)}); err != nil {
						return err
					}
					if err := putPerson(id, "P")(tx); err != nil || id%2 == 1 {
						return err
					}
					return fmt.Errorf("%w: %d", errRefused, id)
				})
			}
			model := map[int64]record.Account{}
			for i, err := range together(t, db, nil, fns...) {
				id := int64(i + 1)
				if id%2 == 1 {
					model[id] = record.Account{Email: fmt.Sprint(id)}
				}
				if id%2 == 1 && err != nil || id%2 == 0 && (!errors.Is(err, errRefused) || !strings.HasSuffix(err.Error(), fmt.Sprint(" ", id))) {
					t.Errorf("write %d: %v", id, err)
				}
			}
			hasPeople(t, db, n, func(id int64) bool { return id%2 == 1 })
			read(t, db, func(tx *Tx) error {
				seq := 0
				for c, err := range tx.Changes(0) {
					if seq++; err != nil || c.ID()%2 == 0 {
						t.Errorf("the log has %+v, %v", c, err)
					}
				}
				if want := 2 * len(model); seq != want {
					t.Errorf("the log has %d changes, want %d", seq, want)
				}
				return errors.Join(checkTable(tx, Accounts, model), tx.CheckChain())
			})
		})
	}
}

// Panics and refusals are answers to their own callers only.
func TestPanicsAndRefusalsInBatch(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	cancelled, cancel := context.WithCancel(context.Background())
	ran := false
	errs := together(t, db, map[int]context.Context{5: cancelled},
		putPerson(1, "P"),
		func(tx *Tx) error { putPerson(2, "P")(tx); panic("after writing") },
		func(tx *Tx) error { return any(tx).(error) }, // a panic of the run time
		func(tx *Tx) error { // a refusal because of what another write of the batch did
			if People.Has(tx, 1) {
				return errRefused
			}
			return nil
		},
		func(*Tx) error { cancel(); return nil },
		func(tx *Tx) error { ran = true; return putPerson(6, "P")(tx) },
		putPerson(7, "P"),
	)
	if errs[0] != nil || errs[4] != nil || errs[6] != nil {
		t.Errorf("the sound writes: %v, %v, %v", errs[0], errs[4], errs[6])
	}
	for _, i := range []int{1, 2} {
		if errs[i] == nil || !strings.HasPrefix(errs[i].Error(), "cannot finish a write: panic: ") {
			t.Errorf("panic %d: %v", i, errs[i])
		}
	}
	if !errors.Is(errs[3], errRefused) {
		t.Errorf("refusal: %v", errs[3])
	}
	if !errors.Is(errs[5], context.Canceled) || ran {
		t.Errorf("cancelled while it waited: %v, run: %v", errs[5], ran)
	}
	hasPeople(t, db, 8, func(id int64) bool { return id == 1 || id == 7 })
	write(t, db, putPerson(8, "P"))
}

// A write whose caller goes away while it runs is stored all the same, and one whose
// caller is gone before is not.
func TestCancelledWrites(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	if err := db.Update(ctx, 1, func(tx *Tx) error { cancel(); return putPerson(1, "P")(tx) }); err != nil {
		t.Errorf("cancelled while it ran: %v", err)
	}
	for range 20 { // the queue and the context are ready at once: either way it must not run
		if err := db.Update(ctx, 1, putPerson(2, "P")); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: %v", err)
		}
	}
	hasPeople(t, db, 2, func(id int64) bool { return id == 1 })
}

// A full queue holds callers up, but not longer than their context or the store lives,
// and Close waits for all that is in it.
func TestFullQueue(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	started, release := make(chan struct{}), make(chan struct{})
	go db.Update(context.Background(), 0, func(*Tx) error { close(started); <-release; return nil })
	<-started
	waiting := make([]*op, cap(db.queue))
	for i := range waiting {
		waiting[i] = &op{ctx: context.Background(), fn: putPerson(int64(i+2), "P"), done: make(chan error, 1)}
		db.queue <- waiting[i]
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Update(ctx, 1, putPerson(1, "P")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled at a full queue: %v", err)
	}
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	<-db.closing
	if err := db.Update(t.Context(), 1, putPerson(1, "P")); !errors.Is(err, ErrStopped) {
		t.Errorf("at a full queue of a store that closes: %v", err)
	}
	close(release)
	if err := <-closed; err != nil {
		t.Error(err)
	}
	for i, o := range waiting {
		select {
		case err := <-o.done:
			if err != nil {
				t.Errorf("write %d of the queue: %v", i, err)
			}
		default:
			t.Fatalf("write %d of the queue has no answer", i)
		}
	}
}

// Close while others write: what was answered with success is there after a restart,
// what was answered with ErrStopped is not, and there is no other answer.
func TestCloseWhileWriting(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	const writers, each = 16, 200
	stored := make([]bool, writers*each+1)
	var done sync.WaitGroup
	enough := make(chan struct{}, writers*each)
	for w := range writers {
		done.Go(func() {
			for i := range each {
				id := w*each + i + 1
				err := db.Update(context.Background(), 1, putPerson(int64(id), "P"))
				if stored[id] = err == nil; err != nil && !errors.Is(err, ErrStopped) {
					t.Errorf("write %d: %v", id, err)
				}
				enough <- struct{}{}
			}
		})
	}
	for range 3 * writers {
		<-enough
	}
	closeDB(t, db)
	done.Wait()
	if err := db.Update(t.Context(), 1, putPerson(1, "P")); !errors.Is(err, ErrStopped) {
		t.Errorf("Update after Close: %v", err)
	}
	if err := db.View(func(*Tx) error { return nil }); err == nil {
		t.Error("View after Close succeeds")
	}
	closeDB(t, db) // a second time
	db = openDB(t, dir, Options{})
	hasPeople(t, db, writers*each, func(id int64) bool { return stored[id] })
	read(t, db, (*Tx).CheckChain)
}

// TestPosition checks that the position ascends with each commit and with nothing else, and that
// it is the store's own: another start goes on from it.
func TestPosition(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	last := db.Position()
	moved := func(what string, want bool, err error) {
		t.Helper()
		now := db.Position()
		if now < last || (now > last) != want {
			t.Errorf("%s (%v): position %d after %d", what, err, now, last)
		}
		last = now
	}
	moved("a read", false, db.View(func(tx *Tx) error { return nil }))
	moved("a write of nothing", false, db.Update(t.Context(), 1, func(tx *Tx) error { return nil }))
	moved("a refusal", false, db.Update(t.Context(), 1, func(tx *Tx) error { tx.touch(); return ErrNotFound }))
	moved("a number", true, db.Update(t.Context(), 1, func(tx *Tx) error { _, err := Articles.NextID(tx); return err }))
	moved("a record", true, db.Update(t.Context(), 1, func(tx *Tx) error {
		return Parts.Put(tx, Pair{1, 1}, &record.Part{})
	}))
	db.Close()
	db = openDB(t, dir, Options{})
	moved("another start", false, nil)
}
