package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"alcove/formats"
	"alcove/tests/world"
)

// signed are the links of a header by their relations.
func signed(t *testing.T, h http.Header) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, l := range strings.Split(strings.Join(h.Values("Link"), ", "), ", ") {
		address, rest, ok := strings.Cut(strings.TrimPrefix(l, "<"), `>; rel="`)
		if !ok {
			t.Fatalf("the link %q", l)
		}
		rel, rest, _ := strings.Cut(rest, `"`)
		out[rel] = append(out[rel], address+rest)
	}
	return out
}

var headLink = regexp.MustCompile(`<link rel="([a-z-]+)"(?: type="[^"]*")? href="([^"]*)">`)

// headLinks are the links in the head of a page by their relations.
func headLinks(page string) map[string][]string {
	out := map[string][]string{}
	for _, m := range headLink.FindAllStringSubmatch(page, -1) {
		out[m[1]] = append(out[m[1]], html.UnescapeString(m[2]))
	}
	return out
}

// headBytes is the size of the head of an answer.
func headBytes(h http.Header) int {
	var b bytes.Buffer
	h.Write(&b)
	return len("HTTP/1.1 200 OK\r\n\r\n") + b.Len()
}

// The head of no answer about an item exceeds 4 KiB, the buffer of a proxy that is not configured otherwise.
func TestHeadsAreBounded(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	long := strings.Repeat("雨の研究", 60)
	authors := `{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}`
	id, at := published(s, fmt.Sprintf(`{"title": %q, "defined_type": "dataset", "authors": [%s], "license": 1}`, long, authors), strings.Repeat(long, 2)[:1200]+".csv", "b.csv")
	made := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": %q, "authors": [%s], "articles": [%d]}`, long, authors, id))
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	paths := []string{at, at + "/1", at + "/linkset", at + "/export/bibtex", fmt.Sprintf("/articles/%d", id), fmt.Sprintf("/articles/%d/versions/1", id),
		fmt.Sprintf("/articles/%d/versions/1?format=bagit", id), fmt.Sprintf("/v2/articles/%d", id), fmt.Sprintf("/collections/%d", world.LastNumber(t, made))}
	for _, f := range s.Anon.Get(fmt.Sprintf("/v2/articles/%d/files", id)).Is(200).List() {
		paths = append(paths, strings.TrimPrefix(f["download_url"].(string), s.URL))
	}
	for _, path := range paths {
		for _, accept := range []string{browser, "application/ld+json"} {
			r := s.Anon.Get(path, "Accept", accept)
			if n := headBytes(r.Header); n > 4096 || r.StatusCode >= 500 {
				t.Errorf("%.60s for %s: %d with a head of %d bytes: %v", path, accept, r.StatusCode, n, r.Header)
			}
		}
	}
}

