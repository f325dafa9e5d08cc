package routes

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"alcove/handlers"
)

// Exchange is an answer that a test got from a real server.
type Exchange struct {
	Test    string // by its name, without subtests
	Method  string // of the route: GET also for HEAD
	Pattern string // of the route
	Status  int
	Message string // code and message of a refusal
}

// exchangeLog notes the answers that the tests see, so that the whole suite can be compared with
// the table of operations.
type exchangeLog struct {
	mu     sync.Mutex
	seen   map[Exchange]int
	routes *mux
}

var Suite = exchangeLog{seen: map[Exchange]int{}, routes: newMux(&handlers.API{}, All())}

// exchangesTo is the folder that gets what the tests saw, "" for none. Tests ask for it, too, because go
// test takes a run from its cache unless a test has read what has changed since.
var exchangesTo = sync.OnceValue(func() string { return os.Getenv(exchangesDir) })

// Saw notes an answer. Answers of addresses that are no route's are left out.
func (w *exchangeLog) Saw(t testing.TB, req *http.Request, res *http.Response, body []byte) {
	found := w.routes.find(req)
	if found.Route == nil {
		return
	}
	t.Helper()
	exchangesTo()
	w.conforms(t, route(*found.Route), req, res, body)
	test, _, _ := strings.Cut(t.Name(), "/")
	s := Exchange{Test: test, Method: found.Route.Method, Pattern: found.Route.Path, Status: res.StatusCode}
	if res.StatusCode >= 400 {
		var refusal struct{ Code, Message string }
		if json.Unmarshal(body, &refusal) == nil {
			s.Message = refusal.Code + " " + refusal.Message
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[s]++
}
