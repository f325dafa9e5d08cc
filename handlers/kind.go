package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// owned is a working copy: *record.Article or *record.Collection.
type owned interface {
	Common() *record.Working
}

// ItemKind is a kind of item, article or collection. What both can do is written once; the
// fields say where the specification treats them differently (4.4 and 4.7).
type ItemKind struct {
	api  *API
	path string // what stands in addresses
	mark string // what stands in front of the id in DOIs and handles

	load  func(*Call, *bucket.Tx) (owned, error) // the item of the path when it is the caller's
	store func(*bucket.Tx, owned) error
	later func(*bucket.Tx, owned) error // store, for PutDeferred

	body   func() record.ItemBody // an empty one
	empty  func(record.Working) owned
	apply  func(*Call, *bucket.Tx, owned, record.ItemBody) error // but for the authors; it stores nothing
	nextID func(*bucket.Tx) (int64, error)

	search ownSearch

	added         int  // status of adding authors, categories, links
	addedBody     bool // adding answers with a body
	authorUnknown *record.Error
	authorAbsent  *record.Error
	authorless    *record.Error
	titleless     *record.Error
	lacks         func(field string) *record.Error
	noCategory    *record.Error
	categoryGone  *record.Error
	linkAbsent    *record.Error
	editLinks     bool // a private link can let its holder edit
}

// kinds makes the two kinds of an API.
func (a *API) kinds() {
	a.Articles = &ItemKind{
		api: a, path: "articles", search: a.articleSearch(),
		load:  func(c *Call, tx *bucket.Tx) (owned, error) { return present1(c.ownArticle(tx)) },
		store: func(tx *bucket.Tx, o owned) error { return bucket.Articles.Put(tx, o.Common().ID, o.(*record.Article)) },
		later: func(tx *bucket.Tx, o owned) error {
			return bucket.Articles.PutDeferred(tx, o.Common().ID, o.(*record.Article))
		},
		body:  func() record.ItemBody { return new(record.ArticleBody) },
		empty: func(w record.Working) owned { return &record.Article{Working: w} },
		apply: func(c *Call, tx *bucket.Tx, o owned, b record.ItemBody) error {
			return c.describeArticle(tx, o.(*record.Article), b.(*record.ArticleBody))
		},
		nextID: bucket.Articles.NextID,
		added:  205, authorUnknown: record.ErrAuthorUnknown, authorAbsent: record.ErrAuthorAbsent,
		noCategory: record.ErrCategoryUnknown, categoryGone: record.ErrCategoryAbsent,
		linkAbsent: record.ErrLinkAbsent, authorless: record.ErrMissingAuthors, titleless: record.ErrMissingTitle, lacks: record.MissingForPublication,
	}
	a.Collections = &ItemKind{
		api: a, path: "collections", search: a.collectionSearch(),
		load: func(c *Call, tx *bucket.Tx) (owned, error) { return present1(c.ownCollection(tx)) },
		store: func(tx *bucket.Tx, o owned) error {
			return bucket.Collections.Put(tx, o.Common().ID, o.(*record.Collection))
		},
		later: func(tx *bucket.Tx, o owned) error {
			return bucket.Collections.PutDeferred(tx, o.Common().ID, o.(*record.Collection))
		},
		body:  func() record.ItemBody { return new(record.CollectionBody) },
		empty: func(w record.Working) owned { return &record.Collection{Working: w, Articles: []int64{}} },
		apply: func(c *Call, tx *bucket.Tx, o owned, b record.ItemBody) error {
			return c.describeCollection(tx, o.(*record.Collection), b.(*record.CollectionBody))
		},
		nextID: bucket.Collections.NextID,
		added:  201, addedBody: true, authorUnknown: record.ErrCollectionAuthor, authorAbsent: record.ErrCollectionAuthor,
		noCategory: record.ErrCollectionCategory, categoryGone: record.ErrCollectionCategoryGone,
		mark: "c.", linkAbsent: record.ErrCollectionLinkAbsent, editLinks: true,
		authorless: record.ErrCollectionAuthorless, titleless: record.ErrCollectionTitleless, lacks: record.CollectionLacks,
	}
}

// present1 keeps a nil pointer out of an interface.
func present1[T owned](item T, err error) (owned, error) {
	if err != nil {
		return nil, err
	}
	return item, nil
}

