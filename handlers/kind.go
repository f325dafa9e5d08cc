package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/record"
)

// ItemKind is how a kind of item, articles or collections, answers. Functions that both have are written
// once; the fields say where they differ.
type ItemKind struct {
	*items.Kind
	api  *API
	load func(*endpoint.Call, *bucket.Tx) (items.Item, error) // the item of the path when it is the caller's
	own  ownItems

	added        int  // status of adding authors, categories, links
	addedBody    bool // adding answers with a body
	authorAbsent *record.Error
	categoryGone *record.Error
	linkAbsent   *record.Error
}

// kinds makes the two kinds of an API.
func (a *API) kinds() {
	a.Articles = &ItemKind{
		Kind: a.Items.Articles, api: a, own: a.ownArticles(),
		load:  func(c *endpoint.Call, tx *bucket.Tx) (items.Item, error) { return present1(c.OwnArticle(tx)) },
		added: 205, authorAbsent: record.ErrAuthorAbsent, categoryGone: record.ErrCategoryAbsent, linkAbsent: record.ErrLinkAbsent,
	}
	a.Collections = &ItemKind{
		Kind: a.Items.Collections, api: a, own: a.ownCollections(),
		load:  func(c *endpoint.Call, tx *bucket.Tx) (items.Item, error) { return present1(c.OwnCollection(tx)) },
		added: 201, addedBody: true, authorAbsent: record.ErrCollectionAuthor, categoryGone: record.ErrCollectionCategoryGone,
		linkAbsent: record.ErrCollectionLinkAbsent,
	}
}

// present1 keeps a nil pointer out of an interface.
func present1[T items.Item](item T, err error) (items.Item, error) {
	if err != nil {
		return nil, err
	}
	return item, nil
}

// create makes an item of the caller's.
func (k *ItemKind) create(c *endpoint.Call, tx *bucket.Tx, body record.ItemBody) (endpoint.Reply, error) {
	w, err := k.Create(&c.Caller, tx, body, 0)
	if err != nil {
		return endpoint.Reply{}, err
	}
	at := k.address(w)
	return endpoint.Reply{Status: 201, Location: at, Body: present.NewCreated(w.ID, at, c.Warned)}, nil
}

// update changes an own item as a body says: what is not sent stays.
func (k *ItemKind) update(c *endpoint.Call, tx *bucket.Tx, item items.Item, body record.ItemBody) (endpoint.Reply, error) {
	if err := k.api.Items.Apply(&c.Caller, tx, item, body); err != nil {
		return endpoint.Reply{}, err
	}
	w := item.Common()
	w.Saved = true
	if err := k.Put(tx, item); err != nil {
		return endpoint.Reply{}, err
	}
	at := k.address(w)
	return endpoint.Reply{Status: 205, Location: at, Body: present.NewUpdated(at, c.Warned)}, nil
}

// address is where an own item stands.
func (k *ItemKind) address(w *record.Working) string {
	return k.api.Settings.API("/account/%s/%d", k.Path, w.ID)
}

// addedReply answers an addition or replacement below an item.
func (k *ItemKind) addedReply(c *endpoint.Call, w *record.Working, what string, add bool) endpoint.Reply {
	r := endpoint.Reply{Status: 205, Location: k.api.Settings.API("/account/%s/%d/%s", k.Path, w.ID, what)}
	if add {
		r.Status = k.added
		if k.addedBody {
			r.Body = present.NewUpdated(r.Location, c.Warned)
		}
	}
	return r
}

// AuthorsRead lists the authors of an own item, in order.
func (k *ItemKind) AuthorsRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list, err := items.People(tx, item.Common().Authors)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: k.api.Settings.Authors(list), Modified: item.Common().Modified}, nil
}

// AuthorsAdd puts people behind the authors that an own item has.
func (k *ItemKind) AuthorsAdd(c *endpoint.Call, tx *bucket.Tx, body *record.AuthorsBody) (endpoint.Reply, error) {
	return k.writeAuthors(c, tx, body, true)
}

// AuthorsReplace gives an own item other authors.
func (k *ItemKind) AuthorsReplace(c *endpoint.Call, tx *bucket.Tx, body *record.AuthorsBody) (endpoint.Reply, error) {
	return k.writeAuthors(c, tx, body, false)
}

