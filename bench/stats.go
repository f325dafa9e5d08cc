package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// sample is what one round of a measure gave. A value that was not measured is NaN.
type sample struct {
	rps      float64 // requests a second
	cpu      float64 // µs of the server's processor time for each request
	p50, p99 float64 // ms from sending a request to having read its answer
}

// summary is the median of some rounds and how far they lie apart.
type summary struct{ median, low, high float64 }

// summarise leaves out what is NaN; of nothing the summary is NaN.
func summarise(values []float64) summary {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(v) == 0 {
		return summary{math.NaN(), math.NaN(), math.NaN()}
	}
	slices.Sort(v)
	mid := v[len(v)/2]
	if len(v)%2 == 0 {
		mid = (v[len(v)/2-1] + mid) / 2
	}
	return summary{mid, v[0], v[len(v)-1]}
}

// ratios divides round by round, so that what slows a whole round does not count.
func ratios(over, under []float64) []float64 {
	out := make([]float64, min(len(over), len(under)))
	for i := range out {
		if out[i] = math.NaN(); under[i] != 0 {
			out[i] = over[i] / under[i]
		}
	}
	return out
}

// percentile is the value that a share p, from 0 to 1, of sorted durations do not exceed
// (nearest rank), in ms; NaN of none.
func percentile(sorted []time.Duration, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	rank := int(math.Ceil(p * float64(len(sorted))))
	return sorted[max(rank, 1)-1].Seconds() * 1000
}

// newSample makes a sample of what a load took: the latencies of its requests, the time
// on the clock and the processor time of the server, negative when it is not known.
func newSample(latencies []time.Duration, wall, cpu time.Duration) sample {
	slices.Sort(latencies)
	n := float64(len(latencies))
	s := sample{rps: n / wall.Seconds(), cpu: math.NaN(), p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99)}
	if cpu >= 0 && n > 0 {
		s.cpu = float64(cpu.Microseconds()) / n
	}
	return s
}

// number writes three digits that matter, and "–" for NaN.
func number(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a >= 100 || a == 0:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 1:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// String is the median with the spread behind it.
func (s summary) String() string {
	if math.IsNaN(s.median) {
		return "–"
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median), number(s.low), number(s.high))
}
