package index

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/blevesearch/bleve/v2/analysis"
	api "github.com/blevesearch/bleve_index_api"
)

// bleveCount is what Bleve counts in a text that is split as searches split theirs.
func bleveCount(s string, f form) (api.TokenFrequencies, int) {
	var stream analysis.TokenStream
	for _, t := range split(s, f) {
		stream = append(stream, &analysis.Token{Term: []byte(t.term), Position: t.pos})
	}
	return analysis.TokenFrequency(stream, nil, wordOptions), len(stream)
}

// counted writes frequencies so that they can be compared: each term with its positions.
func counted(terms api.TokenFrequencies) map[string]string {
	all := map[string]string{}
	for term, f := range terms {
		at := []string{fmt.Sprint(f.Frequency())}
		for _, l := range f.Locations {
			at = append(at, fmt.Sprint(*l))
		}
		all[term] = strings.Join(at, " ")
	}
	return all
}

func TestCountsAreBleves(t *testing.T) {
	long := strings.Repeat("The cells of co-authors were cells. ", 2000) // beyond the places that are shared
	c := counters.New().(*counter)
	for range 2 { // the second time from what is remembered
		for _, s := range []string{
			"", " . ", sample, long, "Running runners RUN the Run", "a of it", "naïve naïve Naive naive",
			strings.Repeat("x", 40) + " " + strings.Repeat("x", 40), strings.Repeat("ж", 33) + " Жж жж", "one" + valueEnd + "one" + valueEnd + "two one",
			strings.Repeat("co-", 30) + "op", strings.Repeat("жжжж-", 8) + "op", "\xff\xfe x\x00y", "機械学習 機械 機", "iPhone7 iPhone7 IPHONE7",
		} {
			for _, f := range []form{text, names, {stop: true}} {
				if c.cachedTerms[f] == nil {
					c.cachedTerms[f] = map[string]string{}
				}
				got, n := c.count(s, f)
				want, m := bleveCount(s, f)
				if n != m || !reflect.DeepEqual(counted(got), counted(want)) {
					t.Errorf("%.60q as %v: %d terms %.300v, Bleve counts %d: %.300v", s, f, n, counted(got), m, counted(want))
				}
				c.rest()
			}
		}
	}
	if cap(c.runes) > maxKept || cap(c.words) > maxKept {
		t.Errorf("it keeps room for %d runes and %d words of a long text", cap(c.runes), cap(c.words))
	}
}

func TestCounterForgets(t *testing.T) {
	c := counters.New().(*counter)
	for i := range 3 * maxCachedTerms {
		c.count(fmt.Sprintf("word%d and %s%d", i, strings.Repeat("long", 20), i), text)
		if n := len(c.cachedTerms[text]); n > maxCachedTerms {
			t.Fatalf("it knows %d words", n)
		}
	}
	for w := range c.cachedTerms[text] {
		if len([]rune(w)) > maxCachedWord {
			t.Fatalf("it knows %q", w)
		}
	}
}

// State that documents share must be after indexing as it was before.
func TestSharedIsNotChanged(t *testing.T) {
	dir := t.TempDir()
	g, err := openGeneration(dir, time.Minute, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	defer g.close()
	for range 3 {
		b := api.NewBatch()
		for id := range int64(50) {
			d := newDocument(key{'a', id}.doc())
			for _, f := range everywhere {
				d.fields = append(d.fields, &field{name: f, options: wordOptions, value: []byte(sample + valueEnd + sample)})
			}
			d.field(fTag).terms["one"], d.field(fTag).terms["two"] = uncounted, uncounted
			b.Update(d)
		}
		if err := g.apply(b, position{seq: 1}, true); err != nil {
			t.Fatal(err)
		}
	}
	for i, l := range shared().at {
		f := shared().once[i]
		if !reflect.DeepEqual(l, api.TokenLocation{Position: i}) || f.Frequency() != 1 || len(f.Locations) != 1 || f.Locations[0] != &shared().at[i] {
			t.Fatalf("place %d has become %+v and %+v", i, l, f)
		}
	}
	if !reflect.DeepEqual(uncounted, &api.TokenFreq{}) || unplaced.Frequency() != 1 || unplaced.Locations != nil {
		t.Fatalf("%+v, %+v", uncounted, unplaced)
	}
}
