package index

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/record"
	"pgregory.net/rapid"
)

var vocabulary = []string{"alpha", "beta", "gamma", "delta", "kappa", "omega"}

// expression is a search text with what it ought to mean for a title.
type expression struct {
	text  string
	means func(words []string) bool
}

func genExpression(depth int) *rapid.Generator[expression] {
	word := rapid.Custom(func(t *rapid.T) expression {
		w := rapid.SampledFrom(vocabulary).Draw(t, "word")
		return expression{w, func(words []string) bool { return slices.Contains(words, w) }}
	})
	if depth == 0 {
		return word
	}
	inner := genExpression(depth - 1)
	return rapid.OneOf(word,
		rapid.Custom(func(t *rapid.T) expression { // a phrase
			p := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 1, 3).Draw(t, "phrase")
			s := strings.Join(p, " ")
			return expression{`"` + s + `"`, func(words []string) bool {
				return strings.Contains(" "+strings.Join(words, " ")+" ", " "+s+" ")
			}}
		}),
		rapid.Custom(func(t *rapid.T) expression {
			a := inner.Draw(t, "operand")
			return expression{"NOT (" + a.text + ")", func(w []string) bool { return !a.means(w) }}
		}),
		rapid.Custom(func(t *rapid.T) expression { // AND before OR
			a, b, c := inner.Draw(t, "a"), inner.Draw(t, "b"), inner.Draw(t, "c")
			return expression{fmt.Sprintf("(%s) OR (%s) AND (%s)", a.text, b.text, c.text), func(w []string) bool {
				return a.means(w) || b.means(w) && c.means(w)
			}}
		}),
		rapid.Custom(func(t *rapid.T) expression { // side by side, taking away
			a, b, c := inner.Draw(t, "a"), inner.Draw(t, "b"), inner.Draw(t, "c")
			return expression{fmt.Sprintf("((%s) (%s) NOT (%s))", a.text, b.text, c.text), func(w []string) bool {
				return (a.means(w) || b.means(w)) && !c.means(w)
			}}
		}),
	)
}

// Whatever is published, changed and taken back, and whatever is asked, the answer is
// what reading every title would give.
func TestAgreesWithReadingEverything(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	titles := map[int64][]string{}
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(0, 3).Draw(rt, "changes") {
			id := int64(rapid.IntRange(1, 40).Draw(rt, "id"))
			words := rapid.SliceOfN(rapid.SampledFrom(vocabulary), 0, 6).Draw(rt, "title")
			if len(words) == 0 {
				if titles[id] != nil {
					unpublish(t, db, id)
				}
				delete(titles, id)
				continue
			}
			publish(t, db, id, title(strings.Join(words, " ")), nil)
			titles[id] = words
		}
		wait(t, ix, db)
		e := genExpression(2).Draw(rt, "query")
		var ids []int64
		for id, words := range titles {
			if e.means(words) {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		q, _ := Parse(e.text)
		if got := find(t, ix, e.text); !slices.Equal(got, ids) {
			rt.Fatalf("%s found %v, want %v (read as %v)", e.text, got, ids, q)
		}
		m := matches(t, ix, PublicArticles, e.text)
		defer m.Close()
		if m.Len() < len(ids) {
			rt.Fatalf("%s has %d matches at most, want %v (read as %v)", e.text, m.Len(), ids, q)
		}
		for _, id := range rapid.Permutation(numbers(45)).Draw(rt, "order of asking") {
			if slices.Contains(ids, id) != m.Contains(id) {
				rt.Fatalf("%s matches %d is %v, want %v (read as %v)", e.text, id, m.Contains(id), ids, q)
			}
		}
		if got := slow(t, m, q); !slices.Equal(got, ids) {
			rt.Fatalf("%s finds %v posting by posting, want %v (read as %v)", e.text, got, ids, q)
		}
	})
}

func TestFeedAndSearchTogether(t *testing.T) {
	before := runtime.NumGoroutine()
	dir := t.TempDir()
	db := openStore(t, dir)
	ix, err := Open(dir, db, quiet)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for w := range int64(4) {
		group.Go(func() {
			for i := range int64(25) {
				id := w*100 + i + 1
				publish(t, db, id, title(fmt.Sprintf("shared worker%d item%d", w, id)), nil)
				wait(t, ix, db)
				want(t, ix, fmt.Sprintf("item%d", id), id)
				if n := int64(len(find(t, ix, fmt.Sprintf("worker%d", w)))); n != i+1 {
					t.Errorf("found %d of %d", n, i+1)
				}
			}
		})
	}
	group.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := ix.Rebuild(ctx); err != nil {
			t.Error(err)
		}
	})
	group.Wait()
	if n := len(find(t, ix, "shared NOT nothing")); n != 100 {
		t.Errorf("found %d of 100", n)
	}
	closeIndex(t, ix)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			b := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b, true)])
		}
	}
}

// Waiting ends with its context, and when the index is closed.
func TestWaitEnds(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := ix.Wait(ctx, PublicArticles, db.Sequence()+1); !strings.Contains(fmt.Sprint(err), "deadline") {
		t.Errorf("waiting for what never comes: %v", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- ix.Wait(context.Background(), PublicArticles, db.Sequence()+1) }()
	closeIndex(t, ix)
	if err := <-ended; err != ErrUnavailable {
		t.Errorf("waiting while it is closed: %v", err)
	}
	if err := ix.Rebuild(context.Background()); err != ErrUnavailable {
		t.Errorf("rebuilding a closed index: %v", err)
	}
}

// A search that is no longer wanted ends.
func TestMatchEnds(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	publish(t, db, 1, title("glacier"), nil)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q, _ := Parse("glacier")
	m, err := ix.Match(ctx, PublicArticles, q)
	if err == nil {
		if m.Contains(1) || m.Len() > 0 || len(m.IDs()) > 0 {
			t.Error("it went on")
		}
		err = m.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
	if s := ix.Status(); !s.Healthy {
		t.Errorf("status %+v", s)
	}
}

// A large backlog comes in several batches, and big texts do not gather in one.
func TestBacklog(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	big := strings.Repeat("glacier ice water measured ", 30000) // 800 kB
	err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
		for id := int64(1); id <= 6; id++ {
			if err := put(tx, id, record.Metadata{Title: fmt.Sprintf("big number%d", id), Description: big}, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	fill(t, db, 100, 1300)
	wait(t, ix, db)
	if n := len(find(t, ix, "article")); n != 1201 {
		t.Errorf("found %d of 1201", n)
	}
	want(t, ix, "number3 AND glacier", 3)
	if n := len(find(t, ix, `big AND "ice water"`)); n != 6 {
		t.Errorf("found %d of 6", n)
	}
}
