package backup

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/record"
)

// repository is a data directory with files, open.
func repository(t *testing.T, files ...string) Source {
	t.Helper()
	dir := t.TempDir()
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	store, err := blobdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := Source{Dir: dir, DB: db, Blobs: store}
	for _, text := range files {
		s.add(t, text)
	}
	return s
}

// add stores a file and returns its id.
func (s Source) add(t *testing.T, text string) (id int64) {
	t.Helper()
	sums, err := s.Blobs.Put(t.Context(), strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s.update(t, func(tx *bucket.Tx) (err error) {
		if id, err = files.Files.NextID(tx); err != nil {
			return err
		}
		return files.Files.Put(tx, id, &record.File{ID: id, Size: sums.Size, SHA256: sums.SHA256.String(), Status: record.FileAvailable})
	})
	return id
}

func (s Source) update(t *testing.T, fn func(tx *bucket.Tx) error) {
	t.Helper()
	if err := s.DB.Update(t.Context(), 0, fn); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, s Source, dest string, o Options) *Manifest {
	t.Helper()
	m, err := Create(t.Context(), s, dest, o)
	if err != nil || !m.Complete {
		t.Fatalf("%+v, %v", m, err)
	}
	return m
}

// found are the blobs in a directory of backups, by their number.
func found(t *testing.T, dest string) int {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dest, "blobs", "??", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// Only new files are copied (security.md M05). Names ascend though the clock goes back, also by
// years and within a second.
func TestCreateAgain(t *testing.T) {
	s, dest := repository(t, "one", "two"), filepath.Join(t.TempDir(), "b")
	at := time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)
	var names []string
	for i, back := range []time.Duration{0, 0, 365 * 24 * time.Hour, -time.Hour} {
		copied := int64(0)
		change := func(fn func(*Report)) {
			r := Report{Copied: copied}
			fn(&r)
			copied = r.Copied
		}
		m := create(t, s, dest, Options{Now: func() time.Time { return at.Add(-back) }, Note: change})
		if want := map[bool]int64{true: 2, false: 1}[i == 0]; copied != want || m.Blobs != int64(2+i) {
			t.Errorf("%d: %d copied, want %d: %+v", i, copied, want, m)
		}
		names = append(names, m.Snapshot)
		s.add(t, fmt.Sprint("new ", i))
	}
	if got, want := strings.Join(names, " "), "20261121T103000Z 20261121T103001Z 20261121T103002Z 20261121T113000Z"; got != want {
		t.Errorf("the snapshots are %s, want %s", got, want)
	}
	if c, err := Verify(t.Context(), dest, Checks{}); err != nil || c.Found != 0 || len(c.Snapshots) != 4 || c.Blobs != 5 {
		t.Errorf("%+v, %v", c, err)
	}
}

// A snapshot is what one commit left, however much is written while it is copied; after an even
// number of commits and after an odd one, which bbolt keeps in another place.
func TestCopyIsOneCommit(t *testing.T) {
	s, n := repository(t), 0
	change := func() {
		n++
		s.update(t, func(tx *bucket.Tx) error {
			for _, id := range []int64{1, 2, 3} {
				if err := files.Files.Put(tx, id, &record.File{ID: id, Name: fmt.Sprint(n), Failure: strings.Repeat("x", 2000)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for range 2 {
		change()
		before, want, calls := n, s.DB.Sequence(), 0
		var b bytes.Buffer
		at, err := s.DB.CopyTo(t.Context(), writer(func(p []byte) (int, error) {
			if calls++; calls < 3 {
				change()
				change()
			}
			return b.Write(p)
		}))
		if err != nil || at.Sequence != want || calls < 2 {
			t.Fatal(at, err, calls)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, bucket.FileName), b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		copied, err := bucket.Open(dir, bucket.Options{})
		if err != nil {
			t.Fatal(err)
		}
		err = copied.View(func(tx *bucket.Tx) error {
			for _, id := range []int64{1, 2, 3} {
				if f, err := files.Files.Get(tx, id); err != nil || f.Name != fmt.Sprint(before) {
					return fmt.Errorf("%+v, %v", f, err)
				}
			}
			return nil
		})
		if err != nil || copied.Sequence() != want {
			t.Error(err, copied.Sequence())
		}
		copied.Close()
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// Files that only deleted snapshots have go, shared ones stay, and leavings of a process killed
// at any step are cleared away by the next.
func TestPrune(t *testing.T) {
	s, dest := repository(t, "always"), filepath.Join(t.TempDir(), "b")
	for i := range 4 {
		id := s.add(t, fmt.Sprint("only ", i))
		create(t, s, dest, Options{})
		s.update(t, func(tx *bucket.Tx) error { return files.Files.Delete(tx, id) })
	}
	if n := found(t, dest); n != 5 {
		t.Fatal(n)
	}
	list, _ := List(dest)
	// As a process leaves it that is killed after it has renamed one, or before it has made one.
	old := filepath.Join(dest, snapshots, list[0].Snapshot)
	if err := errors.Join(os.Rename(old, old+partial), os.MkdirAll(filepath.Join(dest, snapshots, "20200101T000000Z"+partial), 0o700)); err != nil {
		t.Fatal(err)
	}
	if list, err := List(dest); err != nil || len(list) != 3 {
		t.Error(list, err)
	}
	stranger := filepath.Join(dest, "blobs", "aa", "README")
	if err := errors.Join(os.MkdirAll(filepath.Dir(stranger), 0o700), os.WriteFile(stranger, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	removed, err := Prune(t.Context(), dest, 2)
	if err != nil || len(removed) != 1 || removed[0] != list[1].Snapshot {
		t.Error(removed, err)
	}
	if n := found(t, dest); n != 3+1 {
		t.Errorf("%d blobs stayed", n)
	}
	if c, err := Verify(t.Context(), dest, Checks{}); err != nil || c.Found != 0 || len(c.Snapshots) != 2 || len(c.Unfinished) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	// Where one that stays cannot be read, nothing goes.
	for _, name := range []string{listName, manifestName} {
		place := filepath.Join(dest, snapshots, list[3].Snapshot, name)
		b, err := os.ReadFile(place)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, b[:len(b)-3], 0o600); err != nil {
			t.Fatal(err)
		}
		if removed, err := Prune(t.Context(), dest, 1); err == nil || len(removed) > 0 || found(t, dest) != 4 || !strings.Contains(err.Error(), "nothing is removed") {
			t.Errorf("%s: %v, %v", name, removed, err)
		}
		if err := os.WriteFile(place, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if removed, err := Prune(t.Context(), dest, 1); err != nil || len(removed) != 1 || found(t, dest) != 3 {
		t.Error(removed, err)
	}
}

// The newest snapshot that is complete stays, whatever came after it.
func TestPruneKeepsAComplete(t *testing.T) {
	s, dest := repository(t, "one"), filepath.Join(t.TempDir(), "b")
	create(t, s, dest, Options{})
	s.update(t, func(tx *bucket.Tx) error {
		return files.Files.Put(tx, 7, &record.File{ID: 7, Size: 3, SHA256: sumA, Status: record.FileAvailable})
	})
	for range 3 {
		m, err := Create(t.Context(), s, dest, Options{Keep: 1})
		if err != nil || m.Complete || m.MissingCount != 1 || m.Missing[0].SHA256 != sumA || fmt.Sprint(m.Missing[0].Files) != "[7]" {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	if list, _ := List(dest); len(list) != 4 {
		t.Errorf("%d stayed while none was complete", len(list))
	}
	removed, err := Prune(t.Context(), dest, 1)
	if err != nil || len(removed) != 2 {
		t.Error(removed, err)
	}
	if list, _ := List(dest); len(list) != 2 || !list[0].Complete || list[1].Complete {
		t.Errorf("%+v", list)
	}
}

// A blob that no record names any more when it is copied, and a name that only a public file has.
func TestCreateHolds(t *testing.T) {
	s, dest := repository(t, "one", "two"), filepath.Join(t.TempDir(), "b")
	removed := false
	m := create(t, s, dest, Options{Note: func(change func(*Report)) {
		r := Report{}
		if change(&r); r.Stage != "files" || removed {
			return
		}
		removed = true
		s.update(t, func(tx *bucket.Tx) error { return errors.Join(files.Files.Delete(tx, 1), files.Files.Delete(tx, 2)) })
		err := s.Blobs.Walk(t.Context(), func(e blobs.Entry) error {
			gone, err := s.Blobs.Remove(e.Ref, time.Now())
			if gone {
				err = errors.New("a blob was removed that the snapshot has")
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}})
	if !removed || m.Blobs != 2 {
		t.Errorf("%v, %+v", removed, m)
	}
}

// An error or an end in the middle leaves nothing that is taken for a snapshot; the next one uses
// what was copied.
func TestCreateEnds(t *testing.T) {
	s, dest := repository(t, "one", "two", "three"), filepath.Join(t.TempDir(), "b")
	for _, stage := range []string{"database", "records", "files", "end"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("stopped")
		_, err := Create(ctx, s, dest, Options{Note: func(change func(*Report)) {
			r := Report{}
			if change(&r); r.Stage == stage {
				cancel(stopped)
			}
		}})
		if list, lerr := List(dest); stage != "end" && (!errors.Is(err, stopped) || len(list) > 0) || lerr != nil {
			t.Errorf("%s: %v, %v, %v", stage, err, list, lerr)
		}
		if left, _ := filepath.Glob(filepath.Join(dest, snapshots, "*"+partial)); len(left) > 0 {
			t.Errorf("%s: left %v", stage, left)
		}
	}
}

// The database of a backup that changed is named, and never restored.
func TestVerifyDatabase(t *testing.T) {
	s, dest := repository(t, "one"), filepath.Join(t.TempDir(), "b")
	m := create(t, s, dest, Options{})
	for _, name := range []string{bucket.FileName, listName, manifestName} {
		place := filepath.Join(dest, snapshots, m.Snapshot, name)
		whole, err := os.ReadFile(place)
		if err != nil {
			t.Fatal(err)
		}
		for how, changed := range map[string][]byte{"cut off": whole[:len(whole)-2], "flipped": flipped(whole), "gone": nil, "grown": append(bytes.Clone(whole), 'x')} {
			err := os.WriteFile(place, changed, 0o600)
			if how == "gone" {
				err = os.Remove(place)
			}
			if err != nil {
				t.Fatal(err)
			}
			if c, err := Verify(t.Context(), dest, Checks{Quick: true}); err != nil || c.Found == 0 || c.Problems[0].Snapshot != m.Snapshot {
				t.Errorf("%s %s: %+v, %v", name, how, c, err)
			}
			dir := filepath.Join(t.TempDir(), "new")
			if r, err := Restore(t.Context(), dest, dir, Restores{}); err == nil {
				t.Errorf("%s %s: restored: %+v", name, how, r)
			}
			if _, err := os.Lstat(filepath.Join(dir, bucket.FileName)); err == nil {
				t.Errorf("%s %s: the database is in its place", name, how)
			}
		}
		if err := os.WriteFile(place, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A list that is right in itself and lacks a blob that the database names.
	sum := hex.EncodeToString(emptySum())
	edit(t, dest, m, func(m *Manifest) { m.Blobs, m.BlobBytes, m.BlobList = 0, 0, Part{0, sum} })
	if err := os.WriteFile(filepath.Join(dest, snapshots, m.Snapshot, listName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Verify(t.Context(), dest, Checks{}); err != nil || c.Found != 1 || !strings.Contains(c.Problems[0].Reason, "names 1 blobs that are not in the list") {
		t.Errorf("%+v, %v", c, err)
	}
}
