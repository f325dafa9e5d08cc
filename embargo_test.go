package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// inSeconds is an embargo date that is at most some seconds away.
func inSeconds(n int) (text string, at time.Time) {
	at = time.Now().UTC().Add(time.Duration(n) * time.Second).Truncate(time.Second)
	return at.Format("2006-01-02T15:04:05"), at
}

// embargo sets an embargo.
func (c client) embargo(article, kind, date string) {
	c.s.t.Helper()
	c.send("PUT", article+"/embargo", fmt.Sprintf(`{"is_embargoed": true, "embargo_type": %q, "embargo_date": %q}`, kind, date)).is(205)
}

// eventually waits for something that the server does by itself.
func (s *server) eventually(what string, done func() bool) {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		changed := s.DB().Changed()
		if done() {
			return
		}
		select {
		case <-changed:
		case <-time.After(time.Until(deadline)):
			s.t.Fatalf("still not: %s", what)
		}
	}
}

// leaks fails when a public channel tells one of the words. Article and file ids are
// those up to ten.
func (s *server) leaks(words ...string) {
	s.t.Helper()
	paths := []string{"/v2/articles?page_size=100", "/v2/articles?order_direction=asc", "/v2/articles/search", "/v2/collections", "/v2/projects"}
	for id := 1; id <= 10; id++ {
		at := fmt.Sprint("/v2/articles/", id)
		paths = append(paths, at+"/download", fmt.Sprint("/v2/file/download/", id), at, at+"/versions", at+"/files", fmt.Sprint("/files/", id), fmt.Sprint("/ndownloader/files/", id))
		for n := 1; n <= 3; n++ {
			v := fmt.Sprint(at, "/versions/", n)
			paths = append(paths, v+"/download", strings.TrimPrefix(v, "/v2"), v, v+"/embargo", v+"/confidentiality", v+"/files", fmt.Sprint(at, "/files/", n))
		}
	}
	for _, who := range []client{s.Anon, s.Ben} {
		for _, path := range paths {
			method := "GET"
			if strings.HasSuffix(path, "/search") {
				method = "POST"
			}
			r := who.send(method, path, "")
			for _, w := range words {
				if strings.Contains(string(r.body), w) || strings.Contains(fmt.Sprint(r.Header), w) {
					s.t.Errorf("%s tells %q: %.300s", path, w, r.body)
				}
			}
		}
		for _, w := range words {
			for _, q := range []string{w, `:title: ` + w, w + "*", `"` + w + `"`} {
				if got := who.send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %q}`, q)).is(200); string(got.body) != "[]" {
					s.t.Errorf("a search for %s found %.300s", q, got.body)
				}
			}
		}
	}
}

// The values of an embargo, and how it is shown.
func TestEmbargoFields(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Under embargo"}`)
	none := `{"is_embargoed": false, "embargo_date": null, "embargo_type": null, "embargo_title": null, "embargo_reason": null, "embargo_options": []}`
	if r := s.Ada.get(at + "/embargo").is(200); string(r.body) != none {
		t.Errorf("none is %s", r.body)
	}
	today := time.Now().UTC().Format("2006-01-02")
	for _, c := range []struct {
		body    string
		status  int
		message string
	}{
		{`{}`, 422, "is_embargoed is required"},
		{`{"embargo_type": "file", "embargo_date": "0"}`, 422, "is_embargoed is required"},
		{`{"is_embargoed": 1}`, 422, "is_embargoed must be true or false"},
		{`{"is_embargoed": true, "embargo_date": "2999-01-01"}`, 422, "embargo_type is required"},
		{`{"is_embargoed": true, "embargo_type": "File", "embargo_date": "0"}`, 422, "embargo_type must be article or file"},
		{`{"is_embargoed": true, "embargo_type": " file", "embargo_date": "0"}`, 422, "embargo_type"},
		{`{"is_embargoed": true, "embargo_type": 1, "embargo_date": "0"}`, 422, "embargo_type"},
		{`{"is_embargoed": true, "embargo_type": null, "embargo_date": "0"}`, 422, "embargo_type"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": 0}`, 422, "embargo_date must be a string"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0", "embargo_reason": 5}`, 422, "embargo_reason"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0", "embargo_title": []}`, 422, "embargo_title"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0", "embargo_options": [1]}`, 422, "embargo_options[0]"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0", "embargo_options": [{}]}`, 422, "embargo_options"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0", "embargo_options": [{"id": 99}]}`, 422, "embargo_options"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0", "embargo_options": [{"id": 2}, {"id": 1}]}`, 422, "administrator"},
		{`{"is_embargoed": true, "embargo_type": "file"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": ""}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "soon"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2020-01-01"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0001-01-01"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-02-29"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "9999-12-31T23:59:59-01:00"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "10000-01-01"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "` + today + `"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "article", "embargo_date": "0"}`, 400, "Invalid expires date"},
		{`{"is_embargoed": true, "embargo_type": "article", "embargo_date": null}`, 400, "Invalid expires date"},
	} {
		s.Ada.send("PUT", at+"/embargo", c.body).refuses(c.status, c.message)
		if r := s.Ada.get(at + "/embargo").is(200); string(r.body) != none {
			t.Errorf("%s was refused and changed %s", c.body, r.body)
		}
	}
	for _, c := range []struct{ body, want string }{
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-31", "embargo_title": "Wait", "embargo_reason": "<b>æ</b>", "embargo_options": [{"id": 1, "group_ids": [3, 4]}]}`,
			`{"is_embargoed": true, "embargo_date": "2999-01-31T00:00:00", "embargo_type": "file", "embargo_title": "Wait", "embargo_reason": "<b>æ</b>", "embargo_options": [{"id": 1, "type": "logged_in", "ip_name": null, "group_ids": [3, 4]}]}`},
		{`{"embargo_date": "2999-01-31 05:06:07", "embargo_options": [{"id": 2}]}`,
			`{"is_embargoed": true, "embargo_date": "2999-01-31T05:06:07", "embargo_type": "file", "embargo_title": "Wait", "embargo_reason": "<b>æ</b>", "embargo_options": [{"id": 2, "type": "administrator", "ip_name": null, "group_ids": []}]}`},
		{`{"embargo_type": "article", "embargo_date": "2999-01-31T23:30:00.5-01:00", "embargo_options": []}`,
			`{"is_embargoed": true, "embargo_date": "2999-02-01T00:30:01", "embargo_type": "article", "embargo_title": "Wait", "embargo_reason": "<b>æ</b>", "embargo_options": []}`},
		{`{"is_embargoed": true, "embargo_type": "file", "embargo_title": null, "embargo_reason": "r"}`,
			`{"is_embargoed": true, "embargo_date": "2999-02-01T00:30:01", "embargo_type": "file", "embargo_title": null, "embargo_reason": "r", "embargo_options": []}`},
		{`{"embargo_date": "0"}`, `{"is_embargoed": true, "embargo_date": null, "embargo_type": "file", "embargo_title": null, "embargo_reason": "r", "embargo_options": []}`},
		{`{"embargo_date": "2999-01-01"}`, `{"is_embargoed": true, "embargo_date": "2999-01-01T00:00:00", "embargo_type": "file", "embargo_title": null, "embargo_reason": "r", "embargo_options": []}`},
		{`{"embargo_date": null}`, `{"is_embargoed": true, "embargo_date": null, "embargo_type": "file", "embargo_title": null, "embargo_reason": "r", "embargo_options": []}`},
		{`{"is_embargoed": false, "embargo_type": "file", "embargo_date": "2000-01-01"}`, none},
	} {
		r := s.Ada.send("PUT", at+"/embargo", c.body).is(205)
		if want := s.URL + at + "/embargo"; r.Header.Get("Location") != want || !strings.HasPrefix(string(r.body), `{"location": "`+want+`", "warnings": [`) || (len(r.warnings()) > 0) != (c.want == none) {
			t.Errorf("%s answered %s, Location %s", c.body, r.body, r.Header.Get("Location"))
		}
		got := s.Ada.get(at + "/embargo").is(200)
		if string(got.body) != c.want {
			t.Errorf("%s\nmade %s\nwant %s", c.body, got.body, c.want)
		}
		if own := string(s.Ada.get(at).is(200).body); !strings.Contains(own, strings.Trim(c.want, "{}")) {
			t.Errorf("the detail does not show %s", c.want)
		}
	}
	s.Ada.embargo(at, "file", "0")
	if r := s.Ada.do("DELETE", at+"/embargo", nil).is(204); len(r.body) != 0 {
		t.Errorf("204 with %s", r.body)
	}
	s.Ada.do("DELETE", at+"/embargo", nil).is(204)
	if r := s.Ada.get(at + "/embargo"); string(r.body) != none {
		t.Errorf("lifted is %s", r.body)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		for _, what := range []string{"/embargo", "/confidentiality"} {
			unknown := s.Ben.send(method, "/v2/account/articles/99"+what, `{"is_embargoed": true, "reason": "r"}`).refuses(404, "Article not found")
			if r := s.Ben.send(method, at+what, `{"is_embargoed": true, "reason": "r"}`).is(404); string(r.body) != string(unknown.body) {
				t.Errorf("%s %s of another's article: %s", method, what, r.body)
			}
			s.Anon.send(method, at+what, `{}`).refuses(401, "")
		}
	}
}

