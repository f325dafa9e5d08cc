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
	"time"

	"alcove/bucket"
	"alcove/record"
	api "github.com/blevesearch/bleve_index_api"
)

// change writes to a store.
func change(t testing.TB, db *bucket.DB, fn func(tx *bucket.Tx) error) {
	t.Helper()
	if err := db.Update(context.Background(), 1, fn); err != nil {
		t.Fatal(err)
	}
}

func workingCopy(id, account int64, m record.Metadata, authors ...int64) record.Working {
	return record.Working{ID: id, AccountID: account, Metadata: m, Authors: authors}
}

// ownArticle stores a working copy of an article.
func ownArticle(t testing.TB, db *bucket.DB, id, account int64, m record.Metadata, authors ...int64) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		return bucket.Articles.Put(tx, id, &record.Article{Working: workingCopy(id, account, m, authors...)})
	})
}

func ownCollection(t testing.TB, db *bucket.DB, id, account int64, m record.Metadata, authors ...int64) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		return bucket.Collections.Put(tx, id, &record.Collection{Working: workingCopy(id, account, m, authors...)})
	})
}

func publishCollection(t testing.TB, db *bucket.DB, id int64, m record.Metadata, authors ...record.Person) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		v := &record.CollectionVersion{CollectionID: id, Version: 1, Metadata: m, Authors: authors, Published: publishedAt}
		if err := bucket.CollectionVersions.Put(tx, bucket.Pair{A: id, B: 1}, v); err != nil {
			return err
		}
		return bucket.PublicCollections.Put(tx, id, &record.PublicCollection{ID: id, Latest: 1, Published: publishedAt})
	})
}

// ownProject stores a project with members, and what readers know of it when it is public.
func ownProject(t testing.TB, db *bucket.DB, id int64, name string, public bool, members ...int64) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		p := &record.Project{ID: id, Title: name}
		for i, account := range members {
			m := &record.ProjectMember{ProjectID: id, UserID: int64(i + 1), AccountID: account}
			if err := bucket.ProjectMembers.Put(tx, bucket.Pair{A: id, B: m.UserID}, m); err != nil {
				return err
			}
		}
		if public {
			p.Published = &publishedAt
			if err := bucket.PublicProjects.Put(tx, id, p.Public(nil)); err != nil {
				return err
			}
		}
		return bucket.Projects.Put(tx, id, p)
	})
}

// asked searches a scope when it has reached the last change.
func asked(t testing.TB, ix *Index, db *bucket.DB, s Scope, text string) []int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := ix.Wait(ctx, s, db.Sequence()); err != nil {
		t.Fatalf("%v; status %+v", err, ix.Status())
	}
	q, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ix.Match(ctx, s, q)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return m.IDs()
}

// scopes are all that is searched in the tests below, by name.
var scopes = map[string]Scope{
	"public articles": PublicArticles, "public collections": PublicCollections,
	"articles of 7": OwnArticles(7), "collections of 7": OwnCollections(7),
	"articles of 77": OwnArticles(77), "collections of 77": OwnCollections(77),
	"public projects": PublicProjects, "projects of 7": OwnProjects(7), "projects of 77": OwnProjects(77),
	"articles of nobody": OwnArticles(0), "collections of another": OwnCollections(70), "nothing": {},
}

