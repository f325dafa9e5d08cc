package files

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// Downloads that broke off go on with the usual programs, and pieces that were fetched side by
// side make the whole: of a file and of an archive.
func TestDownloadResumes(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	data := disk.Random(6<<20, 43)
	path := s.Ada.PublicFile("data.bin", data)
	for what, path := range map[string]string{"file": path, "archive": "/v2/articles/1/download"} {
		whole := s.Anon.Get(path).Is(200).Bytes
		dir, url := t.TempDir(), s.URL+path
		same := func(name string) {
			t.Helper()
			if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, whole) {
				t.Errorf("%s: %s has %d other bytes of %d, %v", what, name, len(got), len(whole), err)
			}
		}
		if err := world.RunTool(t, dir, "curl", "-sS", "-o", "broken", s.Breaking(len(whole)*37/100)+path); err == nil {
			t.Errorf("%s: nothing broke off", what)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "broken")); err != nil || len(got) == 0 || len(got) == len(whole) {
			t.Errorf("%s: %d of %d bytes before it broke off, %v", what, len(got), len(whole), err)
		}
		if err := world.RunTool(t, dir, "curl", "-sSf", "-C", "-", "-o", "broken", url); err != nil {
			t.Error(err)
		}
		same("broken")

		pieces := []string{"-sSf", "--parallel"}
		var joined []byte
		const count = 7
		size := len(whole)/count + 1
		for i := range count {
			pieces = append(pieces, "-r", fmt.Sprintf("%d-%d", i*size, (i+1)*size-1), "-o", fmt.Sprint("piece", i), url)
			if i < count-1 {
				pieces = append(pieces, "--next")
			}
		}
		if err := world.RunTool(t, dir, "curl", pieces...); err != nil {
			t.Error(err)
		}
		for i := range count {
			b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("piece", i)))
			if err != nil {
				t.Error(err)
			}
			joined = append(joined, b...)
		}
		disk.WriteFile(t, filepath.Join(dir, "joined"), joined)
		same("joined")

		if _, err := exec.LookPath("wget"); err != nil {
			t.Log("wget is not installed")
			continue
		}
		disk.WriteFile(t, filepath.Join(dir, "got"), whole[:len(whole)*37/100])
		if err := world.RunTool(t, dir, "wget", "-q", "-c", "-O", "got", url); err != nil {
			t.Error(err)
		}
		same("got")
	}
}