// newWorking is a working copy of the caller's that was made now.
func (a *API) newWorking(c *Call, tx *bucket.Tx) record.Working {
	w := record.Working{
		AccountID: c.Account.ID, Metadata: record.NewMetadata(), Authors: []int64{},
		Created: tx.Now(), Modified: tx.Now(),
	}
	w.InstitutionID, w.GroupID = c.Account.InstitutionID, c.Account.GroupID
	if a.Limits.OwnerIsAuthor {
		w.Authors = append(w.Authors, c.Account.PersonID)
	}
	return w
}

// draft makes an item of the caller's from a body, or refuses that. It stores nothing: the
// item has neither an id nor the authors of the body, which number gives it.
func (k *ItemKind) draft(c *Call, tx *bucket.Tx, body record.ItemBody) (owned, error) {
	if err := body.RequireTitle(); err != nil {
		return nil, err
	}
	item := k.empty(k.api.newWorking(c, tx))
	return item, k.apply(c, tx, item, body)
}

// number gives a draft the authors of its body and its id. The caller stores it.
func (k *ItemKind) number(c *Call, tx *bucket.Tx, w *record.Working, authors *[]record.AuthorRef) (err error) {
	kept := w.Authors
	if err := c.credit(tx, w, authors); err != nil {
		return err
	}
	if authors != nil {
		w.Authors = unique(append(kept, w.Authors...))
	}
	if err := k.api.weigh(tx, w); err != nil {
		return err
	}
	w.ID, err = k.nextID(tx)
	return err
}

// creditable refuses to publish what has no author or no title.
func (k *ItemKind) creditable(m *record.Metadata, authors int) error {
	if authors == 0 {
		return k.authorless
	}
	if m.Title == "" {
		return k.titleless
	}
	return nil
}

// complete is define for what becomes public: it refuses an item that lacks a value which
// publishing asks for.
func (k *ItemKind) complete(tx *bucket.Tx, m *record.Metadata) error {
	if err := define(tx, m); err != nil {
		return err
	}
	if name, missing := record.MissingField(m.CustomFields, m.Defined); missing {
		return k.lacks(name)
	}
	return nil
}

// put stores an item that was changed now.
func (k *ItemKind) put(tx *bucket.Tx, item owned) error {
	item.Common().Modified = tx.Now()
	if err := k.api.weigh(tx, item.Common()); err != nil {
		return err
	}
	return k.store(tx, item)
}

// sort writes the categories and the group of a body to a working copy, fills what it
// names by an id, and looks up its people, whom Call.credit names. It stores nothing.
func (k *ItemKind) sort(c *Call, tx *bucket.Tx, w *record.Working, authors *[]record.AuthorRef, sorted *[]int64, more *record.Extras) error {
	if err := c.extras(tx, &w.Metadata, more); err != nil {
		return err
	}
	if more.SourceIDs != nil { // these win over categories
		ids, warnings := record.CategoriesByCode(*more.SourceIDs)
		w.Categories = unique(ids)
		c.warned = append(c.warned, warnings...)
	} else if sorted != nil {
		ids, err := categories(*sorted, k.noCategory)
		if err != nil {
			return err
		}
		w.Categories = ids
	}
	if authors != nil {
		return c.mayName(tx, *authors, w.Authors, k.authorUnknown)
	}
	return nil
}

// credit gives a working copy the authors of a body, if it has some. Nobody is stored
// before everything else of the body was checked.
func (c *Call) credit(tx *bucket.Tx, w *record.Working, authors *[]record.AuthorRef) (err error) {
	if authors != nil {
		w.Authors, err = c.name(tx, *authors)
	}
	return err
}

// addedReply answers an addition or replacement below an item.
func (k *ItemKind) addedReply(c *Call, w *record.Working, what string, add bool) Reply {
	r := Reply{Status: 205, Location: k.api.Settings.API("/account/%s/%d/%s", k.path, w.ID, what)}
	if add {
		r.Status = k.added
		if k.addedBody {
			r.Body = present.NewUpdated(r.Location, c.warned)
		}
	}
	return r
}

// AuthorsRead lists the authors of an own item, in order.
func (k *ItemKind) AuthorsRead(c *Call, tx *bucket.Tx) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	list, err := people(tx, item.Common().Authors)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: k.api.Settings.Authors(list), Modified: item.Common().Modified}, nil
}

// AuthorsAdd puts people behind the authors that an own item has.
func (k *ItemKind) AuthorsAdd(c *Call, tx *bucket.Tx, body *record.AuthorsBody) (Reply, error) {
	return k.writeAuthors(c, tx, body, true)
}

