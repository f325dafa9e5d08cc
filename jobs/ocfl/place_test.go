package ocfl

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"alcove/blobs"
	"alcove/blobs/dir"
	format "alcove/blobs/ocfl"
)

// Where the file system gives no second name, the bytes are copied, and those of a damaged blob never.
func TestCopied(t *testing.T) {
	data := t.TempDir()
	store, err := dir.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	text := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	sums, err := store.Put(t.Context(), bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	s := &Service{Blobs: store, Link: func(blobs.Ref, int64, string) error { return errors.ErrUnsupported }}
	f := &format.File{SHA256: sums.SHA256.String(), Size: sums.Size, CRC32: sums.CRC32}
	to := filepath.Join(t.TempDir(), "copy")
	if err := s.place(t.Context(), f, to); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, text) {
		t.Errorf("the copy has %d bytes, %v", len(got), err)
	}
	name := sums.SHA256.String()
	place := filepath.Join(data, "blobs", name[:2], name[2:])
	text[100]++
	if err := os.WriteFile(place, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.place(t.Context(), f, to+"2"); !errors.Is(err, blobs.ErrDamaged) {
		t.Errorf("damaged bytes were copied: %v", err)
	}
}
