package handlers

import (
	"context"
	"testing"
	"time"

	"alcove/bucket"
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
			if err := bucket.Articles.Put(tx, id, art); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	of := func(ids ...int64) *adminScope {
		r := &adminScope{institution: 1, in: map[int64]bool{}}
		for _, id := range ids {
			r.groups, r.in[id] = append(r.groups, &record.Group{ID: id}), true
		}
		return r
	}
	whole := of()
	whole.whole = true
	for name, tt := range map[string]struct {
		r     *adminScope
		f     institutionFilter
		found int // by a short way; -1 for none
	}{
		"two small groups":               {of(8, 9), institutionFilter{}, 3},
		"by their change":                {of(8, 9), institutionFilter{byModified: true}, 3},
		"a small one of a large scope":   {of(7, 8, 9), institutionFilter{group: new(int64(9))}, 2},
		"one that the scope has not":     {of(8), institutionFilter{group: new(int64(7))}, 0},
		"one of the whole institution":   {whole, institutionFilter{group: new(int64(8))}, 1},
		"one that has none":              {whole, institutionFilter{group: new(int64(77))}, 0},
		"all of the institution":         {whole, institutionFilter{}, -1},
		"a large group":                  {of(7), institutionFilter{}, -1},
		"those that are in none, of all": {whole, institutionFilter{group: new(int64(0))}, -1},
	} {
		err := db.View(func(tx *bucket.Tx) error {
			var have bucket.WorkingFacts
			others := tt.f.candidateIndexes(tx, tt.r, func(hit bucket.Hit[int64]) (position, bool) {
				bucket.ReadWorkingFacts(&have, hit.Value)
				return position{tt.f.rank(&have), uint64(hit.Key)}, tt.r.includes(have.Group) && tt.f.passes(&have)
			})
			found := -1
			for range 2 * minScan {
				if others.exceeded(0) {
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
