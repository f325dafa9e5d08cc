package index

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/record/catalogue"
	"alcove/record/markup"
)

// fingerprint names everything that documents depend on besides the store. When it
// differs from the one in an index, the index is built again.
func fingerprint(kinds []*kind) string {
	h := sha256.New()
	for _, k := range kinds {
		fmt.Fprintln(h, k.id, k.name, slices.Sorted(maps.Keys(k.follows)))
	}
	fmt.Fprintln(h, schema, maxText, maxFiles, maxOwnFiles, maxTerm, valueGap, wordOptions, exactOptions)
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
	fmt.Fprintln(h, markup.Title(sample), markup.Description(sample))
	io.WriteString(h, vocabularies())
	return hex.EncodeToString(h.Sum(nil))
}

// vocabularies are the names that documents get from the catalogue.
var vocabularies = sync.OnceValue(func() string {
	return fmt.Sprintln(catalogue.Categories(), catalogue.ItemTypes(), catalogue.PublicLicenses(), catalogue.InstitutionLicenses())
})

// sample is text whose splitting tells one way of splitting from another.
const sample = `The cells of Müller's co-authors<br>weren&#8217;t H<sub>2</sub>O&eacute; figure3_5.m CamelCase ΣΊΣΥΦΟΣ ` +
	`10.5072/x.1 naïve ﬁle 機械学習 カタカナ 한국어 ภาษาไทย हिन्दी straße universities running generally`

func (sd *subindex) path(n int) string {
	return filepath.Join(sd.dir, fmt.Sprintf("%s-%06d", sd.name, n))
}

// adopt takes the newest usable index of the directory and drops the others.
func (sd *subindex) adopt() {
	entries, err := os.ReadDir(sd.dir)
	if err != nil {
		sd.log.Warn("cannot list the search index", "error", err)
	}
	var numbers []int
	for _, e := range entries {
		var n int
		if _, err := fmt.Sscanf(e.Name(), sd.name+"-%d", &n); err == nil && n > 0 && filepath.Base(sd.path(n)) == e.Name() {
			numbers = append(numbers, n)
		}
		if strings.HasPrefix(e.Name(), "dropped-"+sd.name+"-") {
			sd.remove(filepath.Join(sd.dir, e.Name()))
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	for _, n := range numbers {
		sd.number = max(sd.number, n)
		if sd.live != nil {
			sd.discard(sd.path(n))
			continue
		}
		g, err := sd.try(sd.path(n))
		if err != nil {
			sd.log.Warn("the search index is dropped and built again", "dir", sd.path(n), "error", err)
			sd.discard(sd.path(n))
			sd.failures++
			continue
		}
		sd.mu.Lock()
		sd.live, sd.ready, sd.applied = g, true, g.at.seq
		sd.mu.Unlock()
	}
}

// try opens an index that another run has left and checks that it can be used.
func (sd *subindex) try(dir string) (*generation, error) {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return nil, errors.New("cannot use the search index: it is not a directory")
	}
	checked, err := verifySegments(sd.ctx, dir)
	if err != nil {
		return nil, err
	}
	g, err := openGeneration(dir, sd.batchTimeout, sd.failing)
	if err != nil {
		return nil, err
	}
	if err := sd.usable(g); err != nil {
		g.close()
		return nil, err
	}
	if !checked {
		sd.verifyLater(g)
	}
	return g, nil
}

func (sd *subindex) usable(g *generation) error {
	if err := g.read(sd.fingerprint); err != nil {
		return err
	}
	return sd.db.View(func(tx *bucket.Tx) error {
		here, err := positionAt(tx, g.at.seq)
		if err == nil && here != g.at {
			err = errors.New("cannot use the search index: the store has another history")
		}
		return err
	})
}

// create makes an empty index that knows what it will have to read.
func (sd *subindex) create() (*generation, error) {
	sd.number++
	dir := sd.path(sd.number)
	if _, err := os.Lstat(dir); err == nil {
		sd.discard(dir)
	}
	var at position
	var todo []key
	// All that is committed after this sequence comes from the log, perhaps a second time.
	seq := sd.db.Sequence()
	err := sd.db.View(func(tx *bucket.Tx) (err error) {
		todo = slices.Collect(everything(tx, sd.kinds))
		at, err = positionAt(tx, seq)
		if damaged(err) {
			at, err = position{seq: seq}, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	g, err := openGeneration(dir, sd.batchTimeout, sd.failing)
	if err != nil {
		sd.discard(dir)
		return nil, err
	}
	g.at, g.todo, g.counted = at, todo, true
	sd.show(func() { sd.added, sd.adding, sd.began = 0, len(todo), time.Now() })
	return g, nil
}

// discard removes a directory in the background, under a name that is never opened.
func (sd *subindex) discard(dir string) {
	aside := filepath.Join(sd.dir, fmt.Sprintf("dropped-%s-%d", filepath.Base(dir), time.Now().UnixNano()))
	if err := os.Rename(dir, aside); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			sd.log.Warn("cannot move a search index aside", "error", err)
		}
		aside = dir
	}
	sd.remove(aside)
}

func (sd *subindex) remove(dir string) {
	sd.tasks.Go(func() {
		if err := os.RemoveAll(dir); err != nil {
			sd.log.Warn("cannot remove an old search index, the next start tries again", "error", err)
		}
	})
}
