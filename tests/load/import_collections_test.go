package load

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/world"
)

// oneLine is a line of a file that is written on several here.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// foundCollections are the ids of the public collections that a search finds.
func foundCollections(s *world.Server, body string) string {
	s.T.Helper()
	return fmt.Sprint(ids(s.Anon.Send("POST", "/v2/collections/search", body).Is(200).List()))
}

// members are the ids of the articles in a list.
func members(s *world.Server, path string) string {
	s.T.Helper()
	return fmt.Sprint(ids(s.Anon.Get(path).Is(200).List()))
}

// A collection that moves in keeps its identifiers, dates, counts and addresses as articles
// do, and has its articles in the order of the line, however they are named.
func TestImportKeepsCollections(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	publishedItem(s, "Here before", 1)
	var many []string
	for i := range 12 {
		many = append(many, fmt.Sprintf(`{"name": "Author %d"}`, i))
	}
	file := s.Lines(
		`{"key": "run-17", "title": "Run 17", "authors": [{"name": "A B"}], "license": 1, "publish": true}`,
		`{"title": "By its DOI", "authors": [{"name": "A B"}], "doi": "10.5281/Zenodo.7", "license": 1, "publish": true}`,
		`{"title": "By its handle", "authors": [{"name": "A B"}], "handle": "20.500.12345/8", "license": 1, "publish": true}`,
		`{"title": "By the DOI of a version", "authors": [{"name": "A B"}], "doi": "10.5281/zenodo.9", "license": 1, "publish": true, "versions": [{"published_date": "2015-01-01", "doi": "10.5281/zenodo.10"}]}`,
		oneLine(`{"kind": "collection", "key": "c", "title": "Tides of a fjord", "description": "<p>From elsewhere</p>", "tags": ["tide"], "categories": [37],
			"authors": [`+strings.Join(many, ", ")+`], "references": ["https://doi.org/10.1234/abc"], "funding": "Grant 17",
			"custom_fields": {"depth": "12 m"}, "resource_id": "77", "resource_doi": "10.1234/paper", "resource_title": "A paper", "resource_link": "https://example.org/paper", "resource_version": 3,
			"doi": "https://doi.org/10.5281/Zenodo.100", "handle": "hdl:20.500.12345/100", "published_date": "2015-03-04T05:06:07Z",
			"created_date": "2014-01-01", "modified_date": "2016-02-02", "timeline": {"firstOnline": "2013-12-24"}, "views": 1200, "shares": 5,
			"old_urls": ["https://old.example.org/collections/17", "/set?id=17"], "private_links": [{"expires_date": "2126-05-05"}],
			"articles": ["doi:10.5281/zenodo.10", "hdl:20.500.12345/8", "run-17", 1, "https://doi.org/10.5281/ZENODO.7", "run-17"], "publish": true}`),
		`{"kind": "collection", "title": "Less read", "authors": [{"name": "A B"}], "views": 3, "publish": true}`,
		`{"kind": "collection", "key": "draft", "title": "Not public yet", "created_date": "2012-05-05", "old_urls": ["/draft/1"], "articles": ["run-17"]}`,
	)
	said, err := bring(s, "import", file)
	if err != nil || !strings.Contains(said, "7 loaded, 6 of them published, 0 refused") || !strings.Contains(said, "private link ") {
		t.Fatal(err, said)
	}
	item := s.Anon.Get("/v2/collections/1").Is(200).Object()
	for k, v := range map[string]any{
		"title": "Tides of a fjord", "description": "<p>From elsewhere</p>", "doi": "10.5281/Zenodo.100", "handle": "20.500.12345/100",
		"published_date": "2015-03-04T05:06:07Z", "created_date": "2015-03-04T05:06:07Z", "modified_date": "2016-02-02T00:00:00Z", "version": 1.0,
		"articles_count": 5.0, "resource_id": "77", "resource_doi": "10.1234/paper", "resource_title": "A paper", "resource_link": "https://example.org/paper", "resource_version": 3.0,
	} {
		if item[k] != v {
			t.Errorf("%s is %v, want %v", k, item[k], v)
		}
	}
	if len(item["authors"].([]any)) != 12 || len(item["categories"].([]any)) != 1 || len(item["references"].([]any)) != 1 || len(item["funding"].([]any)) != 1 || len(item["custom_fields"].([]any)) != 1 {
		t.Errorf("%v", item)
	}
	if got := item["timeline"].(map[string]any)["firstOnline"]; got != "2013-12-24" {
		t.Errorf("first online %v", got)
	}
	if got := item["citation"].(string); strings.Contains(got, "doi.org") || !strings.Contains(got, "(2015)") {
		t.Errorf("citation %s", got)
	}
	if got := s.Ada.Get("/v2/account/collections/1").Object()["created_date"]; got != "2014-01-01T00:00:00Z" {
		t.Errorf("created %v", got)
	}
	if got := members(s, "/v2/collections/1/articles"); got != "[5 4 2 1 3]" {
		t.Errorf("its articles are %s", got)
	}
	for query, want := range map[string]string{
		"doi=10.5281/zenodo.100": "[1]", "handle=20.500.12345/100": "[1]", "resource_doi=10.1234/paper": "[1]", "order=views": "[1 2]", "order=shares": "[1 2]",
		"published_since=2015-03-05": "[2]", "order=published_date&order_direction=asc": "[1 2]", "modified_since=2016-02-03": "[2]",
	} {
		if got := members(s, "/v2/collections?"+query); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
	for _, body := range []string{`{"search_for": ":title: fjord"}`, `{"search_for": "zenodo.100"}`, `{"resource_doi": "10.1234/paper"}`, `{"search_for": ":resource_doi: 10.1234/paper"}`} {
		if got := foundCollections(s, body); got != "[1]" {
			t.Errorf("%s finds %s", body, got)
		}
	}
	for _, old := range []string{"/collections/17", "//collections//17/", "/collections/17?utm_source=mail", "/set?id=17"} {
		for _, method := range []string{"GET", "HEAD"} {
			if r := s.Anon.Do(method, old, nil).Is(301); r.Header.Get("Location") != s.URL+"/v2/collections/1" {
				t.Errorf("%s leads to %s", old, r.Header.Get("Location"))
			}
		}
	}
	s.Anon.Get("/draft/1").Is(404)
	if got := s.Ada.Get("/v2/account/collections/3/articles").List(); fmt.Sprint(ids(got)) != "[2]" {
		t.Errorf("the draft has %v", got)
	}

	// A later version gets no unregistered DOI, and no other item gets this one.
	s.Ada.Do("POST", "/v2/account/collections/1/publish", nil).Is(201)
	if got := s.Anon.Get("/v2/collections/1").Object(); got["doi"] != "10.5281/Zenodo.100" || got["version"] != 2.0 || got["timeline"].(map[string]any)["firstOnline"] != "2013-12-24" {
		t.Errorf("%v", got)
	}
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Another", "doi": "10.5281/zenodo.100"}`).Refuses(422, "doi")
	s.Root.Send("POST", "/v2/account/collections", `{"title": "Another", "handle": "20.500.12345/100"}`).Refuses(422, "handle")
	if r, status := s.Checked(); status != 0 || r.Found != 0 {
		t.Errorf("%d: %+v", status, r.Problems)
	}
	s.Ada.Send("POST", "/v2/account/collections/1/unpublish", `{"reason": "Not ours after all"}`).Is(204)
	s.Anon.Get("/collections/17").Is(404)
}

// publishedItem publishes an article of Ada's under an id.
func publishedItem(s *world.Server, title string, id int64) {
	s.T.Helper()
	at := s.Ada.Article(fmt.Sprintf(`{"title": %q, "authors": [{"name": "A B"}]}`, title))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := world.LastNumber(s.T, at); got != id {
		s.T.Fatalf("article %d, want %d", got, id)
	}
}

// A collection comes with its versions: metadata, people, articles, dates and DOIs of each.
func TestImportKeepsVersionsOfCollections(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	publishedItem(s, "First", 1)
	publishedItem(s, "Second", 2)
	file := s.Lines(oneLine(`{"kind": "collection", "title": "Third title", "authors": [{"name": "Last Author"}], "doi": "10.5281/zenodo.20", "handle": "20.500/20", "articles": [2, 1], "publish": true, "versions": [
		{"version": 2, "title": "First title", "doi": "doi:10.5281/zenodo.21", "published_date": "2015-01-01", "articles": [1], "authors": [{"name": "First Author"}]},
		{"title": "Second title", "doi": "10.5281/zenodo.22", "published_date": "2016-01-01", "modified_date": "2016-05-05", "articles": [], "funding": "Grant 2"},
		{"published_date": "2017-01-01T10:00:00"}]}`))
	if said, err := bring(s, "import", file); err != nil || !strings.Contains(said, "1 loaded, 1 of them published") {
		t.Fatal(err, said)
	}
	if list := s.Anon.Get("/v2/collections/1/versions").Is(200).List(); len(list) != 3 || list[0]["version"] != 2.0 {
		t.Errorf("versions %v", list)
	}
	for _, w := range []struct {
		version                                 int
		title, author, doi, published, modified string
		articles                                float64
	}{
		{2, "First title", "First Author", "10.5281/zenodo.21", "2015-01-01T00:00:00Z", "2015-01-01T00:00:00Z", 1},
		{3, "Second title", "Last Author", "10.5281/zenodo.22", "2016-01-01T00:00:00Z", "2016-05-05T00:00:00Z", 0},
		{4, "Third title", "Last Author", "10.5281/zenodo.20", "2017-01-01T10:00:00Z", "2017-01-01T10:00:00Z", 2},
	} {
		v := s.Anon.Get(fmt.Sprintf("/v2/collections/1/versions/%d", w.version)).Is(200).Object()
		author := v["authors"].([]any)[0].(map[string]any)["full_name"]
		if v["title"] != w.title || v["doi"] != w.doi || v["published_date"] != w.published || v["modified_date"] != w.modified || author != w.author ||
			v["articles_count"] != w.articles || v["handle"] != "20.500/20" || !strings.Contains(v["citation"].(string), s.URL+"/collections/") {
			t.Errorf("version %d: %v", w.version, v)
		}
		if got := members(s, "/v2/collections?doi="+w.doi); got != "[1]" {
			t.Errorf("%s finds %s", w.doi, got)
		}
	}
	if got := members(s, "/v2/collections/1/articles"); got != "[2 1]" {
		t.Errorf("its articles are %s", got)
	}
	s.Anon.Get("/v2/collections/1/versions/1").Is(404)
	own := s.Ada.Get("/v2/account/collections/1").Object()
	if own["title"] != "Third title" || own["created_date"] != "2015-01-01T00:00:00Z" || own["timeline"].(map[string]any)["firstOnline"] != "2015-01-01T00:00:00" || own["articles_count"] != 2.0 || len(own["funding"].([]any)) != 0 {
		t.Errorf("%v", own)
	}
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Another", "doi": "10.5281/zenodo.22"}`).Refuses(422, "doi")
	if r, status := s.Checked(); status != 0 || r.Found != 0 {
		t.Errorf("%d: %+v", status, r.Problems)
	}
}

// A line of a collection is refused for what it says of it, in a dry run for the same, and
// leaves nothing behind.
func TestImportRefusesCollections(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	publishedItem(s, "Here before", 1)
	s.Ben.Article(`{"title": "Of somebody else"}`)
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Has a DOI", "doi": "10.5281/zenodo.5"}`).Is(201)
	const good = `"title": "To be refused", "authors": [{"name": "New"}], "publish": true`
	refused := []struct{ more, why string }{
		{`"title": "ab"`, "title"},
		{`"title": "By nobody", "publish": true`, "Collection has no associated authors"},
		{good + `, "articles": 5`, `"articles" is not a list`},
		{good + `, "articles": [0]`, `an element of "articles"`},
		{good + `, "articles": [{"id": 1}]`, `an element of "articles"`},
		{good + `, "articles": [77]`, "Article not found"},
		{good + `, "articles": [2]`, "Article not found"},
		{good + `, "articles": ["nowhere"]`, `holds "nowhere", which is neither the key of a line before nor the DOI or handle of an article`},
		{good + `, "articles": ["later"]`, `neither the key of a line before`},
		{good + `, "articles": ["10.5281/zenodo.404"]`, `neither the key of a line before`},
		{good + `, "articles": ["bad0"]`, `neither the key of a line before`},
		{good + `, "article": [1]`, `there is no key "article"; the nearest is "articles"`},
		{good + `, "license": 1`, `"license" is a key of articles, and collections have none`},
		{good + `, "files": []`, `"files" is a key of articles`},
		{good + `, "downloads": 3`, `"downloads" is a key of articles`},
		{good + `, "resource_url": "x"`, `there is no key "resource_url"; the nearest is`},
		{good + `, "authors_": 1`, `there is no key "authors_"; the nearest is "authors"`},
		{good + `, "funding_list": [{"name": "x"}]`, `there is no key "name" in "funding_list"`},
		{good + `, "doi": "10.5281/zenodo.5"`, "doi"},
		{good + `, "resource_link": "javascript:alert(1)"`, "resource_link"},
		{good + `, "published_date": "2999-01-01"`, "published_date"},
		{good + `, "views": -1`, "views"},
		{good + `, "old_urls": ["/v2/collections/1"]`, "old_urls"},
		{good + `, "versions": [{"title": "Undated"}]`, "published_date"},
		{good + `, "versions": [{"published_date": "2016-01-01", "files": []}]`, `there is no key "files" in "versions"`},
		{good + `, "versions": [{"published_date": "2016-01-01", "articles": [77]}]`, "Article not found"},
		{good + `, "versions": [{"published_date": "2016-01-01", "authors": []}]`, "Collection has no associated authors"},
		{good + `, "versions": [{"published_date": "2016-01-01", "doi": "10.5281/zenodo.5"}]`, "doi"},
		{good + `, "categories_by_source_id": ["no such code"]`, "--accept-warnings"},
		{good + `, "articles": ["draft"]`, "1 of the articles are not public"},
		{`"title": "A draft", "published_date": "2016-01-01"`, "publish"},
	}
	lines := []string{`{"key": "draft", "title": "A draft"}`, `{"key": "taken", "title": "At an address", "authors": [{"name": "A"}], "license": 1, "old_urls": ["/taken"], "publish": true}`}
	for i, r := range refused {
		lines = append(lines, fmt.Sprintf(`{"kind": "collection", "key": "bad%d", %s}`, i, r.more))
	}
	first := len(lines) - len(refused) + 1
	lines = append(lines, `{"kind": "set", "title": "What is it"}`, `{"title": "An article", "articles": [1]}`, `{"key": "later", "title": "A later line"}`)
	people := strings.Count(world.RecordLines(s, users.People, nil), "\n")
	file := s.Lines(lines...)
	for _, flags := range [][]string{{"--dry-run"}, nil} {
		said, err := bring(s, "import", file, flags...)
		if err == nil || !strings.Contains(said, fmt.Sprintf("%d refused", len(refused)+2)) {
			t.Error(flags, err, said)
		}
		of := map[int]string{}
		for line := range strings.Lines(said) {
			var n int
			if _, err := fmt.Sscanf(line, "line %d ", &n); err == nil {
				of[n] = line
			} else if _, err := fmt.Sscanf(line, "line %d:", &n); err == nil {
				of[n] = line
			}
		}
		for i, r := range refused {
			if !strings.Contains(of[i+first], r.why) {
				t.Errorf("%v %s: %q, want %q", flags, r.more, of[i+first], r.why)
			}
		}
		for i, why := range []string{`"kind" is neither "article" nor "collection"`, `"articles" is a key of collections, whose lines have "kind": "collection"`} {
			if got := of[first+len(refused)+i]; !strings.Contains(got, why) {
				t.Errorf("%v %q, want %q", flags, got, why)
			}
		}
	}
	if got := world.RecordLines(s, working.Collections, nil); got != "" {
		t.Errorf("left: %s", got)
	}
	if n := strings.Count(world.RecordLines(s, users.People, nil), "\n") - people; n != 1 {
		t.Errorf("%d new people, want 1", n)
	}
	old := s.Lines(`{"kind": "collection", "title": "At the same address", "authors": [{"name": "A"}], "old_urls": ["/taken"], "publish": true}`, lines[1]+" ")
	if said, err := bring(s, "import", old); err == nil || !strings.Contains(said, "leads to another item") {
		t.Error(err, said)
	}
	if said, err := deposits(s, old); err == nil || !strings.Contains(said, `collections are for "alcove import"`) {
		t.Error(err, said)
	}
	accepted := s.Lines(`{"kind": "collection", "title": "Nevertheless", "authors": [{"name": "A"}], "articles": ["draft", 1], "publish": true}`)
	if said, err := bring(s, "import", accepted, "--accept-warnings"); err != nil || !strings.Contains(said, "line 1: warning: 1 of the articles are not public") {
		t.Error(err, said)
	}
	if got := members(s, "/v2/collections/1/articles"); got != "[1]" {
		t.Errorf("its articles are %s", got)
	}
}

// A dry run tells what would be kept of a collection in another form, and lets it have
// articles of the lines before it.
func TestImportTellsWhatItWouldChangeOfCollections(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	file := s.Lines(`{"key": "a", "title": "An article", "authors": [{"name": "A"}], "doi": "10.5281/zenodo.6", "handle": "20.500/6", "license": 1, "publish": true}`,
		`{"kind": "collection", "title": "First", "authors": [{"name": "A"}], "articles": ["a", "doi:10.5281/Zenodo.6", "20.500/6"], "doi": "doi.org/10.5281/zenodo.1", "published_date": "2015-01-01", "old_urls": ["https://old.example.org/taken/"], "publish": true}`,
		`{"kind": "collection", "title": "Without a DOI", "authors": [{"name": "A"}], "publish": true}`)
	said, err := bring(s, "import", file, "--dry-run")
	for _, want := range []string{
		`line 2: doi "doi.org/10.5281/zenodo.1" becomes "10.5281/zenodo.1"`, `published_date "2015-01-01" becomes "2015-01-01T00:00:00Z"`,
		`old_urls "https://old.example.org/taken/" becomes "/taken"`, `line 3: doi is not given and becomes one of this repository`, `3 would be loaded, 3 of them published, 0 refused`,
	} {
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("%v: not said: %s\n%s", err, want, said)
		}
	}
	if strings.Contains(said, "license") {
		t.Errorf("a collection has no license: %s", said)
	}
	s.Ada.Get("/v2/account/collections/1").Is(404)
	s.Ada.Get("/v2/account/articles/1").Is(404)
	if said, err := bring(s, "import", file); err != nil || !strings.Contains(said, "3 loaded") {
		t.Error(err, said)
	}
	if got := members(s, "/v2/collections/1/articles"); got != "[1]" {
		t.Errorf("its articles are %s", got)
	}
}

