package bucket

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"alcove/bucket/kv"
	"alcove/record"
)

// Entries that are put in the order of their keys are those that come of putting each at once,
// whatever is asked of the indexes in between.
func TestWaitingEntries(t *testing.T) {
	for seed := range uint64(12) {
		waited, at := openDB(t, t.TempDir(), Options{}), openDB(t, t.TempDir(), Options{})
		r := rand.New(rand.NewPCG(seed, 1))
		for range 10 {
			var steps []func(tx *Tx) error
			for range 1 + r.IntN(40) {
				steps = append(steps, fileStep(r))
			}
			all := func(tx *Tx) error {
				for _, s := range steps {
					if err := s(tx); err != nil {
						return err
					}
				}
				return nil
			}
			write(t, waited, all)
			err := kv.Update(at.kv, func(b kv.Tx) error { return all(&Tx{kv: b, db: at, writable: true}) })
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, want := fileEntries(t, waited), fileEntries(t, at); got != want {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
	}
}

// fileStep changes a file, deletes one, or asks an index, which tells what is stored.
func fileStep(r *rand.Rand) func(tx *Tx) error {
	id, what := int64(1+r.IntN(12)), r.IntN(10)
	f := &record.File{ID: id, ArticleID: int64(r.IntN(3)), Size: int64(r.IntN(100)), Added: r.IntN(2), Token: fmt.Sprint("token", r.IntN(5))}
	return func(tx *Tx) error {
		switch {
		case what < 6:
			return Files.Put(tx, id, f)
		case what < 8:
			if err := Files.Delete(tx, id); !errors.Is(err, ErrNotFound) {
				return err
			}
			return nil
		}
		for article := range int64(3) {
			var listed, stored []int64
			for hit := range FilesByArticle.Ascending(tx, SortKey(article)) {
				listed = append(listed, hit.Key)
			}
			for row, err := range Files.All(tx, nil) {
				if err != nil {
					return err
				}
				if row.Record.ArticleID == article {
					stored = append(stored, row.Key)
				}
			}
			if fmt.Sprint(listed) != fmt.Sprint(stored) {
				return fmt.Errorf("article %d has the files %v in the index and %v in the table", article, listed, stored)
			}
		}
		return nil
	}
}

// fileEntries are all entries of the indexes of files.
func fileEntries(t *testing.T, db *DB) string {
	t.Helper()
	var text strings.Builder
	read(t, db, func(tx *Tx) error {
		for _, name := range tx.kv.Buckets() {
			if !strings.HasPrefix(name, "i:files.") {
				continue
			}
			for k, v := range tx.kv.Bucket(name).Ascend(nil) {
				fmt.Fprintf(&text, "%s %x %x\n", name, k, v)
			}
		}
		return nil
	})
	return text.String()
}

// A key that the store cannot hold refuses the write that makes it, and no other of the commit.
func TestWaitingKeyTooLong(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	tokens := []string{"one", strings.Repeat("x", kv.MaxKey), "three"}
	var ops []*op
	for i, token := range tokens {
		ops = append(ops, &op{ctx: t.Context(), done: make(chan error, 1), fn: func(tx *Tx) error {
			return Files.Put(tx, int64(i+1), &record.File{ID: int64(i + 1), Token: token})
		}})
	}
	db.commit(ops)
	for i, o := range ops {
		if err := <-o.done; (err != nil) != (i == 1) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	read(t, db, func(tx *Tx) error {
		for i, token := range tokens {
			id, there := FilesByToken.First(tx, SortKey(token))
			if there != (i != 1) || there && id != int64(i+1) {
				t.Errorf("file %d: %v, %d", i+1, there, id)
			}
		}
		return nil
	})
}
