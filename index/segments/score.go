package segments

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// Weight is what a word in a field counts, by BM25F: one word of a text of usual length counts Boost,
// of a longer one less, the more the nearer B is to 1.
type Weight struct {
	Field    string
	Boost, B float64
	Usual    float64 // words of the field
}

// Ranking is how matches are scored.
type Ranking struct {
	Weights []Weight
	K1      float64  // where the first occurrences of a word have half of what all can add
	All     float64  // the score is multiplied by the share of the words that are there, to this power
	Phrase  float64  // by which a match is raised that has the words one after another in the first field
	Near    float64  // the same in one of the other fields
	Words   []string // the fields whose terms in a query are words
}

// Scored is a match and its score.
type Scored struct {
	Kind  byte
	ID    int64
	Score float64
}

// maxScored is how many words of a query count for the order.
const maxScored = 16

// looked is how many of the best are looked at for phrases.
const looked = 200

// Top gives the best n matches, best first; of equal ones the kinds and ids ascend. It reads the
// frequencies of each word in each field that counts, some 30 ns each: 6 ms for a word of 32,000 among
// 100,000 items (BenchmarkTop). Bleve's searchers take twice as long for that, without the sorting, and
// score the fields of a word as if they were words: an item with one word in three fields would stand
// before one that has two words.
func (m *Matches) Top(n int, r *Ranking) (list []Scored) {
	m.askAll()
	if m.err != nil || n <= 0 || m.root == nil { // signs alone ask for nothing
		return nil
	}
	words, _ := Words(m.root, r.Words)
	m.try(func() error {
		idf, err := m.rarity(words, r)
		if err != nil {
			return err
		}
		top := best{most: max(n, looked)}
		for _, p := range m.parts {
			set, err := p.all(&p.answer)
			if err != nil {
				return err
			}
			if err := p.score(&top, set, words, idf, r); err != nil {
				return err
			}
		}
		top.cut()
		if err := m.raise(top.docs[:min(len(top.docs), looked)], r); err != nil {
			return err
		}
		slices.SortFunc(top.docs, better)
		list, err = identify(top.docs[:min(len(top.docs), n)])
		return err
	})
	if m.err != nil {
		return nil
	}
	return list
}

type scoredDoc struct {
	part  *found
	doc   uint32
	score float64
	nth   int // in which order it was met
}

// better orders documents: the best first, then as they were met.
func better(a, b scoredDoc) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.nth, b.nth))
}

// best are the best documents that were met.
type best struct {
	docs  []scoredDoc
	most  int
	worst float64 // that can still be among them
	met   int
}

// add takes a document. It sorts once in as many as it keeps, so that many cost little.
func (b *best) add(d scoredDoc) {
	if len(b.docs) >= b.most && d.score <= b.worst {
		return
	}
	d.nth = b.met
	b.met++
	if b.docs = append(b.docs, d); len(b.docs) >= 2*b.most {
		b.cut()
	}
}

func (b *best) cut() {
	slices.SortFunc(b.docs, better)
	if len(b.docs) >= b.most {
		b.docs = b.docs[:b.most]
		b.worst = b.docs[b.most-1].score
	}
}

func identify(best []scoredDoc) ([]Scored, error) {
	list := make([]Scored, len(best))
	for i, d := range best {
		key, err := d.part.key(d.doc)
		if err != nil {
			return nil, err
		}
		list[i] = Scored{key[0], int64(binary.BigEndian.Uint64(key[1:])), d.score}
	}
	return list, nil
}

// Words are the words that a query asks for in some fields, each once, in its order: those of phrases
// too, and none of NOT. begins are those that a star stands behind.
func Words(n *Node, fields []string) (words, begins []string) {
	var walk func(*Node)
	walk = func(n *Node) {
		switch n.Op {
		case OpNot:
			return
		case OpTerm, OpPhrase, OpPrefix:
			if !slices.Contains(fields, n.Field) {
				return
			}
			if n.Op == OpPrefix && !slices.Contains(begins, n.Terms[0]) {
				begins = append(begins, n.Terms[0])
			}
			for _, t := range n.Terms {
				if t != "" && len(words) < maxScored && !slices.Contains(words, t) {
					words = append(words, t)
				}
			}
		}
		for _, k := range n.Children {
			walk(k)
		}
	}
	walk(n)
	return words, begins
}

// rarity is what each word says by how few items have it.
func (m *Matches) rarity(words []string, r *Ranking) ([]float64, error) {
	idf, all := make([]float64, len(words)), 0.0
	for _, p := range m.parts {
		all += float64(p.segment.Count())
	}
	for i, w := range words {
		most := 0.0
		for _, weight := range r.Weights {
			in := 0.0
			for _, p := range m.parts {
				list, err := p.evaluation.list(weight.Field, w)
				if err != nil {
					return nil, err
				}
				in += float64(list.Count())
			}
			most = max(most, in)
		}
		idf[i] = math.Log(1 + (all-min(most, all)+0.5)/(most+0.5))
	}
	return idf, nil
}

