package clock

import (
	"testing"
	"time"
)

// The clock of a store does not jump with that of the system: L02, L04.
func TestGuard(t *testing.T) {
	start := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	var running, set time.Duration
	g := NewGuard(func() (time.Time, time.Duration) { return start.Add(running + set), running })
	at := func(when string, pass, jump time.Duration, want time.Duration) {
		t.Helper()
		running, set = running+pass, set+jump
		if got, _ := g.Tell(); !got.Equal(start.Add(want)) {
			t.Errorf("%s: %v, want %v", when, got.Sub(start), want)
		}
	}
	const h, year = time.Hour, 365 * 24 * time.Hour
	at("at the start", 0, 0, 0)
	at("later", 10*h, 0, 10*h)
	at("set by some seconds", h, 5*time.Second, 11*h+5*time.Second)
	at("set back again", 0, -5*time.Second, 11*h)
	at("far ahead", 0, 79*year, 11*h)
	at("still", h/2, 0, 11*h+h/2)
	at("and back", 0, -79*year, 11*h+h/2)
	at("ahead once more", 0, year, 11*h+h/2)
	at("nearly believed", h-1, 0, 12*h+h/2-1)
	at("believed", 1, 0, year+12*h+h/2)
	at("goes on", h, 0, year+13*h+h/2)
	at("to 1970", 0, -56*year-year, year+13*h+h/2)
	at("believed after an hour", h, 0, -56*year+14*h+h/2)
}
