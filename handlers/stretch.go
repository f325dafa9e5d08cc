package handlers

import (
	"sync"
	"time"

	"alcove/bucket"
)

// A stretch is the beginning of an order as it was read once: the items that most pages begin
// with, whatever else they ask for. It holds for as long as nothing is committed.
type stretch struct {
	entries []stretched
	whole   bool      // nothing comes behind
	changed time.Time // when the store had last changed, told before it was read
}

type stretched struct {
	entry
	doc bucket.Doc // its list form, in memory of its own
}

const (
	stretchItems = 100
	stretchBytes = 256 << 10 // of documents
	stretchesMax = 32        // that are kept at a time
)

// stretchKey names an order: of all items of a kind, or of a part of them.
type stretchKey struct {
	kind, order     string
	ascending       bool
	pickPrefixIndex int // which part, from 1 on; 0 for all
	asked           int64
}

// stretches keeps the beginnings of orders that are asked for again. All of them are dropped
// at the next commit of anything, as kept pages are. Its methods are safe for concurrent use.
type stretches struct {
	mu      sync.RWMutex
	commits uint64 // at which what is kept was read
	kept    map[stretchKey]*stretch
	asked   map[stretchKey]int // how often what is not kept was asked for
}

// worthIt is how often an order is asked for before its beginning is kept: reading it takes
// as long as some pages.
const worthIt = 4

func newStretches() *stretches {
	return &stretches{kept: map[stretchKey]*stretch{}, asked: map[stretchKey]int{}}
}

// find is the stretch of a key that was read after so many commits, nil when none is kept;
// wanted tells that it should be.
func (s *stretches) find(key stretchKey, commits uint64) (found *stretch, wanted bool) {
	s.mu.RLock()
	if s.commits == commits {
		found = s.kept[key]
	}
	s.mu.RUnlock()
	if found != nil {
		return found, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.current(commits) || len(s.asked) == stretchesMax && s.asked[key] == 0 {
		return nil, false
	}
	s.asked[key]++
	return nil, s.asked[key] == worthIt // one of those who ask reads it
}

// keep keeps a stretch that was read after so many commits.
func (s *stretches) keep(key stretchKey, commits uint64, made *stretch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current(commits) {
		s.kept[key] = made
	}
}

// current drops what is older than so many commits, and reports whether what was read after
// so many is the newest. The lock is held.
func (s *stretches) current(commits uint64) bool {
	if commits > s.commits {
		clear(s.kept)
		clear(s.asked)
		s.commits = commits
	}
	return commits == s.commits
}

// stretchOf names the order in which a question is answered, if it begins where the order
// does and is about nothing that is found in another way.
func (q *listQuery) stretchOf() (stretchKey, bool) {
	f := q.filter
	if q.from != first(f.ascending) || f.DOI != nil || f.ResourceDOI != nil || f.Handle != nil || f.ascending && !f.since().IsZero() {
		return stretchKey{}, false
	}
	key := stretchKey{kind: q.kind, order: f.order, ascending: f.ascending}
	if i := q.pickPrefixIndex(f); i >= 0 {
		key.pickPrefixIndex, key.asked = 1+i, *q.prefixIndexes[i].value(f)
	}
	return key, true
}

// beginning answers a question from a stretch alone, if that has enough.
func (q *listQuery) beginning(s *stretch) (Reply, bool) {
	out := q.listWriter()
	last, passed := q.from, 0
	for i := range s.entries {
		e := &s.entries[i]
		if q.over(&e.facts) {
			return q.reply(out, last, s.changed), true
		}
		if !q.passes(&e.facts) {
			continue
		}
		if passed++; passed <= q.skip {
			continue
		}
		if q.project {
			out.addOfProject(e.doc, e.facts.Project)
		} else {
			out.add(e.doc)
		}
		if last = e.position; out.n == q.take {
			return q.reply(out, last, s.changed), true
		}
	}
	if s.whole {
		return q.reply(out, last, s.changed), true
	}
	putBuffer(out.text)
	return Reply{}, false
}

// stretch reads the beginning of the order in which a question is answered.
func (q *listQuery) stretch(tx bucket.Reader) (*stretch, error) {
	s := &stretch{changed: q.call.changed}
	text := 0
	for e := range q.walk(tx, q.filter, q.from) {
		if len(s.entries) == stretchItems || text > stretchBytes {
			return s, nil
		}
		doc, err := q.document(tx, e)
		if err != nil {
			return nil, err
		}
		doc.List = append([]byte(nil), doc.List...)
		text += len(doc.List)
		s.entries = append(s.entries, stretched{*e, bucket.Doc{List: doc.List, ListSum: doc.ListSum}})
	}
	s.whole = true
	return s, nil
}
