package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	_ "alcove/bucket/tables"
	"alcove/cli/backup"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// answersOf are the answers to some requests: status, ETag, cursor and body.
func answersOf(s *world.Server, requests [][3]string) (list []string) {
	s.T.Helper()
	for _, q := range requests {
		c := map[string]world.Client{"": s.Anon, "ada": s.Ada}[q[0]]
		var r *world.Reply
		if q[2] == "" {
			r = c.Get(q[1])
		} else {
			r = c.Send("POST", q[1], q[2])
		}
		list = append(list, fmt.Sprintf("%s as %q: %d %s %s\n%s", q[1], q[0], r.StatusCode, r.Header.Get("ETag"), r.Header.Get("X-Cursor"), r.Bytes))
	}
	return list
}

// After a restore the same requests get the same answers with the same tags, cursors and tokens
// go on being taken, searches find what they found, thumbnails are made again, and only the owner
// of the process can read the backup and the restored files (security.md M01, E13, K25).
func TestRestoreAnswers(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	for n := range 12 {
		s.Ada.Published(fmt.Sprintf("Glacier %d", n))
	}
	at := s.Ada.Article(`{"title": "With files", "authors": [{"name": "Grace Hopper"}], "description": "ice cores"}`)
	file := s.Ada.Upload(at, "large.bin", disk.Random(3<<20, 7))
	s.Ada.Previews(s.Ada.Upload(at, "picture.png", disk.Picture(900, 500, color.NRGBA{200, 10, 10, 255})), "preview_available")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Article(`{"title": "Glacier draft"}`)
	open := s.Ada.Article(`{"title": "An upload under way"}`)
	half, uploadAt := s.Ada.Begin(open, "half.bin", disk.Random(100, 8))
	lastPart := uploadAt + "/1"
	s.Anon.Do("PUT", lastPart, bytes.NewReader(disk.Random(100, 8))).Is(200)
	id := world.LastNumber(t, at)
	requests := [][3]string{
		{"", "/v2/articles?page_size=5", ""}, {"", "/v2/articles?page=2&page_size=5", ""}, {"", fmt.Sprint("/v2/articles/", id), ""},
		{"", fmt.Sprint("/v2/articles/", id, "/files"), ""}, {"", fmt.Sprint("/v2/articles/", id, "/versions"), ""}, {"", fmt.Sprint("/files/", world.LastNumber(t, file)), ""},
		{"ada", "/v2/account/articles", ""}, {"ada", at, ""}, {"ada", "/v2/account", ""}, {"", at, ""},
		{"", "/v2/articles/search", `{"search_for": "glacier", "page_size": 5}`}, {"", "/v2/articles/search", `{"search_for": "ice cores"}`},
		{"ada", "/v2/account/articles/search", `{"search_for": "glacier"}`},
	}
	cursor := s.Anon.Get("/v2/articles?page_size=5").Is(200).Header.Get("X-Cursor")
	before := answersOf(s, requests)
	followed := s.Anon.Get("/v2/articles?page_size=5", "X-Cursor", cursor).Is(200)

	dest := filepath.Join(t.TempDir(), "made", "backups")
	r := s.BackedUp(dest)
	if r.Copied != 2 || r.MissingCount != 0 {
		t.Errorf("%+v", r)
	}
	address := strings.TrimPrefix(s.URL, "http://")
	s.Stop()
	other := restored(s, dest, r.Snapshot, func(c *config.Config) { c.Listen, c.SweepGrace = address, 50*time.Millisecond })
	defer other.Stop()
	for i, got := range answersOf(other, requests) {
		if got != before[i] {
			t.Errorf("after the restore %s\nbefore it %s", got, before[i])
		}
	}
	if got := other.Anon.Get("/v2/articles?page_size=5", "X-Cursor", cursor).Is(200); !bytes.Equal(got.Bytes, followed.Bytes) {
		t.Error("a cursor of before leads elsewhere")
	}
	// The bytes of an upload under way are in no backup: it has ended, and its file is uploaded again.
	if f := other.Ada.Get(half).Is(200).Object(); f["status"] != "ic_failed" || f["upload_url"] != nil {
		t.Errorf("an upload whose bytes are gone is %+v", f)
	}
	if r := other.Anon.Do("PUT", lastPart, bytes.NewReader(disk.Random(100, 8))); r.StatusCode < 400 {
		t.Errorf("its address takes a part: %d", r.StatusCode)
	}
	other.Ada.Do("DELETE", half, nil).Is(204)
	other.Ada.Upload(open, "half.bin", disk.Random(100, 8))
	for _, top := range []string{dest, other.Cfg.Data} {
		mustBePrivate(t, top)
	}
	var list []backup.Listed
	out, _, _ := world.AlcoveRun(t, "backup", "list", dest, "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 || !list[0].Complete || list[0].Blobs != 2 {
		t.Errorf("%v: %s", err, out)
	}
}

func mustBePrivate(t *testing.T, top string) {
	t.Helper()
	err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it went meanwhile
		}
		if info, err := d.Info(); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A backup names damaged files of the repository and has all the rest; verify names damaged files
