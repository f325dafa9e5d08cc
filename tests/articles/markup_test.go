package articles_test

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/formats"
	"alcove/tests/world"
)

// Text that looks like markup stays in titles, descriptions and other fields: on the page, in every export, in OAI-PMH, the
// feed and at the registrar. The API answers with the bytes that were sent.
func TestTextThatLooksLikeMarkup(t *testing.T) {
	t.Parallel()
	s, d := registers(t)
	tag := regexp.MustCompile(`<[^>]*>`)
	for n, c := range []struct{ title, seen, description, says string }{
		{"When is an <object> a <place>?", "When is an <object> a <place>?", "p<0.05 in\nall cases", "p<0.05 in all cases"},
		{"if a<b then c &amp; d", "if a<b then c &amp; d", "R&amp;D", "R&amp;D"},
		{"R package <kelp>: <i>notes</i>", "R package <kelp>: notes", "<h2>Use</h2><p>R&amp;D of <kelp> and H<sub>2</sub>O</p>", "Use R&D of <kelp> and H2O"},
		{"<stdio.h> &lt;x&gt;", "<stdio.h> &lt;x&gt;", "the <script> tag <!-- is", "the <script> tag <!-- is"},
	} {
		body, err := json.Marshal(map[string]any{"title": c.title, "description": c.description, "authors": []map[string]string{{"name": "Ada Lovelace"}}, "defined_type": "dataset",
			"funding_list": []map[string]string{{"title": c.title}}, "custom_fields": map[string]string{"Depth <m>": c.title}})
		if err != nil {
			t.Fatal(err)
		}
		at := s.Ada.Article(string(body))
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		id := world.LastNumber(t, at)
		doc := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()
		if doc["title"] != c.title || doc["description"] != c.description {
			t.Errorf("the API has %q and %q", doc["title"], doc["description"])
		}
		holds := func(place, text string, want ...string) {
			t.Helper()
			for _, w := range want {
				if !strings.Contains(strings.Join(strings.Fields(text), " "), w) {
					t.Errorf("item %d: %s lacks %q:\n%s", n, place, w, text)
				}
			}
		}
		page := s.Anon.Get(fmt.Sprintf("/articles/dataset/x/%d/1", id), "Accept", "text/html").Is(302).Header.Get("Location")
		shown := string(s.Anon.Get(page, "Accept", "text/html").Is(200).Bytes)
		_, main, _ := strings.Cut(shown, "<main")
		read := html.UnescapeString(tag.ReplaceAllString(regexp.MustCompile(`</?(p|h\d|br|div|dd|dt)\b[^>]*>`).ReplaceAllString(main, " $0"), ""))
		holds("the page", read, c.seen, c.says)
		if strings.Count(strings.Join(strings.Fields(read), " "), c.seen) < 3 { // title, grant, custom field
			t.Errorf("item %d: the page has %q too seldom", n, c.seen)
		}
		holds("its head", html.UnescapeString(shown), `<meta name="citation_title" content="`+c.seen+`">`)
		for _, f := range formats.All() {
			text := string(s.Anon.Get(fmt.Sprintf("/export/articles/%d/1/%s", id, f.Name)).Is(200).Bytes)
			switch {
			case f.XML():
				text = html.UnescapeString(text)
			case strings.Contains(f.Media, "json") || f.Name == "cff":
				text = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(text)
			case f.Name == "bibtex":
				text = strings.ReplaceAll(text, `\&`, "&")
			}
			want := []string{c.seen}
			if f.Name == "ieee" || f.Name == "mla" || f.Citation() {
				want[0] = strings.TrimSuffix(c.seen, "?")
			} else if f.Name != "bibtex" {
				want = append(want, c.says)
			}
			holds(f.Name, text, want...)
		}
		oai := s.Anon.Get("/oai?verb=ListRecords&metadataPrefix=oai_dc").Is(200)
		holds("OAI-PMH", html.UnescapeString(string(oai.Bytes)), c.seen, c.says)
		feed := s.Anon.Get("/search.atom").Is(200)
		holds("the feed", html.UnescapeString(string(feed.Bytes)), c.seen, c.says)
		r := registered(t, d, fmt.Sprintf("10.1234/alcove.%d.v1", id), "findable")
		sent, err := json.Marshal(r.Attributes["titles"])
		if err != nil || !slices.Contains([]string{fmt.Sprint(r.Attributes["titles"])}, fmt.Sprintf("[map[title:%s]]", c.seen)) {
			t.Errorf("item %d: the registrar has the titles %s (%v)", n, sent, err)
		}
		holds("the registrar", fmt.Sprint(r.Attributes["descriptions"]), c.says)
	}
}
