package handlers

import (
	"fmt"
	"testing"
	"time"
)

func TestBuckets(t *testing.T) {
	b, now := newBuckets(2, 3), time.Now()
	for range 3 {
		if wait := b.take("a", now); wait != 0 {
			t.Fatalf("within the burst one waits %v", wait)
		}
	}
	if wait := b.take("a", now); wait != 500*time.Millisecond {
		t.Errorf("after the burst one waits %v", wait)
	}
	if wait := b.take("b", now); wait != 0 {
		t.Errorf("somebody else waits %v", wait)
	}
	if wait := b.take("a", now.Add(-time.Hour)); wait <= 0 {
		t.Error("a clock that goes back gives something")
	}
	now = now.Add(time.Minute)
	passed := 0
	for i := range 100 { // for ten seconds ten a second
		if b.take("a", now.Add(time.Duration(i)*100*time.Millisecond)) == 0 {
			passed++
		}
	}
	if passed < 21 || passed > 23 {
		t.Errorf("%d of 100 passed, want a burst of 3 and 2 a second", passed)
	}
}

// However many addresses come, their record is bounded, and a client just refused is not
// forgotten for idle ones (security.md I14).
func TestBucketsAreBounded(t *testing.T) {
	b, now := newBuckets(1, 2), time.Now()
	b.most = 100
	for i := range 10_000 {
		now = now.Add(50 * time.Millisecond)
		b.take("guesser", now)
		b.take("guesser", now)
		b.take(fmt.Sprint(i), now)
		if len(b.of) > b.most {
			t.Fatalf("%d are remembered", len(b.of))
		}
		if i > 100 && b.of["guesser"].left >= 1 {
			t.Fatal("who guesses was forgotten")
		}
	}
	for i := range 1000 { // all of them at once: none can be forgotten for nothing
		b.take(fmt.Sprint("x", i), now)
		if len(b.of) > b.most {
			t.Fatalf("%d are remembered", len(b.of))
		}
	}
}

func TestByteBudget(t *testing.T) {
	r := newByteBudget(10)
	if !r.take(6) || r.take(5) || !r.take(4) || r.take(1) {
		t.Error("more was taken than there is, or less")
	}
	r.give(4)
	if r.take(5) || !r.take(4) {
		t.Error("what was given back is not what can be taken")
	}
}
