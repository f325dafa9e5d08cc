package pages

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/world"
)

const browser = "text/html,application/xhtml+xml,*/*;q=0.8"

// page opens an address as a browser does, and holds what is promised of every page.
func page(t *testing.T, c world.Client, at string, status int, headers ...string) string {
	t.Helper()
	r := c.Get(at, append([]string{"Accept", browser}, headers...)...).Is(status)
	if got := r.Header.Get("Content-Type"); got != "text/html; charset=utf-8" {
		t.Fatalf("%s is %q", at, got)
	}
	policy := r.Header.Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s has the policy %q", at, policy)
	}
	text := string(r.Bytes)
	if strings.Count(text, "<h1") != 1 || !strings.HasSuffix(text, "</html>\n") {
		t.Errorf("%s is not a whole page with one heading:\n%s", at, text)
	}
	for _, bad := range []string{" style=", " onclick=", "<style", "javascript:"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s has %s", at, bad)
		}
	}
	return text
}

func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("there is no %q in\n%s", p, text)
		}
	}
}

func lacks(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%q is in\n%s", p, text)
		}
	}
}

// published makes an article of which all is public, and returns its id and its page.
func published(s *world.Server, body string, files ...string) (id int64, at string) {
	s.T.Helper()
	made := s.Ada.Article(body)
	for _, f := range files {
		s.Ada.Upload(made, f, []byte("one,two\n"))
	}
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	id = world.LastNumber(s.T, made)
	return id, pageOf(s, id)
}

func pageOf(s *world.Server, id int64) string {
	s.T.Helper()
	at, ok := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["url_public_html"].(string)
	if !ok {
		s.T.Fatal("no page")
	}
	return strings.TrimPrefix(at, s.URL)
}

