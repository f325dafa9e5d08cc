package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"alcove/index/segments"
	"github.com/blevesearch/bleve/v2/index/scorch"
	api "github.com/blevesearch/bleve_index_api"
)

// numbers are 1..n.
func numbers(n int64) (list []int64) {
	for i := range n {
		list = append(list, i+1)
	}
	return list
}

// slow answers a query about public articles in the simple way: it reads every posting of
// every term through Bleve's own reader, and joins ids.
func slow(t testing.TB, m *Matches, q Query) []int64 {
	t.Helper()
	all := standing(t, m.Reader(), fKind, articles.name)
	var eval func(n *segments.Node) map[int64]bool
	eval = func(n *segments.Node) map[int64]bool {
		out := map[int64]bool{}
		var children []map[int64]bool
		for _, k := range n.Children {
			children = append(children, eval(k))
		}
		for id := range all {
			in := 0
			for _, k := range children {
				if k[id] {
					in++
				}
			}
			switch n.Op {
			case segments.OpAll:
				out[id] = true
			case segments.OpNot:
				out[id] = in == 0
			case segments.OpAnd, segments.OpNear: // of the latter those of one value are picked out below
				out[id] = in == len(children)
			case segments.OpOr:
				out[id] = in > 0
			}
		}
		if n.Op == segments.OpNear {
			at := make([]map[int64][]uint64, len(n.Children))
			for i, k := range n.Children {
				at[i] = standing(t, m.Reader(), k.Field, k.Terms[0])
			}
			for id := range out {
				one := false
				for _, places := range at {
					for _, p := range places[id] {
						one = one || !slices.ContainsFunc(at, func(other map[int64][]uint64) bool {
							return !slices.ContainsFunc(other[id], func(q uint64) bool { return p <= q && q <= p+valueGap })
						})
					}
				}
				out[id] = out[id] && one
			}
		}
		if n.Op == segments.OpTerm || n.Op == segments.OpPhrase {
			at := make([]map[int64][]uint64, len(n.Terms))
			for i, term := range n.Terms {
				at[i] = standing(t, m.Reader(), n.Field, term)
			}
			for id, starts := range at[0] {
				for _, p := range starts {
					whole := true
					for i := range at {
						whole = whole && slices.Contains(at[i][id], p+uint64(i))
					}
					out[id] = out[id] || whole
				}
				out[id] = all[id] != nil && (out[id] || n.Op == segments.OpTerm)
			}
		}
		return out
	}
	ids := []int64{}
	for id, in := range eval(q.root) {
		if in {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// standing are the articles that have a term in a field, and where.
func standing(t testing.TB, r api.IndexReader, field, term string) map[int64][]uint64 {
	t.Helper()
	in := map[int64][]uint64{}
	tfr, err := r.TermFieldReader(context.Background(), []byte(term), field, true, false, true)
	if err != nil {
		t.Fatal(err)
	}
	defer tfr.Close()
	for {
		d, err := tfr.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		if d == nil {
			return in
		}
		key, err := r.ExternalID(d.ID)
		if err != nil {
			t.Fatal(err)
		}
		id := int64(binary.BigEndian.Uint64([]byte(key[1:])))
		if key[0] == articles.id {
			in[id] = []uint64{}
			for _, v := range d.Vectors {
				in[id] = append(in[id], v.Pos)
			}
		}
	}
}

// An item that changed many times, in whatever segments its documents are, is met once;
// one of another kind that has the same id is not met at all.
func TestContainsInSegments(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	for round := range 12 {
		for id := int64(1); id <= 8; id++ {
			publish(t, db, id, title(fmt.Sprintf("glacier round%d", round)), nil)
			publishCollection(t, db, 100+id, title("glacier"))
		}
		wait(t, ix, db)
		if round%3 == 0 {
			unpublish(t, db, 3)
			wait(t, ix, db)
		}
		for text, want := range map[string][]int64{
			"glacier":                         numbers(8),
			fmt.Sprintf("round%d", round):     numbers(8),
			fmt.Sprintf("round%d", round-1):   nil,
			fmt.Sprintf("NOT round%d", 1):     numbers(8),
			fmt.Sprintf("NOT round%d", round): nil,
		} {
			if round == 1 && text == "NOT round1" {
				want = nil
			}
			if round%3 == 0 {
				want = slices.DeleteFunc(want, func(id int64) bool { return id == 3 })
			}
			m := matches(t, ix, PublicArticles, text)
			var got []int64
			for id := range int64(120) {
				if m.Contains(id) {
					got = append(got, id)
				}
			}
			if !slices.Equal(got, want) || m.Len() != len(want) {
				t.Errorf("round %d: %s contains %v of %d, want %v", round, text, got, m.Len(), want)
			}
			done(t, m)
		}
	}
}

// The matches of a search stay what they were while the index changes, is built again, is
// dropped, and is closed. After Close nothing is found, and nothing breaks.
func TestMatchesOutliveTheIndex(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	fill(t, db, 1, 300)
	ix := openIndex(t, dir, db)
	wait(t, ix, db)
	held, listed := matches(t, ix, PublicArticles, "article NOT number7"), matches(t, ix, PublicArticles, "number9")
	if got := listed.IDs(); !slices.Equal(got, []int64{9}) {
		t.Errorf("found %v", got)
	}
	check := func(when string) {
		t.Helper()
		if held.Len() != 299 || !held.Contains(6) || held.Contains(7) || held.Contains(301) {
			t.Errorf("%s: %d matches, %v %v %v", when, held.Len(), held.Contains(6), held.Contains(7), held.Contains(301))
		}
	}
	check("at once")
	unpublish(t, db, 6)
	publish(t, db, 7, title("article"), nil)
	publish(t, db, 301, title("article"), nil)
	wait(t, ix, db)
	check("after changes")
	if err := ix.Rebuild(context.Background()); err != nil {
		t.Fatal(err)
	}
	check("after a rebuild")
	segments.Share(held.Reader())
	other, err := segments.Find(context.Background(), held.Reader(), segments.Scope{}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // gives back once what it has
		done(t, other)
	}
	check("after another was closed")
	closeIndex(t, ix)
	check("after the end")
	if ids := held.IDs(); len(ids) != 299 || slices.Contains(ids, 7) || !slices.Contains(ids, 6) {
		t.Errorf("%d ids", len(ids))
	}
	check("with its ids")
	for range 2 {
		done(t, held)
		done(t, listed)
		if held.Contains(6) || held.Len() != 0 || len(held.IDs()) != 0 || listed.Contains(9) {
			t.Error("found after Close")
		}
	}
	none := new(Matches)
	if none.Contains(1) || none.Len() != 0 || len(none.IDs()) != 0 {
		t.Error("the zero Matches has some")
	}
	done(t, none)
}

// A file that is damaged under a search that reads it makes Close fail, and the index is
// built again.
func TestDamageUnderMatches(t *testing.T) {
	for name, read := range map[string]func(*Matches){
		"Contains": func(m *Matches) {
			if m.Contains(200) {
				t.Error("an item is found in what cannot be read")
			}
		},
		"IDs": func(m *Matches) {
			if ids := m.IDs(); len(ids) > 0 {
				t.Errorf("%v are found in what cannot be read", ids)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			db := openStore(t, dir)
			fill(t, db, 1, 400)
			ix := openIndex(t, dir, db)
			wait(t, ix, db)
			// Everything has to be in files, and nothing else may read them: what faults on
			// a goroutine of Bleve's ends the process.
			closeIndex(t, ix)
			ix = openIndex(t, dir, db)
			wait(t, ix, db)
			if err := ix.public.live.scorch.(*scorch.Scorch).ForceMerge(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			m := matches(t, ix, PublicArticles, "article")
			paths, err := ix.public.live.segments()
			if err != nil || len(paths) == 0 {
				t.Fatal(paths, err)
			}
			for _, p := range paths {
				if err := os.Truncate(p, 0); err != nil {
					t.Fatal(err)
				}
			}
			read(m)
			for range 2 {
				if err := m.Close(); !strings.HasPrefix(fmt.Sprint(err), "cannot read what a search found: ") {
					t.Errorf("it closes with %v", err)
				}
			}
			awaitRebuilt(t, ix)
			if n := len(find(t, ix, "article")); n != 400 {
				t.Errorf("found %d", n)
			}
		})
	}
}

// Kinds share an index, and accounts do: whatever is asked, each finds its own only, one
// by one and all at once.
func TestScopesInOneIndex(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	for id := int64(1); id <= 60; id++ {
		m := title(vocabulary[id%6] + " " + vocabulary[id/6%6])
		switch id % 3 {
		case 0:
			publish(t, db, id, m, nil)
			ownArticle(t, db, id, 1, m)
		case 1:
			publishCollection(t, db, id, m)
			ownCollection(t, db, id, 2, m)
		case 2:
			ownProject(t, db, id, m.Title, true, 1, 2)
		}
	}
	wait(t, ix, db)
	for _, text := range []string{"alpha", "NOT alpha", "beta OR NOT beta", `"alpha beta"`, "alpha AND beta", ":item_type: collection", "alpha beta gamma NOT delta"} {
		for name, s := range map[string]struct {
			Scope
			remainder int64
			none      bool
		}{
			"public articles": {PublicArticles, 0, false}, "public collections": {PublicCollections, 1, false}, "public projects": {PublicProjects, 2, false},
			"articles of 1": {OwnArticles(1), 0, false}, "articles of 2": {OwnArticles(2), 0, true}, "collections of 2": {OwnCollections(2), 1, false},
			"projects of 1": {OwnProjects(1), 2, false}, "projects of 3": {OwnProjects(3), 2, true},
		} {
			m := matches(t, ix, s.Scope, text)
			n := 0
			for id := range int64(70) {
				if !m.Contains(id) {
					continue
				}
				if n++; id%3 != s.remainder || s.none {
					t.Errorf("%s in %s finds %d", text, name, id)
				}
			}
			if most := m.Len(); n > most || n != len(m.IDs()) || n != m.Len() {
				t.Errorf("%s in %s: %d, %d and %d matches", text, name, n, m.Len(), len(m.IDs()))
			}
			done(t, m)
		}
	}
}
