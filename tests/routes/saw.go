package routes

import (
	"encoding/json"
	"os"
	"path/filepath"

	"alcove/tests/disk"
)

// exchangesDir is a variable that names the folder into which each theme writes what its tests
// saw, when all of them have run and passed; make check then lets TestExchanges read it.
const exchangesDir = "TEST_EXCHANGES"

// themeSaw is what the tests of a theme saw.
type themeSaw struct {
	Seen []seenTimes
	Met  []difference // of the table of differences from the public description
}

type seenTimes struct {
	Exchange
	Times int
}

// Write writes what the tests of this theme saw to a file of its name, where a folder is named for it.
func (w *exchangeLog) Write() error {
	dir := exchangesTo()
	if dir == "" {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	c, err := Conforming()
	if err != nil {
		return err
	}
	var saw themeSaw
	for e, n := range w.seen {
		saw.Seen = append(saw.Seen, seenTimes{e, n})
	}
	for _, d := range c.differences {
		if d.met {
			saw.Met = append(saw.Met, *d)
		}
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	b, err := json.Marshal(saw)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.Base(here)+".json"), b, 0o644)
}

// ReadExchanges is what all themes together saw; the differences of the table that were met are
// marked.
func ReadExchanges(dir string) (seen map[Exchange]int, unmet []string, err error) {
	c, err := Conforming()
	if err != nil {
		return nil, nil, err
	}
	themes, err := filepath.Glob(disk.Root("tests/*/main_test.go"))
	if err != nil {
		return nil, nil, err
	}
	seen = map[Exchange]int{}
	for _, theme := range themes {
		b, err := os.ReadFile(filepath.Join(dir, filepath.Base(filepath.Dir(theme))+".json"))
		if err != nil {
			return nil, nil, err
		}
		var saw themeSaw
		if err := json.Unmarshal(b, &saw); err != nil {
			return nil, nil, err
		}
		for _, s := range saw.Seen {
			seen[s.Exchange] += s.Times
		}
		for _, met := range saw.Met {
			c.Listed(met.Operation, met.Place, met.Keyword)
		}
	}
	return seen, c.unmet(), nil
}
