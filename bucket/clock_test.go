package bucket

import (
	"testing"
	"time"

	"alcove/bucket/clock"
)

// L02: dates and the log never run backwards, whatever the clock says that
// was accepted, also after a restart; but a day that decides what is shown is the clock's.
func TestClockJumps(t *testing.T) {
	dir := t.TempDir()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	o := Options{Clock: func() time.Time { return now }}
	db := openDB(t, dir, o)
	var last time.Time
	for _, year := range []int{2026, 1970, 2105, 2026, 1960, 2105, 2026, 2038} {
		now = time.Date(year, 5, 1, 12, 0, 0, 0, time.UTC)
		if err := db.AcceptClock(t.Context()); err != nil {
			t.Fatal(err)
		}
		write(t, db, func(tx *Tx) error {
			if tx.Now().Before(last) || !tx.Clock().Equal(now) {
				t.Errorf("in %d: dated %v after %v, and the clock says %v", year, tx.Now(), last, tx.Clock())
			}
			last = tx.Now()
			return putPerson(1, now.String())(tx)
		})
		read(t, db, func(tx *Tx) error {
			if tx.Now().Before(last) || !tx.Clock().Equal(now) {
				t.Errorf("read in %d: %v after %v, and the clock says %v", year, tx.Now(), last, tx.Clock())
			}
			return nil
		})
		closeDB(t, db)
		db = openDB(t, dir, o)
	}
	read(t, db, func(tx *Tx) error {
		before := time.Time{}
		for c, err := range tx.Changes(0) {
			if err != nil || c.Time.Before(before) {
				t.Errorf("the log goes from %v to %v, %v", before, c.Time, err)
			}
			before = c.Time
		}
		return tx.CheckChain()
	})
}

// A clock that is behind what the store has seen, or far ahead of it, is not gone by at a start:
// the store goes on from what it saw last, what time would end for good waits, and what has run
// out by either stays so, until the clock is right again or an operator says that it is.
func TestClockInDoubt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	now := start
	var db *DB
	reopen := func(at time.Time) {
		t.Helper()
		if db != nil {
			closeDB(t, db)
		}
		now = at
		db = openDB(t, dir, Options{Clock: func() time.Time { return now }})
	}
	is := func(what, doubt string, dated, due, latest time.Time) {
		t.Helper()
		if got := db.Clock().Doubt; got != doubt {
			t.Errorf("%s: the doubt is %q, want %q", what, got, doubt)
		}
		read(t, db, func(tx *Tx) error {
			if !tx.Now().Equal(dated) || !tx.Clock().Equal(due) || !tx.Latest().Equal(latest) {
				t.Errorf("%s: dated %v, due %v, latest %v", what, tx.Now(), tx.Clock(), tx.Latest())
			}
			return nil
		})
		if waits := db.Ago(time.Hour).IsZero(); waits != (doubt != "") {
			t.Errorf("%s: what waits for an hour waits on: %v", what, waits)
		}
	}
	const day = 24 * time.Hour
	reopen(start)
	is("new", "", start, start, start)
	write(t, db, putPerson(1, "P"))

	reopen(start.Add(-time.Minute))
	is("a minute off", "", start, now, start)
	reopen(start.Add(401 * day))
	ahead := now
	is("far ahead", clock.Ahead, start, start, ahead)
	now = now.Add(day)
	is("a day later", clock.Ahead, start.Add(day), start, now)
	write(t, db, putPerson(2, "P")) // is dated with what was seen
	seen := start.Add(day)
	reopen(ahead.Add(day))
	is("after a write and a restart", clock.Ahead, seen, seen, now)
	reopen(seen.Add(-365 * day))
	is("a year behind", clock.Behind, seen, now, seen)
	behind := now
	now = now.Add(time.Hour)
	is("an hour later", clock.Behind, seen.Add(time.Hour), behind, seen.Add(time.Hour))
	now = seen.Add(time.Hour)
	is("when it has caught up", "", now, now, now)

	// A pause is none, but has not passed for what waits.
	if err := db.NoteClock(t.Context()); err != nil {
		t.Fatal(err)
	}
	reopen(seen.Add(300 * day))
	is("after a pause", "", now, now, now)
	if got, want := db.Ago(day), seen.Add(time.Hour-day); !got.Equal(want) {
		t.Errorf("a day has passed since %v, want %v", got, want)
	}
	if err := db.NoteClock(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, db, putPerson(3, "P"))
	reopen(now.Add(time.Hour)) // no pause
	if got, want := db.Ago(day), seen.Add(2*time.Hour-day); !got.Equal(want) {
		t.Errorf("after a restart a day has passed since %v, want %v", got, want)
	}

	// Accepted it stays accepted, though changes are dated later.
	late := now
	reopen(seen.Add(30 * day))
	accept := func() {
		t.Helper()
		if err := db.AcceptClock(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if db.Clock().Doubt != clock.Behind {
		t.Error("the clock is set back, and there is no doubt")
	}
	accept()
	last := late.Add(-time.Hour)
	is("accepted", "", last, now, last)
	write(t, db, putPerson(4, "P"))
	reopen(now.Add(time.Hour))
	is("accepted, after a restart", "", last, now, last)
	reopen(now.Add(500 * day))
	if db.Clock().Doubt != clock.Ahead {
		t.Error("500 days ahead there is no doubt")
	}
	accept()
	is("accepted far ahead", "", now, now, now)
	reopen(now)
	is("accepted far ahead, after a restart", "", now, now, now)
}