// The first page shows the newest items, and says how to begin while there are none.
func TestHome(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	holds(t, page(t, s.Anon, "/", 200), "Nothing is published yet", "/v2/account/articles")
	s.Ada.Article(`{"title": "A draft of rainfall"}`)
	for n := range 7 {
		published(s, fmt.Sprintf(`{"title": "Rainfall %d", "description": "<p>Drops</p><p>and more</p>", "authors": [{"name": "Grace Hopper"}]}`, n))
	}
	text := page(t, s.Anon, "/", 200)
	holds(t, text, "Rainfall 6", "Rainfall 1", "Grace Hopper", "Drops and more", `href="/search?type=dataset"`)
	lacks(t, text, "draft", "Rainfall 0", "Nothing is published", "1 file")

	// Files count that readers can get, of all versions.
	id, _ := published(s, `{"title": "Two files", "defined_type": "dataset", "authors": [{"name": "Grace Hopper"}]}`, "a.csv", "b.csv")
	held := s.Ada.Article(`{"title": "Held back", "defined_type": "dataset", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(held, "c.csv", []byte("one,two\n"))
	s.Ada.Send("PUT", held+"/embargo", `{"is_embargoed": true, "embargo_date": "2090-01-01", "embargo_type": "file"}`).Is(205)
	s.Ada.Do("POST", held+"/publish", nil).Is(201)
	holds(t, page(t, s.Anon, "/", 200), "9 Items · 2 files · 16 B")
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", id), world.WhyWithdrawn).Is(204)
	lacks(t, page(t, s.Anon, "/", 200), "2 files")
}

// Search finds by words, narrows by type, sorts and pages, each by an address.
func TestSearchPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 22 {
		published(s, fmt.Sprintf(`{"title": "Rainfall %02d", "defined_type": "%s", "authors": [{"name": "Grace Hopper"}]}`, n, []string{"dataset", "figure"}[n%2]))
	}
	all := page(t, s.Anon, "/search", 200)
	holds(t, all, "Rainfall 21", "22 results", `rel="next" href="/search?page=2"`)
	holds(t, all, `<link rel="canonical" href="`+s.URL+`/search">`)
	lacks(t, all, "noindex")
	second := page(t, s.Anon, "/search?page=2", 200)
	holds(t, second, "Rainfall 00", `rel="prev" href="/search"`, "noindex")
	lacks(t, second, "Rainfall 21", `rel="next"`)
	holds(t, page(t, s.Anon, "/search?sort=oldest", 200), "Rainfall 00")
	figures := page(t, s.Anon, "/search?q=rainfall&type=figure", 200)
	holds(t, figures, "11 results", "Rainfall 21", `value="rainfall"`, `<input type="hidden" name="type" value="figure">`)
	lacks(t, figures, "Rainfall 20")
	holds(t, page(t, s.Anon, "/search?q=snow", 200), "Nothing matches “snow”")
	holds(t, page(t, s.Anon, "/search?q=ab", 200), "at least three characters", `value="ab"`)
	for _, none := range []string{"/search?type=nonsense", "/search?sort=x", "/search?page=0", "/search?page=x", "/search?page=999999"} {
		page(t, s.Anon, none, 404)
	}
	holds(t, page(t, s.Anon, "/search?q="+url.QueryEscape(`"><script>alert(1)</script>`), 200), "&lt;script&gt;")
}

// The page of an item has what the API says of it, its files by folder, and what machines read.
func TestArticlePage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Rain in <i>Ny</i>-Ålesund", "defined_type": "dataset", "description": "<p>Daily <b>sums</b></p>", "tags": ["rain"],
		"authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}], "categories": [37], "license": 1,
		"references": ["https://example.org/paper"], "custom_fields": {"Depth": "2 m"}, "funding": "A fund"}`)
	s.Ada.Upload(made, "table.csv", []byte("a,b\n1,2\n"))
	file, upload := s.Ada.BeginAs(made, `{"name": "deep.txt", "size": 5, "folder_path": "raw/2024"}`)
	s.Ada.Do("PUT", upload+"/1", strings.NewReader("hello")).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "available")
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	id := world.LastNumber(t, made)
	at := pageOf(s, id)
	text := page(t, s.Anon, at, 200)
	holds(t, text, `<th scope="row">table.csv`, "<i>Ny</i>", "Ada Lovelace", "https://orcid.org/0000-0002-1825-0097", "Daily <b>sums</b>", "table.csv", "raw/", "CC BY 4.0",
		"https://example.org/paper", "2 m", "A fund", "SHA-256", fmt.Sprintf(`href="/articles/%d/versions/1"`, id), "Cite this",
		`<meta name="citation_author" content="Lovelace, Ada">`, `<meta name="citation_title" content="Rain in Ny-Ålesund">`, `<link rel="canonical" href="`)
	lacks(t, text, `<th scope="row">deep.txt`)
	data := regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`).FindStringSubmatch(text)
	var described map[string]any
	if data == nil || json.Unmarshal([]byte(data[1]), &described) != nil || described["@type"] != "Dataset" || described["name"] != "Rain in Ny-Ålesund" {
		t.Errorf("JSON-LD: %v", data)
	}
	lower := page(t, s.Anon, at+"?folder=raw", 200)
	holds(t, lower, "2024/", "All files")
	lacks(t, lower, `<th scope="row">deep.txt`, `<th scope="row">table.csv`)
	holds(t, page(t, s.Anon, at+"?folder=raw%2F2024", 200), `<th scope="row">deep.txt`)
	page(t, s.Anon, at+"?folder=nowhere", 404)
	for _, link := range regexp.MustCompile(`(?:href|src)="(/[^"]*)"`).FindAllStringSubmatch(text, -1) {
		to := html.UnescapeString(link[1])
		if r := s.Anon.Get(to, "Accept", browser); r.StatusCode != 200 {
			t.Errorf("the link %s answers %d", to, r.StatusCode)
		}
	}
}

