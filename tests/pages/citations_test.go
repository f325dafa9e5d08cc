package pages

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"alcove/formats"
	"alcove/tests/world"
)

// Each style is given as text and as HTML, which say the same, at the addresses of both kinds of items; the page shows
// five and leads to the others.
func TestCitations(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rain & \"snow\" < 5 mm", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}, {"name": "<script>alert(1)</script> & Sons"}]}`, "a.csv")
	made := s.Ada.Wrote("/v2/account/collections", `{"title": "All rain", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	n := world.LastNumber(t, made)
	col := fmt.Sprintf("/collections/All_rain/%d", n)
	paragraph, tag := regexp.MustCompile(`(?s)<p>(.*)</p>`), regexp.MustCompile(`<[^>]*>`)
	for _, c := range []struct{ page, version, export string }{
		{at, at + "/1", fmt.Sprintf("/export/articles/%d/1/", id)}, {at + "/1", at + "/1", at + "/1/export/"}, {col, col + "/1", fmt.Sprintf("/export/collections/%d/1/", n)},
	} {
		page := c.page
		shown, styles := string(s.Anon.Get(page, "Accept", browser).Is(200).Bytes), 0
		for _, f := range formats.All() {
			if !f.Citation() {
				s.Anon.Get(page + "/export/" + f.Name + ".html").Is(404)
				continue
			}
			if styles++; strings.Contains(shown, `id="cite-`+f.Name+`"`) != (styles <= 5) || strings.Contains(shown, `/1/`+f.Name+`.html"`) != (styles > 5) {
				t.Errorf("%s is not on %s as it should be", f.Name, page)
			}
			text := string(s.Anon.Get(page + "/export/" + f.Name).Is(200).Bytes)
			r := s.Anon.Get(page + "/export/" + f.Name + ".html").Is(200)
			if r.Header.Get("Content-Type") != "text/html; charset=utf-8" || r.Header.Get("Content-Disposition") != "" || r.Header.Get("Link") == "" ||
				r.Header.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s in HTML has %v", f.Name, r.Header)
			}
			body := string(r.Bytes)
			found := paragraph.FindStringSubmatch(body)
			if found == nil || html.UnescapeString(tag.ReplaceAllString(found[1], "")) != text {
				t.Errorf("%s says %q, and in HTML %s", f.Name, text, body)
				continue
			}
			if !strings.Contains(found[1], `<a href="`+s.URL+c.version+`">`) {
				t.Errorf("%s does not lead to %s: %s", f.Name, page, body)
			}
			lacks(t, body, "<script", "<b>")
			if string(s.Anon.Get(c.export+f.Name+".html").Is(200).Bytes) != body {
				t.Errorf("%s%s.html is another page", c.export, f.Name)
			}
			s.Anon.Get(page+"/export/"+f.Name+".html", "If-None-Match", r.Header.Get("ETag")).Is(304)
		}
		if styles != 12 {
			t.Errorf("%d styles", styles)
		}
	}
	holds(t, string(s.Anon.Get(at+"/export/mla.html").Is(200).Bytes), "<i>Rain &amp; &#34;snow&#34; &lt; 5 mm</i>", "Lovelace, Ada, and")
	for _, none := range []string{at + "/export/.html", at + "/export/none.html", at + "/export/mla.html.html", at + "/export/mla.htm", at + "/2/export/mla.html", "/export/articles/999/1/mla.html"} {
		s.Anon.Get(none).Is(404)
	}
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", id), `{"reason": "It was wrong"}`).Is(204)
	s.Anon.Get(at + "/export/mla.html").Is(410)
}
