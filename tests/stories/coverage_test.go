package stories

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/routes"
)

// tests/testdata/coverage.tsv has the answers of each operation; tests/testdata/coverage.md has the test that saw
// each. When the whole suite has run, each answer of the first must have come from a real server,
// and the second must say so truly.

const (
	coverageTable = "tests/testdata/coverage.tsv"
	coveragePage  = "tests/testdata/coverage.md"
)

// updateCoverage lets TestExchanges write the page again (make coverage).
var updateCoverage = os.Getenv("UPDATE_COVERAGE") != ""

// answer is a status of an operation, and of a refusal what its code and message, with
// a space between them, hold.
type answer struct {
	status  int
	message string
	never   string // why the server never gives it; names one of the reasons of the table
}

func (a answer) String() string { return strings.TrimSpace(strconv.Itoa(a.status) + " " + a.message) }

func (a answer) is(s routes.Exchange) bool {
	return s.Status == a.status && strings.Contains(s.Message, a.message)
}

// operation is a line of the table.
type operation struct {
	section, method, pattern string
	stated                   bool // a stated operation; otherwise an addition
	answers                  []answer
}

func (o operation) name() string { return o.method + " " + o.pattern }

// coverage is the table.
type coverage struct {
	operations []operation
	reasons    [][2]string // name and text, in the order of the file
}

// readCoverage reads the table: "# section", "! name, reason", and lines of method,
// pattern, "spec" or "extra", the statuses of success and those of refusals, which are
// divided by " | ": a status and a part of its code and message, or "!", a status, the name of the
// reason why the server never gives it, and a part of its message.
func readCoverage() (c coverage, err error) {
	b, err := os.ReadFile(disk.Root(coverageTable))
	if err != nil {
		return c, err
	}
	section := ""
	for n, line := range strings.Split(strings.TrimSuffix(string(b), "\n"), "\n") {
		bad := func(why string) error { return fmt.Errorf("%s:%d: %s", coverageTable, n+1, why) }
		cells := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "# "):
			section = strings.TrimPrefix(line, "# ")
			continue
		case cells[0] == "!" && len(cells) == 3:
			c.reasons = append(c.reasons, [2]string{cells[1], cells[2]})
			continue
		case len(cells) != 5 || cells[2] != "spec" && cells[2] != "extra":
			return c, bad("five cells belong into a line, the third spec or extra")
		}
		o := operation{section: section, method: cells[0], pattern: cells[1], stated: cells[2] == "spec"}
		for _, text := range append(strings.Split(cells[3], " | "), strings.Split(cells[4], " | ")...) {
			if text == "-" {
				continue
			}
			a := answer{}
			number, rest, _ := strings.Cut(text, " ")
			if never, ok := strings.CutPrefix(number, "!"); ok {
				number = never
				a.never, a.message, _ = strings.Cut(rest, " ")
				if !slices.ContainsFunc(c.reasons, func(r [2]string) bool { return r[0] == a.never }) {
					return c, bad(a.never + " is no reason that stands above")
				}
			} else {
				a.message = rest
			}
			if a.status, err = strconv.Atoi(number); err != nil || a.status < 200 || a.status > 599 || a.status >= 400 && a.message+a.never == "" {
				return c, bad(text + " is no status, or lacks its message")
			}
			o.answers = append(o.answers, a)
		}
		if !slices.ContainsFunc(o.answers, func(a answer) bool { return a.status < 400 && a.never == "" }) {
			return c, bad("no success is stated")
		}
		c.operations = append(c.operations, o)
	}
	return c, nil
}

// shown names a test for each answer that has one, by operation and answer.
type shown map[[2]string]string

