package pages

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

var (
	facetOf   = regexp.MustCompile(`(?s)<nav class="facet" aria-label="([^"]*)">(.*?)</nav>`)
	facetLink = regexp.MustCompile(`<a href="([^"]*)" rel="nofollow"( aria-current="true")?>([^<]*)</a> <span class="count">([\d,]*)</span>`)
	totalOf   = regexp.MustCompile(`<p>([\d,]+) results?</p>`)
)

type facetLinkShown struct {
	facet, url, words string
	count             int
	chosen            bool
}

func facetsOn(text string) (list []facetLinkShown) {
	for _, f := range facetOf.FindAllStringSubmatch(text, -1) {
		for _, l := range facetLink.FindAllStringSubmatch(f[2], -1) {
			n, _ := strconv.Atoi(strings.ReplaceAll(l[4], ",", ""))
			list = append(list, facetLinkShown{f[1], html.UnescapeString(l[1]), html.UnescapeString(l[3]), n, l[2] != ""})
		}
	}
	return list
}

// total is how many results a page says there are.
func total(t *testing.T, text string) int {
	t.Helper()
	m := totalOf.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("no total in\n%s", text)
	}
	n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
	return n
}

// counted is what a facet says of a value, 0 where it is not offered.
func counted(text, facet, words string) int {
	for _, l := range facetsOn(text) {
		if l.facet == facet && l.words == words {
			return l.count
		}
	}
	return 0
}

