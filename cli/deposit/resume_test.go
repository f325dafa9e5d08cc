package deposit

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The depositor and the connection are killed at request k, before or after the
// server did what was asked; a second run must finish everything exactly once.
// The state file as it is at that moment is what a kill would leave.
func TestKilledAtEveryRequest(t *testing.T) {
	t.Parallel()
	for _, parallel := range []int{1, 3} {
		for _, did := range []bool{false, true} {
			// Side by side the requests come in another order every time.
			for k, ended := 1, false; !ended; k += parallel {
				ended = killedAt(t, k, did, parallel)
			}
		}
	}
}

func killedAt(t *testing.T, k int, did bool, parallel int) (ended bool) {
	b := standard(t)
	defer b.Close()
	b.skew = 3 * time.Hour // the clocks need not agree
	o := b.options()
	o.Parallel = parallel
	left := filepath.Join(b.dir, "left")
	died := false
	b.set(func(n int, r *http.Request) fault {
		switch {
		case n < k:
			return none
		case n == k:
			died = true
			text, err := os.ReadFile(o.Items + ".deposit-state")
			if err == nil {
				err = os.WriteFile(left, text, 0o600)
			}
			if err != nil {
				t.Error(err)
			}
			if did {
				return dropAfter
			}
		}
		return dropBefore
	})
	b.run(o)
	b.set(nil)
	if !died {
		if err := checkStandard(b); err != nil {
			t.Errorf("without a kill: %v", err)
		}
		return true
	}
	o.State = left
	b.out.Reset()
	b.must(o)
	if err := checkStandard(b); err != nil {
		t.Errorf("killed at request %d (done %v, parallel %d): %v\n%s", k, did, parallel, err, b.out.String())
	}
	return false
}

// One request fails, before or after the server acted; the same run goes on and
// finds out what happened.
func TestOneFailureAtEveryRequest(t *testing.T) {
	t.Parallel()
	for what := dropBefore; what <= throttle; what++ {
		step := 3
		if what == dropAfter || what == failBefore {
			step = 1
		}
		for k, ended := 1, false; !ended; k += step {
			b := standard(t)
			ended = true
			b.set(func(n int, r *http.Request) fault {
				if n == k {
					ended = false
					return what
				}
				return none
			})
			sum, err := b.run(b.options())
			b.Close()
			if err == nil {
				err = checkStandard(b)
			}
			if err != nil {
				t.Errorf("fault %d at request %d: %v %v", what, k, err, sum.Failures)
			}
		}
	}
}

// Stopped through its context at any request, the run says how to go on, and
// going on completes it.
func TestStoppedAtEveryRequest(t *testing.T) {
	t.Parallel()
	ended := false
	for k := 1; !ended; k++ {
		b := standard(t)
		ctx, cancel := context.WithCancel(context.Background())
		ended = true
		last := 0
		b.set(func(n int, r *http.Request) fault {
			if last = n; n == k {
				ended = false
				cancel()
			}
			return none
		})
		_, err := Run(ctx, b.options())
		through := err == nil && last == k // its answer was read before anything was heard of the end
		if !ended && !through && (!errors.Is(err, context.Canceled) || !strings.Contains(b.out.String(), "the same command goes on from there")) {
			t.Fatalf("request %d: %v\n%s", k, err, b.out.String())
		}
		cancel()
		b.set(nil)
		b.must(b.options())
		b.Close()
		if err := checkStandard(b); err != nil {
			t.Errorf("stopped at request %d: %v", k, err)
		}
	}
}

// An unreachable server ends the run instead of failing every line.
func TestADeadServerStopsTheRun(t *testing.T) {
	b := standard(t)
	b.set(func(n int, r *http.Request) fault {
		if n > 9 {
			return dropBefore
		}
		return none
	})
	sum, err := b.run(b.options())
	if err == nil || len(sum.Failures) != 0 || sum.Remaining == 0 {
		t.Errorf("%v %+v", err, sum)
	}
}

func TestTheStateFileEndsInTheMiddleOfAWrite(t *testing.T) {
	t.Parallel()
	b := standard(t)
	b.must(b.options())
	path := b.options().Items + ".deposit-state"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records := strings.SplitAfter(string(text), "\n") // the last is empty
	last := len(records[len(records)-2]) + len(records[len(records)-3])
	for cut := range last + 1 {
		if err := os.WriteFile(path, text[:len(text)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		b.must(b.options())
		if err := checkStandard(b); err != nil {
			t.Fatalf("%d bytes cut: %v", cut, err)
		}
	}
	damaged := strings.Replace(string(text), `{"op":"create"`, `{"op":"cre`, 1)
	if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.run(b.options()); err == nil || !strings.Contains(err.Error(), "line 2 is not a record") {
		t.Errorf("a damaged record in the middle: %v", err)
	}
}

// A run that was killed may have told the server that the parts are there, and be heard when the next run has looked
// already: its own word is refused then, and the file is complete.
func TestCompletedLate(t *testing.T) {
	t.Parallel()
	b := standard(t)
	defer b.Close()
	late := 0
	b.set(func(_ int, r *http.Request) fault {
		if late < 2 && r.Method == "POST" && regexp.MustCompile(`/files/[0-9]+$`).MatchString(r.URL.Path) {
			late++
			b.late = true
		}
		return none
	})
	b.must(b.options())
	if err := checkStandard(b); err != nil || late != 2 {
		t.Error(err, late)
	}
}
