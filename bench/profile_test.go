package main

import (
	"math"
	"testing"
)

const traces = `File: x
Type: cpu
Duration: 1s
-----------+-------------------------------------------------------
      10ms   internal/runtime/syscall.Syscall6
             syscall.write
             internal/poll.(*FD).Write (inline)
             net.(*conn).Write
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      20ms   runtime.memmove
             go.etcd.io/bbolt.(*Cursor).seek
             alcove/bucket.(*Table).Get
             alcove/handlers.(*API).list
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      30ms   runtime.mallocgc
             alcove/handlers.(*API).list
             net/http.(*conn).serve
-----------+-------------------------------------------------------
      25ms   runtime.scanobject
             runtime.gcBgMarkWorker
-----------+-------------------------------------------------------
      15ms   runtime.futex
             runtime.findRunnable
`

// A stack belongs to the innermost part that has a function on it.
func TestParts(t *testing.T) {
	want := map[string]float64{
		programParts[0].text: 0.1, "bbolt": 0.2, "Alcove's handlers: routing, reading the request, answering": 0.3,
		ofCollector: 0.25, ofScheduler: 0.15,
	}
	got := parts(traces)
	if len(got) != len(want) {
		t.Errorf("%d parts: %v", len(got), got)
	}
	for i, p := range got {
		if math.Abs(p.share-want[p.text]) > 1e-9 {
			t.Errorf("%q has %.2f", p.text, p.share)
		}
		if i > 0 && p.share > got[i-1].share {
			t.Error("the largest does not come first")
		}
	}
}
