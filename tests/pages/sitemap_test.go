package pages

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/tests/world"
)

// readSitemap reads an index or a page of a sitemap strictly.
func readSitemap(t *testing.T, s *world.Server, at string) (found []struct{ Loc, Lastmod string }) {
	t.Helper()
	r := s.Anon.Get(strings.TrimPrefix(at, s.URL)).Is(200)
	text := r.Bytes
	if kind := r.Header.Get("Content-Type"); strings.HasSuffix(at, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(r.Bytes))
		if err != nil || kind != "application/gzip" {
			t.Fatal(kind, err)
		}
		if text, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	} else if kind != "application/xml; charset=utf-8" {
		t.Errorf("%s is %q", at, kind)
	}
	var page struct {
		XMLName xml.Name
		Sitemap []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
		} `xml:"sitemap"`
		URL []struct {
			Loc     string `xml:"loc"`
			Lastmod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(text, &page); err != nil {
		t.Fatalf("%s: %v\n%s", at, err, text)
	}
	if page.XMLName.Space != "http://www.sitemaps.org/schemas/sitemap/0.9" {
		t.Errorf("%s is in %q", at, page.XMLName.Space)
	}
	for _, e := range append(page.Sitemap, page.URL...) {
		found = append(found, struct{ Loc, Lastmod string }{e.Loc, e.Lastmod})
	}
	return found
}

// The sitemap has each public item once, with the day of its last change, and nothing that is
// withheld. robots.txt leads there.
func TestSitemap(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	holds(t, string(s.Anon.Get("/robots.txt").Is(200).Bytes), "\nSitemap: "+s.URL+"/sitemap.xml\n")
	if pages := readSitemap(t, s, "/sitemap.xml"); len(pages) != 1 || pages[0].Loc != s.URL+"/sitemap/pages.xml.gz" || pages[0].Lastmod != "" {
		t.Fatalf("of an empty repository: %v", pages)
	}
	if home := readSitemap(t, s, "/sitemap/pages.xml.gz"); len(home) != 1 || home[0].Loc != s.URL+"/" {
		t.Errorf("the first page has %v", home)
	}
	for _, none := range []string{"articles-1.xml.gz", "articles-0.xml.gz", "articles-01.xml.gz", "articles--1.xml.gz", "articles-x.xml.gz", "articles.xml.gz", "x-1.xml.gz", ".xml.gz", "articles-1", "pages", "pages.xml"} {
		page(t, s.Anon, "/sitemap/"+none, 404)
	}
	page(t, s.Anon, "/sitemap/articles-999999999999999999.xml.gz", 404)

	first, at := published(s, `{"title": "One & <i>only</i> \"url_public_html\": \"x\"", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Article(`{"title": "A draft"}`)
	held := s.Ada.Article(`{"title": "Held back", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("PUT", held+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2099-05-04", "embargo_title": "Wait", "embargo_reason": "A paper comes first"}`).Is(205)
	s.Ada.Do("POST", held+"/publish", nil).Is(201)
	gone, _ := published(s, `{"title": "Gone soon", "authors": [{"name": "Ada Lovelace"}]}`)
	second, other := published(s, `{"title": "Another", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), `{"reason": "It was wrong"}`).Is(204)
	changed := func(id int64) string {
		stamp, _ := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Object()["modified_date"].(string)
		return stamp
	}
	want := fmt.Sprintf("[{%s%s %s} {%s%s %s}]", s.URL, at, changed(first), s.URL, other, changed(second))
	items := readSitemap(t, s, "/sitemap/articles-1.xml.gz")
	if got := fmt.Sprint(items); got != want {
		t.Errorf("the sitemap has %s, want %s", got, want)
	}
	for _, i := range items {
		page(t, s.Anon, strings.TrimPrefix(i.Loc, s.URL), 200)
	}
	index := readSitemap(t, s, "/sitemap.xml")
	if len(index) != 2 || index[1].Loc != s.URL+"/sitemap/articles-1.xml.gz" || index[1].Lastmod != changed(second) {
		t.Errorf("the index is %v", index)
	}

	// Collections and projects too.
	col := s.Ada.NewCollection("A set & more")
	s.Ada.Send("PATCH", col, fmt.Sprintf(`{"categories": [37], "authors": [{"name": "Ada Lovelace"}], "articles": [%d]}`, first)).Is(205)
	s.Ada.NewCollection("A hidden set")
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	s.Ada.Project("A hidden plan")
	project := s.Ada.Project("A plan & more")
	s.Ada.Do("POST", project+"/publish", nil).Is(201)
	for name, text := range map[string]string{"collections": "A set", "projects": "A plan"} {
		items := readSitemap(t, s, "/sitemap/"+name+"-1.xml.gz")
		if len(items) != 1 || items[0].Lastmod == "" {
			t.Fatalf("of %s: %v", name, items)
		}
		holds(t, page(t, s.Anon, strings.TrimPrefix(items[0].Loc, s.URL), 200), text)
	}
	if got := readSitemap(t, s, "/sitemap.xml"); len(got) != 4 {
		t.Errorf("with all kinds the index is %v", got)
	}

	// Ids far away have a page of their own.
	s.Alter(func(tx *bucket.Tx) error {
		for id := second; id < 100_000; {
			var err error
			if id, err = working.Articles.NextID(tx); err != nil {
				return err
			}
		}
		return nil
	})
	far, _ := published(s, `{"title": "Far away", "authors": [{"name": "Ada Lovelace"}]}`)
	if index := readSitemap(t, s, "/sitemap.xml"); far != 100_001 || len(index) != 5 || index[2].Loc != s.URL+"/sitemap/articles-3.xml.gz" {
		t.Errorf("with %d the index is %v", far, index)
	}
	if items := readSitemap(t, s, "/sitemap/articles-3.xml.gz"); len(items) != 1 {
		t.Errorf("far away are %v", items)
	}
	page(t, s.Anon, "/sitemap/articles-2.xml.gz", 404)
	if _, err := time.Parse(time.RFC3339, index[1].Lastmod); err != nil {
		t.Error(err)
	}
}
