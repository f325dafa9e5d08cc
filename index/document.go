package index

import (
	"slices"
	"sync"
	"unicode/utf8"

	api "github.com/blevesearch/bleve_index_api"
)

// document is an item as Bleve takes it: each field once, with its terms already counted.
// Bleve's own documents hold a field for each value, which it counts by itself and then
// puts together.
type document struct {
	id     string
	fields []*field
}

// field is a field of words, which one of Bleve's analysing goroutines splits, or one of
// whole values.
type field struct {
	name    string
	options api.FieldIndexingOptions
	value   []byte // what is split, or kept
	terms   api.TokenFrequencies
	length  int // terms in all
}

// Positions are kept in every field of words, because a phrase may be asked of any. The
// offsets that highlighting would need are not.
const (
	wordOptions  = api.IndexField | api.IncludeTermVectors
	exactOptions = api.IndexField | api.SkipFreqNorm
	idOptions    = api.IndexField | api.StoreField
)

// Terms that documents share, because they are never changed.
var (
	uncounted = &api.TokenFreq{}        // a whole value
	unplaced  = func() *api.TokenFreq { // what is there once, at no position
		f := &api.TokenFreq{}
		f.SetFrequency(1)
		return f
	}()
)

func newDocument(id string) *document {
	d := &document{id: id, fields: make([]*field, 0, 24)}
	d.fields = append(d.fields, &field{
		name: "_id", options: idOptions, value: []byte(id), terms: api.TokenFrequencies{id: unplaced}, length: 1,
	})
	return d
}

// field gives a field of whole values, empty when it is new.
func (d *document) field(name string) *field {
	at := slices.IndexFunc(d.fields, func(f *field) bool { return f.name == name })
	if at < 0 {
		at = len(d.fields)
		d.fields = append(d.fields, &field{name: name, options: exactOptions, terms: api.TokenFrequencies{}})
	}
	return d.fields[at]
}

func (d *document) ID() string                                 { return d.id }
func (d *document) Size() int                                  { return int(d.NumPlainTextBytes()) }
func (d *document) VisitComposite(_ api.CompositeFieldVisitor) {}
func (d *document) HasComposite() bool                         { return false }
func (d *document) AddIDField()                                {} // newDocument has
func (d *document) StoredFieldsBytes() uint64                  { return 0 }
func (d *document) Indexed() bool                              { return true }

func (d *document) VisitFields(visit api.FieldVisitor) {
	for _, f := range d.fields {
		visit(f)
	}
}

func (d *document) NumPlainTextBytes() (sum uint64) {
	for _, f := range d.fields {
		sum += f.NumPlainTextBytes()
	}
	return sum
}

func (f *field) Name() string                                   { return f.name }
func (f *field) Value() []byte                                  { return f.value }
func (f *field) ArrayPositions() []uint64                       { return nil }
func (f *field) EncodedFieldType() byte                         { return 't' }
func (f *field) Options() api.FieldIndexingOptions              { return f.options }
func (f *field) AnalyzedLength() int                            { return f.length }
func (f *field) AnalyzedTokenFrequencies() api.TokenFrequencies { return f.terms }
func (f *field) NumPlainTextBytes() uint64                      { return uint64(len(f.value)) }

// Analyze splits a field of words. It runs on goroutines that are not ours, where a panic
// would end the process, so a text that breaks it is left out of the index.
func (f *field) Analyze() {
	if f.terms != nil {
		return
	}
	c := counters.Get().(*counter)
	defer func() {
		if recover() != nil {
			f.terms, f.length = api.TokenFrequencies{}, 0
			return // the counter is left behind with what it was doing
		}
		c.rest()
		counters.Put(c)
	}()
	f.terms, f.length = c.count(string(f.value), forms[f.name])
}

// counter splits and counts texts, one at a time. The state that it keeps between two of them spares
// most of the work: texts have the same words.
type counter struct {
	cachedTerms map[form]map[string]string // words and their terms, empty for none
	runes       []rune
	words       []token
}

const (
	maxCachedTerms = 8192    // words that a counter keeps the terms of, in each form
	maxCachedWord  = 32      // bytes of such a word
	maxKept        = 1 << 14 // runes and tokens that a counter keeps room for
)

var counters = sync.Pool{New: func() any {
	return &counter{cachedTerms: map[form]map[string]string{text: {}, names: {}}}
}}

// rest gives up what a long text has made large.
func (c *counter) rest() {
	clear(c.words)
	if cap(c.runes) > maxKept || cap(c.words) > maxKept {
		c.runes, c.words = nil, nil
	}
}

// count gives the terms of a text with their positions, and how many there are in all.
func (c *counter) count(s string, f form) (api.TokenFrequencies, int) {
	c.runes = c.runes[:0]
	for _, r := range fold(s) {
		c.runes = append(c.runes, r)
	}
	p := splitter{form: f, out: c.words[:0], cachedTerms: c.cachedTerms[f]}
	p.run(c.runes)
	c.words = p.out
	terms := make(api.TokenFrequencies, len(p.out))
	for _, t := range p.out {
		at, again := terms[t.term]
		switch {
		case !again:
			terms[t.term] = once(t.pos)
		case at.Frequency() == 1: // it may be that of others, too
			both := &api.TokenFreq{Locations: append(make([]*api.TokenLocation, 0, 4), at.Locations[0], location(t.pos))}
			both.SetFrequency(2)
			terms[t.term] = both
		default:
			at.Locations = append(at.Locations, location(t.pos))
			at.SetFrequency(at.Frequency() + 1)
		}
	}
	return terms, len(p.out)
}

// places are positions that all documents share. Bleve changes a location only where a
// document has two fields of one name.
type places struct {
	at   [4096]api.TokenLocation
	list [4096]*api.TokenLocation
	once [4096]api.TokenFreq
}

var shared = sync.OnceValue(func() *places {
	p := &places{}
	for i := range p.at {
		p.at[i].Position = i
		p.list[i] = &p.at[i]
		p.once[i].Locations = p.list[i : i+1 : i+1]
		p.once[i].SetFrequency(1)
	}
	return p
})

// location is a place in a field, which is never changed.
func location(pos int) *api.TokenLocation {
	if p := shared(); pos < len(p.at) {
		return &p.at[pos]
	}
	return &api.TokenLocation{Position: pos}
}

// once is a term that is at one place of a field, which is never changed. Bleve has no use
// for the term itself: it is the key under which this stands.
func once(pos int) *api.TokenFreq {
	if p := shared(); pos < len(p.once) {
		return &p.once[pos]
	}
	f := &api.TokenFreq{Locations: []*api.TokenLocation{{Position: pos}}}
	f.SetFrequency(1)
	return f
}

// term is form.term of a word, remembered where many texts are split; false for a stop word.
func (p *splitter) term(word []rune) (string, bool) {
	if p.cachedTerms == nil || len(word) > maxCachedWord {
		t := p.form.term(string(word))
		return t, t != ""
	}
	var room [maxCachedWord * utf8.UTFMax]byte
	key := room[:0]
	for _, r := range word {
		key = utf8.AppendRune(key, r)
	}
	t, ok := p.cachedTerms[string(key)]
	if !ok {
		t = p.form.term(string(key))
		if len(p.cachedTerms) == maxCachedTerms {
			clear(p.cachedTerms)
		}
		p.cachedTerms[string(key)] = t
	}
	return t, t != ""
}
