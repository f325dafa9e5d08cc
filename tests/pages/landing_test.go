package pages

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

// leads follows a redirect of an address, as a browser would.
func leads(t *testing.T, c world.Client, from, to string) {
	t.Helper()
	r := c.Get(from, "Accept", browser).Is(302)
	if got := strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL); got != to {
		t.Errorf("%s leads to %s, not to %s", from, got, to)
	}
}

// The page of a collection shows its public items, version by version, and each address of it leads
// there.
func TestCollectionPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	var ids []string
	for n := range 22 {
		id, _ := published(s, fmt.Sprintf(`{"title": "Member %02d", "defined_type": "dataset", "authors": [{"name": "Grace Hopper"}]}`, n))
		ids = append(ids, fmt.Sprint(id))
	}
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "A draft member"}`))
	made := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "Arctic <i>rain</i>", "description": "<p>All of it</p>", "authors": [{"name": "Ada Lovelace"}],
		"tags": ["rain"], "categories": [37], "articles": [%d]}`, draft))
	for len(ids) > 0 {
		n := min(len(ids), 10)
		s.Ada.Send("POST", made+"/articles", `{"articles": [`+strings.Join(ids[:n], ", ")+`]}`).Is(201)
		ids = ids[n:]
	}
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	id := world.LastNumber(t, made)
	at := fmt.Sprintf("/collections/Arctic_rain/%d", id)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Collection", "Arctic <i>rain</i>", "Ada Lovelace", "All of it", "Member 00", "Member 19", `rel="next"`, "Version 1", "BibTeX", `"@type": "Collection"`,
		`<link rel="canonical" href="`+s.URL+at+`">`)
	lacks(t, text, "A draft member", "Member 20", "Download all")
	holds(t, page(t, s.Anon, at+"?page=2", 200), "Member 21")
	for _, none := range []string{at + "?page=0", at + "?page=x", at + "/9", at + "/x", "/collections/x", "/collections/999", "/collections/a/999"} {
		page(t, s.Anon, none, 404)
	}
	leads(t, s.Anon, fmt.Sprintf("/collections/%d", id), at)
	leads(t, s.Anon, fmt.Sprintf("/collections/other/%d?page=2", id), at+"?page=2")
	s.Ada.Send("PATCH", made, `{"title": "Arctic snow"}`).Is(205)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	now := fmt.Sprintf("/collections/Arctic_snow/%d", id)
	leads(t, s.Anon, at, now)
	holds(t, page(t, s.Anon, at+"/1", 200), "earlier version", "The newest version is 2", now)
	doi, ok := s.Anon.Get(fmt.Sprintf("/v2/collections/%d", id)).Is(200).Object()["doi"].(string)
	if ok && doi != "" {
		leads(t, s.Anon, "/doi/"+doi, now+"/2")
	}
	s.Ada.Send("POST", made+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	gone := page(t, s.Anon, now, 410)
	holds(t, gone, "Arctic snow", "Ada Lovelace", "Withdrawn on", "noindex")
	lacks(t, gone, "Member", "It was wrong", "All of it")
}

