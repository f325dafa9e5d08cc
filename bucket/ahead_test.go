package bucket

import (
	"testing"

	"alcove/record"
)

// A record that was read ahead is taken as it was read only while it is stored so: one that was
// changed, removed or made since is read again, also in the place of another.
func TestReadAhead(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		for id := int64(1); id <= 4; id++ {
			if err := Files.Put(tx, id, &record.File{ID: id, ArticleID: 7, Name: "as it was"}); err != nil {
				return err
			}
		}
		return nil
	})
	ahead := &Ahead{}
	read(t, db, func(tx *Tx) error {
		for id := int64(1); id <= 4; id++ {
			if f, err := Files.ReadAhead(tx, ahead, id); err != nil || f.Name != "as it was" {
				t.Errorf("file %d read ahead is %v %v", id, f, err)
			}
		}
		if _, err := Files.ReadAhead(tx, ahead, 9); err != ErrNotFound {
			t.Errorf("no file: %v", err)
		}
		return nil
	})
	write(t, db, func(tx *Tx) error {
		if err := Files.Delete(tx, 3); err != nil {
			return err
		}
		return Files.Put(tx, 2, &record.File{ID: 2, ArticleID: 7, Name: "changed", Dropped: true, Added: 1})
	})
	before := db.Decoded()
	err := db.Update(ahead.With(t.Context()), 0, func(tx *Tx) error {
		for id, want := range map[int64]string{1: "as it was", 2: "changed", 4: "as it was"} {
			f, err := Files.Get(tx, id)
			if err != nil || f.Name != want {
				t.Errorf("file %d is %v %v", id, f, err)
			}
			f.Name = "not stored" // what a caller changes is its own
			if f, err = Files.Get(tx, id); err != nil || f.Name != want {
				t.Errorf("file %d is then %v %v", id, f, err)
			}
		}
		if f, err := Files.Get(tx, 3); err != ErrNotFound {
			t.Errorf("file 3 is %v %v", f, err)
		}
		for id := int64(1); id <= 2; id++ {
			f, err := Files.Get(tx, id)
			if err != nil {
				return err
			}
			f.Removed = 2
			if err := Files.PutDeferred(tx, id, f); err != nil {
				return err
			}
			if f, err = Files.Get(tx, id); err != nil || f.Removed != 2 {
				t.Errorf("stored in the same transaction, file %d is %v %v", id, f, err)
			}
		}
		return Files.Delete(tx, 4)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := db.Decoded() - before; n != 4 { // file 2, three times before it is stored and once for that
		t.Errorf("%d records were decoded", n)
	}
	read(t, db, func(tx *Tx) error {
		var entries []int64
		for hit := range FilesToPublish.Ascending(tx, SortKey(int64(7))) {
			entries = append(entries, hit.Key)
		}
		if len(entries) != 1 || entries[0] != 1 {
			t.Errorf("the next version changes files %v", entries)
		}
		return nil
	})
}
