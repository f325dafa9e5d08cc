package stories

import (
	"errors"
	"flag"
	"fmt"
	stdmaps "maps"
	"os"
	"slices"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/routes"
)

// exchanges is what all tests together saw.
type exchanges struct {
	seen  map[routes.Exchange]int
	tests map[string]map[string]int // calls by test and operation, once they are counted
}

var exchangesFolder = flag.String("exchanges", "", "the folder that has what the tests of all themes saw")

// The answers that the tests of all themes saw, which make check lets each theme write to a folder,
// are those of the table of coverage and of tests/testdata/coverage.md, and show each listed difference from
// the public description.
func TestExchanges(t *testing.T) {
	if *exchangesFolder == "" {
		t.Skip("make check runs this when all tests have run")
	}
	seen, unmet, err := routes.ReadExchanges(*exchangesFolder)
	if err != nil {
		t.Fatalf("a theme has not run whole: %v", err)
	}
	for _, d := range unmet {
		t.Error(d)
	}
	if err := (&exchanges{seen: seen}).compare(); err != nil {
		t.Error(err)
	}
}

// compare reports the answers of the table that no test saw, or a page that is not true
// any more; it writes the page again when that is asked for.
func (w *exchanges) compare() error {
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
	for _, r := range routes.All() {
		if !slices.ContainsFunc(c.operations, func(o operation) bool { return o.name() == r.Method+" "+r.Path }) && !w.succeeded(r.Method, r.Path) {
			missing = append(missing, fmt.Errorf("%s %s: no test saw it succeed", r.Method, r.Path))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("%d answers of %s:\n%w", len(missing), coverageTable, errors.Join(missing...))
	}
	page := c.render(by)
	if updateCoverage {
		return os.WriteFile(disk.Root(coveragePage), []byte(page), 0o644)
	}
	if page != text {
		return fmt.Errorf("%s names tests that do not show what it says: run make coverage", coveragePage)
	}
	return nil
}

// succeeded reports whether a test saw an operation succeed.
func (w *exchanges) succeeded(method, pattern string) bool {
	for s := range w.seen {
		if s.Method == method && s.Pattern == pattern && (s.Status < 300 || s.Status == 302 || s.Status == 303) { // which lead to the page, and on from a form
			return true
		}
	}
	return false
}

// maxShown is how many operations a test may call and still show that one of them
// succeeds: a walk over the table of routes looks at none of them closely.
const maxShown = 40

// who is a test that saw an answer: the one that is named when it did, else the one that
// is about the operation most, by the share of its calls. instead tells what else was
// seen with that status.
func (w *exchanges) who(o operation, a answer, named string) (test, instead string) {
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
func (w *exchanges) about(test string, o operation) (operations, calls, here int) {
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
