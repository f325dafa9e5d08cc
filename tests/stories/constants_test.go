package stories

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// No public answer, 304 included, takes more than ten times the memory of a page of a list, and no
// page more than sixteen times, as it has a citation in each style.
// Answers that stay the same as long as the server runs are rendered once.
func TestAnonymousAnswersAreCheap(t *testing.T) { // by itself: it measures what the process allocates
	if world.Raced {
		t.Skip("with the race detector a sync.Pool forgets things by chance")
	}
	s := stage.New(t)
	turn := 0
	cost := func(path, tag string) int {
		best := 1 << 40
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			const times = 10
			for range times {
				turn++
				r := s.Anon.Get(fmt.Sprintf("%s?turn=%d", path, turn), "If-None-Match", tag)
				if now := r.Header.Get("ETag"); r.StatusCode == 200 && now != tag && strings.Contains(path, "A_public_item") {
					tag = now // a page tells how often it was seen, which is counted a second later
					continue
				}
				r.Is(304)
			}
			runtime.ReadMemStats(&after)
			best = min(best, int(after.TotalAlloc-before.TotalAlloc)/times)
		}
		return best
	}
	page := cost("/v2/articles", s.Anon.Get("/v2/articles").Is(200).Header.Get("ETag"))
	met := 0
	for _, r := range routes.All() {
		if r.Method != "GET" || r.Access != endpoint.Public {
			continue
		}
		path := s.At(r)
		first := s.Anon.Get(path)
		tag := first.Header.Get("ETag")
		if first.StatusCode != 200 || tag == "" {
			continue
		}
		met++
		most := 10
		if r.About.IsPage() {
			most = 16
		}
		if n := cost(path, tag); n > most*page {
			t.Errorf("%s takes %d bytes, a page of a list %d", r.Path, n, page)
		}
	}
	if met < 15 {
		t.Errorf("only %d routes answered", met)
	}
}

// Pages of a collection that has very many members do not read all of them again.
func TestPagesOfLargeCollection(t *testing.T) { // by itself: it measures what the process allocates
	s := world.StartWithin(t)
	id := s.Ada.Published("The one that is public")
	at := s.Ada.NewCollection("Very many")
	s.Ada.Send("PUT", at, fmt.Sprintf(`{"articles": [%d], "authors": [{"name": "A B"}], "categories": [37]}`, id)).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Alter(func(tx *bucket.Tx) error {
		key := bucket.Pair{A: world.LastNumber(t, at), B: 1}
		v, err := published.CollectionVersions.Get(tx, key)
		if err != nil {
			return err
		}
		for n := range int64(50_000) {
			v.Articles = append(v.Articles, id+1+n)
		}
		return published.CollectionVersions.Put(tx, key, v)
	})
	turn := 0
	cost := func(path string) uint64 {
		const times = 20
		best := uint64(1 << 40)
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range times {
				turn++
				s.Anon.Get(fmt.Sprintf("%s?turn=%d", path, turn)).Is(200)
			}
			runtime.ReadMemStats(&after)
			best = min(best, (after.TotalAlloc-before.TotalAlloc)/times)
		}
		return best
	}
	page, public := cost("/v2/articles"), fmt.Sprint("/v2/collections/", world.LastNumber(t, at))
	for _, path := range []string{public + "/articles", public + "/versions/1", public} {
		if n := cost(path); n > 10*page {
			t.Errorf("%s takes %d bytes, a page of a list %d", path, n, page)
		}
	}
}