// of a backup, and no restore takes it for whole.
func TestBackupNamesDamage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	bodies := map[string][]byte{"whole": disk.Random(300_000, 61), "flipped": disk.Random(200_000, 62), "missing": disk.Random(100_000, 63)}
	paths := map[string]string{}
	for _, name := range []string{"whole", "flipped", "missing"} {
		paths[name] = s.Ada.PublicFile(name, bodies[name])
	}
	disk.FlipBit(t, s.Blob(bodies["flipped"]), 1000)
	if err := os.Remove(s.Blob(bodies["missing"])); err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(t.TempDir(), "backups")
	for _, how := range []string{"hot", "cold"} {
		out, msg, status := world.AlcoveRun(t, "backup", "create", dest, "--data", s.Cfg.Data, "--json", "--keep", "1")
		var r backup.Report
		if err := json.Unmarshal([]byte(out), &r); err != nil || status != 1 || r.Snapshot == "" || r.MissingCount != 2 || len(r.Removed) != 0 || !strings.Contains(msg, "complete but for 2 files") {
			t.Fatalf("%s: %d, %v: %s%s", how, status, err, out, msg)
		}
		for _, m := range r.Missing {
			if want := map[string]string{"[2]": "its bytes have another SHA-256", "[3]": "it is missing"}[fmt.Sprint(m.Files)]; m.Reason != want {
				t.Errorf("%s: %+v, want %q", how, m, want)
			}
		}
		if _, msg, status := world.AlcoveRun(t, "backup", "verify", dest); status != 0 || !strings.Contains(msg, "complete but for 2 files") {
			t.Errorf("%s: verify of what is as it was written: %d: %s", how, status, msg)
		}
		if how == "hot" {
			s.Stop()
		}
	}
	dir := filepath.Join(t.TempDir(), "restored")
	if _, msg, status := world.AlcoveRun(t, "restore", dest, dir); status != 1 || !strings.Contains(msg, "2 files are missing or damaged") {
		t.Errorf("a restore of less than all: %d: %s", status, msg)
	}
	if _, msg, status := world.AlcoveRun(t, "account", "list", "--data", dir); status != 1 || !strings.Contains(msg, "did not come to its end") {
		t.Errorf("what is not whole is taken: %d: %s", status, msg)
	}
	if out, msg, status := world.AlcoveRun(t, "restore", dest, dir, "--partial"); status != 0 || strings.Count(out, "it was not there when the backup was made") != 2 {
		t.Errorf("%d: %s%s", status, out, msg)
	}
	// The repository is repaired; the next backup is complete, and older ones go.
	for _, data := range bodies {
		disk.WriteFile(t, s.Blob(data), data)
	}
	s.Boot()
	if r := s.BackedUp(dest, "--keep", "1"); r.Copied != 2 || len(r.Removed) != 2 {
		t.Errorf("%+v", r)
	}
	// A bit of a blob of the backup changes, and one is lost.
	place := func(data []byte) string {
		rel, err := filepath.Rel(s.Cfg.Data, s.Blob(data))
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dest, rel)
	}
	disk.FlipBit(t, place(bodies["whole"]), 17)
	if err := os.Remove(place(bodies["missing"])); err != nil {
		t.Fatal(err)
	}
	out, msg, status := world.AlcoveRun(t, "backup", "verify", dest)
	for _, want := range []string{"its SHA-256 is", "it is missing"} {
		if status != 1 || !strings.Contains(out, want) || strings.Count(out, "\n") != 3 {
			t.Errorf("verify: %d: %s%s", status, out, msg)
		}
	}
	// A finding is known from then on, also to a check of sizes only.
	if out, _, status := world.AlcoveRun(t, "backup", "verify", dest, "--quick"); status != 1 || strings.Count(out, "\n") != 3 || !strings.Contains(out, "it was found damaged") {
		t.Errorf("verify --quick: %d: %s", status, out)
	}
	dir = filepath.Join(t.TempDir(), "other")
	if out, _, status := world.AlcoveRun(t, "restore", dest, dir); status != 1 || !strings.Contains(out, "another SHA-256") || !strings.Contains(out, "it is missing") {
		t.Errorf("a restore of what is damaged: %d: %s", status, out)
	}
	if err := os.Remove(place(bodies["whole"])); err != nil {
		t.Fatal(err)
	}
	if r := s.BackedUp(dest); r.Copied != 2 { // what is not there comes again
		t.Errorf("%+v", r)
	}
	if out, msg, status := world.AlcoveRun(t, "restore", dest, dir); status != 0 {
		t.Errorf("going on with the restore: %d: %s%s", status, out, msg)
	}
	other := &world.Server{T: t, Cfg: s.Cfg}
	other.Cfg.Data = dir
	other.Boot()
	defer other.Stop()
	other.Anon = world.Client{Server: other, Token: ""}
	for name, path := range paths {
		if got := other.Anon.Get(path).Is(200); !bytes.Equal(got.Bytes, bodies[name]) {
			t.Errorf("%s has other bytes", name)
		}
	}
}

