package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"alcove/handlers"
)

// sighting is an answer that a test got from a real server.
type sighting struct {
	Test    string // by its name, without subtests
	Method  string // of the route: GET also for HEAD
	Pattern string // of the route
	Status  int
	Message string // of a refusal
}

// witness notes what the tests see, so that the suite as a whole can be held against the
// specification: which operations it has shown, and what their answers looked like.
type witness struct {
	mu     sync.Mutex
	seen   map[sighting]int
	routes *mux
}

var suite = witness{seen: map[sighting]int{}, routes: newMux(&handlers.API{}, allRoutes())}

// saw notes an answer. Answers of addresses that are no route's are left out.
func (w *witness) saw(t *testing.T, req *http.Request, res *http.Response, body []byte) {
	found := w.routes.find(req)
	if found.Route == nil {
		return
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	s := sighting{Test: test, Method: found.Route.Method, Pattern: found.Route.Path, Status: res.StatusCode}
	if res.StatusCode >= 400 {
		var refusal struct{ Message string }
		if json.Unmarshal(body, &refusal) == nil {
			s.Message = refusal.Message
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[s]++
}