// Under a file embargo metadata is public at once, and nothing that is derived from the files
// (security.md C04, C06).
func TestEmbargoFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Openly described", "authors": [{"name": "Grace Hopper"}]}`)
	data := []byte("canarybytes in a file")
	file := s.Ada.upload(at, "canaryname.csv", data)
	s.Ada.send("POST", at+"/files", `{"name": "second", "size": 0, "folder_path": "canaryfolder"}`).is(201)
	s.Ada.do("POST", at+"/files/2", nil).is(202)
	s.Ada.until(at+"/files/2", "available")
	s.Ada.beginAs(at, `{"link": "https://example.org/canarylink"}`)
	md5 := s.Ada.get(file).object()["computed_md5"].(string)
	s.Ada.embargo(at, "file", "2999-01-01")
	s.Ada.do("POST", at+"/publish", nil).is(201)

	check := func() {
		t.Helper()
		s.leaks("canarybytes", "canaryname", "canaryfolder", "canarylink", md5)
		for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions/1"} {
			got := s.Anon.get(path).is(200).object()
			for key, want := range map[string]any{
				"title": "Openly described", "is_embargoed": true, "embargo_type": "file", "embargo_date": "2999-01-01T00:00:00",
				"size": 0.0, "has_linked_file": false, "is_public": true, "status": "public", "version": 1.0, "is_confidential": false,
			} {
				if got[key] != want {
					t.Errorf("%s: %s is %v, want %v", path, key, got[key], want)
				}
			}
			if fmt.Sprint(got["files"], got["folder_structure"]) != "[] map[]" {
				t.Errorf("%s has files %v %v", path, got["files"], got["folder_structure"])
			}
		}
		if r := s.Anon.get("/v2/articles/1/files").is(200); string(r.body) != "[]" {
			t.Errorf("files %s", r.body)
		}
		if r := s.Anon.get("/v2/articles/1/versions/1/embargo").is(200).object(); r["is_embargoed"] != true || r["embargo_type"] != "file" {
			t.Errorf("the version's embargo is %v", r)
		}
		for _, who := range []client{s.Anon, s.Ben} {
			for _, front := range []string{"/files/", "/ndownloader/files/", "/v2/articles/1/files/"} {
				for _, method := range []string{"GET", "HEAD"} {
					got, unknown := who.do(method, front+"1", nil, "Range", "bytes=0-3", "If-None-Match", "*"), who.do(method, front+"999", nil, "Range", "bytes=0-3", "If-None-Match", "*")
					if got.is(404); string(got.body) != string(unknown.body) {
						t.Errorf("%s %s1 is told from an unknown one: %s", method, front, got.body)
					}
					sameHeaders(t, front, got.Header, unknown.Header)
				}
			}
		}
		own := s.Ada.get(at).is(200).object()
		if fileNames(s.Ada.get(at+"/files").list()) != "canaryname.csv second canarylink" || own["size"] != float64(len(data)) || own["has_linked_file"] != true {
			t.Errorf("the owner sees %v", own)
		}
		if r := s.Ada.get("/files/1").is(200); string(r.body) != string(data) {
			t.Errorf("the owner gets %q", r.body)
		}
		if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "openly described"}`).is(200); len(r.list()) != 1 {
			t.Errorf("the metadata is not found: %s", r.body)
		}
	}
	check()
	s.restart() // documents are rendered under another address
	check()
	if got := s.Ada.fileQuota(); got != fmt.Sprintf("0+%d=%d", len(data), len(data)) {
		t.Errorf("used %s", got)
	}
	// Lifting the embargo changes the working copy; the next publication opens the files.
	s.Ada.do("DELETE", at+"/embargo", nil).is(204)
	s.leaks("canarybytes", "canaryname", "canaryfolder", "canarylink")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 1) + "|" + s.versionFiles(1, 2); got != "|canaryname.csv second canarylink" {
		t.Errorf("the versions have %s", got)
	}
	s.Anon.get("/v2/articles/1/files/1").is(200)
	if r := s.Anon.get("/files/1").is(200); string(r.body) != string(data) {
		t.Errorf("the open file is %q", r.body)
	}
	if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "canaryname"}`).is(200); len(r.list()) != 1 {
		t.Errorf("the open file's name is not found: %s", r.body)
	}
	if r := s.Anon.get("/v2/articles/1/versions/1/embargo").object(); r["is_embargoed"] != true {
		t.Errorf("version 1 is no longer under embargo: %v", r)
	}
}