// score gives every document of a set its score.
func (f *found) score(top *best, set *roaring.Bitmap, words []string, idf []float64, r *Ranking) error {
	if set.IsEmpty() {
		return nil
	}
	room := scratches.Get().(*scratch)
	defer scratches.Put(room)
	room.grow(int(f.segment.Count()))
	defer room.clear(set)
	sum, had, acc, in := room.sum, room.had, room.acc, room.in
	for it := set.Iterator(); it.HasNext(); {
		in[it.Next()] = true
	}
	shares := make([]float64, len(words)+1)
	for i := range shares {
		shares[i] = 1
		if len(words) > 1 {
			shares[i] = math.Pow(float64(i)/float64(len(words)), r.All)
		}
	}
	var met []uint32
	for i, w := range words {
		met = met[:0]
		for _, weight := range r.Weights {
			list, err := f.evaluation.list(weight.Field, w)
			if err != nil {
				return err
			}
			it := list.Iterator(true, true, false, nil)
			for {
				p, err := it.Next()
				if err != nil {
					return err
				}
				if p == nil {
					break
				}
				doc := p.Number()
				if !in[doc] {
					continue
				}
				length := weight.Usual
				if norm := p.Norm(); norm > 0 {
					length = 1 / (norm * norm)
				}
				if acc[doc] == 0 {
					met = append(met, uint32(doc))
				}
				acc[doc] += weight.Boost * float64(p.Frequency()) / (1 - weight.B + weight.B*length/weight.Usual)
			}
			if err := f.step(int(list.Count())); err != nil {
				return err
			}
		}
		for _, doc := range met {
			sum[doc] += idf[i] * acc[doc] / (acc[doc] + r.K1)
			acc[doc] = 0
			had[doc]++
		}
	}
	for it := set.Iterator(); it.HasNext(); {
		doc := it.Next()
		top.add(scoredDoc{part: f, doc: doc, score: sum[doc] * shares[had[doc]]})
	}
	return nil
}

// scratch is room for the scores of all documents of a segment, all zero between two uses.
type scratch struct {
	sum, acc []float64
	had      []uint8
	in       []bool
}

var scratches = sync.Pool{New: func() any { return &scratch{} }}

func (s *scratch) grow(size int) {
	if len(s.in) < size {
		*s = scratch{make([]float64, size), make([]float64, size), make([]uint8, size), make([]bool, size)}
	}
}

// clear makes zero what the documents of a set have.
func (s *scratch) clear(set *roaring.Bitmap) {
	for it := set.Iterator(); it.HasNext(); {
		doc := it.Next()
		s.sum[doc], s.acc[doc], s.had[doc], s.in[doc] = 0, 0, 0, false
	}
}

// raise lifts those of the best that have the words of the query one after another.
func (m *Matches) raise(best []scoredDoc, r *Ranking) error {
	words := phraseOf(m.root)
	if len(words) < 2 {
		return nil
	}
	ask := map[*found][]int{}
	for i, d := range best {
		ask[d.part] = append(ask[d.part], i)
	}
	for p, at := range ask {
		slices.SortFunc(at, func(a, b int) int { return cmp.Compare(best[a].doc, best[b].doc) })
		for n, weight := range r.Weights {
			readers, err := p.readers(weight.Field, words)
			if err != nil {
				return err
			}
			raised := r.Near
			if n == 0 {
				raised = r.Phrase
			}
			for _, i := range at {
				starts, err := p.starts(best[i].doc, readers)
				if err != nil {
					return err
				}
				if len(starts) > 0 {
					best[i].score *= raised
				}
			}
		}
	}
	return nil
}

// phraseOf are the words of a query that is nothing but words side by side, or one phrase.
func phraseOf(n *Node) []string {
	first := func(n *Node) (terms []string, plain bool) { // of a word that is looked for in several fields
		if n.Op == OpTerm || n.Op == OpPhrase {
			return n.Terms, true
		}
		return nil, false
	}
	if terms, ok := first(n); ok {
		return terms
	}
	if n.Op != OpOr && n.Op != OpAnd {
		return nil
	}
	var words []string
	field := ""
	for _, k := range n.Children {
		terms, ok := first(k)
		if !ok && k.Op == OpOr && len(k.Children) > 0 {
			k = k.Children[0]
			terms, ok = first(k)
		}
		if !ok {
			return nil
		}
		if field == "" {
			field = k.Field
		}
		if k.Field == field {
			words = append(words, terms...)
		}
	}
	return words
}
