package bucket

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/bucket/damage"
	"alcove/bucket/kv"
	"alcove/record"
)

// findings are all that a check of an open store finds, as text.
func findings(t *testing.T, db *DB) (list []string) {
	t.Helper()
	report := func(f damage.Finding) {
		list = append(list, fmt.Sprintf("%s %s %s: %s", f.Of, f.Table(), f.KeyText(), f.Reason))
	}
	pace := func(int) {}
	damagedBuckets, _, err := db.WalkPages(t.Context(), pace, report)
	if err == nil {
		err = db.CheckLog(t.Context(), damagedBuckets, pace, report)
	}
	for _, name := range Tables() {
		err = errors.Join(err, db.CheckTable(t.Context(), name.Name(), damagedBuckets, pace, report))
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// A record that is whole by itself and does not fit to the rest is found: a record
// that is lost, an older one in its place, one that was never stored, entries of indexes that are
// missing, too many or wrong, totals, and records that name what is not there.
func TestAudit(t *testing.T) {
	email := func(text string) []byte { return append(SortKey(text), intKeys.enc(1)...) }
	entry := func(b kv.Tx, k, value []byte) error {
		return b.Bucket(AccountsByEmail.bucketName()).Put(k, AccountsByEmail.sealed(k, 8, value))
	}
	people := func(b kv.Tx) kv.Bucket { return b.Bucket(People.Any.bucketName()) }
	var older []byte
	for name, c := range map[string]struct {
		alter func(kv.Tx) error
		want  []string // in this order
	}{
		"nothing": {func(kv.Tx) error { return nil }, nil},
		"a lost record": {func(b kv.Tx) error { return people(b).Delete(intKeys.enc(2)) },
			[]string{"index people.seen ", "index people.word ", "log people 2: it is lost"}},
		"an older record": {func(b kv.Tx) error { return people(b).Put(intKeys.enc(1), older) },
			[]string{"index people.word ", "index people.word ", "log people 1: it is another one"}},
		"a record of nobody": {func(b kv.Tx) error {
			payload, err := encode(&record.AddressRange{ID: 7, Name: "x"})
			return errors.Join(err, b.Bucket(AddressRanges.Any.bucketName()).Put(intKeys.enc(7), encodeEnvelope(AddressRanges.Any.bucketName(), intKeys.enc(7), payload)))
		}, []string{"log address_ranges 7: the change log does not know it"}},
		"a missing entry": {func(b kv.Tx) error { return b.Bucket(AccountsByEmail.bucketName()).Delete(email("a@x")) },
			[]string{"index accounts.email sha256-6390"}},
		"an entry too many": {func(b kv.Tx) error { return entry(b, email("b@x"), nil) }, []string{"index accounts.email sha256-b6d4"}},
		"another value":     {func(b kv.Tx) error { return entry(b, email("a@x"), []byte{1}) }, []string{"index accounts.email sha256-6390"}},
		"an entry of no record": {func(b kv.Tx) error {
			k := append(SortKey("a@x"), intKeys.enc(9)...)
			return entry(b, k, nil)
		}, []string{"index accounts.email sha256-b2a3"}},
		"a total": {func(b kv.Tx) error {
			return b.Bucket(BytesAnnounced.ix.bucketName()).Put(totalKey, BytesAnnounced.ix.sealedTotal(8))
		}, []string{"index files.announced total: it is 8 and should be 7"}},
		"an id again": {func(b kv.Tx) error { return b.Bucket(People.Any.bucketName()).SetSequence(1) },
			[]string{"setting people : the number of its last id"}},
		"the secret": {func(b kv.Tx) error { return b.Bucket(metaBucket).Put(secretKey, bytes.Repeat([]byte{1}, 32)) },
			[]string{"setting meta : the checksum of what the store notes"}},
		"the end of the log": {func(b kv.Tx) error {
			k, _ := kv.First(b.Bucket(logBucket).Descend(nil))
			return b.Bucket(logBucket).Delete(k)
		}, []string{"log files 1: the change log does not know it", "log log : it ends at"}},
		"a bucket": {func(b kv.Tx) error { return b.Drop(FilesByToken.bucketName()) },
			[]string{"page files.token : there is no such bucket"}},
	} {
		t.Run(name, func(t *testing.T) {
			db := openDB(t, t.TempDir(), Options{})
			write(t, db, func(tx *Tx) error {
				return errors.Join(Accounts.Put(tx, 1, &record.Account{ID: 1, Email: "a@x"}),
					Articles.Put(tx, 1, &record.Article{Working: record.Working{ID: 1, AccountID: 1}}),
					putPerson(1, "First")(tx), putPerson(2, "Second")(tx))
			})
			read(t, db, func(tx *Tx) error {
				older = bytes.Clone(tx.bucket(People.Any.bucketName()).Get(intKeys.enc(1)))
				return nil
			})
			write(t, db, func(tx *Tx) error {
				_, err := People.NextID(tx)
				return errors.Join(err, putPerson(1, "Renamed")(tx))
			})
			write(t, db, func(tx *Tx) error {
				return Files.Put(tx, 1, &record.File{ID: 1, ArticleID: 1, AccountID: 1, Size: 7, Status: record.FileCreated})
			})
			if err := kv.Update(db.kv, c.alter); err != nil {
				t.Fatal(err)
			}
			got := findings(t, db)
			for i, want := range c.want {
				if i >= len(got) || !strings.HasPrefix(got[i], want) {
					t.Fatalf("found %q, want %q", got, c.want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// A record that names another which is not there is found.
func TestAuditReferences(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		return errors.Join(
			Articles.Put(tx, 3, &record.Article{Working: record.Working{ID: 3, AccountID: 4, Authors: []int64{5}, Version: 1}}),
			Tokens.Put(tx, "aa", &record.Token{AccountID: 6}), Files.Put(tx, 7, &record.File{ID: 7, ArticleID: 8, AccountID: 4}),
			PublicArticles.Put(tx, 9, &record.PublicArticle{ID: 9, Latest: 2}),
		)
	})
	got := findings(t, db)
	for _, want := range []string{
		"reference articles 3: its account 4 is", "reference articles 3: its author, person 5 is", "reference articles 3: the public article 3 is",
		"reference files 7: its account 4 is", "reference files 7: its article 8 is",
		"reference public_articles 9: its latest version 9/2 is", "reference public_articles 9: its working copy, article 9 is",
		"reference tokens aa: its account 6 is",
	} {
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("not found: %s", want)
		}
	}
	if len(got) != 8 {
		t.Errorf("found %q", got)
	}
}

// A reader of an index entry, a total or the number of the last id that is damaged is told, and
// so is who looks for a record or an entry whose key is another one now.
func TestDamagedEntries(t *testing.T) {
	db := openDB(t, t.TempDir(), Options{})
	write(t, db, func(tx *Tx) error {
		_, err := People.NextID(tx)
		return errors.Join(err, Accounts.Put(tx, 1, &record.Account{ID: 1, Email: "a@x"}), Accounts.Put(tx, 4, &record.Account{ID: 4, Email: "c@x"}),
			Files.Put(tx, 1, &record.File{ID: 1, Size: 7, Status: record.FileCreated}))
	})
	rekey := func(b kv.Bucket, from, to []byte) error {
		v := bytes.Clone(b.Get(from))
		return errors.Join(b.Delete(from), b.Put(to, v))
	}
	key := func(email string) []byte { return append(SortKey(email), intKeys.enc(4)...) }
	if err := kv.Update(db.kv, func(b kv.Tx) error {
		v := bytes.Clone(b.Bucket(BytesAnnounced.ix.bucketName()).Get(totalKey))
		v[3] ^= 1
		return errors.Join(b.Bucket(BytesAnnounced.ix.bucketName()).Put(totalKey, v),
			b.Bucket(People.Any.bucketName()).SetSequence(b.Bucket(People.Any.bucketName()).Sequence()^1),
			rekey(b.Bucket(AccountsByEmail.bucketName()), key("c@x"), key("b@x")),
			rekey(b.Bucket(Accounts.Any.bucketName()), intKeys.enc(4), intKeys.enc(5)))
	}); err != nil {
		t.Fatal(err)
	}
	var damaged *damage.Error
	for what, fn := range map[string]func(*Tx) error{
		"a list": func(tx *Tx) error {
			for range AccountsByEmail.Ascending(tx, nil) {
			}
			return nil
		},
		"a list downwards": func(tx *Tx) error {
			for range AccountsByEmail.Descending(tx, nil) {
			}
			return nil
		},
		"what the entry was": func(tx *Tx) error { AccountsByEmail.First(tx, SortKey("c@x")); return nil },
		"a total":            func(tx *Tx) error { BytesAnnounced.Sum(tx); return nil },
		"the record that was": func(tx *Tx) error {
			_, err := Accounts.Get(tx, 4)
			return err
		},
	} {
		if err := db.View(fn); !errors.As(err, &damaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := db.Update(t.Context(), 0, func(tx *Tx) error { _, err := People.NextID(tx); return err }); !errors.As(err, &damaged) {
		t.Errorf("the next id: %v", err)
	}
	read(t, db, func(tx *Tx) error {
		if _, err := Accounts.Get(tx, 2); !errors.Is(err, ErrNotFound) {
			t.Errorf("a record that never was: %v", err)
		}
		return nil
	})
}
