package bucket

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"alcove/record"

	"pgregory.net/rapid"
)

var errRefused = errors.New("refused")

// model is what the store should hold.
type model struct {
	accounts map[int64]record.Account
	tokens   map[string]record.Token
	files    map[int64]record.File
	public   map[int64]record.PublicArticle
	versions map[Pair]record.ArticleVersion
	parts    map[Pair]record.Part
}

func (m *model) check(tx *Tx) error {
	return errors.Join(
		checkTable(tx, Accounts, m.accounts), checkTable(tx, Tokens, m.tokens), checkTable(tx, Files, m.files),
		checkTable(tx, &PublicArticles.Table, m.public), checkTable(tx, &ArticleVersions.Table, m.versions),
		checkTable(tx, Parts, m.parts), tx.CheckChain())
}

// empty deletes every record.
func empty(tx *Tx) error {
	return errors.Join(
		deleteAll(tx, Accounts), deleteAll(tx, Tokens), deleteAll(tx, Files),
		deleteAll(tx, &PublicArticles.Table), deleteAll(tx, &ArticleVersions.Table), deleteAll(tx, Parts))
}

func deleteAll[K, R any](tx *Tx, table *Table[K, R]) error {
	var keys []K
	for row, err := range table.All(tx, nil) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	for _, k := range keys {
		if err := table.Delete(tx, k); err != nil {
			return err
		}
	}
	return nil
}

// step is a change to a table and to its model, drawn at random.
type step struct {
	store func(*Tx) error
	note  func(*model)
}

// change draws a put, or a delete, of one record.
func change[K comparable, R any](t *rapid.T, table *Table[K, R], of func(*model) map[K]R, key K, r R) step {
	if rapid.IntRange(0, 3).Draw(t, "delete") > 0 {
		return step{func(tx *Tx) error { return table.Put(tx, key, &r) }, func(m *model) { of(m)[key] = r }}
	}
	return step{func(tx *Tx) error {
		had := table.Has(tx, key)
		if err := table.Delete(tx, key); errors.Is(err, ErrNotFound) != !had || err != nil && had {
			return fmt.Errorf("delete of %v: %v, and it was there: %v", key, err, had)
		}
		return nil
	}, func(m *model) { delete(of(m), key) }}
}

var steps = rapid.Custom(func(t *rapid.T) step {
	id := rapid.Int64Range(1, 6).Draw(t, "id")
	owner := rapid.Int64Range(1, 3).Draw(t, "owner")
	at := time.Unix(rapid.SampledFrom([]int64{-5, 255, 1 << 33}).Draw(t, "time"), 0).UTC()
	text := rapid.SampledFrom([]string{"", "a", "b", "a b", "é", "aa", "\u2028<&>\""}).Draw(t, "text")
	n := rapid.IntRange(0, 2).Draw(t, "n")
	switch rapid.IntRange(0, 6).Draw(t, "table") {
	case 0:
		return change(t, Accounts, func(m *model) map[int64]record.Account { return m.accounts }, id,
			record.Account{ID: id, Email: " " + text + "@Example.org", Created: at})
	case 1:
		return change(t, Tokens, func(m *model) map[string]record.Token { return m.tokens }, "k"+text,
			record.Token{AccountID: owner, Created: at})
	case 2:
		return change(t, &PublicArticles.Table, func(m *model) map[int64]record.PublicArticle { return m.public }, id,
			record.PublicArticle{ID: id, Latest: n, Published: at})
	case 3:
		return change(t, &ArticleVersions.Table, func(m *model) map[Pair]record.ArticleVersion { return m.versions }, Pair{id, owner},
			record.ArticleVersion{ArticleID: id, Version: n, Metadata: record.Metadata{Title: text}})
	case 4:
		return change(t, Parts, func(m *model) map[Pair]record.Part { return m.parts }, Pair{id, owner}, record.Part{CRC32C: uint32(n)})
	}
	return change(t, Files, func(m *model) map[int64]record.File { return m.files }, id, record.File{
		ID: id, ArticleID: owner, Token: text, SHA256: text, Modified: at, Added: n,
		Dropped: rapid.Bool().Draw(t, "dropped"), Removed: rapid.IntRange(0, 2).Draw(t, "removed"),
		Status: rapid.SampledFrom([]record.FileStatus{
			record.FileCreated, record.FileChecking, record.FileMoving, record.FileAvailable, record.FileFailed,
		}).Draw(t, "status"),
	})
})

