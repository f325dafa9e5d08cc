package bucket

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket/kv"
	"alcove/record"

	"go.etcd.io/bbolt"
)

// manyPages makes a store of some hundred pages.
func manyPages(t *testing.T, dir string) {
	t.Helper()
	db := openDB(t, dir, Options{})
	for range 2 {
		write(t, db, func(tx *Tx) error {
			for id := range int64(50) {
				text := strings.Repeat("y", 20000)
				if err := Articles.Put(tx, id+1, &record.Article{Working: record.Working{ID: id + 1, Metadata: record.Metadata{Description: text}}}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	closeDB(t, db)
}

// A database that loses its end under the server is an error for those who read what was there,
// not the end of the process, and the store takes no more writes.
func TestPageFault(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	manyPages(t, dir)
	fatal := make(chan error, 1)
	db := openDB(t, dir, Options{OnFatal: func(err error) { fatal <- err }})
	if err := os.Truncate(filepath.Join(dir, FileName), 16<<10); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for id := range int64(50) {
		err := db.View(func(tx *Tx) error {
			_, err := Articles.Get(tx, id+1)
			return err
		})
		if errors.Is(err, ErrFault) {
			failed++
		} else if err != nil && !errors.Is(err, ErrNotFound) {
			t.Errorf("article %d: %.200v", id+1, err)
		}
	}
	if failed == 0 {
		t.Error("nothing failed")
	}
	if err := db.Update(t.Context(), 1, putPerson(1, "P")); !errors.Is(err, ErrFault) || !db.Stopped() {
		t.Errorf("a write after it: %v", err)
	}
	func() { // other panics of readers are theirs
		defer func() {
			if p := recover(); p != "mine" {
				t.Errorf("the panic of a reader became %v", p)
			}
		}()
		db.View(func(*Tx) error { panic("mine") })
	}()
	db.Close()
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), "restore it from a backup") {
		t.Errorf("opening it again: %v", err)
	}
}

// A page that is met first by a writer stops the store, which can be closed all the same.
func TestPageFaultOfWriter(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	manyPages(t, dir)
	fatal := make(chan error, 1)
	db := openDB(t, dir, Options{OnFatal: func(err error) { fatal <- err }})
	if err := os.Truncate(filepath.Join(dir, FileName), 16<<10); err != nil {
		t.Fatal(err)
	}
	err := db.Update(context.Background(), 1, func(tx *Tx) error {
		for id := range int64(50) {
			if _, err := Articles.Get(tx, id+1); err != nil {
				return err
			}
		}
		return putPerson(1, "P")(tx)
	})
	if !errors.Is(err, ErrStopped) {
		t.Errorf("the write: %.200v", err)
	}
	if err := <-fatal; !strings.Contains(err.Error(), "fault") {
		t.Errorf("the store stopped because of %.200v", err)
	}
	db.Close()
}

// K14: a database whose first pages, list of free pages or length are not right is refused with
// the reason and the way out, and left as it is.
func TestDamagedDatabase(t *testing.T) {
	onFile(t)
	good := t.TempDir()
	manyPages(t, good)
	bytesOf, err := os.ReadFile(filepath.Join(good, FileName))
	if err != nil {
		t.Fatal(err)
	}
	page := int(mustMeta(t, bytesOf).pageSize)
	var free int
	b, err := bbolt.Open(filepath.Join(good, FileName), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	b.View(func(tx *bbolt.Tx) error {
		for id := 2; ; id++ {
			info, err := tx.Page(id)
			if err != nil || info == nil {
				return err
			}
			if info.Type == "freelist" {
				free = id
				return nil
			}
		}
	})
	b.Close()
	zero := func(at, n int) func([]byte) []byte {
		return func(b []byte) []byte { clear(b[at : at+n]); return b }
	}
	for what, c := range map[string]struct {
		damage func([]byte) []byte
		want   string
	}{
		"first page zeroed":   {zero(0, page), "its first page is damaged"},
		"second page zeroed":  {zero(page, page), "its second page is damaged"},
		"a bit of the first":  {func(b []byte) []byte { b[50] ^= 4; return b }, "its first page is damaged"},
		"a bit of the second": {func(b []byte) []byte { b[page+50] ^= 4; return b }, "its second page is damaged"},
		"both zeroed":         {zero(0, 2*page), "both of its first pages are damaged"},
		"free list zeroed":    {zero(free*page, page), "its list of free pages is damaged"},
		"no bytes":            {func([]byte) []byte { return nil }, "the file is empty"},
		"half of it":          {func(b []byte) []byte { return b[:len(b)/20/page*page] }, "the file is cut off"},
		"another magic":       {func(b []byte) []byte { b[16] ^= 1; b[page+16] ^= 1; return b }, "it is not one of Alcove's"},
	} {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			damaged := c.damage(bytes.Clone(bytesOf))
			if err := os.WriteFile(path, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			db, err := Open(dir, Options{})
			if err == nil {
				db.Close()
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "alcove restore") {
				t.Errorf("opening it: %v", err)
			}
			if now, _ := os.ReadFile(path); !bytes.Equal(now, damaged) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

// The cost of being safe from pages that are not there.
func BenchmarkView(b *testing.B) {
	onFile(b)
	db := openDB(b, b.TempDir(), Options{})
	b.Run("guarded", func(b *testing.B) {
		for b.Loop() {
			db.View(func(*Tx) error { return nil })
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			kv.View(db.kv, func(tx kv.Tx) error { _ = &Tx{kv: tx, db: db}; return nil })
		}
	})
}
