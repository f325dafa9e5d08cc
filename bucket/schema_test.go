package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"alcove/record"
)

// accounts fills a store and returns what it holds then.
func accounts(t *testing.T, dir string) map[int64]record.Account {
	t.Helper()
	db := openDB(t, dir, Options{})
	model := map[int64]record.Account{}
	write(t, db, func(tx *Tx) (err error) {
		for id, email := range []string{"a@x", "B@x", "c@x"} {
			model[int64(id)] = record.Account{ID: int64(id), Email: email}
			err = errors.Join(err, Accounts.Put(tx, int64(id), &record.Account{ID: int64(id), Email: email}))
		}
		return err
	})
	closeDB(t, db)
	return model
}

// An index that was written under another definition is built again from the records,
// and what is missing in a file of an older program is made.
func TestSchemaChanges(t *testing.T) {
	name := AccountsByEmail.bucketName()
	email := []byte(name)
	tests := map[string]func(tx kv.Tx) error{
		"another version": func(tx kv.Tx) error {
			return errors.Join(tx.Bucket(metaBucket).Put(email, []byte("0")), tx.Bucket(name).Put([]byte("old"), []byte{0}),
				tx.Bucket(name).Delete(join(SortKey("a@x"), intKeys.enc(0))))
		},
		"no version": func(tx kv.Tx) error {
			return errors.Join(tx.Bucket(metaBucket).Delete(email), tx.Bucket(name).Put([]byte("old"), []byte{0}))
		},
		"no index": func(tx kv.Tx) error { return tx.Drop(name) },
		"no empty ones": func(tx kv.Tx) error {
			return errors.Join(tx.Drop("r:files"), tx.Drop("d:articles"))
		},
		"nothing": func(kv.Tx) error { return nil },
	}
	for name, alter := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			model := accounts(t, dir)
			raw(t, dir, func(tx kv.Tx) error {
				return errors.Join(alter(tx), tx.Bucket(metaBucket).Put([]byte("schema"), []byte("older")))
			})
			told := 0
			db := openDB(t, dir, Options{Preparing: func() { told++ }})
			if again := strings.HasSuffix(name, "version") || name == "no index"; again != (told == 1) || told > 1 {
				t.Errorf("told %d times that indexes are made again", told)
			}
			if db.Sequence() != 3 {
				t.Errorf("sequence %d, want 3", db.Sequence())
			}
			read(t, db, func(tx *Tx) error { return errors.Join(checkTable(tx, Accounts, model), tx.CheckChain()) })
			write(t, db, func(tx *Tx) error {
				return errors.Join(Files.Put(tx, 1, &record.File{}), ArticleDocs.Put(tx, Pair{1, 1}, Doc{}))
			})
			before := commits(t, db)
			closeDB(t, db)
			if after := commits(t, openDB(t, dir, Options{})); after != before {
				t.Errorf("a start without a change of definitions took %d commits", after-before)
			}
		})
	}
}