// Each public version has the embargo it was published under (security.md C03, C12). A file is
// served as long as one of them shows it.
func TestEmbargoVersions(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Open, closed, open", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.upload(at, "first", []byte("first"))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "first"}`).is(200); len(r.list()) != 1 {
		t.Errorf("a search by the name of a file finds %s", r.body)
	}
	two := s.Ada.upload(at, "canarysecond", []byte("canarybytes"))
	s.Ada.embargo(at, "file", "2999-01-01")
	if got := s.Anon.get("/v2/articles/1").object(); got["is_embargoed"] != false || len(got["files"].([]any)) != 1 {
		t.Errorf("an embargo on the working copy changed what is public: %v", got)
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.leaks("canarysecond", "canarybytes")
	if got := s.versionFiles(1, 1) + "|" + s.versionFiles(1, 2); got != "first|" {
		t.Errorf("the versions have %s", got)
	}
	// The files of version 1 stay public, but not through the latest version.
	s.Anon.get("/files/1").is(200)
	s.Anon.get("/v2/articles/1/files/1").refuses(404, "File not found")
	if r := s.Anon.get("/v2/articles/1/files").is(200); string(r.body) != "[]" {
		t.Errorf("the latest version lists %s", r.body)
	}
	if r := s.Anon.send("POST", "/v2/articles/search", `{"search_for": "first"}`).is(200); string(r.body) != "[]" {
		t.Errorf("a search by the name of a file finds %s", r.body)
	}
	// A file that only embargoed versions have stays out of later ones.
	s.Ada.do("DELETE", two, nil).is(204)
	s.Ada.upload(at, "third", []byte("third"))
	s.Ada.do("DELETE", at+"/embargo", nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.leaks("canarysecond", "canarybytes")
	if got := s.versionFiles(1, 1) + "|" + s.versionFiles(1, 2) + "|" + s.versionFiles(1, 3); got != "first||first third" {
		t.Errorf("the versions have %s", got)
	}
	s.Anon.get("/files/2").refuses(404, "File not found")
	s.Anon.get("/files/3").is(200)
}

// A reader sees an embargo before or after its end, with all that belongs to it (security.md
// J13).
func TestEmbargoLiftRace(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Lifted while read", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.upload(at, "a", []byte("data"))
	s.Ada.embargo(at, "article", "2999-01-01")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for open := false; !open; {
				r := s.Anon.get("/v2/articles/1")
				if open = r.StatusCode == 200; open {
					if got := r.object(); got["is_embargoed"] != false || len(got["files"].([]any)) != 1 || got["version"] != 1.0 {
						t.Errorf("open without its files: %v", got)
					}
					if r := s.Anon.get("/files/1"); r.StatusCode != 200 {
						t.Errorf("the file of an open item answered %d", r.StatusCode)
					}
				}
			}
		})
	}
	s.Ada.do("DELETE", at+"/embargo", nil).is(204)
	wait.Wait()
}
