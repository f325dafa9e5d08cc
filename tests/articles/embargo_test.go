package articles

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/tests/world"
)

// The values of an embargo, and how it is shown.
func TestEmbargoFields(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Under embargo"}`)
	none := `{"is_embargoed": false, "embargo_date": null, "embargo_type": null, "embargo_title": null, "embargo_reason": null, "embargo_options": []}`
	if r := s.Ada.Get(at + "/embargo").Is(200); string(r.Bytes) != none {
		t.Errorf("none is %s", r.Bytes)
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
		s.Ada.Send("PUT", at+"/embargo", c.body).Refuses(c.status, c.message)
		if r := s.Ada.Get(at + "/embargo").Is(200); string(r.Bytes) != none {
			t.Errorf("%s was refused and changed %s", c.body, r.Bytes)
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
		r := s.Ada.Send("PUT", at+"/embargo", c.body).Is(205)
		if want := s.URL + at + "/embargo"; r.Header.Get("Location") != want || !strings.HasPrefix(string(r.Bytes), `{"location": "`+want+`", "warnings": [`) || (len(warnings(r)) > 0) != (c.want == none) {
			t.Errorf("%s answered %s, Location %s", c.body, r.Bytes, r.Header.Get("Location"))
		}
		got := s.Ada.Get(at + "/embargo").Is(200)
		if string(got.Bytes) != c.want {
			t.Errorf("%s\nmade %s\nwant %s", c.body, got.Bytes, c.want)
		}
		if own := string(s.Ada.Get(at).Is(200).Bytes); !strings.Contains(own, strings.Trim(c.want, "{}")) {
			t.Errorf("the detail does not show %s", c.want)
		}
	}
	s.Ada.Embargo(at, "file", "0")
	if r := s.Ada.Do("DELETE", at+"/embargo", nil).Is(204); len(r.Bytes) != 0 {
		t.Errorf("204 with %s", r.Bytes)
	}
	s.Ada.Do("DELETE", at+"/embargo", nil).Is(204)
	if r := s.Ada.Get(at + "/embargo"); string(r.Bytes) != none {
		t.Errorf("lifted is %s", r.Bytes)
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		for _, what := range []string{"/embargo", "/confidentiality"} {
			unknown := s.Ben.Send(method, "/v2/account/articles/99"+what, `{"is_embargoed": true, "reason": "r"}`).Refuses(404, "Article not found")
			if r := s.Ben.Send(method, at+what, `{"is_embargoed": true, "reason": "r"}`).Is(404); string(r.Bytes) != string(unknown.Bytes) {
				t.Errorf("%s %s of another's article: %s", method, what, r.Bytes)
			}
			s.Anon.Send(method, at+what, `{}`).Refuses(401, "")
		}
	}
}

// Under a file embargo metadata is public at once, and nothing that is derived from the files
// (security.md C04, C06).
func TestEmbargoFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Openly described", "authors": [{"name": "Grace Hopper"}]}`)
	data := []byte("canarybytes in a file")
	file := s.Ada.Upload(at, "canaryname.csv", data)
	s.Ada.Send("POST", at+"/files", `{"name": "second", "size": 0, "folder_path": "canaryfolder"}`).Is(201)
	s.Ada.Do("POST", at+"/files/2", nil).Is(202)
	s.Ada.Until(at+"/files/2", "available")
	s.Ada.BeginAs(at, `{"link": "https://example.org/canarylink"}`)
	md5 := s.Ada.Get(file).Object()["computed_md5"].(string)
	s.Ada.Embargo(at, "file", "2999-01-01")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)

	check := func() {
		t.Helper()
		s.Leaks("canarybytes", "canaryname", "canaryfolder", "canarylink", md5)
		for _, path := range []string{"/v2/articles/1", "/v2/articles/1/versions/1"} {
			got := s.Anon.Get(path).Is(200).Object()
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
		if r := s.Anon.Get("/v2/articles/1/files").Is(200); string(r.Bytes) != "[]" {
			t.Errorf("files %s", r.Bytes)
		}
		if r := s.Anon.Get("/v2/articles/1/versions/1/embargo").Is(200).Object(); r["is_embargoed"] != true || r["embargo_type"] != "file" {
			t.Errorf("the version's embargo is %v", r)
		}
		for _, who := range []world.Client{s.Anon, s.Ben} {
			for _, front := range []string{"/files/", "/ndownloader/files/", "/v2/articles/1/files/"} {
				for _, method := range []string{"GET", "HEAD"} {
					got, unknown := who.Do(method, front+"1", nil, "Range", "bytes=0-3", "If-None-Match", "*"), who.Do(method, front+"999", nil, "Range", "bytes=0-3", "If-None-Match", "*")
					if got.Is(404); string(got.Bytes) != string(unknown.Bytes) {
						t.Errorf("%s %s1 is told from an unknown one: %s", method, front, got.Bytes)
					}
					world.SameHeaders(t, front, got.Header, unknown.Header)
				}
			}
		}
		own := s.Ada.Get(at).Is(200).Object()
		if world.FileNames(s.Ada.Get(at+"/files").List()) != "canaryname.csv second canarylink" || own["size"] != float64(len(data)) || own["has_linked_file"] != true {
			t.Errorf("the owner sees %v", own)
		}
		if r := s.Ada.Get("/files/1").Is(200); string(r.Bytes) != string(data) {
			t.Errorf("the owner gets %q", r.Bytes)
		}
		if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "openly described"}`).Is(200); len(r.List()) != 1 {
			t.Errorf("the metadata is not found: %s", r.Bytes)
		}
	}
	check()
	s.Restart() // documents are rendered under another address
	check()
	if got := s.Ada.FileQuota(); got != fmt.Sprintf("0+%d=%d", len(data), len(data)) {
		t.Errorf("used %s", got)
	}
	// Lifting the embargo changes the working copy; the next publication opens the files.
	s.Ada.Do("DELETE", at+"/embargo", nil).Is(204)
	s.Leaks("canarybytes", "canaryname", "canaryfolder", "canarylink")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 1) + "|" + versionFiles(s, 1, 2); got != "|canaryname.csv second canarylink" {
		t.Errorf("the versions have %s", got)
	}
	s.Anon.Get("/v2/articles/1/files/1").Is(200)
	if r := s.Anon.Get("/files/1").Is(200); string(r.Bytes) != string(data) {
		t.Errorf("the open file is %q", r.Bytes)
	}
	if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "canaryname"}`).Is(200); len(r.List()) != 1 {
		t.Errorf("the open file's name is not found: %s", r.Bytes)
	}
	if r := s.Anon.Get("/v2/articles/1/versions/1/embargo").Object(); r["is_embargoed"] != true {
		t.Errorf("version 1 is no longer under embargo: %v", r)
	}
}

