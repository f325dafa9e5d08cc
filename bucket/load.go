package bucket

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"alcove/record"
)

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