// The page of a project shows its public items and members.
func TestProjectPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Wrote("/v2/account/projects", `{"title": "Weather of the north", "description": "Stations", "funding": "A fund"}`)
	inside := s.Ada.Wrote(made+"/articles", `{"title": "Station one", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Wrote(made+"/articles", `{"title": "A draft station"}`)
	id := world.LastNumber(t, made)
	at := fmt.Sprintf("/projects/Weather_of_the_north/%d", id)
	page(t, s.Anon, at, 404)
	s.Ada.Send("POST", "/v2/account/articles/"+fmt.Sprint(world.LastNumber(t, inside))+"/publish", "").Is(201)
	s.Ada.Send("POST", made+"/publish", "").Is(201)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Project", "Weather of the north", "Stations", "A fund", "Station one")
	lacks(t, text, "A draft station", "BibTeX", "Version")
	leads(t, s.Anon, fmt.Sprintf("/projects/%d", id), at)
	page(t, s.Anon, at+"/2", 404)
	s.Ada.Send("POST", made+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	holds(t, page(t, s.Anon, at, 410), "Weather of the north")
}

// An item that was public and is not any more answers 410 at each of its addresses, and nothing else does.
func TestWithdrawnPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Gone soon", "description": "Too much", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	doi := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["doi"].(string)
	leads(t, s.Anon, "/doi/"+strings.ToUpper(doi), at+"/1")
	leads(t, s.Anon, "/doi/"+strings.TrimSuffix(doi, ".v1"), at)
	article := fmt.Sprintf("/v2/account/articles/%d", id)
	s.Ada.Send("POST", article+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	for _, was := range []string{at, at + "/1", fmt.Sprintf("/articles/%d", id)} {
		text := page(t, s.Anon, was, 410)
		holds(t, text, "Gone soon", "Ada Lovelace", strings.TrimSuffix(doi, ".v1"), "Withdrawn on", "noindex")
		lacks(t, text, "Too much", "It was wrong")
	}
	leads(t, s.Anon, "/doi/"+doi, fmt.Sprintf("/articles/%d", id))
	s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(404)
	s.Ada.Send("POST", article+"/publish", "").Is(201)
	page(t, s.Anon, at, 200)
	for _, wrong := range []string{`{"reason": "It was wrong", "public_reason": "` + strings.Repeat("x", 501) + `"}`, `{"reason": "It was wrong", "hide_title": "yes"}`, `{"public_reason": "It was wrong"}`} {
		s.Ada.Send("POST", article+"/unpublish", wrong).Is(422)
	}
	s.Ada.Send("POST", article+"/unpublish", `{"reason": "It was wrong", "public_reason": "The <b>sensor</b> was broken", "hide_title": true}`).Is(204)
	text := page(t, s.Anon, fmt.Sprintf("/articles/%d", id), 410)
	holds(t, text, "The &lt;b&gt;sensor&lt;/b&gt; was broken", strings.TrimSuffix(doi, ".v1"))
	lacks(t, text, "Gone soon", "Lovelace", "It was wrong")
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "Never public"}`))
	page(t, s.Anon, fmt.Sprintf("/articles/%d", draft), 404)
	page(t, s.Anon, "/doi/10.1234/none", 404)
	page(t, s.Anon, "/doi/none", 404)
}

// Every form of an item can be had, as a file of its type; what readers do not know has none.
func TestExports(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rain & snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`, "a.csv")
	text := page(t, s.Anon, at, 200)
	for _, f := range []struct{ name, media, holds string }{
		{"apa", "text/plain; charset=utf-8", "Lovelace, A. ("}, {"bibtex", "application/x-bibtex", `Rain \& snow`}, {"ris", "application/x-research-info-systems", "TI  - Rain & snow"},
		{"csl", "application/vnd.citationstyles.csl+json", `"type": "dataset"`}, {"schemaorg", `application/ld+json; profile="https://schema.org/"`, "a.csv"},
	} {
		export := fmt.Sprintf("/export/articles/%d/1/%s", id, f.name)
		r := s.Anon.Get(export).Is(200)
		if got := r.Header.Get("Content-Type"); got != f.media || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; ") {
			t.Errorf("%s is %q, %q", f.name, got, r.Header.Get("Content-Disposition"))
		}
		holds(t, string(r.Bytes), f.holds)
		if strings.Contains(f.media, "json") && !json.Valid(r.Bytes) {
			t.Errorf("%s is no JSON", f.name)
		}
		if f.name != "apa" {
			holds(t, text, export)
		}
	}
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "Never public"}`))
	for _, none := range []string{fmt.Sprintf("/export/articles/%d/1/word", id), fmt.Sprintf("/export/articles/%d/2/ris", id), fmt.Sprintf("/export/articles/%d/1/ris", draft), "/export/collections/1/1/ris"} {
		s.Anon.Get(none).Is(404)
	}
}

