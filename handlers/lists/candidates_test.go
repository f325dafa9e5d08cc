package lists

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
)

// fixtureOf is a list of items in memory, which counts the entries that are walked.
type fixtureOf struct {
	Public
	items  map[int64]facts.Facts
	looked int
}

func newFixtureOf(items map[int64]facts.Facts) *fixtureOf {
	s := &fixtureOf{items: items}
	sorted := func(keep func(*facts.Facts) []byte) order {
		type row struct {
			sort []byte
			id   int64
		}
		var rows []row
		for id, f := range items {
			rows = append(rows, row{keep(&f), id})
		}
		whole := func(r row) []byte { return binary.BigEndian.AppendUint64(slices.Clone(r.sort), uint64(r.id)) }
		slices.SortFunc(rows, func(a, b row) int { return slices.Compare(whole(a), whole(b)) })
		return func(_ bucket.Reader, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]] {
			return func(yield func(bucket.Hit[int64]) bool) {
				at, _ := slices.BinarySearchFunc(rows, from, func(r row, key []byte) int { return slices.Compare(whole(r), key) })
				step := 1
				if !ascending {
					step = -1
					if at == len(rows) || slices.Compare(whole(rows[at]), from) > 0 {
						at--
					}
				}
				for ; at >= 0 && at < len(rows); at += step {
					r := rows[at]
					if len(r.sort) < len(prefix) || slices.Compare(r.sort[:len(prefix)], prefix) != 0 {
						return
					}
					s.looked++
					f := items[r.id]
					if !yield(bucket.Hit[int64]{Key: r.id, Sort: r.sort, Value: f.Bytes()}) {
						return
					}
				}
			}
		}
	}
	published := func(f *facts.Facts) []byte { return bucket.SortKey(f.Published) }
	part := func(of func(*facts.Facts) int64) order {
		return sorted(func(f *facts.Facts) []byte { return append(bucket.SortKey(of(f)), published(f)...) })
	}
	s.Public = Public{
		orders: map[string]order{
			"published_date": sorted(published),
			"modified_date":  sorted(func(f *facts.Facts) []byte { return bucket.SortKey(f.Modified) }),
			"views":          sorted(func(f *facts.Facts) []byte { return bucket.SortKey(f.Counts.Views) }),
		},
		prefixIndexes: []prefixIndex{
			{func(f *Filter) *int64 { return f.Group }, part(func(f *facts.Facts) int64 { return f.Group })},
			{func(f *Filter) *int64 { return f.ItemType }, part(func(f *facts.Facts) int64 { return f.Type })},
		},
		facts: func(_ bucket.Reader, id int64) (facts.Facts, bool) {
			s.looked += loadCost
			f, ok := items[id]
			return f, ok
		},
		doc: func(_ bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
			return bucket.Doc{List: fmt.Append(nil, key.A)}, nil
		},
	}
	return s
}

