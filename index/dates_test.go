package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// The dates that the index has at hand are those of the store, also of what has changed
// since, and of every kind.
func TestDatesAreThoseOfTheStore(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	fill(t, db, 1, 1500)
	publishCollection(t, db, 2000, title("collection"))
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	for round := range 3 {
		change(t, db, func(tx *bucket.Tx) error {
			for id := int64(1 + round); id < 300; id += 7 {
				p, err := bucket.PublicArticles.Get(tx, id)
				if err != nil {
					return err
				}
				p.Published, p.Modified = p.Published.AddDate(0, round, int(id)), p.Modified.Add(time.Duration(id)*time.Hour)
				if err := bucket.PublicArticles.Put(tx, id, p); err != nil {
					return err
				}
			}
			return nil
		})
		wait(t, ix, db)
		done(t, matches(t, ix, PublicArticles, "article"))
		ix.public.tasks.Wait()
		done(t, matches(t, ix, PublicArticles, "article")) // for segments that came meanwhile
		ix.public.tasks.Wait()
		m := matches(t, ix, PublicArticles, "NOT nothing")
		read := 0
		err := db.View(func(tx *bucket.Tx) error {
			for _, k := range ix.public.live.segmentCaches.about(m.snapshot) {
				d := k.dates.Load()
				if d == nil {
					continue // a merge has just made it
				}
				for doc := range uint32(k.of.Count()) {
					if k.deleted != nil && k.deleted.Contains(doc) {
						continue
					}
					key, err := k.key(doc)
					if err != nil {
						return err
					}
					facts := bucket.PublicFacts.Facts
					if key[0] == collections.id {
						facts = bucket.PublicCollectionFacts.Facts
					}
					have, _ := facts(tx, int64(binary.BigEndian.Uint64(key[1:])))
					published, modified := d.at(doc)
					if read++; published != seconds(have.Published.Unix()) || modified != seconds(have.Modified.Unix()) {
						return fmt.Errorf("%q is of %d and %d, in the store of %v and %v", key, published, modified, have.Published, have.Modified)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if done(t, m); read == 0 {
			t.Error("no dates were read")
		}
	}
}

// As long as the dates of many matches are not at hand there is no order by date, and of a
// few they are looked up.
func TestOrderWithoutDates(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	fill(t, db, 1, maxUndated+1)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	for text, ordered := range map[string]bool{"article": false, "article NOT number1": true, "number7": true} {
		m := matches(t, ix, PublicArticles, text)
		ix.public.tasks.Wait()
		for i, p := range m.parts { // as if nobody had read them
			bare := &segmentCache{of: p.in.of, deleted: p.in.deleted, dates: new(datesPointer), within: p.in.within}
			m.parts[i].in = bare
		}
		looked := 0
		_, ok := m.InOrder(Order{From: 1 << 40, Wanted: 1, Facts: func(int64) (bucket.Facts, bool) { looked++; return bucket.Facts{}, true }})
		if ok != ordered || ok && looked != m.Len() {
			t.Errorf("%s: %v after looking at %d of %d", text, ok, looked, m.Len())
		}
		done(t, m)
	}
}

// A search gives its turn back when it is closed, not before and not twice.
func TestTurns(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	publish(t, db, 1, record.Metadata{Title: "glacier", Type: 3}, nil)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	var open []*Matches
	for range cap(ix.turns) {
		open = append(open, matches(t, ix, PublicArticles, "glacier"))
	}
	q, _ := Parse("glacier")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := ix.Match(ctx, PublicArticles, q); err == nil {
		t.Error("there are more searches than turns")
	}
	done(t, open[0])
	done(t, open[0])
	if len(ix.turns) != cap(ix.turns)-1 {
		t.Errorf("%d turns are taken", len(ix.turns))
	}
	for _, m := range open {
		done(t, m)
	}
	if len(ix.turns) != 0 {
		t.Errorf("%d turns are taken", len(ix.turns))
	}
}
