package backup

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
)

func flipped(b []byte) []byte {
	b = bytes.Clone(b)
	b[len(b)/2] ^= 4
	return b
}

func emptySum() []byte {
	sum := sha256.Sum256(nil)
	return sum[:]
}

// edit changes the manifest of a snapshot.
func edit(t *testing.T, dest string, m *Manifest, change func(*Manifest)) {
	t.Helper()
	changed := *m
	change(&changed)
	b, err := changed.encode()
	if err == nil {
		err = os.WriteFile(filepath.Join(dest, snapshots, m.Snapshot, manifestName), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
