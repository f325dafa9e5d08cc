package load

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// deposits runs alcove deposit against the running server, as Ada.
func deposits(s *world.Server, file string, flags ...string) (said string, err error) {
	s.T.Helper()
	token := filepath.Join(s.T.TempDir(), "token")
	disk.WriteFile(s.T, token, []byte(s.Ada.Token+"\n"))
	args := append([]string{"deposit", "--to", s.URL, "--token-file", token}, flags...)
	out, err := exec.Command("alcove", append(args, file)...).CombinedOutput()
	return string(out), err
}

// bring brings a file of lines to the server, by alcove deposit or by alcove import.
func bring(s *world.Server, by, file string, flags ...string) (said string, err error) {
	s.T.Helper()
	if by == "deposit" {
		return deposits(s, file, flags...)
	}
	s.Stop()
	defer s.Boot()
	return s.Imports("ada@example.org", file, flags...)
}

// A line says of an article whatever the API can: it arrives before the article is public. An
// unknown key fails its line, and nothing of it arrives.
func TestLinesSayEverything(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"deposit", "import"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := world.StartWithin(t)
			group := s.Group("Archive", 0)
			s.Account(s.Ada.ID(), func(a *record.Account) { a.GroupID = group })
			project := world.LastNumber(t, s.Ada.Send("POST", "/v2/account/projects", `{"title": "A project"}`).Is(201).Header.Get("Location"))
			collection := world.LastNumber(t, s.Ada.Send("POST", "/v2/account/collections", `{"title": "A collection", "authors": [{"name": "A"}]}`).Is(201).Header.Get("Location"))
			const line = `{"title": "Secret for a while", "authors": [{"name": "A B"}], "license": 2, "is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01", "embargo_reason": "A patent", "embargo_options": [{"id": 1}], "files": ["secret.txt"], "publish": true, "custom_fields": {"depth": "12 m"}%s}`
			more := fmt.Sprintf(`, "group_id": %d, "project_id": %d, "collections": [%d], "private_links": [{"expires_date": "2126-05-05"}], "resource": {"doi": "10.1234/paper", "title": "A paper"}`, group, project, collection)
			wrong := strings.Replace(fmt.Sprintf(line, more), "license", "licence", 1)
			file := s.Lines(wrong, fmt.Sprintf(line, more),
				`{"title": "Confidential for good", "authors": [{"name": "A B"}], "is_confidential": true, "confidential_reason": "People", "files": ["secret.txt"], "publish": true}`)
			disk.WriteFile(t, filepath.Join(filepath.Dir(file), "secret.txt"), []byte("secret"))
			said, err := bring(s, by, file)
			if err == nil || !strings.Contains(said, `line 1: there is no key "licence"; the nearest is "license"`) || !strings.Contains(said, "1 failed") && !strings.Contains(said, "1 refused") {
				t.Fatal(err, said)
			}
			if own := s.Ada.Get("/v2/account/articles").List(); len(own) != 2 {
				t.Fatalf("%d articles, want 2", len(own))
			}
			id := int64(1)
			if s.Ada.Get("/v2/account/articles/1").Object()["title"] != "Secret for a while" {
				id = 2 // both travel at once
			}
			item := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()
			want := map[string]any{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01T00:00:00", "embargo_reason": "A patent", "group_id": float64(group), "resource_doi": "10.1234/paper"}
			for k, v := range want {
				if item[k] != v {
					t.Errorf("%s is %v, want %v", k, item[k], v)
				}
			}
			if item["license"].(map[string]any)["value"] != float64(2) || len(item["files"].([]any)) != 0 || len(item["embargo_options"].([]any)) != 1 {
				t.Errorf("%v", item)
			}
			if s.Anon.Get(fmt.Sprintf("/v2/articles/%d", 3-id)).Is(200).Object()["is_confidential"] != true {
				t.Error("the other is not confidential")
			}
			for f := range 2 {
				s.Anon.Get(fmt.Sprintf("/files/%d", f+1)).Is(404)
			}
			if in := s.Ada.Get(fmt.Sprintf("/v2/account/projects/%d/articles", project)).List(); len(in) != 1 {
				t.Errorf("%d articles in the project", len(in))
			}
			if in := s.Ada.Get(fmt.Sprintf("/v2/account/collections/%d/articles", collection)).List(); len(in) != 1 {
				t.Errorf("%d articles in the collection", len(in))
			}
			link := regexp.MustCompile(`private link ([0-9a-f]{32})`).FindStringSubmatch(said)
			links := s.Ada.Get(fmt.Sprintf("/v2/account/articles/%d/private_links", id)).List()
			if len(links) != 1 || link == nil || links[0]["id"] != link[1] || !strings.HasPrefix(links[0]["expires_date"].(string), "2126-05-05") {
				t.Errorf("links %v, said %s", links, said)
			}
			if said, err := bring(s, by, file); err == nil || !strings.Contains(said, "0 deposited") && !strings.Contains(said, "0 loaded") {
				t.Error("again:", err, said)
			}
		})
	}
}

