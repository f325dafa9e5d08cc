package site

import (
	"errors"
	"slices"
	"strings"

	"alcove/handlers"
	"alcove/handlers/endpoint"
)

type home struct {
	*Frame
	Newest  []card
	Ways    []facetShown // by type and by category
	Figures string       // how much there is of each kind, and of files
	Address string       // address of the API, for the first deposit
}

// Choice is a link that narrows a search.
type Choice struct {
	Words, URL string
	Chosen     bool
}

const newestCards = 6

// Home is the first page: what the repository is, its newest items, and the ways into it.
func (s *Site) Home(c *endpoint.Call) (endpoint.Reply, error) {
	f := s.Frame(c)
	v := home{Frame: f, Address: s.api.Settings.BaseURL}
	all := asked{only: map[string]string{}, sort: newest, page: 1}
	asked := all.finding()
	asked.Take = newestCards
	found, err := s.api.Find(c, asked)
	if err != nil {
		return endpoint.Reply{}, err
	}
	for i := range found.Items {
		v.Newest = append(v.Newest, s.foundCard(f.Words, &found.Items[i], nil))
	}
	files, size, err := s.api.Holdings()
	if err := errors.Join(err, s.nameGroups(&all, found)); err != nil {
		return endpoint.Reply{}, err
	}
	v.Ways, v.Figures = all.ways(f.Words, found), f.figures(found, files, size)
	f.OwnBox, f.About, f.Canonical, f.Main = true, f.HomeLead, s.api.Settings.SiteURL+"/", v
	return s.render(c, "home", f)
}

// ways are the facets that a first page offers, those with one value too.
func (a asked) ways(w *Words, found *handlers.Found) (list []facetShown) {
	for i, counts := range found.Facets {
		f := &facets[i]
		if f.by != handlers.ByType && f.by != handlers.ByCategory && (f.by != handlers.ByGroup || len(counts) < 2) || len(counts) == 0 {
			continue
		}
		way := facetShown{Words: w, Label: f.label(w)}
		for _, c := range counts {
			way.Values = append(way.Values, facetValue{Words: a.wordsOf(f, w, c.Value), Count: w.Number(c.N), URL: a.with(f.name, f.text(c.Value)).url()})
		}
		if f.by == handlers.ByCategory {
			slices.SortFunc(way.Values, func(a, b facetValue) int { return strings.Compare(a.Words, b.Words) })
		}
		list = append(list, way)
	}
	return list
}

// figures are how many items of each kind there are, where they were counted, and how many files, with
// their size.
func (w *Words) figures(found *handlers.Found, files, size int64) string {
	var parts []string
	for i, counts := range found.Facets {
		if facets[i].by != handlers.ByKind {
			continue
		}
		for _, c := range counts {
			kind := w.Kinds[c.Value]
			if c.N == 1 {
				kind = w.KindOne[c.Value]
			}
			parts = append(parts, w.Number(c.N)+" "+kind)
		}
	}
	if files > 0 {
		parts = append(parts, w.Count(int(files), w.OneFile, w.ManyFiles), w.Bytes(size))
	}
	return strings.Join(parts, " · ")
}
