package pages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A program that follows links gets every file of an item with its folder: wget does.
func TestFoldersCrawled(t *testing.T) {
	t.Parallel()
	wget, err := exec.LookPath("wget")
	if err != nil {
		t.Fatal("wget is not installed; make tools installs it")
	}
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Folders & <b>files</b>", "authors": [{"name": "Ada Lovelace"}]}`)
	want := map[string]string{}
	add := func(folder, name, text string) {
		t.Helper()
		file, upload := s.Ada.BeginAs(made, fmt.Sprintf(`{"name": %q, "size": %d, "folder_path": %q}`, name, len(text), folder))
		s.Ada.Do("PUT", upload+"/1", strings.NewReader(text)).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		s.Ada.Until(file, "available")
		want[filepath.Join(folder, name)] = text
	}
	add("", "one.csv", "1")
	add("raw", "two words.csv", "2")
	add("raw/deep", "100%? #1; ä:b.txt", "3")
	add("raw", "one.csv", "4")
	add("raw/<i>", "a&b", "5")
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at := pageOf(s, world.LastNumber(t, made)) + "/files/"

	dir := t.TempDir()
	run := exec.Command(wget, "-r", "-np", "-nH", "--no-verbose", "--restrict-file-names=nocontrol", "--cut-dirs="+fmt.Sprint(strings.Count(at, "/")-1), "-P", dir, s.URL+at)
	if said, err := run.CombinedOutput(); err != nil {
		t.Fatalf("wget: %v\n%s", err, said)
	}
	got := map[string]string{}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "index.html" || d.Name() == "robots.txt" {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		got[name] = string(b)
		return err
	})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("wget got %q, %v, want %q", got, err, want)
	}

	// Other addresses.
	r := s.Anon.Get(at + "raw/one.csv").Is(200)
	if string(r.Bytes) != "4" || !strings.Contains(r.Header.Get("Content-Disposition"), "one.csv") {
		t.Errorf("the file is %q, %v", r.Bytes, r.Header)
	}
	s.Anon.Get(strings.Replace(at, "Folders", "x", 1) + "raw").Is(302)
	s.Anon.Get(strings.TrimSuffix(at, "files/") + "1/files/raw/one.csv").Is(200)
	for _, none := range []string{"raw/none", "none/", "raw/one.csv/", "raw/%00", "?from=x", "../files/raw/none", "raw/one.csv?file=1"} {
		s.Anon.Get(at+none).Refuses(404, "")
	}
	for _, none := range []string{"2/files/raw", "0/files", "x/files", "1/filesx/raw", "1/raw"} {
		s.Anon.Get(strings.TrimSuffix(at, "files/")+none).Refuses(404, "")
	}
}

// Files of one name in a folder have an address each, and files that are withheld none.
func TestFoldersWithhold(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Twice", "authors": [{"name": "Ada Lovelace"}]}`)
	first, second := s.Ada.Upload(made, "same.csv", []byte("1")), s.Ada.Upload(made, "same.csv", []byte("2"))
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at := pageOf(s, world.LastNumber(t, made)) + "/files"
	text := string(s.Anon.Get(at).Is(200).Bytes)
	holds(t, text, `href="`+at+`/same.csv"`, fmt.Sprintf(`href="%s/same.csv?file=%d"`, at, world.LastNumber(t, second)))
	for i, to := range []string{"/same.csv", fmt.Sprintf("/same.csv?file=%d", world.LastNumber(t, second)), fmt.Sprintf("/same.csv?file=%d", world.LastNumber(t, first))} {
		if got := string(s.Anon.Get(at + to).Is(200).Bytes); got != []string{"1", "2", "1"}[i] {
			t.Errorf("%s is %q", to, got)
		}
	}
	s.Ada.Send("PATCH", made, `{"download_disabled": true}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	text = string(s.Anon.Get(at).Is(200).Bytes)
	holds(t, text, "same.csv")
	lacks(t, text, `/same.csv"`, "file=")
	s.Anon.Get(at+"/same.csv").Refuses(403, "")
	s.Ada.Send("PUT", made+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-05-04", "embargo_title": "Wait", "embargo_reason": "Later"}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	lacks(t, string(s.Anon.Get(at).Is(200).Bytes), "same.csv")
	s.Anon.Get(at+"/same.csv").Refuses(404, "")
}
