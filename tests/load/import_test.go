package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/world"
)

var anyMoment = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?`)

// tellsOf is what a server tells and keeps of an article with two files, without the dates,
// the address and what names an upload.
func tellsOf(s *world.Server, article string) string {
	s.T.Helper()
	var all strings.Builder
	for _, path := range []string{"", "/versions", "/versions/1", "/files"} {
		fmt.Fprintf(&all, "%s\n", s.Anon.Get("/v2/articles/"+article+path).Is(200).Bytes)
		if path == "" || path == "/files" {
			fmt.Fprintf(&all, "%s\n", s.Ada.Get("/v2/account/articles/"+article+path).Is(200).Bytes)
		}
	}
	fmt.Fprintf(&all, "%s\n", s.Anon.Get("/v2/articles").Is(200).Bytes)
	fmt.Fprintf(&all, "%s\n", s.Ada.FileQuota())
	all.WriteString(world.RecordLines(s, users.Accounts, nil))
	all.WriteString(world.RecordLines(s, users.People, nil))
	all.WriteString(world.RecordLines(s, working.Articles, nil))
	all.WriteString(world.RecordLines(s, files.Files, func(f *record.File) { f.Token = "" }))
	all.WriteString(world.RecordLines(s, &files.PublicFiles.Table, nil))
	all.WriteString(world.RecordLines(s, &published.Articles.Table, nil))
	all.WriteString(world.RecordLines(s, &published.ArticleVersions.Table, nil))
	all.WriteString(world.RecordLines(s, counting.Citations, nil))
	text := anyMoment.ReplaceAllString(all.String(), "MOMENT")
	text = regexp.MustCompile(`"(upload_token|upload_url)": [^,}]*`).ReplaceAllString(text, "UPLOAD")
	return strings.ReplaceAll(text, s.URL, "BASE")
}

// An article that was imported cannot be told from one that was made through the API, in
// its records either.
func TestImportEqualsDeposit(t *testing.T) {
	t.Parallel()
	body := `"title": "Tides of <i>Ytre</i> Oslofjord", "description": "<p>Øre & more.</p>", "tags": ["tide", "sea level"],
		"categories": [37, 51, 37], "authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}, {"first_name": "Ben", "last_name": "Bitdiddle"}],
		"references": ["https://doi.org/10.1234/abc"], "defined_type": "dataset", "license": 1, "funding": "Grant 17",
		"custom_fields": {"depth": "12 m"}, "timeline": {"firstOnline": "2020-01-31"}`
	body = strings.Join(strings.Fields(body), " ")
	table := []byte("minute,metres\n0,1.2\n")

	api := world.StartWithin(t)
	at := api.Ada.Article("{" + body + "}")
	api.Ada.Upload(at, "table.csv", table)
	api.Ada.Send("POST", at+"/files", `{"link": "https://data.example.org/raw.zip", "folder_path": "raw"}`).Is(201)
	api.Ada.Do("POST", at+"/publish", nil).Is(201)

	s := world.StartWithin(t)
	file := s.Lines(`{"key": "tides", ` + body + `, "files": ["table.csv", {"link": "https://data.example.org/raw.zip", "folder_path": "raw"}], "publish": true}`)
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "table.csv"), table, 0o600); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if said, err := s.Imports("ada@example.org", file); err != nil {
		t.Fatal(err, said)
	}
	s.Boot()
	want, got := tellsOf(api, "1"), tellsOf(s, "1")
	if got != want {
		for i, w := range strings.Split(want, "\n") {
			if g := strings.Split(got, "\n"); i >= len(g) || g[i] != w {
				t.Errorf("imported:\n%s\nthrough the API:\n%s", g[min(i, len(g)-1)], w)
			}
		}
	}
	if err := agrees(s, s.Ada.ID()); err != nil {
		t.Error(err)
	}
	if b := s.Anon.Get("/files/1").Is(200).Bytes; !bytes.Equal(b, table) {
		t.Errorf("the file holds %q", b)
	}
	if got := s.Anon.Find("Oslofjord"); got != "1" {
		t.Errorf("a search finds %q", got)
	}
}

// An item that the API refuses is refused with the same words, named by its line, and leaves
// nothing behind; the other lines are loaded.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	const good = `"title": "A good title", "authors": [{"name": "Ada"}]`
	bodies := []string{
		`"title": "ab", "authors": [{"name": "Ada"}]`,
		good + `, "categories": [1]`,
		good + `, "license": 12345`,
		good + `, "defined_type": "poem"`,
		good + `, "group_id": 77`,
		good + `, "tags": "one"`,
		good + `, "funding_list": [{"id": 99}]`,
		`"title": "With a person nobody knows", "authors": [{"name": "New"}, {"id": 4242}]`,
		`"title": "With a person without a name", "authors": [{"email": "x@example.org"}]`,
		`"title": "Published by nobody"`,
	}
	s := world.StartWithin(t)
	var lines, want []string
	for i, b := range bodies {
		r := s.Ada.Send("POST", "/v2/account/articles", "{"+b+"}")
		if r.StatusCode == 201 {
			at := r.Object()["location"].(string)
			r = s.Ada.Do("POST", at+"/publish", nil)
			s.Ada.Do("DELETE", at, nil).Is(204)
		}
		if r.StatusCode < 400 {
			t.Fatalf("%s: %d", b, r.StatusCode)
		}
		lines = append(lines, fmt.Sprintf(`{"key": "bad%d", %s, "publish": true}`, i, b), fmt.Sprintf(`{"key": "good%d", %s}`, i, good))
		want = append(want, fmt.Sprintf("line %d (key %q): %s\n", 2*i+1, fmt.Sprint("bad", i), r.Object()["message"]))
	}
	people := strings.Count(world.RecordLines(s, users.People, nil), "\n")
	s.Stop()
	file := s.Lines(lines...)
	for _, flag := range []string{"--dry-run", "--strict", "--index-later"} {
		said, err := s.Imports("ada@example.org", file, flag)
		if err == nil {
			t.Errorf("%s succeeds: %s", flag, said)
		}
		for i, w := range want {
			if shown := strings.Contains(said, w); shown != (flag != "--strict" || i == 0) {
				t.Errorf("%s: shown is %v: %sin:\n%s", flag, shown, w, said)
			}
		}
	}
	s.Boot()
	if n := len(s.Ada.Get("/v2/account/articles?page_size=100").List()); n != len(bodies) {
		t.Errorf("%d articles, want %d", n, len(bodies))
	}
	if n := strings.Count(world.RecordLines(s, users.People, nil), "\n") - people; n != len(bodies) {
		t.Errorf("%d new people, want %d: a refused line leaves somebody behind", n, len(bodies))
	}
}

// In a group that asks for reviews an import submits, and publishes nothing.
func TestImportForReview(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	group := s.Group("Archive", 0)
	s.AsksForReview(group, true)
	s.Account(s.Ada.ID(), func(a *record.Account) { a.GroupID = group })
	before := strings.Count(world.RecordLines(s, users.People, nil), `"public":true`)
	s.Stop()
	if said, err := s.Imports("ada@example.org", s.Lines(`{"title": "To be looked at", "authors": [{"name": "New Person"}], "publish": true}`)); err != nil {
		t.Fatal(err, said)
	}
	s.Boot()
	s.Anon.Get("/v2/articles/1").Is(404)
	if n := strings.Count(world.RecordLines(s, working.Submissions, nil), "\n"); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
	if n := strings.Count(world.RecordLines(s, users.People, nil), `"public":true`); n != before {
		t.Errorf("%d people are public, %d were before", n, before)
	}
}

// generated are lines with unique words; every tenth stays a draft, some have no key.
func generated(n int) (lines []string) {
	for i := range n {
		key := fmt.Sprintf(`"key": "g%d", `, i)
		if i%7 == 0 {
			key = ""
		}
		lines = append(lines, fmt.Sprintf(`{%s"title": "Series unique%dx", "description": "%s", "authors": [{"name": "Ada"}], "publish": %v}`,
			key, i, strings.Repeat("tide ", 40), i%10 != 0))
	}
	return lines
}

// An import that is killed at any moment and run again makes every article once.
func TestImportSurvivesKill(t *testing.T) {
	t.Parallel()
	const n = 2000
	s := world.StartWithin(t)
	file := s.Lines(append(generated(n), generated(1)...)...) // two lines without a key that are equal
	s.Stop()
	args := []string{"import", "--data", s.Cfg.Data, "--account", "ada@example.org", "--index-later", file}
	for _, until := range []string{"20 %", "60 %", "90 %"} {
		cmd := exec.Command("alcove", args...)
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
	said, err := s.Imports("ada@example.org", file)
	if err != nil || !strings.Contains(said, "loaded before") {
		t.Fatal(err, said)
	}
	if said, err = s.Imports("1", file); err != nil || !strings.Contains(said, fmt.Sprintf("0 loaded, 0 of them published, 0 refused, %d loaded before", n+1)) {
		t.Error(err, said)
	}
	s.Boot()
	titles := map[string]int{}
	err = s.DB().View(func(tx *bucket.Tx) error {
		for row, err := range working.Articles.All(tx, nil) {
			if err != nil {
				return err
			}
			titles[row.Record.Title]++
		}
		return tx.CheckChain()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		want := 1
		if i == 0 {
			want = 2
		}
		if got := titles[fmt.Sprintf("Series unique%dx", i)]; got != want {
			t.Errorf("line %d was loaded %d times", i+1, got)
		}
	}
	if err := agrees(s, s.Ada.ID()); err != nil {
		t.Error(err)
	}
	if s.Anon.Find(fmt.Sprintf("unique%dx", n-1)) == "" || s.Anon.Find("unique10x") != "" {
		t.Error("searches do not see what was imported as it is")
	}
}

// A rebuild goes on beside the index in use: searches find everything meanwhile.
func TestIndexRebuiltWhileSearching(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	file := s.Lines(generated(500)...)
	s.Stop()
	if said, err := s.Imports("ada@example.org", file); err != nil {
		t.Fatal(err, said)
	}
	s.Boot()
	before := indexNumber(s, "public")
	ctx, stop := context.WithCancel(t.Context())
	var searching sync.WaitGroup
	for range 2 {
		searching.Go(func() {
			for i := 1; ctx.Err() == nil; i++ {
				if word := fmt.Sprintf("unique%dx", i%9+1); s.Anon.Find(word) == "" {
					t.Errorf("%s is not found during the rebuild", word)
				}
			}
		})
	}
	for range 3 {
		if out, err := exec.Command("alcove", "index", "rebuild", "--data", s.Cfg.Data).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	stop()
	searching.Wait()
	out, err := exec.Command("alcove", "index", "status", "--data", s.Cfg.Data, "--json").Output()
	var list []struct {
		Index, State             string
		Documents, Position, Lag int64
		Bytes                    int64
	}
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil || len(list) != 2 {
		t.Fatal(err, string(out))
	}
	for i, want := range []struct {
		name      string
		documents int64
	}{{"public", 450}, {"private", 500}} {
		r := list[i]
		if r.Index != want.name || r.State != "live" || r.Documents != want.documents || r.Lag != 0 || r.Position == 0 || r.Bytes == 0 {
			t.Errorf("%+v", r)
		}
	}
	// Each build has a number; one that failed, as the log says, and was begun again has one, too.
	failed := 0
	for _, line := range strings.Split(s.Logs.String(), "\n") {
		if strings.Contains(line, "index=public") && (strings.Contains(line, "failed and is built again") || strings.Contains(line, "cannot be built again yet")) {
			failed++
		}
	}
	if more := indexNumber(s, "public") - before - 3; more < 0 || more > failed {
		t.Errorf("three rebuilds led from number %d to %d, after %d failures\n%s", before, before+3+more, failed, s.Logs)
	}
}

// indexNumber is the number of a search index, of which there is one alone.
func indexNumber(s *world.Server, name string) (n int) {
	s.T.Helper()
	found, err := filepath.Glob(filepath.Join(s.Cfg.Data, "index", name+"-*"))
	if err != nil || len(found) != 1 {
		s.T.Fatalf("the indexes are %v, %v", found, err)
	}
	return int(world.LastNumber(s.T, strings.Replace(found[0], name+"-", "/", 1)))
}
