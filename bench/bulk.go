package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// Names of what is loaded in bulk; a request is an item there.
const (
	bulkImport = "alcove import, records alone"
	bulkRaw    = "bbolt alone, the same keys and values"
	bulkIndex  = "alcove index rebuild, both indexes"
	bulkBleve  = "Bleve alone, the same documents twice"
)

const (
	bulkItems = 20000 // items of the corpus that are loaded, at most
	bulkPart  = 500   // lines between two looks at which keys are new
)

// bulk loads the first items of a corpus into new repositories, and puts the keys and values that
// this leaves in the store into a bare store.
type bulk struct {
	program, dir string
	lines        [][]byte
	texts        []article

	source   *bbolt.DB          // a repository with the items
	arrivals []arrival          // all its keys in the order in which they came
	commits  int                // in how many commits an import brings them
	sized    map[string]float64 // bytes of the indexes for each item
}

// arrival is a key that was new after a part of the items.
type arrival struct {
	part       int
	bucket     string
	key, value []byte
}

// newBulk takes the items, and learns what an import of them writes in which order.
func newBulk(ctx context.Context, program, corpus, dir string) (*bulk, error) {
	b := &bulk{program: program, dir: dir, sized: map[string]float64{}}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot load in bulk: %w", err)
	}
	err := each(corpus, bulkItems, func(_ int, a article) error {
		b.texts = append(b.texts, a)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if b.lines, err = firstLines(filepath.Join(corpus, "items.jsonl"), len(b.texts)); err != nil {
		return nil, err
	}
	return b, b.learn(ctx)
}

// firstLines are the first n lines of a file.
func firstLines(path string, n int) ([][]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the corpus: %w", err)
	}
	defer f.Close()
	buf := make([]byte, n*4<<10) // a line has some 600 bytes
	read, err := f.ReadAt(buf, 0)
	if read == 0 {
		return nil, fmt.Errorf("cannot read the corpus: %w", err)
	}
	all := bytes.SplitAfterN(buf[:read], []byte("\n"), n+1)
	return all[:min(n, len(all))], nil
}

// write writes lines to a file in dir and returns its path.
func (b *bulk) write(name string, lines [][]byte) (string, error) {
	path := filepath.Join(b.dir, name)
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
		return "", fmt.Errorf("cannot write items: %w", err)
	}
	return path, nil
}

// load imports a file without its index, and tells what that took.
func (b *bulk) load(ctx context.Context, data, account, file string) (wall, cpu time.Duration, err error) {
	return timed(ctx, b.program, "import", "--data", data, "--account", account, "--base-url", address, "--index-later", file)
}

// learn imports the items part by part. The bare store gets the last value of a key in its place,
// once, although some were written more often.
func (b *bulk) learn(ctx context.Context) error {
	data := filepath.Join(b.dir, "learned")
	account, _, err := newRepository(ctx, b.dir, data, b.program)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	if err := b.note(data, -1, have); err != nil {
		return err
	}
	b.arrivals = nil // what a new repository has
	for from := 0; from < len(b.lines); from += bulkPart {
		file, err := b.write("part.jsonl", b.lines[from:min(from+bulkPart, len(b.lines))])
		if err != nil {
			return err
		}
		if _, _, err := b.load(ctx, data, account, file); err != nil {
			return err
		}
		if err := b.note(data, from/bulkPart, have); err != nil {
			return err
		}
	}
	if b.source, err = openStore(data); err != nil {
		return err
	}
	return b.source.View(func(tx *bbolt.Tx) error {
		for i := range b.arrivals {
			a := &b.arrivals[i]
			a.value = bytes.Clone(tx.Bucket([]byte(a.bucket)).Get(a.key))
		}
		return nil
	})
}

// note adds the keys that were not there before.
func (b *bulk) note(data string, part int, have map[string]bool) error {
	db, err := openStore(data)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, in *bbolt.Bucket) error {
			return in.ForEach(func(k, v []byte) error {
				if id := string(name) + "\x00" + string(k); v != nil && !have[id] {
					have[id] = true
					b.arrivals = append(b.arrivals, arrival{part: part, bucket: string(name), key: bytes.Clone(k)})
				}
				return nil
			})
		})
	})
}

// rounds does everything n times, one after the other.
func (b *bulk) rounds(ctx context.Context, n int, r *results) error {
	file, err := b.write("items.jsonl", b.lines)
	if err != nil {
		return err
	}
	r.names = append(r.names, bulkImport, bulkRaw, bulkIndex, bulkBleve)
	for round := range n {
		begin := time.Now()
		data := filepath.Join(b.dir, fmt.Sprint("import-", round))
		account, _, err := newRepository(ctx, b.dir, data, b.program)
		if err != nil {
			return err
		}
		before, err := commits(data)
		if err != nil {
			return err
		}
		if err := b.took(r, bulkImport)(b.load(ctx, data, account, file)); err != nil {
			return err
		}
		after, err := commits(data)
		if err != nil {
			return err
		}
		b.commits = max(1, after-before)
		if err := b.took(r, bulkRaw)(b.raw(filepath.Join(b.dir, "raw.db"))); err != nil {
			return err
		}
		if err := b.took(r, bulkIndex)(timed(ctx, b.program, "index", "rebuild", "--data", data)); err != nil {
			return err
		}
		if err := b.took(r, bulkBleve)(indexAlone(filepath.Join(b.dir, "bleve"), b.texts)); err != nil {
			return err
		}
		if err := b.sizes(data); err != nil {
			return err
		}
		if err := errors.Join(os.RemoveAll(data), os.RemoveAll(filepath.Join(b.dir, "bleve"))); err != nil {
			return fmt.Errorf("cannot clear what was loaded: %w", err)
		}
		say("bulk load %d of %d: %v", round+1, n, time.Since(begin).Round(time.Second))
	}
	return nil
}

