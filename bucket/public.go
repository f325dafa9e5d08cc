package bucket

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc64"
	"iter"
	"slices"
	"strings"
	"time"

	"alcove/bucket/kv"
	"alcove/record"
)

// Orders of public items. The value of each is the item's Facts, so that a list can
// filter without reading a record.
var (
	// PublicByPublished sorts public articles by publication.
	PublicByPublished = articleOrder("published", func(a *record.PublicArticle) []byte { return SortKey(a.Published) })
	// PublicByModified sorts public articles by their last change.
	PublicByModified = articleOrder("modified", func(a *record.PublicArticle) []byte { return SortKey(a.Modified) })
	// PublicByType and PublicByGroup sort the public articles of a type, and of a group, by
	// publication.
	PublicByType  = articleOrder("type", func(a *record.PublicArticle) []byte { return SortKey(a.Type, a.Published) })
	PublicByGroup = articleOrder("group", func(a *record.PublicArticle) []byte { return SortKey(a.GroupID, a.Published) })
	// PublicByProject sorts the public articles of a project by publication.
	PublicByProject = articleOrder("project", func(a *record.PublicArticle) []byte {
		if a.ProjectID == 0 {
			return nil
		}
		return SortKey(a.ProjectID, a.Published)
	})
	// PublicWithoutDownloads has the public articles whose latest version switches downloads off.
	PublicWithoutDownloads = PublicIndex[int64, record.PublicArticle]{addIndex(&PublicArticles.Table, "without_downloads", 1, func(a *record.PublicArticle) []IndexEntry {
		if !a.DownloadDisabled {
			return nil
		}
		return []IndexEntry{{Sort: []byte{}}}
	})}
	// PublicFacts finds the Facts of a public article by its id.
	PublicFacts = byID(&PublicArticles.Table, KindArticle, articleFacts)
	// PublicByViews and those that follow sort public articles by what is counted of them.
	PublicByViews     = byCount(&PublicArticles.Table, KindArticle, "views", views, articleFacts)
	PublicByShares    = byCount(&PublicArticles.Table, KindArticle, "shares", shares, articleFacts)
	PublicByDownloads = byCount(&PublicArticles.Table, KindArticle, "downloads", downloads, articleFacts)
	PublicByCites     = byCount(&PublicArticles.Table, KindArticle, "cites", cites, articleFacts)

	// PublicCollectionsByPublished sorts public collections by publication.
	PublicCollectionsByPublished = collectionOrder("published", func(c *record.PublicCollection) []byte { return SortKey(c.Published) })
	// PublicCollectionsByModified sorts public collections by their last change.
	PublicCollectionsByModified = collectionOrder("modified", func(c *record.PublicCollection) []byte { return SortKey(c.Modified) })
	// PublicCollectionsByGroup sorts the public collections of a group by publication.
	PublicCollectionsByGroup = collectionOrder("group", func(c *record.PublicCollection) []byte { return SortKey(c.GroupID, c.Published) })
	// PublicCollectionFacts finds the Facts of a public collection by its id.
	PublicCollectionFacts = byID(&PublicCollections.Table, KindCollection, collectionFacts)
	// PublicCollectionsByViews and those that follow sort public collections by what is
	// counted of them.
	PublicCollectionsByViews  = byCount(&PublicCollections.Table, KindCollection, "views", views, collectionFacts)
	PublicCollectionsByShares = byCount(&PublicCollections.Table, KindCollection, "shares", shares, collectionFacts)
	PublicCollectionsByCites  = byCount(&PublicCollections.Table, KindCollection, "cites", cites, collectionFacts)

	// ProjectsByPublished sorts public projects, which have no versions, by publication.
	ProjectsByPublished = projectOrder("published", func(p *record.PublicProject) []byte { return SortKey(p.Published) })
	// ProjectsByModified sorts public projects by their last change.
	ProjectsByModified = projectOrder("modified", func(p *record.PublicProject) []byte { return SortKey(p.Modified) })
	// ProjectsByGroup sorts the public projects of a group by publication.
	ProjectsByGroup = projectOrder("group", func(p *record.PublicProject) []byte { return SortKey(p.GroupID, p.Published) })
	// PublicProjectFacts finds the Facts of a public project by its id.
	PublicProjectFacts = byID(&PublicProjects.Table, KindProject, projectFacts)
	// ProjectsByViews sorts public projects by their views.
	ProjectsByViews = byCount(&PublicProjects.Table, KindProject, "views", views, projectFacts)
)

