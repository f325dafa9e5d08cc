package dir

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A blob with a second name can be read only under both, so that who edits a file of a storage root in its place is refused
// and the only copy of it stays. It is read, stored again and removed as before.
func TestLinked(t *testing.T) {
	data := t.TempDir()
	store, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	sums, err := store.Put(t.Context(), strings.NewReader("measured once"))
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "linked")
	for _, name := range []string{to, to + "2"} {
		if err := store.Link(sums.SHA256, sums.Size, name); err != nil {
			t.Fatal(err)
		}
	}
	own := filepath.Join(data, "blobs", filepath.FromSlash(strings.TrimPrefix(pathOf(sums.SHA256), "blobs/")))
	for _, name := range []string{own, to, to + "2"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o400 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if _, err := store.Put(t.Context(), strings.NewReader("measured once")); err != nil {
		t.Error(err)
	}
	if again, err := store.Verify(t.Context(), sums.SHA256, func(int) {}); err != nil || again.SHA256 != sums.SHA256 {
		t.Error(again, err)
	}
	if err := store.Link(sums.SHA256, sums.Size+1, to+"3"); err == nil {
		t.Error("a blob of another size was linked")
	}
}
