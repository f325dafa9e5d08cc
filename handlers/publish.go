package handlers

import (
	"errors"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// ArticlePublish makes a new public version of an own article (specification 3 and 4.3).
func (a *API) ArticlePublish(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	waits, err := a.publish(tx, art)
	if err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/articles/%d", art.ID)
	c.warned = append(c.warned, waits.warnings()...)
	return Reply{Status: 201, Location: at, Body: present.NewUpdated(at, c.warned), After: a.wakeRelease}, nil
}

// Waiting is why a version that was published is not public yet.
type Waiting int

// What a version waits for.
const (
	NotWaiting Waiting = iota
	WaitsForReview
	WaitsForEmbargo // on the whole article, to end
)

// warnings tell who publishes that the address of the reply leads nowhere yet.
func (w Waiting) warnings() []string {
	switch w {
	case WaitsForReview:
		return []string{record.WarnReview}
	case WaitsForEmbargo:
		return []string{record.WarnEmbargo}
	}
	return nil
}

// publish checks everything, then freezes the working copy as the next version: it waits
// for a review where the group asks for one, appears now, or is held while the whole
// article is under embargo. Its cost grows with what changed, not with the number of
// files.
func (a *API) publish(tx *bucket.Tx, art *record.Article) (Waiting, error) {
	if err := a.Articles.creditable(&art.Metadata, len(art.Authors)); err != nil {
		return NotWaiting, err
	}
	if err := a.Articles.unique(tx, &art.Working); err != nil {
		return NotWaiting, err
	}
	if art.Embargo.Due(tx.Clock()) { // what was held until now comes first
		if err := a.setEmbargo(tx, art, record.Embargo{}); err != nil {
			return NotWaiting, err
		}
	}
	if err := closePending(tx, art.ID); err != nil {
		return NotWaiting, err
	}
	v, changed, err := a.frozen(tx, art)
	if err != nil {
		return NotWaiting, err
	}
	reviewed, err := asksForReview(tx, art.GroupID)
	switch {
	case err != nil:
		return NotWaiting, err
	case reviewed:
		return WaitsForReview, a.submit(tx, art, v, changed)
	case art.Embargo.Kind == record.ArticleEmbargo:
		return WaitsForEmbargo, a.storeEmbargoed(tx, art, v, changed)
	}
	return NotWaiting, a.appear(tx, art, v, changed)
}

// frozen is a working copy as its next version, and the files that this adds or removes.
func (a *API) frozen(tx *bucket.Tx, art *record.Article) (*record.ArticleVersion, []*record.File, error) {
	changed, err := unpublishedFiles(tx, art.ID)
	if err != nil {
		return nil, nil, err
	}
	authors, err := people(tx, art.Authors)
	if err != nil {
		return nil, nil, err
	}
	v := &record.ArticleVersion{
		ArticleID: art.ID, Metadata: art.Metadata, Authors: authors, Size: art.Size, Files: art.Files, Links: art.Links,
		Thumb: art.Thumb,
	}
	return v, changed, a.Articles.complete(tx, &v.Metadata)
}

// appear makes a frozen version public as the next one of its article. changed are the
// files that it adds or removes.
func (a *API) appear(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File) error {
	return a.appearAt(tx, art, v, changed, tx.Now(), tx.Now())
}

// appearAt is appear of a version that was published, and last changed, elsewhere at a time.
func (a *API) appearAt(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File, published, modified time.Time) error {
	ids := []int64{}
	for i := range v.Authors {
		v.Authors[i].Public = true // by this version at the latest
		ids = append(ids, v.Authors[i].ID)
	}
	authors, err := people(tx, ids) // as they are now
	if err != nil {
		return err
	}
	art.Version = art.NextVersion()
	art.Withdrawn = false
	art.Published, art.Modified = &published, modified
	if art.First == nil {
		art.First = &published
	}
	if art.DOI == "" {
		art.DOI = a.Articles.identifier(tx, a.Limits.DOIPrefix, art.ID)
	}
	if v.DOI == "" {
		v.DOI = art.DOI
	}
	v.Version, v.First, v.Published, v.Modified = art.Version, *art.First, published, modified
	shown := int64(0)
	for _, f := range changed {
		if f.Added == 0 {
			f.Added, f.Hidden = v.Version, v.HidesFiles()
			shown += f.Size
		} else {
			f.Removed = v.Version
		}
		f.Held, f.Modified = false, tx.Now()
		if err := putPublished(tx, f); err != nil {
			return err
		}
	}
	if err := showFiles(tx, v); err != nil {
		return err
	}
	if err := pickThumb(tx, v); err != nil {
		return err
	}
	if err := makePublic(tx, authors); err != nil {
		return err
	}
	if err := countShown(tx, art.AccountID, shown); err != nil {
		return err
	}
	if err := a.weighVersion(tx, &art.Working, v.Weight(len(v.Authors)), 0); err != nil {
		return err
	}
	if err := bucket.Articles.PutDeferred(tx, art.ID, art); err != nil {
		return err
	}
	return a.freeze(tx, v)
}

// countShown counts bytes of an account that were private and are public now.
func countShown(tx *bucket.Tx, id, bytes int64) error {
	if bytes == 0 {
		return nil
	}
	account, err := bucket.Accounts.Get(tx, id)
	if err != nil {
		return err
	}
	account.UsedPrivate -= bytes
	account.UsedPublic += bytes
	return bucket.Accounts.Put(tx, account.ID, account)
}

// unpublishedFiles are the files that the next version adds or removes; a file that is
// not whole is the refusal that names it.
func unpublishedFiles(tx *bucket.Tx, article int64) ([]*record.File, error) {
	var files []*record.File
	for hit := range bucket.FilesToPublish.Ascending(tx, bucket.SortKey(article)) {
		f, err := bucket.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if f.Added == 0 && !f.Finished() {
			return nil, record.UnfinishedFile(f)
		}
		files = append(files, f)
	}
	return files, nil
}

// freeze stores a public version with its documents and makes it the latest.
func (a *API) freeze(tx *bucket.Tx, v *record.ArticleVersion) error {
	if err := bucket.ArticleVersions.PutDeferred(tx, versionKey(v), v); err != nil {
		return err
	}
	head := &record.PublicArticle{
		ID: v.ArticleID, Latest: v.Version, Type: v.Type, GroupID: v.GroupID, InstitutionID: v.InstitutionID,
		ProjectID: v.ProjectID, First: v.First, Published: v.Published, Modified: v.Modified,
		Oldest: v.Version, DownloadDisabled: v.DownloadDisabled,
	}
	if old, err := bucket.PublicArticles.Get(tx, v.ArticleID); err == nil {
		head.Oldest, head.Skipped = old.Oldest, old.Skipped.Between(old.Latest, v.Version)
	} else if !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	if err := bucket.PublicArticles.PutDeferred(tx, v.ArticleID, head); err != nil {
		return err
	}
	if err := bucket.Cite(tx, bucket.Pair{A: bucket.KindArticle, B: v.ArticleID}, v.DOI, v.Cited()); err != nil {
		return err
	}
	return a.articleDocs.storeLatest(tx, v)
}

func versionKey(v *record.ArticleVersion) bucket.Pair {
	return bucket.Pair{A: v.ArticleID, B: int64(v.Version)}
}
