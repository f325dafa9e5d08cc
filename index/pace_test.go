package index

import (
	"context"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// Changes that no search asks for go into the index together, without a search, too.
func TestChangesGoTogether(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	batches := func() uint64 {
		s, _ := ix.public.live.scorch.(*scorch.Scorch).StatsMap()["batches"].(uint64)
		return s
	}
	before, start := batches(), time.Now()
	const items = 60
	for i := range int64(items) {
		publish(t, db, 1+i, title("glacier"), nil)
	}
	most := 2 + uint64(time.Since(start)/patience)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	seq := db.Sequence()
	if err := ix.public.until(ctx, func() bool { return ix.public.applied >= seq }); err != nil {
		t.Fatal(err)
	}
	if n := batches() - before; n == 0 || n > most {
		t.Errorf("%d batches for %d items, want %d at most", n, items, most)
	}
	if n := len(find(t, ix, "glacier")); n != items {
		t.Errorf("found %d", n)
	}
}

// A search does not wait until there are enough changes.
func TestSearchDoesNotLinger(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	soonest := time.Hour
	for i := range int64(8) {
		publish(t, db, 1+i, title("glacier"), nil)
		start := time.Now()
		wait(t, ix, db)
		soonest = min(soonest, time.Since(start))
	}
	if soonest > patience/4 {
		t.Errorf("a search waits for %v at least", soonest)
	}
}

// An index that is built takes more documents at once than one that searches wait for.
func TestBatchesOfRebuild(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	fill(t, db, 1, 2*manyDocs)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	live := ix.public.live
	batches := live.scorch.(*scorch.Scorch).StatsMap()["batches"].(uint64)
	if most := uint64(2 + 2); batches > most {
		t.Errorf("%d batches for %d items, want %d at most", batches, 2*manyDocs, most)
	}
	if n := ix.public.batchOf(live); n != maxDocs {
		t.Errorf("an index that is live takes %d documents at once, want %d", n, maxDocs)
	}
	if n := ix.public.batchOf(&generation{at: live.at}); n != manyDocs {
		t.Errorf("an index that is built takes %d documents at once, want %d", n, manyDocs)
	}
}
