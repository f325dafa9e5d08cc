package index

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"

	api "github.com/blevesearch/bleve_index_api"
)

// terms are all words that an index has ever been given and still knows.
func terms(t *testing.T, sd *subindex) (words []string) {
	t.Helper()
	r, err := sd.live.reader()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fields, err := r.Fields()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		d, err := r.FieldDict(f)
		if err != nil {
			t.Fatal(err)
		}
		for {
			var e *api.DictEntry
			if e, err = d.Next(); err != nil {
				t.Fatal(err)
			}
			if e == nil {
				break
			}
			words = append(words, e.Term)
		}
		d.Close()
	}
	return words
}

// No word of a working copy gets into the public index, not even for a
// moment in which it could not be found, nor the other way about.
func TestNoPrivateWordInThePublicIndex(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	const secret = "canaryword"
	all := record.Metadata{
		Title: secret, Description: secret, Type: 3, Tags: []string{secret}, References: []string{secret}, Funding: secret,
		ResourceTitle: secret, ResourceDOI: "10.5072/" + secret, DOI: "10.5072/" + secret + "1", Handle: secret,
		CustomFields: []record.CustomField{{Name: secret, Value: []byte(`"` + secret + `"`)}},
	}
	change(t, db, func(tx *bucket.Tx) error {
		return users.People.Put(tx, 5, &record.Person{ID: 5, FullName: secret, ORCID: secret})
	})
	for id := int64(1); id < 30; id++ {
		ownArticle(t, db, id, id%3+1, all, 5)
		ownCollection(t, db, id, id%3+1, all, 5)
		publish(t, db, id, title("shownword"), nil)
		publishCollection(t, db, id, title("shownword"))
	}
	if err := ix.Rebuild(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, s := range scopes {
		if got := asked(t, ix, db, s, secret); len(got) > 0 {
			t.Errorf("%s has %v", name, got)
		}
	}
	if got := asked(t, ix, db, OwnArticles(2), secret); len(got) != 10 {
		t.Errorf("its owner finds %v", got)
	}
	has := func(sd *subindex, word string) bool {
		return slices.ContainsFunc(terms(t, sd), func(s string) bool { return strings.Contains(s, word) })
	}
	if has(ix.public, "canary") || !has(ix.private, "canary") || has(ix.private, "shownword") || !has(ix.public, "shownword") {
		t.Error("the two indexes mix their words")
	}
	closeIndex(t, ix)
	for _, path := range pathsIn(t, dir) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(secret)) {
			t.Errorf("%s has a private word", filepath.Base(path))
		}
	}
}

// Whatever is asked, an account finds among its own items what it would find if there
// were no other accounts.
func TestOthersChangeNothing(t *testing.T) {
	dir, alone := t.TempDir(), t.TempDir()
	db, dbAlone := openStore(t, dir), openStore(t, alone)
	for id := int64(1); id <= 120; id++ {
		m := title(fmt.Sprintf("%s %s number%d", vocabulary[id%6], vocabulary[id/3%6], id))
		account := id % 4
		ownArticle(t, db, id, account+1, m)
		if account == 2 {
			ownArticle(t, dbAlone, id, 3, m)
		}
	}
	ix, ixAlone := openIndex(t, dir, db), openIndex(t, alone, dbAlone)
	for _, text := range []string{
		"alpha", "alpha beta", `"alpha beta"`, "alpha AND beta", "NOT alpha", "alpha OR NOT beta", "NOT (alpha beta)", "gamma NOT delta",
		"number1 number2 number3 number6 number10", ":title: kappa", "NOT NOT omega", ":item_type: dataset", `NOT "delta kappa"`, "number7",
	} {
		got, want := asked(t, ix, db, OwnArticles(3), text), asked(t, ixAlone, dbAlone, OwnArticles(3), text)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v among others, %v alone", text, got, want)
		}
	}
}