// AuthorsReplace gives an own item other authors.
func (k *ItemKind) AuthorsReplace(c *Call, tx *bucket.Tx, body *record.AuthorsBody) (Reply, error) {
	return k.writeAuthors(c, tx, body, false)
}

// StoreAuthors stores the new people of a long list of authors before the item names them.
func (k *ItemKind) StoreAuthors(c *Call, body *record.AuthorsBody) (undo func(), err error) {
	if body.Authors == nil || len(newPeople(*body.Authors)) <= peopleAtOnce {
		return nil, nil
	}
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		_, err := k.checkAuthors(c, tx, body)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.storePeople(newPeople(*body.Authors))
}

// checkAuthors loads the item whose authors a body changes, and refuses what the body may not say.
func (k *ItemKind) checkAuthors(c *Call, tx *bucket.Tx, body *record.AuthorsBody) (owned, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return nil, err
	}
	w := item.Common()
	if body.Authors != nil {
		if err := record.Bounded("authors", len(*body.Authors), len(w.Authors), k.api.Limits.Lists.Authors); err != nil {
			return nil, err
		}
	}
	if err := body.Check(); err != nil {
		return nil, err
	}
	return item, c.mayName(tx, *body.Authors, w.Authors, k.authorUnknown)
}

func (k *ItemKind) writeAuthors(c *Call, tx *bucket.Tx, body *record.AuthorsBody, add bool) (Reply, error) {
	item, err := k.checkAuthors(c, tx, body)
	if err != nil {
		return Reply{}, err
	}
	w, most := item.Common(), k.api.Limits.Lists.Authors
	ids, err := c.name(tx, *body.Authors)
	if err != nil {
		return Reply{}, err
	}
	if add {
		ids = unique(append(slices.Clip(w.Authors), ids...))
	}
	if err := record.Bounded("authors", len(ids), len(w.Authors), most); err != nil {
		return Reply{}, err
	}
	w.Authors = ids
	return k.addedReply(c, w, "authors", add), k.put(tx, item)
}

// AuthorDelete takes one author off an own item.
func (k *ItemKind) AuthorDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	return k.remove(c, tx, "author_id", k.authorAbsent, func(w *record.Working) *[]int64 { return &w.Authors })
}

// CategoriesRead lists the categories of an own item.
func (k *ItemKind) CategoriesRead(c *Call, tx *bucket.Tx) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: present.Categories(item.Common().Categories), Modified: item.Common().Modified}, nil
}

// CategoriesAdd adds categories to an own item.
func (k *ItemKind) CategoriesAdd(c *Call, tx *bucket.Tx, body *record.CategoriesBody) (Reply, error) {
	return k.writeCategories(c, tx, body, true)
}

// CategoriesReplace gives an own item other categories.
func (k *ItemKind) CategoriesReplace(c *Call, tx *bucket.Tx, body *record.CategoriesBody) (Reply, error) {
	return k.writeCategories(c, tx, body, false)
}

func (k *ItemKind) writeCategories(c *Call, tx *bucket.Tx, body *record.CategoriesBody, add bool) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	w, most := item.Common(), k.api.Limits.Lists.Categories
	if err := record.Bounded("categories", len(*body.Categories), len(w.Categories), most); err != nil {
		return Reply{}, err
	}
	ids, err := categories(*body.Categories, k.noCategory)
	if err != nil {
		return Reply{}, err
	}
	if add {
		ids = unique(append(slices.Clip(w.Categories), ids...))
	}
	if err := record.Bounded("categories", len(ids), len(w.Categories), most); err != nil {
		return Reply{}, err
	}
	w.Categories = ids
	return k.addedReply(c, w, "categories", add), k.put(tx, item)
}

// CategoryDelete takes one category off an own item.
func (k *ItemKind) CategoryDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	return k.remove(c, tx, "category_id", k.categoryGone, func(w *record.Working) *[]int64 { return &w.Categories })
}

// remove takes the id of the path out of a list of an own item.
func (k *ItemKind) remove(c *Call, tx *bucket.Tx, param string, absent *record.Error, list func(*record.Working) *[]int64) (Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return Reply{}, err
	}
	ids := list(item.Common())
	i := slices.Index(*ids, c.ID(param))
	if i < 0 {
		return Reply{}, absent
	}
	*ids = slices.Delete(*ids, i, i+1)
	return Reply{Status: 204}, k.put(tx, item)
}
