package handlers

import (
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// renderer is where the documents of a kind's public versions stand, as they are served.
type renderer[V any] struct {
	api  *API
	docs *bucket.Docs
	get  func(bucket.Reader, bucket.Pair) (*V, error)
	// read reads what a version shows besides itself, and gives what makes both its forms,
	// which uses no transaction.
	read func(bucket.Reader, *V) (forms func() (list, full any), err error)
	// latest is which version readers get, of what is public.
	latest func(tx bucket.Reader, id int64) (bucket.Facts, bool)
	about  func(*V) (key bucket.Pair, modified time.Time)
}

func newArticleDocs(a *API) renderer[record.ArticleVersion] {
	return renderer[record.ArticleVersion]{a, bucket.ArticleDocs, bucket.ArticleVersions.Get,
		func(tx bucket.Reader, v *record.ArticleVersion) (func() (list, full any), error) {
			var files []*record.PublicFile
			var err error
			if v.Files > 0 {
				files, err = publicFiles(tx, v, 0, window{0, a.Settings.FilesInDetail})
			}
			return func() (list, full any) { return a.Settings.PublicForms(v, files) }, err
		}, bucket.PublicFacts.Facts,
		func(v *record.ArticleVersion) (bucket.Pair, time.Time) { return versionKey(v), v.Modified }}
}

func newCollectionDocs(a *API) renderer[record.CollectionVersion] {
	return renderer[record.CollectionVersion]{a, bucket.CollectionDocs, bucket.CollectionVersions.Get,
		func(_ bucket.Reader, v *record.CollectionVersion) (func() (list, full any), error) {
			return func() (list, full any) {
				return a.Settings.PublicCollection(v), a.Settings.CollectionDetail(v, len(v.Articles))
			}, nil
		}, bucket.PublicCollectionFacts.Facts,
		func(v *record.CollectionVersion) (bucket.Pair, time.Time) {
			return bucket.Pair{A: v.CollectionID, B: int64(v.Version)}, v.Modified
		}}
}

// store renders a public version and stores what it is served as. Which version is the
// latest must be stored before.
func (s renderer[V]) store(tx *bucket.Tx, v *V) error {
	key, _ := s.about(v)
	make, err := s.prepareRender(tx, v, s.isLatest(tx, key))
	if err != nil {
		return err
	}
	doc, err := make()
	if err != nil {
		return err
	}
	return errors.Join(s.unmarkLatest(tx, key), s.docs.Put(tx, key, doc))
}

// storeLatest is store of the version that readers get from now on and that stays as it is:
// rendering it need not keep other writes waiting.
func (s renderer[V]) storeLatest(tx *bucket.Tx, v *V) error {
	make, err := s.prepareRender(tx, v, true)
	if err != nil {
		return err
	}
	key, _ := s.about(v)
	return errors.Join(s.unmarkLatest(tx, key), s.docs.PutDeferred(tx, key, make))
}

// unmarkLatest sees to it that the version before one is not taken for the latest.
func (s renderer[V]) unmarkLatest(tx *bucket.Tx, key bucket.Pair) error {
	if key.B <= 1 {
		return nil
	}
	return s.docs.UnmarkLatest(tx, bucket.Pair{A: key.A, B: key.B - 1})
}

// isLatest reports whether a version is the one that readers get.
func (s renderer[V]) isLatest(tx bucket.Reader, key bucket.Pair) bool {
	head, public := s.latest(tx, key.A)
	return public && head.Version == key.B
}

// prepareRender reads what a version shows, and gives what renders it, which uses no transaction.
func (s renderer[V]) prepareRender(tx bucket.Reader, v *V, latest bool) (func() (bucket.Doc, error), error) {
	forms, err := s.read(tx, v)
	if err != nil {
		return nil, err
	}
	doc := bucket.Doc{Settings: s.api.settings, Latest: latest}
	_, doc.Modified = s.about(v)
	return func() (bucket.Doc, error) { return render(doc, forms) }, nil
}

// render completes a document.
func render(doc bucket.Doc, forms func() (list, full any)) (_ bucket.Doc, err error) {
	list, full := forms()
	if doc.List, err = present.Encode(list); err != nil {
		return bucket.Doc{}, err
	}
	if doc.Full, err = present.Encode(full); err != nil {
		return bucket.Doc{}, err
	}
	return doc, nil
}

// list is the document of a public version as it is served: the stored one, or one
// rendered now when the settings have changed since or the stored one is damaged. Its bytes
// are valid only in the transaction; only its list form is there for sure.
func (s renderer[V]) list(tx bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
	return s.current(tx, key, s.docs.List)
}

// full answers with the full form of a public version.
func (s renderer[V]) full(c *Call, tx bucket.Reader, key bucket.Pair) (Reply, error) {
	doc, err := s.current(tx, key, s.docs.Full)
	if err != nil {
		return Reply{}, err
	}
	return c.fullForm(&doc), nil
}

// newest answers with the full form of the version that readers of an item get, where that is
// stored as it is served now.
func (s renderer[V]) newest(c *Call, tx bucket.Reader, id int64) (Reply, bool) {
	doc, err := s.docs.Latest(tx, id)
	if err != nil || doc.Settings != s.api.settings {
		return Reply{}, false
	}
	return c.fullForm(&doc), true
}

func (c *Call) fullForm(doc *bucket.Doc) Reply {
	c.buffer = append(getBuffer(), doc.Full...)
	return Reply{Raw: c.buffer, Tag: tagOf(doc.FullSum), Modified: doc.Modified}
}

func (s renderer[V]) current(tx bucket.Reader, key bucket.Pair, get func(bucket.Reader, bucket.Pair) (bucket.Doc, error)) (bucket.Doc, error) {
	doc, err := get(tx, key)
	if err == nil && doc.Settings == s.api.settings {
		return doc, nil
	}
	var damaged *bucket.DamagedError
	switch {
	case errors.As(err, &damaged): // the record can say it again
		s.api.Log.Error("a stored document is damaged", "error", err)
		s.api.repairs.ask(err)
	case errors.Is(err, bucket.ErrNotFound):
	case err != nil:
		return bucket.Doc{}, err
	}
	v, err := s.get(tx, key)
	if err != nil {
		return bucket.Doc{}, err
	}
	make, err := s.prepareRender(tx, v, s.isLatest(tx, key))
	if err != nil {
		return bucket.Doc{}, err
	}
	doc, err = make()
	doc.ListSum, doc.FullSum = bucket.SumOf(doc.List), bucket.SumOf(doc.Full)
	return doc, err
}

// renderStale renders the documents anew that were stored under other settings. It ends
// when all are up to date, or with its context.
func (a *API) renderStale(ctx context.Context) {
	a.articleDocs.rerender(ctx)
	a.collectionDocs.rerender(ctx)
}

// rerender renders a few documents at a time, so that other writes get their turn.
func (s renderer[V]) rerender(ctx context.Context) {
	const few = 50
	from := bucket.Pair{}
	for n := 0; ctx.Err() == nil; {
		var stale []bucket.Pair
		err := s.api.DB.View(func(tx *bucket.Tx) error {
			stale = s.docs.Stale(tx, from, s.api.settings, few)
			return nil
		})
		if err == nil && len(stale) > 0 {
			err = s.api.DB.Update(ctx, 0, func(tx *bucket.Tx) error { return s.rerenderBatch(tx, stale) })
		}
		if err != nil {
			if ctx.Err() == nil {
				s.api.Log.Error("cannot render stored documents anew", "error", err)
			}
			return
		}
		if len(stale) == 0 {
			if n > 0 {
				s.api.Log.Info("rendered stored documents anew", "documents", n)
			}
			return
		}
		n += len(stale)
		from = stale[len(stale)-1]
	}
}

func (s renderer[V]) rerenderBatch(tx *bucket.Tx, keys []bucket.Pair) error {
	for _, key := range keys {
		v, err := s.get(tx, key)
		if errors.Is(err, bucket.ErrNotFound) {
			err = s.docs.Delete(tx, key)
		} else if err == nil {
			err = s.store(tx, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