// Each public version has the embargo it was published under (security.md C03, C12). A file is
// served as long as one of them shows it.
func TestEmbargoVersions(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Open, closed, open", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(at, "first", []byte("first"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "first"}`).Is(200); len(r.List()) != 1 {
		t.Errorf("a search by the name of a file finds %s", r.Bytes)
	}
	two := s.Ada.Upload(at, "canarysecond", []byte("canarybytes"))
	s.Ada.Embargo(at, "file", "2999-01-01")
	if got := s.Anon.Get("/v2/articles/1").Object(); got["is_embargoed"] != false || len(got["files"].([]any)) != 1 {
		t.Errorf("an embargo on the working copy changed what is public: %v", got)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Leaks("canarysecond", "canarybytes")
	if got := versionFiles(s, 1, 1) + "|" + versionFiles(s, 1, 2); got != "first|" {
		t.Errorf("the versions have %s", got)
	}
	// The files of version 1 stay public, but not through the latest version.
	s.Anon.Get("/files/1").Is(200)
	s.Anon.Get("/v2/articles/1/files/1").Refuses(404, "File not found")
	if r := s.Anon.Get("/v2/articles/1/files").Is(200); string(r.Bytes) != "[]" {
		t.Errorf("the latest version lists %s", r.Bytes)
	}
	if r := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "first"}`).Is(200); string(r.Bytes) != "[]" {
		t.Errorf("a search by the name of a file finds %s", r.Bytes)
	}
	// A file that only embargoed versions have stays out of later ones.
	s.Ada.Do("DELETE", two, nil).Is(204)
	s.Ada.Upload(at, "third", []byte("third"))
	s.Ada.Do("DELETE", at+"/embargo", nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Leaks("canarysecond", "canarybytes")
	if got := versionFiles(s, 1, 1) + "|" + versionFiles(s, 1, 2) + "|" + versionFiles(s, 1, 3); got != "first||first third" {
		t.Errorf("the versions have %s", got)
	}
	s.Anon.Get("/files/2").Refuses(404, "File not found")
	s.Anon.Get("/files/3").Is(200)
}

// A reader sees an embargo before or after its end, with all that belongs to it (security.md
// J13).
func TestEmbargoLiftRace(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Lifted while read", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(at, "a", []byte("data"))
	s.Ada.Embargo(at, "article", "2999-01-01")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for open := false; !open; {
				r := s.Anon.Get("/v2/articles/1")
				if open = r.StatusCode == 200; open {
					if got := r.Object(); got["is_embargoed"] != false || len(got["files"].([]any)) != 1 || got["version"] != 1.0 {
						t.Errorf("open without its files: %v", got)
					}
					if r := s.Anon.Get("/files/1"); r.StatusCode != 200 {
						t.Errorf("the file of an open item answered %d", r.StatusCode)
					}
				}
			}
		})
	}
	s.Ada.Do("DELETE", at+"/embargo", nil).Is(204)
	wait.Wait()
}