// After any puts and deletes, in any grouping, with refused writes and restarts between
// them, the store has the records of the model, every index is what a rebuild would
// give, and the change log is whole.
func TestTablesAgainstModel(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	defer func() { db.Close() }()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{
			map[int64]record.Account{}, map[string]record.Token{}, map[int64]record.File{},
			map[int64]record.PublicArticle{}, map[Pair]record.ArticleVersion{}, map[Pair]record.Part{},
		}
		if err := db.Update(context.Background(), 1, empty); err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 5).Draw(t, "updates") {
			list := rapid.SliceOfN(steps, 1, 10).Draw(t, "steps")
			refuse := rapid.IntRange(0, 3).Draw(t, "refuse") == 0
			err := db.Update(context.Background(), 1, func(tx *Tx) error {
				for _, s := range list {
					if err := s.store(tx); err != nil {
						return err
					}
				}
				if refuse {
					return errRefused
				}
				return nil
			})
			switch {
			case refuse && errors.Is(err, errRefused):
			case err != nil:
				t.Fatal(err)
			default:
				for _, s := range list {
					s.note(m)
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "restart") == 0 {
				if err = db.Close(); err != nil {
					t.Fatal(err)
				}
				if db, err = Open(dir, Options{}); err != nil {
					t.Fatal(err)
				}
			}
			if err = db.View(m.check); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Ids ascend from 1 and never come back: not after a delete, not after a restart.
func TestNextID(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	var ids []int64
	next := func(fail error) {
		var id int64
		err := db.Update(t.Context(), 1, func(tx *Tx) (err error) {
			if id, err = People.NextID(tx); err != nil {
				return err
			}
			return errors.Join(People.Put(tx, id, &record.Person{ID: id}), fail)
		})
		if !errors.Is(err, fail) {
			t.Fatal(err)
		}
		if fail == nil {
			ids = append(ids, id)
		}
	}
	next(nil)
	next(nil)
	write(t, db, func(tx *Tx) error { return People.Delete(tx, 2) })
	next(nil)
	next(errRefused) // an id that a refused write was given was never used
	next(nil)
	write(t, db, func(tx *Tx) error {
		return errors.Join(People.Delete(tx, 1), People.Delete(tx, 3), People.Delete(tx, 4))
	})
	closeDB(t, db)
	db = openDB(t, dir, Options{})
	next(nil)
	write(t, db, func(tx *Tx) error { // each table counts for itself
		id, err := Articles.NextID(tx)
		if id != 1 {
			return fmt.Errorf("the first article has id %d", id)
		}
		return err
	})
	if !slices.Equal(ids, []int64{1, 2, 3, 4, 5}) {
		t.Errorf("ids %v", ids)
	}
}

// The contents of a record come back to the byte: also markup, and JSON values as they were
// sent.
func TestRecordsToTheByte(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	const text = "<b>&amp;</b> \u2028 \"\\ \x7f é 😀\n"
	value := `["<&>","\u00e9\/",1.50,true]`
	write(t, db, func(tx *Tx) error {
		return Articles.Put(tx, 1, &record.Article{Working: record.Working{Metadata: record.Metadata{
			Title: text, CustomFields: []record.CustomField{{Name: text, Value: []byte(value)}},
		}}})
	})
	read(t, db, func(tx *Tx) error {
		a, err := Articles.Get(tx, 1)
		if err != nil {
			return err
		}
		if a.Title != text || a.CustomFields[0].Name != text || string(a.CustomFields[0].Value) != value {
			t.Errorf("%q, %q, %s", a.Title, a.CustomFields[0].Name, a.CustomFields[0].Value)
		}
		return nil
	})
}

// Reading transactions write nothing, and a Tx is of no use after its Update.
func TestWriteOutsideTransaction(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	panics := func(name string, fn func()) {
		defer func() {
			if p := recover(); p != "a write outside its transaction" {
				t.Errorf("%s: %v", name, p)
			}
		}()
		fn()
	}
	var kept *Tx
	write(t, db, func(tx *Tx) error { kept = tx; return nil })
	panics("Put after the Update", func() { putPerson(1, "late")(kept) })
	panics("Put in a View", func() { db.View(putPerson(1, "reader")) })
	panics("Delete in a View", func() { db.View(func(tx *Tx) error { return People.Delete(tx, 1) }) })
	panics("NextID in a View", func() { db.View(func(tx *Tx) error { _, err := People.NextID(tx); return err }) })
	hasPeople(t, db, 1, func(int64) bool { return false })
}

// Scans by owner see all of the owner's records and nothing of their neighbours.
func TestAllWithPrefix(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	owners := []int64{1, 255, 256, 1<<63 - 1}
	write(t, db, func(tx *Tx) (err error) {
		for _, a := range owners {
			for b := int64(1); b <= 3; b++ {
				err = errors.Join(err, Parts.Put(tx, Pair{a, b}, &record.Part{CRC32C: uint32(b)}))
			}
		}
		return err
	})
	read(t, db, func(tx *Tx) error {
		for _, a := range append(owners, 2) {
			want := []Pair{{a, 1}, {a, 2}, {a, 3}}
			if a == 2 {
				want = nil
			}
			var got []Pair
			for row, err := range Parts.All(tx, Prefix(a)) {
				if err != nil {
					return err
				}
				got = append(got, row.Key)
			}
			if !slices.Equal(got, want) {
				t.Errorf("parts of %d: %v", a, got)
			}
		}
		for range Parts.All(tx, nil) {
			break // a scan can be left early
		}
		return nil
	})
}
