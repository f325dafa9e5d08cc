package load

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"alcove/tests/world"
)

// act is a call to a register: one article, whose value is its title. "" is the value
// of an article that was deleted.
type act struct {
	kind       string // read, write, swap or delete
	value      string // that was read or written
	old        string // what a swap was to replace
	refused    bool   // 404, or 412 of a swap
	began, end time.Time
}

// step tells what a register holds after an operation, and whether it could have gone so.
func (o act) step(held string) (after string, possible bool) {
	switch {
	case o.kind == "read":
		return held, o.value == held
	case held == "": // nothing but 404
		return held, o.refused
	case o.kind == "swap" && o.refused:
		return held, held != o.old
	case o.kind == "swap":
		return o.value, held == o.old
	case o.refused:
		return held, false
	}
	return o.value, true // a write, or the deletion
}

// linearizable reports whether a history of at most 64 operations can be put into one order, in
// which each takes place between its beginning and its end, and each gives what the register held
// (Wing and Gong, 1993). States that were tried are noted by the set of operations done and the
// value (Lowe, 2017), so the search ends soon.
func linearizable(history []act, held string) bool {
	type place struct {
		done uint64
		held string
	}
	tried := map[place]bool{}
	all := uint64(1)<<len(history) - 1
	var search func(done uint64, held string) bool
	search = func(done uint64, held string) bool {
		if done == all {
			return true
		}
		if tried[place{done, held}] {
			return false
		}
		tried[place{done, held}] = true
		first := time.Time{} // at which the first of those that are left ended
		for i, o := range history {
			if done>>i&1 == 0 && (first.IsZero() || o.end.Before(first)) {
				first = o.end
			}
		}
		for i, o := range history {
			if done>>i&1 == 1 || o.began.After(first) {
				continue
			}
			if after, possible := o.step(held); possible && search(done|1<<i, after) {
				return true
			}
		}
		return false
	}
	return search(0, held)
}

// The checker takes what can have happened, and nothing else.
func TestLinearizable(t *testing.T) {
	at := func(from, to int, o act) act {
		o.began, o.end = time.UnixMilli(int64(from)), time.UnixMilli(int64(to))
		return o
	}
	read := func(v string) act { return act{kind: "read", value: v} }
	write := func(v string) act { return act{kind: "write", value: v} }
	swap := func(old, v string, refused bool) act {
		return act{kind: "swap", old: old, value: v, refused: refused}
	}
	gone := act{kind: "delete"}
	for _, c := range []struct {
		why     string
		history []act
		want    bool
	}{
		{"in order", []act{at(1, 2, write("b")), at(3, 4, read("b"))}, true},
		{"a stale read", []act{at(1, 2, write("b")), at(3, 4, read("a"))}, false},
		{"a read of what is being written", []act{at(1, 9, write("b")), at(2, 3, read("b")), at(4, 5, read("b"))}, true},
		{"a value that goes back", []act{at(1, 9, write("b")), at(2, 3, read("b")), at(4, 5, read("a"))}, false},
		{"two writes at once", []act{at(1, 9, write("b")), at(1, 9, write("c")), at(10, 11, read("b"))}, true},
		{"two writes at once, seen in both orders", []act{at(1, 9, write("b")), at(1, 9, write("c")), at(10, 11, read("b")), at(12, 13, read("c"))}, false},
		{"two swaps of one value", []act{at(1, 9, swap("a", "b", false)), at(1, 9, swap("a", "c", false))}, false},
		{"one of two swaps", []act{at(1, 9, swap("a", "b", false)), at(1, 9, swap("a", "c", true)), at(10, 11, read("b"))}, true},
		{"a swap refused for nothing", []act{at(1, 2, swap("a", "b", true))}, false},
		{"read after the end", []act{at(1, 2, gone), at(3, 4, read(""))}, true},
		{"alive after the end", []act{at(1, 2, gone), at(3, 4, read("a"))}, false},
		{"a write after the end", []act{at(1, 2, gone), at(3, 4, write("b"))}, false},
		{"gone before the end", []act{at(1, 2, read("")), at(3, 4, gone)}, false},
	} {
		if got := linearizable(c.history, "a"); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}

// Eight clients read, write, replace by condition and delete one article (security.md J16). Their
// answers are a linear history of one record.
func TestRaceRegister(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	seeds := rand.New(rand.NewPCG(*raceSeed, 2))
	for round := range *raceRounds {
		at := s.Ada.Article(`{"title": "value 0"}`)
		var mu sync.Mutex
		var history []act
		var all sync.WaitGroup
		for n := range 8 {
			random := rand.New(rand.NewPCG(seeds.Uint64(), uint64(n)))
			all.Go(func() {
				tag, seen := "", ""
				for i := range 7 {
					o, newTag := registerCall(s, at, random, fmt.Sprintf("value %d.%d", n, i), tag, seen)
					if o.kind == "read" {
						tag, seen = newTag, o.value
					}
					mu.Lock()
					history = append(history, o)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if !linearizable(history, "value 0") {
			for _, o := range history {
				t.Logf("%d to %d: %+v", o.began.UnixMicro(), o.end.UnixMicro(), o)
			}
			t.Fatalf("round %d: no order explains what was seen", round)
		}
	}
}

// registerCall makes a call by chance and tells what came of it, with the tag of what was
// read. tag and seen are of the caller's last read.
func registerCall(s *world.Server, at string, random *rand.Rand, value, tag, seen string) (o act, newTag string) {
	<-time.After(time.Duration(random.IntN(500)) * time.Microsecond)
	o = act{value: value, began: time.Now()}
	body := fmt.Sprintf(`{"title": %q}`, value)
	var r *world.Reply
	switch n := random.IntN(40); {
	case n == 0:
		o.kind, o.value = "delete", ""
		r = s.Ada.Do("DELETE", at, nil)
	case n < 10:
		o.kind = "write"
		r = s.Ada.Send("PUT", at, body)
	case n < 20 && seen != "":
		o.kind, o.old = "swap", seen
		r = s.Ada.Send("PUT", at, body, "If-Match", tag)
	default:
		o.kind, o.value = "read", ""
		r = s.Ada.Get(at)
	}
	o.end = time.Now()
	switch r.StatusCode {
	case http.StatusOK:
		o.value, _ = r.Object()["title"].(string)
		newTag = r.Header.Get("ETag")
	case http.StatusNotFound, http.StatusPreconditionFailed:
		o.refused = true
	case http.StatusResetContent, http.StatusNoContent:
	default:
		s.T.Errorf("%s answered %d", o.kind, r.StatusCode)
	}
	return o, newTag
}