// The page of an item names the public items here that cite it, in whatever version, and no others.
func TestCitedBy(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "The source", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	lacks(t, page(t, s.Anon, at, 200), "Cited by")
	doi := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["doi"].(string)
	naming := fmt.Sprintf(`"authors": [{"name": "Ada Lovelace"}], "references": ["https://doi.org/%s"]}`, doi)
	published(s, `{"title": "A paper <i>on</i> it", `+naming)
	s.Ada.Article(`{"title": "A draft on it", ` + naming)
	set := s.Ada.Wrote("/v2/account/collections", `{"title": "All on it", "categories": [37], "tags": ["rain"], "description": "x", `+naming)
	s.Ada.Send("POST", set+"/publish", "").Is(201)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Cited by", ">A paper on it</a>", ">All on it</a>")
	lacks(t, text, "A draft on it")
	s.Ada.Send("POST", set+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	lacks(t, page(t, s.Anon, at, 200), "All on it")
}

// The HTML of a description closes only what it opens, and has no characters that HTML forbids.
func TestDescriptionsStayInPlace(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	_, at := published(s, `{"title": "Out <i>of \u009d place", "description": "<p>One</br>two</div></div></section></article></main><table><tr><td>three\u009d<b>four", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "<p>One<br/>two", "three<b>four</b></td></tr></tbody></table>", "<h1>Out &lt;i&gt;of  place</h1>")
	lacks(t, text, "\u009d", "</br>")
	for _, tag := range []string{"div", "section", "article", "main", "b", "table"} {
		if opened, closed := strings.Count(text, "<"+tag+">")+strings.Count(text, "<"+tag+" "), strings.Count(text, "</"+tag+">"); opened != closed {
			t.Errorf("%d × <%s>, %d × </%s>", opened, tag, closed, tag)
		}
	}
	deep := strings.Repeat("<div>", 600) + "deep"
	_, at = published(s, `{"title": "Deep", "description": "`+deep+`", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	holds(t, page(t, s.Anon, at, 200), "deep")
}

// A reader who passes an item on is counted once a day, without script, and no page of another site can count.
func TestShare(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rain & snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	set := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "All", "authors": [{"name": "Ada Lovelace"}], "articles": [%d]}`, id))
	s.Ada.Do("POST", set+"/publish", nil).Is(201)
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "A draft"}`))
	for from, want := range map[string]string{fmt.Sprintf("/articles/%d", id): at, fmt.Sprintf("/collections/%d", world.LastNumber(t, set)): fmt.Sprintf("/collections/All/%d", world.LastNumber(t, set))} {
		action := "/share" + from
		holds(t, page(t, s.Anon, want, 200), `<form method="post" action="`+action+`">`)
		own := []string{"Accept", browser, "User-Agent", "Firefox/140", "Sec-Fetch-Site", "same-origin", "Origin", s.URL}
		to := s.Anon.Send("POST", action, "", own...).Is(303).Header.Get("Location")
		s.Anon.Send("POST", action, "", own...).Is(303)
		for _, other := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://elsewhere.example"}} {
			s.Anon.Send("POST", action, "", append(other, "User-Agent", "Chrome")...).Is(403)
		}
		to, _, _ = strings.Cut(strings.TrimPrefix(to, s.URL), "#")
		to = strings.TrimPrefix(s.Anon.Get(to, "Accept", browser).Is(302).Header.Get("Location"), s.URL)
		holds(t, page(t, s.Anon, to, 200), "Pass it on", `id="share-address">`+s.URL+want, `href="mailto:?subject=`, "noindex")
	}
	// The first was shared twice by one reader, a second by two, a third by none.
	var others [2]int64
	for i := range others {
		others[i], _ = published(s, `{"title": "Another", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	}
	for _, agent := range []string{"Firefox/140", "Safari"} {
		s.Anon.Send("POST", fmt.Sprintf("/share/articles/%d", others[0]), "", "User-Agent", agent).Is(303)
	}
	world.WaitFor(t, "the shares are counted", func() bool {
		return s.Anon.Get("/v2/articles?order=shares").Is(200).Shown() == fmt.Sprint(others[0], id, others[1])
	})
	s.Anon.Send("POST", fmt.Sprintf("/share/articles/%d", draft), "").Is(404)
	s.Anon.Send("POST", "/share/articles/x", "").Is(400)
}

// The page of an article names the public collections whose newest version has it.
func TestPartOf(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rain", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	other, _ := published(s, `{"title": "Snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	set := func(title string) string {
		return s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": %q, "authors": [{"name": "Ada Lovelace"}], "articles": [%d]}`, title, id))
	}
	public, draft := set("Weather <i>of</i> all"), set("A draft of a collection")
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	text := page(t, s.Anon, at, 200)
	holds(t, text, "Part of", "Weather of all", fmt.Sprintf(`href="/collections/%d"`, world.LastNumber(t, public)))
	lacks(t, text, "A draft of a collection")
	lacks(t, page(t, s.Anon, pageOf(s, other), 200), "Part of")
	for n := range 11 {
		s.Ada.Do("POST", set(fmt.Sprintf("More %d", n))+"/publish", nil).Is(201)
	}
	holds(t, page(t, s.Anon, at, 200), "More 8", "and 2 more")
	s.Ada.Send("POST", draft+"/publish", "").Is(201)
	s.Ada.Send("PUT", public, fmt.Sprintf(`{"articles": [%d]}`, other)).Is(205)
	holds(t, page(t, s.Anon, at, 200), "Weather of all") // until it is published
	s.Ada.Send("POST", public+"/publish", "").Is(201)
	lacks(t, page(t, s.Anon, at, 200), "Weather of all")
	moved := page(t, s.Anon, pageOf(s, other), 200)
	holds(t, moved, "Weather of all")
	s.Ada.Send("POST", public+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	lacks(t, page(t, s.Anon, pageOf(s, other), 200), "Part of")
}

// The page of an article draws how often it was seen and downloaded, month by month for two years.
func TestUseOverTime(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	id, at := published(s, `{"title": "Rainfall", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	lacks(t, page(t, s.Anon, at, 200, "User-Agent", "bot"), "<svg")
	month := func(back int) time.Time {
		now := time.Now().UTC()
		return time.Date(now.Year(), now.Month()-time.Month(back), 28, 23, 59, 59, 0, time.UTC)
	}
	used := func(back int, n record.Counts) {
		s.Alter(func(tx *bucket.Tx) error {
			return counting.AddUse(tx, bucket.Pair{A: record.KindArticle, B: id}, month(back), "", record.Used{Counts: n})
		})
	}
	used(24, record.Counts{Views: 100})
	lacks(t, page(t, s.Anon, at, 200, "User-Agent", "bot"), "<svg") // too long ago
	used(23, record.Counts{Views: 1})
	used(2, record.Counts{Views: 2})
	used(2, record.Counts{Views: 1, Downloads: 31})
	page(t, s.Anon, at, 200, "User-Agent", "Firefox/140") // the second view: the item was read over the API before
	s.Restart()                                           // counts are stored when the server ends
	text := page(t, s.Anon, at, 200, "User-Agent", "bot")
	from := func(back int) string { return month(back).Format("January 2006") }
	holds(t, text, "106 views, 31 downloads",
		`aria-label="6 views from `+from(23)+" to "+from(0)+", at most 3 in a month, in "+from(2)+`"`, "M0 32v-11h8v11z", "M210 32v-32h8v32z", "M220 32v-1h8v1z", "M230 32v-21h8v21z",
		`aria-label="31 downloads from `+from(23)+" to "+from(0)+", at most 31 in a month, in "+from(2)+`"`)
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", id), world.WhyWithdrawn).Is(204)
	used(0, record.Counts{Views: 7}) // not public: not counted
	s.Ada.Do("POST", fmt.Sprintf("/v2/account/articles/%d/publish", id), nil).Is(201)
	holds(t, page(t, s.Anon, at, 200, "User-Agent", "bot"), "106 views, 31 downloads", `aria-label="6 views from `)
}

// Other sites may show an item in a frame only where the operator says so, and nothing that is not public.
func TestEmbed(t *testing.T) {
	t.Parallel()
	off := world.Start(t)
	id, at := published(off, `{"title": "Rain & snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	off.Anon.Get(fmt.Sprintf("/embed/articles/%d", id), "Accept", browser).Is(404)
	lacks(t, page(t, off.Anon, at+"?share=1", 200), "iframe")

	s := world.Start(t, func(c *config.Config) { c.SiteEmbed = true })
	id, at = published(s, `{"title": "Rain & snow", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	set := s.Ada.Wrote("/v2/account/collections", fmt.Sprintf(`{"title": "All of it", "authors": [{"name": "Ada Lovelace"}], "articles": [%d]}`, id))
	s.Ada.Do("POST", set+"/publish", nil).Is(201)
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "A draft"}`))
	card := fmt.Sprintf("/embed/articles/%d", id)
	for path, title := range map[string]string{card: "Rain &amp; snow", fmt.Sprintf("/embed/collections/%d", world.LastNumber(t, set)): "All of it"} {
		r := s.Anon.Get(path, "Accept", browser).Is(200)
		holds(t, string(r.Bytes), title, "Ada Lovelace", `<base target="_top">`, `content="noindex"`)
		lacks(t, string(r.Bytes), "<script", "<form")
		if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors *") || !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "script-src") {
			t.Errorf("%s has the policy %q", path, policy)
		}
	}
	holds(t, page(t, s.Anon, at+"?share=1", 200), "&lt;iframe src=&#34;"+s.URL+card+"&#34;")
	s.Anon.Get(fmt.Sprintf("/embed/articles/%d", draft), "Accept", browser).Is(404)
	if policy := s.Anon.Get(at, "Accept", browser).Is(200).Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("a page of its own has the policy %q", policy)
	}
}
