package bucket

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket/kv"
	"alcove/record"
)

// cited is an item of the model: what its latest version is called and names.
type cited struct {
	version int
	doi     string
	names   []string
	group   int64
	authors []int64
}

// publish stores a version of an article or collection as its latest.
func (c *cited) publish(tx *Tx, key Pair) error {
	m := record.Metadata{DOI: c.doi, GroupID: c.group}
	var people []record.Person
	for _, id := range c.authors {
		people = append(people, record.Person{ID: id})
	}
	for _, name := range c.names {
		m.References = append(m.References, "https://doi.org/"+name)
	}
	at := Pair{key.B, int64(c.version)}
	var err error
	var now record.Citation
	if key.A == record.KindArticle {
		v := &record.ArticleVersion{ArticleID: key.B, Version: c.version, Metadata: m, Authors: people}
		now, err = v.Citation(), errors.Join(ArticleVersions.Put(tx, at, v),
			PublicArticles.Put(tx, key.B, &record.PublicArticle{ID: key.B, Latest: c.version, Published: time.Unix(key.B, 0)}))
	} else {
		v := &record.CollectionVersion{CollectionID: key.B, Version: c.version, Metadata: m, Authors: people}
		now, err = v.Citation(), errors.Join(CollectionVersions.Put(tx, at, v),
			PublicCollections.Put(tx, key.B, &record.PublicCollection{ID: key.B, Latest: c.version, Published: time.Unix(key.B, 0)}))
	}
	return errors.Join(err, Cite(tx, key, m.DOI, now))
}

func withdraw(tx *Tx, article int64) error {
	var versions []Pair
	for row, err := range ArticleVersions.All(tx, Prefix(article)) {
		if err != nil {
			return err
		}
		versions = append(versions, row.Key)
	}
	for _, key := range versions {
		if err := ArticleVersions.Delete(tx, key); err != nil {
			return err
		}
	}
	return errors.Join(PublicArticles.Delete(tx, article), Cite(tx, Pair{record.KindArticle, article}, "", record.Citation{}))
}

// shown are the ids of an order, the highest first.
func shown(tx *Tx, order PublicIndex[int64]) (ids []int64) {
	for hit := range order.Walk(tx, nil, nil, false) {
		ids = append(ids, hit.Key)
	}
	return ids
}

// checkCounts compares all cites, orders and facts with a model.
func checkCounts(tx *Tx, model map[Pair]*cited, views map[Pair]int64) error {
	articles, collections := map[int64]record.PublicArticle{}, map[int64]record.PublicCollection{}
	for row, err := range PublicArticles.All(tx, nil) {
		if err != nil {
			return err
		}
		articles[row.Key] = *row.Record
	}
	for row, err := range PublicCollections.All(tx, nil) {
		if err != nil {
			return err
		}
		collections[row.Key] = *row.Record
	}
	if err := errors.Join(checkTable(tx, &PublicArticles.Table, articles), checkTable(tx, &PublicCollections.Table, collections)); err != nil {
		return err
	}
	var ids []int64
	authors, groups := map[int64]record.Sum{}, map[int64]record.Sum{}
	for key, item := range model {
		want := record.Counts{Views: views[key]}
		for other, by := range model {
			if other != key && slices.Contains(by.names, item.doi) {
				want.Cites++
			}
		}
		facts := ArticleFacts
		if key.A == record.KindCollection {
			facts = CollectionFacts
		} else {
			ids = append(ids, key.B)
		}
		if have, ok := facts(tx, key.B); !ok || have.Counts != want || have.Version != int64(item.version) {
			return fmt.Errorf("item %v has %+v (%v), want %+v", key, have, ok, want)
		}
		for sums, of := range map[*map[int64]record.Sum][]int64{&authors: item.authors, &groups: {item.group}} {
			for _, id := range of {
				sum := (*sums)[id]
				sum.Counts = sum.Plus(want, 1)
				if sums == &groups && key.A == record.KindArticle {
					sum.Articles++
				}
				(*sums)[id] = sum
			}
		}
	}
	delete(groups, 0)
	for _, sums := range []map[int64]record.Sum{authors, groups} {
		maps.DeleteFunc(sums, func(_ int64, sum record.Sum) bool { return sum == record.Sum{} })
	}
	if err := errors.Join(checkTable(tx, AuthorSums, authors), checkTable(tx, GroupSums, groups)); err != nil {
		return err
	}
	for name, of := range map[string]func(int64) int64{
		"views": func(id int64) int64 { return views[Pair{record.KindArticle, id}] },
		"cites": func(id int64) int64 { f, _ := ArticleFacts(tx, id); return f.Counts.Cites },
	} {
		slices.SortFunc(ids, func(a, b int64) int { return slices.Compare([]int64{of(b), b}, []int64{of(a), a}) })
		order := map[string]PublicIndex[int64]{"views": PublicByViews, "cites": PublicByCites}[name]
		if got := shown(tx, order); !slices.Equal(got, ids) {
			return fmt.Errorf("by %s the articles are %v, want %v", name, got, ids)
		}
	}
	return nil
}

