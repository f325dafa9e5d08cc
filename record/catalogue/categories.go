package catalogue

import (
	_ "embed" // for the classification
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// TaxonomyID is the taxonomy_id of every category: the number that clients know
// for the 2020 fields of research.
const TaxonomyID = 100

// Attribution credits the classification that the categories come from, as its
// licence asks. Show it wherever the whole list is shown.
const Attribution = "Australian and New Zealand Standard Research Classification (ANZSRC) 2020, fields of research. " +
	"Australian Bureau of Statistics and Stats NZ. Licensed under CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)."

// Category is one field of research at any of the three levels: division (two
// digits), group (four) or field (six).
type Category struct {
	// ID is the code read as a number. Codes begin with 30 or more, so none has
	// a leading zero, and codes of different lengths never give the same number:
	// the id is unique, and it will be the same in every release.
	ID int64
	// ParentID is the ID of the level above, 0 for a division.
	ParentID int64
	Title    string
	// Path is the ids from the division down to this category, each after a
	// slash: "/30/3001/300101".
	Path string
	// SourceID is the code as the classification prints it.
	SourceID string
	// TaxonomyID is always the constant of the same name.
	TaxonomyID  int64
	HasChildren bool
	// IsSelectable is true at every level. The public service only lets people
	// choose the most detailed codes in its form, but clients send divisions
	// and groups too, and a work that spans a whole group is described more
	// truly by the group than by a field picked from it. Refusing those would
	// break a client and gain nothing.
	IsSelectable bool
}

//go:embed anzsrc2020.txt
var anzsrc2020 string

// tree is the parsed classification. It is built by the first call that needs
// it, in a millisecond or two.
type tree struct {
	all  []Category
	byID map[int64]int // position in all
}

var classification = sync.OnceValue(func() *tree {
	all, err := parse(anzsrc2020)
	if err != nil {
		// The file is part of the program, so only a broken build comes here.
		panic(fmt.Errorf("cannot read the embedded categories: %w", err))
	}
	t := &tree{all: all, byID: make(map[int64]int, len(all))}
	for i, c := range all {
		t.byID[c.ID] = i
	}
	return t
})

// Categories returns all 2,203 categories, parents before their children and
// siblings by code. The slice is the caller's own.
func Categories() []Category { return slices.Clone(classification().all) }

// CategoryByID returns the category with that id, or false.
func CategoryByID(id int64) (Category, bool) {
	t := classification()
	i, ok := t.byID[id]
	if !ok {
		return Category{}, false
	}
	return t.all[i], true
}

// Around returns the ids of the divisions, for 0, or of what leads to a category, of it and of those
// right below it, as digits. For an unknown category it is empty, not nil.
func Around(id int64) []string {
	ids, t := []string{}, classification()
	if at, ok := CategoryByID(id); ok {
		ids = strings.Split(at.Path[1:], "/")
	}
	for _, c := range t.all {
		if c.ParentID == id {
			ids = append(ids, c.SourceID)
		}
	}
	return ids
}

// CategoryBySourceID returns the category with exactly that code, or false. A
// code in any other spelling ("030", "+30", " 30") is not found.
func CategoryBySourceID(code string) (Category, bool) {
	id, err := strconv.ParseInt(code, 10, 64)
	if err != nil {
		return Category{}, false
	}
	c, ok := CategoryByID(id)
	if !ok || c.SourceID != code {
		return Category{}, false
	}
	return c, true
}

// parse reads the format drawn in the package comment. It accepts nothing that
// would break what Category promises: every code has two, four or six digits,
// does not begin with 0, follows the one before it in order, and has its parent
// above it.
func parse(text string) ([]Category, error) {
	all := make([]Category, 0, strings.Count(text, "\n"))
	var above []int // positions of the division and group that are open
	last := ""
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		code, title, found := strings.Cut(line, "\t")
		if !found || title == "" || strings.Contains(title, "\t") {
			return nil, fmt.Errorf("line %d is not a code, a tab and a title", n)
		}
		if !isCode(code) {
			return nil, fmt.Errorf("line %d: %q is not a code of two, four or six digits", n, code)
		}
		if code <= last {
			return nil, fmt.Errorf("line %d: %s comes after %s", n, code, last)
		}
		last = code

		level := len(code)/2 - 1
		if level > len(above) {
			return nil, fmt.Errorf("line %d: %s has no parent", n, code)
		}
		above = above[:level]
		id, err := strconv.ParseInt(code, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c := Category{
			ID: id, Title: title, Path: "/" + code, SourceID: code,
			TaxonomyID: TaxonomyID, IsSelectable: true,
		}
		if level > 0 {
			parent := &all[above[level-1]]
			if parent.SourceID != code[:2*level] {
				return nil, fmt.Errorf("line %d: %s has no parent", n, code)
			}
			parent.HasChildren = true
			c.ParentID = parent.ID
			c.Path = parent.Path + c.Path
		}
		above = append(above, len(all))
		all = append(all, c)
	}
	return all, nil
}

func isCode(s string) bool {
	if len(s) != 2 && len(s) != 4 && len(s) != 6 || s[0] == '0' {
		return false
	}
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}
