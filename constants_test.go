package main

import (
	"fmt"
	"runtime"
	"testing"

	"alcove/handlers"
)

// Section 4.8 and conditional requests: no answer that anybody may ask for, 304 included, takes more
// than ten times the memory of a page of a list. What is the same as long as the server runs is
// rendered once.
func TestAnonymousAnswersAreCheap(t *testing.T) { // by itself: it measures what the process allocates
	s := newStage(t)
	turn := 0
	cost := func(path, tag string) int {
		best := 1 << 40
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const times = 10
			for range times {
				turn++
				s.Anon.get(fmt.Sprintf("%s?turn=%d", path, turn), "If-None-Match", tag).is(304)
			}
			runtime.ReadMemStats(&after)
			best = min(best, int(after.TotalAlloc-before.TotalAlloc)/times)
		}
		return best
	}
	page := cost("/v2/articles", s.Anon.get("/v2/articles").is(200).Header.Get("ETag"))
	met := 0
	for _, r := range allRoutes() {
		if r.Method != "GET" || r.Access != handlers.Public {
			continue
		}
		path := s.at(r)
		first := s.Anon.get(path)
		tag := first.Header.Get("ETag")
		if first.StatusCode != 200 || tag == "" {
			continue
		}
		met++
		if n := cost(path, tag); n > 10*page {
			t.Errorf("%s takes %d bytes, a page of a list %d", r.Path, n, page)
		}
	}
	if met < 15 {
		t.Errorf("only %d routes answered", met)
	}
}
