package lists

import (
	"context"
	"testing"
	"time"

	"alcove/bucket"
	_ "alcove/bucket/tables"
	"alcove/bucket/working"
	"alcove/record"
)

// The few articles of some groups are found after few others, however many the institution has.
func TestGroupsTakeTheShortWay(t *testing.T) {
	db, err := bucket.Open(t.TempDir(), bucket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	err = db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
		for id := int64(1); id <= 3000; id++ {
			art := &record.Article{Working: record.Working{ID: id, AccountID: 1, Created: day}}
			art.InstitutionID, art.Modified, art.GroupID = 1, day.Add(time.Duration(id)*time.Minute), 7
			switch id { // old ones, of small groups
			case 3:
				art.GroupID = 8
			case 5, 6:
				art.GroupID = 9
			}
			if err := working.Articles.Put(tx, id, art); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	of := func(ids ...int64) *Scope {
		s := &Scope{Institution: 1, Groups: map[int64]bool{}}
		for _, id := range ids {
			s.Groups[id] = true
		}
		return s
	}
	whole := &Scope{Institution: 1, Whole: true}
	for name, tt := range map[string]struct {
		r     *Scope
		f     InstitutionQuery
		found int // by a short way; -1 for none
	}{
		"two small groups":               {of(8, 9), InstitutionQuery{}, 3},
		"by their change":                {of(8, 9), InstitutionQuery{byModified: true}, 3},
		"a small one of a large scope":   {of(7, 8, 9), InstitutionQuery{group: new(int64(9))}, 2},
		"one that the scope has not":     {of(8), InstitutionQuery{group: new(int64(7))}, 0},
		"one of the whole institution":   {whole, InstitutionQuery{group: new(int64(8))}, 1},
		"one that has none":              {whole, InstitutionQuery{group: new(int64(77))}, 0},
		"all of the institution":         {whole, InstitutionQuery{}, -1},
		"a large group":                  {of(7), InstitutionQuery{}, -1},
		"those that are in none, of all": {whole, InstitutionQuery{group: new(int64(0))}, -1},
	} {
		err := db.View(func(tx *bucket.Tx) error {
			others := tt.f.candidates(tx, tt.r)
			found := -1
			for range 2 * minScan {
				if others.exceeded() {
					found = len(others.found)
					break
				}
			}
			if found != tt.found {
				t.Errorf("%s: %d found by a short way, want %d", name, found, tt.found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