// StoreAuthors stores the new people of a long list of authors before the item names them.
func (k *ItemKind) StoreAuthors(c *endpoint.Call, body *record.AuthorsBody) (undo func(), err error) {
	if body.Authors == nil || len(items.NewPeople(*body.Authors)) <= people.PeopleAtOnce {
		return nil, nil
	}
	err = k.api.DB.View(func(tx *bucket.Tx) error {
		_, err := k.checkAuthors(c, tx, body)
		return err
	})
	if err != nil {
		return nil, err
	}
	return people.StorePeople(c, items.NewPeople(*body.Authors))
}

// checkAuthors loads the item whose authors a body changes, and refuses what the body may not say.
func (k *ItemKind) checkAuthors(c *endpoint.Call, tx *bucket.Tx, body *record.AuthorsBody) (items.Item, error) {
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
	return item, c.MayName(tx, *body.Authors, w.Authors, k.AuthorUnknown)
}

func (k *ItemKind) writeAuthors(c *endpoint.Call, tx *bucket.Tx, body *record.AuthorsBody, add bool) (endpoint.Reply, error) {
	item, err := k.checkAuthors(c, tx, body)
	if err != nil {
		return endpoint.Reply{}, err
	}
	w, most := item.Common(), k.api.Limits.Lists.Authors
	ids, err := c.Name(tx, *body.Authors)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if add {
		ids = items.Unique(append(slices.Clip(w.Authors), ids...))
	}
	if err := record.Bounded("authors", len(ids), len(w.Authors), most); err != nil {
		return endpoint.Reply{}, err
	}
	w.Authors = ids
	return k.addedReply(c, w, "authors", add), k.Put(tx, item)
}

// AuthorDelete takes one author off an own item.
func (k *ItemKind) AuthorDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return k.remove(c, tx, "author_id", k.authorAbsent, func(w *record.Working) *[]int64 { return &w.Authors })
}

// CategoriesRead lists the categories of an own item.
func (k *ItemKind) CategoriesRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: present.Categories(item.Common().Categories), Modified: item.Common().Modified}, nil
}

// CategoriesAdd adds categories to an own item.
func (k *ItemKind) CategoriesAdd(c *endpoint.Call, tx *bucket.Tx, body *record.CategoriesBody) (endpoint.Reply, error) {
	return k.writeCategories(c, tx, body, true)
}

// CategoriesReplace gives an own item other categories.
func (k *ItemKind) CategoriesReplace(c *endpoint.Call, tx *bucket.Tx, body *record.CategoriesBody) (endpoint.Reply, error) {
	return k.writeCategories(c, tx, body, false)
}

func (k *ItemKind) writeCategories(c *endpoint.Call, tx *bucket.Tx, body *record.CategoriesBody, add bool) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	w, most := item.Common(), k.api.Limits.Lists.Categories
	if err := record.Bounded("categories", len(*body.Categories), len(w.Categories), most); err != nil {
		return endpoint.Reply{}, err
	}
	ids, err := k.KnownCategories(*body.Categories)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if add {
		ids = items.Unique(append(slices.Clip(w.Categories), ids...))
	}
	if err := record.Bounded("categories", len(ids), len(w.Categories), most); err != nil {
		return endpoint.Reply{}, err
	}
	w.Categories = ids
	return k.addedReply(c, w, "categories", add), k.Put(tx, item)
}

// CategoryDelete takes one category off an own item.
func (k *ItemKind) CategoryDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	return k.remove(c, tx, "category_id", k.categoryGone, func(w *record.Working) *[]int64 { return &w.Categories })
}

// remove takes the id of the path out of a list of an own item.
func (k *ItemKind) remove(c *endpoint.Call, tx *bucket.Tx, param string, absent *record.Error, list func(*record.Working) *[]int64) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	ids := list(item.Common())
	i := slices.Index(*ids, c.ID(param))
	if i < 0 {
		return endpoint.Reply{}, absent
	}
	*ids = slices.Delete(*ids, i, i+1)
	return endpoint.Reply{Status: 204}, k.Put(tx, item)
}
