package access

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"alcove/tests/disk"
)

// matrix is tests/testdata/authorisation.tsv, which says itself how it is written.
type matrix struct {
	states  []string
	callers []string
	groups  map[string][]string          // name → callers
	knows   map[string]map[string][]bool // kind of word → caller → by state
	classes map[string]*class
	routes  map[string]*class
}

// class is what routes have in common: what each caller gets in each state.
type class struct {
	name  string
	cells map[string][]string // caller → by state
	shows []string            // kinds of words that its answers show to every caller that gets one
}

var outcomes = []string{"yes", "state", "lists", "absent", "unknown", "part", "401", "403", "404", "410"}

// readMatrix reads the declared answers and checks that they are whole: every class says
// one thing of every caller in every state, and has a route; every kind of word too.
func readMatrix(t *testing.T) *matrix {
	t.Helper()
	f, err := os.Open(disk.Testdata("authorisation.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := &matrix{groups: map[string][]string{}, knows: map[string]map[string][]bool{}, classes: map[string]*class{}, routes: map[string]*class{}}
	var in *class
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Split(lines.Text(), "\t")
		if err := m.line(fields, &in); err != nil {
			t.Fatalf("authorisation.tsv:%d: %v", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, c := range m.routes {
		used[c.name] = true
	}
	for name, c := range m.classes {
		if len(c.cells) != len(m.callers) || !used[name] {
			t.Errorf("class %q tells of %d of %d callers and has a route: %v", name, len(c.cells), len(m.callers), used[name])
		}
	}
	for kind, by := range m.knows {
		if len(by) != len(m.callers) {
			t.Errorf("who knows %q is said of %d of %d callers", kind, len(by), len(m.callers))
		}
	}
	return m
}

func (m *matrix) line(fields []string, in **class) error {
	if fields[0] == "" || strings.HasPrefix(fields[0], "#") {
		return nil
	}
	if len(fields) < 2 {
		return fmt.Errorf("nothing behind %q", fields[0])
	}
	switch name := fields[1]; fields[0] {
	case "states":
		m.states = fields[1:]
	case "caller":
		m.callers = append(m.callers, name)
	case "group":
		m.groups[name] = strings.Split(fields[2], ", ")
	case "class":
		if m.classes[name] != nil {
			return fmt.Errorf("class %q stands twice", name)
		}
		*in = &class{name: name, cells: map[string][]string{}}
		m.classes[name] = *in
	case "shows":
		(*in).shows = strings.Split(name, ", ")
	case "cell":
		values, err := m.perState(fields[2:])
		if err != nil {
			return err
		}
		for _, v := range values {
			if !slices.Contains(outcomes, v) {
				return fmt.Errorf("%q is no outcome", v)
			}
		}
		return m.each(name, has((*in).cells), func(caller string) { (*in).cells[caller] = values })
	case "knows":
		by := m.knows[name]
		if by == nil {
			by = map[string][]bool{}
			m.knows[name] = by
		}
		values, err := m.perState(fields[3:])
		if err != nil {
			return err
		}
		row := make([]bool, len(values))
		for i, v := range values {
			if row[i] = v == "yes"; !row[i] && v != "no" {
				return fmt.Errorf("%q is neither yes nor no", v)
			}
		}
		return m.each(fields[2], has(by), func(caller string) { by[caller] = row })
	case "route":
		if m.routes[name] != nil {
			return fmt.Errorf("%s stands twice", name)
		}
		m.routes[name] = *in
	default:
		return fmt.Errorf("%q begins no line", fields[0])
	}
	return nil
}

// perState is a value for each state: one that is given alone counts for all.
func (m *matrix) perState(values []string) ([]string, error) {
	if len(values) == 1 {
		return slices.Repeat(values, len(m.states)), nil
	}
	if len(values) != len(m.states) {
		return nil, fmt.Errorf("%d values for %d states", len(values), len(m.states))
	}
	return values, nil
}

// each calls fn for the callers of a list: names, names of groups, or "others" for the callers
// not named yet.
func (m *matrix) each(list string, named func(string) bool, fn func(caller string)) error {
	for _, name := range strings.Split(list, ", ") {
		callers := m.groups[name]
		switch {
		case slices.Contains(m.callers, name):
			callers = []string{name}
		case name == "others":
			callers = slices.DeleteFunc(slices.Clone(m.callers), named)
		case callers == nil:
			return fmt.Errorf("%q is nobody", name)
		}
		for _, c := range callers {
			if named(c) {
				return fmt.Errorf("%q is told of twice", c)
			}
			fn(c)
		}
	}
	return nil
}

func has[V any](m map[string]V) func(string) bool {
	return func(k string) bool { _, ok := m[k]; return ok }
}