// Whatever is published, changed, withdrawn and looked at in whatever order: every public
// item has its place in every order, and is cited by exactly those that name it now, and the sums of
// authors and groups are those of their items. The same comes out when everything is derived again.
func TestCounts(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	r := rand.New(rand.NewPCG(4, 2))
	model, views, versions := map[Pair]*cited{}, map[Pair]int64{}, map[Pair]int{}
	dois := []string{"10.1234/a", "10.1234/b", "10.1234/b.c", "10.1234/c", "10.1234/d", "10.1234/e"}
	for step := range 300 {
		key := Pair{record.KindArticle + r.Int64N(2), 1 + r.Int64N(5)}
		write(t, db, func(tx *Tx) error {
			switch item := model[key]; r.IntN(4) {
			case 0:
				if err := AddCounts(tx, key, record.Counts{Views: 1 + int64(step%3)}); err != nil || item == nil {
					return err
				}
				views[key] += 1 + int64(step%3)
			case 1:
				if item == nil || key.A == record.KindCollection {
					return nil
				}
				delete(model, key)
				return withdraw(tx, key.B)
			default:
				names := slices.Clone(dois)
				r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
				versions[key] += r.IntN(2)
				versions[key] = max(versions[key], 1)
				people := []int64{1, 2, 3}
				r.Shuffle(len(people), func(i, j int) { people[i], people[j] = people[j], people[i] })
				model[key] = &cited{versions[key], dois[r.IntN(len(dois))], names[:r.IntN(4)], r.Int64N(3), people[:r.IntN(4)]}
				return model[key].publish(tx, key)
			}
			return nil
		})
		read(t, db, func(tx *Tx) error { return checkCounts(tx, model, views) })
	}
	closeDB(t, db)
	derived := strings.Fields(`i:citations.doi i:public_articles.views i:public_articles.shares i:public_articles.downloads i:public_articles.cites
		i:public_articles.facts i:public_collections.views i:public_collections.shares i:public_collections.cites i:public_collections.facts`)
	raw(t, dir, func(tx kv.Tx) error { // as a program leaves it that does not know them
		err := tx.Bucket(metaBucket).Put([]byte("schema"), []byte("older"))
		for _, name := range derived {
			err = errors.Join(err, tx.Drop(name), tx.Bucket(metaBucket).Delete([]byte(name)))
		}
		b := tx.Bucket("r:citations")
		first, _ := kv.First(b.Ascend(nil))
		return errors.Join(err, b.Delete(first))
	})
	db = openDB(t, dir, Options{})
	read(t, db, func(tx *Tx) error { return checkCounts(tx, model, views) })
	closeDB(t, db)
	raw(t, dir, func(tx kv.Tx) error { // as it was before there were any
		err := tx.Bucket(metaBucket).Put([]byte("schema"), []byte("older"))
		for _, name := range append([]string{"r:counts", "r:citations", "r:author_sums", "r:group_sums", "i:author_sums.views"}, derived...) {
			err = errors.Join(err, tx.Drop(name), tx.Bucket(metaBucket).Delete([]byte(name)))
		}
		return err
	})
	db = openDB(t, dir, Options{})
	read(t, db, func(tx *Tx) error { return checkCounts(tx, model, nil) })
}

// Counts are not in the log: they change neither its sequence nor what is dated by it.
func TestCountsAreQuiet(t *testing.T) {
	now := time.Unix(1000, 0)
	db := openDB(t, t.TempDir(), Options{Clock: func() time.Time { return now }})
	key := Pair{record.KindArticle, 1}
	write(t, db, func(tx *Tx) error { return (&cited{version: 1, doi: "10.1234/a"}).publish(tx, key) })
	sequence, last := db.Sequence(), db.LastChange()
	now = now.Add(time.Hour)
	write(t, db, func(tx *Tx) error { return AddCounts(tx, key, record.Counts{Views: 1}) })
	if db.Sequence() != sequence || !db.LastChange().Equal(last) {
		t.Errorf("at %d of %v, want %d of %v", db.Sequence(), db.LastChange(), sequence, last)
	}
	write(t, db, func(tx *Tx) error { return AddCounts(tx, Pair{record.KindArticle, 2}, record.Counts{Views: 1}) })
	read(t, db, func(tx *Tx) error {
		if Counts.Has(tx, Pair{record.KindArticle, 2}) {
			t.Error("what is not public was counted")
		}
		return tx.CheckChain()
	})
}

// A store of a program that did not know sums gets them, from what it has.
func TestSumsOfAnOlderStore(t *testing.T) {
	dir := t.TempDir()
	db := openDB(t, dir, Options{})
	key := Pair{record.KindArticle, 1}
	write(t, db, func(tx *Tx) error {
		return errors.Join((&cited{version: 1, doi: "10.1234/a", group: 7, authors: []int64{4, 5}}).publish(tx, key), AddUse(tx, key, tx.Now(), "", record.Used{Counts: record.Counts{Views: 3}}))
	})
	closeDB(t, db)
	raw(t, dir, func(tx kv.Tx) error {
		err := tx.Bucket(metaBucket).Put([]byte("schema"), []byte("older"))
		for _, name := range tx.Buckets() {
			if strings.Contains(name, "_sums") {
				err = errors.Join(err, tx.Drop(name), tx.Bucket(metaBucket).Delete([]byte(name)))
			}
		}
		k := pairKeys.enc(key)
		old := &record.Citation{Cited: []string{}}
		b, e := envelope(old)
		writeEnvelopeHead("r:citations", k, b)
		return errors.Join(err, e, tx.Bucket("r:citations").Put(k, b))
	})
	db = openDB(t, dir, Options{})
	read(t, db, func(tx *Tx) error {
		for _, of := range []Pair{{record.KindAuthor, 4}, {record.KindAuthor, 5}, {record.KindGroup, 7}} {
			if c, err := Counted(tx, of); err != nil || c.Views != 3 {
				t.Errorf("%v has %+v (%v)", of, c, err)
			}
		}
		return nil
	})
	closeDB(t, db)
}
