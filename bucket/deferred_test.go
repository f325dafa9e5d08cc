package bucket

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"alcove/record"
)

// A document that is rendered beside the writer is there with the commit, and for reads
// in the same transaction, in the order of the writes.
func TestDocsLater(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	doc := func(text string) func() (Doc, error) {
		return func() (Doc, error) { return Doc{Settings: 1, List: []byte(text), Full: []byte(text)}, nil }
	}
	text := func(tx *Tx, key Pair) string {
		got, err := ArticleDocs.Get(tx, key)
		if err != nil {
			return err.Error()
		}
		return string(got.Full)
	}
	write(t, db, func(tx *Tx) error {
		for id := range int64(50) {
			if err := ArticleDocs.PutDeferred(tx, Pair{id, 1}, doc(fmt.Sprint("document ", id))); err != nil {
				return err
			}
		}
		if got := text(tx, Pair{7, 1}); got != "document 7" {
			t.Errorf("inside: %s", got)
		}
		return errors.Join(
			ArticleDocs.PutDeferred(tx, Pair{8, 1}, doc("first")), ArticleDocs.Put(tx, Pair{8, 1}, Doc{Full: []byte("second")}),
			ArticleDocs.Put(tx, Pair{9, 1}, Doc{Full: []byte("first")}), ArticleDocs.PutDeferred(tx, Pair{9, 1}, doc("second")),
			ArticleDocs.PutDeferred(tx, Pair{10, 1}, doc("first")), ArticleDocs.Delete(tx, Pair{10, 1}))
	})
	read(t, db, func(tx *Tx) error {
		for id, want := range map[int64]string{0: "document 0", 49: "document 49", 8: "second", 9: "second", 10: ErrNotFound.Error()} {
			if got := text(tx, Pair{id, 1}); got != want {
				t.Errorf("document %d is %q, want %q", id, got, want)
			}
		}
		return nil
	})
}

// A document that cannot be rendered undoes its own write and no other of the commit.
func TestDocsLaterFails(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	bad := errors.New("cannot be rendered")
	makes := map[int64]func() (Doc, error){
		1: func() (Doc, error) { return Doc{Full: []byte("one")}, nil },
		2: func() (Doc, error) { return Doc{}, bad },
		3: func() (Doc, error) { panic("no document") },
		4: func() (Doc, error) { return Doc{Full: []byte("four")}, nil },
	}
	failed := map[int64]error{}
	var ops []*op
	for id := int64(1); id <= 4; id++ {
		ops = append(ops, &op{ctx: context.Background(), done: make(chan error, 1), fn: func(tx *Tx) error {
			p := &record.Person{ID: id, FullName: fmt.Sprint("Person ", id)}
			return errors.Join(People.Put(tx, id, p), ArticleDocs.PutDeferred(tx, Pair{id, 1}, makes[id]))
		}})
	}
	batched(t, db, ops)
	for i, o := range ops {
		failed[int64(i+1)] = <-o.done
	}
	if failed[1] != nil || failed[4] != nil || !errors.Is(failed[2], bad) || failed[3] == nil {
		t.Errorf("the writes end with %v", failed)
	}
	read(t, db, func(tx *Tx) error {
		for id := int64(1); id <= 4; id++ {
			_, err := ArticleDocs.Get(tx, Pair{id, 1})
			if want, there := id == 1 || id == 4, People.Has(tx, id); there != want || (err == nil) != want {
				t.Errorf("after write %d: document %v, person %v", id, err, there)
			}
		}
		return nil
	})
}

// batched lets the writer take writes into one commit, by keeping it busy until all wait.
func batched(t *testing.T, db *DB, ops []*op) {
	t.Helper()
	busy, free := make(chan struct{}), make(chan struct{})
	go db.Update(context.Background(), 0, func(*Tx) error {
		close(busy)
		<-free
		return nil
	})
	<-busy
	for _, o := range ops {
		db.queue <- o
	}
	close(free)
}