// Every address of an item leads to its page; each version has one.
func TestArticleAddresses(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, first := published(s, `{"title": "First title", "authors": [{"name": "Ada Lovelace"}]}`)
	own := fmt.Sprintf("/v2/account/articles/%d", id)
	s.Ada.Send("PUT", own, `{"title": "Second title"}`).Is(205)
	s.Ada.Do("POST", own+"/publish", nil).Is(201)
	at := pageOf(s, id)
	holds(t, page(t, s.Anon, at, 200), "Second title", at+"/1")
	holds(t, page(t, s.Anon, strings.Replace(at, "Second_title", "First_title", 1)+"/1", 200), "First title", "This is an earlier version", `href="`+at+`"`)
	for _, from := range []string{fmt.Sprintf("/articles/%d", id), first, fmt.Sprintf("/articles/figure/x/%d", id)} {
		r := s.Anon.Get(from, "Accept", browser).Is(302)
		if got := r.Header.Get("Location"); got != at {
			t.Errorf("%s leads to %q, want %q", from, got, at)
		}
	}
	for _, none := range []string{at + "/3", at + "/x", at + "/0", "/articles/dataset/x/999", "/articles/dataset/x/y", "/articles/nonsense/x/1", "/articles/999"} {
		page(t, s.Anon, none, 404)
	}
	r := s.Anon.Get(fmt.Sprintf("/articles/%d", id))
	r.Refuses(404, "")
}

