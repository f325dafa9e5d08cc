// Package facts is what the entries of indexes say of records, so that lists are narrowed without reading those.
package facts

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"alcove/record"
)

// Facts are what lists and searches are narrowed by without reading a record.
type Facts struct {
	Published, Modified                        time.Time // Published is zero for never
	Type, Institution, Group, Project, Version int64     // Version is the latest public one, 0 for none
	// Counts are known of public items only, by PublicIndex.Facts.
	Counts record.Counts
}

// NoTime stands in indexes for no time, before all times.
const NoTime = -1 << 39

const factBytes = 7 * 8

// Bytes are the facts as an index holds them, without the counts: eight bytes each, big
// endian, in the order of Facts; times are Unix seconds, with NoTime for none.
func (f Facts) Bytes() []byte {
	published := int64(NoTime)
	if !f.Published.IsZero() {
		published = f.Published.Unix()
	}
	b := make([]byte, 0, factBytes+4*8)
	for _, n := range []int64{published, f.Modified.Unix(), f.Type, f.Institution, f.Group, f.Project, f.Version} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// WithCounts are the facts as an index holds them, with counts behind them: eight bytes each, big endian.
func (f Facts) WithCounts(c record.Counts) []byte {
	b := f.Bytes()
	for _, n := range []int64{c.Views, c.Shares, c.Downloads, c.Cites} {
		b = binary.BigEndian.AppendUint64(b, uint64(n))
	}
	return b
}

// WithCounts reads what WithCounts made.
func WithCounts(value []byte) Facts {
	f := Indexed(value)
	n := func(i int) int64 { return int64(binary.BigEndian.Uint64(value[factBytes+8*i:])) }
	f.Counts = record.Counts{Views: n(0), Shares: n(1), Downloads: n(2), Cites: n(3)}
	return f
}

// Indexed reads the value of an index with Facts.
func Indexed(value []byte) (f Facts) {
	Read(&f, value)
	return f
}

// Read is Indexed into facts that are there.
func Read(f *Facts, value []byte) {
	_ = value[factBytes-1]
	n := func(i int) int64 { return int64(binary.BigEndian.Uint64(value[8*i:])) }
	f.Published, f.Modified = time.Time{}, time.Unix(n(1), 0).UTC()
	if n(0) != NoTime {
		f.Published = time.Unix(n(0), 0).UTC()
	}
	f.Type, f.Institution, f.Group, f.Project, f.Version = n(2), n(3), n(4), n(5), n(6)
	f.Counts = record.Counts{}
}

// Of are the facts of a working copy.
func Of(w *record.Working) []byte {
	f := Facts{Modified: w.Modified, Type: w.Type, Institution: w.InstitutionID, Group: w.GroupID, Project: w.ProjectID, Version: int64(w.Version)}
	if w.Published != nil {
		f.Published = *w.Published
	}
	return f.Bytes()
}

// WorkingFacts are what lists of an institution are narrowed by without reading a record.
type WorkingFacts struct {
	Facts
	Status   int64
	Resource uint64 // see ResourceNumber
}

// Publication is when an article was last published in Unix seconds, NoTime for never.
func Publication(a *record.Article) int64 {
	if a.Published == nil {
		return NoTime
	}
	return a.Published.Unix()
}

// OfWorking are the Facts, a byte for the status, and the number of the resource's DOI.
func OfWorking(w *record.Working) []byte {
	status := map[string]byte{"draft": StatusDraft, "private": StatusPrivate, "public": StatusPublic}[w.Status()]
	return binary.BigEndian.AppendUint64(append(Of(w), status), ResourceNumber(record.BareDOI(w.ResourceDOI)))
}

// ReadWorkingFacts reads the value of an index with WorkingFacts.
func ReadWorkingFacts(f *WorkingFacts, value []byte) {
	Read(&f.Facts, value)
	f.Status, f.Resource = int64(value[factBytes]), binary.BigEndian.Uint64(value[factBytes+1:])
}

// ResourceNumber stands for the bare DOI of a resource where there is little room: the same for
// the same one, and hardly ever for another. 0 is that of none.
func ResourceNumber(doi string) uint64 {
	if doi == "" {
		return 0
	}
	h := fnv.New64a()
	h.Write([]byte(doi))
	return h.Sum64()
}

// The publication states of a working copy, as the status filter of own lists numbers them.
const (
	StatusDraft = iota + 1
	StatusPrivate
	StatusPublic
)
