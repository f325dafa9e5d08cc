package load

import (
	"bytes"
	"crypto/md5"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// survey is a folder of nested files: one of several parts, names in letters of many alphabets and in both of their
// forms, an empty file, equal ones, a link, and what systems leave behind.
func survey(t *testing.T) (dir string, sums map[string]string) {
	t.Helper()
	dir, sums = filepath.Join(t.TempDir(), "survey"), map[string]string{}
	write := func(name string, text []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		disk.WriteFile(t, path, text)
		sums[name] = fmt.Sprintf("%x", md5.Sum(text))
	}
	write("big.bin", bytes.Repeat([]byte("0123456789abcde\n"), 25<<16))
	write("empty", nil)
	write("same/a.txt", []byte("same"))
	write("same/b.txt", []byte("same"))
	write("too/a.txt", []byte("same"))
	write("\u00fc/Ma\u00df.csv", []byte("composed"))
	write("u\u0308/Ma\u00df.csv", []byte("decomposed"))
	write("日本語/データ 1.txt", []byte("x"))
	for i := range 20 {
		write(fmt.Sprintf("runs/%d/%d/reading %d.csv", i%3, i%2, i), bytes.Repeat([]byte{byte(i)}, 100*i+1))
	}
	if err := os.Symlink("same/a.txt", filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	sums["link.txt"] = sums["same/a.txt"]
	write(".git/config", []byte("x"))
	write("same/Thumbs.db", []byte("x"))
	delete(sums, ".git/config")
	delete(sums, "same/Thumbs.db")
	return dir, sums
}

// filesOf are the files that the owner sees of an article: their ids by their paths, each with its md5.
func filesOf(s *world.Server, article int64) (ids map[string]float64, sums map[string]string) {
	s.T.Helper()
	ids, sums = map[string]float64{}, map[string]string{}
	for _, f := range s.Ada.Get(fmt.Sprintf("/v2/account/articles/%d/files?page_size=1000", article)).Is(200).List() {
		folder, _ := f["folder_path"].(string)
		at := strings.TrimPrefix(folder+"/"+f["name"].(string), "/")
		if ids[at] != 0 {
			s.T.Errorf("%s is there twice", at)
		}
		ids[at] = f["id"].(float64)
		sums[at], _ = f["computed_md5"].(string)
	}
	return ids, sums
}

// held stands between the tool and the server, and keeps the nth call that completes an upload until its client is gone.
func held(s *world.Server, n int64) (address string, arrived <-chan bool) {
	s.T.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		s.T.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	var completed atomic.Int64
	at := make(chan bool, 1)
	complete := regexp.MustCompile(`/files/\d+$`)
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "POST" && complete.MatchString(r.URL.Path) && completed.Add(1) == n {
			at <- true
			<-r.Context().Done()
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	s.T.Cleanup(between.Close)
	return between.URL, at
}

// One command deposits a folder with an embargo and a licence. Interrupted, the same command sends what is missing;
// again, it does nothing. A new version takes what changed in the folder, and keeps what is equal.
func TestFolder(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	dir, sums := survey(t)
	token := filepath.Join(t.TempDir(), "token")
	disk.WriteFile(t, token, []byte(s.Ada.Token+"\n"))
	address, arrived := held(s, 9)
	args := []string{"deposit", dir, "--to", address, "--token-file", token, "--title", "A survey", "--description", "All of it.", "--license", "cc-by-4.0",
		"--author", "Mary Example 0000-0002-1825-0097", "--category", "51", "--keyword", "kettle", "--embargo-until", "2127-01-01", "--publish", "--accept-warnings"} // two names differ in their letters' form alone
	first := exec.Command("alcove", args...)
	var said bytes.Buffer
	first.Stderr = &said
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	<-arrived
	if err := first.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil || !strings.Contains(said.String(), "The same command goes on from here") || strings.ContainsAny(said.String(), "\r\x1b") {
		t.Fatal(err, said.String())
	}
	for _, left := range []string{"left out: .git (of git)", "left out: same/Thumbs.db (of Windows)"} {
		if !strings.Contains(said.String(), left) {
			t.Errorf("it does not say %q: %s", left, said.String())
		}
	}
	s.Anon.Get("/v2/articles/1").Is(404)
	before, _ := filesOf(s, 1)
	if len(before) < 8 || len(before) >= len(sums) {
		t.Fatalf("%d files", len(before))
	}
	out, msg, status := world.AlcoveRun(t, append(args, "--json")...)
	var report struct {
		Items []struct {
			Article int64
			State   string
			Files   int
			Sent    []string
			Kept    int
			Removed []string
			Nothing bool `json:"nothing_to_do"`
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || status != 0 || len(report.Items) != 1 {
		t.Fatal(err, out, msg)
	}
	if r := report.Items[0]; r.Article != 1 || r.State != "public" || r.Files != len(sums) || len(r.Sent)+r.Kept != len(sums) || r.Kept < 5 ||
		!strings.Contains(msg, "It is public, and its files are withheld until 2127-01-01.") {
		t.Errorf("%+v\n%s", r, msg)
	}
	after, got := filesOf(s, 1)
	if fmt.Sprint(got) != fmt.Sprint(sums) {
		t.Errorf("%v, want %v", got, sums)
	}
	for at, id := range before {
		if after[at] != id {
			t.Errorf("%s was sent twice", at)
		}
	}
	item := s.Anon.Get("/v2/articles/1").Is(200).Object()
	if item["embargo_type"] != "file" || len(item["files"].([]any)) != 0 || item["license"].(map[string]any)["value"] != 1.0 || item["version"] != 1.0 {
		t.Errorf("%v", item)
	}
	if _, msg, status := world.AlcoveRun(t, args...); status != 0 || !strings.Contains(msg, fmt.Sprintf("Nothing to do: article 1 has all %d files.", len(sums))) {
		t.Error(status, msg)
	}
	newVersion(t, s, dir, sums, args)
}

// newVersion changes the folder of article 1, and has a new version made of it.
func newVersion(t *testing.T, s *world.Server, dir string, sums map[string]string, args []string) {
	t.Helper()
	before, _ := filesOf(s, 1)
	disk.WriteFile(t, filepath.Join(dir, "same/a.txt"), []byte("other")) // and with it link.txt
	disk.WriteFile(t, filepath.Join(dir, "new.txt"), []byte("new"))
	if err := os.Remove(filepath.Join(dir, "empty")); err != nil {
		t.Fatal(err)
	}
	sums["same/a.txt"], sums["new.txt"] = fmt.Sprintf("%x", md5.Sum([]byte("other"))), fmt.Sprintf("%x", md5.Sum([]byte("new")))
	sums["link.txt"] = sums["same/a.txt"]
	delete(sums, "empty")
	if _, msg, status := world.AlcoveRun(t, args...); status != 1 || !strings.Contains(msg, "1 file new; 2 files changed; 1 file gone") || !strings.Contains(msg, "with --new-version 1") {
		t.Error(status, msg)
	}
	args = append(args, "--new-version", "1")
	if out, msg, status := world.AlcoveRun(t, append(args, "--dry-run")...); status != 0 || !strings.Contains(out, "would be sent: new.txt (3 B)") || !strings.Contains(out, "to be removed: empty") {
		t.Error(status, out, msg)
	}
	if now, _ := filesOf(s, 1); fmt.Sprint(now) != fmt.Sprint(before) {
		t.Errorf("a dry run changed the files: %v", now)
	}
	if _, msg, status := world.AlcoveRun(t, args...); status != 0 || !strings.Contains(msg, "  to be removed: empty\n") {
		t.Error(status, msg)
	}
	after, got := filesOf(s, 1)
	if fmt.Sprint(got) != fmt.Sprint(sums) {
		t.Errorf("%v, want %v", got, sums)
	}
	kept := 0
	for at, id := range after {
		if before[at] == id {
			kept++
		}
	}
	if kept != len(sums)-3 || s.Anon.Get("/v2/articles/1").Is(200).Object()["version"] != 2.0 {
		t.Errorf("%d of %d files were kept", kept, len(sums))
	}
	if _, msg, status := world.AlcoveRun(t, args...); status != 0 || !strings.Contains(msg, "Nothing to do") {
		t.Error(status, msg)
	}
}
