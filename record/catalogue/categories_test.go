package catalogue

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestCategoriesAreOneTree(t *testing.T) {
	perLevel := map[int]int{}
	children := map[int64]int{}
	seen := map[int64]bool{0: true}
	last := ""
	for _, c := range Categories() {
		perLevel[len(c.SourceID)]++
		if seen[c.ID] {
			t.Fatalf("id %d is there twice", c.ID)
		}
		if !seen[c.ParentID] {
			t.Errorf("%s stands before its parent %d", c.SourceID, c.ParentID)
		}
		seen[c.ID] = true
		children[c.ParentID]++
		if strconv.FormatInt(c.ID, 10) != c.SourceID {
			t.Errorf("id %d has the code %s", c.ID, c.SourceID)
		}
		if c.SourceID <= last {
			t.Errorf("%s comes after %s", c.SourceID, last)
		}
		last = c.SourceID

		want := ""
		for end := 2; end <= len(c.SourceID); end += 2 {
			want += "/" + c.SourceID[:end]
		}
		if c.Path != want {
			t.Errorf("%s has the path %s, want %s", c.SourceID, c.Path, want)
		}
		parent := int64(0)
		if p := c.SourceID[:len(c.SourceID)-2]; p != "" {
			parent, _ = strconv.ParseInt(p, 10, 64)
		}
		if c.ParentID != parent {
			t.Errorf("%s has the parent %d", c.SourceID, c.ParentID)
		}
		if c.TaxonomyID != 100 || !c.IsSelectable || c.Title == "" {
			t.Errorf("%+v", c)
		}
	}
	if perLevel[2] != 23 || perLevel[4] != 213 || perLevel[6] != 1967 || len(perLevel) != 3 {
		t.Errorf("codes by number of digits: %v", perLevel)
	}
	for _, c := range Categories() {
		if c.HasChildren != (children[c.ID] > 0) {
			t.Errorf("%s: HasChildren is %v with %d children", c.SourceID, c.HasChildren, children[c.ID])
		}
		if c.HasChildren != (len(c.SourceID) < 6) {
			t.Errorf("%s: HasChildren is %v", c.SourceID, c.HasChildren)
		}
	}
}

// The embedded categories say what the published table says.
func TestCategoriesMatchTable(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "anzsrc-for-2020.tsv"))
	if err != nil {
		t.Skip("the table of the classification is not beside this checkout")
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan()
	n := 0
	for lines.Scan() {
		n++
		row := strings.Split(lines.Text(), "\t")
		c, ok := CategoryBySourceID(row[0])
		if !ok {
			t.Errorf("%s is missing", row[0])
			continue
		}
		parent, found := CategoryByID(c.ParentID)
		if c.Title != row[2] || parent.SourceID != row[1] || found != (row[1] != "") {
			t.Errorf("table %q, embedded %+v", row, c)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if n != len(Categories()) {
		t.Errorf("the table has %d codes, embedded are %d", n, len(Categories()))
	}
}

func TestCategoryLookup(t *testing.T) {
	c, ok := CategoryBySourceID("370704")
	want := Category{
		ID: 370704, ParentID: 3707, Title: "Surface water hydrology", Path: "/37/3707/370704",
		SourceID: "370704", TaxonomyID: 100, IsSelectable: true,
	}
	if !ok || c != want {
		t.Errorf("by code: %+v, %v", c, ok)
	}
	if c, ok := CategoryByID(370704); !ok || c != want {
		t.Errorf("by id: %+v, %v", c, ok)
	}
	if c, ok := CategoryByID(45); !ok || !c.HasChildren || c.ParentID != 0 || c.Path != "/45" {
		t.Errorf("division: %+v, %v", c, ok)
	}
	if c, _ := CategoryBySourceID("4508"); c.Title != "Mātauranga Māori (Māori education)" {
		t.Errorf("title with macrons: %q", c.Title)
	}
	for _, id := range []int64{-30, 0, 1, 29, 53, 300, 24418, 999999, 1 << 62} {
		if c, ok := CategoryByID(id); ok {
			t.Errorf("id %d is %+v", id, c)
		}
	}
	for _, code := range []string{"", "0", "030", "+30", " 30", "30 ", "3O", "0370704", "３０", "99999999999999999999"} {
		if c, ok := CategoryBySourceID(code); ok {
			t.Errorf("code %q is %+v", code, c)
		}
	}
}

func TestCategoriesAreACopy(t *testing.T) {
	Categories()[0].Title = "changed"
	if c := Categories()[0]; c.Title == "changed" {
		t.Error("a caller changed the catalogue")
	}
}

func TestAttributionTravelsWithTheData(t *testing.T) {
	for _, word := range []string{"ANZSRC", "2020", "Australian Bureau of Statistics", "Stats NZ", "CC BY 4.0"} {
		if !strings.Contains(Attribution, word) || !strings.Contains(anzsrc2020, word) {
			t.Errorf("%q is not credited", word)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"30", "30\t\n", "30\ta\tb\n", "\n", "\ta\n", // not a code and a title
		"3\ta\n", "301\ta\n", "30010101\ta\n", "3x\ta\n", "03\ta\n", // not a code
		"31\ta\n30\tb\n", "30\ta\n30\tb\n", // not in order
		"3001\ta\n", "30\ta\n300101\tb\n", "30\ta\n3101\tb\n", "30\ta\n3001\tb\n300201\tc\n", // no parent
	} {
		if all, err := parse(text); err == nil {
			t.Errorf("%q was read as %+v", text, all)
		}
	}
}

// Whatever the text, parse either refuses it or gives a list in which every
// category has its parent before it.
func FuzzParse(f *testing.F) {
	f.Add("# note\n30\ta\n3001\tb\n300101\tc\n31\td\n")
	f.Add("30\ta\n3101\tb\n")
	f.Add("\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parse(text)
		if err != nil {
			return
		}
		seen := map[int64]bool{0: true}
		for _, c := range all {
			if seen[c.ID] || !seen[c.ParentID] || c.Title == "" || !strings.HasSuffix(c.Path, "/"+c.SourceID) {
				t.Fatalf("%+v in %q", c, text)
			}
			seen[c.ID] = true
		}
	})
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := parse(anzsrc2020); err != nil {
			b.Fatal(err)
		}
	}
}
