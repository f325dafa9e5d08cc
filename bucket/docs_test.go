package bucket

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// A document comes back as it was stored, in both forms, and leaves nothing in the log.
func TestDocs(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	docs := map[Pair]Doc{
		{1, 1}: {Settings: 7, List: []byte(`{"id": 1}`), Full: []byte(`{"id": 1, "files": []}`)},
		{1, 2}: {Settings: 1<<64 - 1, List: []byte{}, Full: []byte{}},
		{2, 1}: {Settings: 0, List: bytes.Repeat([]byte("l"), 100_000), Full: bytes.Repeat([]byte("f"), 1_000_000)},
	}
	write(t, db, func(tx *Tx) (err error) {
		for key, doc := range docs {
			err = errors.Join(err, ArticleDocs.Put(tx, key, Doc{Settings: 1, List: []byte("old"), Full: []byte("old")}), ArticleDocs.Put(tx, key, doc))
		}
		return err
	})
	err := db.ViewPublic(func(tx *PublicTx) error {
		for key, want := range docs {
			full, err := ArticleDocs.Get(tx, key)
			if err != nil {
				return err
			}
			list, err := ArticleDocs.List(tx, key)
			if err != nil {
				return err
			}
			if full.Settings != want.Settings || !bytes.Equal(full.List, want.List) || !bytes.Equal(full.Full, want.Full) {
				t.Errorf("%v comes back changed", key)
			}
			if full.ListSum != SumOf(want.List) || full.FullSum != SumOf(want.Full) || list.ListSum != full.ListSum {
				t.Errorf("%v comes back with other sums", key)
			}
			if list.Settings != want.Settings || !bytes.Equal(list.List, want.List) || list.Full != nil {
				t.Errorf("the list form of %v comes back changed", key)
			}
		}
		for _, key := range []Pair{{1, 3}, {3, 1}} {
			_, list := ArticleDocs.List(tx, key)
			if _, full := ArticleDocs.Get(tx, key); !errors.Is(full, ErrNotFound) || !errors.Is(list, ErrNotFound) {
				t.Errorf("%v: %v, %v", key, full, list)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, func(tx *Tx) error {
		return errors.Join(ArticleDocs.Delete(tx, Pair{1, 1}), ArticleDocs.Delete(tx, Pair{1, 1}))
	})
	read(t, db, func(tx *Tx) error {
		if _, err := ArticleDocs.Get(tx, Pair{1, 1}); !errors.Is(err, ErrNotFound) {
			t.Errorf("after Delete: %v", err)
		}
		return nil
	})
	if db.Sequence() != 0 {
		t.Errorf("documents are in the log: sequence %d", db.Sequence())
	}
}

// Damage of a document is an error of the form that it is in, or makes the document
// stale; it is never served.
func TestDamagedDocs(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	key := Pair{3, 4}
	whole := Doc{Settings: 9, List: []byte("list"), Full: []byte("full")}
	write(t, db, func(tx *Tx) error { return ArticleDocs.Put(tx, key, whole) })
	var stored []byte
	read(t, db, func(tx *Tx) error {
		stored = bytes.Clone(tx.bucket("d:articles").Get(pairKeys.enc(key)))
		return nil
	})
	// look reads what the bytes under a key hold and says whether each form is served.
	look := func(key Pair, b []byte) (list, full, stale bool) {
		rawBucket(t, db, "d:articles", func(d kv.Bucket) error { return d.Put(pairKeys.enc(key), b) })
		read(t, db, func(tx *Tx) error {
			var damaged *damage.Error
			l, err := ArticleDocs.List(tx, key)
			if list = err == nil; !list && !errors.As(err, &damaged) {
				t.Errorf("List: %v", err)
			}
			f, err := ArticleDocs.Get(tx, key)
			if full = err == nil; !full && !errors.As(err, &damaged) {
				t.Errorf("Get: %v", err)
			}
			if list && !bytes.Equal(l.List, whole.List) || full && (!bytes.Equal(f.List, whole.List) || !bytes.Equal(f.Full, whole.Full)) {
				t.Errorf("damaged bytes are served: %q, %q", l.List, f.Full)
			}
			stale = slices.Contains(ArticleDocs.Stale(tx, Pair{}, whole.Settings, 10), key)
			return nil
		})
		return list, full, stale
	}
	if list, full, stale := look(key, stored); !list || !full || stale {
		t.Fatal("the whole document is not served")
	}
	if list, full, _ := look(Pair{3, 5}, stored); list || full {
		t.Error("a document of another version is served")
	}
	for i := range stored {
		bad := bytes.Clone(stored)
		bad[i] ^= 1
		list, full, stale := look(key, bad)
		inSettings, inFull := i >= 1 && i < 9, i >= docsHead+partHead+len(whole.List)
		if full || list != inFull {
			t.Errorf("byte %d: list served: %v, full: %v", i, list, full)
		}
		if (inSettings || i == 0) && !stale {
			t.Errorf("byte %d: not rendered again", i)
		}
	}
	for n := range stored {
		if _, full, stale := look(key, stored[:n]); full || n < docsHead+2*partHead && !stale {
			t.Errorf("cut after %d bytes: served: %v, stale: %v", n, full, stale)
		}
	}
}

// The documents of other settings are found, few at a time, from any place on.
func TestStaleDocs(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	all := []Pair{{1, 1}, {1, 2}, {1, 1<<63 - 1}, {2, 1}, {3, 1}, {3, 2}}
	write(t, db, func(tx *Tx) (err error) {
		for i, key := range all {
			err = errors.Join(err, ArticleDocs.Put(tx, key, Doc{Settings: uint64(i % 3)}))
		}
		return err
	})
	read(t, db, func(tx *Tx) error {
		for _, test := range []struct {
			after    Pair
			settings uint64
			n        int
			want     []Pair
		}{
			{Pair{}, 0, 10, []Pair{{1, 2}, {1, 1<<63 - 1}, {3, 1}, {3, 2}}},
			{Pair{}, 9, 10, all},
			{Pair{}, 9, 2, all[:2]},
			{Pair{1, 2}, 9, 2, all[2:4]},
			{Pair{1, 1<<63 - 1}, 9, 9, all[3:]},
			{Pair{2, 7}, 9, 9, all[4:]},
			{Pair{3, 2}, 9, 9, nil},
			{Pair{}, 9, 0, nil},
		} {
			if got := ArticleDocs.Stale(tx, test.after, test.settings, test.n); !slices.Equal(got, test.want) {
				t.Errorf("after %v, settings %d: %v, want %v", test.after, test.settings, got, test.want)
			}
		}
		return nil
	})
}

// Documents are found in whatever order they are asked for in one transaction.
func TestDocsInAnyOrder(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	keys := []Pair{{1, 1}, {1, 2}, {2, 1}, {3, 1}, {1 << 40, 7}}
	write(t, db, func(tx *Tx) (err error) {
		for _, key := range keys {
			err = errors.Join(err, ArticleDocs.Put(tx, key, Doc{List: pairKeys.enc(key)}))
		}
		return err
	})
	ask := append(slices.Clone(keys), Pair{0, 1}, Pair{1, 3}, Pair{1 << 41, 1})
	random := rand.New(rand.NewPCG(1, 2))
	read(t, db, func(tx *Tx) error {
		for range 500 {
			key := ask[random.IntN(len(ask))]
			doc, err := ArticleDocs.List(tx, key)
			if there := slices.Contains(keys, key); there != (err == nil) || there && !bytes.Equal(doc.List, pairKeys.enc(key)) {
				t.Fatalf("%v: %q, %v", key, doc.List, err)
			}
		}
		return nil
	})
}
