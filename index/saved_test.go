package index

import (
	"fmt"
	"iter"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/cli/demo/samples"
	"alcove/index/segments"
	"alcove/record"
	"alcove/record/catalogue"
	"alcove/record/markup"
)

// savedSearches is how many searches TestSavedSearches asks.
const savedSearches = 400

// sentences are texts that people wrote: those of the demo.
func sentences(t *testing.T) (list []string) {
	t.Helper()
	for _, it := range samples.Items() {
		list = append(list, it.Title)
		for s := range strings.SplitSeq(markup.Description(it.Description).String(), ". ") {
			if len(strings.Fields(s)) > 3 {
				list = append(list, s)
			}
		}
	}
	if len(list) < 50 {
		t.Fatalf("the demo has %d sentences", len(list))
	}
	return list
}

// pieces are what the texts hardly have: other scripts, names, identifiers, measures.
var pieces = []string{
	"Müller-Lüdenscheidt measured naïve façades", "東日本の川と山 機械学習による画像", "한국어 데이터 분석", "Большой Йод в Москве", "Ελλάδα και θάλασσα", "البيانات العلمية المفتوحة",
	"מחקר פתוח", "हिन्दी में अनुसंधान", "ภาษาไทยวันนี้", "figure3_5.m and raw-data.tar.gz", "CamelCase HTTPServer mRNA getUserName", "a sieve of 5mm, 10 kg of sand, 3.5 µm filters, 25°C",
	"state-of-the-art co-author networks", "10.5072/alcove.77 and https://doi.org/10.1234/ABC.d", "0000-0002-1825-0097", "O'Brien's mice don't", "U.S. 1,234.5 v2.0.1", "ﬁne straße ærø ½ ²",
}

// modelled is an item of the saved searches as the model knows it: the terms of its fields,
// where they stand.
type modelled struct {
	id     int64
	at     time.Time
	fields map[string][]token
}

// publishModel makes items from a seed and publishes them in a few rounds, with changes and
// removals between, so that they are spread over segments.
func publishModel(t *testing.T, db *bucket.DB, ix *Index, n int) map[int64]modelled {
	t.Helper()
	r, texts := rand.New(rand.NewSource(7)), sentences(t)
	pick := func(list []string) string { return list[r.Intn(len(list))] }
	model := map[int64]modelled{}
	for round := range 6 {
		change(t, db, func(tx *bucket.Tx) error {
			for id := int64(1); id <= int64(n); id++ {
				if round > 0 && r.Intn(8) > 0 {
					continue
				}
				if round > 0 && r.Intn(5) == 0 {
					if _, there := model[id]; there {
						if err := published.Articles.Delete(tx, id); err != nil {
							return err
						}
					}
					delete(model, id)
					continue
				}
				m := record.Metadata{
					Title: pick(texts), Description: "<p>" + pick(texts) + "</p> " + pick(texts) + " " + pick(pieces), Type: []int64{3, 3, 1, 9, 8}[r.Intn(5)],
					License: []int64{1, 2, 3, 10}[r.Intn(4)], Tags: []string{pick([]string{"Open Data", "pond", "cats and dogs"}), pick(pieces)},
					Categories: []int64{[]int64{3103, 37}[r.Intn(2)]}, DOI: fmt.Sprintf("10.5072/alcove.%d", id), ResourceTitle: pick(texts), ResourceDOI: "10.1000/XYZ." + fmt.Sprint(r.Intn(9)),
					References: []string{"https://doi.org/10.1234/ref." + fmt.Sprint(r.Intn(9))}, GroupID: int64(r.Intn(3)), InstitutionID: 1, ProjectID: int64(r.Intn(4)),
				}
				var authors []record.Person
				for range 1 + r.Intn(2) {
					first, last := pick([]string{"Jane", "José", "Анна", "太郎"}), pick([]string{"Smith", "Müller", "O'Brien", "山田"})
					authors = append(authors, record.Person{FullName: first + " " + last, FirstName: first, LastName: last, ORCID: "0000-0002-1825-0097"})
				}
				files := []string{pick([]string{"heights.CSV", "figure3_5.m", "raw-data.tar.gz", "Überblick.pdf"})}
				if err := put(tx, id, m, authors, files...); err != nil {
					return err
				}
				p, err := published.Articles.Get(tx, id)
				if err != nil {
					return err
				}
				p.Published = publishedAt.AddDate(0, 0, r.Intn(2000)-1000)
				p.Modified = p.Published
				if err := published.Articles.Put(tx, id, p); err != nil {
					return err
				}
				it, err := loadItem(tx, articles, id)
				if err != nil {
					return err
				}
				model[id] = it.modelled(p.Published)
			}
			return nil
		})
		wait(t, ix, db)
	}
	return model
}