// An index that this program does not know is not kept up by it. It is dropped, so that
// a newer program that knows it does not take it for whole.
func TestUnknownIndex(t *testing.T) {
	dir := t.TempDir()
	model := accounts(t, dir)
	const newer = "i:accounts.newer"
	raw(t, dir, func(tx kv.Tx) error {
		b, err := tx.Create(newer)
		if err != nil {
			return err
		}
		m := tx.Bucket(metaBucket)
		return errors.Join(b.Put([]byte("k"), []byte("v")), m.Put([]byte(newer), []byte("1")), m.Put([]byte("schema"), []byte("newer")))
	})
	db := openDB(t, dir, Options{})
	err := kv.View(db.kv, func(tx kv.Tx) error {
		if tx.Bucket(newer) != nil {
			t.Error("the bucket of the unknown index is still there")
		}
		if v := tx.Bucket(metaBucket).Get([]byte(newer)); v != nil {
			t.Errorf("the unknown index still has version %s", v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	read(t, db, func(tx *Tx) error { return checkTable(tx, Accounts, model) })
}

// A damaged record is not left out of an index in silence.
func TestRebuildOverDamage(t *testing.T) {
	dir := t.TempDir()
	accounts(t, dir)
	raw(t, dir, func(tx kv.Tx) error {
		m := tx.Bucket(metaBucket)
		return errors.Join(tx.Bucket("r:accounts").Put(intKeys.enc(1), []byte("?")),
			m.Put([]byte("schema"), nil), m.Delete([]byte(AccountsByEmail.bucketName())))
	})
	_, err := Open(dir, Options{})
	var damaged *damage.Error
	if !errors.As(err, &damaged) || !strings.Contains(err.Error(), "record 1 of r:accounts") {
		t.Errorf("got %v, want the damaged record", err)
	}
}

// Every table, index and kind of documents has a name of its own.
func TestNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range strings.Split(strings.TrimSuffix(definitions(), ";"), ";") {
		name, _, _ = strings.Cut(name, "=")
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
	}
	if n := len(seen); n < 20 {
		t.Errorf("the schema names %d buckets only: %v", n, seen)
	}
}

// An index of many records whose keys come in no order is made again in a time that grows as their
// number does: a bucket that takes them as they come moves all that it has for each of them.
func TestIndexOfManyIsMadeSoon(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	const many, each = 40_000, 5000
	r := rand.New(rand.NewPCG(1, 2))
	for id := int64(1); id <= many; id += each {
		write(t, db, func(tx *Tx) (err error) {
			for i := range int64(each) {
				err = errors.Join(err, Accounts.Put(tx, id+i, &record.Account{ID: id + i, Email: fmt.Sprintf("%016x@example.org", r.Uint64())}))
			}
			return err
		})
	}
	begin := time.Now()
	read(t, db, func(tx *Tx) error {
		for _, err := range Accounts.All(tx, nil) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	reading := time.Since(begin)
	closeDB(t, db)
	raw(t, dir, func(tx kv.Tx) error {
		m := tx.Bucket(metaBucket)
		return errors.Join(m.Delete([]byte(AccountsByEmail.bucketName())), m.Put([]byte("schema"), []byte("older")))
	})
	begin = time.Now()
	db = openDB(t, dir, Options{})
	if took := time.Since(begin); took > 15*reading {
		t.Errorf("%v, where reading the records takes %v", took, reading)
	}
	n := 0
	read(t, db, func(tx *Tx) error {
		for range AccountsByEmail.Ascending(tx, nil) {
			n++
		}
		return nil
	})
	if n != many {
		t.Errorf("%d entries of %d records", n, many)
	}
}

// A start that cannot make its indexes to the end is made good by a later one.
func TestPreparingIsBrokenOff(t *testing.T) {
	dir := t.TempDir()
	model := accounts(t, dir)
	key, records := intKeys.enc(1), "r:accounts"
	var whole []byte
	raw(t, dir, func(tx kv.Tx) error {
		m := tx.Bucket(metaBucket)
		whole = bytes.Clone(tx.Bucket(records).Get(key))
		return errors.Join(tx.Bucket(records).Put(key, []byte("?")), m.Delete([]byte(AccountsByEmail.bucketName())), m.Put([]byte("schema"), []byte("older")))
	})
	for range 2 {
		if _, err := Open(dir, Options{}); err == nil {
			t.Fatal("opened in spite of a damaged record")
		}
		raw(t, dir, func(tx kv.Tx) error {
			if text := tx.Bucket(metaBucket).Get([]byte("schema")); len(text) > 0 {
				t.Errorf("prepared by %s", text)
			}
			return tx.Bucket(AccountsByEmail.bucketName()).Put([]byte("half"), []byte{0})
		})
	}
	raw(t, dir, func(tx kv.Tx) error { return tx.Bucket(records).Put(key, whole) })
	db := openDB(t, dir, Options{})
	read(t, db, func(tx *Tx) error { return errors.Join(checkTable(tx, Accounts, model), tx.CheckChain()) })
}

// A check of a file that another program has written, or in which indexes are made to a half, is one
// of the file as this program has it: what is to be made again is not damaged.
func TestCheckOfAnotherProgramsFile(t *testing.T) {
	email := []byte(AccountsByEmail.bucketName())
	for _, schema := range []string{"older", ""} {
		dir := t.TempDir()
		accounts(t, dir)
		raw(t, dir, func(tx kv.Tx) error {
			m := tx.Bucket(metaBucket)
			return errors.Join(m.Put(email, []byte("0")), tx.Bucket(string(email)).Delete(join(SortKey("a@x"), intKeys.enc(0))), m.Put([]byte("schema"), []byte(schema)))
		})
		db, err := OpenToCheck(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range Tables() {
			err := db.CheckTable(t.Context(), name.Name(), nil, func(int) {}, func(f damage.Finding) { t.Errorf("%q: %s", schema, f) })
			if err != nil {
				t.Error(err)
			}
		}
		closeDB(t, db)
	}
}

// Citations are made from the public versions also where the start that began with it was broken off.
func TestCitationsAfterABrokenStart(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	write(t, db, func(tx *Tx) error {
		return errors.Join((&cited{version: 1, doi: "10.1234/a"}).publish(tx, Pair{record.KindArticle, 1}),
			(&cited{version: 1, doi: "10.1234/b", names: []string{"10.1234/a"}}).publish(tx, Pair{record.KindArticle, 2}),
			Accounts.Put(tx, 1, &record.Account{ID: 1, Email: "a@x"}))
	})
	count := func(db *DB) (n int64) {
		read(t, db, func(tx *Tx) error {
			f, _ := ArticleFacts(tx, 1)
			n = f.Counts.Cites
			return nil
		})
		return n
	}
	if n := count(db); n != 1 {
		t.Fatalf("cited %d times at first", n)
	}
	closeDB(t, db)
	key, records := intKeys.enc(1), "r:accounts"
	var whole []byte
	raw(t, dir, func(tx kv.Tx) error {
		m := tx.Bucket(metaBucket)
		whole = bytes.Clone(tx.Bucket(records).Get(key))
		return errors.Join(tx.Drop(CitationsByDOI.ix.bucketName()), tx.Drop(Citations.Any.bucketName()),
			tx.Bucket(records).Put(key, []byte("?")), m.Delete([]byte(AccountsByEmail.bucketName())), m.Put([]byte("schema"), []byte("older")))
	})
	if _, err := Open(dir, Options{}); err == nil {
		t.Fatal("opened in spite of a damaged record")
	}
	raw(t, dir, func(tx kv.Tx) error { return tx.Bucket(records).Put(key, whole) })
	db = openDB(t, dir, Options{})
	if n := count(db); n != 1 {
		t.Errorf("cited %d times", n)
	}
	n := 0
	read(t, db, func(tx *Tx) error {
		for range CitationsByDOI.Ascending(tx, nil) {
			n++
		}
		return nil
	})
	if n != 1 {
		t.Errorf("%d citations are known", n)
	}
}
