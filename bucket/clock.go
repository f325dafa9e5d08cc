package bucket

import (
	"context"
	"fmt"
	"sync"
	"time"

	"alcove/bucket/clock"
	"alcove/record"
)

const (
	// usualAhead is how far a clock may be ahead of the last change at a start, where Options do not say.
	usualAhead = 400 * 24 * time.Hour
	// gapLeast is from when on a time in which no server ran is none that passed, see Ago.
	gapLeast = 2 * time.Hour
	// gapsMost bounds how many of them are remembered.
	gapsMost = 200
	// seenEvery is how often the store notes what the clock says.
	seenEvery = 30 * time.Minute
)

// storeTime is the time of a store. It goes by the machine's unless that is behind what the store has
// seen or far ahead of it. Then it goes on from what was seen last, and what time alone would end
// for good waits until an operator says that the machine is right: a wrong clock at a start is not told
// from a long pause otherwise.
type storeTime struct {
	wall  func() (now, expected time.Time)
	ahead time.Duration

	mu    sync.Mutex
	state record.ClockState
	noted time.Time // of state, what is stored
	doubt string
	last  time.Time // what the store had seen when the clock was judged
	from  time.Time // what the clock said then
}

// judge decides whether to go by the clock. last is what the store has seen.
func (c *storeTime) judge(last, wall time.Time) {
	c.last, c.from, c.doubt = last, wall, ""
	switch gap := wall.Sub(last); {
	case last.IsZero():
	case gap < -clock.Jump:
		c.doubt = clock.Behind
	case gap > c.ahead:
		c.doubt = clock.Ahead
	case gap >= gapLeast:
		c.pause(wall, gap)
	}
}

// pause remembers a time that has not passed for what waits.
func (c *storeTime) pause(end time.Time, length time.Duration) {
	c.state.Gaps = append(c.state.Gaps, record.Gap{End: end.UTC(), Seconds: int64(length / time.Second)})
	if n := len(c.state.Gaps) - gapsMost; n > 0 {
		c.state.Gaps = c.state.Gaps[n:]
	}
	c.noted = time.Time{}
}

// look asks the machine, and judges it again when its clock was set.
func (c *storeTime) look() time.Time {
	wall, expected := c.wall()
	switch {
	case !expected.IsZero():
		c.judge(c.run(expected), wall)
	case c.doubt == clock.Behind && !wall.Before(c.last): // it has come
		c.doubt = ""
	}
	return wall
}

// run is the time of the store when the machine says wall.
func (c *storeTime) run(wall time.Time) time.Time {
	if c.doubt == "" {
		return wall
	}
	return c.last.Add(max(0, wall.Sub(c.from)))
}

func (c *storeTime) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.run(c.look())
}

// due is the time by which something may end for good: it stands still while the clock is in doubt.
func (c *storeTime) due() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := c.look()
	if c.doubt == "" {
		return wall
	}
	if c.from.Before(c.last) {
		return c.from
	}
	return c.last
}

// latest is the latest that it can be.
func (c *storeTime) latest() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := c.look()
	if t := c.run(wall); t.After(wall) {
		return t
	}
	return wall
}

// startClock begins to go by a clock, from what the store has seen.
func (db *DB) startClock(test func() time.Time, ahead time.Duration) error {
	c := &storeTime{ahead: ahead}
	if c.ahead == 0 {
		c.ahead = usualAhead
	}
	c.wall = clock.NewGuard(clock.System()).Tell
	if test != nil {
		c.wall = func() (time.Time, time.Time) { return test(), time.Time{} }
	}
	last := db.LastChange()
	err := db.View(func(tx *Tx) error {
		s, err := ClockStates.Get(tx, clockKey)
		if err != nil || s == nil {
			return nil // none yet; a damaged one is told by a check, and made again
		}
		c.state, c.noted = *s, s.Seen
		if s.Seen.After(last) || !last.After(s.Until) {
			last = s.Seen
		}
		return nil
	})
	if err != nil {
		return err
	}
	wall, _ := c.wall()
	c.judge(last, wall)
	db.time, db.clock = c, c.now
	return nil
}

// Clock tells whether the store goes by the machine's clock.
func (db *DB) Clock() clock.State {
	c := db.time
	c.mu.Lock()
	defer c.mu.Unlock()
	wall := c.look()
	return clock.State{Doubt: c.doubt, Wall: wall.UTC(), Last: c.last.UTC()}
}

// Time is what it is for the store: the machine's clock, guarded as the package says.
func (db *DB) Time() time.Time { return db.clock() }

// Ago is the moment since when so much time has passed for what waits. Times in which no server ran,
// and those that a clock skipped, have not passed for it; none has while the clock is in doubt: then
// it is the zero time.
func (db *DB) Ago(d time.Duration) time.Time {
	c := db.time
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.run(c.look())
	if c.doubt != "" {
		return time.Time{}
	}
	t = t.Add(-d)
	for i := len(c.state.Gaps) - 1; i >= 0; i-- {
		if g := c.state.Gaps[i]; g.End.After(t) {
			t = t.Add(-time.Duration(g.Seconds) * time.Second)
		}
	}
	return t
}

// NoteClock stores from time to time what the clock says, so that the next start can tell a pause
// from a jump. It stores nothing of a clock that is in doubt.
func (db *DB) NoteClock(ctx context.Context) error {
	c := db.time
	c.mu.Lock()
	now := c.look()
	skip := c.doubt != "" || now.Sub(c.noted).Abs() < seenEvery
	s := c.state
	c.mu.Unlock()
	if skip {
		return nil
	}
	s.Seen = now.UTC()
	return db.keepClock(ctx, s)
}

// AcceptClock says that the machine's clock is right, whatever the store has seen.
func (db *DB) AcceptClock(ctx context.Context) error {
	c := db.time
	c.mu.Lock()
	wall := c.look()
	if gap := wall.Sub(c.last); c.doubt == clock.Ahead {
		c.pause(wall, gap)
	}
	s := c.state
	s.Seen, s.Gaps = wall.UTC(), nil
	for _, g := range c.state.Gaps {
		if !g.End.After(wall) {
			s.Gaps = append(s.Gaps, g)
		}
	}
	if last := db.LastChange(); last.After(wall) {
		s.Until = last // what is dated until then tells nothing of the time
	}
	c.mu.Unlock()
	if err := db.keepClock(ctx, s); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubt, c.last, c.from = "", wall, wall
	return nil
}

func (db *DB) keepClock(ctx context.Context, s record.ClockState) error {
	err := db.Update(Frees(ctx), 0, func(tx *Tx) error { return ClockStates.Put(tx, clockKey, &s) })
	if err != nil {
		return fmt.Errorf("cannot note what the clock says: %w", err)
	}
	c := db.time
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.noted = s, s.Seen
	return nil
}

// clockKey is the only key of ClockStates.
const clockKey = "clock"

// ClockStates has what the store has seen of the clock. It tells nothing of the repository, so it is
// not in the change log.
var ClockStates = ByName[record.ClockState]("clock").Unlogged()

// SafeTime is a moment that is before no change which is still to be committed, and after every one that was: a reader
// who opens a transaction after it was told misses nothing by asking for all changes since then.
func (db *DB) SafeTime() time.Time {
	now := db.notBefore(db.clock())
	if began := db.writing.Load(); began != 0 && began < now.UnixNano() {
		return time.Unix(0, began).UTC()
	}
	return now.UTC()
}
