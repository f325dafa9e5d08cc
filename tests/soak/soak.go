// Package soak is clients that write and search for a long time while the server is killed or damaged, the items
// and searches that they are given, and what they find wrong.
package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/record/catalogue"
	"alcove/tests/world"
)

// Soak is what the clients of a soak share: where the server is, what is known to be
// public, and what went wrong.
type Soak struct {
	T           *testing.T
	Base, Token string
	HTTP        *http.Client
	Done        chan struct{}

	Mu      sync.Mutex
	Epoch   int  // of the process: a kill begins the next one
	Down    bool // from before a kill to after the start
	Known   map[string]Marked
	names   []string // the keys of known
	Errors  []string
	Lenient bool            // a search that has waited in vain, or is told to come again, is no error
	Late    int             // how many did
	Waits   []time.Duration // from an acknowledged publication to a search that has it
	Slowest map[string]time.Duration
	Writes  int
	Reads   int
}

// Marked is what is known of the item with a marker. While a write is under way, or after one
// without an answer, nothing is known.
type Marked struct {
	id      int64
	public  bool
	certain bool
	version int
}

func (s *Soak) Wrong(format string, args ...any) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Errors = append(s.Errors, fmt.Sprintf(format, args...))
}

func (s *Soak) now() (epoch int, down bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Epoch, s.Down
}

func (s *Soak) ended() bool {
	select {
	case <-s.Done:
		return true
	default:
		return false
	}
}

// set changes what is known of a marker.
func (s *Soak) set(marker string, id int64, public, certain bool) {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	m, old := s.Known[marker]
	if !old {
		s.names = append(s.names, marker)
	}
	s.Known[marker] = Marked{id, public, certain, m.version + 1}
}

func (s *Soak) get(marker string) Marked {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	return s.Known[marker]
}

