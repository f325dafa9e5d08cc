package index

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/record/catalogue"
)

// fingerprint names everything that documents depend on besides the store. When it
// differs from the one in an index, the index is built again.
func fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, schema, maxText, maxTerm, valueGap, wordOptions, exactOptions)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if strings.HasPrefix(m.Path, "github.com/blevesearch/") {
				fmt.Fprintln(h, m.Path, m.Version)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(forms)) {
		fmt.Fprintln(h, name, split(sample, forms[name]))
	}
	fmt.Fprintln(h, plain(sample))
	fmt.Fprintln(h, catalogue.Categories(), catalogue.ItemTypes(), catalogue.PublicLicenses(), catalogue.InstitutionLicenses())
	return hex.EncodeToString(h.Sum(nil))
}

// sample is text whose splitting tells one way of splitting from another.
const sample = `The cells of Müller's co-authors<br>weren&#8217;t H<sub>2</sub>O&eacute; figure3_5.m CamelCase ΣΊΣΥΦΟΣ ` +
	`10.5072/x.1 naïve ﬁle 機械学習 カタカナ 한국어 ภาษาไทย हिन्दी straße universities running generally`

func (ix *Index) path(n int) string { return filepath.Join(ix.dir, fmt.Sprintf("public-%06d", n)) }

// adopt takes the newest usable index of the directory and drops the others.
func (ix *Index) adopt() {
	entries, err := os.ReadDir(ix.dir)
	if err != nil {
		ix.log.Warn("cannot list the search index", "error", err)
	}
	var numbers []int
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), "public-%d", &n); err == nil && n > 0 && filepath.Base(ix.path(n)) == e.Name() {
			numbers = append(numbers, n)
		}
		if strings.HasPrefix(e.Name(), "dropped-") {
			ix.remove(filepath.Join(ix.dir, e.Name()))
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	for _, n := range numbers {
		ix.number = max(ix.number, n)
		if ix.live != nil {
			ix.discard(ix.path(n))
			continue
		}
		g, err := ix.try(ix.path(n))
		if err != nil {
			ix.log.Warn("the search index is dropped and built again", "dir", ix.path(n), "error", err)
			ix.discard(ix.path(n))
			continue
		}
		ix.mu.Lock()
		ix.live, ix.ready, ix.applied = g, true, g.at.seq
		ix.mu.Unlock()
	}
}

// try opens an index that another run has left and checks that it can be used.
func (ix *Index) try(dir string) (*generation, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, errors.New("cannot use the search index: it is not a directory")
	}
	g, err := openGeneration(dir, ix.batchTimeout, ix.failing)
	if err != nil {
		return nil, err
	}
	if err := ix.usable(g); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

func (ix *Index) usable(g *generation) error {
	if err := g.read(ix.fingerprint); err != nil {
		return err
	}
	err := ix.db.View(func(tx *bucket.Tx) error {
		here, err := positionAt(tx, g.at.seq)
		if err == nil && here != g.at {
			err = errors.New("cannot use the search index: the store has another history")
		}
		return err
	})
	if err != nil {
		return err
	}
	paths, size, err := g.segments()
	if err != nil {
		return err
	}
	if size <= verifyAtOnce {
		return verify(ix.ctx, paths)
	}
	ix.verifyLater(g)
	return nil
}

// create makes an empty index that knows what it will have to read.
func (ix *Index) create() (*generation, error) {
	ix.number++
	dir := ix.path(ix.number)
	if _, err := os.Lstat(dir); err == nil {
		ix.discard(dir)
	}
	var at position
	var todo []int64
	// What is committed after this sequence comes from the log, perhaps a second time.
	seq := ix.db.Sequence()
	err := ix.db.View(func(tx *bucket.Tx) (err error) {
		todo = everything(tx)
		at, err = positionAt(tx, seq)
		if damaged(err) {
			at, err = position{seq: seq}, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	g, err := openGeneration(dir, ix.batchTimeout, ix.failing)
	if err != nil {
		ix.discard(dir)
		return nil, err
	}
	g.at, g.todo, g.counted = at, todo, true
	return g, nil
}

// discard removes a directory in the background, under a name that is never opened.
func (ix *Index) discard(dir string) {
	aside := filepath.Join(ix.dir, fmt.Sprintf("dropped-%s-%d", filepath.Base(dir), time.Now().UnixNano()))
	if err := os.Rename(dir, aside); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			ix.log.Warn("cannot move a search index aside", "error", err)
		}
		aside = dir
	}
	ix.remove(aside)
}

func (ix *Index) remove(dir string) {
	ix.tasks.Go(func() {
		if err := os.RemoveAll(dir); err != nil {
			ix.log.Warn("cannot remove an old search index, the next start tries again", "error", err)
		}
	})
}
