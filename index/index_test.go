package index

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	_ "alcove/bucket/tables"
	"alcove/bucket/working"
	"alcove/record"
)

var quiet = Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}

var publishedAt = time.Date(2024, 5, 17, 10, 0, 0, 0, time.UTC)

func openStore(t testing.TB, dir string) *bucket.DB {
	t.Helper()
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func openIndex(t testing.TB, dir string, db *bucket.DB) *Index {
	t.Helper()
	ix, err := Open(dir, db, quiet)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeIndex(t, ix) })
	return ix
}

func closeIndex(t testing.TB, ix *Index) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := ix.Close(ctx); err != nil {
		t.Error(err)
	}
}

// publish stores the latest version of an article, with files of those names.
func publish(t testing.TB, db *bucket.DB, id int64, m record.Metadata, authors []record.Person, files ...string) {
	t.Helper()
	err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
		return put(tx, id, m, authors, files...)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func put(tx *bucket.Tx, id int64, m record.Metadata, authors []record.Person, names ...string) error {
	version := 1
	if old, err := published.Articles.Get(tx, id); err == nil {
		version = old.Latest + 1
	}
	for i, name := range names {
		f := &record.PublicFile{ID: id*100 + int64(i), ArticleID: id, Name: name, Added: version}
		if err := files.PublicFiles.Put(tx, f.ID, f); err != nil {
			return err
		}
	}
	v := &record.ArticleVersion{ArticleID: id, Version: version, Metadata: m, Authors: authors, Published: publishedAt}
	if err := published.ArticleVersions.Put(tx, bucket.Pair{A: id, B: int64(version)}, v); err != nil {
		return err
	}
	p := &record.PublicArticle{
		ID: id, Latest: version, Type: m.Type, GroupID: m.GroupID, InstitutionID: m.InstitutionID, ProjectID: m.ProjectID, Published: publishedAt,
	}
	return published.Articles.Put(tx, id, p)
}

func unpublish(t testing.TB, db *bucket.DB, id int64) {
	t.Helper()
	err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error { return published.Articles.Delete(tx, id) })
	if err != nil {
		t.Fatal(err)
	}
}

func title(s string) record.Metadata { return record.Metadata{Title: s, Type: 3} }

func wait(t testing.TB, ix *Index, db *bucket.DB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for _, s := range []Scope{PublicArticles, OwnArticles(1)} {
		if err := ix.Wait(ctx, s, db.Sequence()); err != nil {
			t.Fatalf("%v; status %+v", err, ix.Status())
		}
	}
}

// find gives what a search finds, and fails when it finds something else one by one or in
// an order by date.
func find(t testing.TB, ix *Index, s string) []int64 {
	t.Helper()
	m := matches(t, ix, PublicArticles, s)
	most, ids := m.Len(), m.IDs()
	done(t, m)
	m = matches(t, ix, PublicArticles, s)
	if most < len(ids) || slices.ContainsFunc(ids, func(id int64) bool { return !m.Contains(id) }) {
		t.Errorf("%q: matches disagree with themselves: %v", s, ids)
	}
	done(t, m)
	return ids
}

// matches asks the index; the caller closes what it gives.
func matches(t testing.TB, ix *Index, scope Scope, s string) *Matches {
	t.Helper()
	q, err := Parse(s)
	if err != nil {
		t.Fatalf("Parse(%.60q): %v", s, err)
	}
	m, err := ix.Match(context.Background(), scope, q)
	if err != nil {
		t.Fatalf("Match(%.60q): %v", s, err)
	}
	return m
}

