package load

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var (
	archiveFiles = flag.Int("archive-files", 200, "how many files the archive of TestLargeArchive has")
	archiveSize  = flag.Int64("archive-size", 48<<20, "about how many bytes they have together")
)

// manyFiles makes a data directory with one public item of many files, the bytes of which are few
// different ones, so that it is made quickly.
func manyFiles(p *world.Process, files int, bytes int64) {
	p.T.Helper()
	data := filepath.Join(p.Dir, "data")
	run := func(args ...string) {
		p.T.Helper()
		if err := world.RunTool(p.T, p.Dir, "alcove", args...); err != nil {
			p.T.Fatal(err)
		}
	}
	run("init", "--data", data, "--config", data+".toml")
	run("account", "add", "--data", data, "--email", "ada@example.org", "--first-name", "Ada", "--last-name", "Lovelace")
	const kinds = 7
	for i := range kinds {
		disk.WriteFile(p.T, filepath.Join(p.Dir, fmt.Sprint("kind", i)), disk.Random(int(bytes/int64(files))+i*1000, uint64(i+1)))
	}
	var list []string
	for i := range files {
		list = append(list, fmt.Sprintf(`{"path": "kind%d", "folder_path": "folder %d/deeper %d"}`, i%kinds, i%100, i/kinds))
	}
	line := `{"key": "1", "title": "Many files", "authors": [{"name": "A B"}], "publish": true, "files": [` + strings.Join(list, ", ") + "]}\n"
	disk.WriteFile(p.T, filepath.Join(p.Dir, "items.jsonl"), []byte(line))
	run("import", "--data", data, "--account", "1", "--account-quota", "1TiB", "items.jsonl")
}

// digest is the SHA-256 of what an address answers, and how many bytes that is.
func digest(p *world.Process, url string) (sum string, size int64) {
	p.T.Helper()
	res, err := http.Get(url)
	if err != nil {
		p.T.Fatal(err)
	}
	defer res.Body.Close()
	h := sha256.New()
	if size, err = io.Copy(h, res.Body); err != nil || res.StatusCode != 200 || size != res.ContentLength {
		p.T.Fatalf("%s: %d, %d of %d bytes, %v", url, res.StatusCode, size, res.ContentLength, err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), size
}

// Everything of an item with very many files and bytes, broken off at 37 % and continued with
// curl -C -, is what comes in one go; twice the same; whole to unzip; and the server keeps none of
// it in memory. make soak-archive does it with 10,000 files and 5 GiB.
func TestLargeArchive(t *testing.T) {
	t.Parallel()
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	manyFiles(p, *archiveFiles, *archiveSize)
	p.Start()
	defer p.Kill()
	p.Want(200, "GET", p.URL+"/v2/articles/1", "", "")
	p.Sample()
	before := p.Peak.Load()

	const path = "/v2/articles/1/download"
	one, size := digest(p, p.URL+path)
	s := &world.Server{T: t, URL: p.URL}
	if err := world.RunTool(t, p.Dir, "curl", "-sS", "-o", "broken", s.Breaking(int(size*37/100))+path); err == nil {
		t.Error("nothing broke off")
	}
	p.Sample()
	broken := filepath.Join(p.Dir, "broken")
	info, err := os.Stat(broken)
	if err != nil || info.Size() == 0 || info.Size() >= size {
		t.Fatalf("%v before it broke off, %v", info, err)
	}
	if err := world.RunTool(t, p.Dir, "curl", "-sSf", "-C", "-", "-o", "broken", p.URL+path); err != nil {
		t.Fatal(err)
	}
	p.Sample()
	f, err := os.Open(broken)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil || fmt.Sprintf("%x", h.Sum(nil)) != one {
		t.Errorf("what was continued is not what comes in one go: %v", err)
	}
	if again, _ := digest(p, p.URL+path); again != one {
		t.Error("the second time it is another archive")
	}
	p.Sample()
	grown := p.Peak.Load() - before
	t.Logf("%d files, %d bytes, broken off after %d; RssAnon grew by %d KiB", *archiveFiles, size, info.Size(), grown)
	if grown > 32<<10 {
		t.Errorf("the server's memory grew by %d KiB", grown)
	}
	if _, err := exec.LookPath("unzip"); err != nil {
		t.Log("unzip is not installed")
	} else if err := world.RunTool(t, p.Dir, "unzip", "-tqq", "broken"); err != nil {
		t.Error(err)
	}
}
