package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func WriteFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// CopyTree copies a file, or a folder of files and folders.
func CopyTree(t testing.TB, from, to string) {
	t.Helper()
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var b []byte
		if b, err = os.ReadFile(from); err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// FlipBit changes one bit of a file and leaves its times as they were, as a disk would. The
// server must not have read the file before.
func FlipBit(t *testing.T, path string, at int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1
	WriteFile(t, path, b)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

func Flip(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var b [1]byte
	if n, err := f.ReadAt(b[:], at); n == 0 {
		return errors.Join(err, fs.ErrNotExist) // behind its end
	}
	b[0] ^= 0x40
	_, err = f.WriteAt(b[:], at)
	return err
}

// Secret is a file that has a secret.
func Secret(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
