package items

import (
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/record"
)

// Waiting is why a version that was published is not public yet.
type Waiting int

// A version may wait for these.
const (
	NotWaiting Waiting = iota
	WaitsForReview
	WaitsForEmbargo // on the whole article, to end
)

// Warnings tell the client that publishes that the address of the reply leads nowhere yet.
func (w Waiting) Warnings() []string {
	switch w {
	case WaitsForReview:
		return []string{record.WarnReview}
	case WaitsForEmbargo:
		return []string{record.WarnEmbargo}
	}
	return nil
}

// Publish checks everything, then freezes the working copy as the next version. The one of an article
// waits for a review where the group asks for one, or is held while the whole article is under
// embargo; otherwise it appears now. The cost grows with what changed, not with the number of files.
func (s *Service) Publish(tx *bucket.Tx, item Item) (Waiting, error) {
	k, w := s.kindOf(item), item.Common()
	if err := k.Creditable(&w.Metadata, len(w.Authors)); err != nil {
		return NotWaiting, err
	}
	if err := k.Unique(tx, w); err != nil {
		return NotWaiting, err
	}
	art, ok := item.(*record.Article)
	if !ok {
		return NotWaiting, s.PublishAs(tx, item, Edition{Published: tx.Now(), Modified: tx.Now()})
	}
	if err := s.endDue(tx, art); err != nil {
		return NotWaiting, err
	}
	if err := ClosePending(tx, art.ID); err != nil {
		return NotWaiting, err
	}
	v, changed, err := s.frozen(tx, art)
	if err != nil {
		return NotWaiting, err
	}
	reviewed, err := AsksForReview(tx, art.GroupID)
	switch {
	case err != nil:
		return NotWaiting, err
	case reviewed:
		return WaitsForReview, s.submit(tx, art, v, changed)
	case art.Embargo.Kind == record.ArticleEmbargo:
		return WaitsForEmbargo, s.storeEmbargoed(tx, art, v, changed)
	}
	return NotWaiting, s.publishNow(tx, art, v, changed)
}

// Edition is what is said of a version besides its item: a DOI of its own or none (""), when it was
// published, and when it last changed.
type Edition struct {
	DOI                 string
	Published, Modified time.Time
}

// PublishAs makes a working copy public as its next version, as it was published elsewhere or now.
func (s *Service) PublishAs(tx *bucket.Tx, item Item, e Edition) error {
	if col, ok := item.(*record.Collection); ok {
		return s.publishCollection(tx, col, e)
	}
	v, changed, err := s.frozen(tx, item.(*record.Article))
	if err != nil {
		return err
	}
	v.VersionDOI = e.DOI
	return s.publishVersion(tx, item.(*record.Article), v, changed, e)
}

// frozen is a working copy as its next version, and the files that this adds or removes.
func (s *Service) frozen(tx *bucket.Tx, art *record.Article) (*record.ArticleVersion, []*record.File, error) {
	changed, err := unpublishedFiles(tx, art.ID)
	if err != nil {
		return nil, nil, err
	}
	authors, err := People(tx, art.Authors)
	if err != nil {
		return nil, nil, err
	}
	v := &record.ArticleVersion{
		ArticleID: art.ID, Metadata: art.Metadata, Authors: authors, Size: art.Size, Files: art.Files, Links: art.Links,
		Thumb: art.Thumb, Agreement: art.Agreement, FileOrder: slices.Clone(art.FileOrder),
	}
	return v, changed, s.Articles.Complete(tx, &v.Metadata)
}

// publishNow makes a frozen version public as the next one of its article.
func (s *Service) publishNow(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File) error {
	return s.publishVersion(tx, art, v, changed, Edition{Published: tx.Now(), Modified: tx.Now()})
}

// publishVersion stores a frozen version of an article as its next public one. changed are the
// files that it adds or removes.
func (s *Service) publishVersion(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File, e Edition) error {
	credited(v.Authors) // by this version at the latest
	ids := []int64{}
	for i := range v.Authors {
		ids = append(ids, v.Authors[i].ID)
	}
	authors, err := People(tx, ids) // as they are now
	if err != nil {
		return err
	}
	if err := s.Articles.next(tx, &art.Working, e); err != nil {
		return err
	}
	if v.DOI == "" {
		v.DOI = art.DOI
	}
	v.Version, v.First, v.Published, v.Modified = art.Version, *art.First, e.Published, e.Modified
	if err := publishFiles(tx, art, v, changed); err != nil {
		return err
	}
	if err := makePublic(tx, authors); err != nil {
		return err
	}
	if err := s.weighVersion(tx, &art.Working, v.Weight(len(v.Authors)), 0); err != nil {
		return err
	}
	if err := working.Articles.PutDeferred(tx, art.ID, art); err != nil {
		return err
	}
	return s.articles.store(tx, v)
}

