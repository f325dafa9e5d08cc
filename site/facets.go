package site

import (
	"slices"
	"strconv"
	"strings"

	"alcove/handlers"
	"alcove/record/catalogue"
)

const (
	shownValues = 10 // of a facet
	moreValues  = 50 // of the one that is asked for more
)

// facet is a way to narrow a search.
type facet struct {
	name  string // in addresses
	by    handlers.Facet
	value func(text string) (id string, known bool) // of the value in an address
	text  func(id string) string                    // in an address
	label func(w *Words) string
	words func(w *Words, id string) string
}

func same(id string) string { return id }

var facets = [...]facet{
	{"kind", handlers.ByKind, kindOf, same, func(w *Words) string { return w.KindLabel }, func(w *Words, id string) string { return w.Kinds[id] }},
	{"type", handlers.ByType, typeID, typeName, func(w *Words) string { return w.TypeLabel }, func(w *Words, id string) string {
		n, _ := strconv.ParseInt(id, 10, 64)
		return w.Types[n]
	}},
	{"category", handlers.ByCategory, categoryID, same, func(w *Words) string { return w.CategoryLabel }, func(w *Words, id string) string {
		c, _ := catalogue.CategoryBySourceID(id)
		return c.Title
	}},
	{"year", handlers.ByYear, yearOf, same, func(w *Words) string { return w.YearLabel }, func(_ *Words, id string) string { return id }},
	{"licence", handlers.ByLicense, number, same, func(w *Words) string { return w.License }, func(w *Words, id string) string {
		n, _ := strconv.ParseInt(id, 10, 64)
		if l, ok := catalogue.LicenseByValue(n); ok {
			return l.Name
		}
		return w.License + " " + id
	}},
	{"group", handlers.ByGroup, number, same, func(w *Words) string { return w.GroupLabel }, func(w *Words, id string) string {
		return strings.Replace(w.GroupNumber, "%s", id, 1)
	}},
	{"tag", handlers.ByTag, tagOf, same, func(w *Words) string { return w.TagLabel }, func(_ *Words, id string) string { return id }},
}

func kindOf(text string) (string, bool) {
	_, known := english.Kinds[text]
	return text, known
}

func typeName(id string) string {
	n, _ := strconv.ParseInt(id, 10, 64)
	t, _ := catalogue.ItemTypeByID(n)
	return t.URLName
}

func categoryID(text string) (string, bool) {
	_, known := catalogue.CategoryBySourceID(text)
	return text, known
}

func yearOf(text string) (string, bool) {
	n, err := strconv.Atoi(text)
	return text, err == nil && len(text) == 4 && n > 0
}

// number is an id. It is written in one way.
func number(text string) (string, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return text, err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}

func tagOf(text string) (string, bool) { return text, len(text) <= 1000 }

// facetShown is a facet on a page.
type facetShown struct {
	*Words
	Label  string
	Values []facetValue
	More   string // address of the page with more of them, "" where there are no more
	Fewer  string // address of the page with fewer
}

type facetValue struct {
	Words, URL string
	Count      string
	Chosen     bool
	Level      int // of a category: how many are above it
}

// facetsShown are the facets of a search that has been made. A facet that could not narrow it is left
// out: one with a single value that all items have.
func (a asked) facetsShown(w *Words, found *handlers.Found) (list []facetShown) {
	for i, counts := range found.Facets {
		f, chosen := &facets[i], a.only[facets[i].name]
		id := ""
		if chosen != "" {
			id, _ = f.value(chosen)
		}
		if f.by == handlers.ByTag {
			id = strings.ToLower(id)
		}
		if chosen == "" && (len(counts) == 0 || len(counts) == 1 && counts[0].N == found.Total && f.by != handlers.ByCategory) {
			continue
		}
		shown := facetShown{Words: w, Label: f.label(w)}
		most := shownValues
		switch {
		case f.by == handlers.ByCategory:
			most = len(counts)
		case a.more == f.name:
			most, shown.Fewer = moreValues, a.showing("").url()
		case len(counts) > shownValues:
			shown.More = a.showing(f.name).url()
		}
		counts = counts[:min(len(counts), most)]
		switch f.by {
		case handlers.ByCategory:
			counts = byTree(counts)
		case handlers.ByYear: // the most frequent, but in their own order
			slices.SortFunc(counts, func(a, b handlers.FacetCount) int { return strings.Compare(b.Value, a.Value) })
		}
		for _, c := range counts {
			v := facetValue{Words: a.wordsOf(f, w, c.Value), Count: w.Number(c.N), Chosen: c.Value == id, URL: a.with(f.name, f.text(c.Value)).url()}
			if v.Chosen {
				v.URL = a.with(f.name, "").url()
			}
			if f.by == handlers.ByCategory {
				v.Level = len(c.Value)/2 - 1
			}
			shown.Values = append(shown.Values, v)
		}
		if len(shown.Values) > 0 {
			list = append(list, shown)
		}
	}
	return list
}

// wordsOf are the words for a value of a facet.
func (a asked) wordsOf(f *facet, w *Words, id string) string {
	if f.by == handlers.ByGroup {
		n, _ := strconv.ParseInt(id, 10, 64)
		if name := a.groups[n]; name != "" {
			return name
		}
	}
	return f.words(w, id)
}

// nameGroups looks up the names of the groups that a page shows.
func (s *Site) nameGroups(a *asked, found *handlers.Found) (err error) {
	var ids []int64
	add := func(text string) {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	add(a.only["group"])
	if found != nil {
		for i, counts := range found.Facets {
			if facets[i].by == handlers.ByGroup {
				for _, c := range counts {
					add(c.Value)
				}
			}
		}
	}
	a.groups, err = s.api.GroupNames(ids)
	return err
}

// byTree puts categories below those that they belong to, and keeps the most frequent ten of those
// that stand side by side at the end of the branch.
func byTree(counts []handlers.FacetCount) (tree []handlers.FacetCount) {
	deepest := 0
	for _, c := range counts {
		deepest = max(deepest, len(c.Value))
	}
	for size := 2; size <= deepest; size += 2 {
		n := 0
		for _, c := range counts {
			if len(c.Value) == size {
				if n++; n <= shownValues {
					tree = append(tree, c)
				}
			}
		}
	}
	return tree
}

// chips are what narrows a search; each link takes it away.
func (a asked) chips(w *Words) (list []Choice) {
	if a.author != "" {
		without := a
		without.author, without.page = "", 1
		list = append(list, Choice{Words: strings.Replace(w.ByAuthor, "%s", a.author, 1), URL: without.url()})
	}
	for _, f := range facets {
		if value := a.only[f.name]; value != "" {
			id, _ := f.value(value)
			list = append(list, Choice{Words: f.label(w) + ": " + a.wordsOf(&f, w, id), URL: a.with(f.name, "").url()})
		}
	}
	return list
}
