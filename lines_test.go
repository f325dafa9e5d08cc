package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/record"
)

// deposits runs alcove deposit against the running server, as Ada.
func (s *server) deposits(file string, flags ...string) (said string, err error) {
	s.t.Helper()
	token := filepath.Join(s.t.TempDir(), "token")
	writeFile(s.t, token, []byte(s.Ada.token+"\n"))
	args := append([]string{"deposit", "--to", s.URL, "--token-file", token}, flags...)
	out, err := exec.Command("alcove", append(args, file)...).CombinedOutput()
	return string(out), err
}

// bring brings a file of lines to the server, by alcove deposit or by alcove import.
func (s *server) bring(by, file string, flags ...string) (said string, err error) {
	s.t.Helper()
	if by == "deposit" {
		return s.deposits(file, flags...)
	}
	s.Stop()
	defer s.boot()
	return s.imports("ada@example.org", file, flags...)
}

// A line says of an article whatever the API can: it arrives before the article is public. An
// unknown key fails its line, and nothing of it arrives.
func TestLinesSayEverything(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"deposit", "import"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			group := s.group("Archive", 0)
			s.account(s.Ada.id(), func(a *record.Account) { a.GroupID = group })
			project := lastNumber(t, s.Ada.send("POST", "/v2/account/projects", `{"title": "A project"}`).is(201).Header.Get("Location"))
			collection := lastNumber(t, s.Ada.send("POST", "/v2/account/collections", `{"title": "A collection", "authors": [{"name": "A"}]}`).is(201).Header.Get("Location"))
			const line = `{"title": "Secret for a while", "authors": [{"name": "A B"}], "license": 2, "is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01", "embargo_reason": "A patent", "embargo_options": [{"id": 1}], "files": ["secret.txt"], "publish": true, "custom_fields": {"depth": "12 m"}%s}`
			more := fmt.Sprintf(`, "group_id": %d, "project_id": %d, "collections": [%d], "private_links": [{"expires_date": "2126-05-05"}], "resource": {"doi": "10.1234/paper", "title": "A paper"}`, group, project, collection)
			wrong := strings.Replace(fmt.Sprintf(line, more), "license", "licence", 1)
			file := s.lines(wrong, fmt.Sprintf(line, more),
				`{"title": "Confidential for good", "authors": [{"name": "A B"}], "is_confidential": true, "confidential_reason": "People", "files": ["secret.txt"], "publish": true}`)
			writeFile(t, filepath.Join(filepath.Dir(file), "secret.txt"), []byte("secret"))
			said, err := s.bring(by, file)
			if err == nil || !strings.Contains(said, `line 1: there is no key "licence"; the nearest is "license"`) || !strings.Contains(said, "1 failed") && !strings.Contains(said, "1 refused") {
				t.Fatal(err, said)
			}
			if own := s.Ada.get("/v2/account/articles").list(); len(own) != 2 {
				t.Fatalf("%d articles, want 2", len(own))
			}
			id := int64(1)
			if s.Ada.get("/v2/account/articles/1").object()["title"] != "Secret for a while" {
				id = 2 // both travel at once
			}
			item := s.Anon.get(fmt.Sprintf("/v2/articles/%d", id)).is(200).object()
			want := map[string]any{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01T00:00:00", "embargo_reason": "A patent", "group_id": float64(group), "resource_doi": "10.1234/paper"}
			for k, v := range want {
				if item[k] != v {
					t.Errorf("%s is %v, want %v", k, item[k], v)
				}
			}
			if item["license"].(map[string]any)["value"] != float64(2) || len(item["files"].([]any)) != 0 || len(item["embargo_options"].([]any)) != 1 {
				t.Errorf("%v", item)
			}
			if s.Anon.get(fmt.Sprintf("/v2/articles/%d", 3-id)).is(200).object()["is_confidential"] != true {
				t.Error("the other is not confidential")
			}
			for f := range 2 {
				s.Anon.get(fmt.Sprintf("/files/%d", f+1)).is(404)
			}
			if in := s.Ada.get(fmt.Sprintf("/v2/account/projects/%d/articles", project)).list(); len(in) != 1 {
				t.Errorf("%d articles in the project", len(in))
			}
			if in := s.Ada.get(fmt.Sprintf("/v2/account/collections/%d/articles", collection)).list(); len(in) != 1 {
				t.Errorf("%d articles in the collection", len(in))
			}
			link := regexp.MustCompile(`private link ([0-9a-f]{32})`).FindStringSubmatch(said)
			links := s.Ada.get(fmt.Sprintf("/v2/account/articles/%d/private_links", id)).list()
			if len(links) != 1 || link == nil || links[0]["id"] != link[1] || !strings.HasPrefix(links[0]["expires_date"].(string), "2126-05-05") {
				t.Errorf("links %v, said %s", links, said)
			}
			if said, err := s.bring(by, file); err == nil || !strings.Contains(said, "0 deposited") && !strings.Contains(said, "0 loaded") {
				t.Error("again:", err, said)
			}
		})
	}
}

