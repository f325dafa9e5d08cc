package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// A small heap may grow by the same room whatever lives in it, a large one doubles.
func TestPercentFor(t *testing.T) {
	for _, live := range []uint64{0, 1 << 20, 4 << 20, 10 << 20, 19 << 20} {
		if room := max(live, 1<<20) * uint64(percentFor(live)) / 100; room > roomForGarbage || room < roomForGarbage*9/10 {
			t.Errorf("with %d bytes there is room for %d", live, room)
		}
	}
	for _, live := range []uint64{20 << 20, 100 << 20, 8 << 30} {
		if got := percentFor(live); got != leastPercent {
			t.Errorf("with %d bytes the heap may grow by %d percent", live, got)
		}
	}
}

// The choice follows the heap from one collection to the next, and ends.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(leastPercent))
	percent := func() int {
		p := debug.SetGCPercent(leastPercent)
		debug.SetGCPercent(p)
		return p
	}
	await := func(what string, ok func(int) bool) {
		t.Helper()
		for deadline := time.Now().Add(10 * time.Second); !ok(percent()); runtime.GC() {
			if time.Now().After(deadline) {
				t.Fatalf("%s: the heap may grow by %d percent", what, percent())
			}
		}
	}
	end := startCollector(func(string) string { return "" })
	await("small", func(p int) bool { return p > 2*leastPercent })
	large := make([]byte, 2*roomForGarbage)
	await("large", func(p int) bool { return p == leastPercent })
	runtime.KeepAlive(large)
	large = nil
	await("small again", func(p int) bool { return p > 2*leastPercent })
	end()
	runtime.GC()
	await("ended", func(p int) bool { return p == leastPercent })

	end = startCollector(func(name string) string { return map[string]string{"GOGC": "50"}[name] })
	defer end()
	for range 3 {
		runtime.GC()
	}
	if got := percent(); got != leastPercent {
		t.Errorf("an operator's choice is replaced by %d percent", got)
	}
}
