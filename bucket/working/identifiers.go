package working

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/bucket/published"
	"alcove/bucket/withdrawn"
	"alcove/record"
)

func unlikeID(w *record.Working) (entries []bucket.IndexEntry) {
	tail := "." + strconv.FormatInt(w.ID, 10)
	for _, name := range w.Identifiers() {
		if !strings.HasSuffix(name, tail) {
			entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(name)})
		}
	}
	return entries
}

func versionLike(m *record.Metadata) (entries []bucket.IndexEntry) {
	last := ""
	for _, doi := range []string{m.DOI, m.VersionDOI} {
		if item := record.ItemDOI(doi); item != record.BareDOI(doi) && item != last {
			entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(item)})
			last = item
		}
	}
	return entries
}

// holder finds the items that have an identifier, in an index of it. Without all it does not see
// what the transaction has left for later.
type holder func(tx *bucket.Tx, sort []byte, all bool) iter.Seq[bucket.Pair]

func holding[K any](ix *bucket.Index[K], item func(K) bucket.Pair) holder {
	return func(tx *bucket.Tx, sort []byte, all bool) iter.Seq[bucket.Pair] {
		hits := ix.Ascending(tx, sort)
		if !all {
			hits = ix.PeekAscending(tx, sort)
		}
		return func(yield func(bucket.Pair) bool) {
			for hit := range hits {
				if !yield(item(hit.Key)) {
					return
				}
			}
		}
	}
}

func articleOf(id int64) bucket.Pair { return bucket.Pair{A: record.KindArticle, B: id} }

func collectionOf(id int64) bucket.Pair { return bucket.Pair{A: record.KindCollection, B: id} }

func articleOfVersion(v bucket.Pair) bucket.Pair { return bucket.Pair{A: record.KindArticle, B: v.A} }

func collectionOfVersion(v bucket.Pair) bucket.Pair {
	return bucket.Pair{A: record.KindCollection, B: v.A}
}

// elsewhere reports whether one of some holders knows another item.
func elsewhere(tx *bucket.Tx, name string, item bucket.Pair, all bool, in ...holder) bool {
	for _, h := range in {
		for at := range h(tx, bucket.SortKey(name), all) {
			if at != item {
				return true
			}
		}
	}
	return false
}

// IdentifiedElsewhere reports whether an item other than one (kind and id) has an identifier,
// which is in the form of record.Metadata.Identifiers: in its working copy, in a version that is
// public or was withdrawn, in what waits for the end of an embargo or for a review.
func IdentifiedElsewhere(tx *bucket.Tx, name string, item bucket.Pair) (bool, error) {
	if elsewhere(tx, name, item, true, publicHolders...) || elsewhere(tx, name, item, true, otherHolders...) {
		return true, nil
	}
	for hit := range submissionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
		r, err := Reviews.Get(tx, hit.Key)
		if err != nil {
			return false, err
		}
		if r.Status == record.ReviewPending && item != articleOf(r.ArticleID) {
			return true, nil
		}
	}
	return numberedElsewhere(tx, name, item)
}

// PublishedElsewhere is IdentifiedElsewhere of versions that are public. It does not see what the
// transaction has left for later, as waiting for that would take the preparation of
// publications from the other goroutines.
func PublishedElsewhere(tx *bucket.Tx, name string, item bucket.Pair) bool {
	return elsewhere(tx, name, item, false, publicHolders...)
}

// GivenElsewhere is IdentifiedElsewhere for an identifier that ends with the item's own id, with
// the limit of PublishedElsewhere: who gives such an identifier to another item stores that
// with Put.
func GivenElsewhere(tx *bucket.Tx, name string, item bucket.Pair) bool {
	return PublishedElsewhere(tx, name, item) || elsewhere(tx, name, item, false, otherHolders...)
}

// numberedElsewhere looks at the working copies whose id an identifier ends with.
func numberedElsewhere(tx *bucket.Tx, name string, item bucket.Pair) (bool, error) {
	id, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 10, 64)
	if err != nil || id <= 0 {
		return false, nil
	}
	art, err := Articles.Get(tx, id)
	if err == nil && item != articleOf(id) && slices.Contains(art.Identifiers(), name) {
		return true, nil
	}
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return false, err
	}
	col, err := Collections.Get(tx, id)
	if err == nil && item != collectionOf(id) && slices.Contains(col.Identifiers(), name) {
		return true, nil
	}
	if errors.Is(err, bucket.ErrNotFound) {
		err = nil
	}
	return false, err
}

