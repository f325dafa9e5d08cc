package pages

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/tests/world"
)

// The lines for scripts on the page of an item download its files, each into its folder.
func TestScriptsOfPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Three files", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	files := map[string]string{"a b.csv": "", "raw/ü.csv": "raw", "raw/2024/c.csv": "raw/2024"}
	for path, folder := range files {
		file, upload := s.Ada.BeginAs(made, fmt.Sprintf(`{"name": %q, "size": 5, "folder_path": %q}`, filepath.Base(path), folder))
		s.Ada.Do("PUT", upload+"/1", strings.NewReader("hello")).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		s.Ada.Until(file, "available")
	}
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	text := page(t, s.Anon, pageOf(s, world.LastNumber(t, made)), 200)
	run := func(name, program string, args ...string) string {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("there is no %s here", program)
			return ""
		}
		found := regexp.MustCompile(`(?s)<code id="script-` + name + `">(.*?)</code>`).FindStringSubmatch(text)
		if found == nil {
			t.Fatalf("no lines for %s", name)
		}
		cmd := exec.CommandContext(t.Context(), program, append(args, html.UnescapeString(found[1]))...)
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return cmd.Dir
	}
	for name, program := range map[string][]string{"python": {"python3", "-c"}, "r": {"Rscript", "-e"}} {
		dir := run(name, program[0], program[1])
		if dir == "" {
			continue
		}
		for path := range files {
			if b, err := os.ReadFile(filepath.Join(dir, path)); err != nil || string(b) != "hello" {
				t.Errorf("%s: %q, %v", name, b, err)
			}
		}
	}
	if out, err := exec.CommandContext(t.Context(), "unzip", "-tq", filepath.Join(run("curl", "sh", "-c"), "files.zip")).CombinedOutput(); err != nil {
		t.Errorf("unzip: %v\n%s", err, out)
	}
	_, one := published(s, `{"title": "One file", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`, "only.csv")
	text = page(t, s.Anon, one, 200)
	if dir := run("curl", "sh", "-c"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "only.csv")); err != nil {
			t.Error(err)
		}
	}
	_, none := published(s, `{"title": "No file", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	lacks(t, page(t, s.Anon, none, 200), "For your script")
}

// A version says what it has otherwise than the one before.
func TestChangesOfVersion(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id, at := published(s, `{"title": "Rainfall", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`, "old.csv", "same.csv")
	lacks(t, page(t, s.Anon, at, 200), "What changed")
	made := fmt.Sprintf("/v2/account/articles/%d", id)
	s.Ada.Send("PATCH", made, `{"description": "More"}`).Is(205)
	for _, f := range s.Ada.Get(made + "/files").Is(200).List() {
		if f["name"] == "old.csv" {
			s.Ada.Do("DELETE", fmt.Sprintf("%s/files/%d", made, int64(f["id"].(float64))), nil).Is(204)
		}
	}
	s.Ada.Upload(made, "new.csv", []byte("a,b\n"))
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	s.Ada.Send("PATCH", made, `{"title": "Rainfall again"}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	now := pageOf(s, id)
	holds(t, page(t, s.Anon, now, 200), `href="`+now+`?changes=1#changes"`)
	last := page(t, s.Anon, now+"?changes=1", 200)
	holds(t, last, "Changed since version 2", "<li>Changed: Title</li>", "noindex")
	lacks(t, last, "Added:", "Changed: About")
	second := page(t, s.Anon, at+"/2?changes=1", 200)
	holds(t, second, "Changed since version 1", "<li>Changed: About</li>", "<li>Added: new.csv</li>", "<li>Removed: old.csv</li>")
	lacks(t, second, "same.csv</li>", "Changed: Title")
	lacks(t, page(t, s.Anon, at+"/1?changes=1", 200), "Changed since")
}