// render is the page that says which tests show what.
func (c coverage) render(by shown) string {
	var out strings.Builder
	stated, answers := 0, 0
	for _, o := range c.operations {
		if o.stated {
			stated++
		}
		answers += len(o.answers)
	}
	fmt.Fprintf(&out, `# What the tests show

The specification has %d operations, and the server %d beyond it. This page names, for each
answer that is stated of them, a test that gets it from a real server over HTTP: %d answers
in all. Of a refusal a part of its code and message is given. What is stated stands in
[coverage.tsv](coverage.tsv), by hand; this page is made by
`+"`make coverage`"+`. `+"`make check`"+` fails when an answer was not seen, when a test that is
named here did not see it, and when no test saw a route succeed. For a success, tests that walk
through all routes do not count.
`, stated, len(c.operations)-stated, answers)
	section := ""
	for _, o := range c.operations {
		if o.section != section {
			section = o.section
			fmt.Fprintf(&out, "\n## %s\n\n| operation | answer | shown by |\n|---|---|---|\n", section)
		}
		for i, a := range o.answers {
			name := ""
			if i == 0 {
				name = o.name()
			}
			test := by[[2]string{o.name(), a.String()}]
			if a.never != "" {
				test = "cannot occur: " + a.never
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", name, a, test)
		}
	}
	out.WriteString("\n## What cannot occur\n\n")
	for _, r := range c.reasons {
		fmt.Fprintf(&out, "- **%s**: %s\n", r[0], r[1])
	}
	return out.String()
}

// readPage is the page and the tests that it names.
func readPage() (text string, by shown, err error) {
	b, err := os.ReadFile(disk.Root(coveragePage))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	by = shown{}
	name := ""
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 4 {
			continue
		}
		if first := strings.TrimSpace(cells[1]); first != "" {
			name = first
		}
		by[[2]string{name, strings.TrimSpace(cells[2])}] = strings.TrimSpace(cells[3])
	}
	return string(b), by, nil
}

// Every line has its route, and every stated operation its line; the page has the same lines, and the
// tests that it names exist. A route beyond the specification needs no line: TestExchanges fails when
// no test saw it succeed.
func TestCoverageLines(t *testing.T) {
	c, err := readCoverage()
	if err != nil {
		t.Fatal(err)
	}
	lines, stated := map[string]bool{}, map[string]bool{}
	for _, o := range c.operations {
		if lines[o.name()] {
			t.Errorf("%s has two lines in %s", o.name(), coverageTable)
		}
		lines[o.name()] = true
		if o.stated {
			stated[shape(o.name())] = true
		}
	}
	for _, r := range routes.All() {
		delete(lines, r.Method+" "+r.Path)
	}
	for name := range lines {
		t.Errorf("%s has a line in %s and is no route", name, coverageTable)
	}

	text, by, err := readPage()
	if err != nil {
		t.Fatal(err)
	}
	if !updateCoverage && text != c.render(by) {
		t.Errorf("%s is not what %s says: run make coverage", coveragePage, coverageTable)
	}
	tests := testNames(t)
	for _, o := range c.operations {
		for _, a := range o.answers {
			if test := by[[2]string{o.name(), a.String()}]; a.never == "" && !tests[test] && !updateCoverage {
				t.Errorf("%s names %q for %s %q, which is no test", coveragePage, test, o.name(), a)
			}
		}
	}

	f, err := os.Open(disk.Root("../shared/reference/api-endpoints.tsv"))
	if err != nil {
		t.Skip("the list of operations is not here")
	}
	defer f.Close()
	operations := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		if len(cells) < 3 || cells[2] != "y" {
			continue
		}
		operations++
		name := shape(cells[0] + " " + strings.TrimPrefix(cells[1], "{download_base_url}"))
		if !stated[name] {
			t.Errorf("the specification's %s has no line marked spec", name)
		}
		delete(stated, name)
	}
	for name := range stated {
		t.Errorf("%s is marked spec and is not in the specification", name)
	}
	if operations != 110 {
		t.Errorf("the specification has %d operations, not 110", operations)
	}
}

var parameter = regexp.MustCompile(`\{[^}]*\}|:[a-z_]+`)

// shape is an operation without the names of its parameters and a trailing slash.
func shape(name string) string {
	return strings.TrimSuffix(parameter.ReplaceAllString(name, "{}"), "/")
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, _ := filepath.Glob(disk.Root("tests/*/*_test.go"))
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range testFunction.FindAllStringSubmatch(string(b), -1) {
			names[m[1]] = true
		}
	}
	return names
}
