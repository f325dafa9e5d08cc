package handlers

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
)

// OwnDocument is an own article as ArticleRead answers it, with its entity tag and its state.
func (a *API) OwnDocument(c *endpoint.Call, tx *bucket.Tx) (doc present.ArticlePrivate, tag string, s State, err error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return doc, "", s, err
	}
	if s, err = stateOf(tx, art); err != nil {
		return doc, "", s, err
	}
	r, err := a.ArticleRead(c, tx)
	if err != nil {
		return doc, "", s, err
	}
	doc, _ = r.Body.(present.ArticlePrivate)
	tag, err = r.EntityTag()
	return doc, tag, s, err
}

// OwnMetadata is OwnDocument without files, for many articles.
func (a *API) OwnMetadata(c *endpoint.Call, tx *bucket.Tx) (doc present.ArticlePrivate, err error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return doc, err
	}
	authors, err := items.People(tx, art.Authors)
	if err != nil {
		return doc, err
	}
	err = items.Define(tx, &art.Metadata)
	return a.Settings.OwnDetail(art, authors, nil, a.Items.Leads(tx, art.DOI)), err
}

// OwnCollectionDocument is OwnDocument of a collection.
func (a *API) OwnCollectionDocument(c *endpoint.Call, tx *bucket.Tx) (doc present.CollectionPrivate, tag string, s State, err error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return doc, "", s, err
	}
	if s, err = stateOf(tx, col); err != nil {
		return doc, "", s, err
	}
	r, err := a.CollectionRead(c, tx)
	if err != nil {
		return doc, "", s, err
	}
	doc, _ = r.Body.(present.CollectionPrivate)
	tag, err = r.EntityTag()
	return doc, tag, s, err
}

// CollectionTry is ArticleTry of a collection.
func (a *API) CollectionTry(c *endpoint.Call, tx *bucket.Tx, body *record.CollectionBody) (endpoint.Reply, error) {
	col, err := c.OwnCollection(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{}, a.Items.Describe(&c.Caller, tx, col, body)
}

// ArticleTry refuses the body of an update of an own article as the update would, and changes nothing.
func (a *API) ArticleTry(c *endpoint.Call, tx *bucket.Tx, body *record.ArticleBody) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{}, a.Items.Describe(&c.Caller, tx, art, body)
}

// AuthorsTry is ArticleTry for the authors of an own item.
func (k *ItemKind) AuthorsTry(c *endpoint.Call, tx *bucket.Tx, body *record.AuthorsBody) (endpoint.Reply, error) {
	_, err := k.checkAuthors(c, tx, body)
	return endpoint.Reply{}, err
}

// EmbargoTry is ArticleTry for the embargo of an own article.
func (a *API) EmbargoTry(c *endpoint.Call, tx *bucket.Tx, body *record.EmbargoBody) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	e, err := body.Apply(art.Embargo.At(tx.Clock()), tx.Clock())
	if err == nil {
		err = items.NameRanges(tx, &e, art.Embargo.Options)
	}
	return endpoint.Reply{}, err
}

// ResourceTry is ArticleTry for the publication of an own article.
func (a *API) ResourceTry(_ *endpoint.Call, _ *bucket.Tx, body *record.ResourceBody) (endpoint.Reply, error) {
	return endpoint.Reply{}, body.Check()
}

// ResourceKeep is ResourceWrite that leaves what is not sent as it was.
func (a *API) ResourceKeep(c *endpoint.Call, tx *bucket.Tx, body *record.ResourceBody) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	keep(&body.ID, &art.ResourceID)
	keep(&body.Title, &art.ResourceTitle)
	keep(&body.DOI, &art.ResourceDOI)
	keep(&body.Link, &art.ResourceLink)
	keep(&body.Status, &art.ResourceStatus)
	keep(&body.Version, &art.ResourceVersion)
	return a.Articles.ResourceWrite(c, tx, body)
}

