package cli

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	// roomForGarbage is how many bytes a small heap may grow by before the garbage
	// collector runs. Go's own minimum of 4 MiB lets it run a hundred times a second on a
	// busy server that keeps next to nothing.
	roomForGarbage = 20 << 20
	// leastPercent is what a large heap may grow by: Go's own choice.
	leastPercent = 100
)

// collector lets the garbage collector of the process wait for roomForGarbage or for the
// heap to double, whichever is more: a small server collects seldom, and a large heap
// takes no more than it would without it. A GOGC or GOMEMLIMIT that the operator has set
// is left alone.
type collector struct {
	percent int
	ended   atomic.Bool
}

// startCollector begins after the next collection; end gives Go's own choice back.
func startCollector(getenv func(string) string) (end func()) {
	if getenv("GOGC") != "" || getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	c := &collector{percent: leastPercent}
	c.choose()
	return func() {
		c.ended.Store(true)
		debug.SetGCPercent(leastPercent)
	}
}

// collected is an object without references, so that its finalizer runs after a collection.
type collected struct{ _ *collected }

// choose sets the percentage for what lives now, and comes again after the next collection.
func (c *collector) choose() {
	if c.ended.Load() {
		return
	}
	if p := percentFor(liveBytes()); p != c.percent {
		c.percent = p
		debug.SetGCPercent(p)
	}
	runtime.SetFinalizer(&collected{}, func(*collected) { c.choose() })
}

// percentFor is by how much a heap of so many bytes may grow.
func percentFor(live uint64) int {
	return max(leastPercent, int(roomForGarbage*100/max(live, 1<<20)))
}

// liveBytes is what the last collection left.
func liveBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}
