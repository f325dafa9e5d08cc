package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// soak is what the clients of a soak share: where the server is, what is known to be
// public, and what went wrong.
type soak struct {
	t           *testing.T
	base, token string
	http        *http.Client
	done        chan struct{}

	mu      sync.Mutex
	epoch   int  // of the process: a kill begins the next one
	down    bool // from before a kill to after the start
	known   map[string]marked
	names   []string // the keys of known
	errors  []string
	lenient bool            // a search that has waited its two seconds in vain is no error
	late    int             // how many did
	waits   []time.Duration // from an acknowledged publication to a search that has it
	slowest map[string]time.Duration
	writes  int
	reads   int
}

// marked is what is known of the item with a marker. While a write is under way, or after one
// without an answer, nothing is known.
type marked struct {
	id      int64
	public  bool
	certain bool
	version int
}

func (s *soak) wrong(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.errors = append(s.errors, fmt.Sprintf(format, args...))
}

func (s *soak) now() (epoch int, down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch, s.down
}

func (s *soak) ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// set changes what is known of a marker.
func (s *soak) set(marker string, id int64, public, certain bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, old := s.known[marker]
	if !old {
		s.names = append(s.names, marker)
	}
	s.known[marker] = marked{id, public, certain, m.version + 1}
}

func (s *soak) get(marker string) marked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[marker]
}

// send sends a request; ok is false when the server was killed meanwhile. A connection
// that ends for any other reason is an error.
func (s *soak) send(method, path, body string) (status int, reply []byte, ok bool) {
	for {
		before, down := s.now()
		if down {
			if s.ended() {
				return 0, nil, false
			}
			<-time.After(5 * time.Millisecond)
			continue
		}
		req, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		req.Header.Set("Authorization", "token "+s.token)
		begun := time.Now()
		res, err := s.http.Do(req)
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
			s.wrong("%s %s: %v after %s", method, path, err, took)
		}
		return 0, nil, false
	}
}

// took notes the slowest answer of each address.
func (s *soak) took(what string, d time.Duration) {
	what = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, what)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slowest[what] = max(s.slowest[what], d)
}

// write sends a request that has to be answered with a status.
func (s *soak) write(status int, method, path, body string) (reply []byte, ok bool) {
	got, reply, ok := s.send(method, path, body)
	if ok && got != status {
		s.wrong("%s %s answered %d, want %d: %.300s", method, path, got, status, reply)
		return nil, false
	}
	s.mu.Lock()
	s.writes++
	s.mu.Unlock()
	return reply, ok
}

// ids are what a search finds. It is sent again when the server is killed.
func (s *soak) ids(q saved) (ids []int64, ok bool) {
	for {
		status, reply, there := s.send("POST", q.path, q.body)
		if !there {
			if s.ended() {
				return nil, false
			}
			continue
		}
		s.mu.Lock()
		s.reads++
		s.mu.Unlock()
		var list []struct{ ID int64 }
		if status != 200 || json.Unmarshal(reply, &list) != nil {
			s.wrong("%s answered %d: %.300s", q, status, reply)
			return nil, false
		}
		for _, o := range list {
			ids = append(ids, o.ID)
		}
		return ids, true
	}
}

// look searches for a marker and holds what is found against what was acknowledged.
func (s *soak) look(marker string) (found bool) {
	before := s.get(marker)
	begun := time.Now()
	ids, ok := s.ids(saved{path: "/v2/articles/search", body: asJSON(map[string]any{"search_for": marker})})
	if after := s.get(marker); !ok || !before.certain || before != after {
		return false
	}
	if waited := time.Since(begun) >= 2*time.Second; s.lenient && waited && before.public && len(ids) == 0 {
		s.mu.Lock()
		s.late++
		s.mu.Unlock()
		return false
	}
	if found = slices.Equal(ids, []int64{before.id}); found != before.public || !found && len(ids) > 0 {
		s.wrong("item %d is public: %v, and after %s a search finds %v", before.id, before.public, time.Since(begun), ids)
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

// writer publishes, changes and withdraws items until the end, and looks at each for what
// was acknowledged.
func (s *soak) writer(n int) {
	r, words := rand.New(rand.NewPCG(uint64(n), 3)), soakWords()
	type item struct {
		at, marker string
		id         int64
		public     bool
	}
	var items []item
	for k := 0; !s.ended(); k++ {
		marker := markerOf(n, 2*k)
		if len(items) == 0 || r.IntN(3) == 0 {
			reply, ok := s.write(201, "POST", "/v2/account/articles", soakBody(r, words, marker))
			var made struct{ Location string }
			if !ok || json.Unmarshal(reply, &made) != nil {
				continue
			}
			at := strings.TrimPrefix(made.Location, s.base)
			items = append(items, item{at: at, marker: marker, id: lastNumber(s.t, at)})
		}
		i := r.IntN(len(items))
		it := &items[i]
		withdraw := it.public && r.IntN(3) == 0
		s.set(it.marker, it.id, false, false)
		var ok bool
		if withdraw {
			_, ok = s.write(204, "POST", it.at+"/unpublish", whyWithdrawn)
		} else {
			if it.public {
				marker = markerOf(n, 2*k+1)
				s.set(marker, it.id, false, false)
				_, ok = s.write(205, "PATCH", it.at, soakBody(r, words, marker))
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
				s.mu.Lock()
				s.waits = append(s.waits, time.Since(acknowledged))
				s.mu.Unlock()
			}
		}
	}
}

// reader asks saved searches, and for what was acknowledged before, until the end.
func (s *soak) reader(n int, searches []saved) {
	r := rand.New(rand.NewPCG(uint64(n), 4))
	for !s.ended() {
		s.ids(searches[r.IntN(len(searches))])
		s.mu.Lock()
		marker := ""
		if len(s.names) > 0 {
			marker = s.names[r.IntN(len(s.names))]
		}
		s.mu.Unlock()
		if marker != "" {
			s.look(marker)
		}
	}
}
