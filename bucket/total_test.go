package bucket

import (
	"errors"
	"testing"

	"alcove/bucket/kv"

	"alcove/record"
)

// A total follows its records, also those of a transaction that failed, and a store that was
// written without it.
func TestTotal(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	want := func(announced, arrived int64) {
		t.Helper()
		read(t, db, func(tx *Tx) error {
			if a, b := BytesAnnounced.Sum(tx), BytesArrived.Sum(tx); a != announced || b != arrived {
				t.Errorf("announced %d, arrived %d, want %d and %d", a, b, announced, arrived)
			}
			return nil
		})
	}
	file := func(id, size int64, status record.FileStatus) {
		t.Helper()
		write(t, db, func(tx *Tx) error { return Files.Put(tx, id, &record.File{Size: size, Status: status}) })
	}
	want(0, 0)
	file(1, 100, record.FileCreated)
	file(2, 1<<40, record.FileCreated)
	write(t, db, func(tx *Tx) error { return Parts.Put(tx, Pair{1, 1}, &record.Part{Size: 60}) })
	write(t, db, func(tx *Tx) error { return Parts.Put(tx, Pair{1, 1}, &record.Part{Size: 60}) })
	want(100+1<<40, 60)
	err := db.Update(t.Context(), 0, func(tx *Tx) error {
		if err := Files.Delete(tx, 2); err != nil {
			return err
		}
		if got := BytesAnnounced.Sum(tx); got != 100 {
			t.Errorf("inside its transaction: %d", got)
		}
		return errRefused
	})
	if err != errRefused {
		t.Fatal(err)
	}
	want(100+1<<40, 60)
	file(2, 1<<40, record.FileChecking)
	want(100+1<<40, 60)
	file(2, 1<<40, record.FileAvailable)
	want(100, 60)
	write(t, db, func(tx *Tx) error { return Parts.Delete(tx, Pair{1, 1}) })
	want(100, 0)
	file(1, 100, record.FileFailed)
	file(3, 7, record.FileMoving)
	want(7, 0)
	for _, status := range []record.FileStatus{record.FileCreated, record.FileChecking, record.FileAvailable} {
		write(t, db, func(tx *Tx) error { return Files.PutDeferred(tx, 4, &record.File{ID: 4, Size: 50, Status: status}) })
		left := map[bool]int64{true: 7, false: 57}[status == record.FileAvailable]
		want(left, 0)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	// A program that does not know totals has written the store.
	raw(t, dir, func(tx kv.Tx) error {
		if err := errors.Join(tx.Bucket(metaBucket).Put([]byte("schema"), []byte("old")), tx.Bucket(metaBucket).Delete(sumKey)); err != nil {
			return err
		}
		return tx.Drop(BytesAnnounced.ix.bucketName())
	})
	db = openDB(t, dir, Options{})
	want(7, 0)
}
