package access

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/disk"
)

// threats are the numbers of the threats, by letter. Those that are missing between are
// part of others.
var threats = map[string][]int{
	"A": {1, 2, 3, 5, 6, 7, 8, 9, 10, 12, 13, 15, 17, 20, 21},
	"B": {1, 3, 5, 6, 9, 10, 11, 14, 15, 16, 17, 18, 19, 21, 22},
	"C": {1, 2, 3, 4, 6, 7, 10, 11, 12, 14, 15, 17, 20},
	"D": {4, 5, 6, 7, 8, 9, 10, 11, 13, 16, 18, 19, 20, 21, 22, 24},
	"E": {1, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18, 20, 21, 23, 25, 26},
	"F": {4, 5, 6, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 21, 22, 25, 26},
	"G": {3, 4, 5, 6, 7, 9, 10},
	"H": {1, 4, 6, 7, 8},
	"I": {1, 2, 3, 4, 7, 9, 10, 12, 14, 15, 16, 17},
	"J": {1, 3, 6, 7, 8, 9, 10, 13, 14, 15, 16},
	"K": {2, 3, 4, 5, 6, 7, 12, 14, 15, 16, 18, 19, 22, 23, 24, 25, 26},
	"L": {2, 4, 5, 6, 8},
	"M": {1, 3, 5, 8, 9, 10, 11, 12},
	"N": {1, 2, 3, 4, 5, 6, 9},
}

// requirements are how many of levels 1 and 2 ASVS 5.0.0 has in each chapter.
var requirements = []int{27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7}

var (
	rowForm    = regexp.MustCompile(`(?m)^\| ([A-N]\d\d|[\d., ]+ \([12]\)) \| ([^|]+) \| ([^|]+) \|$`)
	testName   = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	testSource = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z]\w*)\(`)
	place      = regexp.MustCompile("`([\\w./-]+)`")
)

// docs/security.md is true of the source: each threat and each requirement has one row, each
// test that it names is there, and each place; no row says nothing.
func TestSecurityMap(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(disk.Root("docs/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range mistakes(string(text), testsThere(t)) {
		t.Error(wrong)
	}
}

// The check of the page finds what is wrong with it.
func TestSecurityMapBites(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(disk.Root("docs/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := testsThere(t)
	for name, edit := range map[string][2]string{
		"a test that is not there":   {"TestAuthForeign", "TestAuthForeignX"},
		"a threat without a row":     {"| A02 |", "| A022 |"},
		"a threat that comes twice":  {"| A02 |", "| A01 |"},
		"a requirement that is gone": {"| 8.2.1 (1) |", "| 8.2.1 (3) |"},
		"a row without a reason":     {"TestAccountEnds, TestAuthExpiry, TestPersonalTokens, TestOAuthEnds |", "certainly |"},
		"a place that is not there":  {"`bucket/envelope.go`", "`bucket/envelopes.go`"},
	} {
		changed := strings.Replace(string(text), edit[0], edit[1], 1)
		if changed == string(text) || len(mistakes(changed, there)) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
}

func testsThere(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(disk.Root(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range testSource.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func mistakes(text string, there map[string]bool) (wrong []string) {
	rows := map[string]int{}
	chapters := make([]int, len(requirements)+1)
	for _, row := range rowForm.FindAllStringSubmatch(text, -1) {
		numbers, _, _ := strings.Cut(row[1], " (")
		for _, id := range strings.Split(numbers, ", ") {
			if rows[id]++; rows[id] > 1 {
				wrong = append(wrong, id+" has several rows")
			}
			var chapter int
			if _, err := fmt.Sscanf(id, "%d.", &chapter); err == nil && chapter > 0 && chapter < len(chapters) {
				chapters[chapter]++
			}
		}
		if why := unfounded(row[3]); why != "" {
			wrong = append(wrong, row[1]+" "+why)
		}
	}
	for letter, numbers := range threats {
		for _, n := range numbers {
			if id := fmt.Sprintf("%s%02d", letter, n); rows[id] == 0 {
				wrong = append(wrong, id+" has no row")
			}
		}
	}
	for n, want := range requirements {
		if chapters[n+1] != want {
			wrong = append(wrong, fmt.Sprintf("chapter V%d of the ASVS has %d rows, want %d", n+1, chapters[n+1], want))
		}
	}
	for _, name := range testName.FindAllString(text, -1) {
		if !there[name] {
			wrong = append(wrong, name+" is named and is not there")
		}
	}
	return wrong
}

// unfounded says why a row proves nothing: it names neither a test, nor a place in the source,
// nor a reason.
func unfounded(shown string) string {
	for _, reason := range []string{"Does not apply: ", "Not met", "Not shown: "} {
		if strings.HasPrefix(shown, reason) && len(shown) > len(reason)+10 {
			return ""
		}
	}
	found := testName.MatchString(shown) || strings.HasPrefix(shown, "Go; ")
	for _, m := range place.FindAllStringSubmatch(shown, -1) {
		if !strings.Contains(m[1], "/") && !strings.Contains(m[1], ".") && m[1] != "Makefile" {
			continue
		}
		if _, err := os.Stat(disk.Root(m[1])); err == nil {
			found = true
		} else if strings.HasSuffix(m[1], ".go") || strings.HasSuffix(m[1], ".md") {
			return "names " + m[1] + ", which is not there"
		}
	}
	if !found {
		return "names neither what shows it nor why nothing does"
	}
	return ""
}
