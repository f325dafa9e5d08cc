package bucket

import (
	"testing"
	"time"

	"alcove/record"
)

// A commit that holds the writer for long is counted and told, with whose write took longest; what
// is refused without a write is not.
func TestSlowCommits(t *testing.T) {
	told := make(chan Slow, 4)
	db := openDB(t, t.TempDir(), Options{Slow: time.Nanosecond, OnSlow: func(s Slow) { told <- s }})
	before := db.SlowCommits()
	err := db.Update(t.Context(), 7, func(tx *Tx) error {
		return People.Put(tx, 1, &record.Person{ID: 1, FullName: "Ada Byron"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := <-told; s.Account != 7 || s.Writes != 1 || s.Stored != 1 || s.Longest <= 0 || s.Took < s.Longest {
		t.Errorf("told %+v", s)
	}
	if n := db.SlowCommits() - before; n != 1 {
		t.Errorf("%d slow commits are counted", n)
	}
	if err := db.Update(t.Context(), 7, func(*Tx) error { return ErrNotFound }); err != ErrNotFound {
		t.Fatal(err)
	}
	patient := openDB(t, t.TempDir(), Options{Slow: time.Hour, OnSlow: func(s Slow) { told <- s }})
	write(t, patient, putPerson(1, "Ada Byron"))
	if len(told) != 0 || patient.SlowCommits() != 0 {
		t.Error("a quick commit is told")
	}
}
