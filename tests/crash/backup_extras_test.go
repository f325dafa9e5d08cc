package crash

import (
	"bytes"
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket/users"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A backup has the pictures of profiles and the reports; a restore gives both byte for byte, and
// takes no backup for whole in which a byte of them is another.
func TestBackupPicturesAndReports(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	user := s.Ada.UserID()
	s.Ada.Form(fmt.Sprintf("/v2/account/profile/%d/picture", user), "profile_picture", string(disk.Picture(300, 200, color.NRGBA{20, 130, 30, 255}))).Is(200)
	s.Ada.Article(`{"title": "In the report", "authors": [{"name": "Grace Hopper"}], "tags": ["=1+1"]}`)
	s.Ada.Published("Public")
	made := s.Ada.Send("POST", world.ExportAt, "").Is(200).Object()
	report := strings.TrimPrefix(made["download_url"].(string), s.URL)
	shown := []string{fmt.Sprintf("/v2/profiles/%d/picture", user), report}
	var before []*world.Reply
	for _, path := range shown {
		before = append(before, s.Ada.Get(path).Is(200))
	}
	stored := string(world.RecordLines(s, users.Pictures, nil))
	stored = stored[strings.Index(stored, `"png":"`)+len(`"png":"`):][:64]

	dest := filepath.Join(t.TempDir(), "backups")
	r := s.BackedUp(dest)
	dir, _, _ := restoreOf(s, dest, r.Snapshot)
	other := servedAt(s, dir)
	for i, path := range shown {
		got := other.Ada.Get(path).Is(200)
		if !bytes.Equal(got.Bytes, before[i].Bytes) || got.Header.Get("Content-Type") != before[i].Header.Get("Content-Type") {
			t.Errorf("%s is another after the restore:\n%q\n%q", path, got.Bytes, before[i].Bytes)
		}
		other.Ben.Get(path).Is(404)
	}
	if list := other.Ada.Get(world.ExportAt).Is(200).List(); len(list) != 1 || list[0]["id"] != made["id"] || list[0]["created_date"] != made["created_date"] {
		t.Errorf("the reports are %v, made was %v", list, made)
	}
	other.Ada.Send("POST", world.ExportAt, "").Refuses(429, "once a day")

	// One byte of each is another in the backup's copy.
	for name, text := range map[string]string{"picture": stored, "report": fmt.Sprintf(`"created":"%s"`, made["created_date"])} {
		at, file := -1, ""
		err := filepath.WalkDir(dest, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || at >= 0 {
				return err
			}
			b, err := os.ReadFile(path)
			if i := bytes.Index(b, []byte(text)); i >= 0 {
				at, file = i+len(text)/2, path
			}
			return err
		})
		if err != nil || at < 0 {
			t.Fatalf("the %s is not in the backup: %v", name, err)
		}
		disk.FlipBit(t, file, at)
		if out, _, status := world.AlcoveRun(t, "backup", "verify", dest); status != 1 || !strings.Contains(out, filepath.Base(file)) {
			t.Errorf("verify with another %s: %d: %s", name, status, out)
		}
		harmed := filepath.Join(t.TempDir(), "harmed")
		if out, msg, status := world.AlcoveRun(t, "restore", dest, harmed, "--snapshot", r.Snapshot); status != 1 || !strings.Contains(msg, "cannot restore the database: its SHA-256 is") {
			t.Errorf("a restore with another %s: %d: %s%s", name, status, out, msg)
		}
		if _, _, status := world.AlcoveRun(t, "account", "list", "--data", harmed); status == 0 {
			t.Errorf("what was restored with another %s is taken", name)
		}
		disk.FlipBit(t, file, at)
	}
	if out, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 {
		t.Errorf("with all bytes as they were: %s%s", out, msg)
	}
}
