package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
)

// While the next index is built, the one that has failed goes on: what was changed is
// found long before the next one is there.
func TestFollowsWhileItIsBuiltAgain(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	fill(t, db, 1, 5000)
	ix := openIndex(t, dir, db)
	awaitRebuilt(t, ix)
	failed := ix.public.inUse()
	failed.fail(fmt.Errorf("cannot persist"))
	for id := int64(6001); id <= 6003; id++ {
		publish(t, db, id, title(fmt.Sprintf("glacier number%d", id)), nil)
		wait(t, ix, db)
		want(t, ix, fmt.Sprintf("number%d", id), id)
	}
	unpublish(t, db, 6002)
	wait(t, ix, db)
	want(t, ix, "number6002")
	ix.public.mu.Lock()
	built := ix.public.built
	ix.public.mu.Unlock()
	if built > 1 {
		t.Fatal("it was built before anything was changed; this shows nothing")
	}
	if d := ix.Expected(PublicArticles); d != 0 {
		t.Errorf("searches are told to wait for %s", d)
	}
	again(t, ix, failed)
	want(t, ix, "glacier", 6001, 6003)
}

// inUse is the index that searches read.
func (sd *subindex) inUse() *generation {
	sd.mu.Lock()
	defer sd.mu.Unlock()
	return sd.live
}

// again waits until an index has taken the place of one.
func again(t *testing.T, ix *Index, old *generation) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := ix.public.until(ctx, func() bool { return ix.public.live != old && ix.public.ready }); err != nil {
		t.Fatalf("%v: %+v", err, ix.Status())
	}
}

// Files that lose their end under the server cost it nothing but a rebuild: neither a
// batch nor a merge that reads them ends the process, and a search is told to ask again.
func TestFilesCutOffInUse(t *testing.T) {
	for name, read := range map[string]func(t *testing.T, ix *Index, old *generation){
		"by a search": func(t *testing.T, ix *Index, old *generation) {
			q, _ := Parse("article")
			m, err := ix.Match(context.Background(), PublicArticles, q)
			if err != nil {
				t.Fatal(err)
			}
			m.IDs()
			if err := m.Close(); !errors.Is(err, ErrDamaged) {
				t.Errorf("the search ends with %v", err)
			}
			if ix.Expected(PublicArticles) == 0 {
				t.Error("nobody is told to wait")
			}
			if _, err := ix.Match(context.Background(), PublicArticles, q); err == nil || !errors.Is(err, ErrUnavailable) {
				t.Errorf("the next one begins with %v", err)
			}
		},
		"by a batch": func(t *testing.T, ix *Index, old *generation) {
			publish(t, ix.public.db, 1, title("article changed"), nil)
		},
		"by a merge": func(t *testing.T, ix *Index, old *generation) {
			// An error or not: it comes back.
			_ = old.scorch.(*scorch.Scorch).ForceMerge(context.Background(), nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := openStore(t, dir)
			fill(t, db, 1, 2000)
			ix := openIndex(t, dir, db)
			wait(t, ix, db)
			closeIndex(t, ix)
			ix = openIndex(t, dir, db)
			publish(t, db, 2001, title("article"), nil) // Bleve's goroutines have had something to do
			wait(t, ix, db)
			old := ix.public.inUse()
			cutOff(t, old)
			read(t, ix, old)
			publish(t, db, 3, title("article changed"), nil)
			again(t, ix, old)
			wait(t, ix, db)
			if n := len(find(t, ix, "article")); n != 2001 {
				t.Errorf("found %d", n)
			}
		})
	}
}

// cutOff empties the files of an index, and those that a merge is making of them: one that is whole
// would take their place, and nothing would be missing. Such a one may be written on after it was emptied.
func cutOff(t *testing.T, g *generation) {
	t.Helper()
	for empty := 0; empty < 5; <-time.After(10 * time.Millisecond) {
		paths, err := filepath.Glob(filepath.Join(g.dir, "*.zap"))
		if err != nil || len(paths) == 0 {
			t.Fatal(paths, err)
		}
		empty++
		for _, p := range paths {
			if info, err := os.Stat(p); err != nil || info.Size() == 0 { // one that is gone was merged into another
				continue
			}
			if err := os.Truncate(p, 0); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
			empty = 0
		}
	}
}

// No search waits for an index that is known not to follow the store, however long it may.
func TestWaitForWhatDoesNotFollow(t *testing.T) {
	dir, db := prepared(t)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	at := filepath.Join(dir, "index")
	if err := errors.Join(os.Rename(at, filepath.Join(dir, "elsewhere")), os.WriteFile(at, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	failed := ix.public.inUse()
	ix.public.foundDamaged(failed, fmt.Errorf("cannot read"))
	publish(t, db, 20, title("glacier"), nil)
	if err := ix.Wait(context.Background(), PublicArticles, db.Sequence()); !errors.Is(err, ErrUnavailable) {
		t.Errorf("waiting ends with %v", err)
	}
	if r := ix.Reports()[0]; r.State != Failing {
		t.Errorf("%+v", r)
	}
	if err := ix.Wait(context.Background(), OwnArticles(1), db.Sequence()); err != nil {
		t.Errorf("the other index: %v", err)
	}
	if err := errors.Join(os.Remove(at), os.Mkdir(at, 0o700)); err != nil {
		t.Fatal(err)
	}
	again(t, ix, failed)
	wait(t, ix, db)
	want(t, ix, "glacier", 1, 2, 3, 4, 6, 7, 8, 9, 10, 20)
}