// One word in every kind of item, everywhere with the same id: each search finds its own.
func TestScopes(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	publish(t, db, 1, title("glacier shown"), nil)
	publishCollection(t, db, 1, title("glacier shown series"))
	ownArticle(t, db, 1, 7, title("glacier mine"))
	ownArticle(t, db, 2, 77, title("glacier theirs"))
	ownArticle(t, db, 3, 7, title("volcano"))
	ownCollection(t, db, 1, 7, title("glacier mine series"))
	ownCollection(t, db, 2, 77, title("glacier theirs series"))
	ownProject(t, db, 4, "canyon", true, 7)
	ownProject(t, db, 5, "canyon shared", false, 7, 77, 0)
	ownProject(t, db, 6, "canyon theirs", false, 77)
	check := func(t *testing.T, ix *Index) {
		for _, c := range []struct {
			text  string
			found map[string][]int64
		}{
			{"glacier", map[string][]int64{"public articles": {1}, "public collections": {1}, "articles of 7": {1}, "articles of 77": {2}, "collections of 7": {1}, "collections of 77": {2}}},
			{"NOT glacier NOT canyon", map[string][]int64{"articles of 7": {3}}},
			{"canyon", map[string][]int64{"public projects": {4}, "projects of 7": {4, 5}, "projects of 77": {5, 6}}},
			{"theirs NOT glacier", map[string][]int64{"projects of 77": {6}}},
			{":item_type: project", map[string][]int64{"public projects": {4}, "projects of 7": {4, 5}, "projects of 77": {5, 6}}},
			{"NOT xyzzy NOT canyon", map[string][]int64{"public articles": {1}, "public collections": {1}, "articles of 7": {1, 3}, "articles of 77": {2}, "collections of 7": {1}, "collections of 77": {2}}},
			{"xyzzy OR NOT (volcano canyon)", map[string][]int64{"public articles": {1}, "public collections": {1}, "articles of 7": {1}, "articles of 77": {2}, "collections of 7": {1}, "collections of 77": {2}}},
			{`"glacier theirs"`, map[string][]int64{"articles of 77": {2}, "collections of 77": {2}}},
			{"series", map[string][]int64{"public collections": {1}, "collections of 7": {1}, "collections of 77": {2}}},
			{":item_type: article", map[string][]int64{"public articles": {1}, "articles of 7": {1, 3}, "articles of 77": {2}}},
			{":item_type: collection", map[string][]int64{"public collections": {1}, "collections of 7": {1}, "collections of 77": {2}}},
			{":item_type: dataset", map[string][]int64{"public articles": {1}, "articles of 7": {1, 3}, "articles of 77": {2}}},
			{":published_before: 2200-01-01 NOT canyon", map[string][]int64{"public articles": {1}, "public collections": {1}, "articles of 7": {1, 3}, "articles of 77": {2}, "collections of 7": {1}, "collections of 77": {2}}},
			{":account: 77", nil}, {":account: 7 OR :kind: article", nil}, {"7 OR 77", nil}, {"article OR collection", nil},
		} {
			for name, s := range scopes {
				if got := asked(t, ix, db, s, c.text); !slices.Equal(got, c.found[name]) && len(got)+len(c.found[name]) > 0 {
					t.Errorf("%q in %s finds %v, want %v", c.text, name, got, c.found[name])
				}
			}
		}
	}
	check(t, ix)
	closeIndex(t, ix)
	again := openIndex(t, dir, db)
	if again.Status().Rebuilding {
		t.Error("it is built again")
	}
	check(t, again)
	if err := again.Rebuild(context.Background()); err != nil {
		t.Fatal(err)
	}
	check(t, again)
	if s := again.Status(); !s.Healthy || s.Documents != 11 || s.Checkpoint != db.Sequence() || s.Problem != "" {
		t.Errorf("status %+v", s)
	}
}

// Working copies are followed through every change, at once.
func TestFollowsWorkingCopies(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	found := func(text string, ids ...int64) {
		t.Helper()
		if got := asked(t, ix, db, OwnArticles(7), text); !slices.Equal(got, ids) {
			t.Errorf("%q finds %v, want %v", text, got, ids)
		}
	}
	ownArticle(t, db, 1, 7, title("glacier"))
	found("glacier", 1)
	ownArticle(t, db, 1, 7, record.Metadata{Title: "moraine", Tags: []string{"ice"}, Description: "<p>cold</p>"})
	found("glacier")
	found("moraine AND :tag: ice AND cold", 1)

	change(t, db, func(tx *bucket.Tx) error {
		return bucket.People.Put(tx, 5, &record.Person{ID: 5, FullName: "Grace Hopper"})
	})
	ownArticle(t, db, 2, 7, title("named"), 5)
	ownCollection(t, db, 3, 7, title("named"), 5)
	found(":author: hopper", 2)
	change(t, db, func(tx *bucket.Tx) error {
		return bucket.People.Put(tx, 5, &record.Person{ID: 5, FullName: "Grace Murray"})
	})
	found(":author: hopper")
	found(":author: murray", 2)
	if got := asked(t, ix, db, OwnCollections(7), "murray"); !slices.Equal(got, []int64{3}) {
		t.Errorf("collections of the renamed author: %v", got)
	}

	change(t, db, func(tx *bucket.Tx) error {
		if err := bucket.Files.Put(tx, 9, &record.File{ID: 9, ArticleID: 2, Name: "ice.csv"}); err != nil {
			return err
		}
		return bucket.Articles.Put(tx, 2, &record.Article{Working: workingCopy(2, 7, title("named"), 5), Files: 1})
	})
	found(":extension: csv", 2)
	change(t, db, func(tx *bucket.Tx) error {
		if err := bucket.Files.Delete(tx, 9); err != nil {
			return err
		}
		return bucket.Articles.Put(tx, 2, &record.Article{Working: workingCopy(2, 7, title("named"), 5)})
	})
	found("ice.csv")

	change(t, db, func(tx *bucket.Tx) error { return bucket.Articles.Delete(tx, 1) })
	found("moraine")
	found("NOT xyzzy", 2)
}

