package load

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	_ "alcove/bucket/tables"
	"alcove/cli/operate"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/present"
)

// benchLines is how many lines a round of BenchmarkImport loads.
const benchLines = 5000

// BenchmarkImport loads articles without files, nine of ten published, into an empty
// store, and in the same round puts the keys and bytes that came of it into a bare bbolt
// file: in as many commits, each bucket in the order of its keys, which suits bbolt best.
// ratio is the import's rate as a part of that, and cpu-ratio the same of processor time,
// which other work on the machine moves less. cpu-µs and raw-cpu-µs are that of one item.
func BenchmarkImport(b *testing.B) {
	items := filepath.Join(b.TempDir(), "items.jsonl")
	if err := os.WriteFile(items, benchItems(benchLines), 0o600); err != nil {
		b.Fatal(err)
	}
	var ours, raw, oursCPU, rawCPU time.Duration
	for b.Loop() {
		dir := b.TempDir()
		wall, cpu := benchImport(b, dir, items)
		ours, oursCPU = ours+wall, oursCPU+cpu
		wall, cpu = benchRaw(b, filepath.Join(dir, bucket.FileName), filepath.Join(dir, "raw.db"))
		raw, rawCPU = raw+wall, rawCPU+cpu
	}
	n := float64(b.N * benchLines)
	b.ReportMetric(n/ours.Seconds(), "items/s")
	b.ReportMetric(n/raw.Seconds(), "raw/s")
	b.ReportMetric(float64(oursCPU.Microseconds())/n, "cpu-µs")
	b.ReportMetric(float64(rawCPU.Microseconds())/n, "raw-cpu-µs")
	b.ReportMetric(raw.Seconds()/ours.Seconds(), "ratio")
	b.ReportMetric(rawCPU.Seconds()/oursCPU.Seconds(), "cpu-ratio")
}

// stopwatch gives the time and the processor time of this process since it was made.
func stopwatch(b *testing.B) func() (wall, cpu time.Duration) {
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	start, before := time.Now(), used()
	return func() (time.Duration, time.Duration) { return time.Since(start), used() - before }
}

// benchItems are lines like those of real repositories: some hundred bytes of text.
func benchItems(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var w []string
		for range n {
			w = append(w, fmt.Sprintf("word%d", r.IntN(5000)))
		}
		return strings.Join(w, " ")
	}
	var text bytes.Buffer
	for i := range n {
		fmt.Fprintf(&text, `{"key": "k%06d", "title": "Observation %d %s", "description": "<p>%s</p>", "tags": ["%s", "%s"], `+
			`"categories": [37, 51], "authors": [{"name": "Ada B%d"}, {"name": "Ben C"}], "license": 1, "publish": %v}`+"\n",
			i, i, words(6), words(60), words(1), words(1), i%100, i%10 != 0)
	}
	return text.Bytes()
}

func benchImport(b *testing.B, dir, items string) (wall, cpu time.Duration) {
	l, done := open(b, dir)
	defer done()
	watch := stopwatch(b)
	if sum, err := Run(b.Context(), Options{Items: items, Loader: l}); err != nil || sum.Loaded != benchLines {
		b.Fatal(sum, err)
	}
	return watch()
}

// open opens a new store with one account.
func open(t testing.TB, dir string) (l *Loader, done func()) {
	t.Helper()
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := blobdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	api := handlers.New(handlers.Options{Common: endpoint.Options{
		DB: db, Blobs: store, Log: slog.New(slog.DiscardHandler),
		Settings: present.Settings{BaseURL: "https://r.example", SiteURL: "https://r.example", DownloadURL: "https://r.example", FilesInDetail: 1000},
		Limits:   endpoint.Limits{MaxBody: 1 << 20, Limits: items.Limits{Room: items.Room{AccountQuota: 10 << 10}, DOIPrefix: "10.5072/alcove"}},
	}})
	const email = "ada@example.org"
	if _, err := operate.AddAccount(t.Context(), db, operate.NewAccount{Email: email, FirstName: "Ada", LastName: "Tester"}); err != nil {
		t.Fatal(err)
	}
	if l, err = NewLoader(api, email); err != nil {
		t.Fatal(err)
	}
	return l, func() {
		api.Jobs.Close()
		store.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

func benchRaw(b *testing.B, from, to string) (wall, cpu time.Duration) {
	type entry struct{ bucket, key, value []byte }
	commits := make([][]entry, benchLines/maxLines)
	src, err := bbolt.Open(from, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	var names [][]byte
	src.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, in *bbolt.Bucket) error {
			name = bytes.Clone(name)
			names = append(names, name)
			n, at := in.Stats().KeyN, 0
			return in.ForEach(func(k, v []byte) error {
				c := at * len(commits) / n
				at++
				commits[c] = append(commits[c], entry{name, bytes.Clone(k), bytes.Clone(v)})
				return nil
			})
		})
	})
	db, err := bbolt.Open(to, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, n := range names {
			if _, err := tx.CreateBucket(n); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	watch := stopwatch(b)
	for _, c := range commits {
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, e := range c {
				if err := tx.Bucket(e.bucket).Put(e.key, e.value); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return watch()
}