// modelled gives the terms of an item's document.
func (it *item) modelled(at time.Time) modelled {
	s := modelled{it.id, at, map[string][]token{}}
	for _, f := range it.doc().fields {
		if form, ok := forms[f.name]; ok {
			s.fields[f.name] = split(string(f.value), form)
			continue
		}
		for value := range f.terms {
			s.fields[f.name] = append(s.fields[f.name], token{term: value})
		}
	}
	return s
}

// means reports whether an item is what a part of a query describes, by reading all of it.
func (s *modelled) means(n *segments.Node) bool {
	some := func(is func(token) bool) bool { return slices.ContainsFunc(s.fields[n.Field], is) }
	switch n.Op {
	case segments.OpNone:
		return false
	case segments.OpAll:
		return true
	case segments.OpTerm:
		return some(func(t token) bool { return t.term == n.Terms[0] })
	case segments.OpPrefix:
		return some(func(t token) bool {
			return strings.HasPrefix(t.term, n.Terms[0]) || slices.Contains(n.Terms[1:], t.term)
		})
	case segments.OpPhrase:
		return some(func(begin token) bool {
			for i, term := range n.Terms {
				if term != "" && !some(func(t token) bool { return t.term == term && t.pos == begin.pos+i }) {
					return false
				}
			}
			return begin.term == n.Terms[0]
		})
	case segments.OpNear: // from some token on, within the reach of a value
		return some(func(from token) bool {
			return !slices.ContainsFunc(n.Children, func(k *segments.Node) bool {
				if k.Op == segments.OpPrefix {
					return !s.means(k)
				}
				within := *s
				within.fields = map[string][]token{}
				for name, list := range s.fields {
					for _, t := range list {
						if from.pos <= t.pos && t.pos <= from.pos+valueGap {
							within.fields[name] = append(within.fields[name], t)
						}
					}
				}
				return !within.means(k)
			})
		})
	case segments.OpNot:
		return !s.means(n.Children[0])
	case segments.OpOr:
		return slices.ContainsFunc(n.Children, s.means)
	}
	return !slices.ContainsFunc(n.Children, func(k *segments.Node) bool { return !s.means(k) })
}

