package bucket

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"alcove/record"
)

// Transactions of readers are used again, but never beyond a commit: who begins to read
// after a write was acknowledged sees it, and one that reads meanwhile sees what it saw.
func TestReadersSeeCommits(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	ctx := context.Background()
	put := func(n int64) {
		t.Helper()
		if err := db.Update(ctx, 0, func(tx *Tx) error { return People.Put(tx, 1, &record.Person{ID: n}) }); err != nil {
			t.Fatal(err)
		}
	}
	put(0)
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for last := int64(0); ; {
				select {
				case <-stop:
					return
				default:
				}
				err := db.View(func(tx *Tx) error {
					first, err := People.Get(tx, 1)
					if err != nil {
						return err
					}
					again, err := People.Get(tx, 1)
					if err == nil && (first.ID < last || again.ID != first.ID) {
						t.Errorf("after %d somebody reads %d, and then %d", last, first.ID, again.ID)
					}
					last = first.ID
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for n := int64(1); n <= 300; n++ {
		put(n)
		err := db.View(func(tx *Tx) error {
			got, err := People.Get(tx, 1)
			if err == nil && got.ID != n {
				t.Errorf("after %d was stored, there is %d", n, got.ID)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	readers.Wait()
}

// A transaction waits for the next reader, unless something went wrong in it; its clock is
// that of who uses it.
func TestReadersWait(t *testing.T) {
	onFile(t)
	db := openDB(t, t.TempDir(), Options{})
	wait := func() int {
		db.readers.mu.Lock()
		defer db.readers.mu.Unlock()
		return len(db.readers.idle)
	}
	db.readers.close()
	db.readers.open()
	var first *Tx
	old := time.Date(2001, 2, 3, 0, 0, 0, 0, time.UTC)
	if err := db.View(func(tx *Tx) error { first, tx.at, tx.clock = tx, old, old; return nil }); err != nil || wait() != 1 {
		t.Fatalf("%d wait (%v), want 1", wait(), err)
	}
	if err := db.View(func(tx *Tx) error {
		if tx != first || tx.Now().Equal(old) || tx.Clock().Equal(old) {
			t.Error("the second reader has another transaction, or the time of the first")
		}
		return db.View(func(other *Tx) error { // within the first
			if other == tx {
				t.Error("two have the same transaction")
			}
			return nil
		})
	}); err != nil || wait() != 2 {
		t.Errorf("%d wait (%v), want 2", wait(), err)
	}
	if err := db.View(func(*Tx) error { return ErrNotFound }); !errors.Is(err, ErrNotFound) || wait() != 1 {
		t.Errorf("after an error %d wait (%v), want 1", wait(), err)
	}
	func() {
		defer func() { recover() }()
		_ = db.View(func(*Tx) error { panic("a reader") })
	}()
	if wait() != 0 {
		t.Errorf("after a panic %d wait, want 0", wait())
	}
	if err := db.View(func(tx *Tx) error {
		return db.Update(context.Background(), 0, func(tx *Tx) error { return People.Put(tx, 1, &record.Person{}) })
	}); err != nil || wait() != 0 {
		t.Errorf("what began before a commit waits: %d do (%v)", wait(), err)
	}
	if err := db.View(func(*Tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if n := db.file.Stats().OpenTxN; n != wait() || n != 1 {
		t.Errorf("%d transactions are open, %d wait, want 1", n, wait())
	}
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }() // ends when Close does
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("a transaction that waits keeps the store from closing")
	}
}
