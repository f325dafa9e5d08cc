package bucket

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/identity"
	"alcove/bucket/kv"
	"alcove/bucket/lock"
	"alcove/record"
)

// A second Open of a directory is refused at once, in this process and from another.
func TestInUse(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	start := time.Now()
	if _, err := Open(dir, Options{}); !errors.Is(err, lock.ErrInUse) {
		t.Errorf("the second Open: %v", err)
	}
	if took := time.Since(start); took > 3*time.Second {
		t.Errorf("the refusal took %v", took)
	}
	answer := func() string {
		out, err := child(t, "open", dir).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if got := answer(); got != "in use" {
		t.Errorf("another process: %s", got)
	}
	write(t, db, putPerson(1, "P")) // the one that has it goes on
	closeDB(t, db)
	if got := answer(); got != "open" {
		t.Errorf("another process after Close: %s", got)
	}
	hasPeople(t, openDB(t, dir, Options{}), 1, func(int64) bool { return true })
}

// A process that is killed while it writes loses nothing that it was told is stored.
func TestKilled(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	c := child(t, "write", dir)
	c.Stderr = os.Stderr
	pipe, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	if line, err := lines.ReadString('\n'); line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, lock.ErrInUse) {
		t.Errorf("Open while it runs: %v", err)
	}
	ids := map[int64]bool{}
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF {
			break // what is cut off was not told in full
		}
		if err != nil {
			t.Fatal(err)
		}
		id, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
		if err != nil || ids[id] {
			t.Fatalf("%q: %v; seen before: %v", line, err, ids[id])
		}
		if ids[id] = true; len(ids) == 100 {
			c.Process.Kill()
		}
	}
	c.Wait()
	if len(ids) < 100 {
		t.Fatalf("only %d writes before the process ended", len(ids))
	}
	db := openDB(t, dir, Options{})
	read(t, db, func(tx *Tx) error {
		model := map[int64]record.Article{}
		for row, err := range Articles.All(tx, nil) {
			if err != nil {
				return err
			}
			model[row.Key] = *row.Record
		}
		for id := range ids {
			if _, ok := model[id]; !ok {
				t.Errorf("article %d is lost", id)
			}
		}
		return errors.Join(checkTable(tx, Articles, model), tx.CheckChain())
	})
	write(t, db, func(tx *Tx) error {
		id, err := Articles.NextID(tx)
		if ids[id] {
			return fmt.Errorf("id %d is given again", id)
		}
		return err
	})
}

// The file of a store that was never closed opens with all that was stored.
func TestCopyOfOpenFile(t *testing.T) {
	onFile(t)
	dir, other := t.TempDir(), t.TempDir()
	db := openDB(t, dir, Options{})
	for id := int64(1); id <= 20; id++ {
		write(t, db, putPerson(id, "P"))
	}
	copyFile(t, filepath.Join(dir, FileName), filepath.Join(other, FileName))
	again := openDB(t, other, Options{})
	hasPeople(t, again, 21, func(id int64) bool { return id <= 20 })
	read(t, again, (*Tx).CheckChain)
	if again.Sequence() != 20 || !again.LastChange().Equal(db.LastChange()) {
		t.Errorf("sequence %d at %v, want 20 at %v", again.Sequence(), again.LastChange(), db.LastChange())
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A first start makes the database, says whose the directory is, and makes nothing else; what an earlier one left when it
// crashed is in the way of nothing.
func TestFirstStart(t *testing.T) {
	onFile(t)
	dir := t.TempDir()
	for _, name := range []string{".new-db-123", bolt.RepairPrefix + "456", halfName} { // the last two go: none is made while the lock is held
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half a database"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db := openDB(t, dir, Options{})
	if db.Sequence() != 0 || !db.LastChange().IsZero() || db.Stopped() {
		t.Errorf("a new store is at %d, %v", db.Sequence(), db.LastChange())
	}
	write(t, db, putPerson(1, "P"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if fmt.Sprint(names) != "[.new-db-123 "+FileName+" "+identity.File+"]" {
		t.Errorf("the directory has %v", names)
	}
	info, err := os.Stat(filepath.Join(dir, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the database has mode %v", info.Mode())
	}
	if _, err := Open(filepath.Join(dir, "absent"), Options{}); err == nil || !strings.HasPrefix(err.Error(), "cannot ") {
		t.Errorf("in a directory that is not there: %v", err)
	}
}

// Of many first starts at once one gets the store, and none replaces its file.
func TestConcurrentFirstStarts(t *testing.T) {
	onFile(t)
	for range 5 {
		dir := t.TempDir()
		var all sync.WaitGroup
		var mu sync.Mutex
		var winners []*DB
		for range 8 {
			all.Go(func() {
				db, err := Open(dir, Options{})
				if err != nil {
					if !errors.Is(err, lock.ErrInUse) {
						t.Errorf("a first start: %v", err)
					}
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if winners = append(winners, db); len(winners) == 1 {
					write(t, db, putPerson(1, "P"))
				}
			})
		}
		all.Wait()
		if len(winners) != 1 {
			t.Fatalf("%d of 8 first starts got the store", len(winners))
		}
		closeDB(t, winners[0])
		hasPeople(t, openDB(t, dir, Options{}), 1, func(int64) bool { return true })
	}
}

// A file that is not a store of this format is refused with a reason, and never taken for one.
func TestForeignFiles(t *testing.T) {
	onFile(t)
	foreign := func(fill func(kv.Tx) error) func(*testing.T, string) {
		return func(t *testing.T, dir string) { raw(t, dir, fill) }
	}
	content := func(b []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, FileName), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	format := func(value string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			closeDB(t, openDB(t, dir, Options{}))
			raw(t, dir, func(tx kv.Tx) error { return tx.Bucket(metaBucket).Put([]byte("format"), []byte(value)) })
		}
	}
	tests := []struct {
		name string
		make func(*testing.T, string)
		want string
	}{
		{"empty file", content(nil), "the file is empty"},
		{"one byte", content([]byte("x")), "cannot open the database"},
		{"short text", content(bytes.Repeat([]byte("text "), 20)), "cannot open the database"},
		{"a page less one byte", content(bytes.Repeat([]byte("t"), 4095)), "cannot open the database"},
		{"a page", content(bytes.Repeat([]byte("t"), 4096)), "cannot open the database"},
		{"a page and a bit", content(bytes.Repeat([]byte("t"), 5000)), "cannot open the database"},
		{"zeros", content(make([]byte, 40960)), "cannot open the database"},
		{"SQLite", content(append([]byte("SQLite format 3\x00"), make([]byte, 20000)...)), "cannot open the database"},
		{"another program's bbolt file", foreign(func(tx kv.Tx) error {
			_, err := tx.Create("things")
			return err
		}), "it is not one of Alcove's"},
		{"no format", foreign(func(tx kv.Tx) error {
			_, err := tx.Create(metaBucket)
			return err
		}), `its format is ""`},
		{"a newer format", format("3"), `its format is "3", this program reads "1" and "2"`},
		{"a directory", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, FileName), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "cannot open the database"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			test.make(t, dir)
			for range 2 { // the first refusal has not made it acceptable
				if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v, want %s", err, test.want)
				}
			}
		})
	}
}
