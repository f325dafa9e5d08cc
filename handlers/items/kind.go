package items

import (
	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
)

// Item is a working copy: *record.Article or *record.Collection.
type Item interface {
	Common() *record.Working
}

// Kind is a kind of item, article or collection. Functions that both have are written once; the fields say
// where they differ.
type Kind struct {
	service *Service
	Path    string // what stands in addresses
	number  int64  // record.KindArticle or record.KindCollection
	mark    string // what stands in front of the id in DOIs and handles

	Body          func() record.ItemBody // an empty one
	Empty         func(record.Working) Item
	Store         func(*bucket.Tx, Item) error
	StoreDeferred func(*bucket.Tx, Item) error
	nextID        func(*bucket.Tx) (int64, error)

	AuthorUnknown *record.Error
	Authorless    *record.Error
	titleless     *record.Error
	lacks         func(field string) *record.Error
	noCategory    *record.Error
	EditLinks     bool // a private link can let its holder edit
}

func newArticles(s *Service) *Kind {
	return &Kind{
		service: s, Path: "articles", number: record.KindArticle,
		Body:  func() record.ItemBody { return new(record.ArticleBody) },
		Empty: func(w record.Working) Item { return &record.Article{Working: w} },
		Store: func(tx *bucket.Tx, o Item) error { return working.Articles.Put(tx, o.Common().ID, o.(*record.Article)) },
		StoreDeferred: func(tx *bucket.Tx, o Item) error {
			return working.Articles.PutDeferred(tx, o.Common().ID, o.(*record.Article))
		},
		nextID:        working.Articles.NextID,
		AuthorUnknown: record.ErrAuthorUnknown, Authorless: record.ErrMissingAuthors, titleless: record.ErrMissingTitle,
		lacks: record.MissingForPublication, noCategory: record.ErrCategoryUnknown,
	}
}

func newCollections(s *Service) *Kind {
	return &Kind{
		service: s, Path: "collections", number: record.KindCollection, mark: "c.",
		Body:  func() record.ItemBody { return new(record.CollectionBody) },
		Empty: func(w record.Working) Item { return &record.Collection{Working: w, Articles: []int64{}} },
		Store: func(tx *bucket.Tx, o Item) error {
			return working.Collections.Put(tx, o.Common().ID, o.(*record.Collection))
		},
		StoreDeferred: func(tx *bucket.Tx, o Item) error {
			return working.Collections.PutDeferred(tx, o.Common().ID, o.(*record.Collection))
		},
		nextID:        working.Collections.NextID,
		AuthorUnknown: record.ErrCollectionAuthor, Authorless: record.ErrCollectionAuthorless, titleless: record.ErrCollectionTitleless,
		lacks: record.CollectionLacks, noCategory: record.ErrCollectionCategory, EditLinks: true,
	}
}

// kindOf is the kind of an item.
func (s *Service) kindOf(item Item) *Kind {
	if _, ok := item.(*record.Article); ok {
		return s.Articles
	}
	return s.Collections
}

// Item names the item of the kind with an id, 0 for one that has none yet.
func (k *Kind) Item(id int64) bucket.Pair { return bucket.Pair{A: k.number, B: id} }

// newWorking is a working copy of the caller's that was made now.
func (s *Service) newWorking(c *Caller, tx *bucket.Tx) record.Working {
	w := record.Working{
		AccountID: c.Account.ID, Metadata: record.NewMetadata(), Authors: []int64{},
		Created: tx.Now(), Modified: tx.Now(),
	}
	w.InstitutionID, w.GroupID = c.Account.InstitutionID, c.Account.GroupID
	if s.Limits.OwnerIsAuthor {
		w.Authors = append(w.Authors, c.Account.PersonID)
	}
	return w
}

// Draft makes an item of the caller's from a body, or refuses that. It stores nothing: the
// item has neither an id nor the authors of the body, which Number gives it.
func (k *Kind) Draft(c *Caller, tx *bucket.Tx, body record.ItemBody) (Item, error) {
	if err := body.RequireTitle(); err != nil {
		return nil, err
	}
	item := k.Empty(k.service.newWorking(c, tx))
	return item, k.service.Describe(c, tx, item, body)
}

// Number gives a draft the authors of its body and its id. The caller stores it.
func (k *Kind) Number(c *Caller, tx *bucket.Tx, w *record.Working, authors *[]record.AuthorRef) (err error) {
	kept := w.Authors
	if err := c.credit(tx, w, authors); err != nil {
		return err
	}
	if authors != nil {
		w.Authors = Unique(append(kept, w.Authors...))
	}
	if err := k.service.weigh(tx, w); err != nil {
		return err
	}
	w.ID, err = k.nextID(tx)
	return err
}

// Create stores a new item of the caller's, in a project or in none (0).
func (k *Kind) Create(c *Caller, tx *bucket.Tx, body record.ItemBody, project int64) (*record.Working, error) {
	item, err := k.Draft(c, tx, body)
	if err != nil {
		return nil, err
	}
	w := item.Common()
	w.ProjectID = project
	if err := k.Number(c, tx, w, body.Common().Authors); err != nil {
		return nil, err
	}
	return w, k.StoreDeferred(tx, item)
}

// Put stores an item that was changed now.
func (k *Kind) Put(tx *bucket.Tx, item Item) error {
	item.Common().Modified = tx.Now()
	if err := k.service.weigh(tx, item.Common()); err != nil {
		return err
	}
	return k.Store(tx, item)
}

// Creditable refuses to publish what has no author or no title.
func (k *Kind) Creditable(m *record.Metadata, authors int) error {
	if authors == 0 {
		return k.Authorless
	}
	if m.Title == "" {
		return k.titleless
	}
	return nil
}

// Complete is Define for what becomes public: it refuses an item that lacks a value which
// publishing asks for.
func (k *Kind) Complete(tx *bucket.Tx, m *record.Metadata) error {
	if err := Define(tx, m); err != nil {
		return err
	}
	if name, missing := record.MissingField(m.CustomFields, m.Defined); missing {
		return k.lacks(name)
	}
	return nil
}

// PutArticle stores a working copy that was changed now.
func PutArticle(tx *bucket.Tx, art *record.Article) error {
	art.Modified = tx.Now()
	return working.Articles.Put(tx, art.ID, art)
}