// Another account's record does not exist for a line, and the whole line is refused.
func TestLinesStayWithTheirAccount(t *testing.T) {
	t.Parallel()
	s := start(t)
	project := lastNumber(t, s.Ben.send("POST", "/v2/account/projects", `{"title": "A project"}`).is(201).Header.Get("Location"))
	collection := lastNumber(t, s.Ben.send("POST", "/v2/account/collections", `{"title": "A collection"}`).is(201).Header.Get("Location"))
	const good = `{"title": "To be refused", "authors": [{"name": "A"}], "publish": true, `
	file := s.lines(fmt.Sprintf(good+`"project_id": %d}`, project), fmt.Sprintf(good+`"collections": [%d]}`, collection),
		good+`"is_embargoed": true, "embargo_type": "file", "embargo_date": "2020-01-01"}`,
		good+`"is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01", "embargo_options": [{"id": 99999}]}`,
		good+`"private_links": [{"expires_date": "2020-01-01"}]}`, good+`"resource": {"version": -1}}`,
		good+`"categories_by_source_id": ["no such code"]}`)
	said, err := s.bring("import", file)
	if err == nil || !strings.Contains(said, "0 loaded") || !strings.Contains(said, "7 refused") ||
		!strings.Contains(said, `There is no category with the source id "no such code"; --accept-warnings loads it nevertheless`) {
		t.Error(err, said)
	}
	if n := len(s.Ada.get("/v2/account/articles").list()); n != 0 {
		t.Errorf("%d articles", n)
	}
	said, err = s.bring("import", s.lines(good+`"categories_by_source_id": ["no such code"]}`), "--accept-warnings")
	if err != nil || !strings.Contains(said, "1 loaded, 1 of them published") || !strings.Contains(said, "line 1: warning: There is no category") {
		t.Error(err, said)
	}
	said, err = s.bring("deposit", s.lines(good+`"categories_by_source_id": ["no such code"]}`))
	if err == nil || !strings.Contains(said, `not published: the server warns: There is no category with the source id "no such code"; with --accept-warnings`) {
		t.Error(err, said)
	}
	s.Anon.get("/v2/articles/2").is(404)
}

// A version that waits for a review, or for the end of an embargo, is neither told nor counted as
// published.
func TestPublishTellsWhatWaits(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"deposit", "import"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			group := s.group("Archive", 0)
			s.asksForReview(group, true)
			at := s.Ada.article(`{"title": "At once", "authors": [{"name": "A"}]}`)
			if r := s.Ada.do("POST", at+"/publish", nil).is(201).object(); fmt.Sprint(r["warnings"]) != "[]" || r["location"] != s.URL+"/v2/articles/1" {
				t.Errorf("%v", r)
			}
			at = s.Ada.article(`{"title": "Held back", "authors": [{"name": "A"}]}`)
			s.Ada.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2127-01-01"}`).is(205)
			if r := s.Ada.do("POST", at+"/publish", nil).is(201).object(); fmt.Sprint(r["warnings"]) != "["+record.WarnEmbargo+"]" {
				t.Errorf("%v", r)
			}
			held := s.lines(`{"title": "Held", "authors": [{"name": "A"}], "is_embargoed": true, "embargo_type": "article", "embargo_date": "2127-01-01", "publish": true}`)
			if said, err := s.bring(by, held); err != nil || !strings.Contains(said, "0 failed, 1 held by their embargo") && !strings.Contains(said, "0 of them published, 0 refused, 1 held by their embargo") {
				t.Error(err, said)
			}
			s.account(s.Ada.id(), func(a *record.Account) { a.GroupID = group })
			at = s.Ada.article(`{"title": "Handed in", "authors": [{"name": "A"}]}`)
			if r := s.Ada.do("POST", at+"/publish", nil).is(201).object(); fmt.Sprint(r["warnings"]) != "["+record.WarnReview+"]" {
				t.Errorf("%v", r)
			}
			file := s.lines(`{"title": "To be looked at", "authors": [{"name": "A"}], "publish": true}`)
			said, err := s.bring(by, file)
			if err != nil || !strings.Contains(said, "1 deposited, 0 published, 0 failed, 1 handed in for review") && !strings.Contains(said, "1 loaded, 0 of them published, 0 refused, 1 handed in for review") {
				t.Error(err, said)
			}
			if said, err = s.bring(by, file); err != nil || !strings.Contains(said, "1 already complete") && !strings.Contains(said, "1 loaded before") {
				t.Error("again:", err, said)
			}
			s.Anon.get("/v2/articles/5").is(404)
		})
	}
}

