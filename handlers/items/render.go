package items

import (
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/facts"
	"alcove/bucket/published"
	"alcove/handlers/present"
	"alcove/record"
)

// Documents are what the public versions of a kind are served as.
type Documents[V any] struct {
	service *Service
	docs    *bucket.Docs
	get     func(bucket.Reader, bucket.Pair) (*V, error)
	// read reads what a version shows besides itself, and gives what makes both its forms,
	// which uses no transaction.
	read func(bucket.Reader, *V) (forms func() (list, full any), err error)
	// latest is which version readers get, of what is public.
	latest func(tx bucket.Reader, id int64) (facts.Facts, bool)
	about  func(*V) about
}

// about is what both kinds say of a version.
type about struct {
	key      bucket.Pair
	modified time.Time
	meta     *record.Metadata
	authors  []record.Person
	cites    func() record.Citation
}

func newArticleDocs(s *Service) Documents[record.ArticleVersion] {
	return Documents[record.ArticleVersion]{s, published.ArticleDocs, published.ArticleVersions.Get,
		func(tx bucket.Reader, v *record.ArticleVersion) (func() (list, full any), error) {
			var files []*record.PublicFile
			var err error
			if v.Files > 0 {
				files, err = PublicFiles(tx, v, 0, 0, s.Settings.FilesInDetail)
			}
			leads := s.Leads(tx, v.PublicDOI(v.Version))
			return func() (list, full any) { return s.Settings.PublicForms(v, files, leads) }, err
		}, published.ArticleFacts.Facts,
		func(v *record.ArticleVersion) about {
			return about{VersionKey(v), v.Modified, &v.Metadata, v.Authors, v.Citation}
		}}
}

func newCollectionDocs(s *Service) Documents[record.CollectionVersion] {
	return Documents[record.CollectionVersion]{s, published.CollectionDocs, published.CollectionVersions.Get,
		func(tx bucket.Reader, v *record.CollectionVersion) (func() (list, full any), error) {
			leads := s.Leads(tx, v.PublicDOI(v.Version))
			return func() (list, full any) {
				return s.Settings.PublicCollection(v), s.Settings.CollectionDetail(v, len(v.Articles), leads)
			}, nil
		}, published.CollectionFacts.Facts,
		func(v *record.CollectionVersion) about {
			return about{bucket.Pair{A: v.CollectionID, B: int64(v.Version)}, v.Modified, &v.Metadata, v.Authors, v.Citation}
		}}
}

// store renders a public version and stores what it is served as. Which version is the
// latest must be stored before.
func (d *Documents[V]) store(tx *bucket.Tx, v *V) error {
	key := d.about(v).key
	make, err := d.prepareRender(tx, v, d.isLatest(tx, key))
	if err != nil {
		return err
	}
	doc, err := make()
	if err != nil {
		return err
	}
	return errors.Join(d.unmarkLatest(tx, key), d.docs.Put(tx, key, doc))
}

// storeLatest is store of the version that readers get from now on and that stays as it is:
// rendering it need not keep other writes waiting.
func (d *Documents[V]) storeLatest(tx *bucket.Tx, v *V) error {
	make, err := d.prepareRender(tx, v, true)
	if err != nil {
		return err
	}
	key := d.about(v).key
	return errors.Join(d.unmarkLatest(tx, key), d.docs.PutDeferred(tx, key, make))
}

// unmarkLatest sees to it that the version before one is not taken for the latest.
func (d *Documents[V]) unmarkLatest(tx *bucket.Tx, key bucket.Pair) error {
	if key.B <= 1 {
		return nil
	}
	return d.docs.UnmarkLatest(tx, bucket.Pair{A: key.A, B: key.B - 1})
}

// isLatest reports whether a version is the one that readers get.
func (d *Documents[V]) isLatest(tx bucket.Reader, key bucket.Pair) bool {
	head, public := d.latest(tx, key.A)
	return public && head.Version == key.B
}

// prepareRender reads what a version shows, and gives what renders it, which uses no transaction.
func (d *Documents[V]) prepareRender(tx bucket.Reader, v *V, latest bool) (func() (bucket.Doc, error), error) {
	forms, err := d.read(tx, v)
	if err != nil {
		return nil, err
	}
	doc := bucket.Doc{Settings: d.service.settings, Latest: latest, Modified: d.about(v).modified}
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

// List is the document of a public version as it is served: the stored one, or one
// rendered now when the settings have changed since or the stored one is damaged. Its bytes
// are valid only in the transaction; only its list form is there for sure.
func (d *Documents[V]) List(tx bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
	return d.current(tx, key, d.docs.List)
}

// Full is List with the full form.
func (d *Documents[V]) Full(tx bucket.Reader, key bucket.Pair) (bucket.Doc, error) {
	return d.current(tx, key, d.docs.Full)
}

// Newest is Full of the version that readers of an item get, where that is stored as it is served
// now.
func (d *Documents[V]) Newest(tx bucket.Reader, id int64) (bucket.Doc, bool) {
	doc, err := d.docs.Latest(tx, id)
	return doc, err == nil && doc.Settings == d.service.settings
}

func (d *Documents[V]) current(tx bucket.Reader, key bucket.Pair, get func(bucket.Reader, bucket.Pair) (bucket.Doc, error)) (bucket.Doc, error) {
	doc, err := get(tx, key)
	if err == nil && doc.Settings == d.service.settings {
		return doc, nil
	}
	var damaged *damage.Error
	switch {
	case errors.As(err, &damaged): // the record can say it again
		d.service.Log.Error("a stored document is damaged", "error", err)
		d.service.Damaged(err)
	case errors.Is(err, bucket.ErrNotFound):
	case err != nil:
		return bucket.Doc{}, err
	}
	v, err := d.get(tx, key)
	if err != nil {
		return bucket.Doc{}, err
	}
	make, err := d.prepareRender(tx, v, d.isLatest(tx, key))
	if err != nil {
		return bucket.Doc{}, err
	}
	doc, err = make()
	doc.ListSum, doc.FullSum = bucket.SumOf(doc.List), bucket.SumOf(doc.Full)
	return doc, err
}

// RenderStale renders the documents again that were stored under other settings. It ends
// when all are up to date, or with its context.
func (s *Service) RenderStale(ctx context.Context) {
	s.ArticleDocs.rerender(ctx)
	s.CollectionDocs.rerender(ctx)
}

// rerender renders a few documents at a time, so that other writes get their turn.
func (d *Documents[V]) rerender(ctx context.Context) {
	const few = 50
	from := bucket.Pair{}
	for n := 0; ctx.Err() == nil; {
		var stale []bucket.Pair
		err := d.service.DB.View(func(tx *bucket.Tx) error {
			stale = d.docs.Stale(tx, from, d.service.settings, few)
			return nil
		})
		if err == nil && len(stale) > 0 {
			err = d.service.DB.Update(ctx, 0, func(tx *bucket.Tx) error { return d.rerenderBatch(tx, stale) })
		}
		if err != nil {
			if ctx.Err() == nil {
				d.service.Log.Error("cannot render stored documents again", "error", err)
			}
			return
		}
		if len(stale) == 0 {
			if n > 0 {
				d.service.Log.Info("rendered stored documents again", "documents", n)
			}
			return
		}
		n += len(stale)
		from = stale[len(stale)-1]
	}
}

func (d *Documents[V]) rerenderBatch(tx *bucket.Tx, keys []bucket.Pair) error {
	for _, key := range keys {
		v, err := d.get(tx, key)
		if errors.Is(err, bucket.ErrNotFound) {
			err = d.docs.Delete(tx, key)
		} else if err == nil {
			err = d.store(tx, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
