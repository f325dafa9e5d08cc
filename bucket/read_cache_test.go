package bucket

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"alcove/bucket/changelog"
	"alcove/record"
)

// A caller that changes what Get gave, and stores it or not, changes nothing that others read in the
// transaction, and leaves no index entry behind.
func TestKnownRecords(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	person := func(name string) *record.Person { return &record.Person{ID: 1, CreatedBy: 5, FullName: name} }
	write(t, db, func(tx *Tx) error { return People.Put(tx, 1, person("Ada Byron")) })
	write(t, db, func(tx *Tx) error {
		p, err := People.Get(tx, 1)
		if err != nil {
			return err
		}
		p.FullName = "Nobody Else"
		if again, err := People.Get(tx, 1); err != nil || again.FullName != "Ada Byron" {
			t.Errorf("read again: %+v, %v", again, err)
		}
		p.FullName, p.Public = "Ada Lovelace", true
		if err := People.Put(tx, 1, p); err != nil {
			return err
		}
		p.FullName = "Nobody Else"
		if again, err := People.Get(tx, 1); err != nil || again.FullName != "Ada Lovelace" || !again.Public {
			t.Errorf("read after it was stored: %+v, %v", again, err)
		}
		again := person("Augusta King")
		return People.Put(tx, 1, again)
	})
	read(t, db, func(tx *Tx) error { return checkTable(tx, People, map[int64]record.Person{1: *person("Augusta King")}) })
	write(t, db, func(tx *Tx) error {
		if _, err := People.Get(tx, 1); err != nil {
			return err
		}
		if err := People.Delete(tx, 1); err != nil {
			return err
		}
		if p, err := People.Get(tx, 1); !errors.Is(err, ErrNotFound) {
			t.Errorf("read after it was deleted: %+v, %v", p, err)
		}
		return People.Put(tx, 1, person("Charles Babbage"))
	})
	read(t, db, func(tx *Tx) error {
		for c, err := range tx.Changes(3) {
			if err != nil || c.Sequence == 5 && c.Op != changelog.Created {
				t.Errorf("change %d is %v, %v", c.Sequence, c.Op, err)
			}
		}
		return checkTable(tx, People, map[int64]record.Person{1: *person("Charles Babbage")})
	})
}

// A transaction that stores more records than it remembers keeps the indexes right, too.
func TestManyKnownRecords(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	model := map[int64]record.Person{}
	write(t, db, func(tx *Tx) error {
		for round := range 2 {
			for id := int64(1); id <= maxReadCache+100; id++ {
				p := record.Person{ID: id, FullName: fmt.Sprintf("Round%d Person%d", round, id), Public: round > 0}
				if err := People.Put(tx, id, &p); err != nil {
					return err
				}
				model[id] = p
			}
		}
		if len(tx.readCache) > maxReadCache {
			t.Errorf("it remembers %d records", len(tx.readCache))
		}
		return nil
	})
	read(t, db, func(tx *Tx) error { return checkTable(tx, People, model) })
}

// Copies of a person share its profile and its affiliations, so code replaces these two and never changes them in place.
// Any other slice, map or pointer in a person fails this test.
func TestPeopleAreFlat(t *testing.T) {
	for f := range reflect.TypeFor[record.Person]().Fields() {
		switch f.Type.Kind() {
		case reflect.Slice, reflect.Map, reflect.Pointer, reflect.Interface:
			if f.Name != "Profile" && f.Name != "Affiliations" {
				t.Errorf("copies of a person share its %s", f.Name)
			}
		}
	}
}
