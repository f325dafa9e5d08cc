// Package clock is the clock of the machine, and how far a store goes by it.
package clock

import (
	"sync"
	"time"
)

const (
	// Jump is how far a clock may be away from where it should be without having been set.
	Jump = time.Minute
	// believed is after how long the store goes by a clock that was set.
	believed = time.Hour
)

// Wall is what the machine's clock says. Tests set it, before anything is opened.
var Wall = time.Now

// Guard is a clock that does not jump with the system's. When that is set while the process
// runs, the guard goes on as if nothing had happened, and goes by the new time an hour later:
// a clock that was set wrong, and back again, ends no embargo and dates nothing. How long
// something took is told by the monotonic clock, which is never set.
type Guard struct {
	system func() (wall time.Time, running time.Duration)

	mu    sync.Mutex
	known time.Time     // what was right last
	at    time.Duration // when that was, by the monotonic clock
	since time.Duration // when the clock was found to have been set
	set   bool          // it was
}

// System tells the time, and how long the process has been running by the monotonic clock.
func System() func() (time.Time, time.Duration) {
	start := time.Now()
	return func() (time.Time, time.Duration) { return Wall().Round(0), time.Since(start) }
}

// NewGuard is a guard of a clock that tells the time, and how long the process has been running.
func NewGuard(system func() (time.Time, time.Duration)) *Guard {
	g := &Guard{system: system}
	g.known, g.at = system()
	return g
}

// Tell is the time. When the guard goes by a clock that was set from now on, expected is what it
// would say otherwise, and else zero.
func (g *Guard) Tell() (now, expected time.Time) {
	wall, running := g.system()
	g.mu.Lock()
	defer g.mu.Unlock()
	should := g.known.Add(running - g.at)
	off := wall.Sub(should).Abs()
	switch {
	case off <= Jump:
	case !g.set:
		g.set, g.since = true, running
		return should, time.Time{}
	case running-g.since < believed:
		return should, time.Time{}
	default:
		expected = should
	}
	g.known, g.at, g.set = wall, running, false
	return wall, expected
}

// Doubts about a clock.
const (
	Behind = "behind" // the last change of the store
	Ahead  = "ahead"  // further than may be, of the last change
)

// State is how far a store goes by the machine's clock.
type State struct {
	Doubt string    `json:"doubt"` // Behind, Ahead, or empty
	Wall  time.Time `json:"clock"` // what it says
	Last  time.Time `json:"last"`  // until when the store was known to run, when the clock was looked at; zero for a new one
}