// Loads has the lines of bulk loads that have become items, so that loading them again
// makes none. It tells nothing that a record does not, so it is not in the change log.
// The keys are those of cli/load: the account that loads, and the id of the line.
var Loads = bucket.ByName[record.Load]("loads").Unlogged()

func oldPaths(w *record.Working) (entries []bucket.IndexEntry) {
	for _, path := range w.OldPaths {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(path)})
	}
	return entries
}

// ByOldPath is the item, kind and id, that readers found at a path before (record.OldPath).
func ByOldPath(tx *bucket.Tx, path string) (bucket.Pair, bool) {
	if id, ok := articlesByOldPath.First(tx, bucket.SortKey(path)); ok {
		return articleOf(id), true
	}
	id, ok := collectionsByOldPath.First(tx, bucket.SortKey(path))
	return collectionOf(id), ok
}

// articleHolders know what identifies articles that were not withdrawn.
var articleHolders = []holder{
	holding(published.VersionsByDOI.Index(), articleOfVersion), holding(published.VersionsByHandle.Index(), articleOfVersion), holding(versionsByIdentifier, articleOfVersion),
	holding(articlesByIdentifier, articleOf), holding(heldByIdentifier, articleOf),
}

// IdentifiedArticle is the article with an identifier, public or not: a DOI, that of a version,
// or a handle, as record.BareDOI or record.BareHandle has it.
func IdentifiedArticle(tx *bucket.Tx, name string) (id int64, found bool, err error) {
	names := []string{name}
	if item := record.ItemDOI(name); item != name {
		names = append(names, item)
	}
	for _, name := range names {
		for _, h := range articleHolders {
			for at := range h(tx, bucket.SortKey(name), true) {
				return at.B, true, nil
			}
		}
		id, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 10, 64)
		if err != nil {
			continue
		}
		art, err := Articles.Get(tx, id)
		if err == nil && slices.Contains(art.Identifiers(), name) {
			return id, true, nil
		}
		if err != nil && !errors.Is(err, bucket.ErrNotFound) {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// The identifiers of items, so that a DOI or a handle names one of them only. Most have what the
// server numbered them with, which ends with a dot and their id: those are found by that id,
// and cost no entry of an index. The indexes have the others.
var (
	articlesByIdentifier    = Articles.AddIndex("identifier", 1, func(a *record.Article) []bucket.IndexEntry { return unlikeID(&a.Working) })
	collectionsByIdentifier = Collections.AddIndex("identifier", 1, func(c *record.Collection) []bucket.IndexEntry { return unlikeID(&c.Working) })
	// Of versions VersionsByDOI and VersionsByHandle have all but DOIs that end like that of
	// a version.
	versionsByIdentifier           = published.ArticleVersions.Table.AddIndex("identifier", 1, func(v *record.ArticleVersion) []bucket.IndexEntry { return versionLike(&v.Metadata) })
	collectionVersionsByIdentifier = published.CollectionVersions.Table.AddIndex("identifier", 1, func(v *record.CollectionVersion) []bucket.IndexEntry { return versionLike(&v.Metadata) })
	heldByIdentifier               = HeldVersions.AddIndex("identifier", 1, func(v *record.ArticleVersion) []bucket.IndexEntry { return facts.Identifiers(&v.Metadata) })
	submissionsByIdentifier        = Submissions.AddIndex("identifier", 1, func(v *record.ArticleVersion) []bucket.IndexEntry { return facts.Identifiers(&v.Metadata) })

	publicHolders = []holder{
		holding(published.VersionsByDOI.Index(), articleOfVersion), holding(published.VersionsByHandle.Index(), articleOfVersion), holding(versionsByIdentifier, articleOfVersion),
		holding(published.CollectionVersionsByDOI.Index(), collectionOfVersion), holding(published.CollectionVersionsByHandle.Index(), collectionOfVersion),
		holding(collectionVersionsByIdentifier, collectionOfVersion),
	}
	otherHolders = []holder{
		holding(articlesByIdentifier, articleOf), holding(collectionsByIdentifier, collectionOf),
		holding(heldByIdentifier, articleOf), holding(withdrawn.VersionsByIdentifier, articleOfVersion),
		holding(withdrawn.CollectionsByIdentifier, collectionOfVersion),
	}

	articlesByOldPath    = Articles.AddIndex("old_path", 1, func(a *record.Article) []bucket.IndexEntry { return oldPaths(&a.Working) })
	collectionsByOldPath = Collections.AddIndex("old_path", 1, func(c *record.Collection) []bucket.IndexEntry { return oldPaths(&c.Working) })
)