// publishCollection stores a working copy as its next public version, with those of its articles
// that are public.
func (s *Service) publishCollection(tx *bucket.Tx, col *record.Collection, e Edition) error {
	authors, err := People(tx, col.Authors)
	if err != nil {
		return err
	}
	if err := s.Collections.next(tx, &col.Working, e); err != nil {
		return err
	}
	if err := makePublic(tx, authors); err != nil {
		return err
	}
	if err := s.weighVersion(tx, &col.Working, col.Weight(len(col.Authors)), 0); err != nil {
		return err
	}
	if err := working.Collections.Put(tx, col.ID, col); err != nil {
		return err
	}
	v := collectionVersion(tx, col, authors)
	v.VersionDOI = e.DOI
	if err := s.Collections.Complete(tx, &v.Metadata); err != nil {
		return err
	}
	return s.collections.store(tx, v)
}

// collectionVersion is a working copy as the version whose number and dates it has.
func collectionVersion(tx *bucket.Tx, col *record.Collection, authors []record.Person) *record.CollectionVersion {
	v := &record.CollectionVersion{
		CollectionID: col.ID, Version: col.Version, Metadata: col.Metadata, Authors: authors, Articles: []int64{},
		First: *col.First, Published: *col.Published, Modified: col.Modified, Agreement: col.Agreement,
	}
	for _, id := range col.Articles {
		if published.Articles.Has(tx, id) {
			v.Articles = append(v.Articles, id)
		}
	}
	return v
}

// next gives a working copy the number, the dates and the DOI of its next version.
func (k *Kind) next(tx *bucket.Tx, w *record.Working, e Edition) error {
	w.Version, w.Withdrawn = w.NextVersion(), false
	w.Published, w.Modified = &e.Published, e.Modified
	if w.First == nil {
		w.First = &e.Published
	}
	if w.DOI != "" {
		return nil
	}
	prefix, err := k.DOIPrefix(tx, w)
	if err == nil {
		w.DOI = k.Identifier(tx, prefix, w.ID)
	}
	return err
}

// public is where the public versions of a kind stand.
type public[V, H any] struct {
	kind       func() *Kind
	versions   *bucket.Table[bucket.Pair, V]
	withdrawn  *bucket.Table[bucket.Pair, V] // as they were
	heads      *bucket.Table[int64, H]
	tombstones *bucket.Table[bucket.Pair, record.Tombstone]
	docs       *Documents[V]
	head       func(v *V, old *H, at time.Time) *H // what lists know of the item, which changes at a time; old is nil before the first version
	sets       func(*H) []string                   // that the item is harvested in
}

// store stores a public version with its documents and makes it the latest.
func (p *public[V, H]) store(tx *bucket.Tx, v *V) error {
	of := p.docs.about(v)
	if err := p.versions.PutDeferred(tx, of.key, v); err != nil {
		return err
	}
	old, err := p.heads.Get(tx, of.key.A)
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	if err := p.heads.PutDeferred(tx, of.key.A, p.head(v, old, tx.Now())); err != nil {
		return err
	}
	if err := counting.Cite(tx, p.kind().Item(of.key.A), of.meta.DOI, of.cites()); err != nil {
		return err
	}
	return p.docs.storeLatest(tx, v)
}

func publicArticles(s *Service) public[record.ArticleVersion, record.PublicArticle] {
	return public[record.ArticleVersion, record.PublicArticle]{
		func() *Kind { return s.Articles }, &published.ArticleVersions.Table, withdrawn.Versions, &published.Articles.Table, withdrawn.Tombstones, &s.ArticleDocs,
		func(v *record.ArticleVersion, old *record.PublicArticle, at time.Time) *record.PublicArticle {
			head := &record.PublicArticle{
				ID: v.ArticleID, Latest: v.Version, Type: v.Type, GroupID: v.GroupID, InstitutionID: v.InstitutionID,
				ProjectID: v.ProjectID, First: v.First, Published: v.Published, Modified: v.Modified,
				Oldest: v.Version, DownloadDisabled: v.DownloadDisabled, Changed: at, Categories: v.Categories, Foreign: v.Origin != "",
			}
			if old != nil {
				head.Oldest, head.Skipped = old.Oldest, old.Skipped.Between(old.Latest, v.Version)
			}
			return head
		}, (*record.PublicArticle).Sets,
	}
}