// Public versions by what identifies them, in the form in which it is compared: DOIs
// bare (record.BareDOI), handles too (record.BareHandle).
var (
	// VersionsByDOI has the DOI of the item and, with a value, that of the version alone where
	// it brought one along.
	VersionsByDOI         = PublicIndex[Pair, record.ArticleVersion]{addIndex(&ArticleVersions.Table, "doi", 1, func(v *record.ArticleVersion) []IndexEntry { return versionDOIs(&v.Metadata) })}
	VersionsByResourceDOI = byIdentifier(&ArticleVersions.Table, "resource_doi", 1, func(v *record.ArticleVersion) string { return record.BareDOI(v.ResourceDOI) })
	// VersionsByResource has the resource_id as it was sent.
	VersionsByResource = byIdentifier(&ArticleVersions.Table, "resource", 1, func(v *record.ArticleVersion) string { return v.ResourceID })
	VersionsByHandle   = byIdentifier(&ArticleVersions.Table, "handle", 2, func(v *record.ArticleVersion) string { return record.BareHandle(v.Handle) })

	// CollectionVersionsByDOI is VersionsByDOI of collections.
	CollectionVersionsByDOI         = PublicIndex[Pair, record.CollectionVersion]{addIndex(&CollectionVersions.Table, "doi", 1, func(v *record.CollectionVersion) []IndexEntry { return versionDOIs(&v.Metadata) })}
	CollectionVersionsByResourceDOI = byIdentifier(&CollectionVersions.Table, "resource_doi", 1, func(v *record.CollectionVersion) string { return record.BareDOI(v.ResourceDOI) })
	CollectionVersionsByHandle      = byIdentifier(&CollectionVersions.Table, "handle", 2, func(v *record.CollectionVersion) string { return record.BareHandle(v.Handle) })
)

// versionDOIs are the entries of a version in VersionsByDOI.
func versionDOIs(m *record.Metadata) (entries []IndexEntry) {
	item, own := record.BareDOI(m.DOI), record.BareDOI(m.VersionDOI)
	if item != "" {
		entries = append(entries, IndexEntry{Sort: SortKey(item)})
	}
	if own != "" && own != item {
		entries = append(entries, IndexEntry{Sort: SortKey(own), Value: []byte{1}})
	}
	return entries
}

// CollectionVersionGrants has the public versions of a collection that name grants, by their
// number; the value is IndexedTitles. A list of versions so reads no version.
var CollectionVersionGrants = PublicIndex[Pair, record.CollectionVersion]{addIndex(&CollectionVersions.Table, "grants", 1, func(v *record.CollectionVersion) []IndexEntry {
	titles := v.GrantTitles()
	if len(titles) == 0 {
		return nil
	}
	value, err := json.Marshal(titles)
	if err != nil {
		panic(err) // texts always encode
	}
	return []IndexEntry{{Sort: SortKey(v.CollectionID, int64(v.Version)), Value: value}}
})}

// IndexedTitles are the titles of grants that a value of CollectionVersionGrants holds.
func IndexedTitles(value []byte) (titles []string, err error) {
	if err := json.Unmarshal(value, &titles); err != nil {
		return nil, fmt.Errorf("cannot read the grants of a version: %w", err)
	}
	return titles, nil
}

func articleOrder(name string, sort func(*record.PublicArticle) []byte) PublicIndex[int64, record.PublicArticle] {
	return publicOrder(&PublicArticles.Table, name, sort, articleFacts)
}

func articleFacts(a *record.PublicArticle) Facts {
	return Facts{Published: a.Published, Modified: a.Modified, Type: a.Type, Institution: a.InstitutionID, Group: a.GroupID, Project: a.ProjectID, Version: int64(a.Latest)}
}

func collectionOrder(name string, sort func(*record.PublicCollection) []byte) PublicIndex[int64, record.PublicCollection] {
	return publicOrder(&PublicCollections.Table, name, sort, collectionFacts)
}

