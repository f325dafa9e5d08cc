package index

import (
	"context"
	"testing"

	"alcove/index/segments"
)

// BenchmarkFacets is what counting all facets of a search costs: with very many tags, the categories of
// a branch, and the values that all items share.
func BenchmarkFacets(b *testing.B) {
	w := ranked(0.001, 0.32)
	for _, s := range []struct {
		name string
		q    Query
	}{{"everything", Everything}, {"32percent", parsed(w[1])}, {"0.1percent", parsed(w[0])}, {"32percent_type", parsed(w[1]).Only(ByType, "9")}} {
		b.Run(s.name, func(b *testing.B) {
			ix, _ := benched()
			var counts [][]segments.Count
			for b.Loop() {
				m, err := ix.Match(context.Background(), PublicItems, s.q)
				if err != nil {
					b.Fatal(err)
				}
				m.Total()
				counts = Facets(m, 0, 11, ByKind, ByType, ByCategory, ByYear, ByLicense, ByGroup, ByTag)
				if err := m.Close(); err != nil {
					b.Fatal(err)
				}
			}
			if len(counts[1]) == 0 || len(counts[6]) == 0 {
				b.Fatalf("counted %v", counts)
			}
		})
	}
}

func parsed(words string) Query {
	q, err := Parse(words)
	if err != nil {
		panic(err)
	}
	return q
}
