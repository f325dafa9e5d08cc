package index

import (
	"context"
	"testing"
	"time"

	"alcove/record"
)

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
