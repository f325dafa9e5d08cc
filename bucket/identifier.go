package bucket

import (
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"alcove/record"
)

// The identifiers of items, so that a DOI or a handle names one of them only. Most have what the
// server numbered them with, which ends with a dot and their id: those are found by that id,
// and cost no entry of an index. The indexes have the others.
var (
	articlesByIdentifier    = addIndex(Articles, "identifier", 1, func(a *record.Article) []IndexEntry { return unlikeID(&a.Working) })
	collectionsByIdentifier = addIndex(Collections, "identifier", 1, func(c *record.Collection) []IndexEntry { return unlikeID(&c.Working) })
	// Of versions VersionsByDOI and VersionsByHandle have all but DOIs that end like that of
	// a version.
	versionsByIdentifier           = addIndex(&ArticleVersions.Table, "identifier", 1, func(v *record.ArticleVersion) []IndexEntry { return versionLike(&v.Metadata) })
	collectionVersionsByIdentifier = addIndex(&CollectionVersions.Table, "identifier", 1, func(v *record.CollectionVersion) []IndexEntry { return versionLike(&v.Metadata) })
	heldByIdentifier               = addIndex(HeldVersions, "identifier", 1, func(v *record.ArticleVersion) []IndexEntry { return identifiers(&v.Metadata) })
	submissionsByIdentifier        = addIndex(Submissions, "identifier", 1, func(v *record.ArticleVersion) []IndexEntry { return identifiers(&v.Metadata) })
)

func identifiers(m *record.Metadata) (entries []IndexEntry) {
	for _, name := range m.Identifiers() {
		entries = append(entries, IndexEntry{Sort: SortKey(name)})
	}
	return entries
}

func unlikeID(w *record.Working) (entries []IndexEntry) {
	tail := "." + strconv.FormatInt(w.ID, 10)
	for _, name := range w.Identifiers() {
		if !strings.HasSuffix(name, tail) {
			entries = append(entries, IndexEntry{Sort: SortKey(name)})
		}
	}
	return entries
}

func versionLike(m *record.Metadata) (entries []IndexEntry) {
	last := ""
	for _, doi := range []string{m.DOI, m.VersionDOI} {
		if item := record.ItemDOI(doi); item != record.BareDOI(doi) && item != last {
			entries = append(entries, IndexEntry{Sort: SortKey(item)})
			last = item
		}
	}
	return entries
}

// holder finds the items that have an identifier, in an index of it. Without all it does not see
// what the transaction has left for later.
type holder func(tx *Tx, sort []byte, all bool) iter.Seq[Pair]

func holding[K, R any](ix *Index[K, R], item func(K) Pair) holder {
	return func(tx *Tx, sort []byte, all bool) iter.Seq[Pair] {
		hits := ix.Ascending(tx, sort)
		if !all {
			hits = ix.peekAscending(tx, sort)
		}
		return func(yield func(Pair) bool) {
			for hit := range hits {
				if !yield(item(hit.Key)) {
					return
				}
			}
		}
	}
}

func articleOf(id int64) Pair         { return Pair{KindArticle, id} }
func collectionOf(id int64) Pair      { return Pair{KindCollection, id} }
func articleOfVersion(v Pair) Pair    { return Pair{KindArticle, v.A} }
func collectionOfVersion(v Pair) Pair { return Pair{KindCollection, v.A} }

var (
	publicHolders = []holder{
		holding(VersionsByDOI.ix, articleOfVersion), holding(VersionsByHandle.ix, articleOfVersion), holding(versionsByIdentifier, articleOfVersion),
		holding(CollectionVersionsByDOI.ix, collectionOfVersion), holding(CollectionVersionsByHandle.ix, collectionOfVersion),
		holding(collectionVersionsByIdentifier, collectionOfVersion),
	}
	otherHolders = []holder{
		holding(articlesByIdentifier, articleOf), holding(collectionsByIdentifier, collectionOf),
		holding(heldByIdentifier, articleOf), holding(WithdrawnByIdentifier, articleOfVersion),
		holding(WithdrawnCollectionsByIdentifier, collectionOfVersion),
	}
)