// Each value of a facet says how many items its link leads to, whatever is chosen already, and a chosen
// one is taken away by its link and by its chip.
func TestFacetsAddUp(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 24 {
		published(s, fmt.Sprintf(`{"title": "Rainfall %02d", "defined_type": "%s", "license": %d, "categories": [%d], "tags": ["all", "Tag %d"], "authors": [{"name": "Grace Hopper"}]}`,
			n, []string{"dataset", "figure", "software"}[n%3], 1+n%2, []int{300101, 300102, 3002, 310101}[n%4], n%5))
	}
	made := s.Ada.Wrote("/v2/account/collections", `{"title": "Rainfall collected", "tags": ["all"], "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	for _, at := range []string{"/search", "/search?q=rainfall", "/search?type=dataset", "/search?category=30&type=figure", "/search?q=rainfall&tag=tag+3", "/search?tag=all&licence=1&sort=oldest", "/search?author=hopper&kind=article"} {
		text := page(t, s.Anon, at, 200)
		links, chosen := facetsOn(text), 0
		if len(links) < 4 {
			t.Fatalf("%s has the links %v", at, links)
		}
		for _, l := range links {
			if l.chosen {
				chosen++
				continue
			}
			if got := total(t, page(t, s.Anon, l.url, 200)); got != l.count {
				t.Errorf("%s: %s %s promises %d, %s has %d", at, l.facet, l.words, l.count, l.url, got)
			}
		}
		if chips := strings.Count(text, "Remove: "); chips < chosen {
			t.Errorf("%s has %d chips and %d chosen values", at, chips, chosen)
		}
	}
	all := page(t, s.Anon, "/search", 200)
	for _, c := range []struct {
		facet, words string
		want         int
	}{
		{"Type", "Dataset", 8}, {"Kind", "Items", 24}, {"Kind", "Collections", 1}, {"Keyword", "all", 25}, {"Keyword", "tag 0", 5},
		{"Category", "Agricultural, Veterinary And Food Sciences", 18}, {"Licence", "CC BY 4.0", 12},
	} {
		if got := counted(all, c.facet, c.words); got != c.want {
			t.Errorf("%s %s is counted %d times, want %d", c.facet, c.words, got, c.want)
		}
	}
	branch := page(t, s.Anon, "/search?category=30", 200)
	holds(t, branch, "18 results", "<h1>Agricultural, Veterinary And Food Sciences</h1>", `class="level1"`)
	if got := counted(branch, "Category", "Agricultural biotechnology"); got != 12 {
		t.Errorf("the branch below is counted %d times", got)
	}
	two := page(t, s.Anon, "/search?type=dataset&licence=1", 200)
	holds(t, two, `href="/search?licence=1"`, `href="/search?type=dataset"`, `aria-label="Remove: Type: Dataset"`)
	for _, none := range []string{"kind=x", "type=x", "category=99", "category=x", "year=x", "year=20", "licence=x", "licence=01", "group=-1", "more=x"} {
		page(t, s.Anon, "/search?"+none, 404)
	}
	holds(t, page(t, s.Anon, "/search?tag=nothing&q=rainfall", 200), "Nothing matches", `href="/search?q=rainfall"`)
}

// A facet shows ten values, and more when that is asked for.
func TestFacetsAreBounded(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 13 {
		published(s, fmt.Sprintf(`{"title": "Rainfall %02d", "tags": ["tag %02d", "%s"], "authors": [{"name": "Grace Hopper"}]}`, n, n, []string{"odd", "even"}[n%2]))
	}
	count := func(text string) (n int) {
		for _, l := range facetsOn(text) {
			if l.facet == "Keyword" {
				n++
			}
		}
		return n
	}
	text := page(t, s.Anon, "/search", 200)
	if got := count(text); got != 10 {
		t.Errorf("%d tags are shown", got)
	}
	holds(t, text, `href="/search?more=tag"`)
	more := page(t, s.Anon, "/search?more=tag", 200)
	if got := count(more); got != 15 {
		t.Errorf("%d tags are shown of 15", got)
	}
	lacks(t, more, `>More</a>`)
}

// Drafts and items under embargo are in no count, and an item that is withdrawn leaves all counts.
func TestFacetsWithhold(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 3 {
		published(s, fmt.Sprintf(`{"title": "Public %d", "defined_type": "%s", "tags": ["open"], "authors": [{"name": "Ada Lovelace"}]}`, n, []string{"dataset", "figure"}[n%2]))
	}
	s.Ada.Article(`{"title": "Secret draft", "defined_type": "software", "tags": ["hidden-tag", "open"], "categories": [300101]}`)
	gone, _ := published(s, `{"title": "Gone soon", "defined_type": "media", "tags": ["withdrawn-tag", "open"], "authors": [{"name": "Ada Lovelace"}]}`)
	held := s.Ada.Article(`{"title": "Held back", "defined_type": "poster", "tags": ["held-tag", "open"], "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("PUT", held+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2099-05-04"}`).Is(205)
	s.Ada.Do("POST", held+"/publish", nil)
	if got := counted(page(t, s.Anon, "/search", 200), "Keyword", "withdrawn-tag"); got != 1 {
		t.Fatalf("a public tag is counted %d times", got)
	}
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), `{"reason": "It was wrong"}`).Is(204)
	for _, c := range []world.Client{s.Anon, s.Ada} {
		text := page(t, c, "/search?more=tag", 200)
		listed := total(t, text)
		lacks(t, text, "hidden-tag", "withdrawn-tag", "Software", "Secret")
		if list := s.Anon.Get("/v2/articles").Is(200).List(); listed != len(list) {
			t.Errorf("%d are counted, the API lists %d", listed, len(list))
		}
		for _, l := range facetsOn(text) {
			if l.count > listed {
				t.Errorf("%v of %d", l, listed)
			}
		}
		holds(t, page(t, c, "/search?tag=hidden-tag", 200), "Nothing matches")
	}
}

func itoa(id int64) string { return strconv.FormatInt(id, 10) }

// Groups are numbers on the pages, as in the API, unless the operator gives everyone their names.
func TestGroupsOnPages(t *testing.T) {
	t.Parallel()
	for name, named := range map[string]bool{"Group 2": false, "Snow &amp; ice": true} {
		s := world.StartWithin(t, func(c *config.Config) { c.SiteGroups = named })
		for id, group := range map[int64]string{2: "Snow & ice", 4: "Rivers"} {
			s.Alter(func(tx *bucket.Tx) error {
				return users.Groups.Put(tx, id, &record.Group{ID: id, InstitutionID: 1, Name: group})
			})
			made := s.Root.Article(fmt.Sprintf(`{"title": "Snowfall", "group_id": %d, "authors": [{"name": "Grace Hopper"}]}`, id))
			s.Root.Do("POST", made+"/publish", nil).Is(201)
		}
		for _, at := range []string{"/", "/search", "/search?q=snowfall", "/search?group=2"} {
			holds(t, page(t, s.Anon, at, 200), name)
		}
		holds(t, page(t, s.Anon, "/search?group=3", 200), "Group 3")
	}
}

// The counts of a search are not told any more once something has changed.
func TestSearchFollowsChanges(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := func() string { return page(t, s.Anon, "/search?q=rainfall", 200) }
	first, _ := published(s, `{"title": "Rainfall in spring", "authors": [{"name": "Ada Lovelace"}]}`)
	holds(t, at(), "1 result", "Rainfall in spring")
	published(s, `{"title": "Rainfall in autumn", "defined_type": "figure", "authors": [{"name": "Ada Lovelace"}]}`)
	both := at()
	holds(t, both, "2 results", "Rainfall in spring", "Rainfall in autumn", "type=figure")
	if again := at(); again != both {
		t.Errorf("the same search again is\n%s", again)
	}
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", first), world.WhyWithdrawn).Is(204)
	lacks(t, at(), "2 results", "Rainfall in spring")
	s.Ada.Do("POST", fmt.Sprintf("/v2/account/articles/%d/publish", first), nil).Is(201)
	holds(t, at(), "2 results", "Rainfall in spring")
}
