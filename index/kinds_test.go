package index

import (
	"context"
	"slices"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
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
		return working.Articles.Put(tx, id, &record.Article{Working: workingCopy(id, account, m, authors...)})
	})
}

func ownCollection(t testing.TB, db *bucket.DB, id, account int64, m record.Metadata, authors ...int64) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		return working.Collections.Put(tx, id, &record.Collection{Working: workingCopy(id, account, m, authors...)})
	})
}

func publishCollection(t testing.TB, db *bucket.DB, id int64, m record.Metadata, authors ...record.Person) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		v := &record.CollectionVersion{CollectionID: id, Version: 1, Metadata: m, Authors: authors, Published: publishedAt}
		if err := published.CollectionVersions.Put(tx, bucket.Pair{A: id, B: 1}, v); err != nil {
			return err
		}
		return published.Collections.Put(tx, id, &record.PublicCollection{ID: id, Latest: 1, Published: publishedAt})
	})
}

// ownProject stores a project with members, and what readers know of it when it is public.
func ownProject(t testing.TB, db *bucket.DB, id int64, name string, public bool, members ...int64) {
	t.Helper()
	change(t, db, func(tx *bucket.Tx) error {
		p := &record.Project{ID: id, Title: name}
		for i, account := range members {
			m := &record.ProjectMember{ProjectID: id, UserID: int64(i + 1), AccountID: account}
			if err := working.ProjectMembers.Put(tx, bucket.Pair{A: id, B: m.UserID}, m); err != nil {
				return err
			}
		}
		if public {
			p.Published = &publishedAt
			if err := published.Projects.Put(tx, id, p.Public(nil)); err != nil {
				return err
			}
		}
		return working.Projects.Put(tx, id, p)
	})
}

// asked searches a scope when it has reached the last change.
func asked(t testing.TB, ix *Index, db *bucket.DB, s Scope, text string) []int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
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
	defer done(t, m)
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
		return users.People.Put(tx, 5, &record.Person{ID: 5, FullName: "Grace Hopper"})
	})
	ownArticle(t, db, 2, 7, title("named"), 5)
	ownCollection(t, db, 3, 7, title("named"), 5)
	found(":author: hopper", 2)
	change(t, db, func(tx *bucket.Tx) error {
		return users.People.Put(tx, 5, &record.Person{ID: 5, FullName: "Grace Murray"})
	})
	found(":author: hopper")
	found(":author: murray", 2)
	if got := asked(t, ix, db, OwnCollections(7), "murray"); !slices.Equal(got, []int64{3}) {
		t.Errorf("collections of the renamed author: %v", got)
	}

	change(t, db, func(tx *bucket.Tx) error {
		if err := files.Files.Put(tx, 9, &record.File{ID: 9, ArticleID: 2, Name: "ice.csv"}); err != nil {
			return err
		}
		return working.Articles.Put(tx, 2, &record.Article{Working: workingCopy(2, 7, title("named"), 5), Files: 1})
	})
	found(":extension: csv", 2)
	change(t, db, func(tx *bucket.Tx) error {
		if err := files.Files.Delete(tx, 9); err != nil {
			return err
		}
		return working.Articles.Put(tx, 2, &record.Article{Working: workingCopy(2, 7, title("named"), 5)})
	})
	found("ice.csv")

	change(t, db, func(tx *bucket.Tx) error { return working.Articles.Delete(tx, 1) })
	found("moraine")
	found("NOT xyzzy", 2)
}

// The names of files under an embargo are found when it has ended, not before.
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
		v, err := published.ArticleVersions.Get(tx, key)
		if err != nil {
			return err
		}
		v.Embargo.Kind = record.NoEmbargo
		return published.ArticleVersions.Put(tx, key, v)
	})
	if got := asked(t, ix, db, PublicArticles, ":extension: csv"); len(got) != 1 {
		t.Errorf("after it: %v", got)
	}
}

// A member finds a project after joining it, and not after leaving it; an invited account not yet.
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
			return working.ProjectMembers.Put(tx, bucket.Pair{A: 1, B: 9}, m)
		})
	}
	found(7, true)
	found(8, false)
	member(0)
	found(8, false)
	member(8)
	found(8, true)
	change(t, db, func(tx *bucket.Tx) error { return working.ProjectMembers.Delete(tx, bucket.Pair{A: 1, B: 9}) })
	found(8, false)
	found(7, true)
	change(t, db, func(tx *bucket.Tx) error { return working.Projects.Delete(tx, 1) })
	found(7, false)
}

// A record that cannot be read belongs to no account and keeps nothing up.
func TestDamagedWorkingCopy(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ownArticle(t, db, 1, 7, title("glacier"))
	change(t, db, func(tx *bucket.Tx) error {
		it, err := loadItem(tx, &kind{id: 'a', name: "article", load: func(*bucket.Tx, int64) (item, error) {
			return item{}, &damage.Error{}
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

// The total by which an index sees at a start whether it has all items of a kind is the number of those that are
// gone through when it is made. No two kinds have the same here.
func TestNumbersOfKinds(t *testing.T) {
	db := openStore(t, t.TempDir())
	m := record.Metadata{Title: "Counted"}
	want := map[*kind]int64{ownArticles: 6, ownCollections: 5, ownProjects: 7, articles: 3, collections: 2, projects: 4}
	for id := int64(1); id <= 7; id++ {
		if id <= want[ownArticles] {
			ownArticle(t, db, id, 1, m)
		}
		if id <= want[ownCollections] {
			ownCollection(t, db, id, 1, m)
		}
		if id <= want[collections] {
			publishCollection(t, db, id, m)
		}
		if id <= want[articles] {
			change(t, db, func(tx *bucket.Tx) error { return put(tx, id, m, nil) })
		}
		ownProject(t, db, id, "Counted", id <= want[projects], 1)
	}
	err := db.View(func(tx *bucket.Tx) error {
		for _, k := range slices.Concat(publicKinds, privateKinds) {
			all := int64(0)
			for range k.all(tx) {
				all++
			}
			if n := k.number(tx); n != want[k] || all != n {
				t.Errorf("%s: its total is %d, %d are gone through, and there are %d", k.name, n, all, want[k])
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
