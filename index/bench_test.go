package index

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/record"
)

var (
	benchItems = flag.Int("items", 20000, "how many articles the benchmarks search in")
	benchDir   = flag.String("corpus", "", "where the benchmarks keep their articles for the next run; a temporary directory when empty")
)

// corpus is generated text: every run makes the same one. Words are drawn as people use
// them, a few in nearly every text and most in hardly any.
type corpus struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newCorpus() *corpus {
	r := rand.New(rand.NewSource(1))
	return &corpus{r, rand.NewZipf(r, 1.07, 3, 49999)}
}

func (c *corpus) words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "w" + strconv.FormatUint(c.zipf.Uint64(), 36) // no ending that stemming takes
	}
	return strings.Join(list, " ")
}

// item is the next article: a title of eight words and a description of 60 to 140.
func (c *corpus) item() record.Metadata {
	return record.Metadata{
		Title: c.words(8), Description: "<p>" + c.words(60+c.random.Intn(81)) + "</p>",
		Type: []int64{3, 3, 3, 1, 6, 9, 12}[c.random.Intn(7)], License: 1, Tags: []string{c.words(1), c.words(2)},
	}
}

// ranked gives, for some shares of all texts, the word that is in the share that comes
// closest.
func ranked(shares ...float64) (found []string) {
	const sample = 20000
	c, in := newCorpus(), map[string]int{}
	for range sample {
		m, seen := c.item(), map[string]bool{}
		for _, w := range strings.Fields(m.Title + " " + strings.Trim(m.Description, "</p>")) {
			if !seen[w] {
				seen[w] = true
				in[w]++
			}
		}
	}
	words := slices.Sorted(maps.Keys(in))
	for _, share := range shares {
		best := ""
		for _, w := range words {
			if slices.Contains(found, w) {
				continue
			}
			if best == "" || math.Abs(float64(in[w])-share*sample) < math.Abs(float64(in[best])-share*sample) {
				best = w
			}
		}
		found = append(found, best)
	}
	return found
}

// benched is the index that all benchmarks of a run share.
var benched = sync.OnceValues(func() (*Index, *bucket.DB) {
	dir := *benchDir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "alcove-bench-"); err != nil {
			panic(err)
		}
		leftovers = append(leftovers, dir)
	}
	dir = filepath.Join(dir, strconv.Itoa(*benchItems))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		panic(err)
	}
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		panic(err)
	}
	if db.Sequence() == 0 {
		c := newCorpus()
		for id := int64(1); id <= int64(*benchItems); {
			err := db.Update(context.Background(), 1, func(tx *bucket.Tx) error {
				for range 500 {
					if err := benchPut(tx, id, c.item()); err != nil {
						return err
					}
					if id++; id > int64(*benchItems) {
						break
					}
				}
				return nil
			})
			if err != nil {
				panic(err)
			}
		}
	}
	ix, err := Open(dir, db, quiet)
	if err != nil {
		panic(err)
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	if err := ix.Wait(ctx, PublicArticles, db.Sequence()); err != nil {
		panic(err)
	}
	fmt.Printf("%d articles, indexed in %v\n", *benchItems, time.Since(start).Round(time.Second))
	return ix, db
})

// leftovers are removed when the tests have ended.
var leftovers []string

func TestMain(m *testing.M) {
	code := m.Run()
	if len(leftovers) > 0 {
		ix, db := benched()
		ix.Close(context.Background())
		db.Close()
	}
	for _, dir := range leftovers {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

func benchPut(tx *bucket.Tx, id int64, m record.Metadata) error {
	at := publishedAt.Add(time.Duration(id) * 10 * time.Minute)
	v := &record.ArticleVersion{ArticleID: id, Version: 1, Metadata: m, Published: at}
	if err := published.ArticleVersions.Put(tx, bucket.Pair{A: id, B: 1}, v); err != nil {
		return err
	}
	return published.Articles.Put(tx, id, &record.PublicArticle{ID: id, Latest: 1, Type: m.Type, Published: at})
}

// BenchmarkSearch is what a search for the ten newest costs without HTTP and without the
// items themselves: the match, and a walk from the newest article on past those that do
// not match. Matches that are few are put in order instead.
func BenchmarkSearch(b *testing.B) {
	w := ranked(0.0001, 0.001, 0.0025, 0.01, 0.03, 0.1, 0.32, 0.34)
	tiny, rare, some, seldom, medium, often, common, other := w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]
	for _, s := range []struct {
		name, text string
		kind       int64
	}{
		{"0.01percent", tiny, 0},
		{"0.1percent", rare, 0},
		{"0.25percent", some, 0},
		{"1percent", seldom, 0},
		{"3percent", medium, 0},
		{"10percent", often, 0},
		{"32percent", common, 0},
		{"everything", "NOT " + tiny, 0},
		{"32and3percent", common + " AND " + medium, 0},
		{"32and34percent", common + " AND " + other, 0},
		{"32percent_type", common, 9},
		{"3percent_type", medium, 9},
		{"3percent_type_year", medium + " AND :item_type: 9 AND :published_before: 2025-01-01", 0},
		{"five_words", strings.Join(w[1:6], " "), 0},
		{"phrase_32and3percent", `"` + common + " " + medium + `"`, 0},
		{"prefix_of_many_words", "w1a*", 0},
		{"prefix_of_a_few_words", rare + "*", 0},
		{"phrase_32and34percent", `"` + common + " " + other + `"`, 0},
	} {
		q, err := Parse(s.text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(s.name, func(b *testing.B) {
			ix, db := benched()
			most, found := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				m, err := ix.Match(context.Background(), PublicArticles, q)
				if err != nil {
					b.Fatal(err)
				}
				err = db.ViewPublic(func(tx *bucket.PublicTx) error {
					found = benchPage(tx, m, s.kind)
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
				m.Close()
			}
			if m, err := ix.Match(context.Background(), PublicArticles, q); err == nil {
				most = m.Len()
				m.Close()
			}
			b.ReportMetric(float64(most), "hits")
			b.ReportMetric(float64(found), "found")
		})
	}
}

// benchPage finds ten items in the order of publication, newest first, as a list does: it
// walks for as long as that meets matches, and sorts all of them otherwise.
func benchPage(tx bucket.Reader, m *Matches, kind int64) (found int) {
	along, prefix := published.ArticlesByPublished, []byte(nil)
	if kind != 0 {
		along, prefix = published.ArticlesByType, bucket.SortKey(kind)
	}
	newest := append(slices.Clone(prefix), bytes.Repeat([]byte{0xff}, 16)...)
	walked, cost := 0, 0
	for hit := range along.Walk(tx, prefix, newest, false) {
		if m.Contains(hit.Key) {
			if found++; found == 10 {
				return found
			}
			continue
		}
		walked++
		left := (10 - found) * walked / (found + 1)
		if walked < 64 || walked+left < 600 {
			continue
		}
		if cost == 0 {
			cost = 3 * m.Len()
		}
		if walked > cost || left > cost {
			break
		}
	}
	var at []int64
	for _, id := range m.IDs() {
		if f, ok := published.ArticleFacts.Facts(tx, id); ok && (kind == 0 || f.Type == kind) {
			at = append(at, f.Published.Unix())
		}
	}
	slices.Sort(at)
	return min(10, len(at))
}
