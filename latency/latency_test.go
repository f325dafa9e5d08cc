package latency

import (
	"testing"
	"time"
)

// A duration is in the first bucket whose end it does not pass, and in all after it.
func TestHistogram(t *testing.T) {
	var h Histogram
	for _, d := range []time.Duration{0, 500 * time.Microsecond, 501 * time.Microsecond, time.Second, time.Minute} {
		h.Observe(d)
	}
	c := h.Read()
	want := map[float64]uint64{0.0005: 2, 0.001: 3, 0.512: 3, 1.024: 4, 8.192: 4}
	for i, bound := range Bounds {
		if n, there := want[bound]; there && c.AtMost[i] != n {
			t.Errorf("%d took at most %v s, want %d", c.AtMost[i], bound, n)
		}
	}
	if c.All != 5 || c.Seconds < 61.0010 || c.Seconds > 61.0011 {
		t.Errorf("%d of %v s", c.All, c.Seconds)
	}
}