func keep[T any](sent **T, was *T) {
	if *sent == nil {
		*sent = was
	}
}

// Try runs a step that changes nothing.
func (a *API) Try(c *endpoint.Call, tx *bucket.Tx, step endpoint.Step) error {
	inner := *c
	_, err := step(&inner, tx)
	return err
}

// filesTried bounds how many files that the next version changes are looked at for one that is not whole.
const filesTried = 1000

// Lacking is why an item cannot be published: what it lacks, and for a custom field or a file its name.
type Lacking struct {
	What    string // authors, title, custom, file or doi
	Name    string
	Refused *record.Error // the answer of the API
}

// Lacking tells all that publishing an own item would be refused for. Of very many files only the
// first are looked at.
func (k *ItemKind) Lacking(c *endpoint.Call, tx *bucket.Tx) (list []Lacking, err error) {
	item, err := k.load(c, tx)
	if err != nil {
		return nil, err
	}
	w := item.Common()
	add := func(what, name string, refused error) {
		var e *record.Error
		if errors.As(refused, &e) {
			list = append(list, Lacking{what, name, e})
		} else {
			err = errors.Join(err, refused)
		}
	}
	titled := record.Metadata{Title: "-"}
	add("authors", "", k.Creditable(&titled, len(w.Authors)))
	add("title", "", k.Creditable(&w.Metadata, 1))
	add("doi", "", k.Unique(tx, w))
	if err := items.Define(tx, &w.Metadata); err != nil {
		return nil, err
	}
	for _, f := range w.Defined {
		if name, missing := record.MissingField(w.CustomFields, []record.Field{f}); missing {
			add("custom", name, record.MissingForPublication(name))
		}
	}
	if _, ok := item.(*record.Article); !ok {
		return list, err
	}
	looked := 0
	for hit := range files.ToPublish.Ascending(tx, bucket.SortKey(w.ID)) {
		if looked++; looked > filesTried {
			break
		}
		f, err := files.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if f.Added == 0 && !f.Finished() && !f.BeingChecked() { // publishing waits for those
			add("file", f.Name, record.UnfinishedFile(f))
		}
	}
	return list, err
}

// Preview is an own article as its next version would be answered to readers, with the files of its working
// copy that are whole.
func (a *API) Preview(c *endpoint.Call, tx *bucket.Tx) (doc present.ArticleComplete, list []*record.File, err error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return doc, nil, err
	}
	r, err := a.linkedDetail(tx, art)
	if err != nil {
		return doc, nil, err
	}
	doc, _ = r.Body.(present.ArticleComplete)
	doc.Version = art.NextVersion()
	for _, f := range doc.Files {
		stored, err := files.Files.Get(tx, f.ID)
		if err != nil {
			return doc, nil, err
		}
		list = append(list, stored)
	}
	return doc, list, nil
}

// Groups are those that the caller may put its items into.
func (a *API) Groups(c *endpoint.Call, tx *bucket.Tx) ([]present.Group, error) {
	r, err := a.InstitutionGroups(c, tx)
	list, _ := r.Body.([]present.Group)
	own := c.Account.GroupID
	for _, g := range list {
		if g.ID == own {
			return list, err
		}
	}
	if own != 0 && err == nil {
		g, err := users.Groups.Get(tx, own)
		if err != nil {
			return nil, err
		}
		list = append(a.Settings.Groups([]*record.Group{g}), list...)
	}
	return list, err
}

// DefinedFields are the custom fields of the items of a group, 0 for none, without values.
func (a *API) DefinedFields(tx *bucket.Tx, group int64) ([]present.CustomField, error) {
	fields, err := items.DefinedFields(tx, group)
	return a.Settings.DefinedFields(fields), err
}

// Reviewed reports whether a group, 0 for none, asks for a review before it publishes.
func (a *API) Reviewed(tx *bucket.Tx, group int64) (bool, error) {
	return items.AsksForReview(tx, group)
}
