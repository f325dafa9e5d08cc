package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
	"time"
)

const (
	sumA = "aa00000000000000000000000000000000000000000000000000000000000000"
	sumB = "bb00000000000000000000000000000000000000000000000000000000000000"
)

func sampleManifest() Manifest {
	return Manifest{
		Format: formatName, Snapshot: "20261121T103000Z", Created: time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC), Version: "v1",
		Repository: sumA[:32], Sequence: 7, Head: sumA, Database: Part{1, sumA}, BlobList: Part{1, sumB}, Blobs: 2, BlobBytes: 9,
		Missing: []Missing{{SHA256: sumB, Files: []int64{1}, Reason: "it is missing"}}, MissingCount: 1, DamagedRecords: []DamagedRecord{},
	}
}

// A manifest that this version would not write is refused.
func TestManifestRefuses(t *testing.T) {
	good, err := json.Marshal(sampleManifest())
	if err != nil {
		t.Fatal(err)
	}
	if m, err := parseManifest(good); err != nil || m.Sequence != 7 {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Manifest){
		"format":     func(m *Manifest) { m.Format = "alcove-backup-2" },
		"path":       func(m *Manifest) { m.Snapshot = "../../etc" },
		"partial":    func(m *Manifest) { m.Snapshot += partial },
		"head":       func(m *Manifest) { m.Head = strings.ToUpper(sumA) },
		"sum":        func(m *Manifest) { m.Database.SHA256 = "" },
		"repository": func(m *Manifest) { m.Repository = "x" },
		"size":       func(m *Manifest) { m.BlobBytes = -1 },
		"whole":      func(m *Manifest) { m.Complete = true },
		"count":      func(m *Manifest) { m.MissingCount = 0; m.Complete = true },
		"name":       func(m *Manifest) { m.Missing[0].SHA256 = "../x" },
	} {
		m := sampleManifest()
		change(&m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseManifest(b); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	for name, b := range map[string][]byte{
		"nothing": nil, "cut off": good[:len(good)-2], "more": append(bytes.Clone(good), '{'), "another field": bytes.Replace(good, []byte(`"version"`), []byte(`"revision"`), 1),
	} {
		if _, err := parseManifest(b); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestEntries(t *testing.T) {
	for text, n := range map[string]int{
		"": 0, sumA + " 5\n": 1, sumA + " 5\n" + sumB + " 0\n": 2,
		sumB + " 5\n" + sumA + " 0\n": -1, sumA + " 5\n" + sumA + " 5\n": -1, sumA + " 5": -1, sumA + "\n": -1, sumA + " 05\n": -1, sumA + " -1\n": -1,
		sumA + " +5\n": -1, strings.ToUpper(sumA) + " 5\n": -1, "../" + sumA[3:] + " 5\n": -1, sumA + " 9223372036854775808\n": -1, "\n": -1, sumA + " 5\r\n": -1,
		sumA + " 9223372036854775807\n" + sumB + " 1\n": -1, strings.Repeat("a", 100_000): -1, sumA + " 5\n\n": -1,
	} {
		e, got := newEntries(strings.NewReader(text)), 0
		var err error
		for {
			if _, err = e.next(); err != nil {
				break
			}
			got++
		}
		if errors.Is(err, io.EOF) != (n >= 0) || n >= 0 && got != n {
			t.Errorf("%.80q: %d, %v", text, got, err)
		}
		if sum := sha256.Sum256([]byte(text)); n >= 0 {
			m := &Manifest{Blobs: int64(n), BlobBytes: e.sum, BlobList: Part{int64(len(text)), hex.EncodeToString(sum[:])}}
			if err := e.matches(m); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			m.Blobs++
			if e.matches(m) == nil {
				t.Errorf("%q: taken for another", text)
			}
		}
	}
}

// Whatever stands in a manifest or in a list of blobs, reading it ends, takes no more memory than
// it has bytes, and leads to no name outside of the backups (security.md D24).
func FuzzManifest(f *testing.F) {
	b, err := json.Marshal(sampleManifest())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(sumA + " 5\n" + sumB + " 0\n"))
	f.Add([]byte(`{"format": "alcove-backup-1", "snapshot": "../../x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := parseManifest(b); err == nil {
			if p := place(m.Snapshot, manifestName); path.Clean(p) != p || strings.Count(p, "/") != 2 || !strings.HasPrefix(p, snapshots+"/2") && !strings.HasPrefix(p, snapshots+"/") {
				t.Errorf("the snapshot %q is at %q", m.Snapshot, p)
			}
			again, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parseManifest(again); err != nil {
				t.Errorf("what was read once is refused: %v", err)
			}
		}
		list, lines := newEntries(bytes.NewReader(b)), []byte(nil)
		for {
			e, err := list.next()
			if errors.Is(err, io.EOF) {
				if !bytes.Equal(lines, b) {
					t.Errorf("%q was read as %q", b, lines)
				}
				return
			}
			if err != nil {
				return
			}
			if p := blobPath(e.ref); path.Clean(p) != p || len(p) != len("blobs/aa/")+62 || e.size < 0 {
				t.Errorf("%v is at %q", e, p)
			}
			lines = append(lines, e.String()...)
		}
	})
}

// Any bit of a stored manifest that changes makes it one that is not taken; one of an older program,
// without a sum, is.
func TestManifestSum(t *testing.T) {
	m := sampleManifest()
	good, err := m.encode()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := parseManifest(good); err != nil || got.Sum == "" || got.Sum != m.Sum {
		t.Fatal(err)
	}
	for n := range len(good) * 8 {
		good[n/8] ^= 1 << (n % 8)
		if _, err := parseManifest(good); err == nil {
			t.Errorf("bit %d of byte %d: %.40q is taken", n%8, n/8, good[max(0, n/8-20):])
		}
		good[n/8] ^= 1 << (n % 8)
	}
	old := sampleManifest()
	b, err := json.Marshal(old)
	if err != nil || strings.Contains(string(b), `"sum"`) {
		t.Fatal(err, string(b))
	}
	if _, err := parseManifest(b); err != nil {
		t.Error(err)
	}
}