// A line cannot bring along what is not in its folder, however it is named.
func TestLinesReadOnlyTheirFolder(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"deposit", "import"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			const line = `{"title": "With a file", "authors": [{"name": "A"}], "files": [%q]}`
			names := []string{"../shadow", "/etc/hostname", "link", "away/shadow", "in/../../shadow"}
			var lines []string
			for _, name := range names {
				lines = append(lines, fmt.Sprintf(line, name))
			}
			file := s.lines(append(lines, fmt.Sprintf(line, "in/here.txt"))...)
			dir := filepath.Dir(file)
			shadow := filepath.Join(filepath.Dir(dir), "shadow")
			writeFile(t, shadow, []byte("secret"))
			for _, err := range []error{os.Symlink(shadow, filepath.Join(dir, "link")), os.Symlink("..", filepath.Join(dir, "away")), os.Mkdir(filepath.Join(dir, "in"), 0o700)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, filepath.Join(dir, "in/here.txt"), []byte("open"))
			said, err := s.bring(by, file)
			if err == nil {
				t.Error("it succeeds", said)
			}
			for i, name := range names {
				if want := fmt.Sprintf("line %d: file %q: it is outside the folder of the items", i+1, name); !strings.Contains(said, want) {
					t.Errorf("%s is not refused: %s", name, said)
				}
			}
			if files := s.Ada.get("/v2/account/articles/1/files").is(200).list(); len(files) != 1 || files[0]["name"] != "here.txt" {
				t.Error(files)
			}
			if s.Ada.get("/v2/account/articles/1").object()["folder_structure"].(map[string]any)["1"] != "in" {
				t.Error("the folder is lost")
			}
			s.Ada.get("/v2/account/articles/2").is(404)
			if said, err := s.bring(by, file, "--follow-outside"); err != nil || len(s.Ada.get("/v2/account/articles").list()) != 6 {
				t.Error(err, said)
			}
		})
	}
}

// Items that the server does not have any more are deposited again, and only those.
func TestDepositLooksAtTheServer(t *testing.T) {
	t.Parallel()
	s := start(t)
	file := s.lines(`{"title": "First", "authors": [{"name": "A"}], "publish": true}`, `{"title": "Second", "files": ["x.txt"]}`)
	writeFile(t, filepath.Join(filepath.Dir(file), "x.txt"), []byte("x"))
	for i, want := range []string{"2 deposited, 1 published, 0 failed\n", "0 deposited, 0 published, 0 failed, 2 already complete", "1 deposited, 0 published, 0 failed, 1 already complete"} {
		if i == 2 {
			for _, a := range s.Ada.get("/v2/account/articles").list() {
				if a["title"] == "Second" {
					s.Ada.do("DELETE", fmt.Sprintf("/v2/account/articles/%v", a["id"]), nil).is(204)
				}
			}
		}
		if said, err := s.deposits(file); err != nil || !strings.Contains(said, want) {
			t.Error(err, said)
		}
	}
	if n := len(s.Ada.get("/v2/account/articles").list()); n != 2 {
		t.Errorf("%d articles", n)
	}
}