func done(t testing.TB, m *Matches) {
	t.Helper()
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

func want(t testing.TB, ix *Index, s string, ids ...int64) {
	t.Helper()
	if got := find(t, ix, s); !slices.Equal(got, ids) {
		q, _ := Parse(s)
		t.Errorf("%q found %v, want %v (read as %v)", s, got, ids, q)
	}
}

func TestFindsWhatWasJustWritten(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	var slowest time.Duration
	begin := time.Now()
	for i := int64(1); i <= 100; i++ {
		publish(t, db, i, title(fmt.Sprintf("common unique%d", i)), nil)
		start := time.Now()
		wait(t, ix, db)
		slowest = max(slowest, time.Since(start))
		want(t, ix, fmt.Sprintf("unique%d", i), i)
	}
	t.Logf("100 updates in %v, the slowest wait took %v", time.Since(begin), slowest)
	if n := len(find(t, ix, "common")); n != 100 {
		t.Errorf("found %d of 100", n)
	}
}

func TestFollowsChanges(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	publish(t, db, 1, title("glacier"), nil, "ice.csv")
	publish(t, db, 2, title("volcano"), nil)
	wait(t, ix, db)
	want(t, ix, "glacier", 1)
	want(t, ix, "ice.csv", 1)

	publish(t, db, 1, title("moraine"), nil)
	wait(t, ix, db)
	want(t, ix, "glacier")
	want(t, ix, "moraine OR volcano", 1, 2)

	// A file that a later version no longer has is not found by its name.
	err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
		f, err := files.PublicFiles.Get(tx, 100)
		if err != nil {
			return err
		}
		f.Removed = 2
		return files.PublicFiles.Put(tx, f.ID, f)
	})
	if err != nil {
		t.Fatal(err)
	}
	wait(t, ix, db)
	want(t, ix, "ice.csv")

	unpublish(t, db, 1)
	wait(t, ix, db)
	want(t, ix, "moraine OR volcano", 2)
	want(t, ix, "NOT volcano")
}

// Changes that touch nothing public only move the position of the public index.
func TestPassesOverPrivateChanges(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	publish(t, db, 1, title("glacier"), nil)
	wait(t, ix, db)
	before := ix.public.live.saved
	for i := int64(1); i <= 50; i++ {
		err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
			return working.Articles.Put(tx, i, &record.Article{Working: record.Working{ID: i, Metadata: title("secret glacier")}})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	wait(t, ix, db)
	want(t, ix, "secret")
	closeIndex(t, ix)
	if s := ix.Status(); s.Checkpoint != db.Sequence() || ix.public.live.durable != db.Sequence() {
		t.Errorf("closed at %+v", s)
	}
	if before >= db.Sequence() {
		t.Fatal("nothing was tested")
	}
}

func TestContinuesAfterClose(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	publish(t, db, 1, title("glacier"), nil)
	wait(t, ix, db)
	closeIndex(t, ix)

	publish(t, db, 2, title("glacier lake"), nil)
	again := openIndex(t, dir, db)
	if s := again.Status(); s.Rebuilding {
		t.Errorf("it is built again: %+v", s)
	}
	wait(t, again, db)
	want(t, again, "glacier", 1, 2)
	if again.public.number != 1 {
		t.Errorf("index number %d was made", again.public.number)
	}
	if s := again.Status(); !s.Healthy || s.Documents != 2 || s.Checkpoint != db.Sequence() || s.Problem != "" {
		t.Errorf("status %+v", s)
	}
	if _, err := ix.Match(context.Background(), PublicArticles, Everything); err != ErrUnavailable {
		t.Errorf("a closed index answers %v", err)
	}
}

func TestRebuildBeside(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	fill(t, db, 1, 700)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	if n := len(find(t, ix, "article")); n != 700 {
		t.Fatalf("found %d", n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	rebuilt := make(chan error, 1)
	go func() { rebuilt <- ix.Rebuild(ctx) }()
	for i := int64(2000); ; i++ { // meanwhile new articles appear and are found
		publish(t, db, i, title(fmt.Sprintf("article later%d", i)), nil)
		wait(t, ix, db)
		want(t, ix, fmt.Sprintf("later%d", i), i)
		if n := int64(len(find(t, ix, "article"))); n != 700+i-1999 {
			t.Fatalf("found %d", n)
		}
		select {
		case err := <-rebuilt:
			if err != nil {
				t.Fatal(err)
			}
			if ix.Status().Rebuilding || ix.public.number != 2 {
				t.Errorf("%+v, number %d", ix.Status(), ix.public.number)
			}
			return
		default:
		}
	}
}

// fill publishes articles from..to in few commits.
func fill(t testing.TB, db *bucket.DB, from, to int64) {
	t.Helper()
	for ; from <= to; from += 500 {
		err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
			for id := from; id < from+500 && id <= to; id++ {
				m := title(fmt.Sprintf("article number%d", id))
				m.Description = "<p>" + strings.Repeat("measured water and ice ", 10) + "</p>"
				if err := put(tx, id, m, nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
