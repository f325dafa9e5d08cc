package bucket

import (
	"sync"
	"time"
)

const (
	// jump is how far a clock may be away from where it should be without having been set.
	jump = time.Minute
	// believed is after how long the store goes by a clock that was set.
	believed = time.Hour
)

// guard is a clock that does not jump with the system's. When that is set while the process
// runs, the guard goes on as if nothing had happened, and goes by the new time an hour later:
// a clock that was set wrong, and back again, ends no embargo and dates nothing. How long
// something took is told by the monotonic clock, which nobody sets.
type guard struct {
	system func() (wall time.Time, running time.Duration)

	mu    sync.Mutex
	known time.Time     // what was right last
	at    time.Duration // when that was, by the monotonic clock
	since time.Duration // when the clock was found to have been set
	set   bool          // it was
}

// systemClock tells the time, and how long the process has been running by the monotonic clock.
func systemClock() func() (time.Time, time.Duration) {
	start := time.Now()
	return func() (time.Time, time.Duration) {
		t := time.Now()
		return t.Round(0), t.Sub(start)
	}
}

func newGuard(system func() (time.Time, time.Duration)) *guard {
	g := &guard{system: system}
	g.known, g.at = system()
	return g
}

func (g *guard) now() time.Time {
	wall, running := g.system()
	g.mu.Lock()
	defer g.mu.Unlock()
	expected := g.known.Add(running - g.at)
	off := wall.Sub(expected).Abs()
	switch {
	case off <= jump:
	case !g.set:
		g.set, g.since = true, running
		return expected
	case running-g.since < believed:
		return expected
	}
	g.known, g.at, g.set = wall, running, false
	return wall
}
