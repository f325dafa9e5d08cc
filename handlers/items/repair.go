package items

import (
	"cmp"
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/damage"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
)

// IsDocument reports whether damage is to a document that is rendered from a record.
func (s *Service) IsDocument(d *damage.Error) bool {
	return s.ArticleDocs.docs.Has(d) || s.CollectionDocs.docs.Has(d)
}

// Repair puts a damaged record or document right, and tells what from; nothing where it was right
// already.
func (s *Service) Repair(ctx context.Context, d *damage.Error, backups damage.Source) (where string, err error) {
	switch {
	case s.ArticleDocs.docs.Has(d):
		return s.ArticleDocs.repair(ctx, bucket.KeyPair(d.Key))
	case s.CollectionDocs.docs.Has(d):
		return s.CollectionDocs.repair(ctx, bucket.KeyPair(d.Key))
	}
	return s.DB.Repair(ctx, d.Bucket, d.Key, s.refrozen, backups)
}

// repair renders a document again from its record.
func (d *Documents[V]) repair(ctx context.Context, key bucket.Pair) (where string, err error) {
	err = d.service.DB.Update(ctx, 0, func(tx *bucket.Tx) error {
		where = ""
		if _, err := d.docs.Get(tx, key); err == nil {
			return nil
		}
		where = "its record"
		return d.rerenderBatch(tx, []bucket.Pair{key})
	})
	return where, err
}

// refrozen is a damage.Source: it makes the record of a public version again from the working
// copy, which says the same until it is edited, with the dates that the frozen document and the
// working copy have.
func (s *Service) refrozen(_ context.Context, table string, key []byte, right func([]byte) bool) (payload []byte, where string, err error) {
	of := bucket.KeyPair(key)
	err = s.DB.View(func(tx *bucket.Tx) error {
		switch table {
		case "article_versions":
			payload, err = s.refrozenArticle(tx, of, right)
		case "collection_versions":
			payload, err = s.refrozenCollection(tx, of, right)
		default:
			err = damage.ErrBeyondRepair
		}
		return err
	})
	var harmed *damage.Error
	var refused *record.Error
	if errors.As(err, &refused) || errors.Is(err, bucket.ErrNotFound) || errors.As(err, &harmed) {
		err = damage.ErrBeyondRepair // what it would be made from is not there, or not as it was then
	}
	return payload, "its working copy", err
}

func (s *Service) refrozenArticle(tx *bucket.Tx, of bucket.Pair, right func([]byte) bool) ([]byte, error) {
	art, err := working.Articles.Get(tx, of.A)
	if err != nil {
		return nil, err
	}
	v, _, err := s.frozen(tx, art)
	if err != nil {
		return nil, err
	}
	if art.First == nil || art.Published == nil {
		return nil, damage.ErrBeyondRepair
	}
	v.Version, v.First, v.Published = int(of.B), *art.First, *art.Published
	v.Modified, v.DOI = modifiedOf(tx, published.ArticleDocs, of, v.Published), cmp.Or(v.DOI, art.DOI)
	credited(v.Authors)
	if payload, err := bucket.Payload(v); err != nil || right(payload) {
		return payload, err
	}
	if err := pickThumb(tx, v); err != nil { // its file may have got one after the working copy was made
		return nil, err
	}
	return agreed(v, right)
}

func (s *Service) refrozenCollection(tx *bucket.Tx, of bucket.Pair, right func([]byte) bool) ([]byte, error) {
	col, err := working.Collections.Get(tx, of.A)
	if err != nil {
		return nil, err
	}
	authors, err := People(tx, col.Authors)
	if err != nil {
		return nil, err
	}
	if col.First == nil || col.Published == nil {
		return nil, damage.ErrBeyondRepair
	}
	v := collectionVersion(tx, col, authors)
	v.Version, v.Modified = int(of.B), modifiedOf(tx, published.CollectionDocs, of, v.Published)
	if err := Define(tx, &v.Metadata); err != nil {
		return nil, err
	}
	return agreed(v, right)
}

// credited marks people as named in a public version, as publishing does.
func credited(authors []record.Person) {
	for i := range authors {
		authors[i].Public = true
	}
}

// modifiedOf is when a version was last changed, by its frozen document where that can be read.
func modifiedOf(tx *bucket.Tx, docs *bucket.Docs, of bucket.Pair, published time.Time) time.Time {
	if doc, err := docs.List(tx, of); err == nil {
		return doc.Modified
	}
	return published
}

// agreed is the JSON of a record if it is the right one.
func agreed(v any, right func([]byte) bool) ([]byte, error) {
	payload, err := bucket.Payload(v)
	if err == nil && !right(payload) {
		err = damage.ErrBeyondRepair
	}
	return payload, err
}
