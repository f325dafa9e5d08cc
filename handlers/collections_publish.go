package handlers

import (
	"errors"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// CollectionPublish makes a new public version (specification 3 and 4.7). It has those
// of its articles that are public at this moment.
func (a *API) CollectionPublish(c *Call, tx *bucket.Tx) (Reply, error) {
	col, err := c.ownCollection(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := a.publishCollection(tx, col); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/collections/%d", col.ID)
	return Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

// publishCollection freezes the working copy as the next version, which is public now.
func (a *API) publishCollection(tx *bucket.Tx, col *record.Collection) error {
	if err := a.Collections.creditable(&col.Metadata, len(col.Authors)); err != nil {
		return err
	}
	if err := a.Collections.unique(tx, &col.Working); err != nil {
		return err
	}
	return a.collectionAppears(tx, col, "", tx.Now(), tx.Now())
}

// collectionAppears makes a working copy public as the next version, with a DOI of its own or
// without (""), that was published, and last changed, at a time.
func (a *API) collectionAppears(tx *bucket.Tx, col *record.Collection, doi string, published, modified time.Time) error {
	authors, err := people(tx, col.Authors)
	if err != nil {
		return err
	}
	public := []int64{}
	for _, id := range col.Articles {
		if bucket.PublicArticles.Has(tx, id) {
			public = append(public, id)
		}
	}
	col.Version, col.Withdrawn = col.NextVersion(), false
	col.Published, col.Modified = &published, modified
	if col.First == nil {
		col.First = &published
	}
	if col.DOI == "" {
		col.DOI = a.Collections.identifier(tx, a.Limits.DOIPrefix, col.ID)
	}
	if err := makePublic(tx, authors); err != nil {
		return err
	}
	if err := a.weighVersion(tx, &col.Working, col.Weight(len(col.Authors)), 0); err != nil {
		return err
	}
	if err := bucket.Collections.Put(tx, col.ID, col); err != nil {
		return err
	}
	v := &record.CollectionVersion{
		CollectionID: col.ID, Version: col.Version, Metadata: col.Metadata, Authors: authors, Articles: public,
		First: *col.First, Published: published, Modified: modified,
	}
	v.VersionDOI = doi
	if err := a.Collections.complete(tx, &v.Metadata); err != nil {
		return err
	}
	return a.freezeCollection(tx, v)
}

func (a *API) freezeCollection(tx *bucket.Tx, v *record.CollectionVersion) error {
	key := bucket.Pair{A: v.CollectionID, B: int64(v.Version)}
	if err := bucket.CollectionVersions.Put(tx, key, v); err != nil {
		return err
	}
	head := &record.PublicCollection{
		ID: v.CollectionID, Latest: v.Version, GroupID: v.GroupID, InstitutionID: v.InstitutionID,
		First: v.First, Published: v.Published, Modified: v.Modified, Oldest: v.Version,
	}
	if old, err := bucket.PublicCollections.Get(tx, v.CollectionID); err == nil {
		head.Oldest, head.Skipped = old.Oldest, old.Skipped.Between(old.Latest, v.Version)
	} else if !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	if err := bucket.PublicCollections.Put(tx, v.CollectionID, head); err != nil {
		return err
	}
	if err := bucket.Cite(tx, bucket.Pair{A: bucket.KindCollection, B: v.CollectionID}, v.DOI, v.Cited()); err != nil {
		return err
	}
	return a.collectionDocs.store(tx, v)
}