// The page of an item has the most important typed links of FAIR Signposting in its header, the same for HEAD, and all
// of them in its head and its linkset; each form that it names is there and leads back, and so do files and bags.
func TestSignposting(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	files := []string{}
	for n := range 12 {
		files = append(files, fmt.Sprintf("f%02d.csv", n))
	}
	id, at := published(s, `{"title": "Rain, snow", "defined_type": "software", "authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}], "license": 1}`, files...)
	made := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "All rain", "authors": [{"name": "Ada Lovelace"}], "articles": [%d]}`, id))
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	col := fmt.Sprintf("/collections/All_rain/%d", world.LastNumber(t, made))
	for _, page := range []string{at, at + "/1", col, col + "/1"} {
		r := s.Anon.Get(page, "Accept", browser).Is(200)
		head := s.Anon.Do("HEAD", page, nil, "Accept", browser).Is(200)
		if r.Header.Get("Link") == "" || r.Header.Get("Link") != head.Header.Get("Link") || !strings.Contains(r.Header.Get("Vary"), "Accept,") {
			t.Errorf("%s: HEAD has %q, GET %q, Vary %q", page, head.Header.Get("Link"), r.Header.Get("Link"), r.Header.Get("Vary"))
		}
		links := signed(t, r.Header)
		want := map[string]int{"cite-as": 1, "type": 2, "linkset": 2, "describedby": 3}
		inHead := headLinks(string(r.Bytes))
		if strings.HasPrefix(page, "/articles/") {
			want["license"], want["item"], want["collection"] = 1, 0, 1
			if len(inHead["item"]) != 1+12 || len(inHead["collection"]) != 1 || !strings.HasSuffix(inHead["item"][0], "?format=bagit") {
				t.Errorf("the head of %s has %v", page, inHead)
			}
			back := s.Anon.Do("HEAD", strings.TrimPrefix(inHead["item"][1], s.URL), nil).Is(200).Header
			if in := signed(t, back)["collection"]; len(in) != 1 || in[0] != s.URL+at+`; type="text/html"` {
				t.Errorf("a file is in %v", back)
			}
			back = s.Anon.Do("HEAD", strings.TrimPrefix(inHead["item"][0], s.URL), nil).Is(200).Header
			if in := signed(t, back)["collection"]; len(in) != 1 || in[0] != s.URL+at+`/1; type="text/html"` {
				t.Errorf("the bag is in %v", back)
			}
			if links["license"][0] != "https://spdx.org/licenses/CC-BY-4.0" || links["type"][0] != "https://schema.org/SoftwareSourceCode" {
				t.Errorf("%s: %v", page, links)
			}
		}
		for rel, n := range want {
			if len(links[rel]) != n {
				t.Errorf("%s has %d links %s: %v", page, len(links[rel]), rel, links[rel])
			}
		}
		if len(inHead["describedby"]) != 13 || len(inHead["cite-as"]) != 1 || len(inHead["linkset"]) != 2 {
			t.Errorf("the head of %s has %v", page, inHead)
		}
		s.Anon.Get(strings.TrimPrefix(inHead["linkset"][0], s.URL)).Is(200)
		if links["cite-as"][0] != s.URL+page { // the DOI is one for tests, which leads nowhere
			t.Errorf("%s is cited as %v", page, links["cite-as"])
		}
		for _, l := range links["describedby"] {
			address, _, _ := strings.Cut(l, ";")
			r := s.Anon.Get(strings.TrimPrefix(address, s.URL)).Is(200)
			if !strings.Contains(r.Header.Get("Link"), `rel="describes"`) || !strings.Contains(l, `type="`+strings.Split(r.Header.Get("Content-Type"), ";")[0]) {
				t.Errorf("%s: %v", l, r.Header)
			}
		}
		var set struct {
			Linkset []map[string]any
		}
		reply := s.Anon.Get(page + "/linkset").Is(200)
		if err := json.Unmarshal(reply.Bytes, &set); err != nil || reply.Header.Get("Content-Type") != formats.LinksetJSON {
			t.Fatal(err, reply.Header)
		}
		first, forms := set.Linkset[0], 13
		if first["anchor"] != s.URL+page || len(first["describedby"].([]any)) != forms {
			t.Errorf("the linkset of %s is %v", page, first)
		}
		if strings.HasPrefix(page, "/articles/") {
			if len(first["item"].([]any)) != 1+12 || len(first["collection"].([]any)) != 1 || len(set.Linkset) != 1+1+12+forms {
				t.Errorf("the linkset of %s has %d anchors", page, len(set.Linkset))
			}
		}
		text := s.Anon.Get(page+"/linkset", "Accept", formats.LinksetText).Is(200)
		if text.Header.Get("Content-Type") != formats.LinksetText || strings.Count(string(text.Bytes), "anchor=") < forms*2 {
			t.Errorf("the linkset of %s as text: %s", page, text.Bytes)
		}
	}
	for _, none := range []string{at + "/2/linkset", at + "/linkset/x", at + "/export", at + "/export/none", at + "/export/bibtex/x", col + "/export/none", col + "/9/linkset", "/collections/a/999/linkset", "/articles/software/a/999/linkset"} {
		s.Anon.Get(none).Is(404)
	}
}

