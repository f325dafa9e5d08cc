package index

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"alcove/bucket"
	api "github.com/blevesearch/bleve_index_api"
)

// benchNew is how many articles a round of BenchmarkCatchUp indexes.
const benchNew = 10000

// BenchmarkCatchUp tells how soon searches see what a bulk load has brought: an index that
// follows the change log, and one that is made again, against Bleve alone, which gets the
// same documents, made before, in batches of maxDocs, and has to have them on the disk. ratio is our rate as a part of Bleve's, and cpu-ratio the same of processor time.
func BenchmarkCatchUp(b *testing.B) {
	for _, again := range []bool{false, true} {
		b.Run(map[bool]string{false: "log", true: "again"}[again], func(b *testing.B) {
			var ours, alone, oursCPU, aloneCPU []float64
			for b.Loop() {
				dir := b.TempDir()
				db := openStore(b, dir)
				if !again {
					closeIndex(b, openReady(b, dir, db))
				}
				fillNew(b, db)
				wall, cpu := timed(b, func() {
					ix := openReady(b, dir, db)
					closeIndex(b, ix)
				})
				ours, oursCPU = append(ours, wall), append(oursCPU, cpu)
				docs := documentsOf(b, db)
				wall, cpu = timed(b, func() { bleveAlone(b, filepath.Join(dir, "alone"), docs) })
				alone, aloneCPU = append(alone, wall), append(aloneCPU, cpu)
			}
			middle := func(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(benchNew/middle(ours), "items/s")
			b.ReportMetric(benchNew/middle(alone), "bleve/s")
			b.ReportMetric(middle(alone)/middle(ours), "ratio")
			b.ReportMetric(middle(aloneCPU)/middle(oursCPU), "cpu-ratio")
		})
	}
}

// openReady opens an index and waits until searches see everything.
func openReady(b *testing.B, dir string, db *bucket.DB) *Index {
	b.Helper()
	ix, err := Open(dir, db, quiet)
	if err != nil {
		b.Fatal(err)
	}
	for _, scope := range []Scope{PublicArticles, OwnArticles(1)} {
		if err := ix.Wait(context.Background(), scope, db.Sequence()); err != nil {
			b.Fatal(err)
		}
	}
	return ix
}

func fillNew(b *testing.B, db *bucket.DB) {
	b.Helper()
	c := newCorpus()
	for id := int64(1); id <= benchNew; id += 500 {
		err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
			for i := range int64(500) {
				if err := benchPut(tx, id+i, c.item()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func documentsOf(b *testing.B, db *bucket.DB) (docs []api.Document) {
	b.Helper()
	err := db.View(func(tx *bucket.Tx) error {
		for id := int64(1); id <= benchNew; id++ {
			it, err := loadItem(tx, articles, id)
			if err != nil {
				return err
			}
			docs = append(docs, it.doc())
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return docs
}

func bleveAlone(b *testing.B, dir string, docs []api.Document) {
	b.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	g, err := openGeneration(dir, time.Minute, func(err error) { b.Error(err) })
	if err != nil {
		b.Fatal(err)
	}
	for some := range slices.Chunk(docs, maxDocs) {
		batch := api.NewBatch()
		for _, d := range some {
			batch.Update(d)
		}
		if err := g.scorch.Batch(batch); err != nil {
			b.Fatal(err)
		}
	}
	if err := g.apply(api.NewBatch(), position{seq: 1}, true); err != nil {
		b.Fatal(err)
	}
	g.close()
}

// timed gives the seconds that something takes, and those of processor time.
func timed(b *testing.B, do func()) (wall, cpu float64) {
	b.Helper()
	used := func() float64 {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
	}
	start, before := time.Now(), used()
	do()
	return time.Since(start).Seconds(), used() - before
}
