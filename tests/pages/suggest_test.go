package pages

import (
	"encoding/xml"
	"net/url"
	"strings"
	"testing"
	"time"

	"alcove/tests/world"
)

// While a search is written, titles, authors and tags are suggested that begin so, as links.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	_, at := published(s, `{"title": "Glacier <i>mass</i> balance", "tags": ["Glaciology"], "authors": [{"name": "Gladys West"}]}`)
	published(s, `{"title": "Rainfall", "tags": ["rain"], "authors": [{"name": "Ada Lovelace"}]}`)
	suggest := func(q string) string {
		return string(s.Anon.Get("/search/suggest?q=" + url.QueryEscape(q)).Is(200).Bytes)
	}
	text := suggest("gla")
	holds(t, text, `href="`+at+`">Glacier mass balance</a>`, `href="/search?author=Gladys&#43;West"`, `href="/search?tag=Glaciology"`)
	lacks(t, text, "Rainfall", "Lovelace", "<html")
	holds(t, suggest("West"), "Gladys West")
	holds(t, suggest("balance gla"), "Glacier mass balance")
	lacks(t, suggest("balance rain"), "<a")
	for _, none := range []string{"", "gl", strings.Repeat("gla ", 100), `"><script>`, "\x00\x00\x00", "***", "NOT"} {
		lacks(t, suggest(none), "<a", "<script")
	}
	for _, link := range []string{"/search?author=Gladys+West", "/search?tag=Glaciology"} {
		holds(t, page(t, s.Anon, link, 200), "1 result<", "Glacier")
	}
	holds(t, page(t, s.Anon, "/search?author=Gladys+West", 200), "<h1>Work by Gladys West</h1>", "Remove: Author: Gladys West")
	holds(t, page(t, s.Anon, "/search?author=West+Lovelace", 200), "Nothing matches")
	s.Anon.Get("/search/suggest").Is(200)
}

// Any search is a feed, newest first, of what its page shows.
func TestFeed(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	published(s, `{"title": "Rain & <i>snow</i>", "description": "<p>Daily <b>sums</b></p>", "defined_type": "dataset", "authors": [{"name": "Grace Hopper"}]}`)
	_, at := published(s, `{"title": "More rain", "defined_type": "figure", "authors": [{"name": "Ada Lovelace"}]}`)
	published(s, `{"title": "Ice", "authors": [{"name": "Ada Lovelace"}]}`)
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Title   string   `xml:"title"`
		Updated string   `xml:"updated"`
		Links   []struct {
			Rel  string `xml:"rel,attr"`
			Href string `xml:"href,attr"`
		} `xml:"link"`
		Entries []struct {
			ID      string   `xml:"id"`
			Title   string   `xml:"title"`
			Updated string   `xml:"updated"`
			Authors []string `xml:"author>name"`
			Summary string   `xml:"summary"`
		} `xml:"entry"`
	}
	r := s.Anon.Get("/search.atom?q=rain").Is(200)
	if got := r.Header.Get("Content-Type"); got != "application/atom+xml; charset=utf-8" {
		t.Errorf("the type is %q", got)
	}
	if err := xml.Unmarshal(r.Bytes, &feed); err != nil {
		t.Fatal(err)
	}
	if len(feed.Entries) != 2 || feed.Entries[0].Title != "More rain" || feed.Entries[1].Title != "Rain & snow" || feed.Entries[1].Summary != "Daily sums" {
		t.Fatalf("the feed is %+v", feed)
	}
	if feed.Entries[0].ID != s.URL+at || feed.Entries[1].Authors[0] != "Grace Hopper" || feed.ID != s.URL+"/search.atom?q=rain&sort=newest" {
		t.Errorf("the feed is %+v", feed)
	}
	for _, stamp := range []string{feed.Updated, feed.Entries[0].Updated, feed.Entries[1].Updated} {
		if at, err := time.Parse(time.RFC3339, stamp); err != nil || at.Year() < 2000 {
			t.Errorf("a time is %q", stamp)
		}
	}
	for _, l := range feed.Links {
		s.Anon.Get(strings.TrimPrefix(l.Href, s.URL)).Is(200)
	}
	holds(t, page(t, s.Anon, "/search?q=rain&type=figure", 200), `<link rel="alternate" type="application/atom+xml" title="Atom" href="/search.atom?q=rain&amp;type=figure">`)
	lacks(t, string(s.Anon.Get("/search.atom?q=rain&type=figure").Is(200).Bytes), "snow")
	s.Anon.Get("/search.atom?type=nonsense").Is(404)
	s.Anon.Get("/search.atom?q=ab").Is(200)
}

// Words that were looked for are marked in the part of the description that has most of them, which is
// text, whatever markup it was.
func TestFragments(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	published(s, `{"title": "Marked", "description": "<p>`+strings.Repeat("Nothing of interest stands here. ", 30)+`Then <b>glaciers</b> &lt;script&gt; of Ny-Ålesund melt &amp; shrink.</p>", "authors": [{"name": "Ada Lovelace"}]}`)
	text := page(t, s.Anon, "/search?q=glacier+alesund", 200)
	holds(t, text, "<mark>glaciers</mark> &lt;script&gt; of Ny-<mark>Ålesund</mark> melt &amp; shrink.")
	holds(t, page(t, s.Anon, "/search?q=glac*+NOT+snow", 200), "<mark>glaciers</mark>")
	holds(t, page(t, s.Anon, "/search?q=interest+stands", 200), "of <mark>interest stands</mark> here.")
	lacks(t, page(t, s.Anon, "/search?q=marked", 200), "<mark>")
	lacks(t, page(t, s.Anon, "/search", 200), "<mark>")
}

// Drafts, items under embargo and withdrawn items are in no suggestion, feed or fragment.
func TestSearchWithholds(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.Article(`{"title": "Secret draft", "tags": ["secret-tag"], "authors": [{"name": "Secretive Person"}]}`)
	gone, _ := published(s, `{"title": "Secret gone", "tags": ["secret-gone"], "authors": [{"name": "Secretia Gone"}]}`)
	published(s, `{"title": "Open rain", "authors": [{"name": "Ada Lovelace"}]}`)
	ask := func(at string) string { return strings.ToLower(string(s.Ada.Get(at, "Accept", browser).Is(200).Bytes)) }
	holds(t, ask("/search/suggest?q=secret"), "secret gone", "secret-gone", "secretia gone")
	s.Ada.Send("POST", "/v2/account/articles/"+itoa(gone)+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	for _, at := range []string{"/search/suggest?q=secret", "/search.atom", "/search.atom?q=open", "/search?q=open+rain", "/search?author=ada"} {
		lacks(t, ask(at), "secret")
	}
	lacks(t, ask("/search.atom?author=secretia"), "<entry>")
	lacks(t, ask("/search.atom?q=secret"), "<entry>")
}