// took notes what loading the items took.
func (b *bulk) took(r *results, name string) func(wall, cpu time.Duration, err error) error {
	return func(wall, cpu time.Duration, err error) error {
		if err != nil {
			return err
		}
		n := float64(len(b.lines))
		r.samples[name] = append(r.samples[name], sample{rps: n / wall.Seconds(), cpu: float64(cpu.Microseconds()) / n, p50: math.NaN(), p99: math.NaN()})
		return nil
	}
}

// sizes notes the bytes for each item of the indexes.
func (b *bulk) sizes(data string) error {
	for name, dir := range map[string]string{bulkIndex: filepath.Join(data, "index"), bulkBleve: filepath.Join(b.dir, "bleve")} {
		use, err := diskUse(dir)
		if err != nil {
			return err
		}
		sum := int64(0)
		for _, n := range use {
			sum += n
		}
		b.sized[name] = float64(sum) / float64(len(b.lines))
	}
	return nil
}

// raw puts all keys into a new store, in as many commits as the import took and in the
// order in which they came; those of one commit are put bucket by bucket, as keys sort,
// which is best for bbolt. It tells bbolt, as Alcove does, where keys only ascend.
func (b *bulk) raw(path string) (wall, cpu time.Duration, err error) {
	ascend := ascending(b.arrivals)
	groups := slices.Collect(slices.Chunk(b.arrivals, max(1, (len(b.arrivals)+b.commits-1)/b.commits)))
	for _, g := range groups {
		slices.SortFunc(g, func(x, y arrival) int {
			return cmp.Or(strings.Compare(x.bucket, y.bucket), bytes.Compare(x.key, y.key))
		})
	}
	before, err := selfTime()
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{FreelistType: bbolt.FreelistMapType, InitialMmapSize: 1 << 30})
	for i := 0; i < len(groups) && err == nil; i++ {
		err = db.Update(func(tx *bbolt.Tx) error { return putAll(tx, groups[i], ascend) })
	}
	if err == nil {
		err = db.Close()
	}
	wall = time.Since(begin)
	after, err2 := selfTime()
	if err := errors.Join(err, err2, os.Remove(path)); err != nil {
		return 0, 0, fmt.Errorf("cannot fill a store: %w", err)
	}
	return wall, after - before, nil
}

// said is what the bare store was given.
func (b *bulk) said() string {
	sum := 0
	for _, a := range b.arrivals {
		sum += len(a.key) + len(a.value)
	}
	n := len(b.lines)
	return fmt.Sprintf("Bulk loads are of %d items: %d keys for each with %d bytes of keys and values, in %d commits", n, len(b.arrivals)/n, sum/n, b.commits)
}

func putAll(tx *bbolt.Tx, all []arrival, ascend map[string]bool) (err error) {
	var in *bbolt.Bucket
	for i, a := range all {
		if i == 0 || a.bucket != all[i-1].bucket {
			if in, err = tx.CreateBucketIfNotExists([]byte(a.bucket)); err != nil {
				return err
			}
			if ascend[a.bucket] {
				in.FillPercent = 0.9
			}
		}
		if err := in.Put(a.key, a.value); err != nil {
			return err
		}
	}
	return nil
}

// ascending are the buckets whose keys came after all before them, part by part.
func ascending(all []arrival) map[string]bool {
	type seen struct {
		part       int
		last, most []byte // the highest key of the parts before, and of all
	}
	is, state := map[string]bool{}, map[string]*seen{}
	for _, a := range all {
		s := state[a.bucket]
		if s == nil {
			s = &seen{part: a.part}
			state[a.bucket], is[a.bucket] = s, true
		}
		if a.part != s.part {
			s.part, s.last = a.part, s.most
		}
		if bytes.Compare(a.key, s.last) < 0 {
			is[a.bucket] = false
		}
		if bytes.Compare(a.key, s.most) > 0 {
			s.most = a.key
		}
	}
	return is
}

// commits is how many there have been in a store.
func commits(data string) (n int, err error) {
	db, err := openStore(data)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error { n = tx.ID(); return nil })
	return n, err
}

// timed runs a program to its end, and tells how long it took and its processor time.
func timed(ctx context.Context, program string, args ...string) (wall, cpu time.Duration, err error) {
	cmd := exec.CommandContext(ctx, program, args...)
	begin := time.Now()
	if said, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("cannot run %s %v: %w: %s", filepath.Base(program), args, err, said)
	}
	return time.Since(begin), cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}

func (b *bulk) close() {
	if b.source != nil {
		b.source.Close()
	}
}
