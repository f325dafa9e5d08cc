package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// query is what a search asks for: items that have all words, one of which may be a
// phrase.
type query struct {
	words    []string
	datasets bool // only these
}

// body is the query as Alcove is asked, narrowed so that it was not asked before.
func (q query) body() string {
	parts := make([]string, len(q.words))
	for i, w := range q.words {
		if parts[i] = w; strings.Contains(w, " ") {
			parts[i] = `"` + w + `"`
		}
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

func searches(w words) []searching {
	var turn atomic.Int64
	pick := func(list []word) string { return list[int(turn.Add(1))%len(list)].Text }
	share := func(list []word) string { return number(100*list[0].Share) + " %" }
	return []searching{
		{"rare word (" + share(w.Rare) + ")", func() query { return query{words: []string{pick(w.Rare)}} }},
		{"medium word (" + share(w.Medium) + ")", func() query { return query{words: []string{pick(w.Medium)}} }},
		{"common word (" + share(w.Common) + ")", func() query { return query{words: []string{pick(w.Common)}} }},
		{"common AND medium", func() query { return query{words: []string{pick(w.Common), pick(w.Medium)}} }},
		{"common word and type", func() query { return query{words: []string{pick(w.Common)}, datasets: true} }},
		{"phrase (" + share(w.Phrases) + ")", func() query { return query{words: []string{pick(w.Phrases)}} }},
	}
}

// Names of those who are asked the same.
const (
	ours      = "alcove: "
	bleveSort = "bleve, field sort: "
	sqliteFTS = "sqlite fts5: "
)

// measures ask Alcove over HTTP on one connection, and the others in this process.
func (s searching) measures(a *alcove, r *raw, f *fts) []measure {
	t := trial{server: a.server, clients: 1, want: 200, next: func() []byte { return post("/v2/articles/search", "", s.next().body()) }}
	list := []measure{{ours + s.name, t.run}}
	for _, o := range []struct {
		name   string
		search func(query) error
	}{{bleveSort, r.search}, {sqliteFTS, f.search}} {
		list = append(list, measure{o.name + s.name, func(_ context.Context, d time.Duration) (sample, error) {
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
