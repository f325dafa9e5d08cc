package own

import (
	"fmt"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/site"
)

// ownKind is how the forms of a kind of items, articles or collections, read and write: each by the functions of
// the API.
type ownKind struct {
	*handlers.ItemKind
	list      string // address of the list of own items
	article   bool
	state     endpoint.Step // which the entity tag is of
	withdrawn endpoint.Step // the same for a withdrawal
	change    func([]byte) endpoint.Step
	try       func([]byte) endpoint.Step
	publish   endpoint.Step
	unpublish func([]byte) endpoint.Step
	remove    endpoint.Step

	toChange, toPublish, toWithdraw, toRemove func(*endpoint.Call) // may be nil
}

// ownKind is that of the path of a request.
func (s *Pages) ownKind(c *endpoint.Call) *ownKind {
	if strings.HasPrefix(site.PathOf(c), own[1]+"/") {
		return &ownKind{
			ItemKind: s.api.Collections, list: own[1], state: s.api.CollectionRead, withdrawn: s.api.ToUnpublishCollection,
			change:    func(b []byte) endpoint.Step { return handlers.With(s.api.CollectionChange, b) },
			try:       func(b []byte) endpoint.Step { return handlers.With(s.api.CollectionTry, b) },
			publish:   s.api.CollectionPublish,
			unpublish: func(b []byte) endpoint.Step { return handlers.With(s.api.CollectionUnpublish, b) },
			remove:    s.api.CollectionDelete,
		}
	}
	return &ownKind{
		ItemKind: s.api.Articles, list: own[0], article: true, state: s.api.ArticleRead, withdrawn: s.api.ToUnpublish,
		change:    func(b []byte) endpoint.Step { return handlers.With(s.api.ArticleChange, b) },
		try:       func(b []byte) endpoint.Step { return handlers.With(s.api.ArticleTry, b) },
		publish:   s.api.ArticlePublish,
		unpublish: func(b []byte) endpoint.Step { return handlers.With(s.api.ArticleUnpublish, b) },
		remove:    s.api.ArticleDelete,
		toChange:  handlers.FilesHeld, toPublish: handlers.FilesToPublish, toWithdraw: handlers.FilesToWithdraw, toRemove: handlers.FilesOfDraft,
	}
}

// path is the address below which the pages of an own item are.
func (k *ownKind) path(id int64) string { return fmt.Sprintf("/account/%s/%d", k.Path, id) }

// form is the address of the form of an own item.
func (k *ownKind) form(id int64) string { return k.path(id) + "/edit" }

// document is an own item in the keys of an article, of which a collection has a part.
func (s *Pages) document(c *endpoint.Call, tx *bucket.Tx, k *ownKind) (doc present.ArticlePrivate, tag string, state handlers.State, err error) {
	if k.article {
		return s.api.OwnDocument(c, tx)
	}
	col, tag, state, err := s.api.OwnCollectionDocument(c, tx)
	doc.ID, doc.Title, doc.Description, doc.Authors, doc.Categories, doc.Tags, doc.DOI, doc.Handle = col.ID, col.Title, col.Description, col.Authors, col.Categories, col.Tags, col.DOI, col.Handle
	doc.FundingList, doc.RelatedMaterials, doc.CustomFields, doc.GroupID, doc.Version, doc.Timeline = col.Funding, col.RelatedMaterials, col.CustomFields, col.GroupID, col.Version, col.Timeline
	doc.ResourceTitle, doc.ResourceDOI = col.ResourceTitle, col.ResourceDOI
	doc.URLPublicHTML = fmt.Sprintf("%s/collections/%d", s.api.Settings.SiteURL, col.ID)
	return doc, tag, state, err
}