// A restore that is refused makes and changes nothing (security.md M03).
func TestBackupRefuses(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	s.Ada.PublicFile("a", disk.Random(1000, 71))
	top := t.TempDir()
	dest := filepath.Join(top, "backups")
	s.BackedUp(dest)
	full, link, strange := filepath.Join(top, "full"), filepath.Join(top, "link"), world.Start(t)
	if err := errors.Join(os.MkdirAll(full+"/blobs", 0o700), os.WriteFile(full+"/mine", nil, 0o600), os.Symlink(s.Cfg.Data, link)); err != nil {
		t.Fatal(err)
	}
	data := []string{"--data", s.Cfg.Data}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"onto what is there":         {[]string{"restore", dest, full}, "it is not empty"},
		"onto a repository":          {[]string{"restore", dest, s.Cfg.Data}, "it is not empty"},
		"into the backups":           {[]string{"restore", dest, dest + "/new"}, "must be elsewhere"},
		"of no backup":               {[]string{"restore", full, top + "/new"}, "there is no snapshot"},
		"of none of that name":       {[]string{"restore", dest, top + "/new", "--snapshot", "20200101T000000Z"}, "there is no snapshot"},
		"of a path":                  {[]string{"restore", dest, top + "/new", "--snapshot", "../x"}, "there is no snapshot"},
		"backup in the data":         {append([]string{"backup", "create", s.Cfg.Data + "/b"}, data...), "it lies in the data directory"},
		"through a link":             {append([]string{"backup", "create", link + "/a/b"}, data...), "it lies in the data directory"},
		"backup around the data":     {append([]string{"backup", "create", filepath.Dir(s.Cfg.Data)}, data...), "the data directory lies in it"},
		"backup of another":          {[]string{"backup", "create", dest, "--data", strange.Cfg.Data}, "another repository"},
		"onto another's data":        {[]string{"backup", "create", strange.Cfg.Data, "--data", s.Cfg.Data}, "the data directory of a repository"},
		"of no data":                 {[]string{"backup", "create", dest, "--data", full}, "the database is missing"},
		"verify nothing":             {[]string{"backup", "verify", full}, "there is no snapshot"},
		"prune all":                  {[]string{"backup", "prune", dest, "--keep", "0"}, "--keep is at least 1"},
		"no such directory":          {[]string{"backup", "list", top + "/none"}, "cannot open the backups"},
		"a file":                     {append([]string{"backup", "create", full + "/mine"}, data...), "not a directory"},
		"one that cannot be written": {append([]string{"backup", "create", "/proc/backups"}, data...), "cannot make the directory"},
	} {
		if out, msg, status := world.AlcoveRun(t, c.args...); status == 0 || !strings.Contains(msg, c.want) {
			t.Errorf("%s: %d: %s%s", name, status, out, msg)
		}
	}
	if names, _ := os.ReadDir(full); len(names) != 2 {
		t.Errorf("made in a directory that is somebody's: %v", names)
	}
	if _, err := os.Lstat(s.Cfg.Data + "/b"); err == nil {
		t.Error("made in the data directory")
	}
	// A link among the backups is not followed out of them.
	if err := errors.Join(os.RemoveAll(dest+"/blobs"), os.Symlink(full, dest+"/blobs")); err != nil {
		t.Fatal(err)
	}
	if _, msg, status := world.AlcoveRun(t, append([]string{"backup", "create", dest}, data...)...); status != 1 || !strings.Contains(msg, "blobs is not a directory") {
		t.Errorf("through a link: %d: %s", status, msg)
	}
	if _, _, status := world.AlcoveRun(t, "backup", "verify", dest); status != 1 {
		t.Error("a backup without its blobs is whole")
	}
	if names, _ := os.ReadDir(full); len(names) != 2 {
		t.Errorf("written through a link: %v", names)
	}
}

// A file that was verified and not yet moved when a backup was made, or whose blob came too late for
// it, has failed, and can be uploaded again.
func TestRestoreMovesNothing(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	data := disk.Random(5000, 91)
	at := s.Ada.Article(`{"title": "Moving"}`)
	file := s.Ada.Upload(at, "moving.bin", data)
	s.Stop()
	db, err := bucket.Open(s.Cfg.Data, bucket.Options{}) // a server that runs would move the file
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), 0, func(tx *bucket.Tx) error {
		f, err := files.Files.Get(tx, world.LastNumber(t, file))
		if err != nil {
			return err
		}
		f.Status = record.FileMoving
		return files.Files.Put(tx, f.ID, f)
	})
	if err = errors.Join(err, db.Close(), os.Remove(s.Blob(data))); err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(t.TempDir(), "backups")
	r := s.BackedUp(dest) // complete: no client was told that the file is there
	other := restored(s, dest, r.Snapshot)
	defer other.Stop()
	f := other.Ada.Until(file, "ic_failed")
	if sum, _ := f["computed_md5"].(string); sum != "" {
		t.Errorf("it has the MD5 %s of bytes that are not there", sum)
	}
	other.Ada.Do("DELETE", file, nil).Is(204)
	other.Ada.Upload(at, "moving.bin", data)
	s.Boot()
}
