package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// step does one thing, chosen by chance.
func (w *writer) step() {
	switch n := w.r.IntN(100); {
	case n < 12 || len(w.items) == 0:
		w.create(articles)
	case n < 15:
		w.create(collections)
	default:
		if it := w.pick(); it == nil {
			w.create(articles)
		} else if it.kind == articles {
			w.article(it)
		} else {
			w.collection(it)
		}
	}
}

// pick is an item that can be written to, mostly one of the latest.
func (w *writer) pick() *item {
	for range 10 {
		n := len(w.items)
		if w.r.IntN(4) > 0 {
			n = min(n, 12)
		}
		if it := w.items[len(w.items)-1-w.r.IntN(n)]; it.doubt == nil && it.id != 0 && !it.now.Gone {
			return it
		}
	}
	return nil
}

// words are a text by chance.
func (w *writer) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = vocabulary[w.r.IntN(len(vocabulary))]
	}
	return strings.Join(list, " ")
}

var vocabulary = []string{"glacier", "sediment", "protein", "survey", "archive", "orbit", "harvest", "lattice", "estuary", "grammar"}

// title is a title that holds the mark.
func (w *writer) title(it *item) string { return "torture " + it.mark + " " + w.words(3) }

// create makes an article or a collection.
func (w *writer) create(kind string) {
	w.made++
	it := &item{kind: kind, mark: fmt.Sprintf("w%dn%d", w.no, w.made), now: state{Gone: true}}
	next := state{content: content{
		Title: w.title(it), Description: w.words(8), Tags: []string{w.words(1)}, Authors: []string{it.mark + " Author"},
	}}
	body := map[string]any{
		"title": next.Title, "description": next.Description, "tags": next.Tags,
		"authors": []any{map[string]any{"name": next.Authors[0]}},
	}
	if kind == articles {
		next.License, next.Type = w.r.Int64N(3)+1, w.r.Int64N(3)+1
		body["license"], body["defined_type"] = next.License, types[next.Type]
	}
	w.items = append(w.items, it)
	a, out := w.write(it, "POST", "/account/"+kind, encode(body), http.StatusCreated, next)
	switch out {
	case acknowledged:
		if it.id = a.made(); it.id == 0 {
			w.o.found(wrong, it, "the answer does not tell the id")
		}
	case refused:
		w.items = slices.Delete(w.items, len(w.items)-1, len(w.items))
	}
}

// types are the names of types of items, by their numbers.
var types = map[int64]string{1: "figure", 2: "media", 3: "dataset"}

// path is an address of the item as its owner has it.
func (it *item) path(rest string, args ...any) string {
	return fmt.Sprintf("/account/%s/%d", it.kind, it.id) + fmt.Sprintf(rest, args...)
}

// describe changes some of what an item says of itself.
func (w *writer) describe(it *item) {
	next := it.now.clone()
	body := map[string]any{}
	method := "PATCH"
	if w.r.IntN(2) == 0 {
		method = "PUT"
	}
	if method == "PUT" || w.r.IntN(2) == 0 {
		next.Title = w.title(it)
		body["title"] = next.Title
	}
	if w.r.IntN(2) == 0 {
		next.Description = w.words(20)
		body["description"] = next.Description
	}
	if w.r.IntN(3) == 0 {
		next.Tags = []string{w.words(1), w.words(2)}
		body["tags"] = next.Tags
	}
	if it.kind == articles && w.r.IntN(3) == 0 {
		next.License = w.r.Int64N(3) + 1
		body["license"] = next.License
	}
	w.write(it, method, it.path(""), encode(body), http.StatusResetContent, next)
}

// author adds an author or replaces them all.
func (w *writer) author(it *item) {
	it.serial++
	name := fmt.Sprintf("%s Author%d", it.mark, it.serial)
	body := encode(map[string]any{"authors": []any{map[string]any{"name": name}}})
	next := it.now.clone()
	if w.r.IntN(3) > 0 && len(next.Authors) < 8 {
		next.Authors = append(next.Authors, name)
		want := http.StatusResetContent
		if it.kind == collections {
			want = http.StatusCreated
		}
		w.write(it, "POST", it.path("/authors"), body, want, next)
		return
	}
	next.Authors = []string{name}
	w.write(it, "PUT", it.path("/authors"), body, http.StatusResetContent, next)
}

// link makes a private link or disables one.
func (w *writer) link(it *item) {
	next := it.now.clone()
	if n := len(next.Links); n > 0 && w.r.IntN(3) == 0 {
		if l := &next.Links[w.r.IntN(n)]; l.Active && l.Token != "" {
			l.Active = false
			w.write(it, "DELETE", it.path("/private_links/%s", l.Token), nil, http.StatusNoContent, next)
			return
		}
	}
	it.serial++
	expires := fmt.Sprintf("2090-01-01T%02d:%02d:%02d", it.serial/3600, it.serial/60%60, it.serial%60)
	next.Links = append(next.Links, link{Expires: expires, Active: true})
	body := encode(map[string]any{"expires_date": expires})
	a, out := w.write(it, "POST", it.path("/private_links"), body, http.StatusCreated, next)
	if out == acknowledged {
		at := a.header.Get("Location")
		it.now.Links[len(it.now.Links)-1].Token = at[strings.LastIndexByte(at, '/')+1:]
	}
}

// remove deletes an item that was never public.
func (w *writer) remove(it *item) {
	if it.now.Version > 0 {
		return
	}
	w.write(it, "DELETE", it.path(""), nil, http.StatusNoContent, state{Gone: true})
}

// collection does something to a collection.
func (w *writer) collection(it *item) {
	switch n := w.r.IntN(100); {
	case n < 25:
		w.describe(it)
	case n < 35:
		w.author(it)
	case n < 45:
		w.link(it)
	case n < 50:
		w.remove(it)
	case n < 75:
		w.member(it)
	default:
		next := it.now.clone()
		next.Version++
		next.Versions = append(next.Versions, it.now.freeze())
		w.write(it, "POST", it.path("/publish"), nil, http.StatusCreated, next)
	}
}

// member puts a public article into a collection, or takes one out.
func (w *writer) member(it *item) {
	next := it.now.clone()
	if n := len(next.Members); n > 0 && w.r.IntN(4) == 0 {
		at := w.r.IntN(n)
		id := next.Members[at]
		next.Members = slices.Delete(next.Members, at, at+1)
		w.write(it, "DELETE", it.path("/articles/%d", id), nil, http.StatusNoContent, next)
		return
	}
	art := w.pick()
	if art == nil || art.kind != articles || art.now.Version == 0 || len(next.Members) >= 10 {
		return
	}
	body := encode(map[string]any{"articles": []int64{art.id}})
	if w.r.IntN(4) == 0 {
		next.Members = []int64{art.id}
		w.write(it, "PUT", it.path("/articles"), body, http.StatusResetContent, next)
		return
	}
	if !slices.Contains(next.Members, art.id) {
		next.Members = append(next.Members, art.id)
	}
	w.write(it, "POST", it.path("/articles"), body, http.StatusCreated, next)
}