// elsewhere reports whether one of some holders knows another item.
func elsewhere(tx *Tx, name string, item Pair, all bool, in ...holder) bool {
	for _, h := range in {
		for at := range h(tx, SortKey(name), all) {
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
func IdentifiedElsewhere(tx *Tx, name string, item Pair) (bool, error) {
	if elsewhere(tx, name, item, true, publicHolders...) || elsewhere(tx, name, item, true, otherHolders...) {
		return true, nil
	}
	for hit := range submissionsByIdentifier.Ascending(tx, SortKey(name)) {
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
func PublishedElsewhere(tx *Tx, name string, item Pair) bool {
	return elsewhere(tx, name, item, false, publicHolders...)
}

// GivenElsewhere is IdentifiedElsewhere for an identifier that ends with the item's own id, with
// the limit of PublishedElsewhere: who gives such an identifier to another item stores that
// with Put.
func GivenElsewhere(tx *Tx, name string, item Pair) bool {
	return PublishedElsewhere(tx, name, item) || elsewhere(tx, name, item, false, otherHolders...)
}

// numberedElsewhere looks at the working copies whose id an identifier ends with.
func numberedElsewhere(tx *Tx, name string, item Pair) (bool, error) {
	id, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 10, 64)
	if err != nil || id <= 0 {
		return false, nil
	}
	art, err := Articles.Get(tx, id)
	if err == nil && item != articleOf(id) && slices.Contains(art.Identifiers(), name) {
		return true, nil
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return false, err
	}
	col, err := Collections.Get(tx, id)
	if err == nil && item != collectionOf(id) && slices.Contains(col.Identifiers(), name) {
		return true, nil
	}
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return false, err
}

// Loads has the lines of bulk loads that have become items, so that loading them again
// makes none. It tells nothing that a record does not, so it is not in the change log.
// The keys are those of cli/load: the account that loads, and the id of the line.
var Loads = &Table[string, record.Load]{name: "loads", codec: nameKeys, quiet: true}

var (
	articlesByOldPath    = addIndex(Articles, "old_path", 1, func(a *record.Article) []IndexEntry { return oldPaths(&a.Working) })
	collectionsByOldPath = addIndex(Collections, "old_path", 1, func(c *record.Collection) []IndexEntry { return oldPaths(&c.Working) })
)

func oldPaths(w *record.Working) (entries []IndexEntry) {
	for _, path := range w.OldPaths {
		entries = append(entries, IndexEntry{Sort: SortKey(path)})
	}
	return entries
}

// ByOldPath is the item, kind and id, that readers found at a path before (record.OldPath).
func ByOldPath(tx *Tx, path string) (Pair, bool) {
	if id, ok := articlesByOldPath.First(tx, SortKey(path)); ok {
		return articleOf(id), true
	}
	id, ok := collectionsByOldPath.First(tx, SortKey(path))
	return collectionOf(id), ok
}

// articleHolders know what identifies articles that were not withdrawn.
var articleHolders = []holder{
	holding(VersionsByDOI.ix, articleOfVersion), holding(VersionsByHandle.ix, articleOfVersion), holding(versionsByIdentifier, articleOfVersion),
	holding(articlesByIdentifier, articleOf), holding(heldByIdentifier, articleOf),
}

// IdentifiedArticle is the article with an identifier, public or not: a DOI, that of a version,
// or a handle, as record.BareDOI or record.BareHandle has it.
func IdentifiedArticle(tx *Tx, name string) (id int64, found bool, err error) {
	names := []string{name}
	if item := record.ItemDOI(name); item != name {
		names = append(names, item)
	}
	for _, name := range names {
		for _, h := range articleHolders {
			for at := range h(tx, SortKey(name), true) {
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
		if err != nil && !errors.Is(err, ErrNotFound) {
			return 0, false, err
		}
	}
	return 0, false, nil
}
