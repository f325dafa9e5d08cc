package segments

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis/analyzer/simple"
	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/registry"
	api "github.com/blevesearch/bleve_index_api"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// made is an index with documents 1 to 6 in three batches. Document 2 comes twice, and 5 is
// deleted.
func made(t *testing.T) api.IndexReader {
	t.Helper()
	analyzer, err := registry.NewCache().AnalyzerNamed(simple.Name)
	if err != nil {
		t.Fatal(err)
	}
	queue := api.NewAnalysisQueue(1)
	t.Cleanup(queue.Close)
	index, err := scorch.NewScorch(scorch.Name, map[string]any{"path": t.TempDir()}, queue)
	if err != nil {
		t.Fatal(err)
	}
	if err := index.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	for _, batch := range []map[int64]string{
		{1: "snow on ice", 2: "ice", 3: "ice on snow and ice on snow", 4: "firn"},
		{2: "snow on ice again", 5: "snow on ice"},
		{6: "moraine"},
	} {
		b := api.NewBatch()
		for id, text := range batch {
			d := document.NewDocument(string(docKey(id)))
			d.AddField(document.NewTextFieldCustom("kind", nil, []byte("article"), api.IndexField, analyzer))
			d.AddField(document.NewTextFieldCustom("text", nil, []byte(text), api.IndexField|api.IncludeTermVectors, analyzer))
			b.Update(d)
		}
		if batch[6] != "" {
			b.Delete(string(docKey(5)))
		}
		persisted := make(chan error, 1)
		b.SetPersistedCallback(func(err error) { persisted <- err })
		if err := index.Batch(b); err != nil {
			t.Fatal(err)
		}
		if err := <-persisted; err != nil {
			t.Fatal(err)
		}
	}
	r, err := index.Reader()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func docKey(id int64) []byte { return binary.BigEndian.AppendUint64([]byte{'a'}, uint64(id)) }

// Bleve is as the comment of this package says.
func TestInternals(t *testing.T) {
	r := made(t)
	if !Readable(r) {
		t.Fatalf("a reader is a %T", r)
	}
	Share(r)
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	defer r.Close() // what was shared can be read after the first
	seen := map[string]int{}
	words := []string{}
	for _, s := range r.(*scorch.IndexSnapshot).Segments() {
		of := s.Segment()
		for doc := range of.Count() {
			if s.Deleted() != nil && s.Deleted().Contains(uint32(doc)) {
				continue
			}
			id, err := of.DocID(doc)
			if err != nil {
				t.Fatal(err)
			}
			seen[string(id)]++
			ids, err := of.Dictionary("_id")
			if err != nil {
				t.Fatal(err)
			}
			if docs := listed(t, ids, string(id)); !slices.Contains(docs, uint32(doc)) {
				t.Errorf("the id %q of document %d has the documents %v", id, doc, docs)
			}
		}
		for _, field := range []string{"text", "kind", "none"} {
			d, err := of.Dictionary(field)
			if err != nil || d == nil {
				t.Fatalf("field %s: %v, %v", field, d, err)
			}
			for terms := d.AutomatonIterator(nil, []byte("i"), []byte("n")); ; {
				entry, err := terms.Next()
				if err != nil {
					t.Fatal(err)
				}
				if entry == nil {
					break
				}
				words = append(words, entry.Term)
			}
			for _, term := range []string{"article", "ice", "snow", "none"} {
				listed(t, d, term)
			}
		}
	}
	for id := int64(1); id <= 6; id++ {
		if n := seen[string(docKey(id))]; n != 1 && id != 5 || n != 0 && id == 5 {
			t.Errorf("document %d is there %d times", id, n)
		}
	}
	slices.Sort(words)
	if words = slices.Compact(words); !slices.Equal(words, []string{"ice", "moraine"}) {
		t.Errorf("from i to n there are the words %v", words)
	}
}

// listed gives the documents of a term, and fails when its bitmap has others.
func listed(t *testing.T, d segment.TermDictionary, term string) (docs []uint32) {
	t.Helper()
	list, err := d.PostingsList([]byte(term), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	it := list.Iterator(false, false, false, nil)
	whole, ok := it.(segment.OptimizablePostingsIterator)
	if !ok && list.Count() > 0 {
		t.Fatalf("the iterator of %s is a %T", term, it)
	}
	b, err := documents(it)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		if _, one := whole.DocNum1Hit(); !one && list.Count() > 0 && whole.ActualBitmap() == nil {
			t.Errorf("the iterator of %s has no bitmap", term)
		}
	}
	if n := b.GetCardinality(); n != list.Count() {
		t.Errorf("%s has %d documents in its bitmap and %d in its list", term, n, list.Count())
	}
	return b.ToArray()
}

// Positions are read forwards and, from the beginning, backwards.
func TestPositions(t *testing.T) {
	r := made(t)
	defer r.Close()
	for _, tt := range []struct {
		query string
		want  []int64
	}{{"snow on ice", []int64{1, 2}}, {"ice on snow", []int64{3}}, {"ice", []int64{1, 2, 3}}, {"again snow", nil}} {
		n := &Node{Op: OpPhrase, Field: "text", Terms: strings.Fields(tt.query)}
		for range 2 {
			m, err := Find(context.Background(), r, Scope{'a', []Value{{"kind", "article"}}, nil}, n, nil)
			if err != nil {
				t.Fatal(err)
			}
			Share(r)
			for id := int64(6); id >= 1; id-- {
				if in := m.Contains(id); in != slices.Contains(tt.want, id) {
					t.Errorf("%q is in %d: %v", tt.query, id, in)
				}
			}
			if ids := m.IDs(); !slices.Equal(ids, tt.want) {
				t.Errorf("%q is in %v, want %v", tt.query, ids, tt.want)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The checksum at the end of a file is of all before it.
func TestChecksums(t *testing.T) {
	r := made(t)
	defer r.Close()
	paths, err := Files(r)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	if err := VerifyAll(context.Background(), paths); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir() + "/copy.zap"
	for _, at := range []int{0, len(whole) / 2, len(whole) - 5, len(whole) - 1} {
		flipped := slices.Clone(whole)
		flipped[at] ^= 1
		if err := os.WriteFile(copied, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Verify(context.Background(), copied); err == nil {
			t.Errorf("byte %d of %d is changed and nothing is noticed", at, len(whole))
		}
	}
}
