package bucket

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"alcove/bucket/changelog"
	"alcove/bucket/kv"
	"alcove/record"
)

// Records that are encoded beside the writer leave the very file that storing each at once does,
// log and indexes by counts among it, whatever is asked for in between and whatever the caller does
// to them afterwards.
func TestPutLater(t *testing.T) {
	now := time.Date(2026, 5, 17, 12, 0, 0, 0, time.UTC)
	clock := Options{Clock: func() time.Time { return now }}
	for seed := range uint64(6) {
		deferred, at := openDB(t, t.TempDir(), clock), openDB(t, t.TempDir(), clock)
		r := rand.New(rand.NewPCG(seed, 2))
		for range 5 {
			var steps []func(tx *Tx) error
			for range 1 + r.IntN(120) {
				steps = append(steps, recordStep(r))
			}
			all := func(tx *Tx) error {
				for _, s := range steps {
					if err := s(tx); err != nil {
						return err
					}
				}
				return nil
			}
			write(t, deferred, all)
			err := kv.Update(at.kv, func(b kv.Tx) error {
				return all(&Tx{kv: b, db: at, at: now, by: changelog.By{Account: 1}, writable: true})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, want := everyBucket(t, deferred), everyBucket(t, at); got != want {
			t.Fatalf("seed %d:\n%s\nwant\n%s", seed, got, want)
		}
		read(t, deferred, func(tx *Tx) error { return tx.CheckChain() })
	}
}

// recordStep changes or asks for one of a few items that are public.
func recordStep(r *rand.Rand) func(tx *Tx) error {
	id, what, n := int64(1+r.IntN(9)), r.IntN(16), r.IntN(1000)
	title := fmt.Sprint("title ", n)
	put := func(tx *Tx, deferred bool) error {
		p := &record.Person{ID: id, FullName: title, Public: n%2 == 0}
		v := &record.ArticleVersion{ArticleID: id, Version: 1, Metadata: record.Metadata{Title: title, DOI: fmt.Sprint("10.1/", n%3), Tags: []string{title}}}
		head := &record.PublicArticle{ID: id, Latest: 1, Type: int64(n % 3), Published: time.Unix(int64(n), 0).UTC()}
		art := &record.Article{Working: record.Working{ID: id, AccountID: int64(n % 2), Authors: []int64{id}, Metadata: v.Metadata}}
		if !deferred {
			return errors.Join(People.Put(tx, id, p), Articles.Put(tx, id, art), ArticleVersions.Put(tx, Pair{id, 1}, v), PublicArticles.Put(tx, id, head))
		}
		err := errors.Join(People.PutDeferred(tx, id, p), Articles.PutDeferred(tx, id, art), ArticleVersions.PutDeferred(tx, Pair{id, 1}, v), PublicArticles.PutDeferred(tx, id, head))
		p.FullName, art.Title, v.Title, head.Type = "changed", "changed", "changed", 99
		return err
	}
	return func(tx *Tx) error {
		switch {
		case what < 7:
			return put(tx, true)
		case what < 9:
			return put(tx, false)
		case what == 9:
			return AddCounts(tx, Pair{record.KindArticle, id}, record.Counts{Views: int64(n)})
		case what == 10:
			if err := PublicArticles.Delete(tx, id); !errors.Is(err, ErrNotFound) {
				return err
			}
			return nil
		case what == 11:
			_, err := Articles.NextID(tx)
			return err
		case what == 12:
			art, err := Articles.Get(tx, id)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			art.Title += " again"
			return Articles.PutDeferred(tx, id, art)
		}
		return agree(tx, id)
	}
}

// agree reports whether what is said of an item in several places is the same.
func agree(tx *Tx, id int64) error {
	p, err := People.Get(tx, id)
	if errors.Is(err, ErrNotFound) != !People.Has(tx, id) {
		return fmt.Errorf("person %d: %w", id, err)
	}
	v, gone := ArticleVersions.Get(tx, Pair{id, 1})
	if err == nil && (gone != nil || p.FullName != v.Title) {
		return fmt.Errorf("item %d has the title %q and the person %q (%w)", id, v.Title, p.FullName, gone)
	}
	head, err := PublicArticles.Get(tx, id)
	facts, known := ArticleFacts(tx, id)
	if (err == nil) != known || known && facts.Type != head.Type {
		return fmt.Errorf("item %d is %+v, and its facts are %+v (%w)", id, head, facts, err)
	}
	return nil
}

// everyBucket is all that is stored, but for what the store notes about itself.
func everyBucket(t *testing.T, db *DB) string {
	t.Helper()
	var text strings.Builder
	read(t, db, func(tx *Tx) error {
		for _, name := range tx.kv.Buckets() {
			if name == metaBucket {
				continue
			}
			b := tx.kv.Bucket(name)
			fmt.Fprintf(&text, "%s %d\n", name, b.Sequence())
			for k, v := range b.Ascend(nil) {
				fmt.Fprintf(&text, "%s %x %x\n", name, k, v)
			}
		}
		return nil
	})
	return text.String()
}

// Records that are put one after another wait for the commit together: no total of their table makes the
// writer encode them.
func TestPutLaterWaits(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		for id := int64(1); id <= 40; id++ {
			if err := Articles.PutDeferred(tx, id, &record.Article{Working: record.Working{ID: id}}); err != nil {
				return err
			}
		}
		if n := len(tx.deferred.pending); n != 40 {
			t.Errorf("%d of 40 records wait", n)
		}
		if n := ArticlesNumber.Sum(tx); n != 40 {
			t.Errorf("%d of 40 are counted", n)
		}
		if n := len(tx.deferred.pending); n != 40 {
			t.Errorf("%d of 40 records wait when they were counted", n)
		}
		return nil
	})
	read(t, db, func(tx *Tx) error {
		if n := ArticlesNumber.Sum(tx); n != 40 {
			t.Errorf("%d of 40 are counted", n)
		}
		return tx.CheckChain()
	})
}

// A record that cannot be encoded undoes its own write and no other of the commit, also where
// another write is the first to ask for it, and where that one passes over the error.
func TestPutLaterFails(t *testing.T) {
	for _, asks := range []string{"nobody", "the next", "the next, which goes on"} {
		t.Run(asks, func(t *testing.T) {
			db := openDB(t, t.TempDir(), Options{})
			var ops []*op
			for id := int64(1); id <= 4; id++ {
				ops = append(ops, &op{ctx: t.Context(), done: make(chan error, 1), fn: func(tx *Tx) (err error) {
					if id == 3 && asks != "nobody" {
						defer func() {
							if p := recover(); p != nil && asks == "the next" {
								panic(p)
							}
						}()
						for range ArticlesByCreated.Ascending(tx, nil) {
							break
						}
					}
					art := &record.Article{Working: record.Working{ID: id}}
					if id == 2 {
						art.CustomFields = []record.CustomField{{Name: "bad", Value: json.RawMessage("{")}}
					}
					return Articles.PutDeferred(tx, id, art)
				}})
			}
			batched(t, db, ops)
			for i, o := range ops {
				if err := <-o.done; (err != nil) != (i == 1) {
					t.Errorf("write %d ends with %v", i+1, err)
				}
			}
			read(t, db, func(tx *Tx) error {
				for id := int64(1); id <= 4; id++ {
					if Articles.Has(tx, id) != (id != 2) {
						t.Errorf("after write %d it is there: %v", id, id == 2)
					}
				}
				return tx.CheckChain()
			})
		})
	}
}

// A read of the log in a transaction finds what was done before in it, in order.
func TestLogSeesWhatIsLeft(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		for id := range int64(40) {
			if err := People.PutDeferred(tx, id+1, &record.Person{ID: id + 1}); err != nil {
				return err
			}
			if id%10 == 5 {
				if err := People.Delete(tx, id); err != nil {
					return err
				}
			}
		}
		var kinds []string
		for c, err := range tx.Changes(0) {
			if err != nil {
				return err
			}
			kinds = append(kinds, fmt.Sprint(c.Op, c.ID()))
		}
		if len(kinds) != 44 || kinds[5] != "create 6" || kinds[6] != "delete 5" {
			t.Errorf("the log has %d entries: %v", len(kinds), kinds)
		}
		return tx.CheckChain()
	})
}
