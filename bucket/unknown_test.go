package bucket

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"alcove/record"
	"go.etcd.io/bbolt"
)

// What a newer program has noted in a record stays there when this one stores it again, in each
// way of storing, and what it says itself is as it was.
func TestUnknownMembersStay(t *testing.T) {
	t.Parallel()
	const future = `"future":{"text":"a \"}\\","list":[1,{"x":[]}],"none":null},"later":12.50`
	unknownStays(t, Articles, 7, &record.Article{Working: record.Working{ID: 7, Metadata: record.Metadata{Title: `A "title", {with} [signs] \`}}}, future)
	unknownStays(t, Collections, 7, &record.Collection{}, future)
	unknownStays(t, Projects, 7, &record.Project{}, future)
	unknownStays(t, Accounts, 7, &record.Account{Email: "ada@example.org"}, future)
	unknownStays(t, People, 7, &record.Person{}, future)
	unknownStays(t, Files, 7, &record.File{Name: "}{"}, future)
	unknownStays(t, Tokens, "t", &record.Token{}, future)
	unknownStays(t, PrivateLinks, "l", &record.PrivateLink{}, future)
	unknownStays(t, Parts, Pair{1, 2}, &record.Part{}, future)
	unknownStays(t, &ArticleVersions.Table, Pair{7, 1}, &record.ArticleVersion{ArticleID: 7}, future)
	unknownStays(t, Groups, 7, &record.Group{}, future)
	unknownStays(t, Reviews, 7, &record.Review{}, future)
}

func unknownStays[K comparable, R any](t *testing.T, table *Table[K, R], key K, r *R, future string) {
	t.Helper()
	db := openDB(t, t.TempDir(), Options{})
	put := func(how func(*Tx, K, *R) error, change bool) {
		t.Helper()
		err := db.Update(context.Background(), 1, func(tx *Tx) error {
			old, err := r, error(nil)
			if change {
				if old, err = table.Get(tx, key); err != nil {
					return err
				}
			}
			return how(tx, key, old)
		})
		if err != nil {
			t.Fatal(table.name, err)
		}
	}
	stored := func() (b []byte) {
		t.Helper()
		err := db.View(func(tx *Tx) error {
			v, err := table.Stored(tx, key)
			b = bytes.Clone(v)
			return err
		})
		if err != nil || !json.Valid(b) {
			t.Fatal(table.name, err, string(b))
		}
		return b
	}
	put(table.Put, false)
	plain := stored()
	k := table.codec.enc(key)
	rawBucket(t, db, table.bucketName(), func(b *bbolt.Bucket) error {
		comma := map[bool]string{true: "", false: ","}[string(plain) == "{}"]
		return b.Put(k, seal(table.bucketName(), k, []byte("{"+future+comma+string(plain[1:]))))
	})
	for name, how := range map[string]func(*Tx, K, *R) error{"Put": table.Put, "PutLater": table.PutLater} {
		for _, change := range []bool{false, true} {
			put(how, change)
			if now := string(stored()); now != strings.TrimSuffix(string(plain), "}")+map[bool]string{true: "", false: ","}[string(plain) == "{}"]+future+"}" {
				t.Errorf("%s of %s, read before: %v: %s", name, table.name, change, now)
			}
		}
	}
}

// Every table knows the members of its records.
func TestMembersOfTables(t *testing.T) {
	for _, table := range tables {
		if m, ok := table.(interface{ memberNames() map[string]bool }); !ok || len(m.memberNames()) == 0 {
			t.Errorf("%s knows no members", table.bucketName())
		}
	}
}

func (t *Table[K, R]) memberNames() map[string]bool { return t.members }
