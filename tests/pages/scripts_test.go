package pages

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/tests/world"
)

// The lines for scripts on the page of an item download its files into a folder named by item and version, under the names of
// its archive. File names are text for a shell, for Python and for R, and leave no folder. A program that is not installed
// is skipped with a message.
func TestScriptsOfPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	type file struct{ folder, name, at string }
	for _, c := range []struct {
		title string
		files []file
	}{
		{"One file", []file{{"", "only.csv", "only.csv"}}},
		{"Three files", []file{{"", "a b.csv", "a b.csv"}, {"raw", "ü.csv", "raw/ü.csv"}, {"raw/2024", "c.csv", "raw/2024/c.csv"}}},
		{"Commands", []file{{"", "$(touch hit)`touch hit`';touch hit;'\";touch hit;\".csv", "$(touch hit)`touch hit`';touch hit;'\";touch hit;\".csv"}}},
		{"Code", []file{{"", `")` + "\n" + `open("hit", "w") #\U00000022é`, `")_open("hit", "w") #_U00000022é`}}},
		{"Hidden and alike", []file{{"", ".curlrc", ".curlrc"}, {"", "-rf", "-rf"}, {"a", "b", "a/b"}, {"", "a", "a (1)"}, {"", "%s%n 'x' \"y\" $HOME", "%s%n 'x' \"y\" $HOME"}}},
		{"Outside, one", []file{{"x", "../../../hit", "x/__/__/__/hit"}}},
		{"Outside, two", []file{{"", "../../x", "__/__/x"}, {"", "/../hit", "__/hit"}, {"C:", "..\\..\\hit", "C_/.._.._hit"}, {"", "..", "__ (1)"}}},
	} {
		body, _ := json.Marshal(map[string]any{"title": c.title, "defined_type": "dataset", "authors": []any{map[string]string{"name": "Ada Lovelace"}}})
		made := s.Ada.Article(string(body))
		for _, f := range c.files {
			body, _ := json.Marshal(map[string]any{"name": f.name, "size": 5, "folder_path": f.folder})
			r := s.Ada.Send("POST", made+"/files", string(body))
			if r.StatusCode != 201 {
				t.Fatalf("%s: %q in %q: %s", c.title, f.name, f.folder, r.Bytes)
			}
			at := strings.TrimPrefix(r.Header.Get("Location"), s.URL)
			s.Anon.Do("PUT", s.Ada.Get(at).Is(200).Object()["upload_url"].(string)+"/1", strings.NewReader("hello")).Is(200)
			s.Ada.Do("POST", at, nil).Is(202)
			s.Ada.Until(at, "available")
		}
		s.Ada.Do("POST", made+"/publish", nil).Is(201)
		id := world.LastNumber(t, made)
		text := page(t, s.Anon, pageOf(s, id), 200)
		folder := fmt.Sprintf("article-%d-v1", id)
		for _, l := range [][]string{{"curl", "bash", "-c"}, {"python", "python3", "-c"}, {"r", "Rscript", "-e"}} {
			found := regexp.MustCompile(`(?s)<code id="script-` + l[0] + `">(.*?)</code>`).FindStringSubmatch(text)
			if found == nil {
				t.Fatalf("%s: no lines for %s", c.title, l[0])
			}
			if _, err := exec.LookPath(l[1]); err != nil {
				t.Logf("skipped for %s, which is not installed: the lines for %s", c.title, l[0])
				continue
			}
			top := t.TempDir()
			work := filepath.Join(top, "one", "two", "three")
			if err := os.MkdirAll(work, 0o700); err != nil {
				t.Fatal(err)
			}
			run := func(program string, args ...string) {
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir, cmd.Env = work, append(os.Environ(), "LC_ALL=C.UTF-8")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s, %s: %v\n%s", c.title, l[0], err, out)
				}
			}
			run(l[1], l[2], html.UnescapeString(found[1]))
			if archive := filepath.Join(work, folder+".zip"); len(c.files) > 1 && l[0] == "curl" {
				run("python3", "-c", "import sys, zipfile\nzipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])", archive, filepath.Join(work, folder))
			}
			var got, want []string
			filepath.WalkDir(top, func(at string, d fs.DirEntry, err error) error {
				if rest, _ := filepath.Rel(work, at); err == nil && !d.IsDir() && rest != folder+".zip" {
					got = append(got, rest)
				}
				return err
			})
			for _, f := range c.files {
				want = append(want, filepath.Join(folder, f.at))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: files %q, want %q\n%s", c.title, l[0], got, want, html.UnescapeString(found[1]))
			}
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
