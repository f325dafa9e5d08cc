package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shown are the ids of a list, in order.
func (r *reply) shown() string {
	r.t.Helper()
	ids := []string{}
	for _, o := range r.is(200).list() {
		ids = append(ids, fmt.Sprint(o["id"]))
	}
	if len(ids) == 0 && string(r.body) != "[]" {
		r.t.Errorf("an empty list is %s", r.body)
	}
	return strings.Join(ids, " ")
}

// asBody is a query string as a JSON body, numbers as numbers.
func asBody(query string) string {
	var fields []string
	for _, pair := range strings.Split(query, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			if !json.Valid([]byte(value)) {
				value = fmt.Sprintf("%q", value)
			}
			fields = append(fields, fmt.Sprintf("%q: %s", name, value))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// Pages of lists. A page too far is 400 for lists and searches of articles, 422 elsewhere.
func TestListPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	filed := s.Root.article(`{"title": "With files", "authors": [{"name": "A B"}]}`)
	for range 3 {
		s.Root.send("POST", filed+"/files", `{"link": "https://example.org/x"}`).is(201)
	}
	s.Root.do("POST", filed+"/publish", nil).is(201)
	public := strings.Replace(filed, "/account", "", 1)
	const far = "Max page reached. Please narrow down your search"
	for _, e := range []struct {
		name     string
		call     func(query string) *reply
		maxPage  int
		tooFar   int
		messages string
	}{
		{"list", func(q string) *reply { return s.Anon.get("/v2/articles?" + q) }, 5000, 400, far},
		{"search, query", func(q string) *reply { return s.Anon.do("POST", "/v2/articles/search?"+q, nil) }, 5000, 400, far},
		{"search, body", func(q string) *reply { return s.Anon.send("POST", "/v2/articles/search", asBody(q)) }, 5000, 400, far},
		{"own list", func(q string) *reply { return s.Root.get("/v2/account/articles?" + q) }, 100, 400, far},
		{"files", func(q string) *reply { return s.Anon.get(public + "/files?" + q) }, 5000, 422, far},
		{"own files", func(q string) *reply { return s.Root.get(filed + "/files?" + q) }, 5000, 422, far},
	} {
		for _, mix := range []string{"page=1&limit=1", "page=1&offset=0", "page_size=1&limit=1", "page_size=1&offset=1", "page=1&page_size=1&limit=1&offset=1",
			"page=1&limit=10000", "page=9999&offset=0"} {
			e.call(mix).refuses(422, "either page and page_size or limit and offset")
		}
		for _, bad := range []string{"page=0", "page=-1", "page=a", "page=1.5", "page=1e1", "page=99999999999999999999", "page_size=0", "page_size=-1", "page_size=1001",
			"page_size=x", "limit=0", "limit=1001", "limit=-9", "offset=-1", "offset=x", "page=", "limit=9223372036854775808"} {
			if r := e.call(bad).refuses(422, ""); !strings.Contains(string(r.body), strings.Split(bad, "=")[0]) {
				t.Errorf("%s: %s is refused without its name: %s", e.name, bad, r.body)
			}
		}
		for _, q := range []string{fmt.Sprintf("page=%d&page_size=1", e.maxPage+1), "offset=5001", "offset=5001&limit=1", "page=10&page_size=1000",
			"page=9223372036854775807", "page=91&page_size=100", "offset=9223372036854775807&limit=1000"} {
			e.call(q).refuses(e.tooFar, e.messages)
		}
		for _, q := range []string{fmt.Sprintf("page=%d&page_size=1", e.maxPage), "page=9&page_size=1000", "page=90&page_size=100", "offset=5000&limit=1000", "limit=1000", "offset=0", "page=1"} {
			if q == "" || e.call(q).StatusCode != 200 {
				t.Errorf("%s: %s is refused", e.name, q)
			}
		}
		all := strings.Fields(e.call("limit=1000").shown())
		for size := 1; size <= len(all)+1; size++ {
			var paged, moved []string
			for p := 1; ; p++ {
				a := strings.Fields(e.call(fmt.Sprintf("page=%d&page_size=%d", p, size)).shown())
				b := strings.Fields(e.call(fmt.Sprintf("offset=%d&limit=%d", (p-1)*size, size)).shown())
				if paged, moved = append(paged, a...), append(moved, b...); len(a) == 0 {
					break
				}
				if size > 3 && size < len(all) && p > 1 {
					break // the sizes in between tell nothing new
				}
			}
			if n := len(paged); !slices.Equal(paged, all[:n]) || !slices.Equal(moved, paged) || (size <= 3 || size >= len(all)) && n != len(all) {
				t.Errorf("%s: pages of %d are %v and %v, want %v", e.name, size, paged, moved, all)
			}
		}
		if got, want := e.call("").shown(), strings.Join(all[:min(10, len(all))], " "); got != want {
			t.Errorf("%s: without a size %s, want %s", e.name, got, want)
		}
	}
	s.Anon.send("POST", "/v2/articles/search?limit=1", `{"page": 1}`).refuses(422, "either page")
	if got := s.Anon.send("POST", "/v2/articles/search?page_size=5", `{"page_size": 2}`).shown(); len(strings.Fields(got)) != 2 {
		t.Errorf("the body counts first: %s", got)
	}
}

// Filters and order of public lists and searches, by query and by body.
func TestListFilters(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	const all = "12 9 6 3 11 8 5 2 10 7 4 1"
	for query, want := range map[string]string{
		"limit=100":                  all,
		"order=published_date":       all[:len("12 9 6 3 11 8 5 2 10 7")],
		"order_direction=desc":       all[:len("12 9 6 3 11 8 5 2 10 7")],
		"order_direction=asc":        "1 4 7 10 2 5 8 11 3 6",
		"institution=1&limit=100":    all,
		"institution=2":              "",
		"institution=-5":             "",
		"group=0":                    "5 10",
		"group=3":                    "3 8",
		"group=99":                   "",
		"item_type=8":                "12 8 4",
		"item_type=3":                "9 6 3 11 5 2 10 7 1",
		"item_type=4":                "9 6 3 11 5 2 10 7 1", // withdrawn; became dataset
		"item_type=999":              "",
		"project_id=77":              "9 3 11 5 7 1",
		"published_since=2020-01-03": "12 9 6 3", "published_since=2020-01-02": "12 9 6 3 11 8 5 2", "published_since=2020-01-04": "",
		"published_since=2020-01-02T00:00:00Z": "12 9 6 3 11 8 5 2", "published_since=2020-01-02T00:00:01Z": "12 9 6 3", "published_since=2020-01-02T02:00:00%2B02:00": "12 9 6 3 11 8 5 2",
		"modified_since=2020-01-10T12:00:00": "12", "modified_since=2020-01-10T11:00:00": "12 11", "modified_since=2020-01-11": "",
		"doi=10.5072/alcove.7": "7", "doi=10.5072/alcove.7.v1": "7", "doi=10.5072/ALCOVE.7.V1": "7", "doi=https://doi.org/10.5072/alcove.7": "7",
		"doi=http://dx.doi.org/10.5072/alcove.7.v1": "7", "doi=doi:10.5072/alcove.7": "7", "doi=HTTPS://DOI.ORG/10.5072/ALCOVE.7": "7",
		"doi=10.5072/alcove.7.v2": "", "doi=10.5072/alcove.77": "", "doi=10.5072/alcove": "", "doi=nonsense": "", "doi=10.5072/alcove.7.v": "", "doi=.v1": "",
		"doi=10.5072/alcove.7.v01": "", "handle=20.500/h5": "5", "handle=20.500/h": "", "handle=20.500/h5x": "",
		"resource_doi=10.9999/R1": "9 3 11 5 7 1", "resource_doi=10.9999/r0": "12 6 8 2 10 4", "resource_doi=https://doi.org/10.9999/R1": "9 3 11 5 7 1", "resource_doi=10.9999/R": "",
		"group=3&item_type=8": "8", "group=3&item_type=8&published_since=2020-01-03": "", "item_type=8&limit=1&offset=1": "8", "item_type=8&page=2&page_size=2": "4",
		"unknown=1&doi=10.5072/alcove.7": "7",
	} {
		if got := s.Anon.get("/v2/articles?" + query).shown(); got != want {
			t.Errorf("list ?%s shows %q, want %q", query, got, want)
		}
		if got := s.Anon.do("POST", "/v2/articles/search?"+query, nil).shown(); got != want {
			t.Errorf("search ?%s shows %q, want %q", query, got, want)
		}
		if body := asBody(strings.ReplaceAll(query, "%2B", "+")); s.Anon.send("POST", "/v2/articles/search", body).shown() != want {
			t.Errorf("search %s shows %q, want %q", body, s.Anon.send("POST", "/v2/articles/search", body).shown(), want)
		}
	}
	for query, message := range map[string]string{
		"order=bogus": "Invalid value received for order", "order=": "Invalid value received for order", "order=Published_date": "Invalid value received for order",
	} {
		s.Anon.get("/v2/articles?"+query).refuses(400, message)
		s.Anon.send("POST", "/v2/articles/search", asBody(query)).refuses(400, message)
	}
	for _, query := range []string{"order_direction=up", "order_direction=", "published_since=yesterday", "published_since=2020-02-30", "modified_since=1",
		"institution=x", "group=1.5", "item_type=dataset", "item_type="} {
		name, _, _ := strings.Cut(query, "=")
		s.Anon.get("/v2/articles?"+query).refuses(422, name)
		s.Anon.send("POST", "/v2/articles/search", asBody(query)).refuses(422, name)
	}
	// A DOI that itself ends like a version, and the old version of an item.
	at := s.Root.article(`{"title": "Odd DOI", "doi": "10.1234/data.v2", "authors": [{"name": "A B"}]}`)
	s.Root.do("POST", at+"/publish", nil).is(201)
	for _, doi := range []string{"10.1234/data.v2", "10.1234/data.v2.v1", "https://doi.org/10.1234/DATA.V2"} {
		if got := s.Anon.get("/v2/articles?doi=" + doi).shown(); got != "13" {
			t.Errorf("doi=%s shows %q", doi, got)
		}
	}
}

// The own list, the newest first, of all states and of one account only.
func TestListOwn(t *testing.T) {
	s := start(t)
	var want []string
	for n := range 12 {
		who := s.Ada
		if n%4 == 3 {
			who = s.Ben
		}
		at := who.article(fmt.Sprintf(`{"title": "Item %d", "authors": [{"name": "A B"}]}`, n))
		if n%2 == 0 {
			who.do("POST", at+"/publish", nil).is(201)
		}
		if n%4 != 3 {
			want = append([]string{at[strings.LastIndexByte(at, '/')+1:]}, want...)
		}
	}
	s.Ada.send("PATCH", "/v2/account/articles/"+want[len(want)-1], `{"title": "Changed last"}`).is(205)
	if got := s.Ada.get("/v2/account/articles?limit=50&order=created_date&unknown=x").shown(); got != strings.Join(want, " ") {
		t.Errorf("own list %s, want %v", got, want)
	}
	tag := s.Anon.get("/v2/articles").Header.Get("ETag")
	s.Anon.get("/v2/articles", "If-None-Match", tag).is(304)
	if a, b := s.Anon.get("/v2/articles?page=1&page_size=2"), s.Anon.get("/v2/articles?page=2&page_size=2"); a.Header.Get("ETag") == b.Header.Get("ETag") {
		t.Error("two pages share an ETag (threat E13)")
	}
	at := s.Ada.article(`{"title": "One more", "authors": [{"name": "A B"}]}`)
	s.Anon.get("/v2/articles", "If-None-Match", tag).is(304)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if r := s.Anon.get("/v2/articles", "If-None-Match", tag).is(200); r.Header.Get("ETag") == tag {
		t.Error("the ETag did not change with a publication")
	}
}

// The style of the JSON, and the order of keys.
func TestListJSON(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	item := strings.Fields("id title doi handle url published_date thumb defined_type defined_type_name group_id url_private_api url_public_api " +
		"url_private_html url_public_html timeline resource_title resource_doi created_date modified_date")
	for path, want := range map[string][]string{"/v2/articles": item, "/v2/account/articles": item, "POST /v2/articles/search": append([]string{"project_id"}, item...)} {
		method, at, ok := strings.Cut(path, " ")
		if !ok {
			method, at = "GET", path
		}
		r := s.Ada.do(method, at, nil).is(200)
		d := json.NewDecoder(bytes.NewReader(r.body[1:]))
		var keys []string
		for depth := 0; ; {
			tok, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			if open, ok := tok.(json.Delim); ok {
				if depth += map[json.Delim]int{'{': 1, '[': 1, '}': -1, ']': -1}[open]; depth == 0 {
					break
				}
			} else if key, ok := tok.(string); ok && depth == 1 {
				keys = append(keys, key)
				var skip json.RawMessage
				if err := d.Decode(&skip); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(keys, want) {
			t.Errorf("%s: keys %v, want %v", path, keys, want)
		}
	}
	for _, r := range allRoutes() {
		if r.Method != "GET" || strings.HasPrefix(r.Path, "/files") || strings.HasPrefix(r.Path, "/ndownloader") || r.asksForMore() {
			continue
		}
		got := s.Ada.get(s.at(r)).is(200)
		if got.Header.Get("Content-Type") != "application/json" {
			continue
		}
		body := got.body
		if compact := strings.HasPrefix(r.Path, "/upload"); !spaced(body, !compact) || !json.Valid(body) {
			t.Errorf("%s: the separators are not as promised: %.300s", r.Path, body)
		}
	}
	if body := s.Anon.get("/v2/articles/9999").body; !spaced(body, true) {
		t.Errorf("an error is %s", body)
	}
}

// spaced reports whether one space, or none, stands behind every colon and comma outside
// strings, and no other white space anywhere.
func spaced(b []byte, want bool) bool {
	inString := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == ':' || c == ',':
			if i+2 >= len(b) || (b[i+1] == ' ') != want || want && b[i+2] == ' ' {
				return false
			}
			if want {
				i++
			}
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			return false
		}
	}
	return true
}