// Decision 21: the names of files under an embargo are found when it has ended, not before.
func TestHiddenFiles(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	m := title("glacier")
	m.Embargo.Kind = record.FileEmbargo
	publish(t, db, 1, m, nil, "canaryname.csv")
	for _, text := range []string{"canaryname.csv", ":extension: csv"} {
		if got := asked(t, ix, db, PublicArticles, text); len(got) > 0 {
			t.Errorf("%q finds %v under an embargo", text, got)
		}
	}
	change(t, db, func(tx *bucket.Tx) error {
		key := bucket.Pair{A: 1, B: 1}
		v, err := bucket.ArticleVersions.Get(tx, key)
		if err != nil {
			return err
		}
		v.Embargo.Kind = record.NoEmbargo
		return bucket.ArticleVersions.Put(tx, key, v)
	})
	if got := asked(t, ix, db, PublicArticles, ":extension: csv"); len(got) != 1 {
		t.Errorf("after it: %v", got)
	}
}

// Who joins a project finds it, who leaves it does not, and who is invited not yet.
func TestFollowsProjectMembers(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	ownProject(t, db, 1, "canyon", false, 7)
	found := func(account int64, yes bool) {
		t.Helper()
		if got := asked(t, ix, db, OwnProjects(account), "canyon"); (len(got) == 1) != yes {
			t.Errorf("account %d finds %v", account, got)
		}
	}
	member := func(account int64) {
		t.Helper()
		change(t, db, func(tx *bucket.Tx) error {
			m := &record.ProjectMember{ProjectID: 1, UserID: 9, AccountID: account}
			return bucket.ProjectMembers.Put(tx, bucket.Pair{A: 1, B: 9}, m)
		})
	}
	found(7, true)
	found(8, false)
	member(0)
	found(8, false)
	member(8)
	found(8, true)
	change(t, db, func(tx *bucket.Tx) error { return bucket.ProjectMembers.Delete(tx, bucket.Pair{A: 1, B: 9}) })
	found(8, false)
	found(7, true)
	change(t, db, func(tx *bucket.Tx) error { return bucket.Projects.Delete(tx, 1) })
	found(7, false)
}

// terms are all words that an index has ever been given and still knows.
func terms(t *testing.T, sd *side) (words []string) {
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

// Threats C02, C03: no word of a working copy gets into the public index, not even for a
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
		return bucket.People.Put(tx, 5, &record.Person{ID: 5, FullName: secret, ORCID: secret})
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
	has := func(sd *side, word string) bool {
		return slices.ContainsFunc(terms(t, sd), func(s string) bool { return strings.Contains(s, word) })
	}
	if has(ix.public, "canary") || !has(ix.private, "canary") || has(ix.private, "shownword") || !has(ix.public, "shownword") {
		t.Error("the two indexes mix their words")
	}
	closeIndex(t, ix)
	for _, path := range files(t, dir) {
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
// were nobody else.
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

// A record that cannot be read belongs to nobody and keeps nothing up.
func TestDamagedWorkingCopy(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ownArticle(t, db, 1, 7, title("glacier"))
	change(t, db, func(tx *bucket.Tx) error {
		it, err := loadItem(tx, &kind{id: 'a', noun: "article", load: func(*bucket.Tx, int64) (item, error) {
			return item{}, &bucket.DamagedError{}
		}}, 1)
		if err != nil || it.gone || it.text != nil || it.owners != nil || it.key != (key{'a', 1}) {
			t.Errorf("a damaged record: %+v, %v", it, err)
		}
		it, err = loadItem(tx, ownArticles, 2)
		if err != nil || !it.gone {
			t.Errorf("no record: %+v, %v", it, err)
		}
		return nil
	})
}
