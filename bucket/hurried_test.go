package bucket

import (
	"context"
	"errors"
	"strings"
	"testing"

	"alcove/bucket/damage"
	"alcove/record"
)

// A walk through the pages keeps those that it may read from being used again. It ends when that
// has become too many, so that a check of a large store does not make its file grow without
// bound while much is written, nor its list of free pages.
func TestWalkEndsWhenMuchIsWritten(t *testing.T) {
	onFile(t)
	t.Parallel()
	db := openDB(t, t.TempDir(), Options{MostPinned: 1 << 10}) // 4 MiB of pages, for a test that is quick
	long := strings.Repeat("x", 200<<10)
	write := func(id int64, text string) {
		t.Helper()
		err := db.Update(context.Background(), 1, func(tx *Tx) error {
			return People.Put(tx, id, &record.Person{ID: id, FullName: text + long})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const people = 40 // of twice as many pages as may wait
	for id := range int64(people) {
		write(id+1, "")
	}
	var paced int
	_, records, err := db.WalkPages(t.Context(), func(int) { paced++ }, func(f damage.Finding) { t.Error(f) })
	if err != nil || records == 0 || paced == 0 {
		t.Fatalf("at rest: %d records, %d pieces, %v", records, paced, err)
	}

	began := false
	busy := func(int) {
		if !began {
			began = true
			for id := range int64(people) {
				write(id+1, "again ")
			}
		}
	}
	_, _, err = db.WalkPages(t.Context(), busy, func(f damage.Finding) { t.Error(f) })
	if !errors.Is(err, damage.ErrMuchWritten) {
		t.Errorf("while all of it is written again: %v", err)
	}
	read, err := db.Verify(t.Context(), func(int) {}, func(d *damage.Error) { t.Error(d) })
	if err != nil || read == 0 {
		t.Errorf("read %d: %v", read, err)
	}
}