// At the page of an item and at its DOI clients get the form that they prefer, people the page, and 406 those who take
// nothing that there is. Each line of the table of forms is offered, exported and linked.
func TestNegotiation(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rain & snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`, "a.csv")
	made := s.Ada.Wrote("/v2/account/collections", `{"title": "All rain", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	col := fmt.Sprintf("/collections/All_rain/%d", world.LastNumber(t, made))
	doi := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["doi"].(string)
	for _, page := range []string{at, at + "/1", col} {
		shown := string(s.Anon.Get(page, "Accept", browser).Is(200).Bytes)
		for _, f := range formats.All() {
			ask := f.Media
			if f.Profile != "" {
				ask += `; profile="` + f.Profile + `"`
			}
			if f.Citation() {
				ask = "text/x-bibliography; style=" + f.Name
			}
			r := s.Anon.Get(page, "Accept", ask+", text/html;q=0.5").Is(200)
			export := s.Anon.Get(page + "/export/" + f.Name).Is(200)
			if r.Header.Get("Content-Type") != f.MediaType() || r.Header.Get("Vary") != "Accept" || export.Header.Get("Content-Type") != f.MediaType() || !strings.HasPrefix(export.Header.Get("Content-Disposition"), "attachment; ") {
				t.Errorf("%s as %s is %v, exported %v", page, ask, r.Header, export.Header)
			}
			if head := s.Anon.Do("HEAD", page, nil, "Accept", ask).Is(200); head.Header.Get("Content-Type") != f.MediaType() {
				t.Errorf("HEAD of %s as %s is %q", page, ask, head.Header.Get("Content-Type"))
			}
			if !f.Citation() && !strings.Contains(shown, "/"+f.Name+`"`) {
				t.Errorf("the head of %s does not name %s", page, f.Name)
			}
		}
		for accept, want := range map[string]string{
			"": "text/html; charset=utf-8", "*/*": "text/html; charset=utf-8", "text/*": "text/html; charset=utf-8", "application/ld+json": `application/ld+json; profile="https://schema.org/"`,
			"application/json, text/plain, */*": "text/html; charset=utf-8", "application/ld+json, */*": `application/ld+json; profile="https://schema.org/"`,
			"text/html, application/ld+json": "text/html; charset=utf-8", "text/html;q=0.1, application/x-bibtex;q=0.2": "application/x-bibtex",
			"text/html;q=0, */*;q=0.1": "text/html; charset=utf-8", "text/html;q=0, application/xhtml+xml;q=0, */*;q=0.1": "text/plain; charset=utf-8",
			"application/vnd.schemaorg.ld+json": `application/ld+json; profile="https://schema.org/"`, `application/ld+json; profile="https://w3id.org/ro/crate/1.2"`: `application/ld+json; profile="https://w3id.org/ro/crate"`,
			"application/linkset+json": formats.LinksetJSON, "application/linkset": formats.LinksetText, "nonsense": "text/html; charset=utf-8", "application/xml": "application/vnd.datacite.datacite+xml",
			"TEXT/YAML": "application/yaml",
		} {
			if got := s.Anon.Get(page, "Accept", accept).Is(200).Header.Get("Content-Type"); got != want {
				t.Errorf("%s for %q is %q, want %q", page, accept, got, want)
			}
		}
		for _, accept := range []string{"image/png", "application/json", "text/html;q=0", "text/x-bibliography; style=none", `application/ld+json; profile="https://none.example/"`} {
			s.Anon.Get(page, "Accept", accept).Is(406)
		}
	}
	r := s.Anon.Get("/doi/"+doi, "Accept", "application/x-bibtex").Is(302)
	s.Anon.Get(strings.TrimPrefix(r.Header.Get("Location"), s.URL), "Accept", "application/x-bibtex").Is(200)
	for _, escaped := range []string{"%2F", "%2f"} {
		if to := s.Anon.Get("/doi/" + strings.Replace(doi, "/", escaped, 1)).Is(302).Header.Get("Location"); to != r.Header.Get("Location") {
			t.Errorf("a DOI with %s leads to %s", escaped, to)
		}
	}
	s.Anon.Get(at+"/7", "Accept", "application/x-bibtex").Is(404)
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "A draft"}`))
	s.Anon.Get(fmt.Sprintf("/articles/dataset/A_draft/%d", draft), "Accept", "application/ld+json").Is(404)
	s.Anon.Get(fmt.Sprintf("/articles/dataset/A_draft/%d/export/bibtex", draft)).Is(404)
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", id), `{"reason": "It was wrong"}`).Is(204)
	for _, gone := range []string{at, at + "/export/bibtex", at + "/linkset"} {
		r := s.Anon.Get(gone, "Accept", "application/ld+json").Is(410)
		if r.Header.Get("Link") != "" || r.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s has %v", gone, r.Header)
		}
	}
	s.Anon.Get(fmt.Sprintf("/export/articles/%d/1/bibtex", id)).Is(404)
}

// Nothing that an embargo withholds stands in a form of the item.
func TestFormsUnderEmbargo(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Later", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Upload(made, "secret-name.csv", []byte("one\n"))
	s.Ada.Embargo(made, "file", "2999-01-01")
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	id := world.LastNumber(t, made)
	at := pageOf(s, id)
	for _, f := range formats.All() {
		lacks(t, string(s.Anon.Get(at+"/export/"+f.Name).Is(200).Bytes), "secret-name", "/files/")
	}
	r := s.Anon.Get(at, "Accept", browser).Is(200)
	lacks(t, r.Header.Get("Link"), `rel="item"`)
	lacks(t, string(s.Anon.Get(at+"/linkset").Is(200).Bytes), "/files/", "secret-name")
	holds(t, string(s.Anon.Get(at+"/export/datacite-xml").Is(200).Bytes), "c_f1cf", `dateType="Available">2999-01-01`)
}
