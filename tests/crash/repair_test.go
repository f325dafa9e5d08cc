package crash

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	stdmaps "maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/check"
	"alcove/cli"
	"alcove/tests/disk"
)

// repair runs alcove check --repair on the copy, and a check after it.
func (w *flipWorld) repair(from string) (repaired, after check.Report) {
	w.t.Helper()
	repaired, err := cli.CheckData(w.t.Context(), w.work, check.Request{Repair: true, From: from})
	if err != nil {
		w.t.Fatalf("cannot repair: %v", err)
	}
	return repaired, w.check()
}

// A bit that flips anywhere in the database is put right by alcove check --repair: what is
// derived is made again, and a record is what the change log says that it was. Afterwards all
// answers are what they were, and the damaged file is still there.
func TestRepairDatabase(t *testing.T) {
	t.Parallel()
	w := newFlipWorld(t)
	database, err := os.ReadFile(filepath.Join(w.good, bucket.FileName))
	if err != nil {
		t.Fatal(err)
	}
	byKind := map[string][]usedBytes{}
	for _, u := range usedOf(t, database) {
		byKind[u.kind] = append(byKind[u.kind], u)
	}
	dice := rand.New(rand.NewPCG(*flipsSeed, 3))
	lossy := map[string]bool{ // of pages that cannot be read some records are lost, which is named
		"head of a branch": true, "elements of a branch": true, "head of a leaf": true, "elements of a leaf": true,
		"name of a bucket": true, "head of a bucket": true,
	}
	for _, kind := range slices.Sorted(stdmaps.Keys(byKind)) { // in an order, so that a seed plays the same again
		u := pickUsed(dice, byKind[kind])
		at, bit := u.from+dice.Int64N(u.n), dice.IntN(8)
		what := fmt.Sprintf("%v, byte %d, bit %d", u, at, bit)
		w.fresh()
		flipped := bytes.Clone(database)
		flipped[at] ^= 1 << bit
		disk.WriteFile(t, filepath.Join(w.work, bucket.FileName), flipped)
		repaired, after := w.repair("")
		if repaired.Found == 0 {
			t.Errorf("%s: nothing was found", what)
		}
		if lossy[kind] {
			continue
		}
		if after.Found != 0 || repaired.Left() != 0 {
			t.Errorf("%s: after the repair: %+v\nwhich said %+v", what, after, repaired)
		}
		if err := w.serve(func(url string) {
			if wrong, refused := w.wrongAnswers(url); len(wrong) > 0 || refused > 0 {
				t.Errorf("%s: after the repair %d answers are refused, and wrong: %s", what, refused, wrong)
			}
		}); err != nil {
			t.Errorf("%s: after the repair: %v", what, err)
		}
		if aside, _ := filepath.Glob(filepath.Join(w.work, bucket.FileName+".damaged-*")); len(aside) != 1 {
			t.Errorf("%s: the damaged database is not kept: %q", what, aside)
		} else if kept, _ := os.ReadFile(aside[0]); !bytes.Equal(kept, flipped) {
			t.Errorf("%s: the damaged database was changed", what)
		}
	}
}

// Blobs that are missing, cut off, longer, different, directories or links are named, and fetched
// from a backup whose bytes are compared first (security.md K15, M10). The old file is kept.
func TestRepairBlobs(t *testing.T) {
	t.Parallel()
	w := newFlipWorld(t)
	backup := t.TempDir()
	w.fresh()
	if err := os.CopyFS(filepath.Join(backup, "blobs"), os.DirFS(filepath.Join(w.good, "blobs"))); err != nil {
		t.Fatal(err)
	}
	passwd := "/etc/passwd"
	data := func(size int, seed uint64) string {
		sum := fmt.Sprintf("%x", sha256.Sum256(disk.Random(size, seed)))
		return filepath.Join("blobs", sum[:2], sum[2:])
	}
	short, long, gone, other, dir, link, bad := data(40_000, 102), data(700, 101), data(1<<20, 103), data(1<<20+1, 104), data(300_000, 106), data(1, 100), data(2<<20+77, 105)
	at := func(name string) string { return filepath.Join(w.work, name) }
	clear := func(name string) {
		if err := os.Remove(at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{short, long, gone, other, dir, link, bad} {
		clear(name)
	}
	disk.WriteFile(t, at(short), disk.Random(40_000, 102)[:39_999])
	disk.WriteFile(t, at(long), append(disk.Random(700, 101), 0))
	disk.WriteFile(t, at(other), disk.Random(40_000, 102))
	disk.WriteFile(t, at(bad), disk.Random(2<<20+77, 999))
	if err := errors.Join(os.Mkdir(at(dir), 0o700), os.Symlink(passwd, at(link)), os.WriteFile(filepath.Join(backup, bad), disk.Random(2<<20+77, 998), 0o600)); err != nil {
		t.Fatal(err)
	}
	faults := map[string]string{short: "size", long: "size", gone: "missing", other: "size", dir: "misplaced", link: "misplaced", bad: "damaged"}
	named := func(what string, r check.Report, repaired bool) {
		t.Helper()
		got := map[string]check.Problem{}
		for _, p := range r.Problems {
			if p.Kind == "blob" {
				got[filepath.Join("blobs", p.SHA256[:2], p.SHA256[2:])] = p
			}
		}
		for name, fault := range faults {
			if p := got[name]; p.Fault != fault || len(p.Files) != 1 || p.Repaired != (repaired && name != bad) {
				t.Errorf("%s: %s: %+v, want %s", what, name, p, fault)
			}
		}
		if len(got) != len(faults) || r.Found != len(r.Problems) {
			t.Errorf("%s: %+v", what, r)
		}
	}
	named("check", w.check(), false)
	repaired, after := w.repair(backup)
	named("repair", repaired, true)
	if after.Found != 1 || after.Problems[0].Fault != "damaged" || !strings.Contains(bad, after.Problems[0].SHA256[2:]) {
		t.Errorf("after the repair: %+v", after)
	}
	kept, err := os.ReadDir(at("blobs/damaged"))
	if err != nil || len(kept) < 5 {
		t.Errorf("what was damaged is not kept: %v, %v", kept, err)
	}
	if b, err := os.ReadFile(at(gone)); err != nil || !bytes.Equal(b, disk.Random(1<<20, 103)) {
		t.Errorf("the blob that was missing: %v", err)
	}
}
