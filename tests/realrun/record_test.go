package main

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const registry = "../../../shared/data/open-data-registry.jsonl"

// offeredAll is every licence that may be mapped to.
func offeredAll() map[int]bool {
	all := map[int]bool{}
	for _, l := range licences {
		all[l.id] = true
	}
	return all
}

// The real records, where they are there: every one becomes an article within
// the limits of the API, and the search phrases are few enough to prove something.
func TestAllRealRecordsConvert(t *testing.T) {
	entries, err := readEntries(registry, 0)
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("the registry file is not here")
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1190 {
		t.Errorf("%d records", len(entries))
	}
	var items []expected
	slugs := map[string]bool{}
	mapped := 0
	for _, e := range entries {
		a := convert(e, offeredAll())
		if n := utf8.RuneCountInString(a.Title); n < 3 || n > maxTitle {
			t.Errorf("%s: title of %d characters", e.Slug, n)
		}
		if a.Description != e.Description {
			t.Errorf("%s: the description changed", e.Slug)
		}
		if n := utf8.RuneCountInString(a.Authors[0].Name); n < 1 || n > maxAuthor {
			t.Errorf("%s: author of %d characters", e.Slug, n)
		}
		if strings.Contains(a.Authors[0].Name, "](") {
			t.Errorf("%s: markdown in the author %q", e.Slug, a.Authors[0].Name)
		}
		if slugs[e.Slug] {
			t.Errorf("%s occurs twice", e.Slug)
		}
		slugs[e.Slug] = true
		if a.License != 0 {
			mapped++
		}
		body, err := json.Marshal(a)
		if err != nil || len(body) > 1<<20 {
			t.Errorf("%s: a body of %d bytes, %v", e.Slug, len(body), err)
		}
		items = append(items, expected{entry: e, article: a})
	}
	if mapped < 500 {
		t.Errorf("only %d licences were mapped", mapped)
	}
	some := items[:300]
	if list := queries(some, 10); len(list) != 10 || !slices.Equal(list, queries(some, 10)) {
		t.Errorf("the searches %v are not ten, or not the same every time", list)
	}
}

func TestConvert(t *testing.T) {
	text := `{"slug":"a-b","title":"Ice","description":"<p>x</p>\n","tags":["b","a","b"],"license":"CC0","managed_by":"",
		"documentation":"See [here](https://x.org/a_(b).html), http://y.org. and mailto:z",
		"update_frequency":"","citation":"C","resources":[{"x":1},{}],
		"related":[{"url":"https://x.org/r"},{"url":"http://y.org"},{"url":"doi.org/10.1/2"}]}`
	var e entry
	if err := json.Unmarshal([]byte(text), &e); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(convert(e, map[int]bool{2: true}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"title":"Ice","description":"\u003cp\u003ex\u003c/p\u003e\n","tags":["b","a"],` +
		`"references":["https://x.org/a_","http://y.org","https://x.org/r"],"authors":[{"name":"Unknown"}],"defined_type":"dataset","license":2,` +
		`"custom_fields":{"citation":"C","documentation":"See [here](https://x.org/a_(b).html), http://y.org. and mailto:z","license":"CC0","resources":"2","slug":"a-b"}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if a := convert(e, map[int]bool{1: true}); a.License != 0 {
		t.Errorf("licence %d, which is not offered", a.License)
	}
}

func TestAuthorName(t *testing.T) {
	tests := map[string]string{
		"":                                "Unknown",
		" [](https://x.org) ":             "Unknown",
		"[NOAA](http://www.noaa.gov/)":    "NOAA",
		"[A] (https://a.org), [B](b)":     "A, B",
		"The\n  **Big** `Lab` <b>x</b>":   "The Big Lab x",
		"Archive ([IRSA](https://i.edu))": "Archive (IRSA)",
		"(A)[https://a.org]":              "(A)[https://a.org]",
		"a < b & c*d":                     "a < b & c*d",
		strings.Repeat("é", 300):          strings.Repeat("é", 255),
		strings.Repeat("x", 254) + " yz":  strings.Repeat("x", 254),
	}
	for in, want := range tests {
		if got := authorName(in); got != want {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestLicence(t *testing.T) {
	tests := map[string]int{
		"[Creative Commons BY 4.0](https://creativecommons.org/licenses/by/4.0/)": 1,
		"CC-BY-4.0": 1,
		"Creative Commons Attribution 4.0 International License":                  1,
		"CC0 1.0 Universal (CC0 1.0) Public Domain Dedication":                    2,
		"[MIT License](https://opensource.org/license/mit)":                       3,
		"Apache License Version 2.0":                                              7,
		"Apache-2.0":                                                              7,
		"CC BY-SA 4.0":                                                            8,
		"https://creativecommons.org/licenses/by-nc/4.0/":                         10,
		"Creative Commons Attribution-NonCommercial-ShareAlike 4.0 International": 11,
		"":                                     0,
		"CC BY 2.0":                            0,
		"CC0, CC-BY":                           0,
		"All permitted":                        0,
		"CC-BY-4.0 unless otherwise specified": 0,
		"Attribution-Non Commercial - https://creativecommons.org/licenses/by/4.0/": 0,
		"[ODbL](https://creativecommons.org/licenses/by/4.0/)":                      0,
		"CC BY 4.0 " + strings.Repeat("and so on ", 50):                             0,
	}
	for text, want := range tests {
		if got := licence(text); got != want {
			t.Errorf("%q is %d, not %d", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("[a](b) **c** `d` <e>")
	f.Add("[[a](b)](c)")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		name := authorName(s)
		if n := utf8.RuneCountInString(name); n < 1 || n > maxAuthor || strings.TrimSpace(name) != name {
			t.Errorf("%q became %q", s, name)
		}
	})
}
