package check

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/damage"
	_ "alcove/bucket/tables"
	"alcove/bucket/users"
	"alcove/record"
)

// A check that gives up the walk through the pages, because too much is written, reads the records
// all the same. It counts what is damaged once, does not call itself a success, and says why.
func TestBusyCheck(t *testing.T) {
	t.Parallel()
	const people, long = 40, 200 << 10
	dir := t.TempDir()
	open := func() *bucket.DB {
		t.Helper()
		db, err := bucket.Open(dir, bucket.Options{MostPinned: 1 << 10}) // half of what is written again
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	db := open()
	write := func(from int64, text string) {
		for id := from; id <= people; id++ {
			err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
				return users.People.Put(tx, id, &record.Person{ID: id, FullName: fmt.Sprint(text, " ", id, strings.Repeat("x", long))})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	write(1, "first")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, bucket.FileName)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	harmed := bytes.ReplaceAll(file, []byte("first 1xx"), []byte("fIrst 1xx"))
	if bytes.Equal(harmed, file) {
		t.Fatal("the record is not found in the file")
	}
	if err := os.WriteFile(path, harmed, 0o600); err != nil {
		t.Fatal(err)
	}

	db = open()
	store, err := blobdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	var logs bytes.Buffer
	k := New(Options{Dir: dir, DB: db, Blobs: store, Log: slog.New(slog.NewTextHandler(&logs, nil))})
	t.Cleanup(k.Stop)
	check := func(pace func(int)) Report {
		t.Helper()
		k.note(func(s *state) { s.begin(Request{Restart: true}, false) })
		if err := k.pages(t.Context(), &pass{pace: pace, hurt: map[string]bool{}}); err != nil {
			t.Fatal(err)
		}
		k.end(nil)
		return k.Report()
	}
	if r := check(func(int) {}); r.Busy || r.Found != 1 || r.Records < people {
		t.Fatalf("at rest: %+v", r)
	}
	for _, tt := range []struct {
		name string
		when int // so much was found, others begin to write
	}{{"before the damage is found", 0}, {"when the damage has been found", 1}} {
		logs.Reset()
		written := false
		r := check(func(int) {
			if !written && k.Report().Found == tt.when {
				written = true
				write(2, tt.name)
			}
		})
		if !r.Busy || r.Found != 1 || r.Records < people || r.LastSuccess != nil || r.State != Done {
			t.Errorf("%s: %+v", tt.name, r)
		}
		if p := r.Problems[0]; p.Kind != damage.OfRecord || p.Table != "people" || p.Key != "1" {
			t.Errorf("%s: %+v", tt.name, p)
		}
		if text := logs.String(); !strings.Contains(text, "busy=true") {
			t.Errorf("%s: the log says %s", tt.name, text)
		}
	}
}
