package index

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
)

// Failures while the index is in use: it is built again beside, and searches go on.
func TestFailuresInUse(t *testing.T) {
	for name, harm := range map[string]func(*Index){
		"closed behind our back": func(ix *Index) { ix.public.live.scorch.Close() },
		"a batch that hangs": func(ix *Index) {
			ix.public.live.queue.Close() // no goroutine takes the work of a batch now
			ix.public.live.queue = api.NewAnalysisQueue(1)
		},
		"a background error": func(ix *Index) {
			ix.public.live.fail(fmt.Errorf("cannot persist"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := openStore(t, dir)
			ix, err := open(dir, db, quiet, 300*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { closeIndex(t, ix) })
			publish(t, db, 1, title("glacier"), nil)
			wait(t, ix, db)
			old := ix.public.inUse()
			harm(ix)
			publish(t, db, 2, title("glacier lake"), nil)
			wait(t, ix, db)
			want(t, ix, "glacier", 1, 2)
			again(t, ix, old)
			if s := ix.Status(); !s.Healthy || s.Problem != "" || ix.public.number != 2 {
				t.Errorf("status %+v, number %d", s, ix.public.number)
			}
		})
	}
}

// A batch that could not be written in the background is an error of the index, not of the caller.
func TestDirectoryRemovedInUse(t *testing.T) {
	dir, db := prepared(t)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	if err := os.Rename(filepath.Join(dir, "index"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	for i := int64(20); i < 40; i++ {
		publish(t, db, i, title("glacier"), nil)
	}
	wait(t, ix, db)
	if n := len(find(t, ix, "glacier")); n != 29 {
		t.Errorf("found %d", n)
	}
}

// A search that meets damage makes the index check its files and build them again.
func TestDamageFoundBySearch(t *testing.T) {
	dir, db := prepared(t)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	// A merge that runs meanwhile would take the damage away.
	if err := ix.public.live.scorch.(*scorch.Scorch).ForceMerge(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	paths, err := ix.public.live.segments()
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	f, err := os.OpenFile(paths[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xff", int(info.Size()/2))), info.Size()/4); err != nil {
		t.Fatal(err)
	}
	q, _ := Parse("glacier OR number3 OR number1 OR number9")
	if m, err := ix.Match(context.Background(), PublicArticles, q); err == nil {
		m.Close()
		ix.public.suspect(ix.public.live, fmt.Errorf("cannot read")) // the damage happened not to matter
	}
	awaitRebuilt(t, ix)
	want(t, ix, "glacier", 1, 2, 3, 4, 6, 7, 8, 9, 10)
}