// Another account's record does not exist for a line, and the whole line is refused.
func TestLinesStayWithTheirAccount(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	project := world.LastNumber(t, s.Ben.Send("POST", "/v2/account/projects", `{"title": "A project"}`).Is(201).Header.Get("Location"))
	collection := world.LastNumber(t, s.Ben.Send("POST", "/v2/account/collections", `{"title": "A collection"}`).Is(201).Header.Get("Location"))
	const good = `{"title": "To be refused", "authors": [{"name": "A"}], "publish": true, `
	file := s.Lines(fmt.Sprintf(good+`"project_id": %d}`, project), fmt.Sprintf(good+`"collections": [%d]}`, collection),
		good+`"is_embargoed": true, "embargo_type": "file", "embargo_date": "2020-01-01"}`,
		good+`"is_embargoed": true, "embargo_type": "file", "embargo_date": "2127-01-01", "embargo_options": [{"id": 99999}]}`,
		good+`"private_links": [{"expires_date": "2020-01-01"}]}`, good+`"resource": {"version": -1}}`,
		good+`"categories_by_source_id": ["no such code"]}`)
	said, err := bring(s, "import", file)
	if err == nil || !strings.Contains(said, "0 loaded") || !strings.Contains(said, "7 refused") ||
		!strings.Contains(said, `There is no category with the source id "no such code"; --accept-warnings loads it nevertheless`) {
		t.Error(err, said)
	}
	if n := len(s.Ada.Get("/v2/account/articles").List()); n != 0 {
		t.Errorf("%d articles", n)
	}
	said, err = bring(s, "import", s.Lines(good+`"categories_by_source_id": ["no such code"]}`), "--accept-warnings")
	if err != nil || !strings.Contains(said, "1 loaded, 1 of them published") || !strings.Contains(said, "line 1: warning: There is no category") {
		t.Error(err, said)
	}
	said, err = bring(s, "deposit", s.Lines(good+`"categories_by_source_id": ["no such code"]}`))
	if err == nil || !strings.Contains(said, `not published: the server warns: There is no category with the source id "no such code"; with --accept-warnings`) {
		t.Error(err, said)
	}
	s.Anon.Get("/v2/articles/2").Is(404)
}