// send sends a request; ok is false when the server was killed meanwhile. A connection
// that ends for any other reason is an error.
func (s *Soak) send(method, path, body string) (status int, reply []byte, ok bool) {
	for {
		before, down := s.now()
		if down {
			if s.ended() {
				return 0, nil, false
			}
			<-time.After(5 * time.Millisecond)
			continue
		}
		req, err := http.NewRequest(method, s.Base+path, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Authorization", "token "+s.Token)
		begun := time.Now()
		res, err := s.HTTP.Do(req)
		if err == nil {
			reply, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		took := time.Since(begun)
		if err == nil {
			s.took(method+" "+path, took)
			return res.StatusCode, reply, true
		}
		if after, down := s.now(); after == before && !down {
			s.Wrong("%s %s: %v after %s", method, path, err, took)
		}
		return 0, nil, false
	}
}

// took notes the slowest answer of each address.
func (s *Soak) took(what string, d time.Duration) {
	what = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, what)
	s.Mu.Lock()
	defer s.Mu.Unlock()
	s.Slowest[what] = max(s.Slowest[what], d)
}

// write sends a request that has to be answered with a status.
func (s *Soak) write(status int, method, path, body string) (reply []byte, ok bool) {
	got, reply, ok := s.send(method, path, body)
	if ok && got != status {
		s.Wrong("%s %s answered %d, want %d: %.300s", method, path, got, status, reply)
		return nil, false
	}
	s.Mu.Lock()
	s.Writes++
	s.Mu.Unlock()
	return reply, ok
}

// IDs are what a search finds. It is sent again when the server is killed.
func (s *Soak) IDs(q SavedSearch) (ids []int64, ok bool) {
	for {
		status, reply, there := s.send("POST", q.path, q.body)
		if !there {
			if s.ended() {
				return nil, false
			}
			continue
		}
		s.Mu.Lock()
		s.Reads++
		vain := s.Lenient && status == http.StatusServiceUnavailable
		if vain {
			s.Late++
		}
		s.Mu.Unlock()
		if vain && !s.ended() {
			continue
		}
		var list []struct{ ID int64 }
		if status != 200 || json.Unmarshal(reply, &list) != nil {
			s.Wrong("%s answered %d: %.300s", q, status, reply)
			return nil, false
		}
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		return ids, true
	}
}

// look searches for a marker and holds what is found against what was acknowledged.
func (s *Soak) look(marker string) (found bool) {
	before := s.get(marker)
	begun := time.Now()
	ids, ok := s.IDs(SavedSearch{path: "/v2/articles/search", body: world.AsJSON(map[string]any{"search_for": marker})})
	if after := s.get(marker); !ok || !before.certain || before != after {
		return false
	}
	if waited := time.Since(begun) >= 2*time.Second; s.Lenient && waited && before.public && len(ids) == 0 {
		s.Mu.Lock()
		s.Late++
		s.Mu.Unlock()
		return false
	}
	if found = slices.Equal(ids, []int64{before.id}); found != before.public || !found && len(ids) > 0 {
		s.Wrong("item %d is public: %v, and after %s a search finds %v", before.id, before.public, time.Since(begun), ids)
	}
	return found
}

// markerOf is a word that no other number has: consonants only, which nothing stems or divides.
func markerOf(writer, n int) string {
	b := []byte{'q', 'x', "bdfgh"[writer], 0, 0, 0, 0}
	for i := range 4 {
		b[3+i] = "bcdfghjklmnpqrtvwxz"[n%19]
		n /= 19
	}
	return string(b)
}

// Writer publishes, changes and withdraws items until the end, and looks at each for what
// was acknowledged.
func (s *Soak) Writer(n int) {
	r, words := rand.New(rand.NewPCG(uint64(n), 3)), Words()
	type item struct {
		at, marker string
		id         int64
		public     bool
	}
	var items []item
	for k := 0; !s.ended(); k++ {
		marker := markerOf(n, 2*k)
		if len(items) == 0 || r.IntN(3) == 0 {
			reply, ok := s.write(201, "POST", "/v2/account/articles", body(r, words, marker))
			var made struct{ Location string }
			if !ok || json.Unmarshal(reply, &made) != nil {
				continue
			}
			at := strings.TrimPrefix(made.Location, s.Base)
			items = append(items, item{at: at, marker: marker, id: world.LastNumber(s.T, at)})
		}
		i := r.IntN(len(items))
		it := &items[i]
		withdraw := it.public && r.IntN(3) == 0
		s.set(it.marker, it.id, false, false)
		var ok bool
		if withdraw {
			_, ok = s.write(204, "POST", it.at+"/unpublish", world.WhyWithdrawn)
		} else {
			if it.public {
				marker = markerOf(n, 2*k+1)
				s.set(marker, it.id, false, false)
				_, ok = s.write(205, "PATCH", it.at, body(r, words, marker))
			} else {
				marker, ok = it.marker, true
			}
			if ok {
				_, ok = s.write(201, "POST", it.at+"/publish", "")
			}
		}
		if !ok { // its outcome is unknown
			items = slices.Delete(items, i, i+1)
			continue
		}
		acknowledged := time.Now()
		if it.marker != marker {
			s.set(it.marker, it.id, false, true)
		}
		if it.public = !withdraw; withdraw {
			marker = it.marker
		}
		it.marker = marker
		s.set(marker, it.id, it.public, true)
		epoch, _ := s.now()
		if s.look(marker) {
			if after, _ := s.now(); after == epoch {
				s.Mu.Lock()
				s.Waits = append(s.Waits, time.Since(acknowledged))
				s.Mu.Unlock()
			}
		}
	}
}

// Reader asks saved searches, and for what was acknowledged before, until the end.
func (s *Soak) Reader(n int, searches []SavedSearch) {
	r := rand.New(rand.NewPCG(uint64(n), 4))
	for !s.ended() {
		s.IDs(searches[r.IntN(len(searches))])
		s.Mu.Lock()
		marker := ""
		if len(s.names) > 0 {
			marker = s.names[r.IntN(len(s.names))]
		}
		s.Mu.Unlock()
		if marker != "" {
			s.look(marker)
		}
	}
}

// Words are the words of the items of a soak: plain ones of every frequency, and those
// that search languages stumble over.
func Words() (words []string) {
	for _, a := range []string{"gla", "mer", "tor", "vin", "sel", "por", "lun", "dra", "qui", "ber", "fos", "hal"} {
		for _, b := range []string{"cier", "idian", "ment", "ograph", "ition", "ular", "opod", "escent", "ation", "ism"} {
			words = append(words, a+b)
		}
	}
	return append(words, "Müller", "co-author", "naïve", "CamelCase", "figure3_5.m", "日本列島", "東日本", "H2O", "straße", "running", "cells")
}

// picked takes the first words often and the last ones rarely.
func picked(r *rand.Rand, words []string) string {
	return words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())]
}

func Phrase(r *rand.Rand, words []string, n int) string {
	var b []string
	for range n {
		b = append(b, picked(r, words))
	}
	return strings.Join(b, " ")
}

var itemTypes = []string{"dataset", "figure", "poster", "software", "presentation"}

var categories = catalogue.Categories()[:30]

