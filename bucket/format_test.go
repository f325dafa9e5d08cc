package bucket

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"alcove/bucket/compaction"
	"alcove/bucket/damage"
	"alcove/bucket/kv"
)

// A file that only newer programs may open is refused by all that opens one, and stays as it is.
func TestNewerIsRefused(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	write(t, db, putPerson(1, "Ada"))
	closeDB(t, db)
	raw(t, dir, func(tx kv.Tx) error {
		return errors.Join(tx.Bucket(metaBucket).Put(numberKey, []byte("9")), tx.Bucket(metaBucket).Put(readerKey, []byte("7")))
	})
	path := filepath.Join(dir, FileName)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func() error{
		"open":    func() error { _, err := Open(dir, Options{}); return err },
		"check":   func() error { _, err := OpenToCheck(dir); return err },
		"compact": func() error { _, err := Compact(context.Background(), dir, compaction.Options{}); return err },
		"repair":  func() error { _, err := RepairFile(context.Background(), dir); return err },
		"a copy": func() error {
			_, err := OpenCopy(func(flag int) (*os.File, error) { return os.OpenFile(path, flag, 0) })
			return err
		},
	} {
		if err := open(); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", name, err)
		}
	}
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed: %v", err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != len(beside) {
		t.Errorf("left beside it: %v %v", names, err)
	}
}

// A file of a newer program that this one may open keeps its numbers, and what this program does
// not know, through a repair too.
func TestNewerIsKept(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	write(t, db, putPerson(1, "Ada"))
	closeDB(t, db)
	const table = "r:of the future"
	raw(t, dir, func(tx kv.Tx) error {
		b, err := tx.Create(table)
		if err != nil {
			return err
		}
		key := intKeys.enc(3)
		return errors.Join(b.SetSequence(addSequenceChecksum(table, 3)), b.Put(key, encodeEnvelope(table, key, []byte(`{"a":1}`))),
			tx.Bucket(metaBucket).Put(numberKey, []byte("9")), tx.Bucket(metaBucket).Put([]byte("schema"), []byte("of the future")))
	})
	kept := func(when string) {
		t.Helper()
		raw(t, dir, func(tx kv.Tx) error {
			b, m := tx.Bucket(table), tx.Bucket(metaBucket)
			if b == nil || b.Get(intKeys.enc(3)) == nil || b.Sequence() != addSequenceChecksum(table, 3) || string(m.Get(numberKey)) != "9" {
				t.Errorf("after %s: %v, number %s", when, b, m.Get(numberKey))
			}
			return nil
		})
	}
	closeDB(t, openDB(t, dir, Options{}))
	kept("a start")
	db, err := OpenToCheck(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = db.WalkPages(context.Background(), func(int) {}, func(f damage.Finding) { t.Errorf("found %s", f) })
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := RepairFile(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	kept("a repair")
	if _, err := Compact(context.Background(), dir, compaction.Options{}); err != nil {
		t.Fatal(err)
	}
	kept("compacting")
}

// A file from before the numbers is taken, and has them from then on.
func TestOlderGetsNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closeDB(t, openDB(t, dir, Options{}))
	raw(t, dir, func(tx kv.Tx) error {
		m := tx.Bucket(metaBucket)
		return errors.Join(m.Put(formatKey, []byte(firstFormat)), m.Delete(numberKey), m.Delete(readerKey))
	})
	closeDB(t, openDB(t, dir, Options{}))
	raw(t, dir, func(tx kv.Tx) error {
		if !numbersNoted(tx.Bucket(metaBucket)) {
			t.Error("it has no numbers")
		}
		return nil
	})
}
