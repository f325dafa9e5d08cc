package handlers

import (
	"cmp"
	"encoding/binary"
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

const (
	// A walk past this many items costs less than to learn how many match. It is given up
	// earlier, after some items, when it does not look as if it would fill the page.
	minScan, maxScan = 64, 600
	// loadCost is how many items can be walked past in the time in which the facts of a match
	// are read and the match is sorted: at a million items some 0.5 microseconds, and 1.5.
	loadCost = 3
)

// scanBudget is a walk past items for those that match.
type scanBudget struct {
	ids    idSet
	wanted int // of the matches, for the page and what it skips
	walked int
	cost   int // of sorting them, in items walked past; 0 for not known
}

// newScanBudget is nil where nothing is sought.
func newScanBudget(w window, ids idSet) *scanBudget {
	if ids == nil {
		return nil
	}
	return &scanBudget{ids: ids, wanted: w.skip + w.take}
}

// exceeded notes an item that was walked past, and reports whether it is cheaper to sort
// the matches than to walk on: when that would have been cheaper from the start, or as long
// a way for each match still wanted, as it was for each that was met, costs more.
func (s *scanBudget) exceeded(met int) bool {
	if s == nil {
		return false
	}
	s.walked++
	left := (s.wanted - met) * s.walked / (met + 1)
	if s.walked < minScan || s.walked+left < maxScan {
		return false
	}
	if s.cost == 0 {
		s.cost = max(1, loadCost*s.ids.Len())
	}
	return s.walked > s.cost || left > s.cost
}

// walk yields the items behind a place in the order of a filter: through the index of
// the part that the filter asks for where there is one, otherwise of all.
func (l *listing) walk(tx bucket.Reader, f *filter, from position) iter.Seq[*entry] {
	order, prefix := l.orders[f.order], []byte(nil)
	if i := l.pickPrefixIndex(f); i >= 0 {
		order, prefix = l.prefixIndexes[i].scan, bucket.SortKey(*l.prefixIndexes[i].value(f))
	}
	return func(yield func(*entry) bool) {
		var e entry
		start := key(prefix, from)
		if since := f.since(); f.ascending && !since.IsZero() {
			if begin := append(slices.Clone(prefix), bucket.SortKey(since)...); slices.Compare(begin, start) > 0 {
				start = begin
			}
		}
		for hit := range order(tx, prefix, start, f.ascending) {
			e.position = position{at(hit.Sort[len(prefix):]), uint64(hit.Key)}
			bucket.ReadFacts(&e.facts, hit.Value)
			if e.position != from && !yield(&e) {
				return
			}
		}
	}
}

// pickPrefixIndex is which index of a part of the items a filter is answered from, -1 for none.
func (l *listing) pickPrefixIndex(f *filter) int {
	if f.byPublished() {
		for i, n := range l.prefixIndexes {
			if n.value(f) != nil {
				return i
			}
		}
	}
	return -1
}

// key is where a place is in an index.
func key(prefix []byte, p position) []byte {
	b := binary.BigEndian.AppendUint64(slices.Clone(prefix), uint64(p.at)^1<<63)
	return binary.BigEndian.AppendUint64(b, p.id)
}

// at reads the number that a sort key begins with.
func at(sort []byte) int64 { return int64(binary.BigEndian.Uint64(sort) ^ 1<<63) }

// sorted yields the items with some ids that pass a filter and are behind a place, in the
// order of the filter. Those that are not public any more are left out.
func (l *listing) sorted(tx bucket.Reader, f *filter, from position, ids []int64) iter.Seq[*entry] {
	var list []*entry
	for _, id := range ids {
		have, ok := l.facts(tx, id)
		if !ok || !f.passes(&have) {
			continue
		}
		e := &entry{position{f.rank(&have), uint64(id)}, have}
		if f.compare(e.position, from) > 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entry) int { return f.compare(a.position, b.position) })
	return slices.Values(list)
}

// compare orders places as the filter asks; ties are by id.
func (f *filter) compare(a, b position) int { return compare(a, b, f.ascending) }

func compare(a, b position, ascending bool) int {
	if !ascending {
		a, b = b, a
	}
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}

// identified are the items that have the identifiers that a filter asks for in their
// latest version, or, of a DOI that ends with a version, in that one; each once; nil when it
// asks for none.
func (l *listing) identified(tx bucket.Reader, f *filter) (ids []int64) {
	asked := map[string][]string{}
	if f.DOI != nil {
		asked["doi"] = []string{f.doi}
		if item, version := splitDOI(f.doi); version > 0 {
			asked["doi"] = append(asked["doi"], item)
		}
	}
	if f.ResourceDOI != nil {
		asked["resource_doi"] = []string{f.resourceDOI}
	}
	if f.Handle != nil {
		asked["handle"] = []string{record.BareHandle(*f.Handle)}
	}
	for name, texts := range asked {
		found := []int64{}
		for i, text := range texts {
			for hit := range l.named[name](tx, bucket.SortKey(text)) {
				have, ok := l.facts(tx, hit.Key.A)
				if ok && (i == 0 && (have.Version == hit.Key.B || len(hit.Value) > 0) || i > 0 && f.doi == versioned(text, hit.Key.B)) {
					found = append(found, hit.Key.A)
				}
			}
		}
		slices.Sort(found)
		found = slices.Compact(found)
		if ids != nil {
			found = slices.DeleteFunc(found, func(id int64) bool { _, in := slices.BinarySearch(ids, id); return !in })
		}
		ids = found
	}
	return ids
}
