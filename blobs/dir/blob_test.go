package dir

import (
	"alcove/blobs"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestWhatIsNoBlobIsNotOpened(t *testing.T) {
	var ref blobs.Ref
	copy(ref[:], "any")
	for name, c := range map[string]struct {
		spoil func(place string) error
		want  error
	}{
		"missing":       {func(string) error { return nil }, fs.ErrNotExist},
		"directory":     {func(p string) error { return os.Mkdir(p, 0o700) }, blobs.ErrDamaged},
		"link out":      {func(p string) error { return os.Symlink("/etc/passwd", p) }, blobs.ErrDamaged},
		"link in":       {func(p string) error { return os.Symlink("../tmp", p) }, blobs.ErrDamaged},
		"dangling link": {func(p string) error { return os.Symlink("nothing", p) }, blobs.ErrDamaged},
	} {
		dir := t.TempDir()
		s := open(t, dir)
		place := filepath.Join(dir, pathOf(ref))
		if err := errors.Join(os.Mkdir(filepath.Dir(place), 0o700), c.spoil(place)); err != nil {
			t.Fatal(err)
		}
		if f, _, err := s.file(ref); !errors.Is(err, c.want) {
			t.Errorf("%s: opened %v, %v", name, f, err)
		}
		if _, err := s.Stat(ref); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSizeOnDiskShows(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	sums, err := s.Put(t.Context(), strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(dir, pathOf(sums.SHA256)), 2); err != nil {
		t.Fatal(err)
	}
	f, size, err := s.file(sums.SHA256)
	if err != nil || size != 2 {
		t.Fatalf("%d, %v", size, err)
	}
	f.Close()
	if info, err := s.Stat(sums.SHA256); err != nil || info.Size != 2 {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	sums, err := s.Put(t.Context(), strings.NewReader("abc"))
	if err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	for _, want := range []bool{true, false} {
		if removed, err := s.Remove(sums.SHA256, later); removed != want || err != nil {
			t.Errorf("removed %v, %v, want %v", removed, err, want)
		}
	}
	if _, err := s.Stat(sums.SHA256); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if err := os.Mkdir(filepath.Join(dir, pathOf(sums.SHA256)), 0o700); err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Remove(sums.SHA256, later); removed || !errors.Is(err, blobs.ErrDamaged) {
		t.Errorf("a directory was removed: %v", err)
	}
}

func TestWalk(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	want := map[blobs.Ref]int64{}
	for i := range 40 {
		sums, err := s.Put(t.Context(), strings.NewReader(strings.Repeat("x", i)))
		if err != nil {
			t.Fatal(err)
		}
		want[sums.SHA256] = sums.Size
	}
	var link blobs.Ref
	link[31] = 1
	strays := []string{"blobs/00/name", "blobs/00/" + strings.Repeat("A", 62), pathOf(link)}
	if err := errors.Join(
		os.MkdirAll(dir+"/blobs/00", 0o700),
		os.WriteFile(filepath.Join(dir, strays[0]), nil, 0o600),
		os.WriteFile(filepath.Join(dir, strays[1]), nil, 0o600),
		os.Symlink("/etc/passwd", filepath.Join(dir, strays[2])),
		os.WriteFile(filepath.Join(dir, temp, "being-written"), nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}

	got, stray := map[blobs.Ref]int64{}, map[string]bool{}
	err := s.Walk(t.Context(), func(e blobs.Entry) error {
		if e.Ref.IsZero() {
			stray[e.Path] = true
		} else {
			got[e.Ref] = e.Size
			if e.Path != pathOf(e.Ref) || time.Since(e.Modified) > time.Minute {
				t.Errorf("%+v", e)
			}
		}
		return nil
	})
	if err != nil || !maps.Equal(got, want) || len(stray) != 3 || !stray[strays[0]] || !stray[strays[1]] || !stray[strays[2]] {
		t.Errorf("%v: %d blobs, want %d; strays %v", err, len(got), len(want), stray)
	}

	// A sweeper removes while it walks.
	err = s.Walk(t.Context(), func(e blobs.Entry) error {
		_, err := s.Remove(e.Ref, time.Now().Add(time.Hour))
		return err
	})
	if err != nil {
		t.Error(err)
	}
	left := 0
	if err := s.Walk(t.Context(), func(blobs.Entry) error { left++; return nil }); err != nil || left != len(strays) {
		t.Errorf("%d entries left, %v", left, err)
	}

	stop := errors.New("stop")
	if err := s.Walk(t.Context(), func(blobs.Entry) error { return stop }); err != stop {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := s.Walk(ctx, func(blobs.Entry) error { return nil }); err != stop {
		t.Error(err)
	}
}