// Pages have nothing of what the API withholds: drafts, files under embargo, what was withdrawn.
func TestPagesWithhold(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	draft := world.LastNumber(t, s.Ada.Article(`{"title": "Secret draft"}`))
	page(t, s.Anon, fmt.Sprintf("/articles/dataset/Secret_draft/%d", draft), 404)
	page(t, s.Ada, fmt.Sprintf("/articles/dataset/Secret_draft/%d", draft), 404)
	made := s.Ada.Article(`{"title": "Held back", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Upload(made, "secret.csv", []byte("secret"))
	s.Ada.Send("PUT", made+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-05-04", "embargo_title": "Wait", "embargo_reason": "A paper comes first"}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at := pageOf(s, world.LastNumber(t, made))
	text := page(t, s.Anon, at, 200)
	holds(t, text, "under embargo until 4 May 2099", "A paper comes first", "withheld")
	lacks(t, text, "secret.csv")
	gone, was := published(s, `{"title": "Gone soon", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%d/unpublish", gone), `{"reason": "It was wrong"}`).Is(204)
	lacks(t, page(t, s.Anon, was, 410), "It was wrong")
	lacks(t, page(t, s.Anon, "/search", 200), "Gone soon", "Secret draft")
}

// Texts of depositors never run: they come out as text, in the page, its head and its JSON-LD.
func TestPagesAreInert(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const attack = `</script></title>"'><script>alert(1)</script><img src=x onerror=alert(1)><a href='javascript:alert(1)'>x</a>{{.}}`
	body, err := json.Marshal(map[string]any{
		"title": "T" + attack, "description": "<p>D</p>" + attack, "tags": []string{"K" + attack}, "references": []string{"https://example.org/?" + url.QueryEscape(attack)},
		"authors": []map[string]any{{"name": "A" + attack}}, "funding": "F" + attack, "custom_fields": map[string]any{"C": attack},
	})
	if err != nil {
		t.Fatal(err)
	}
	_, at := published(s, string(body))
	quoted, tag := regexp.MustCompile(`"[^"]*"`), regexp.MustCompile(`(?i)<[^>]*(alert|onerror)`)
	for _, opened := range []string{"/", "/search", at, "/" + url.PathEscape(attack), "/search?q=" + url.QueryEscape(attack)} {
		r := s.Anon.Get(opened, "Accept", browser)
		text := string(r.Bytes)
		if found := tag.FindString(quoted.ReplaceAllString(text, "")); found != "" || strings.Contains(text, `href="javascript`) || strings.Count(text, "<script") > 2 || strings.Contains(text, "<script>") {
			t.Errorf("%s: %q, %d scripts", opened, found, strings.Count(text, "<script"))
		}
	}
}

// Browsers get pages for refusals, other clients what they always got; below /v2 both do.
func TestErrorPages(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	holds(t, page(t, s.Anon, "/articles/dataset/rain_in_May/999", 404), "There is no page at this address", `value="rain in May"`, "noindex")
	holds(t, page(t, s.Anon, "/nothing/here", 404), `value="here"`)
	page(t, s.Anon, "/files/999", 404)
	s.Anon.Get("/nothing/here").Refuses(404, "There is nothing at this address")
	for _, at := range []string{"/v2/articles/999", "//v2/nothing", "/v2", "/upload/x"} {
		if got := s.Anon.Get(at, "Accept", browser).Header.Get("Content-Type"); got != "application/json" {
			t.Errorf("%s is %q", at, got)
		}
	}
	r := s.Anon.Do("POST", "/search", nil, "Accept", browser).Is(405)
	holds(t, string(r.Bytes), "Not possible here")
	if head := s.Anon.Do("HEAD", "/nothing", nil, "Accept", browser).Is(404); len(head.Bytes) != 0 {
		t.Error("HEAD has a body")
	}
}

// The language is the browser's, or the one of the link, which a cookie remembers.
func TestLanguages(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, c := range []struct{ accept, cookie, query, want string }{
		{"", "", "", "en"}, {"de-AT,de;q=0.9,en;q=0.5", "", "", "de"}, {"fr", "", "", "en"}, {"de", "lang=en", "", "en"},
		{"en", "lang=en", "?lang=de", "de"}, {"de", "lang=xx", "?lang=yy", "de"}, {";;;", `lang="`, "", "en"},
	} {
		text := page(t, s.Anon, "/"+c.query, 200, "Accept-Language", c.accept, "Cookie", c.cookie)
		holds(t, text, `<html lang="`+c.want+`">`)
	}
	r := s.Anon.Get("/search?q=rain&lang=de", "Accept", browser).Is(200)
	if got := r.Header.Get("Set-Cookie"); !strings.HasPrefix(got, "lang=de; Path=/;") || !strings.Contains(got, "SameSite=Lax") || r.Header.Get("Cache-Control") != "private, no-cache" {
		t.Errorf("the cookie is %q", got)
	}
	holds(t, page(t, s.Anon, "/nothing?lang=de", 404), `<html lang="de">`, `href="/nothing?lang=en"`)
	holds(t, string(r.Bytes), "Suchen", `href="/search?lang=en&amp;q=rain"`)
	if got := s.Anon.Get("/").Header.Get("Vary"); got != "Accept-Language, Cookie" {
		t.Errorf("Vary %q", got)
	}
}

// Files of pages are kept for good at the address that names their content, and at no other.
func TestAssets(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	text := page(t, s.Anon, "/", 200)
	found := regexp.MustCompile(`"(/assets/[^"]+)"`).FindAllStringSubmatch(text, -1)
	if len(found) != 3 {
		t.Fatalf("found %v", found)
	}
	scripts := 0
	for _, f := range found {
		r := s.Anon.Get(f[1]).Is(200)
		if got := r.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %q", f[1], got)
		}
		if strings.Contains(f[1], ".js") {
			scripts += len(r.Bytes)
		}
		bare, _, _ := strings.Cut(f[1], "?")
		for _, other := range []string{bare, bare + "?v=old"} {
			if got := s.Anon.Get(other).Is(200).Header.Get("Cache-Control"); got != "public, no-cache" {
				t.Errorf("%s: %q", other, got)
			}
		}
	}
	if scripts > 25_000 || scripts == 0 {
		t.Errorf("all scripts have %d bytes", scripts)
	}
	if got := s.Anon.Get("/", "If-None-Match", s.Anon.Get("/").Header.Get("ETag")); got.StatusCode != http.StatusNotModified {
		t.Errorf("a page that is known answered %d", got.StatusCode)
	}
}

// Crawlers get every item by the pages of the list, and are kept from searches and private addresses.
func TestRobots(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	r := s.Anon.Get("/robots.txt").Is(200)
	if got := r.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("the type is %q", got)
	}
	holds(t, string(r.Bytes), "User-agent: *\n", "Disallow: /search?\n", "Disallow: /s/\n", "Disallow: /v2/account\n", "Allow: /search?page=\n")
}

// The page of an item is counted as seen, like its detail in the API.
func TestPagesAreCounted(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	_, seen := published(s, `{"title": "Seen", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	published(s, `{"title": "Unseen", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	page(t, s.Anon, seen, 200, "User-Agent", "another reader")
	s.Restart() // counts are stored when the server ends
	text := page(t, s.Anon, "/search?sort=views", 200)
	if at, other := strings.Index(text, ">Seen<"), strings.Index(text, ">Unseen<"); at < 0 || other < at {
		t.Errorf("the item that was seen stands at %d, the other at %d", at, other)
	}
}
