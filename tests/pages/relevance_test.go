package pages

import (
	"strings"
	"testing"

	"alcove/tests/world"
)

// order is the order in which titles stand on a page.
func order(text string, titles ...string) (list []string) {
	for len(titles) > 0 {
		first, at := -1, len(text)
		for i, title := range titles {
			if n := strings.Index(text, ">"+title+"<"); n >= 0 && n < at {
				first, at = i, n
			}
		}
		if first < 0 {
			return list
		}
		list = append(list, titles[first])
		titles = append(titles[:first:first], titles[first+1:]...)
	}
	return list
}

// With words the most relevant come first: those with all words, the words one after another, in the
// title before tags, names and descriptions. The newest come first without words, and when asked for.
func TestRelevanceOnPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, body := range []string{
		`{"title": "Glacier rain of Iceland", "authors": [{"name": "Ada Lovelace"}]}`,
		`{"title": "Rain on a glacier", "authors": [{"name": "Ada Lovelace"}]}`,
		`{"title": "By tag", "tags": ["glacier rain"], "authors": [{"name": "Ada Lovelace"}]}`,
		`{"title": "By text", "description": "A long text on what is not rain, and then by the way names a glacier in some long sentence on something else", "authors": [{"name": "Ada Lovelace"}]}`,
		`{"title": "Glacier alone", "authors": [{"name": "Ada Lovelace"}]}`,
	} {
		published(s, body)
	}
	made := s.Ada.Wrote("/v2/account/collections", `{"title": "Glacier rain collected", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	titles := []string{"Glacier rain of Iceland", "Rain on a glacier", "By tag", "By text", "Glacier alone"}
	text := page(t, s.Anon, "/search?q=glacier+rain", 200)
	holds(t, text, "6 results", "Glacier rain collected", `aria-current="true">most relevant`, `href="/search?q=glacier&#43;rain&amp;sort=newest"`)
	got := strings.Join(order(text, titles...), ", ")
	if want := "Glacier rain of Iceland, Rain on a glacier, By tag"; !strings.HasPrefix(got, want) {
		t.Errorf("the order is %s, want %s", got, want)
	}
	newest := strings.Join(order(page(t, s.Anon, "/search?q=glacier+rain&sort=newest", 200), titles...), ", ")
	if want := "Glacier alone, By text, By tag, Rain on a glacier, Glacier rain of Iceland"; newest != want {
		t.Errorf("the newest first are %s", newest)
	}
	lacks(t, page(t, s.Anon, "/search", 200), "most relevant")
	holds(t, page(t, s.Anon, "/search?sort=relevance", 200), `aria-current="true">newest`)
	only := page(t, s.Anon, "/search?q=glacier+rain&kind=collection", 200)
	holds(t, only, "1 result<", "Glacier rain collected")
	lacks(t, only, "Rain on a glacier")
}

// A word that nothing has is replaced by the nearest one that something has, unless it is to be taken as
// it is written. Words of what is not public are never offered.
func TestSpelling(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	published(s, `{"title": "Precipitation in Norway", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Article(`{"title": "Clandestine measurements", "tags": ["clandestine"], "authors": [{"name": "Ada Lovelace"}]}`)
	published(s, `{"title": "Doses", "description": "<p>What pharmacogenomics says</p>", "authors": [{"name": "Grace Hopper"}]}`)
	holds(t, page(t, s.Anon, "/search?q=pharmocogenomics", 200), `href="/search?q=pharmacogenomics"`, ">Doses<")
	gone, _ := published(s, `{"title": "Retracted findings", "authors": [{"name": "Ada Lovelace"}]}`)
	holds(t, page(t, s.Anon, "/search?q=percipitation", 200), "Nothing has the word “percipitation”", `href="/search?q=precipitation"`, ">Precipitation in Norway<", "1 result<", `href="/search?q=percipitation&amp;written=1"`)
	written := page(t, s.Anon, "/search?q=percipitation&written=1", 200)
	holds(t, written, "Nothing matches", `href="/search?q=precipitation"`)
	lacks(t, written, ">Precipitation in Norway<")
	filtered := page(t, s.Anon, "/search?q=:author:+hopper+AND+percipitation", 200)
	holds(t, filtered, "Nearest spelling", `href="/search?q=%3Aauthor%3A&#43;hopper&#43;AND&#43;precipitation"`)
	holds(t, page(t, s.Anon, "/search?q=retracte", 200), "Retracted findings")
	s.Ada.Send("POST", "/v2/account/articles/"+itoa(gone)+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	for _, word := range []string{"clandestin", "clandestinee", "retractedd", "retracte"} {
		text := page(t, s.Ada, "/search?q="+word, 200)
		lacks(t, strings.ReplaceAll(strings.ToLower(text), word, ""), "clandestine", "retracted")
	}
	long := page(t, s.Anon, "/search?q="+strings.Repeat("abcdefgh+", 100), 200)
	if n := strings.Count(long, "Nothing has the word"); n == 0 || n > 8 {
		t.Errorf("%d words are named", n)
	}
}
