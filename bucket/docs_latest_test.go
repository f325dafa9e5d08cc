package bucket

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"alcove/bucket/kv"
)

// The document of the version that readers get is found by the item alone, and no other is:
// not that of an older version, of a neighbour, or of a version that was withdrawn.
func TestLatestDocument(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	at := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	doc := func(text string, latest bool) Doc {
		return Doc{Settings: 5, List: []byte("l" + text), Full: []byte(text), Latest: latest, Modified: at}
	}
	write(t, db, func(tx *Tx) error {
		return errors.Join(
			ArticleDocs.Put(tx, Pair{2, 1}, doc("2.1", true)), ArticleDocs.UnmarkLatest(tx, Pair{2, 1}),
			ArticleDocs.UnmarkLatest(tx, Pair{2, 7}), ArticleDocs.Put(tx, Pair{2, 2}, doc("2.2", true)),
			ArticleDocs.Put(tx, Pair{4, 1}, doc("4.1", true)), ArticleDocs.Put(tx, Pair{4, 2}, doc("4.2", false)),
			ArticleDocs.Put(tx, Pair{6, 300}, doc("6.300", true)))
	})
	latest := func(id int64) (text string) {
		t.Helper()
		read(t, db, func(tx *Tx) error {
			got, err := ArticleDocs.Latest(tx, id)
			if errors.Is(err, ErrNotFound) {
				return nil
			}
			if text = string(got.Full); err == nil && (got.FullSum != SumOf(got.Full) || !got.Modified.Equal(at) || got.Settings != 5) {
				t.Errorf("of %d there is %+v", id, got)
			}
			return err
		})
		return text
	}
	for id, want := range map[int64]string{1: "", 2: "2.2", 3: "", 4: "", 5: "", 6: "6.300", 7: ""} {
		if got := latest(id); got != want {
			t.Errorf("the latest of %d is %q, want %q", id, got, want)
		}
	}
	var stored []byte
	read(t, db, func(tx *Tx) error {
		stored = bytes.Clone(tx.bucket("d:articles").Get(pairKeys.enc(Pair{2, 2})))
		return nil
	})
	for i := range docsHead {
		bad := bytes.Clone(stored)
		bad[i] ^= 1
		rawBucket(t, db, "d:articles", func(d kv.Bucket) error { return d.Put(pairKeys.enc(Pair{2, 2}), bad) })
		if got := latest(2); got != "" {
			t.Errorf("with another byte %d %q is served", i, got)
		}
	}
	write(t, db, func(tx *Tx) error {
		if _, err := ArticleDocs.Latest(tx, 6); !errors.Is(err, ErrNotFound) {
			t.Errorf("in a transaction that writes: %v", err)
		}
		return errors.Join(ArticleDocs.DeleteAll(tx, 4), ArticleDocs.DeleteAll(tx, 6), ArticleDocs.DeleteAll(tx, 8))
	})
	read(t, db, func(tx *Tx) error {
		for _, key := range []Pair{{4, 1}, {4, 2}, {6, 300}} {
			if _, err := ArticleDocs.Get(tx, key); !errors.Is(err, ErrNotFound) {
				t.Errorf("%v after DeleteAll: %v", key, err)
			}
		}
		_, err := ArticleDocs.Get(tx, Pair{2, 1})
		return err
	})
}

// A document that an older program has rendered is as good as none, and is rendered again.
func TestOlderDocument(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	key := Pair{1, 1}
	write(t, db, func(tx *Tx) error {
		return ArticleDocs.Put(tx, key, Doc{Settings: 3, List: []byte("l"), Full: []byte("f")})
	})
	rawBucket(t, db, "d:articles", func(d kv.Bucket) error {
		b := bytes.Clone(d.Get(pairKeys.enc(key)))
		b[0] = docsFormat - 1
		return d.Put(pairKeys.enc(key), b)
	})
	read(t, db, func(tx *Tx) error {
		if _, err := ArticleDocs.Get(tx, key); !errors.Is(err, ErrNotFound) {
			t.Errorf("it is read: %v", err)
		}
		if keys := ArticleDocs.Stale(tx, Pair{}, 3, 10); len(keys) != 1 || keys[0] != key {
			t.Errorf("to be rendered again: %v", keys)
		}
		return nil
	})
}
