package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// query is what a search asks for: items that have all words, one of which may be a
// phrase, or the beginning of a word.
type query struct {
	words    []string
	begins   bool   // they are beginnings
	datasets bool   // only these
	year     string // of the publication; empty for any
}

// itemType is the id of the only type that is wanted, empty for any.
func (q query) itemType() string {
	if q.datasets {
		return strconv.Itoa(datasets)
	}
	return ""
}

// body is the query as Alcove is asked, narrowed so that it was not asked before.
func (q query) body() string {
	parts := make([]string, len(q.words))
	for i, w := range q.words {
		if parts[i] = w; strings.Contains(w, " ") {
			parts[i] = `"` + w + `"`
		} else if q.begins {
			parts[i] += "*"
		}
	}
	if q.year != "" {
		next, _ := strconv.Atoi(q.year) // four digits
		parts = append(parts, ":published_after: "+q.year+"-01-01", fmt.Sprintf(":published_before: %d-01-01", next+1))
	}
	ask := map[string]any{"search_for": strings.Join(parts, " AND "), "page_size": 10, "published_since": unseen()}
	if q.datasets {
		ask["item_type"] = datasets
	}
	text, err := json.Marshal(ask)
	if err != nil {
		panic(err) // strings and numbers can be written
	}
	return string(text)
}

// searching is a kind of search: each query is another one of its kind.
type searching struct {
	name string
	next func() query
}

// searches are those that the goals name.
func searches(w words, year string) []searching {
	var turn atomic.Int64
	pick := func(list []word) string { return list[int(turn.Add(1))%len(list)].Text }
	share := func(list []word) string { return number(100*list[0].Share) + " %" }
	return []searching{
		{"rare word (" + share(w.Rare) + ")", func() query { return query{words: []string{pick(w.Rare)}} }},
		{"medium word (" + share(w.Medium) + ")", func() query { return query{words: []string{pick(w.Medium)}} }},
		{"common word (" + share(w.Common) + ")", func() query { return query{words: []string{pick(w.Common)}} }},
		{"common AND medium", func() query { return query{words: []string{pick(w.Common), pick(w.Medium)}} }},
		{"common word and type", func() query { return query{words: []string{pick(w.Common)}, datasets: true} }},
		{"common word, type and year", func() query { return query{words: []string{pick(w.Common)}, datasets: true, year: year} }},
		{"medium word, type and year", func() query { return query{words: []string{pick(w.Medium)}, datasets: true, year: year} }},
		{"prefix of four letters", func() query { return query{words: []string{pick(w.beginnings())}, begins: true} }},
		{"phrase (" + share(w.Phrases) + ")", func() query { return query{words: []string{pick(w.Phrases)}} }},
	}
}

// Names of the programs that get the same searches.
const (
	ours      = "alcove: "
	bleveSort = "bleve, field sort: "
	sqliteFTS = "sqlite fts5: "
)

// ask asks Alcove over HTTP on one connection.
func (s searching) ask(name string, a *alcove) measure {
	t := trial{server: a.server, clients: 1, want: 200, next: func() []byte { return post("/v2/articles/search", "", s.next().body()) }}
	return measure{name + s.kind(), t.run}
}

// kind is the name without the share of the items, which differs between corpora.
func (s searching) kind() string {
	kind, _, _ := strings.Cut(s.name, " (")
	return kind
}

// measures ask Alcove, and the others in this process.
func (s searching) measures(a *alcove, r *raw, f *fts) []measure {
	list := []measure{s.ask(ours, a)}
	for _, o := range []struct {
		name   string
		search func(query) error
	}{{bleveSort, r.search}, {sqliteFTS, f.search}} {
		list = append(list, measure{o.name + s.kind(), func(_ context.Context, d time.Duration) (sample, error) {
			return inProcess(d, s.next, o.search)
		}})
	}
	return list
}

// check asks each search once and fails when Alcove finds nothing: then its time would
// mean nothing.
func (s searching) check(a *alcove) error {
	got, err := a.ask(post("/v2/articles/search", "", s.next().body()))
	if err == nil && (got.status != 200 || len(got.body) < 10) {
		err = fmt.Errorf("%s answered %d to the search for a %s: %s", a.name, got.status, s.name, got.body)
	}
	return err
}
