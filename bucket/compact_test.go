package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"alcove/bucket/compaction"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
	"alcove/record"
	"go.etcd.io/bbolt"
)

// childKill says at which of its notes a process that compacts kills itself.
const childKill = "ALCOVE_BUCKET_KILL"

// compactKilled compacts the store of dir, and kills the process at its n-th note.
func compactKilled(dir, n string) {
	left, err := strconv.Atoi(n)
	if err == nil {
		_, err = Compact(context.Background(), dir, compaction.Options{Note: func(stage string, _, _ int64) {
			if left--; left == 0 {
				fmt.Println(stage)
				if self, err := os.FindProcess(os.Getpid()); err == nil {
					self.Kill()
				}
				select {}
			}
		}})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// grown makes a store of some MiB of which most was deleted again.
func grown(t *testing.T, dir string) {
	t.Helper()
	grownOnce.Do(func() { grownFile = grow(t) })
	if err := os.WriteFile(filepath.Join(dir, FileName), grownFile, 0o600); err != nil {
		t.Fatal(err)
	}
}

var (
	grownOnce sync.Once
	grownFile []byte
)

func grow(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	article := func(id int64, n int) func(*Tx) error {
		return func(tx *Tx) error {
			text := strings.Repeat(fmt.Sprintf("text %d of %d, ", n, id), 60)
			return errors.Join(
				Articles.Put(tx, id, &record.Article{Working: record.Working{ID: id, AccountID: id % 3, Created: tx.Now(), Metadata: record.Metadata{Title: "T", Description: text}}}),
				ArticleDocs.Put(tx, Pair{id, 1}, Doc{List: []byte(`"` + text + `"`), Full: []byte(`"` + text + text + `"`)}),
			)
		}
	}
	const articles, each = 1000, 100
	for first := int64(1); first <= articles; first += each {
		write(t, db, func(tx *Tx) error {
			for id := first; id < first+each; id++ {
				if _, err := Articles.NextID(tx); err != nil {
					return err
				}
				if err := article(id, 0)(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	write(t, db, func(tx *Tx) error {
		large := strings.Repeat("large ", 20<<10)
		if err := Articles.Put(tx, 7, &record.Article{Working: record.Working{ID: 7, Metadata: record.Metadata{Description: large}}}); err != nil {
			return err
		}
		for id := int64(1); id <= articles; id++ {
			if id%5 == 2 {
				continue
			}
			if err := errors.Join(Articles.Delete(tx, id), ArticleDocs.Delete(tx, Pair{id, 1})); err != nil {
				return err
			}
		}
		return putPerson(1, "P")(tx)
	})
	write(t, db, article(2, 1))
	if free, size := db.Free(); free < size/3 { // the rest was taken ahead
		t.Fatalf("of %d bytes %d are free, too few for a test", size, free)
	}
	if db.WorthCompacting() {
		t.Error("the stop is not worth it with so small a file")
	}
	n, err := db.file.Used()
	if err != nil {
		t.Fatal(err)
	}
	closeDB(t, db)
	return readFile(t, filepath.Join(dir, FileName))[:n] // what was taken ahead only costs time here
}

// everything is what the buckets of a file have, read by bbolt: their sequences, keys and values.
func everything(t *testing.T, path string) map[string]string {
	t.Helper()
	b, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	all := map[string]string{}
	err = b.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			all[string(name)] = fmt.Sprint("sequence ", b.Sequence())
			return b.ForEach(func(k, v []byte) error {
				if v == nil {
					t.Errorf("%q in %q is a bucket", k, name)
				}
				all[string(name)+"/"+string(k)] = string(v)
				return nil
			})
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameContents compares what two files have.
func sameContents(t *testing.T, is, want map[string]string) {
	t.Helper()
	wrong := 0
	for k, v := range want {
		if got, there := is[k]; !there || got != v {
			wrong++
		}
	}
	if wrong > 0 || len(is) != len(want) {
		t.Errorf("%d of %d entries are missing or others, and there are %d now", wrong, len(want), len(is))
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// onlyDatabase checks that a data directory has the database, perhaps its identity, and nothing else.
func onlyDatabase(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil || len(list) == 0 || list[0].Name() != FileName || len(list) > 1 && list[1].Name() != identity.File || len(list) > 2 {
		t.Errorf("the directory has %v, %v", list, err)
	}
}

// A store that was compacted has what it had, to the byte, in a file without free pages, and goes
// on where it was.
func TestCompact(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	grown(t, dir)
	before := everything(t, path)
	var stages []string
	r, err := Compact(t.Context(), dir, compaction.Options{Note: func(stage string, done, all int64) {
		if len(stages) == 0 || stages[len(stages)-1] != stage {
			stages = append(stages, stage)
		}
		if done < 0 || done > all {
			t.Errorf("%s: %d of %d", stage, done, all)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{compaction.StageLook, compaction.StageCopy, compaction.StageCompare, compaction.StageReplace}; fmt.Sprint(stages) != fmt.Sprint(want) {
		t.Errorf("stages %q", stages)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if r.After != info.Size() || r.Before < 3*r.After || r.Free < r.Before/2 || r.Entries < 2500 || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v; the file has %d bytes, mode %v", r, info.Size(), info.Mode())
	}
	onlyDatabase(t, dir)
	sameContents(t, everything(t, path), before)

	db := openDB(t, dir, Options{})
	if free, size := db.Free(); free > size/20 {
		t.Errorf("of %d bytes %d are free", size, free)
	}
	write(t, db, func(tx *Tx) error {
		id, err := Articles.NextID(tx)
		if err == nil && id != 1001 {
			err = fmt.Errorf("the next id is %d", id)
		}
		return errors.Join(err, putPerson(2, "after")(tx))
	})
	hasPeople(t, db, 3, func(id int64) bool { return id < 3 })
	read(t, db, (*Tx).CheckChain)
	closeDB(t, db)
	before = everything(t, path)
	if r, err = Compact(t.Context(), dir, compaction.Options{}); err != nil || r.After > r.Before {
		t.Errorf("once more: %+v, %v", r, err)
	}
	sameContents(t, everything(t, path), before)
}

// A process that is killed at any moment of it leaves the old or the new file, whole
// in either case, and nothing that a start or the next run stumbles over.
func TestCompactKilled(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	grown(t, dir)
	old := readFile(t, filepath.Join(dir, FileName))
	want := everything(t, filepath.Join(dir, FileName))
	killed, left := map[string]int{}, 0
	for n := 1; ; n++ {
		work := t.TempDir()
		path := filepath.Join(work, FileName)
		if err := os.WriteFile(path, old, 0o600); err != nil {
			t.Fatal(err)
		}
		c := child(t, "compact", work)
		c.Env = append(c.Env, fmt.Sprint(childKill, "=", n))
		out, err := c.Output()
		if err == nil {
			break // it was through before that note
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("kill %d: %v: %s", n, err, exit.Stderr)
		}
		stage := strings.TrimSpace(string(out))
		killed[stage]++
		if _, err := os.Lstat(half(path)); err == nil {
			left++
		}
		if now := readFile(t, path); !bytes.Equal(now, old) {
			if stage != compaction.StageReplace {
				t.Fatalf("killed while %s: the file is another", stage)
			}
			sameContents(t, everything(t, path), want)
		}
		if n%2 == 0 {
			if _, err := Compact(t.Context(), work, compaction.Options{}); err != nil {
				t.Fatalf("killed while %s, and compacted again: %v", stage, err)
			}
			onlyDatabase(t, work)
		}
		db := openDB(t, work, Options{})
		onlyDatabase(t, work)
		read(t, db, (*Tx).CheckChain)
		closeDB(t, db)
		sameContents(t, everything(t, path), want)
	}
	if killed[compaction.StageLook] == 0 || killed[compaction.StageCopy] < 2 || killed[compaction.StageCompare] < 2 || killed[compaction.StageReplace] != 2 || left < 4 {
		t.Errorf("killed at %v, a new file was left %d times", killed, left)
	}
}

// A file that an interrupted run has left is removed by the next start and replaced by the next run, and
// is never taken for the database, whatever it is.
func TestCompactLeftover(t *testing.T) {
	onFile(t)
	t.Parallel()
	other := t.TempDir()
	db := openDB(t, other, Options{})
	write(t, db, putPerson(9, "of another store"))
	closeDB(t, db)
	for name, left := range map[string][]byte{"half a file": []byte("half a database"), "a store": readFile(t, filepath.Join(other, FileName)), "nothing": {}} {
		for _, next := range []string{"start", "run"} {
			dir := t.TempDir()
			db := openDB(t, dir, Options{})
			write(t, db, putPerson(1, "P"))
			closeDB(t, db)
			if err := os.WriteFile(filepath.Join(dir, halfName), left, 0o600); err != nil {
				t.Fatal(err)
			}
			if next == "run" {
				if _, err := Compact(t.Context(), dir, compaction.Options{}); err != nil {
					t.Errorf("%s, %s: %v", name, next, err)
				}
				onlyDatabase(t, dir)
			}
			hasPeople(t, openDB(t, dir, Options{}), 9, func(id int64) bool { return id == 1 })
			onlyDatabase(t, dir)
		}
	}
}

// A command that is interrupted leaves the database as it was, at every stage.
func TestCompactInterrupted(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir := t.TempDir()
	grown(t, dir)
	old := readFile(t, filepath.Join(dir, FileName))
	for _, at := range []string{compaction.StageLook, compaction.StageCopy, compaction.StageCompare, compaction.StageReplace} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Compact(ctx, dir, compaction.Options{Note: func(stage string, done, _ int64) {
			if stage == at && done == 0 {
				cancel()
			}
		}})
		if err == nil || !strings.Contains(err.Error(), "interrupted; the database is as it was") {
			t.Errorf("interrupted while %s: %v", at, err)
		}
		if !bytes.Equal(readFile(t, filepath.Join(dir, FileName)), old) {
			t.Errorf("interrupted while %s: the file is another", at)
		}
		onlyDatabase(t, dir)
	}
}

// The link to a database on another disk stays, and one of an older program is prepared.
func TestCompactElsewhere(t *testing.T) {
	onFile(t)
	t.Parallel()
	dir, disk := t.TempDir(), t.TempDir()
	grown(t, disk)
	raw(t, disk, func(tx kv.Tx) error {
		return errors.Join(tx.Bucket(metaBucket).Put([]byte("schema"), []byte("old")), tx.Drop(ArticlesByCreated.bucketName()))
	})
	if err := os.Symlink(filepath.Join(disk, FileName), filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(disk, halfName), []byte("left"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Compact(t.Context(), dir, compaction.Options{})
	if err != nil || r.After > r.Before/2 {
		t.Errorf("%+v, %v", r, err)
	}
	onlyDatabase(t, disk)
	if to, err := os.Readlink(filepath.Join(dir, FileName)); err != nil || to != filepath.Join(disk, FileName) {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	db := openDB(t, dir, Options{})
	read(t, db, func(tx *Tx) error {
		n := 0
		for range ArticlesByCreated.Ascending(tx, nil) {
			n++
		}
		if n != 200 {
			t.Errorf("%d articles in the index", n)
		}
		return tx.CheckChain()
	})
}
