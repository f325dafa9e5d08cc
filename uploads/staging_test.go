package uploads

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"alcove/blobs"
	blobdir "alcove/blobs/dir"
)

const token = "9660bbfd-119b-41cb-b5db-e18ed96f42e3"

// desk is a data directory and what a caller keeps about one upload in it.
type desk struct {
	dir     string
	store   *blobdir.Store
	staging *Staging
	crcs    map[int]uint32
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir(), crcs: map[int]uint32{}}
	d.open(t)
	t.Cleanup(d.close)
	return d
}

func (d *desk) open(t fataler) {
	var err error
	if d.store, err = blobdir.Open(d.dir); err != nil {
		t.Fatal(err)
	}
	if d.staging, err = Open(d.store); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) close() {
	d.staging.Close()
	d.store.Close()
}

// fataler is testing.T or rapid.T.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

// path is where the bytes of the upload are staged.
func (d *desk) path() string { return filepath.Join(d.dir, folder, token) }

// put follows the order of the package comment for one part.
func (d *desk) put(ctx context.Context, layout Layout, n int, body io.Reader) error {
	w, err := d.staging.Begin(token, layout, n)
	if err != nil {
		return err
	}
	defer w.Release()
	delete(d.crcs, n)
	crc, err := w.WriteFrom(ctx, body)
	if err == nil {
		d.crcs[n] = crc
	}
	return err
}

func (d *desk) recorded(n int) (uint32, bool) {
	crc, ok := d.crcs[n]
	return crc, ok
}

// complete freezes the upload, verifies it, and commits it if it is whole.
func (d *desk) complete(t fataler, layout Layout) (blobs.Sums, []byte, error) {
	t.Helper()
	f, err := d.staging.Freeze(token)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Release()
	sums, head, err := f.Verify(context.Background(), layout, d.recorded)
	if err == nil {
		err = f.Commit(context.Background(), sums)
	}
	return sums, head, err
}

// mustBeFree checks that no lock is left in memory.
func (d *desk) mustBeFree(t fataler) {
	t.Helper()
	if n := len(d.staging.locks); n > 0 {
		t.Fatal(n, "locks are left")
	}
}

func noise(n int, seed byte) []byte {
	p := make([]byte, n)
	rand.NewChaCha8([32]byte{seed}).Read(p)
	return p
}

func piece(data []byte, layout Layout, n int) io.Reader {
	p, _ := layout.Part(n)
	return bytes.NewReader(data[p.Start : p.End+1])
}

func sumsOf(t fataler, data []byte) blobs.Sums {
	t.Helper()
	sums, err := blobs.Sum(context.Background(), bytes.NewReader(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// mustHold checks that the store has the bytes and that nothing is staged any more.
func (d *desk) mustHold(t fataler, data []byte) {
	t.Helper()
	f, size, err := d.store.Open(sumsOf(t, data).SHA256)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || size != int64(len(data)) || !bytes.Equal(got, data) {
		t.Fatal("the blob has other bytes", err)
	}
	if _, err := os.Lstat(d.path()); !os.IsNotExist(err) {
		t.Fatal("still staged:", err)
	}
}

func TestTokens(t *testing.T) {
	d := newDesk(t)
	layout := NewLayout(1)
	for _, bad := range []string{
		"", ".", "..", "probe", "../blobs", token + "/x", strings.ToUpper(token),
		"{" + token + "}", "urn:uuid:" + token, strings.ReplaceAll(token, "-", ""), token[1:] + "g",
	} {
		if _, err := d.staging.Begin(bad, layout, 1); !errors.Is(err, ErrBadToken) {
			t.Errorf("Begin(%q): %v", bad, err)
		}
		if _, err := d.staging.Freeze(bad); !errors.Is(err, ErrBadToken) {
			t.Errorf("Freeze(%q): %v", bad, err)
		}
		if err := d.staging.Remove(bad); !errors.Is(err, ErrBadToken) {
			t.Errorf("Remove(%q): %v", bad, err)
		}
	}
	d.mustBeFree(t)
}

func TestOpenRefusesALinkElsewhere(t *testing.T) {
	dir := t.TempDir()
	store, err := blobdir.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, folder)); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(store); err == nil {
		s.Close()
		t.Error("opened")
	}
}

func TestStagedFileIsPrivateAndNotALink(t *testing.T) {
	d := newDesk(t)
	layout := Layout{size: 10, part: 5}
	if err := d.put(t.Context(), layout, 1, strings.NewReader("first")); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{folder: os.ModeDir | 0o700, folder + "/" + token: 0o600} {
		if info, err := os.Stat(filepath.Join(d.dir, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}

	other := filepath.Join(d.dir, folder, "other")
	if err := errors.Join(os.Rename(d.path(), other), os.Symlink("other", d.path())); err != nil {
		t.Fatal(err)
	}
	err := d.put(t.Context(), layout, 2, strings.NewReader("other"))
	if !errors.Is(err, blobs.ErrDamaged) || strings.Contains(err.Error(), token) {
		t.Error(err)
	}
	if _, _, err := d.complete(t, layout); !errors.Is(err, blobs.ErrDamaged) {
		t.Error(err)
	}
	if got, err := os.ReadFile(other); err != nil || string(got) != "first" {
		t.Errorf("wrote through a link: %q, %v", got, err)
	}
}

func TestWalkFindsWhatExpires(t *testing.T) {
	d := newDesk(t)
	old := time.Now().Add(-48 * time.Hour).Truncate(time.Second)
	want := map[string]bool{}
	for range 300 {
		name := uuid.NewString()
		want[name] = true
		if err := os.WriteFile(filepath.Join(d.dir, folder, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(d.dir, folder, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(d.dir, folder, "probe"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name := range want {
		if at, err := d.staging.Touched(name); err != nil || !at.Equal(old) {
			t.Fatalf("touched %v, %v", at, err)
		}
	}
	if at, err := d.staging.Touched(uuid.NewString()); err != nil || !at.IsZero() {
		t.Errorf("what is not there was touched %v, %v", at, err)
	}
	if _, err := d.staging.Touched("../probe"); !errors.Is(err, ErrBadToken) {
		t.Error(err)
	}
	err := d.staging.Walk(t.Context(), func(s Staged) error {
		if !want[s.Token] || !s.Modified.Equal(old) {
			return fmt.Errorf("met %+v", s)
		}
		delete(want, s.Token)
		return d.staging.Remove(s.Token)
	})
	if err != nil || len(want) > 0 {
		t.Errorf("%v, not met: %d", err, len(want))
	}
	if err := os.WriteFile(filepath.Join(d.dir, folder, token), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	if err := d.staging.Walk(t.Context(), func(Staged) error { return stop }); err != stop {
		t.Error(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := d.staging.Walk(ctx, func(Staged) error { return nil }); err != stop {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Join(d.dir, folder)); len(left) != 2 {
		t.Errorf("left: %d", len(left))
	}
	d.mustBeFree(t)
}

func TestIsNoSpace(t *testing.T) {
	for err, want := range map[error]bool{
		&os.PathError{Op: "write", Err: syscall.ENOSPC}: true,
		fmt.Errorf("cannot: %w", syscall.EDQUOT):        true,
		syscall.EFBIG:                                   true,
		syscall.EIO:                                     false,
		ErrShort:                                        false,
	} {
		if IsNoSpace(err) != want {
			t.Errorf("IsNoSpace(%v) is not %v", err, want)
		}
	}
}

func crc32c(p []byte) uint32 { return crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)) }
