package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	stdmaps "maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"alcove/handlers"
)

// exchange is an answer that a test got from a real server.
type exchange struct {
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
	seen   map[exchange]int
	routes *mux
	tests  map[string]map[string]int // calls by test and operation, once they are counted
}

var suite = exchangeLog{seen: map[exchange]int{}, routes: newMux(&handlers.API{}, allRoutes())}

// saw notes an answer. Answers of addresses that are no route's are left out.
func (w *exchangeLog) saw(t testing.TB, req *http.Request, res *http.Response, body []byte) {
	found := w.routes.find(req, nil)
	if found.Route == nil {
		return
	}
	t.Helper()
	w.conforms(t, route(*found.Route), req, res, body)
	test, _, _ := strings.Cut(t.Name(), "/")
	s := exchange{Test: test, Method: found.Route.Method, Pattern: found.Route.Path, Status: res.StatusCode}
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

// wholeRun runs the tests and then, when none was left out and all passed, holds what
// they saw against the table of coverage.
type wholeRun struct{ *testing.M }

func (m wholeRun) Run() int {
	code := m.M.Run()
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return code
		}
	}
	if code != 0 || testing.Short() {
		return code
	}
	if unmet := suite.unmet(); unmet != nil {
		fmt.Fprintln(os.Stderr, strings.Join(unmet, "\n"))
		code = 1
	}
	if err := suite.settle(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	return code
}

// settle reports the answers of the table that no test saw, or a page that is not true
// any more; it writes the page anew when that is asked for.
func (w *exchangeLog) settle() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := readCoverage()
	if err != nil {
		return err
	}
	text, named, err := readPage()
	if err != nil {
		return err
	}
	by, missing := shown{}, []error{}
	for _, o := range c.operations {
		for _, a := range o.answers {
			test, instead := w.who(o, a, named[[2]string{o.name(), a.String()}])
			switch {
			case a.never != "" && test != "":
				missing = append(missing, fmt.Errorf("%s answered %d to %s, which %s says cannot occur", o.name(), a.status, test, coverageTable))
			case a.never == "" && test == "":
				missing = append(missing, fmt.Errorf("%s: no test saw %q%s", o.name(), a, instead))
			}
			by[[2]string{o.name(), a.String()}] = test
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d answers of %s:\n%w", len(missing), coverageTable, errors.Join(missing...))
	}
	page := c.render(by)
	if *updateCoverage {
		return os.WriteFile(coveragePage, []byte(page), 0o644)
	}
	if page != text {
		return fmt.Errorf("%s names tests that do not show what it says: run make coverage", coveragePage)
	}
	return nil
}

// maxShown is how many operations a test may call and still show that one of them
// succeeds: a walk over the table of routes looks at none of them closely.
const maxShown = 40

// who is a test that saw an answer: the one that is named when it did, else the one that
// is about the operation most, by the share of its calls. instead tells what else was
// seen with that status.
func (w *exchangeLog) who(o operation, a answer, named string) (test, instead string) {
	others := map[string]bool{}
	best := 0.0
	for s := range w.seen {
		if s.Method != o.method || s.Pattern != o.pattern || s.Status != a.status {
			continue
		}
		if !a.is(s) {
			others[s.Message] = true
			continue
		}
		all, calls, here := w.about(s.Test, o)
		if a.status < 400 && all > maxShown {
			continue
		}
		if s.Test == named {
			return named, ""
		}
		if share := float64(here) / float64(calls); share > best || share == best && s.Test < test {
			test, best = s.Test, share
		}
	}
	if test == "" && len(others) > 0 {
		instead = fmt.Sprintf(", but %q", slices.Sorted(stdmaps.Keys(others)))
	}
	return test, instead
}

// about tells how many operations a test called, how often, and how often this one.
func (w *exchangeLog) about(test string, o operation) (operations, calls, here int) {
	if w.tests == nil {
		w.tests = map[string]map[string]int{}
		for s, n := range w.seen {
			if w.tests[s.Test] == nil {
				w.tests[s.Test] = map[string]int{}
			}
			w.tests[s.Test][s.Method+" "+s.Pattern] += n
		}
	}
	for _, n := range w.tests[test] {
		calls += n
	}
	return len(w.tests[test]), calls, w.tests[test][o.name()]
}
