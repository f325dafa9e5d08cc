// Package items is what happens to articles, collections and projects in a transaction, however
// the request for it came: a body is applied, a version is published, held back, corrected,
// withdrawn, an item is removed. It stores, and neither answers nor decides who may see an item.
package items

import (
	"log/slog"
	"sync/atomic"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/handlers/present"
	"alcove/record"
)

// Limits are the bounds and choices of the configuration that items depend on.
type Limits struct {
	Room
	Lists         record.Lists // of one item
	OwnerIsAuthor bool
	DOIPrefix     string
	GroupPrefixes map[int64]string // in place of DOIPrefix, by the id of a group, for its items and those of the groups below it
	HandlePrefix  string
}

// Room is how much may be stored. It can change at any time.
type Room struct {
	MaxFileSize     int64 // bytes of one file, 0 for none
	AccountQuota    int64 // bytes of an account without a quota of its own, 0 for none
	FilesPerArticle int   // 0 for none
}

// Service does what happens to items.
type Service struct {
	DB       *bucket.DB
	Settings present.Settings
	Limits   Limits // of which Room is what holds at the start
	Log      *slog.Logger
	Damaged  func(error) // is told of damage that can be repaired
	Mails    bool        // mail is configured: people are told what happens to what is theirs

	Articles, Collections *Kind
	ArticleDocs           Documents[record.ArticleVersion]
	CollectionDocs        Documents[record.CollectionVersion]

	room        *atomic.Pointer[Room]
	unsaid      *atomic.Int64
	settings    uint64 // hash of Settings
	articles    public[record.ArticleVersion, record.PublicArticle]
	collections public[record.CollectionVersion, record.PublicCollection]
}

// New makes a service ready.
func New(s Service) *Service {
	s.settings, s.unsaid, s.room = s.Settings.Hash(), new(atomic.Int64), new(atomic.Pointer[Room])
	s.SetRoom(s.Limits.Room)
	out := &s
	out.ArticleDocs, out.CollectionDocs = newArticleDocs(out), newCollectionDocs(out)
	out.Articles, out.Collections = newArticles(out), newCollections(out)
	out.articles, out.collections = publicArticles(out), publicCollections(out)
	return out
}

// Room is how much may be stored now.
func (s *Service) Room() *Room { return s.room.Load() }

// SetRoom says how much may be stored from now on.
func (s *Service) SetRoom(r Room) { s.room.Store(&r) }

// Caller is the account for which something is done to items, and what came of it.
type Caller struct {
	Account *record.Account // the account that the call acts as; nil on public routes
	Actor   int64           // account that holds the token; another than Account's while impersonating
	Loads   bool            // an operator moves items in, with the identifiers that they have
	Appears bool            // the people that it names are named in something public when its transaction ends
	Stored  []int64         // people that it names by name and has stored already, in their order
	Warned  []string        // what was ignored, or has to be known
}

// ByLink reports whether an item that was loaded is another account's: then a private link has
// opened it, and what its owner alone knows is neither shown nor touched.
func (c *Caller) ByLink(w *record.Working) bool { return w.AccountID != c.Account.ID }

// Owns reports whether an article belongs to the caller.
func (c *Caller) Owns(tx *bucket.Tx, article int64) bool {
	return c.Is(working.ArticleOwners.Of(tx, article))
}

// Is reports whether a record belongs to the caller.
func (c *Caller) Is(owner bucket.Owner) bool {
	return c.Account != nil && c.Account.ID != 0 && owner.Account == c.Account.ID
}