// A version that waits for a review, or for the end of an embargo, is neither told nor counted as
// published.
func TestPublishTellsWhatWaits(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"deposit", "import"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := world.StartWithin(t)
			group := s.Group("Archive", 0)
			s.AsksForReview(group, true)
			at := s.Ada.Article(`{"title": "At once", "authors": [{"name": "A"}]}`)
			if r := s.Ada.Do("POST", at+"/publish", nil).Is(201).Object(); fmt.Sprint(r["warnings"]) != "[]" || r["location"] != s.URL+"/v2/articles/1" {
				t.Errorf("%v", r)
			}
			at = s.Ada.Article(`{"title": "Held back", "authors": [{"name": "A"}]}`)
			s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "article", "embargo_date": "2127-01-01"}`).Is(205)
			if r := s.Ada.Do("POST", at+"/publish", nil).Is(201).Object(); fmt.Sprint(r["warnings"]) != "["+record.WarnEmbargo+"]" {
				t.Errorf("%v", r)
			}
			held := s.Lines(`{"title": "Held", "authors": [{"name": "A"}], "is_embargoed": true, "embargo_type": "article", "embargo_date": "2127-01-01", "publish": true}`)
			if said, err := bring(s, by, held); err != nil || !strings.Contains(said, "0 failed, 1 held by their embargo") && !strings.Contains(said, "0 of them published, 0 refused, 1 held by their embargo") {
				t.Error(err, said)
			}
			s.Account(s.Ada.ID(), func(a *record.Account) { a.GroupID = group })
			at = s.Ada.Article(`{"title": "Handed in", "authors": [{"name": "A"}]}`)
			if r := s.Ada.Do("POST", at+"/publish", nil).Is(201).Object(); fmt.Sprint(r["warnings"]) != "["+record.WarnReview+"]" {
				t.Errorf("%v", r)
			}
			file := s.Lines(`{"title": "To be looked at", "authors": [{"name": "A"}], "publish": true}`)
			said, err := bring(s, by, file)
			if err != nil || !strings.Contains(said, "1 deposited, 0 published, 0 failed, 1 handed in for review") && !strings.Contains(said, "1 loaded, 0 of them published, 0 refused, 1 handed in for review") {
				t.Error(err, said)
			}
			if said, err = bring(s, by, file); err != nil || !strings.Contains(said, "1 already complete") && !strings.Contains(said, "1 loaded before") {
				t.Error("again:", err, said)
			}
			s.Anon.Get("/v2/articles/5").Is(404)
		})
	}
}

// A line cannot bring along what is not in its folder, however it is named.
func TestLinesReadOnlyTheirFolder(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"deposit", "import"} {
		t.Run(by, func(t *testing.T) {
			t.Parallel()
			s := world.Start(t)
			const line = `{"title": "With a file", "authors": [{"name": "A"}], "files": [%q]}`
			names := []string{"../shadow", "/etc/hostname", "link", "away/shadow", "in/../../shadow"}
			var lines []string
			for _, name := range names {
				lines = append(lines, fmt.Sprintf(line, name))
			}
			file := s.Lines(append(lines, fmt.Sprintf(line, "in/here.txt"))...)
			dir := filepath.Dir(file)
			shadow := filepath.Join(filepath.Dir(dir), "shadow")
			disk.WriteFile(t, shadow, []byte("secret"))
			for _, err := range []error{os.Symlink(shadow, filepath.Join(dir, "link")), os.Symlink("..", filepath.Join(dir, "away")), os.Mkdir(filepath.Join(dir, "in"), 0o700)} {
				if err != nil {
					t.Fatal(err)
				}
			}
			disk.WriteFile(t, filepath.Join(dir, "in/here.txt"), []byte("open"))
			said, err := bring(s, by, file)
			if err == nil {
				t.Error("it succeeds", said)
			}
			for i, name := range names {
				if want := fmt.Sprintf("line %d: file %q: it is outside the folder of the items", i+1, name); !strings.Contains(said, want) {
					t.Errorf("%s is not refused: %s", name, said)
				}
			}
			if files := s.Ada.Get("/v2/account/articles/1/files").Is(200).List(); len(files) != 1 || files[0]["name"] != "here.txt" {
				t.Error(files)
			}
			if s.Ada.Get("/v2/account/articles/1").Object()["folder_structure"].(map[string]any)["1"] != "in" {
				t.Error("the folder is lost")
			}
			s.Ada.Get("/v2/account/articles/2").Is(404)
			if said, err := bring(s, by, file, "--follow-outside"); err != nil || len(s.Ada.Get("/v2/account/articles").List()) != 6 {
				t.Error(err, said)
			}
		})
	}
}

// Items that the server does not have any more are deposited again, and only those.
func TestDepositLooksAtTheServer(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	file := s.Lines(`{"title": "First", "authors": [{"name": "A"}], "publish": true}`, `{"title": "Second", "files": ["x.txt"]}`)
	disk.WriteFile(t, filepath.Join(filepath.Dir(file), "x.txt"), []byte("x"))
	for i, want := range []string{"2 deposited, 1 published, 0 failed\n", "0 deposited, 0 published, 0 failed, 2 already complete", "1 deposited, 0 published, 0 failed, 1 already complete"} {
		if i == 2 {
			for _, a := range s.Ada.Get("/v2/account/articles").List() {
				if a["title"] == "Second" {
					s.Ada.Do("DELETE", fmt.Sprintf("/v2/account/articles/%v", a["id"]), nil).Is(204)
				}
			}
		}
		if said, err := deposits(s, file); err != nil || !strings.Contains(said, want) {
			t.Error(err, said)
		}
	}
	if n := len(s.Ada.Get("/v2/account/articles").List()); n != 2 {
		t.Errorf("%d articles", n)
	}
}