// saved yields searches made from a seed out of what there is to be found.
func saved(model map[int64]modelled, texts []string) iter.Seq[string] {
	r := rand.New(rand.NewSource(11))
	texts = append(slices.Clone(texts), pieces...)
	word := func() string {
		words := strings.FieldsFunc(texts[r.Intn(len(texts))], unicode.IsSpace)
		return strings.Trim(words[r.Intn(len(words))], "`()\"|:")
	}
	run := func() string {
		words := strings.FieldsFunc(texts[r.Intn(len(texts))], unicode.IsSpace)
		from := r.Intn(len(words))
		return strings.Join(words[from:min(len(words), from+1+r.Intn(4))], " ")
	}
	day := func() string { return publishedAt.AddDate(0, 0, r.Intn(2000)-1000).Format(time.DateOnly) }
	one := func(list ...string) string { return list[r.Intn(len(list))] }
	fields := []func() string{
		func() string { return ":title: " + run() }, func() string { return ":Description: \"" + run() + "\"" }, func() string { return ":references: 10.1234/ref." + fmt.Sprint(r.Intn(9)) },
		func() string { return ":search term: " + run() }, func() string { return ":resource_title: " + run() }, func() string {
			return ":author: " + one("jane smith", "muller", "anna smith jane", "jane o'brien", "太郎", "muller jane", "smi* jane")
		},
		func() string {
			return ":author: " + one("jane smith", "anna smith jane", "jane o'brien", "muller jane")
		}, func() string {
			return ":author: " + one("jane smith", "anna smith jane", "jane o'brien", "muller jane")
		},
		func() string { return ":category: " + one("ecology", "3103", "37") }, func() string { return ":tag: " + one("open data", "CATS AND DOGS", `"cats and dogs"`, "pond") },
		func() string { return ":orcid: 0000-0002-1825-0097" }, func() string { return ":doi: 10.5072/alcove." + fmt.Sprint(r.Intn(200)) + one("", ".v1", ".v2") },
		func() string { return ":resource_doi: https://doi.org/10.1000/xyz." + fmt.Sprint(r.Intn(9)) }, func() string { return ":extension: " + one("csv", ".M", "gz", "pdf") },
		func() string { return ":institution: 1" }, func() string { return ":group: " + one("0", "1", "2") }, func() string { return ":project: " + one("1", "2", "3") },
		func() string { return ":item_type: " + one("dataset", "figure", "9", "thesis", "article") }, func() string { return ":licence: " + one("ccby", "CC0", "mit", "1") },
		func() string { return ":published_before: " + day() }, func() string { return ":published_after: " + day() },
	}
	var ask func(depth int) string
	ask = func(depth int) string {
		choice := r.Intn(14)
		if depth == 0 {
			choice = r.Intn(8)
		}
		switch choice {
		case 0, 1:
			return word()
		case 2:
			return `"` + run() + `"`
		case 3, 4:
			return fields[r.Intn(len(fields))]()
		case 5:
			begin := []rune(word())
			return string(begin[:min(len(begin), 3+r.Intn(3))]) + "*"
		case 6:
			return one("5 mm", "5mm", "10kg", "3.5 µm", "3.5µm", `"sieve of 5 mm"`, "25 °C", "10 kg of sand")
		case 7:
			return one("東日本", "画像", "데이터", "большой", "ΕΛΛΑΔΑ", "البيانات", "מחקר", "हिन्दी", "วันนี้", "strasse", "naive", "getUserName", "user", "v2.0.1", "rawdata", "figure3_5.m")
		case 8, 9:
			return ask(depth-1) + " AND " + ask(depth-1)
		case 10:
			return ask(depth-1) + " OR " + ask(depth-1)
		case 11:
			return "(" + ask(depth-1) + ") NOT (" + ask(depth-1) + ")"
		case 12:
			return "NOT (" + ask(depth-1) + ")"
		}
		return ask(depth-1) + " " + ask(depth-1)
	}
	return func(yield func(string) bool) {
		for i := range savedSearches {
			if !yield(ask(i % 4)) {
				return
			}
		}
	}
}

// Searches made from a seed, of everything that the language has, find what reading all
// items finds: one by one, all at once, and in every order by date.
func TestSavedSearches(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	model := publishModel(t, db, ix, 200)
	if _, ok := catalogue.CategoryByID(37); !ok {
		t.Fatal("no category 37")
	}
	answered, with := 0, map[segments.Operation]int{}
	for text := range saved(model, sentences(t)) {
		q, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for id, s := range model {
			if q.root != nil && s.means(q.root) {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		if got := find(t, ix, text); !slices.Equal(got, ids) {
			t.Errorf("%s finds %v, want %v (read as %v)", text, got, ids, q)
		}
		m := matches(t, ix, PublicArticles, text)
		for id := int64(200); id > 0; id-- {
			if m.Contains(id) != slices.Contains(ids, id) {
				t.Errorf("%s matches %d is %v (read as %v)", text, id, m.Contains(id), q)
			}
		}
		done(t, m)
		if len(ids) > 0 && len(ids) < len(model) {
			answered++
		}
		count(q.root, with)
	}
	if answered < savedSearches/2 {
		t.Errorf("%d searches of %d find some items and not all", answered, savedSearches)
	}
	for op := segments.OpTerm; op <= segments.OpNot; op++ {
		if with[op] < 20 && (op != segments.OpNear || with[op] < 5) {
			t.Errorf("%d searches have the operation %d", with[op], op)
		}
	}
}

func count(n *segments.Node, with map[segments.Operation]int) {
	if n == nil {
		return
	}
	with[n.Op]++
	for _, k := range n.Children {
		count(k, with)
	}
}