// An import that is killed at any moment and run again makes every collection once, with its
// articles.
func TestImportOfCollectionsSurvivesKill(t *testing.T) {
	t.Parallel()
	const n = 1500
	s := world.StartWithin(t)
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"key": "a%d", "title": "Article %d", "authors": [{"name": "Ada"}], "publish": true}`, i, i),
			fmt.Sprintf(`{"kind": "collection", "title": "Collection %d", "description": "%s", "authors": [{"name": "Ada"}], "articles": ["a%d", "a%d"], "publish": %v}`, i, strings.Repeat("tide ", 40), i, i/2, i%10 != 0))
	}
	file := s.Lines(append(lines, lines[1])...) // two without a key that are equal
	s.Stop()
	for _, until := range []string{"20 %", "60 %"} {
		cmd := exec.Command("alcove", "import", "--data", s.Cfg.Data, "--account", "ada@example.org", "--index-later", file)
		out, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		one := make([]byte, 1)
		for !strings.Contains(said.String(), until) {
			if _, err := out.Read(one); err != nil {
				t.Fatalf("it ended before %s: %v: %s", until, err, said.String())
			}
			said.Write(one)
		}
		cmd.Process.Kill()
		io.Copy(io.Discard, out)
		cmd.Wait()
	}
	if said, err := s.Imports("ada@example.org", file); err != nil || !strings.Contains(said, "loaded before") {
		t.Fatal(err, said)
	}
	if said, err := s.Imports("1", file); err != nil || !strings.Contains(said, fmt.Sprintf("0 loaded, 0 of them published, 0 refused, %d loaded before", 2*n+1)) {
		t.Error(err, said)
	}
	s.Boot()
	times := map[string]int{}
	world.RecordLines(s, working.Collections, func(c *record.Collection) {
		times[c.Title]++
		want := 2
		if c.Title == "Collection 0" {
			want = 1
		}
		if len(c.Articles) != want {
			t.Errorf("%s has %v", c.Title, c.Articles)
		}
	})
	for i := range n {
		want := 1
		if i == 0 {
			want = 2
		}
		if got := times[fmt.Sprintf("Collection %d", i)]; got != want {
			t.Errorf("collection %d was loaded %d times", i, got)
		}
	}
	if got := foundCollections(s, `{"search_for": ":title: 1499"}`); got == "[]" {
		t.Error("a search does not find the last one")
	}
	changed := s.Lines(`{"key": "a1", "kind": "collection", "title": "Of a key that is taken"}`)
	if said, err := bring(s, "import", changed); err == nil || !strings.Contains(said, "another line of that key was loaded as article") {
		t.Error(err, said)
	}
}
