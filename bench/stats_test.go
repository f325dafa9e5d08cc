package main

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestSummarise(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		in   []float64
		want string
	}{
		{nil, "–"},
		{[]float64{nan}, "–"},
		{[]float64{3}, "3.00 (3.00–3.00)"},
		{[]float64{300, 1, 20}, "20.0 (1.00–300)"},
		{[]float64{4, 1, nan, 2, 3}, "2.50 (1.00–4.00)"},
	} {
		if got := summarise(tt.in).String(); got != tt.want {
			t.Errorf("%v: %s, not %s", tt.in, got, tt.want)
		}
	}
	in := []float64{2, 1}
	if summarise(in); !slices.Equal(in, []float64{2, 1}) {
		t.Error("the rounds were put into another order")
	}
}

func TestRatiosAreRoundByRound(t *testing.T) {
	got := ratios([]float64{2, 40, 6, 1}, []float64{1, 20, 0})
	if len(got) != 3 || got[0] != 2 || got[1] != 2 || !math.IsNaN(got[2]) {
		t.Error(got)
	}
}

func TestPercentile(t *testing.T) {
	var d []time.Duration
	for i := range 200 {
		d = append(d, time.Duration(i+1)*time.Millisecond)
	}
	for p, want := range map[float64]float64{0: 1, 0.5: 100, 0.99: 198, 1: 200} {
		if got := percentile(d, p); got != want {
			t.Errorf("%v: %v, not %v", p, got, want)
		}
	}
	if got := percentile(d[:1], 0.99); got != 1 {
		t.Errorf("of one: %v", got)
	}
	if !math.IsNaN(percentile(nil, 0.5)) {
		t.Error("of none there is a percentile")
	}
}

func TestNewSample(t *testing.T) {
	s := newSample([]time.Duration{3 * time.Millisecond, time.Millisecond, 2 * time.Millisecond, 2 * time.Millisecond}, 2*time.Second, 400*time.Microsecond)
	if want := (sample{rps: 2, cpu: 100, p50: 2, p99: 3}); s != want {
		t.Errorf("%+v, not %+v", s, want)
	}
	if s := newSample(nil, time.Second, 0); s.rps != 0 || !math.IsNaN(s.cpu) || !math.IsNaN(s.p50) {
		t.Errorf("of nothing: %+v", s)
	}
	if s := newSample([]time.Duration{1}, time.Second, -1); !math.IsNaN(s.cpu) {
		t.Errorf("without processor time: %+v", s)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1234.6: "1235", 12.34: "12.3", 1.234: "1.23", 0.01234: "0.012", math.Inf(1): "–"} {
		if got := number(v); got != want {
			t.Errorf("%v: %s, not %s", v, got, want)
		}
	}
}
