package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestOpenMakesPrivateDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir)
	sums, err := s.Put(t.Context(), strings.NewReader("abc"))
	if err != nil || sums.SHA256.String() != abc {
		t.Fatalf("%+v, %v", sums, err)
	}
	for name, mode := range map[string]os.FileMode{
		"":                                 os.ModeDir | 0o700,
		"blobs":                            os.ModeDir | 0o700,
		"blobs/tmp":                        os.ModeDir | 0o700,
		"blobs/" + abc[:2]:                 os.ModeDir | 0o700,
		"blobs/" + abc[:2] + "/" + abc[2:]: 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode() != mode {
			t.Errorf("%q: %v, %v, want %v", name, info, err, mode)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, spoil := range map[string]func(dir string) error{
		"data directory is a file": func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"parent is missing":        func(dir string) error { return os.Remove(filepath.Dir(dir)) },
		"blobs is a file": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(dir+"/blobs", nil, 0o600))
		},
		"blobs is a link out": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Symlink(os.TempDir(), dir+"/blobs"))
		},
		"blobs is a link in": func(dir string) error {
			return errors.Join(os.MkdirAll(dir+"/other", 0o700), os.Symlink("other", dir+"/blobs"))
		},
		"tmp is a file": func(dir string) error {
			return errors.Join(os.MkdirAll(dir+"/blobs", 0o700), os.WriteFile(dir+"/blobs/tmp", nil, 0o600))
		},
	} {
		dir := filepath.Join(t.TempDir(), "parent", "data")
		if err := errors.Join(os.Mkdir(filepath.Dir(dir), 0o700), spoil(dir)); err != nil {
			t.Fatal(err)
		}
		s, err := Open(dir)
		if err == nil {
			s.Close()
			t.Errorf("%s: opened", name)
		} else if !strings.HasPrefix(err.Error(), "cannot ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpenEmptiesTemp(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	left := filepath.Join(dir, temp, "LEFT")
	if err := os.WriteFile(left, []byte("half a blo"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("left over: %v", err)
	}
}

func TestStage(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	// A probe that a crash left behind is in the way of nothing.
	if err := errors.Join(os.Mkdir(dir+"/staging", 0o700), os.WriteFile(dir+"/staging/probe", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	root, err := s.Stage("staging")
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"staging", temp} {
		if left, err := os.ReadDir(filepath.Join(dir, name)); err != nil || len(left) > 0 {
			t.Errorf("%s holds %v, %v", name, left, err)
		}
	}
	if _, err := root.Open("../blobs"); err == nil {
		t.Error("the staging root leads out of its directory")
	}

	if err := os.Symlink(os.TempDir(), dir+"/elsewhere"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"elsewhere", "../out", "a/b"} {
		if root, err := s.Stage(name); err == nil {
			root.Close()
			t.Errorf("staged at %s", name)
		}
	}
}

func TestOtherFileSystemIsExplained(t *testing.T) {
	crossed := &os.LinkError{Op: "renameat", Old: "uploads/probe", New: "blobs/tmp/probe", Err: syscall.EXDEV}
	if err := sameFileSystem(crossed); !strings.Contains(err.Error(), "file system of the data directory") || !errors.Is(err, syscall.EXDEV) {
		t.Error(err)
	}
	other := &os.LinkError{Op: "renameat", Err: syscall.EIO}
	if err := sameFileSystem(other); err != error(other) {
		t.Error(err)
	}
}
