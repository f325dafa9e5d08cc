package wire

import (
	"fmt"
	"testing"
	"time"
)

func TestRates(t *testing.T) {
	b, now := NewRates(2, 3), time.Now()
	for range 3 {
		if wait := b.Take("a", now); wait != 0 {
			t.Fatalf("within the burst one waits %v", wait)
		}
	}
	if wait := b.Take("a", now); wait != 500*time.Millisecond {
		t.Errorf("after the burst one waits %v", wait)
	}
	if wait := b.Take("b", now); wait != 0 {
		t.Errorf("another caller waits %v", wait)
	}
	if wait := b.Take("a", now.Add(-time.Hour)); wait <= 0 {
		t.Error("a clock that goes back gives something")
	}
	now = now.Add(time.Minute)
	passed := 0
	for i := range 100 { // for ten seconds ten a second
		if b.Take("a", now.Add(time.Duration(i)*100*time.Millisecond)) == 0 {
			passed++
		}
	}
	if passed < 21 || passed > 23 {
		t.Errorf("%d of 100 passed, want a burst of 3 and 2 a second", passed)
	}
}

// However many addresses come, their record is bounded, and a client just refused is not
// forgotten for idle ones (security.md I14).
func TestRatesAreBounded(t *testing.T) {
	b, now := NewRates(1, 2), time.Now()
	b.most = 100
	for i := range 10_000 {
		now = now.Add(50 * time.Millisecond)
		b.Take("guesser", now)
		b.Take("guesser", now)
		b.Take(fmt.Sprint(i), now)
		if len(b.of) > b.most {
			t.Fatalf("%d are remembered", len(b.of))
		}
		if i > 100 && b.of["guesser"].TokensAt(now) >= 1 {
			t.Fatal("the guesser was forgotten")
		}
	}
	for i := range 1000 { // all of them at once: none can be forgotten for nothing
		b.Take(fmt.Sprint("x", i), now)
		if len(b.of) > b.most {
			t.Fatalf("%d are remembered", len(b.of))
		}
	}
}
