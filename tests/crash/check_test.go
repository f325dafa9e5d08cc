package crash

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/check"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// alcove check names damage on the disk, with a server that runs and without, and a file that it
// found damaged is not sent any more (security.md K15).
func TestCheckNamesDamage(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Harmed = "files are damaged in many ways"
	const mib = 1 << 20
	bodies := map[string][]byte{"flipped": disk.Random(3*mib+5, 51), "short": disk.Random(2*mib, 52), "missing": disk.Random(1000, 53), "small": disk.Random(2000, 54), "whole": disk.Random(mib, 55)}
	paths := map[string]string{}
	for _, name := range []string{"flipped", "short", "missing", "small", "whole"} {
		paths[name] = s.Ada.PublicFile(name, bodies[name])
	}
	s.Ada.PublicFile("flipped too", bodies["flipped"])
	if r, status := s.Checked(); status != 0 || r.State != "done" || r.Found != 0 || len(r.Problems) != 0 || r.Blobs != 5 || r.Bytes != 6*mib+3005 || r.Records < 20 || r.Ended == nil {
		t.Errorf("of what is whole: status %d, %+v", status, r)
	}
	disk.FlipBit(t, s.Blob(bodies["flipped"]), 2*mib)
	disk.FlipBit(t, s.Blob(bodies["small"]), 1999)
	if err := errors.Join(os.Truncate(s.Blob(bodies["short"]), mib), os.Remove(s.Blob(bodies["missing"]))); err != nil {
		t.Fatal(err)
	}
	want := map[string]struct{ files, reason string }{
		"flipped": {"1 1 flipped, 6 6 flipped too", "its SHA-256 is "}, "small": {"4 4 small", "its SHA-256 is "},
		"short": {"2 2 short", "it has 1048576 bytes and should have 2097152"}, "missing": {"3 3 missing", "it is missing"},
	}
	named := func(what string, r check.Report, status int) {
		t.Helper()
		if status != 1 || r.Found != 4 || len(r.Problems) != 4 || r.State != "done" {
			t.Errorf("%s: status %d, %+v", what, status, r)
		}
		for _, p := range r.Problems {
			var files []string
			for _, f := range p.Files {
				files = append(files, fmt.Sprint(f.File, f.Article, " ", f.Name))
			}
			name, _, _ := strings.Cut(p.Files[0].Name, " ")
			blob := s.Blob(bodies[name])
			if w := want[name]; p.Kind != "blob" || strings.Join(files, ", ") != w.files || p.Uses != len(files) || !strings.Contains(p.Reason, w.reason) ||
				p.SHA256 != filepath.Base(filepath.Dir(blob))+filepath.Base(blob) {
				t.Errorf("%s: %+v, want %+v", what, p, w)
			}
		}
	}
	r, status := s.Checked("--rate", "1000")
	named("while a server runs", r, status)
	for name, path := range paths {
		status, got, err := world.Download(t, world.NoRedirects, s.URL+path, "")
		if name == "whole" && (status != 200 || !bytes.Equal(got, bodies[name])) || name != "whole" && status != 500 || err != nil {
			t.Errorf("%s afterwards: %d, %v", name, status, err)
		}
	}
	s.Stop()
	r, status = s.Checked()
	named("without a server", r, status)
	out, err := exec.Command("alcove", "check", "--data", s.Cfg.Data).CombinedOutput()
	words := strings.Join(strings.Fields(string(out)), " ")
	for _, line := range []string{"bytes of file - 1 1 ", "bytes of file - 6 6 ", "it is missing", "alcove check: 4 damaged", "5 different files of"} {
		if err == nil || !strings.Contains(words, line) {
			t.Errorf("alcove check does not say %q: %v\n%s", line, err, out)
		}
	}
	for _, data := range bodies {
		disk.WriteFile(t, s.Blob(data), data)
	}
	if r, status := s.Checked(); status != 0 || r.Found != 0 {
		t.Errorf("after the repair: %d, %+v", status, r)
	}
	s.Boot()
	for name, path := range paths {
		if r := s.Anon.Get(path).Is(200); !bytes.Equal(r.Bytes, bodies[name]) {
			t.Errorf("%s has other bytes after the repair", name)
		}
	}

	// Sums that the records tell and the bytes do not have.
	s.Alter(func(tx *bucket.Tx) error {
		f, err := files.Files.Get(tx, 5)
		if err != nil {
			return err
		}
		f.MD5 = strings.Repeat("0", 32)
		return files.Files.Put(tx, 5, f)
	})
	if r, status := s.Checked(); status != 1 || r.Found != 2 || r.Problems[0].Kind != "reference" || !strings.Contains(r.Problems[1].Reason, "recorded is 00000000") {
		t.Errorf("of another MD5: %d, %+v", status, r)
	}
}

// A record whose bytes changed in the database is named by its table and id.
func TestCheckNamesRecords(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.Published("A title that is found")
	s.Ada.Published("Another title")
	s.Stop()
	path := filepath.Join(s.Cfg.Data, bucket.FileName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The title stands in records, their older copies on pages that are free, the log, documents.
	changed := bytes.ReplaceAll(b, []byte("A title that is found"), []byte("A title that is fOund"))
	disk.WriteFile(t, path, changed)
	r, status := s.Checked()
	found := map[string]bool{}
	for _, p := range r.Problems {
		found[p.Kind+" "+p.Table+" "+p.Key] = true
		if p.Reason == "" || strings.Contains(p.Key, "2") && p.Table != "log" {
			t.Errorf("%+v", p)
		}
	}
	for _, want := range []string{"record articles 1", "record article_versions 1/1"} {
		if status != 1 || !found[want] {
			t.Errorf("%s is not named: %d, %+v", want, status, r)
		}
	}
	disk.WriteFile(t, path, b)
	if r, status := s.Checked(); status != 0 || r.Found != 0 || r.Records == 0 {
		t.Errorf("as it was: %d, %+v", status, r)
	}
	s.Boot()
}

// A check that is impossible is an error, and makes nothing.
func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "none")
	for _, args := range [][]string{{"--data", dir}, {"--data", t.TempDir(), "--rate", "-1"}, {"--rate", "x"}, {"more"}} {
		out, err := exec.Command("alcove", append([]string{"check"}, args...)...).CombinedOutput()
		if err == nil || !strings.HasPrefix(string(out), "alcove check: ") {
			t.Errorf("%q: %v: %s", args, err, out)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the data directory was made")
	}
}
