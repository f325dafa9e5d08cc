package bucket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"alcove/bucket/bolt"
	"alcove/bucket/kv"
	"alcove/bucket/lock"
	"alcove/record"
	"go.etcd.io/bbolt"
)

// The test binary runs itself as another process where a test needs one: childMode says
// what it does then, childDir where the store is.
const (
	childMode = "ALCOVE_BUCKET_CHILD"
	childDir  = "ALCOVE_BUCKET_DIR"
)

func TestMain(m *testing.M) {
	switch os.Getenv(childMode) {
	case "":
		if os.Getenv("GORACE") == "" {
			os.Setenv("GORACE", "atexit_sleep_ms=0") // children end without a second of waiting for more races
		}
		os.Exit(m.Run())
	case "open":
		db, err := Open(os.Getenv(childDir), Options{})
		switch {
		case errors.Is(err, lock.ErrInUse):
			fmt.Println("in use")
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println("open")
			db.Close()
		}
	case "compact":
		compactKilled(os.Getenv(childDir), os.Getenv(childKill))
	case "write":
		if err := writeForever(os.Getenv(childDir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// writeForever stores articles from several goroutines and prints the id of each once
// its Update has returned. It ends when the process is killed.
func writeForever(dir string) error {
	db, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	var out sync.Mutex
	failed := make(chan error)
	for range 8 {
		go func() {
			for {
				var id int64
				err := db.Update(context.Background(), 7, func(tx *Tx) (err error) {
					if id, err = Articles.NextID(tx); err != nil {
						return err
					}
					return Articles.Put(tx, id, &record.Article{Working: record.Working{ID: id, AccountID: id % 3, Created: tx.Now()}})
				})
				if err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(id)
				out.Unlock()
			}
		}()
	}
	return <-failed
}

// child is this binary as another process on the store of dir.
func child(t *testing.T, mode, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), exe)
	c.Env = append(os.Environ(), childMode+"="+mode, childDir+"="+dir)
	return c
}

// onFile skips a test of what only the file of bbolt has where the store is not in one.
func onFile(t testing.TB) {
	t.Helper()
	if engineOf("") != nil {
		t.Skip("about the file of bbolt")
	}
}

func openDB(t testing.TB, dir string, o Options) *DB {
	t.Helper()
	db, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func closeDB(t testing.TB, db *DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// write runs fn in an Update that must succeed.
func write(t testing.TB, db *DB, fn func(*Tx) error) {
	t.Helper()
	if err := db.Update(context.Background(), 1, fn); err != nil {
		t.Fatal(err)
	}
}

// read runs fn in a View that must succeed.
func read(t testing.TB, db *DB, fn func(*Tx) error) {
	t.Helper()
	if err := db.View(fn); err != nil {
		t.Fatal(err)
	}
}

// putPerson is a write that stores a person under an id.
func putPerson(id int64, name string) func(*Tx) error {
	return func(tx *Tx) error { return People.Put(tx, id, &record.Person{ID: id, FullName: name}) }
}

// hasPeople checks which people of 1 to n the store has.
func hasPeople(t testing.TB, db *DB, n int64, want func(id int64) bool) {
	t.Helper()
	read(t, db, func(tx *Tx) error {
		for id := int64(1); id <= n; id++ {
			if got := People.Has(tx, id); got != want(id) {
				t.Errorf("the store has person %d: %v", id, got)
			}
		}
		return nil
	})
}

// raw changes the file of a closed store behind the back of this package.
func raw(t testing.TB, dir string, fn func(kv.Tx) error) {
	t.Helper()
	s := engineOf(dir)
	if s == nil {
		b, err := bbolt.Open(filepath.Join(dir, FileName), 0o600, &bbolt.Options{Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		s = &bolt.Store{DB: b}
	}
	err := kv.Update(s, func(tx kv.Tx) error {
		m := tx.Bucket(metaBucket)
		summed := m != nil && m.Get(sumKey) != nil
		err := fn(tx)
		if summed && m.Get(sumKey) != nil {
			err = errors.Join(err, m.Put(sumKey, settingsSum(m)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rawBucket changes one bucket of an open store behind the back of its tables. No write
// may be under way.
func rawBucket(t testing.TB, db *DB, name string, fn func(kv.Bucket) error) {
	t.Helper()
	if err := kv.Update(db.kv, func(tx kv.Tx) error { return fn(tx.Bucket(name)) }); err != nil {
		t.Fatal(err)
	}
}

// checkTable compares the records of a table with a model, and every index with what a
// rebuild from the records would hold.
func checkTable[K comparable, R any](tx *Tx, table *Table[K, R], model map[K]R) error {
	n, wants, sums := 0, make([]map[string][]byte, len(table.Any.indexes)), make([]int64, len(table.Any.indexes))
	for i := range wants {
		wants[i] = map[string][]byte{}
	}
	for row, err := range table.All(tx, nil) {
		if err != nil {
			return err
		}
		n++
		m, ok := model[row.Key]
		if !ok {
			return fmt.Errorf("%s has a record %v", table.Name(), row.Key)
		}
		got, _ := encode(row.Record)
		if want, _ := encode(&m); !bytes.Equal(got, want) {
			return fmt.Errorf("%s has under %v\n%s, want\n%s", table.Name(), row.Key, got, want)
		}
		key := table.codec.enc(row.Key)
		for i, ix := range table.Any.indexes {
			if ix.sum != nil {
				sums[i] += ix.sum(row.Record)
				continue
			}
			entries, err := ix.places(tx, key, row.Record)
			if err != nil {
				return err
			}
			for _, e := range entries {
				k := join(e.Sort, key)
				wants[i][string(k)] = ix.sealed(k, len(key), e.Value)
			}
		}
	}
	if n != len(model) {
		return fmt.Errorf("%s has %d records, want %d", table.Name(), n, len(model))
	}
	for i, ix := range table.Any.indexes {
		if ix.sum != nil {
			if got := (Total{ix}).Sum(tx); got != sums[i] {
				return fmt.Errorf("total %s is %d, want %d", ix.name, got, sums[i])
			}
			continue
		}
		got := 0
		for k, v := range tx.bucket(ix.bucketName()).Ascend(nil) {
			got++
			if want, ok := wants[i][string(k)]; !ok || !bytes.Equal(v, want) {
				return fmt.Errorf("index %s has %x → %x, want %x (%v)", ix.name, k, v, want, ok)
			}
		}
		if got != len(wants[i]) {
			return fmt.Errorf("index %s has %d entries, want %d", ix.name, got, len(wants[i]))
		}
	}
	return nil
}

// encode gives the JSON of a record.
func encode(v any) ([]byte, error) {
	b, err := envelope(v)
	if err != nil {
		return nil, err
	}
	return b[envelopeHead:], nil
}
