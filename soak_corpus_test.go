package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"alcove/record/catalogue"
)

// soakWords are the words of the items of a soak: plain ones of every frequency, and those
// that search languages stumble over.
func soakWords() (words []string) {
	for _, a := range []string{"gla", "mer", "tor", "vin", "sel", "por", "lun", "dra", "qui", "ber", "fos", "hal"} {
		for _, b := range []string{"cier", "idian", "ment", "ograph", "ition", "ular", "opod", "escent", "ation", "ism"} {
			words = append(words, a+b)
		}
	}
	return append(words, "Müller", "co-author", "naïve", "CamelCase", "figure3_5.m", "日本列島", "東日本", "H2O", "straße", "running", "cells")
}

// picked takes the first words often and the last ones rarely.
func picked(r *rand.Rand, words []string) string {
	return words[int(float64(len(words))*r.Float64()*r.Float64()*r.Float64())]
}

func phrase(r *rand.Rand, words []string, n int) string {
	var b []string
	for range n {
		b = append(b, picked(r, words))
	}
	return strings.Join(b, " ")
}

var soakTypes = []string{"dataset", "figure", "poster", "software", "presentation"}

var soakCategories = catalogue.Categories()[:30]

// soakLines are the lines of a file for alcove import; the same seed makes the same ones.
func soakLines(seed uint64, n int) string {
	r, words := rand.New(rand.NewPCG(seed, 1)), soakWords()
	var b strings.Builder
	enc := json.NewEncoder(&b)
	for i := range n {
		line := map[string]any{
			"key": fmt.Sprintf("soak-%d", i), "title": phrase(r, words, 5), "description": "<p>" + phrase(r, words, 30) + "</p>",
			"tags": []string{phrase(r, words, 2), picked(r, words)}, "categories": []int64{soakCategories[r.IntN(len(soakCategories))].ID}, "license": 1 + r.IntN(3),
			"authors":      []map[string]string{{"first_name": picked(r, words), "last_name": fmt.Sprintf("Surname%d", r.IntN(50))}, {"name": "Ada Lovelace"}},
			"defined_type": soakTypes[r.IntN(len(soakTypes))], "resource_doi": fmt.Sprintf("10.9999/r%d", r.IntN(40)), "resource_title": phrase(r, words, 3),
			"references": []string{fmt.Sprintf("https://doi.org/10.8888/x%d", r.IntN(90))}, "publish": i%10 != 0,
		}
		if enc.Encode(line) != nil {
			panic("maps of texts are JSON")
		}
	}
	return b.String()
}

// saved is a search that is repeated: address, body and account.
type saved struct {
	path, body string
	own        bool
}

func (q saved) String() string { return q.path + " " + q.body }

// savedSearches are n searches of every field and operator, in every order, with every
// filter.
func savedSearches(seed uint64, n int) (list []saved) {
	r, words := rand.New(rand.NewPCG(seed, 2)), soakWords()
	one := func(of ...string) string { return of[r.IntN(len(of))] }
	for i := range n {
		w := func() string { return picked(r, words) }
		text := []func() string{
			w,
			func() string { return w() + " " + w() },
			func() string { return w() + " AND " + w() },
			func() string { return w() + " OR " + w() + " AND " + w() },
			func() string { return w() + " NOT " + w() },
			func() string { return "(" + w() + " OR " + w() + ") AND " + w() },
			func() string { return `"` + w() + " " + w() + `"` },
			func() string { return ":title: " + w() + " AND " + w() },
			func() string { return ":description: " + w() },
			func() string { return ":tag: " + w() },
			func() string { return ":author: Surname" + fmt.Sprint(r.IntN(50)) },
			func() string { return ":category: " + fmt.Sprint(soakCategories[r.IntN(len(soakCategories))].ID) },
			func() string { return ":resource_doi: 10.9999/r" + fmt.Sprint(r.IntN(40)) },
			func() string { return ":resource_title: " + w() },
			func() string { return ":references: 10.8888/x" + fmt.Sprint(r.IntN(90)) },
			func() string { return ":item_type: " + one(soakTypes...) + " AND " + w() },
			func() string { return ":licence: CC BY 4.0 AND " + w() },
			func() string { return ":institution: 1 NOT " + w() },
			func() string { return ":published_after: 2020-01-01 AND " + w() },
			func() string { return ":published_before: 2100-01-01 AND " + w() },
			func() string { return ":search_term: " + w() },
			func() string { return "10.5072/alcove." + fmt.Sprint(1+r.IntN(50)) },
			func() string { return `:title: "` + w() + " " + w() + `" OR :tag: ` + w() },
		}[i%23]()
		body := map[string]any{"search_for": text, "limit": 1000, "order_direction": one("asc", "desc")}
		q := saved{path: "/v2/articles/search"}
		switch i % 8 {
		case 5:
			q.path, q.own = "/v2/account/articles/search", true
			body["limit"], body["order"] = 100, one("published_date", "modified_date")
		case 6:
			q.path = "/v2/collections/search"
		case 7:
			q.path = "/v2/projects/search"
		}
		if !q.own {
			body["order"] = one("published_date", "created_date", "modified_date")
		}
		if i%8 < 5 {
			body["order"] = one("published_date", "created_date", "modified_date", "views", "shares", "downloads", "cites")
		}
		switch i % 5 {
		case 1:
			body["item_type"] = 1 + r.IntN(10)
		case 2:
			body["resource_doi"] = "10.9999/r" + fmt.Sprint(r.IntN(40))
		case 3:
			body["published_since"], body["institution"] = "2020-01-01", 1
		case 4:
			body["modified_since"] = "2020-01-01"
		}
		q.body = asJSON(body)
		list = append(list, q)
	}
	return list
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of texts and numbers are JSON
	}
	return string(b)
}

// soakBody is an article of a writer with a marker that nothing else has.
func soakBody(r *rand.Rand, words []string, marker string) string {
	return asJSON(map[string]any{"title": phrase(r, words, 4) + " " + marker, "description": phrase(r, words, 20), "authors": []map[string]string{{"name": "Grace Hopper"}}, "tags": []string{url.QueryEscape(picked(r, words))}})
}
