package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// Items that move in from another repository keep their identifiers, dates, counts and addresses.
func TestImportKeepsWhatItBrings(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	file := s.Lines(strings.ReplaceAll(
		`{"key": "z", "title": "From elsewhere", "authors": [{"name": "A B"}], "doi": "https://doi.org/10.5281/Zenodo.123456", "handle": "hdl:20.500.12345/678",
		"published_date": "2015-03-04T05:06:07Z", "created_date": "2014-01-01", "modified_date": "2016-02-02", "timeline": {"firstOnline": "2013-12-24"},
		"views": 1200, "downloads": 34, "license": 2, "publish": true,
		"old_urls": ["https://old.example.org/record/17", "/handle/20.500.12345/678/", "http://old.example.org//view.php?id=17&lang=en", "/articles/dataset/From_elsewhere/17", "/articles/from-elsewhere"]}`, "\n\t\t", " "),
		`{"key": "busy", "title": "Most read", "authors": [{"name": "A B"}], "views": 5000, "license": 1, "publish": true}`,
		`{"key": "draft", "title": "Not public yet", "created_date": "2012-05-05", "old_urls": ["/draft/1"]}`)
	if said, err := bring(s, "import", file); err != nil {
		t.Fatal(err, said)
	}
	item := s.Anon.Get("/v2/articles/1").Is(200).Object()
	for k, v := range map[string]any{
		"doi": "10.5281/Zenodo.123456", "handle": "20.500.12345/678", "published_date": "2015-03-04T05:06:07Z",
		"modified_date": "2016-02-02T00:00:00Z", "version": 1.0,
	} {
		if item[k] != v {
			t.Errorf("%s is %v, want %v", k, item[k], v)
		}
	}
	if got := item["timeline"].(map[string]any)["firstOnline"]; got != "2013-12-24" {
		t.Errorf("first online %v", got)
	}
	if got := item["citation"].(string); !strings.HasSuffix(got, item["url_public_html"].(string)) || !strings.Contains(got, "(2015)") {
		t.Errorf("citation %s", got)
	}
	if got := s.Ada.Get("/v2/account/articles/1").Object()["created_date"]; got != "2014-01-01T00:00:00Z" {
		t.Errorf("created %v", got)
	}
	for query, want := range map[string]string{
		"doi=10.5281/zenodo.123456": "[1]", "handle=20.500.12345/678": "[1]", "order=views": "[2 1]",
		"published_since=2015-03-05": "[2]", "order=published_date&order_direction=asc": "[1 2]",
	} {
		if got := fmt.Sprint(ids(s.Anon.Get("/v2/articles?" + query).List())); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
	if got := s.Anon.Find("zenodo.123456"); got != "1" {
		t.Errorf("a search finds %q", got)
	}

	// A later version gets no unregistered DOI.
	s.Ada.Do("POST", "/v2/account/articles/1/publish", nil).Is(201)
	if got := s.Anon.Get("/v2/articles/1").Object(); got["doi"] != "10.5281/Zenodo.123456" || got["version"] != 2.0 || got["timeline"].(map[string]any)["firstOnline"] != "2013-12-24" {
		t.Errorf("%v", got)
	}

	for _, old := range []string{
		"/record/17", "/record/17/", "//record//17", "/record/17?utm_source=mail", "/handle/20.500.12345/678", "/view.php?id=17&lang=en",
		"/articles/dataset/From_elsewhere/17", "/articles/from-elsewhere",
	} {
		for _, method := range []string{"GET", "HEAD"} {
			r := s.Anon.Do(method, old, nil).Is(301)
			if r.Header.Get("Location") != s.URL+"/v2/articles/1" {
				t.Errorf("%s leads to %s", old, r.Header.Get("Location"))
			}
		}
	}
	for _, old := range []string{"/record/1", "/record", "/view.php?id=18&lang=en", "/view.php", "/draft/1", "/v2/record/17"} {
		s.Anon.Get(old).Is(404)
	}
	s.Anon.Do("POST", "/record/17", nil).Is(404)
	s.Ada.Send("POST", "/v2/account/articles/1/unpublish", `{"reason": "Not ours after all"}`).Is(204)
	s.Anon.Get("/record/17").Is(404)
}

func ids(list []map[string]any) (out []int64) {
	for _, a := range list {
		out = append(out, int64(a["id"].(float64)))
	}
	return out
}

// An item comes with its versions: metadata, people, files, dates and DOIs of each.
func TestImportKeepsVersions(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	group := s.Group("Archive", 0)
	s.AsksForReview(group, true)
	file := s.Lines(strings.ReplaceAll(fmt.Sprintf(`{"title": "Third title", "authors": [{"name": "Last Author"}], "doi": "10.5281/zenodo.10", "license": 2, "group_id": %d, "files": ["data/c.txt", "a.txt"], "publish": true, "views": 7, "versions": [
		{"version": 2, "title": "First title", "doi": "doi:10.5281/zenodo.11", "published_date": "2015-01-01", "files": ["a.txt", "b.txt"], "authors": [{"name": "First Author"}], "license": 1},
		{"title": "Second title", "doi": "10.5281/zenodo.12", "published_date": "2016-01-01", "modified_date": "2016-05-05", "files": ["a.txt"]},
		{"published_date": "2017-01-01T10:00:00"}]}`, group), "\n\t\t", " "))
	for _, name := range []string{"a", "b", "data/c"} {
		path := filepath.Join(filepath.Dir(file), name+".txt")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		disk.WriteFile(t, path, []byte("this is "+name))
	}
	s.Account(s.Ada.ID(), func(a *record.Account) { a.GroupID = group })
	if said, err := bring(s, "import", file); err != nil || !strings.Contains(said, "1 loaded, 1 of them published") {
		t.Fatal(err, said)
	}
	want := []struct {
		version                                         int
		title, author, doi, published, modified, citing string
		files                                           string
		license                                         float64
	}{
		{2, "First title", "First Author", "10.5281/zenodo.11", "2015-01-01T00:00:00Z", "2015-01-01T00:00:00Z", "/First_title/1", "[a.txt b.txt]", 1},
		{3, "Second title", "Last Author", "10.5281/zenodo.12", "2016-01-01T00:00:00Z", "2016-05-05T00:00:00Z", "/Second_title/1", "[a.txt]", 2},
		{4, "Third title", "Last Author", "10.5281/zenodo.10", "2017-01-01T10:00:00Z", "2017-01-01T10:00:00Z", "/Third_title/1", "[a.txt c.txt]", 2},
	}
	if list := s.Anon.Get("/v2/articles/1/versions").Is(200).List(); len(list) != 3 || list[0]["version"] != 2.0 {
		t.Errorf("versions %v", list)
	}
	for _, w := range want {
		v := s.Anon.Get(fmt.Sprintf("/v2/articles/1/versions/%d", w.version)).Is(200).Object()
		var names []string
		for _, f := range v["files"].([]any) {
			f := f.(map[string]any)
			names = append(names, f["name"].(string))
			b := s.Anon.Get(strings.TrimPrefix(f["download_url"].(string), s.URL)).Is(200).Bytes
			if !strings.HasPrefix(f["name"].(string), strings.TrimPrefix(strings.TrimPrefix(string(b), "this is "), "data/")) {
				t.Errorf("%s holds %q", f["name"], b)
			}
		}
		author := v["authors"].([]any)[0].(map[string]any)["full_name"]
		if v["title"] != w.title || v["doi"] != w.doi || v["published_date"] != w.published || v["modified_date"] != w.modified || author != w.author ||
			fmt.Sprint(names) != w.files || v["license"].(map[string]any)["value"] != w.license || !strings.HasSuffix(v["citation"].(string), w.citing) {
			t.Errorf("version %d: %v %v %v %v %v %v %v", w.version, v["title"], v["doi"], v["published_date"], v["modified_date"], author, names, v["citation"])
		}
		if got := fmt.Sprint(ids(s.Anon.Get("/v2/articles?doi=" + w.doi).List())); got != "[1]" {
			t.Errorf("%s finds %s", w.doi, got)
		}
	}
	s.Anon.Get("/v2/articles/1/versions/1").Is(404)
	own := s.Ada.Get("/v2/account/articles/1").Object()
	if own["title"] != "Third title" || own["created_date"] != "2015-01-01T00:00:00Z" || own["timeline"].(map[string]any)["firstOnline"] != "2015-01-01T00:00:00" || len(own["files"].([]any)) != 2 || own["curation_status"] != nil {
		t.Errorf("%v", own)
	}
	if fmt.Sprint(own["folder_structure"]) == "map[]" {
		t.Error("the folder is lost")
	}
	if err := agrees(s, s.Ada.ID()); err != nil {
		t.Error(err)
	}
	s.Root.Send("POST", "/v2/account/articles", `{"title": "Another", "doi": "10.5281/zenodo.12"}`).Refuses(422, "doi")
	s.Ada.Send("PATCH", "/v2/account/articles/1", `{"description": "Later"}`).Is(205)
}

// Before anything is stored an import tells what it would keep in another form, and what
// of it contradicts itself.
func TestImportTellsWhatItWouldChange(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const good = `"title": "To be refused", "authors": [{"name": "A"}], "publish": true`
	refused := []struct{ more, why string }{
		{good + `, "published_date": "2999-01-01"`, "published_date"},
		{good + `, "published_date": "yesterday"`, "published_date"},
		{good + `, "views": -1`, "views"},
		{good + `, "old_urls": ["javascript:alert(1)"]`, "old_urls"},
		{good + `, "old_urls": ["/v2/articles/2"]`, "old_urls"},
		{good + `, "old_urls": ["https://old.example.org"]`, "old_urls"},
		{good + `, "old_urls": ["/taken"]`, "leads to another item"},
		{good + `, "old_url": ["/x"]`, `there is no key "old_url"; the nearest is "old_urls"`},
		{good + `, "doi": "10.5281/ZENODO.1"`, "doi"},
		{good + `, "versions": []`, `"versions" is not a list`},
		{good + `, "versions": [{"title": "Undated"}]`, "published_date"},
		{good + `, "versions": [{"published_date": "2016-01-01"}, {"published_date": "2015-01-01"}]`, "order"},
		{good + `, "versions": [{"published_date": "2016-01-01", "version": 3}, {"published_date": "2017-01-01", "version": 5}]`, "count the versions up"},
		{good + `, "versions": [{"published_date": "2016-01-01", "doi": "10.5281/zenodo.1"}]`, "doi"},
		{good + `, "versions": [{"published_date": "2016-01-01", "licence": 2}]`, `there is no key "licence" in "versions"; the nearest is "license"`},
		{good + `, "versions": [{"published_date": "2016-01-01", "authors": []}]`, "authors"},
		{good + `, "published_date": "2016-01-01", "is_embargoed": true, "embargo_type": "article", "embargo_date": "2127-01-01"`, "embargo_type"},
		{`"title": "A draft", "published_date": "2016-01-01"`, "publish"},
	}
	lines := []string{`{"title": "First", "authors": [{"name": "A"}], "doi": "doi.org/10.5281/zenodo.1", "published_date": "2015-01-01", "old_urls": ["https://old.example.org/taken/"], "publish": true}`}
	for _, r := range refused {
		lines = append(lines, "{"+r.more+"}")
	}
	file := s.Lines(lines...)
	said, err := bring(s, "import", s.Lines(lines[0]), "--dry-run")
	for _, want := range []string{
		`line 1: doi "doi.org/10.5281/zenodo.1" becomes "10.5281/zenodo.1"`, `published_date "2015-01-01" becomes "2015-01-01T00:00:00Z"`,
		`old_urls "https://old.example.org/taken/" becomes "/taken"`, `license is not given and becomes 1`, `1 would be loaded`,
	} {
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("%v: not said: %s\n%s", err, want, said)
		}
	}
	s.Ada.Get("/v2/account/articles/1").Is(404)
	said, err = bring(s, "import", file)
	if err == nil || !strings.Contains(said, fmt.Sprintf("1 loaded, 1 of them published, %d refused", len(refused))) {
		t.Error(err, said)
	}
	of := map[int]string{}
	for line := range strings.Lines(said) {
		var n int
		if _, err := fmt.Sscanf(line, "line %d:", &n); err == nil {
			of[n] = line
		}
	}
	for i, r := range refused {
		if !strings.Contains(of[i+2], r.why) {
			t.Errorf("%s: %q, want %q", r.more, of[i+2], r.why)
		}
	}
	if said, err := deposits(s, s.Lines(lines[0])); err == nil || !strings.Contains(said, `is for "alcove import"`) {
		t.Error(err, said)
	}
}
