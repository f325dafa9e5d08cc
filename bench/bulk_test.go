package main

import (
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

func TestAscending(t *testing.T) {
	at := func(part int, bucket, key string) arrival {
		return arrival{part: part, bucket: bucket, key: []byte(key)}
	}
	got := ascending([]arrival{
		at(0, "ids", "b"), at(0, "ids", "a"), at(1, "ids", "c"), at(2, "ids", "d"), // in a part any order
		at(0, "words", "a"), at(0, "words", "z"), at(1, "words", "m"),
		at(3, "late", "a"),
	})
	if !got["ids"] || got["words"] || !got["late"] {
		t.Error(got)
	}
}

// A bare store holds in the end what it was given, in as many commits.
func TestRawStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	all := []arrival{{0, "a", []byte("2"), []byte("two")}, {0, "b", []byte("1"), []byte("one")}, {0, "a", []byte("1"), []byte("uno")}}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(func(tx *bbolt.Tx) error { return putAll(tx, all, map[string]bool{"a": true}) }); err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		for _, a := range all {
			if got := tx.Bucket([]byte(a.bucket)).Get(a.key); string(got) != string(a.value) {
				t.Errorf("%s/%s is %q", a.bucket, a.key, got)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFirstLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items")
	if err := os.WriteFile(path, []byte("a\nbb\nccc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := firstLines(path, 2)
	if err != nil || len(got) != 2 || string(got[0]) != "a\n" || string(got[1]) != "bb\n" {
		t.Errorf("%q %v", got, err)
	}
}

// The shares of all buckets and what is free are the whole file.
func TestBucketShares(t *testing.T) {
	dir := t.TempDir()
	db, err := bbolt.Open(filepath.Join(dir, "alcove.db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		many := []arrival{}
		for i := range 200 {
			many = append(many, arrival{0, "r:articles", []byte{byte(i)}, make([]byte, 1000)})
		}
		many = append(many, arrival{0, "log", []byte("k"), make([]byte, 5000)})
		return putAll(tx, many, nil)
	})
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := bucketShares(dir)
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	sum := int64(0)
	for _, s := range all {
		sum += s.bytes
	}
	info, err := os.Stat(filepath.Join(dir, "alcove.db"))
	if err != nil || sum != info.Size() {
		t.Errorf("%d bytes of %d: %v", sum, info.Size(), err)
	}
	if a := all[0]; a.name != "r:articles" || a.keys != 200 || a.filled < 200_000 || a.meaning() != "records" {
		t.Errorf("%+v", a)
	}
}

// Bleve alone indexes every field that a document has.
func TestIndexAlone(t *testing.T) {
	dir := t.TempDir()
	wall, _, err := indexAlone(dir, []article{{Title: "Running tides", Description: "<p>High water</p>", Authors: []author{{"Ada Chen"}}, Tags: []string{"a", "b"}, Type: "dataset"}})
	if err != nil || wall <= 0 {
		t.Fatal(wall, err)
	}
	for _, name := range []string{"public", "private"} {
		if found, err := filepath.Glob(filepath.Join(dir, name, "*.zap")); err != nil || len(found) == 0 {
			t.Errorf("%s has no segment: %v", name, err)
		}
	}
	var terms []string
	for _, token := range (splitter{}).Analyze([]byte("Running TIDES")) {
		terms = append(terms, string(token.Term))
	}
	if len(terms) != 2 || terms[0] != "run" || terms[1] != "tide" {
		t.Error(terms)
	}
}
