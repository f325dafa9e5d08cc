package handlers

import (
	"encoding/binary"
	"iter"
	"slices"

	"alcove/bucket"
)

// ownOrder walks own items in an order. What has no place in it, as it was never
// published, stands under a prefix of its own, unless everything has a place (whole).
type ownOrder struct {
	scan  func(tx *bucket.Tx, prefix, from []byte, ascending bool) iter.Seq[bucket.Hit[int64]]
	whole bool
}

// ownPart is a part of an order: the entries with a date, or those without.
type ownPart struct {
	prefix []byte
	dated  bool
}

func (o ownOrder) parts(account int64) []ownPart {
	if o.whole {
		return []ownPart{{bucket.SortKey(account), true}}
	}
	return []ownPart{{bucket.SortKey(account, 1), true}, {bucket.SortKey(account, 0), false}}
}

// start is where a walk goes on in a part behind a place, nil for the beginning. What has no
// date has the place least and comes last in either direction; ok is false when all of the part lies
// before the place.
func (p ownPart) start(from position) (_ []byte, ok bool) {
	switch {
	case p.dated && from.at == least:
		return nil, false
	case p.dated:
		return key(p.prefix, from), true
	case from.at == least:
		return binary.BigEndian.AppendUint64(slices.Clone(p.prefix), from.id), true
	}
	return nil, true
}

// walk goes through the caller's items behind a place, in the order of the filter, ties by id. An
// entry is valid until the next.
func (q *ownListQuery) walk(tx *bucket.Tx) iter.Seq[*entry] {
	order, ok := q.kind.search.orders[q.order]
	if !ok {
		return q.counted(tx)
	}
	begins := q.from == first(q.ascending)
	return func(yield func(*entry) bool) {
		var e entry
		for _, part := range order.parts(q.call.Account.ID) {
			start, ok := []byte(nil), true
			if !begins {
				start, ok = part.start(q.from)
			}
			if !ok {
				continue
			}
			for hit := range order.scan(tx, part.prefix, start, q.ascending) {
				e.position = position{least, uint64(hit.Key)}
				if part.dated {
					e.at = at(hit.Sort[len(part.prefix):])
				}
				bucket.ReadFacts(&e.facts, hit.Value)
				if e.position != q.from && !yield(&e) {
					return
				}
			}
		}
	}
}

// counted goes through them in the order of a count, which only what is public has: all of them
// are looked at, as there is no such index of one account.
func (q *ownListQuery) counted(tx *bucket.Tx) iter.Seq[*entry] {
	var list []*entry
	mine := q.kind.search.orders["created_date"].scan(tx, bucket.SortKey(q.call.Account.ID), nil, true)
	for hit := range mine {
		e := &entry{position{0, uint64(hit.Key)}, bucket.IndexedFacts(hit.Value)}
		if e.facts.Version > 0 {
			public, _ := q.kind.search.public().facts(tx, hit.Key)
			e.at = q.rank(&public)
		}
		if q.compare(e.position, q.from) > 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b *entry) int { return q.compare(a.position, b.position) })
	return slices.Values(list)
}