// list is a page, and the place behind it.
func (s *fixtureOf) list(t *testing.T, f *Filter, w Window, from Position) (ids []int64, last Position) {
	t.Helper()
	s.looked = 0
	text, last, err := s.write(f, w, from, nil)
	if err == nil {
		err = json.Unmarshal(text, &ids)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ids, last
}

// The items of a filter are found by the shortest index, whatever their order in the list.
func TestListTakesTheShortestWay(t *testing.T) {
	const items = 20_000
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := map[int64]facts.Facts{}
	for id := int64(1); id <= items; id++ {
		f := facts.Facts{Published: day.Add(time.Duration(id) * time.Minute), Group: id % 2, Type: 3, Version: 1}
		f.Modified = f.Published
		f.Counts.Views = id % 1000
		all[id] = f
	}
	late := day.AddDate(1, 0, 0)
	for _, id := range []int64{17, 29, 41} { // old, and changed lately
		f := all[id]
		f.Modified, f.Type = late.Add(time.Duration(id)*time.Second), 9
		all[id] = f
	}
	s := newFixtureOf(all)
	of := func(f Filter, group, kind *int64) Filter {
		f.Group, f.ItemType = group, kind
		return f
	}
	for _, tt := range []struct {
		name string
		f    Filter
		want []int64
		most int // entries looked at
	}{
		{"changed lately", Filter{order: "published_date", modifiedSince: late}, []int64{41, 29, 17}, 300},
		{"changed lately, oldest first", Filter{order: "views", ascending: true, modifiedSince: late}, []int64{17, 29, 41}, 300},
		{"never changed", Filter{order: "published_date", modifiedSince: late.AddDate(1, 0, 0)}, []int64{}, 300},
		{"published lately, by views", Filter{order: "views", publishedSince: all[items-1].Published}, []int64{0, 0}, 300},
		{"of a rare type, by views", of(Filter{order: "views"}, nil, new(int64(9))), []int64{41, 29, 17}, 300},
		{"of a rare type and a large group", of(Filter{order: "published_date"}, new(int64(1)), new(int64(9))), []int64{41, 29, 17}, 300},
		{"of a large group and a type that is none", of(Filter{order: "published_date"}, new(int64(1)), new(int64(77))), []int64{}, 300},
		{"of a large group, by views", of(Filter{order: "views"}, new(int64(1)), nil), []int64{0, 0, 0}, 50},
		{"all", Filter{order: "views"}, []int64{0, 0, 0}, 4},
	} {
		got, _ := s.list(t, &tt.f, Window{0, 3}, first(tt.f.ascending))
		if len(got) != len(tt.want) || s.looked > tt.most {
			t.Errorf("%s: %v after %d entries, want %v after %d at most", tt.name, got, s.looked, tt.want, tt.most)
		}
		for i, id := range tt.want {
			if id != 0 && got[i] != id {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		}
	}
}

// Whatever is asked, in whatever order, page by page and at once: the items are those that pass the
// filter, each once, in that order.
func TestListsBySeveralWays(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	all := map[int64]facts.Facts{}
	for id := int64(1); id <= 3000; id++ {
		f := facts.Facts{Published: day.Add(time.Duration(r.IntN(2000)) * time.Hour), Group: int64(r.ExpFloat64() * 4), Type: int64(r.ExpFloat64() * 3), Version: 1}
		f.Modified = f.Published.Add(time.Duration(r.ExpFloat64()*300) * time.Hour)
		f.Counts.Views = int64(r.IntN(50))
		all[id] = f
	}
	s := newFixtureOf(all)
	for range 400 {
		f := Filter{order: []string{"published_date", "modified_date", "views", "created_date"}[r.IntN(3)], ascending: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			f.modifiedSince = day.Add(time.Duration(1000+r.IntN(3000)) * time.Hour)
		}
		if r.IntN(3) == 0 {
			f.publishedSince = day.Add(time.Duration(r.IntN(2100)) * time.Hour)
		}
		if r.IntN(2) == 0 {
			f.Group = new(int64(r.IntN(30)))
		}
		if r.IntN(2) == 0 {
			f.ItemType = new(int64(r.IntN(25)))
		}
		var places []Position
		for id, have := range all {
			if f.passes(&have) {
				places = append(places, Position{f.rank(&have), uint64(id)})
			}
		}
		slices.SortFunc(places, f.compare)
		want := []int64{}
		for _, p := range places {
			want = append(want, int64(p.ID))
		}
		take := 1 + r.IntN(60)
		var walked []int64
		for from := first(f.ascending); ; {
			ids, last := s.list(t, &f, Window{0, take}, from)
			if len(ids) == 0 {
				break
			}
			walked, from = append(walked, ids...), last
		}
		skip := r.IntN(len(want) + 2)
		page, _ := s.list(t, &f, Window{skip, take}, first(f.ascending))
		if !slices.Equal(walked, want) || !slices.Equal(page, want[min(skip, len(want)):min(skip+take, len(want))]) {
			t.Fatalf("%+v: %d of %d items by cursor, %d behind %d", f, len(walked), len(want), len(page), skip)
		}
	}
}
