package lists

import (
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/facts"
)

// numbers are ids, ascending.
type numbers []int64

func (n numbers) Len() int     { return len(n) }
func (n numbers) IDs() []int64 { return n }

func (n numbers) Contains(id int64) bool   { _, ok := slices.BinarySearch(n, id); return ok }
func publishedAt(id int64) (f facts.Facts) { f.Published = time.Unix(id/3, 0); return f }

// write is a page, and the position behind it.
func (l *Public) write(f *Filter, w Window, from Position, ids IDSet) (text []byte, last Position, err error) {
	out := NewWriter(nil, w.Take, "")
	last, err = (&PublicQuery{Filter: f, Public: l, Window: w, From: from, Matches: ids}).Write(nil, out, false)
	text, _ = out.End()
	return text, last, err
}

// A scan that passes by too much for a few matches is given up for sorting them, and the
// page is the same. It says how many entries the scan looked at.
func TestPageGivesUpWalking(t *testing.T) {
	const items = 20_000
	looked := 0
	l := &Public{
		orders: map[string]order{"published_date": func(_ bucket.Reader, _, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]] {
			return func(yield func(bucket.Hit[int64]) bool) {
				for n := range int64(items) {
					id := n + 1
					if !ascending {
						id = items - n
					}
					looked++
					f := publishedAt(id)
					if !yield(bucket.Hit[int64]{Key: id, Sort: bucket.SortKey(f.Published), Value: f.Bytes()}) {
						return
					}
				}
			}
		}},
		facts: func(_ bucket.Reader, id int64) (facts.Facts, bool) { return publishedAt(id), true },
		doc: func(_ bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
			return bucket.Doc{List: fmt.Append(nil, key.A)}, nil
		},
	}
	var spread, old numbers
	for id := int64(1); id <= items; id++ {
		if id%20 == 0 {
			spread = append(spread, id)
		}
		if id <= 600 {
			old = append(old, id)
		}
	}
	for _, tt := range []struct {
		name string
		ids  numbers
		f    Filter
		want string
		most int // entries looked at
	}{
		{"matches all over", spread, Filter{order: "published_date"}, "[20000, 19980, 19960]", 100},
		{"matches all over, ascending", spread, Filter{order: "published_date", ascending: true}, "[20, 40, 60]", 100},
		{"old matches", old, Filter{order: "published_date"}, "[600, 599, 598]", maxScan + loadCost*600},
		{"few matches", old[:500], Filter{order: "published_date"}, "[500, 499, 498]", maxScan + loadCost*500},
	} {
		looked = 0
		text, last, err := l.write(&tt.f, Window{0, 3}, first(tt.f.ascending), tt.ids)
		if got := string(text); got != tt.want || err != nil || looked > tt.most {
			t.Errorf("%s: %s after %d entries (%v), want %s after %d at most", tt.name, got, looked, err, tt.want, tt.most)
		}
		var ids []uint64
		if err := json.Unmarshal(text, &ids); err != nil {
			t.Fatal(err)
		}
		if id := ids[2]; last != (Position{int64(id / 3), id}) {
			t.Errorf("%s: the page ends at %v", tt.name, last)
		}
	}
}