func publicCollections(s *Service) public[record.CollectionVersion, record.PublicCollection] {
	return public[record.CollectionVersion, record.PublicCollection]{
		func() *Kind { return s.Collections }, &published.CollectionVersions.Table, withdrawn.Collections, &published.Collections.Table, withdrawn.CollectionTombstones, &s.CollectionDocs,
		func(v *record.CollectionVersion, old *record.PublicCollection, at time.Time) *record.PublicCollection {
			head := &record.PublicCollection{
				ID: v.CollectionID, Latest: v.Version, GroupID: v.GroupID, InstitutionID: v.InstitutionID,
				First: v.First, Published: v.Published, Modified: v.Modified, Oldest: v.Version,
				Changed: at, Categories: v.Categories, Foreign: v.Origin != "",
			}
			if old != nil {
				head.Oldest, head.Skipped = old.Oldest, old.Skipped.Between(old.Latest, v.Version)
			}
			return head
		}, (*record.PublicCollection).Sets,
	}
}

// VersionKey is where a version of an article stands.
func VersionKey(v *record.ArticleVersion) bucket.Pair {
	return bucket.Pair{A: v.ArticleID, B: int64(v.Version)}
}

// Correct writes a body to a public version, whose files and working copy stay as they are. may
// tells whether the version may be stored with what the body says.
func (s *Service) Correct(c *Caller, tx *bucket.Tx, v *record.ArticleVersion, body *record.VersionBody, may func() error) error {
	if body.Authors != nil && len(*body.Authors) == 0 {
		return record.ErrMissingAuthors
	}
	if err := body.CheckNotes(); err != nil {
		return err
	}
	weight, before := v.Weight(len(v.Authors)), v.Authors
	draft := &record.Article{Working: record.Working{ID: v.ArticleID, Metadata: v.Metadata}, Files: v.Files}
	if err := s.Apply(c, tx, draft, &body.ArticleBody); err != nil {
		return err
	}
	v.Metadata = draft.Metadata
	if err := may(); err != nil { // in the group that it comes into
		return err
	}
	body.ApplyNotes(v)
	if body.CustomFields != nil || body.CustomFieldsList != nil { // by the definitions of now
		if err := s.Articles.Complete(tx, &v.Metadata); err != nil {
			return err
		}
	}
	if body.Authors != nil {
		var err error
		if v.Authors, err = People(tx, draft.Authors); err != nil {
			return err
		}
		if err := makePublic(tx, v.Authors); err != nil {
			return err
		}
	}
	if v.Weight(len(v.Authors)) == weight {
		return s.PutCorrected(tx, nil, v, weight, before)
	}
	art, err := working.Articles.Get(tx, v.ArticleID)
	if err != nil {
		return err
	}
	if err := s.PutCorrected(tx, art, v, weight, before); err != nil {
		return err
	}
	return working.Articles.Put(tx, art.ID, art)
}

// PutCorrected stores a public version that says something else now, of an article that the caller stores. weight and before
// are what it counted and who its authors were. The article may be nil where the weight is the same.
func (s *Service) PutCorrected(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, weight int64, before []record.Person) error {
	if is := v.Weight(len(v.Authors)); is != weight {
		if err := s.weighVersion(tx, &art.Working, is, weight); err != nil {
			return err
		}
	}
	if err := s.PutVersion(tx, v); err != nil {
		return err
	}
	return unname(tx, before)
}

// PutVersion stores a public version that was changed now, with its documents, and what
// lists and searches know of it when it is the latest.
func (s *Service) PutVersion(tx *bucket.Tx, v *record.ArticleVersion) error {
	v.Modified = tx.Now()
	if err := published.ArticleVersions.Put(tx, VersionKey(v), v); err != nil {
		return err
	}
	head, err := published.Articles.Get(tx, v.ArticleID)
	if err != nil {
		return err
	}
	if head.Latest == v.Version {
		head.Type, head.GroupID, head.Modified = v.Type, v.GroupID, v.Modified
		head.Changed, head.Categories = tx.Now(), v.Categories
		head.DownloadDisabled = v.DownloadDisabled
		if err := published.Articles.Put(tx, v.ArticleID, head); err != nil {
			return err
		}
		if err := counting.Cite(tx, s.Articles.Item(v.ArticleID), v.DOI, v.Citation()); err != nil {
			return err
		}
	}
	return s.ArticleDocs.store(tx, v)
}

// PutThumb stores a public version whose thumbnail was changed. Where readers see nothing of the
// files, they do not see a change either.
func (s *Service) PutThumb(tx *bucket.Tx, v *record.ArticleVersion) error {
	if v.HidesFiles() || !published.Articles.Has(tx, v.ArticleID) {
		return published.ArticleVersions.Put(tx, VersionKey(v), v)
	}
	return s.PutVersion(tx, v)
}
