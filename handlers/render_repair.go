package handlers

import (
	"cmp"
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// refrozen is a bucket.RecordSource: it makes the record of a public version again from the working
// copy, which says the same until it is edited, with the dates that the frozen document and the
// working copy have.
func (a *API) refrozen(_ context.Context, table string, key []byte, right func([]byte) bool) (payload []byte, where string, err error) {
	of := (&bucket.DamagedError{Key: key}).Pair()
	err = a.DB.View(func(tx *bucket.Tx) error {
		switch table {
		case "article_versions":
			payload, err = a.refrozenArticle(tx, of, right)
		case "collection_versions":
			payload, err = a.refrozenCollection(tx, of, right)
		default:
			err = bucket.ErrBeyondRepair
		}
		return err
	})
	var harmed *bucket.DamagedError
	if _, refused := refusal(err); refused || errors.Is(err, bucket.ErrNotFound) || errors.As(err, &harmed) {
		err = bucket.ErrBeyondRepair // what it would be made from is not there, or not as it was then
	}
	return payload, "its working copy", err
}

func (a *API) refrozenArticle(tx *bucket.Tx, of bucket.Pair, right func([]byte) bool) ([]byte, error) {
	art, err := bucket.Articles.Get(tx, of.A)
	if err != nil {
		return nil, err
	}
	v, _, err := a.frozen(tx, art)
	if err != nil {
		return nil, err
	}
	if art.First == nil || art.Published == nil {
		return nil, bucket.ErrBeyondRepair
	}
	v.Version, v.First, v.Published = int(of.B), *art.First, *art.Published
	v.Modified, v.DOI = modifiedOf(tx, bucket.ArticleDocs, of, v.Published), cmp.Or(v.DOI, art.DOI)
	credited(v.Authors)
	if payload, err := bucket.Payload(v); err != nil || right(payload) {
		return payload, err
	}
	if err := pickThumb(tx, v); err != nil { // its file may have got one after the working copy was made
		return nil, err
	}
	return agreed(v, right)
}

func (a *API) refrozenCollection(tx *bucket.Tx, of bucket.Pair, right func([]byte) bool) ([]byte, error) {
	col, err := bucket.Collections.Get(tx, of.A)
	if err != nil {
		return nil, err
	}
	authors, err := people(tx, col.Authors)
	if err != nil {
		return nil, err
	}
	if col.First == nil || col.Published == nil {
		return nil, bucket.ErrBeyondRepair
	}
	v := &record.CollectionVersion{
		CollectionID: of.A, Version: int(of.B), Metadata: col.Metadata, Authors: authors, Articles: []int64{},
		First: *col.First, Published: *col.Published, Modified: modifiedOf(tx, bucket.CollectionDocs, of, *col.Published),
	}
	for _, id := range col.Articles {
		if bucket.PublicArticles.Has(tx, id) {
			v.Articles = append(v.Articles, id)
		}
	}
	if err := define(tx, &v.Metadata); err != nil {
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
		err = bucket.ErrBeyondRepair
	}
	return payload, err
}