func collectionFacts(c *record.PublicCollection) Facts {
	return Facts{Published: c.Published, Modified: c.Modified, Institution: c.InstitutionID, Group: c.GroupID, Version: int64(c.Latest)}
}

func projectOrder(name string, sort func(*record.PublicProject) []byte) PublicIndex[int64, record.PublicProject] {
	return publicOrder(&PublicProjects.Table, name, sort, projectFacts)
}

func projectFacts(p *record.PublicProject) Facts {
	return Facts{Published: p.Published, Modified: p.Modified, Institution: p.InstitutionID, Group: p.GroupID, Version: 1}
}

// publicOrder is an index with Facts. Items without a sort key are not in it.
func publicOrder[R any](t *Table[int64, R], name string, sort func(*R) []byte, facts func(*R) Facts) PublicIndex[int64, R] {
	return PublicIndex[int64, R]{addIndex(t, name, 3, func(r *R) []IndexEntry {
		key := sort(r)
		if key == nil {
			return nil
		}
		return []IndexEntry{{Sort: key, Value: facts(r).Bytes()}}
	})}
}

// byCount is an order by what is counted, with Facts. Every item is in it.
func byCount[R any](t *Table[int64, R], kind int64, name string, of func(record.Counts) int64, facts func(*R) Facts) PublicIndex[int64, R] {
	ix := addIndex(t, name, 2, nil)
	ix.kind, ix.counted = kind, func(c record.Counts, r *R) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(of(c)), Value: facts(r).Bytes()}}
	}
	return PublicIndex[int64, R]{ix}
}

func views(c record.Counts) int64     { return c.Views }
func shares(c record.Counts) int64    { return c.Shares }
func downloads(c record.Counts) int64 { return c.Downloads }
func cites(c record.Counts) int64     { return c.Cites }

// byID is an index without sort keys, of Facts with the counts behind them.
func byID[R any](t *Table[int64, R], kind int64, facts func(*R) Facts) PublicIndex[int64, R] {
	ix := addIndex(t, "facts", 4, nil)
	ix.kind, ix.counted = kind, func(c record.Counts, r *R) []IndexEntry {
		return []IndexEntry{{Sort: []byte{}, Value: append(facts(r).Bytes(), countBytes(c)...)}}
	}
	return PublicIndex[int64, R]{ix}
}

// byIdentifier is an index of versions by an identifier; those without one are not in it.
func byIdentifier[R any](t *Table[Pair, R], name string, version int, of func(*R) string) PublicIndex[Pair, R] {
	return PublicIndex[Pair, R]{addIndex(t, name, version, func(r *R) []IndexEntry {
		text := of(r)
		if text == "" {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(text)}}
	})}
}

// Walk is Index.Walk.
func (p PublicIndex[K, R]) Walk(tx Reader, prefix, from []byte, ascending bool) iter.Seq[Hit[K]] {
	return p.ix.Walk(tx.reader(), prefix, from, ascending)
}

// Facts are the Facts of the item with an id, its counts among them, in an index whose
// sort keys are empty.
func (p PublicIndex[K, R]) Facts(tx Reader, id int64) (Facts, bool) {
	v := p.ix.get(tx.reader(), intKeys.enc(id))
	if v == nil {
		return Facts{}, false
	}
	f := IndexedFacts(v[1:])
	f.Counts = indexedCounts(v[1+factBytes:])
	return f, true
}

// publicKinds are the tables whose changes readers see.
var publicKinds = map[string]bool{}

func init() {
	for _, t := range []stored{
		&PublicArticles.Table, &ArticleVersions.Table, &PublicFiles.Table,
		&PublicCollections.Table, &CollectionVersions.Table, &PublicProjects.Table,
	} {
		publicKinds[t.bucketName()[len("r:"):]] = true
	}
}

