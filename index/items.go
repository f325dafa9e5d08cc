package index

import (
	"errors"
	"iter"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
)

const (
	maxFiles    = 20000 // files of one public article whose names are known
	maxOwnFiles = 1000  // the same of a working copy, which is read again with every file that comes
)

// item is a document as it is read from the store.
type item struct {
	key
	name   string
	gone   bool     // there is no such item any more
	owners []int64  // the accounts that have it, in the private index; none when its record is damaged
	text   *content // nil when its record is damaged
}

// content is what an item says.
type content struct {
	*record.Metadata
	authors   []record.Person
	version   int       // the latest public one
	published time.Time // zero for never
	files     []string  // names
	typed     bool      // it has an item type and a licence
}

// size is about how many bytes of text the item brings.
func (it *item) size() int {
	n := 256
	if it.text != nil {
		n += min(len(it.text.Title), maxText) + min(len(it.text.Description), maxText)
		for _, f := range it.text.files {
			n += len(f)
		}
	}
	return n
}

// damaged reports whether a record cannot be read. Such records leave their part out: search goes on without them, and who opens
// the item learns of the damage.
func damaged(err error) bool {
	var d *damage.Error
	return errors.As(err, &d)
}

func lost(err error) bool { return damaged(err) || errors.Is(err, bucket.ErrNotFound) }

// loadItem reads one item.
func loadItem(tx *bucket.Tx, k *kind, id int64) (item, error) {
	it, err := k.load(tx, id)
	switch {
	case errors.Is(err, bucket.ErrNotFound):
		it, err = item{gone: true}, nil
	case damaged(err):
		it, err = item{}, nil
	}
	it.key, it.name = key{k.id, id}, k.name
	return it, err
}

// The load functions of kinds fail with ErrNotFound where there is no item.

func loadPublicArticle(tx *bucket.Tx, id int64) (item, error) {
	p, err := published.Articles.Get(tx, id)
	if err != nil {
		return item{}, err
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: id, B: int64(p.Latest)})
	if lost(err) {
		return item{}, nil
	}
	if err != nil {
		return item{}, err
	}
	m := v.Metadata // with the fields that lists know the article by
	m.Type, m.GroupID, m.InstitutionID, m.ProjectID = p.Type, p.GroupID, p.InstitutionID, p.ProjectID
	c := &content{Metadata: &m, authors: v.Authors, version: p.Latest, published: p.Published, typed: true}
	if v.HidesFiles() {
		return item{text: c}, nil
	}
	c.files, err = fileNames(files.PublicFilesByArticle.Ascending(tx, bucket.SortKey(id)), maxFiles, func(file int64) (string, error) {
		f, err := files.PublicFiles.Get(tx, file)
		if err != nil || !f.In(p.Latest) {
			return "", err
		}
		return f.Name, nil
	})
	return item{text: c}, err
}

func loadPublicCollection(tx *bucket.Tx, id int64) (item, error) {
	p, err := published.Collections.Get(tx, id)
	if err != nil {
		return item{}, err
	}
	v, err := published.CollectionVersions.Get(tx, bucket.Pair{A: id, B: int64(p.Latest)})
	if lost(err) {
		return item{}, nil
	}
	if err != nil {
		return item{}, err
	}
	m := v.Metadata
	m.GroupID, m.InstitutionID = p.GroupID, p.InstitutionID
	return item{text: &content{Metadata: &m, authors: v.Authors, version: p.Latest, published: p.Published}}, nil
}

func loadOwnArticle(tx *bucket.Tx, id int64) (item, error) {
	a, err := working.Articles.Get(tx, id)
	if err != nil {
		return item{}, err
	}
	it, err := ofWorking(tx, &a.Working)
	if err != nil {
		return it, err
	}
	it.text.typed = true
	it.text.files, err = fileNames(files.ByArticle.Ascending(tx, bucket.SortKey(id)), maxOwnFiles, func(file int64) (string, error) {
		f, err := files.Files.Get(tx, file)
		if err != nil {
			return "", err
		}
		return f.Name, nil
	})
	return it, err
}

func loadOwnCollection(tx *bucket.Tx, id int64) (item, error) {
	c, err := working.Collections.Get(tx, id)
	if err != nil {
		return item{}, err
	}
	return ofWorking(tx, &c.Working)
}

func loadPublicProject(tx *bucket.Tx, id int64) (item, error) {
	p, err := published.Projects.Get(tx, id)
	if err != nil {
		return item{}, err
	}
	m := &record.Metadata{
		Title: p.Title, Description: p.Description, Funding: p.Funding, FundingList: p.FundingList,
		CustomFields: p.CustomFields, GroupID: p.GroupID, InstitutionID: p.InstitutionID,
	}
	return item{text: &content{Metadata: m, published: p.Published}}, nil
}

// loadOwnProject reads a project for its members. An address without an account is
// none.
func loadOwnProject(tx *bucket.Tx, id int64) (item, error) {
	p, err := working.Projects.Get(tx, id)
	if err != nil {
		return item{}, err
	}
	it := item{text: &content{Metadata: p.Metadata()}}
	if p.Published != nil {
		it.text.published = *p.Published
	}
	for row, err := range working.ProjectMembers.All(tx, bucket.Prefix(id)) {
		if damaged(err) {
			continue
		}
		if err != nil {
			return item{}, err
		}
		if row.Record.Reads() {
			it.owners = append(it.owners, row.Record.AccountID)
		}
	}
	return it, nil
}

// working reads what working copies have in common.
func ofWorking(tx *bucket.Tx, w *record.Working) (item, error) {
	c := &content{Metadata: &w.Metadata, version: w.Version}
	if w.Published != nil {
		c.published = *w.Published
	}
	for _, id := range w.Authors {
		p, err := users.People.Get(tx, id)
		if err == nil {
			c.authors = append(c.authors, *p)
		} else if !lost(err) {
			return item{}, err
		}
	}
	return item{owners: []int64{w.AccountID}, text: c}, nil
}

// fileNames reads the names of files, up to a number of them. An empty one is left out.
func fileNames(files iter.Seq[bucket.Hit[int64]], most int, name func(int64) (string, error)) (list []string, err error) {
	size := 0
	for h := range files {
		n, err := name(h.Key)
		switch {
		case err != nil && !lost(err):
			return nil, err
		case err != nil || n == "":
			continue
		}
		list = append(list, n)
		if size += len(n); len(list) == most || size > maxText {
			break
		}
	}
	return list, nil
}