// Lines are the lines of a file for alcove import; the same seed makes the same ones.
func Lines(seed uint64, n int) string {
	r, words := rand.New(rand.NewPCG(seed, 1)), Words()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for i := range n {
		line := map[string]any{
			"key": fmt.Sprintf("soak-%d", i), "title": Phrase(r, words, 5), "description": "<p>" + Phrase(r, words, 30) + "</p>",
			"tags": []string{Phrase(r, words, 2), picked(r, words)}, "categories": []int64{categories[r.IntN(len(categories))].ID}, "license": 1 + r.IntN(3),
			"authors":      []map[string]string{{"first_name": picked(r, words), "last_name": fmt.Sprintf("Surname%d", r.IntN(50))}, {"name": "Ada Lovelace"}},
			"defined_type": itemTypes[r.IntN(len(itemTypes))], "resource_doi": fmt.Sprintf("10.9999/r%d", r.IntN(40)), "resource_title": Phrase(r, words, 3),
			"references": []string{fmt.Sprintf("https://doi.org/10.8888/x%d", r.IntN(90))}, "publish": i%10 != 0,
		}
		if enc.Encode(line) != nil {
			panic("maps of texts are JSON")
		}
	}
	return b.String()
}

// SavedSearch is a search that is repeated: address, body and account.
type SavedSearch struct {
	path, body string
	own        bool
}

func (q SavedSearch) String() string { return q.path + " " + q.body }

// SavedSearches are n searches of every field and operator, in every order, with every
// filter.
func SavedSearches(seed uint64, n int) (list []SavedSearch) {
	r, words := rand.New(rand.NewPCG(seed, 2)), Words()
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	for i := range n {
		w := func() string { return picked(r, words) }
		text := []func() string{
			w,
			func() string { return w() + " " + w() },
			func() string { return w() + " AND " + w() },
			func() string { return w() + " OR " + w() + " AND " + w() },
			func() string { return w() + " NOT " + w() },
			func() string { return "(" + w() + " OR " + w() + ") AND " + w() },
			func() string { return `"` + w() + " " + w() + `"` },
			func() string { return ":title: " + w() + " AND " + w() },
			func() string { return ":description: " + w() },
			func() string { return ":tag: " + w() },
			func() string { return ":author: Surname" + fmt.Sprint(r.IntN(50)) },
			func() string { return ":category: " + fmt.Sprint(categories[r.IntN(len(categories))].ID) },
			func() string { return ":resource_doi: 10.9999/r" + fmt.Sprint(r.IntN(40)) },
			func() string { return ":resource_title: " + w() },
			func() string { return ":references: 10.8888/x" + fmt.Sprint(r.IntN(90)) },
			func() string { return ":item_type: " + one(itemTypes...) + " AND " + w() },
			func() string { return ":licence: CC BY 4.0 AND " + w() },
			func() string { return ":institution: 1 NOT " + w() },
			func() string { return ":published_after: 2020-01-01 AND " + w() },
			func() string { return ":published_before: 2100-01-01 AND " + w() },
			func() string { return ":search_term: " + w() },
			func() string { return "10.5072/alcove." + fmt.Sprint(1+r.IntN(50)) },
			func() string { return `:title: "` + w() + " " + w() + `" OR :tag: ` + w() },
		}[i%23]()
		body := map[string]any{"search_for": text, "limit": 1000, "order_direction": one("asc", "desc")}
		q := SavedSearch{path: "/v2/articles/search"}
		switch i % 8 {
		case 5:
			q.path, q.own = "/v2/account/articles/search", true
			body["limit"], body["order"] = 100, one("published_date", "modified_date")
		case 6:
			q.path = "/v2/collections/search"
		case 7:
			q.path = "/v2/projects/search"
		}
		if !q.own {
			body["order"] = one("published_date", "created_date", "modified_date")
		}
		if i%8 < 5 {
			body["order"] = one("published_date", "created_date", "modified_date", "views", "shares", "downloads", "cites")
		}
		switch i % 5 {
		case 1:
			body["item_type"] = 1 + r.IntN(10)
		case 2:
			body["resource_doi"] = "10.9999/r" + fmt.Sprint(r.IntN(40))
		case 3:
			body["published_since"], body["institution"] = "2020-01-01", 1
		case 4:
			body["modified_since"] = "2020-01-01"
		}
		q.body = world.AsJSON(body)
		list = append(list, q)
	}
	return list
}

// soakBody is an article of a writer with a marker that nothing else has.
func body(r *rand.Rand, words []string, marker string) string {
	return world.AsJSON(map[string]any{"title": Phrase(r, words, 4) + " " + marker, "description": Phrase(r, words, 20), "authors": []map[string]string{{"name": "Grace Hopper"}}, "tags": []string{url.QueryEscape(picked(r, words))}})
}
