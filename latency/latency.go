// Package latency counts how long things take, in histograms that cost two atomic additions an
// observation and never grow.
package latency

import (
	"sync/atomic"
	"time"
)

// Bounds are the upper ends of the buckets in seconds, each twice the one before: from what an
// SSD takes for a sync to what a disk takes that is about to fail.
var Bounds = [...]float64{0.0005, 0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512, 1.024, 2.048, 4.096, 8.192}

// Histogram counts durations by bucket. Its zero value is empty, and its methods may be called
// from many goroutines.
type Histogram struct {
	counts [len(Bounds) + 1]atomic.Uint64
	sum    atomic.Int64 // nanoseconds
}

// Observe counts a duration.
func (h *Histogram) Observe(d time.Duration) {
	i := 0
	for i < len(Bounds) && d.Seconds() > Bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.sum.Add(int64(d))
}

// Since counts the time since start.
func (h *Histogram) Since(start time.Time) { h.Observe(time.Since(start)) }

// Counts are what a histogram has counted: how many were at most each of Bounds, how many there
// were, and how long they took together.
type Counts struct {
	AtMost  [len(Bounds)]uint64
	All     uint64
	Seconds float64
}

// Read tells what was counted. What is observed meanwhile may be missing in one of its figures.
func (h *Histogram) Read() (c Counts) {
	for i := range h.counts {
		c.All += h.counts[i].Load()
		if i < len(Bounds) {
			c.AtMost[i] = c.All
		}
	}
	c.Seconds = time.Duration(h.sum.Load()).Seconds()
	return c
}
