package articles

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Pages of lists. A page too far is 400 for lists and searches of articles, 422 elsewhere.
func TestListPages(t *testing.T) {
	t.Parallel()
	s := stage.NewFixture(t)
	filed := s.Root.Article(`{"title": "With files", "authors": [{"name": "A B"}]}`)
	for range 3 {
		s.Root.Send("POST", filed+"/files", `{"link": "https://example.org/x"}`).Is(201)
	}
	s.Root.Do("POST", filed+"/publish", nil).Is(201)
	public := strings.Replace(filed, "/account", "", 1)
	const far = "Max page reached. Please narrow down your search"
	for _, e := range []struct {
		name     string
		call     func(query string) *world.Reply
		maxPage  int
		tooFar   int
		messages string
	}{
		{"list", func(q string) *world.Reply { return s.Anon.Get("/v2/articles?" + q) }, 5000, 400, far},
		{"search, query", func(q string) *world.Reply { return s.Anon.Do("POST", "/v2/articles/search?"+q, nil) }, 5000, 400, far},
		{"search, body", func(q string) *world.Reply { return s.Anon.Send("POST", "/v2/articles/search", world.AsBody(q)) }, 5000, 400, far},
		{"own list", func(q string) *world.Reply { return s.Root.Get("/v2/account/articles?" + q) }, 100, 400, far},
		{"files", func(q string) *world.Reply { return s.Anon.Get(public + "/files?" + q) }, 5000, 422, far},
		{"own files", func(q string) *world.Reply { return s.Root.Get(filed + "/files?" + q) }, 5000, 422, far},
	} {
		for _, mix := range []string{"page=1&limit=1", "page=1&offset=0", "page_size=1&limit=1", "page_size=1&offset=1", "page=1&page_size=1&limit=1&offset=1",
			"page=1&limit=10000", "page=9999&offset=0"} {
			e.call(mix).Refuses(422, "either page and page_size or limit and offset")
		}
		for _, bad := range []string{"page=0", "page=-1", "page=a", "page=1.5", "page=1e1", "page=99999999999999999999", "page_size=0", "page_size=-1", "page_size=1001",
			"page_size=x", "limit=0", "limit=1001", "limit=-9", "offset=-1", "offset=x", "page=", "limit=9223372036854775808"} {
			if r := e.call(bad).Refuses(422, ""); !strings.Contains(string(r.Bytes), strings.Split(bad, "=")[0]) {
				t.Errorf("%s: %s is refused without its name: %s", e.name, bad, r.Bytes)
			}
		}
		for _, q := range []string{fmt.Sprintf("page=%d&page_size=1", e.maxPage+1), "offset=5001", "offset=5001&limit=1", "page=10&page_size=1000",
			"page=9223372036854775807", "page=91&page_size=100", "offset=9223372036854775807&limit=1000"} {
			e.call(q).Refuses(e.tooFar, e.messages)
		}
		for _, q := range []string{fmt.Sprintf("page=%d&page_size=1", e.maxPage), "page=9&page_size=1000", "page=90&page_size=100", "offset=5000&limit=1000", "limit=1000", "offset=0", "page=1"} {
			if q == "" || e.call(q).StatusCode != 200 {
				t.Errorf("%s: %s is refused", e.name, q)
			}
		}
		all := strings.Fields(e.call("limit=1000").Shown())
		for size := 1; size <= len(all)+1; size++ {
			var paged, moved []string
			for p := 1; ; p++ {
				a := strings.Fields(e.call(fmt.Sprintf("page=%d&page_size=%d", p, size)).Shown())
				b := strings.Fields(e.call(fmt.Sprintf("offset=%d&limit=%d", (p-1)*size, size)).Shown())
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
		if got, want := e.call("").Shown(), strings.Join(all[:min(10, len(all))], " "); got != want {
			t.Errorf("%s: without a size %s, want %s", e.name, got, want)
		}
	}
	s.Anon.Send("POST", "/v2/articles/search?limit=1", `{"page": 1}`).Refuses(422, "either page")
	if got := s.Anon.Send("POST", "/v2/articles/search?page_size=5", `{"page_size": 2}`).Shown(); len(strings.Fields(got)) != 2 {
		t.Errorf("the body counts first: %s", got)
	}
}

// Filters and order of public lists and searches, by query and by body.
func TestListFilters(t *testing.T) {
	t.Parallel()
	s := stage.NewFixture(t)
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
		if got := s.Anon.Get("/v2/articles?" + query).Shown(); got != want {
			t.Errorf("list ?%s shows %q, want %q", query, got, want)
		}
		if got := s.Anon.Do("POST", "/v2/articles/search?"+query, nil).Shown(); got != want {
			t.Errorf("search ?%s shows %q, want %q", query, got, want)
		}
		if body := world.AsBody(strings.ReplaceAll(query, "%2B", "+")); s.Anon.Send("POST", "/v2/articles/search", body).Shown() != want {
			t.Errorf("search %s shows %q, want %q", body, s.Anon.Send("POST", "/v2/articles/search", body).Shown(), want)
		}
	}
	for query, message := range map[string]string{
		"order=bogus": "Invalid value received for order", "order=": "Invalid value received for order", "order=Published_date": "Invalid value received for order",
	} {
		s.Anon.Get("/v2/articles?"+query).Refuses(400, message)
		s.Anon.Send("POST", "/v2/articles/search", world.AsBody(query)).Refuses(400, message)
	}
	for _, query := range []string{"order_direction=up", "order_direction=", "published_since=yesterday", "published_since=2020-02-30", "modified_since=1",
		"institution=x", "group=1.5", "item_type=dataset", "item_type="} {
		name, _, _ := strings.Cut(query, "=")
		s.Anon.Get("/v2/articles?"+query).Refuses(422, name)
		s.Anon.Send("POST", "/v2/articles/search", world.AsBody(query)).Refuses(422, name)
	}
	// A DOI that itself ends like a version, and the old version of an item.
	at := s.Root.Article(`{"title": "Odd DOI", "doi": "10.1234/data.v2", "authors": [{"name": "A B"}]}`)
	s.Root.Do("POST", at+"/publish", nil).Is(201)
	for _, doi := range []string{"10.1234/data.v2", "10.1234/data.v2.v1", "https://doi.org/10.1234/DATA.V2"} {
		if got := s.Anon.Get("/v2/articles?doi=" + doi).Shown(); got != "13" {
			t.Errorf("doi=%s shows %q", doi, got)
		}
	}
}

// The own list, the newest first, of all states and of one account only.
func TestListOwn(t *testing.T) {
	s := world.Start(t)
	var want []string
	for n := range 12 {
		who := s.Ada
		if n%4 == 3 {
			who = s.Ben
		}
		at := who.Article(fmt.Sprintf(`{"title": "Item %d", "authors": [{"name": "A B"}]}`, n))
		if n%2 == 0 {
			who.Do("POST", at+"/publish", nil).Is(201)
		}
		if n%4 != 3 {
			want = append([]string{at[strings.LastIndexByte(at, '/')+1:]}, want...)
		}
	}
	s.Ada.Send("PATCH", "/v2/account/articles/"+want[len(want)-1], `{"title": "Changed last"}`).Is(205)
	if got := s.Ada.Get("/v2/account/articles?limit=50&order=created_date&unknown=x").Shown(); got != strings.Join(want, " ") {
		t.Errorf("own list %s, want %v", got, want)
	}
	tag := s.Anon.Get("/v2/articles").Header.Get("ETag")
	s.Anon.Get("/v2/articles", "If-None-Match", tag).Is(304)
	if a, b := s.Anon.Get("/v2/articles?page=1&page_size=2"), s.Anon.Get("/v2/articles?page=2&page_size=2"); a.Header.Get("ETag") == b.Header.Get("ETag") {
		t.Error("two pages share an ETag (threat E13)")
	}
	at := s.Ada.Article(`{"title": "One more", "authors": [{"name": "A B"}]}`)
	s.Anon.Get("/v2/articles", "If-None-Match", tag).Is(304)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if r := s.Anon.Get("/v2/articles", "If-None-Match", tag).Is(200); r.Header.Get("ETag") == tag {
		t.Error("the ETag did not change with a publication")
	}
}

// The style of the JSON, and the order of keys.
func TestListJSON(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	item := strings.Fields("id title doi handle url published_date thumb defined_type defined_type_name group_id url_private_api url_public_api " +
		"url_private_html url_public_html timeline resource_title resource_doi created_date modified_date")
	for path, want := range map[string][]string{"/v2/articles": item, "/v2/account/articles": item, "POST /v2/articles/search": append([]string{"project_id"}, item...)} {
		method, at, ok := strings.Cut(path, " ")
		if !ok {
			method, at = "GET", path
		}
		r := s.Ada.Do(method, at, nil).Is(200)
		d := json.NewDecoder(bytes.NewReader(r.Bytes[1:]))
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
	for _, r := range routes.All() {
		if r.Method != "GET" || strings.HasPrefix(r.Path, "/files") || strings.HasPrefix(r.Path, "/ndownloader") || r.AsksForMore() {
			continue
		}
		got := s.Ada.Get(s.At(r))
		if got.StatusCode == 302 && r.About.IsPage() {
			continue // a short address
		}
		if got.Is(200).Header.Get("Content-Type") != "application/json" {
			continue
		}
		body := got.Bytes
		if compact := strings.HasPrefix(r.Path, "/upload"); !spaced(body, !compact) || !json.Valid(body) {
			t.Errorf("%s: the separators are not as promised: %.300s", r.Path, body)
		}
	}
	if body := s.Anon.Get("/v2/articles/9999").Bytes; !spaced(body, true) {
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
