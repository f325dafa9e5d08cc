package crash

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"alcove/check"
	"alcove/tests/disk"
)

// A bit that flips in a blob is named by alcove check with each file and article that has it, and
// a server never sends a wrong byte of it (security.md K12, K15).
func TestFlippedBlobs(t *testing.T) {
	t.Parallel()
	w := newFlipWorld(t)
	files := map[string]string{} // path of the blob → address of the file
	for _, p := range w.paths {
		if strings.HasPrefix(p, "/files/") {
			delete(w.answers, p)
		}
	}
	w.fresh()
	if r := w.check(); r.Found != 0 || r.Blobs < 8 {
		t.Fatalf("what is whole: %+v", r)
	}
	whole := map[string][]byte{}
	if err := w.serve(func(url string) {
		for id := 1; id <= 12; id++ {
			if status, body := w.ask(url, fmt.Sprintf("/files/%d", id)); status == 200 {
				sum := fmt.Sprintf("%x", sha256.Sum256(body))
				files[filepath.Join("blobs", sum[:2], sum[2:])] = fmt.Sprintf("/files/%d", id)
				whole[fmt.Sprintf("/files/%d", id)] = body
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	blobs := make([]string, 0, len(files))
	for b := range files {
		blobs = append(blobs, b)
	}
	sort.Strings(blobs)
	dice := rand.New(rand.NewPCG(*flipsSeed, 2))
	tally := map[string]int{}
	for n := range *flipsBlobs {
		blob := blobs[dice.IntN(len(blobs))]
		address := files[blob]
		at, bit := dice.IntN(len(whole[address])), dice.IntN(8)
		what := fmt.Sprintf("flip %d, %s, byte %d, bit %d", n, address, at, bit)
		w.fresh()
		path := filepath.Join(w.work, blob)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		flipped := bytes.Clone(whole[address])
		flipped[at] ^= 1 << bit
		if err := os.Remove(path); err != nil { // it is shared with the original
			t.Fatal(err)
		}
		disk.WriteFile(t, path, flipped)
		if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if n%2 == 0 { // otherwise the server meets it before any check does
			tally[w.namesBlob(what, blob, address)]++
		}
		err = w.serve(func(url string) {
			for a, good := range whole {
				status, body := w.ask(url, a)
				switch {
				case status == 200 && !bytes.Equal(body, good):
					tally["wrong"]++
					t.Errorf("%s: wrong bytes of %s", what, a)
				case a != address && status != 200:
					t.Errorf("%s: %s, which is whole, was answered with %d", what, a, status)
				case a == address && status == 200:
					t.Errorf("%s: was sent", what)
				default:
					tally["answers"]++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if n%2 == 1 {
			tally[w.namesBlob(what, blob, address)]++
		}
	}
	t.Logf("seed %d: %v", *flipsSeed, tally)
}

// namesBlob checks, and says whether a blob alone was named, with its file.
func (w *flipWorld) namesBlob(what, blob, address string) string {
	r := w.check()
	sum := strings.ReplaceAll(strings.TrimPrefix(blob, "blobs"), "/", "")
	if r.Found != 1 || r.Problems[0].SHA256 != sum || r.Problems[0].Fault != "damaged" || len(r.Problems[0].Files) == 0 ||
		!slices.ContainsFunc(r.Problems[0].Files, func(f check.BlobFile) bool { return fmt.Sprintf("/files/%d", f.File) == address && f.Article > 0 }) {
		w.t.Errorf("%s is not named, or not alone: %+v", what, r)
		return "not named"
	}
	return "named"
}
