package accounts

import (
	"context"
	"errors"
	"testing"

	"alcove/bucket"
	_ "alcove/bucket/tables"
	"alcove/bucket/users"
	"alcove/record"
)

// A group stands below no group that stands below it, and the search for that ends where stored groups are in a circle,
// which only damage or another program makes.
func TestGroupsBelow(t *testing.T) {
	db, err := bucket.Open(t.TempDir(), bucket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(context.Background(), 0, func(tx *bucket.Tx) error {
		var failed error
		for id, parent := range map[int64]int64{1: 0, 2: 1, 3: 2, 11: 12, 12: 11} {
			failed = errors.Join(failed, users.Groups.Put(tx, id, &record.Group{ID: id, InstitutionID: InstitutionID, Name: "Arts", ParentID: parent}))
		}
		for _, c := range []struct {
			group, parent int64
			refused       bool
		}{{3, 1, false}, {2, 0, false}, {1, 1, true}, {1, 3, true}, {3, 11, true}} {
			if err := mayStandBelow(tx, c.group, c.parent); errors.Is(err, ErrBelowItself) != c.refused {
				t.Errorf("%d below %d: %v", c.group, c.parent, err)
			}
		}
		return failed
	})
	if err != nil {
		t.Fatal(err)
	}
}
