package bucket

import (
	"context"
	"sync"
	"testing"

	"alcove/record"
)

// A reader that begins after a write was acknowledged sees it, and one that reads meanwhile goes on
// seeing what it saw.
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
						t.Errorf("after %d a reader sees %d, and then %d", last, first.ID, again.ID)
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