// LastPublicChange is the time of the last committed change of what is public, zero when there was
// none. Private changes do not move it, so that lists tell nothing of them. After a start it may be
// later than that change, when very many private ones followed it.
func (db *DB) LastPublicChange() time.Time {
	if n := db.public.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// publicLooked is how many entries of the log a start looks at for the last public change.
const publicLooked = 100_000

// readPublicChange looks for the last public change from the end of the log. An entry that is damaged
// is passed over: a check names it, and the store is opened all the same.
func (db *DB) readPublicChange(b kv.Tx) {
	n := 0
	for k, v := range b.Bucket(logBucket).Descend(nil) {
		n++
		if change, err := decodeChange(k, v); err == nil && (publicKinds[change.Table] || n >= publicLooked) {
			db.public.Store(change.Time.UnixNano())
			return
		}
	}
}

// versionSpan is which public versions have a file, as the value of an index: a list passes
// over what is in none of its versions without reading it.
func versionSpan(added, removed int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(added))
	return binary.BigEndian.AppendUint32(b, uint32(removed))
}

// InVersion reports whether a file belongs to a public version, by the value that
// PublicFilesByArticle and PublicFilesByFolder have of it.
func InVersion(value []byte, version int) bool {
	f := record.PublicFile{Added: int(binary.BigEndian.Uint32(value)), Removed: int(binary.BigEndian.Uint32(value[4:]))}
	return f.In(version)
}

// FolderKey is what the sort keys of PublicFilesByFolder begin with for a folder of an article and
// all folders in it. A blank text follows for the files of the folder itself, then their name.
func FolderKey(article int64, folder string) []byte {
	key := SortKey(article)
	for name := range strings.SplitSeq(folder, "/") {
		if name != "" {
			key = append(key, SortKey(name)...)
		}
	}
	return key
}

// IndexedSize is the size in bytes of a file, by the value that PublicFilesByFolder has of it.
func IndexedSize(value []byte) int64 { return int64(binary.BigEndian.Uint64(value[8:])) }

var crcTable = crc64.MakeTable(crc64.ECMA)

// VersionsLettingIn sorts, by article, the public versions that withhold their files from all
// but some. Versions with the same value let in the same people, so that who is to be let in
// is asked once for each value, however many versions there are.
var VersionsLettingIn = addIndex(&ArticleVersions.Table, "letting_in", 1, func(v *record.ArticleVersion) []IndexEntry {
	if !v.HidesFiles() || len(v.Embargo.Options) == 0 {
		return nil
	}
	who, err := json.Marshal([]any{v.Embargo.Options, v.InstitutionID, v.GroupID})
	if err != nil { // these can always be encoded
		who = binary.BigEndian.AppendUint64(nil, uint64(v.Version))
	}
	return []IndexEntry{{Sort: SortKey(v.ArticleID), Value: binary.BigEndian.AppendUint64(nil, crc64.Checksum(who, crcTable))}}
})

// Arranged are entries of the files of an article as a person has ordered them: those of the ids in order first, then
// the others. made yields them as they were made, behind the place of one; that is the answer where there is no order.
// With behind it begins behind that file.
func Arranged(order []int64, behind int64, made func(behind int64) iter.Seq[Hit[int64]]) iter.Seq[Hit[int64]] {
	if len(order) == 0 {
		return made(behind)
	}
	return func(yield func(Hit[int64]) bool) {
		var hits []Hit[int64]
		for hit := range made(0) {
			hits = append(hits, Hit[int64]{Key: hit.Key, Value: slices.Clone(hit.Value)})
		}
		Arrange(order, hits, func(hit Hit[int64]) int64 { return hit.Key })
		from := 0
		if behind != 0 {
			from = slices.IndexFunc(hits, func(hit Hit[int64]) bool { return hit.Key == behind }) + 1
		}
		for _, hit := range hits[from:] {
			if !yield(hit) {
				return
			}
		}
	}
}

// Arrange puts what has the ids of files in the order of those ids, and what that does not name behind it, as it was.
func Arrange[T any](order []int64, list []T, id func(T) int64) {
	if len(order) == 0 {
		return
	}
	places := make(map[int64]int, len(order))
	for i, one := range order {
		places[one] = i + 1
	}
	place := func(one T) int {
		if at := places[id(one)]; at > 0 {
			return at
		}
		return len(order) + 1
	}
	slices.SortStableFunc(list, func(a, b T) int { return place(a) - place(b) })
}
