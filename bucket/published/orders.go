package published

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc64"

	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/record"
)

// Orders of public items. The value of each is the item's Facts, so that a list can
// filter without reading a record.
var (
	// ArticlesByPublished sorts public articles by publication.
	ArticlesByPublished = articleOrder("published", func(a *record.PublicArticle) []byte { return bucket.SortKey(a.Published) })
	// ArticlesByModified sorts public articles by their last change.
	ArticlesByModified = articleOrder("modified", func(a *record.PublicArticle) []byte { return bucket.SortKey(a.Modified) })
	// ArticlesByType and ArticlesByGroup sort the public articles of a type, and of a group, by
	// publication.
	ArticlesByType  = articleOrder("type", func(a *record.PublicArticle) []byte { return bucket.SortKey(a.Type, a.Published) })
	ArticlesByGroup = articleOrder("group", func(a *record.PublicArticle) []byte { return bucket.SortKey(a.GroupID, a.Published) })
	// ArticlesByProject sorts the public articles of a project by publication.
	ArticlesByProject = articleOrder("project", func(a *record.PublicArticle) []byte {
		if a.ProjectID == 0 {
			return nil
		}
		return bucket.SortKey(a.ProjectID, a.Published)
	})
	// ArticlesWithoutDownloads has the public articles whose latest version switches downloads off.
	ArticlesWithoutDownloads = Articles.AddIndex("without_downloads", 1, func(a *record.PublicArticle) []bucket.IndexEntry {
		if !a.DownloadDisabled {
			return nil
		}
		return []bucket.IndexEntry{{Sort: []byte{}}}
	})
	// ArticleFacts finds the Facts of a public article by its id.
	ArticleFacts = byID(Articles, record.KindArticle, articleFacts)
	// ArticlesByViews and those that follow sort public articles by what is counted of them.
	ArticlesByViews     = byCount(Articles, record.KindArticle, "views", record.Views, articleFacts)
	ArticlesByShares    = byCount(Articles, record.KindArticle, "shares", record.Shares, articleFacts)
	ArticlesByDownloads = byCount(Articles, record.KindArticle, "downloads", record.Downloads, articleFacts)
	ArticlesByCites     = byCount(Articles, record.KindArticle, "cites", record.Cites, articleFacts)

	// CollectionsByPublished sorts public collections by publication.
	CollectionsByPublished = collectionOrder("published", func(c *record.PublicCollection) []byte { return bucket.SortKey(c.Published) })
	// CollectionsByModified sorts public collections by their last change.
	CollectionsByModified = collectionOrder("modified", func(c *record.PublicCollection) []byte { return bucket.SortKey(c.Modified) })
	// CollectionsByGroup sorts the public collections of a group by publication.
	CollectionsByGroup = collectionOrder("group", func(c *record.PublicCollection) []byte { return bucket.SortKey(c.GroupID, c.Published) })
	// CollectionFacts finds the Facts of a public collection by its id.
	CollectionFacts = byID(Collections, record.KindCollection, collectionFacts)
	// CollectionsByViews and those that follow sort public collections by what is
	// counted of them.
	CollectionsByViews  = byCount(Collections, record.KindCollection, "views", record.Views, collectionFacts)
	CollectionsByShares = byCount(Collections, record.KindCollection, "shares", record.Shares, collectionFacts)
	CollectionsByCites  = byCount(Collections, record.KindCollection, "cites", record.Cites, collectionFacts)

	// ProjectsByPublished sorts public projects, which have no versions, by publication.
	ProjectsByPublished = projectOrder("published", func(p *record.PublicProject) []byte { return bucket.SortKey(p.Published) })
	// ProjectsByModified sorts public projects by their last change.
	ProjectsByModified = projectOrder("modified", func(p *record.PublicProject) []byte { return bucket.SortKey(p.Modified) })
	// ProjectsByGroup sorts the public projects of a group by publication.
	ProjectsByGroup = projectOrder("group", func(p *record.PublicProject) []byte { return bucket.SortKey(p.GroupID, p.Published) })
	// ProjectFacts finds the Facts of a public project by its id.
	ProjectFacts = byID(Projects, record.KindProject, projectFacts)
	// ProjectsByViews sorts public projects by their views.
	ProjectsByViews = byCount(Projects, record.KindProject, "views", record.Views, projectFacts)
)

// Public versions by what identifies them, in the form in which it is compared: DOIs
// bare (record.BareDOI), handles too (record.BareHandle).
var (
	// VersionsByDOI has the DOI of the item and, with a value, that of the version alone where
	// it brought one along.
	VersionsByDOI         = ArticleVersions.AddIndex("doi", 1, func(v *record.ArticleVersion) []bucket.IndexEntry { return versionDOIs(&v.Metadata) })
	VersionsByResourceDOI = byIdentifier(ArticleVersions, "resource_doi", 1, func(v *record.ArticleVersion) string { return record.BareDOI(v.ResourceDOI) })
	// VersionsByResource has the resource_id as it was sent.
	VersionsByResource = byIdentifier(ArticleVersions, "resource", 1, func(v *record.ArticleVersion) string { return v.ResourceID })
	VersionsByHandle   = byIdentifier(ArticleVersions, "handle", 2, func(v *record.ArticleVersion) string { return record.BareHandle(v.Handle) })

	// CollectionVersionsByDOI is VersionsByDOI of collections.
	CollectionVersionsByDOI         = CollectionVersions.AddIndex("doi", 1, func(v *record.CollectionVersion) []bucket.IndexEntry { return versionDOIs(&v.Metadata) })
	CollectionVersionsByResourceDOI = byIdentifier(CollectionVersions, "resource_doi", 1, func(v *record.CollectionVersion) string { return record.BareDOI(v.ResourceDOI) })
	CollectionVersionsByHandle      = byIdentifier(CollectionVersions, "handle", 2, func(v *record.CollectionVersion) string { return record.BareHandle(v.Handle) })
)

// Orders by which items are harvested: for each set of an item, and for all items under the set "", an entry whose sort
// key is the name of the set and when the item last changed here. An item that is withdrawn leaves the orders of public
// items, and its tombstone stands in those of the withdrawn. One that another repository publishes stands in none.
var (
	ArticlesByChange = Articles.AddIndex("change", 1, func(a *record.PublicArticle) []bucket.IndexEntry {
		return facts.Changes(a.Foreign, a.Sets(), a.ChangedAt())
	})
	CollectionsByChange = Collections.AddIndex("change", 1, func(c *record.PublicCollection) []bucket.IndexEntry {
		return facts.Changes(c.Foreign, c.Sets(), c.ChangedAt())
	})
)

// Public versions by the people that they name.
var (
	VersionsByAuthor = ArticleVersions.AddIndex("author", 1, func(v *record.ArticleVersion) []bucket.IndexEntry {
		return byPeople(v.Authors)
	})
	CollectionVersionsByAuthor = CollectionVersions.AddIndex("author", 1, func(v *record.CollectionVersion) []bucket.IndexEntry {
		return byPeople(v.Authors)
	})
)

// versionDOIs are the entries of a version in VersionsByDOI.
func versionDOIs(m *record.Metadata) (entries []bucket.IndexEntry) {
	item, own := record.BareDOI(m.DOI), record.BareDOI(m.VersionDOI)
	if item != "" {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(item)})
	}
	if own != "" && own != item {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(own), Value: []byte{1}})
	}
	return entries
}

// CollectionVersionGrants has the public versions of a collection that name grants, by their
// number; the value is IndexedTitles. A list of versions so reads no version.
var CollectionVersionGrants = CollectionVersions.AddIndex("grants", 1, func(v *record.CollectionVersion) []bucket.IndexEntry {
	titles := v.GrantTitles()
	if len(titles) == 0 {
		return nil
	}
	value, err := json.Marshal(titles)
	if err != nil {
		panic(err) // texts always encode
	}
	return []bucket.IndexEntry{{Sort: bucket.SortKey(v.CollectionID, int64(v.Version)), Value: value}}
})

// IndexedTitles are the titles of grants that a value of CollectionVersionGrants holds.
func IndexedTitles(value []byte) (titles []string, err error) {
	if err := json.Unmarshal(value, &titles); err != nil {
		return nil, fmt.Errorf("cannot read the grants of a version: %w", err)
	}
	return titles, nil
}

func articleOrder(name string, sort func(*record.PublicArticle) []byte) bucket.PublicIndex[int64] {
	return publicOrder(Articles, name, sort, articleFacts)
}

func articleFacts(a *record.PublicArticle) facts.Facts {
	return facts.Facts{Published: a.Published, Modified: a.Modified, Type: a.Type, Institution: a.InstitutionID, Group: a.GroupID, Project: a.ProjectID, Version: int64(a.Latest)}
}

func collectionOrder(name string, sort func(*record.PublicCollection) []byte) bucket.PublicIndex[int64] {
	return publicOrder(Collections, name, sort, collectionFacts)
}

func collectionFacts(c *record.PublicCollection) facts.Facts {
	return facts.Facts{Published: c.Published, Modified: c.Modified, Institution: c.InstitutionID, Group: c.GroupID, Version: int64(c.Latest)}
}

func projectOrder(name string, sort func(*record.PublicProject) []byte) bucket.PublicIndex[int64] {
	return publicOrder(Projects, name, sort, projectFacts)
}

func projectFacts(p *record.PublicProject) facts.Facts {
	return facts.Facts{Published: p.Published, Modified: p.Modified, Institution: p.InstitutionID, Group: p.GroupID, Version: 1}
}

// publicOrder is an index with Facts. Items without a sort key are not in it.
func publicOrder[R any](t *bucket.PublicTable[int64, R], name string, sort func(*R) []byte, facts func(*R) facts.Facts) bucket.PublicIndex[int64] {
	return t.AddIndex(name, 3, func(r *R) []bucket.IndexEntry {
		key := sort(r)
		if key == nil {
			return nil
		}
		return []bucket.IndexEntry{{Sort: key, Value: facts(r).Bytes()}}
	})
}

// byCount is an order by what is counted, with Facts. Every item is in it.
func byCount[R any](t *bucket.PublicTable[int64, R], kind int64, name string, counter record.Counter, facts func(*R) facts.Facts) bucket.PublicIndex[int64] {
	return t.AddCountedIndex(name, 2, countsIn(kind), func(c record.Counts, r *R) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(c.Of(counter)), Value: facts(r).Bytes()}}
	})
}

// FactsIndex is an index without sort keys, of Facts with the counts behind them.
type FactsIndex struct{ bucket.PublicIndex[int64] }

func byID[R any](t *bucket.PublicTable[int64, R], kind int64, facts func(*R) facts.Facts) FactsIndex {
	return FactsIndex{t.AddCountedIndex("facts", 4, countsIn(kind), func(c record.Counts, r *R) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: []byte{}, Value: facts(r).WithCounts(c)}}
	})}
}

// byIdentifier is an index of versions by an identifier; those without one are not in it.
func byIdentifier[R any](t *bucket.PublicTable[bucket.Pair, R], name string, version int, of func(*R) string) bucket.PublicIndex[bucket.Pair] {
	return t.AddIndex(name, version, func(r *R) []bucket.IndexEntry {
		text := of(r)
		if text == "" {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(text)}}
	})
}

// Facts are the Facts of the item with an id, its counts among them.
func (p FactsIndex) Facts(tx bucket.Reader, id int64) (facts.Facts, bool) {
	v := p.Value(tx, []byte{}, id)
	if v == nil {
		return facts.Facts{}, false
	}
	return facts.WithCounts(v), true
}

var crcTable = crc64.MakeTable(crc64.ECMA)

// VersionsLettingIn sorts, by article, the public versions that withhold their files from all
// but some. Versions with the same value let in the same people, so that who is to be let in
// is asked once for each value, however many versions there are.
var VersionsLettingIn = ArticleVersions.Table.AddIndex("letting_in", 1, func(v *record.ArticleVersion) []bucket.IndexEntry {
	if !v.HidesFiles() || len(v.Embargo.Options) == 0 {
		return nil
	}
	who, err := json.Marshal([]any{v.Embargo.Options, v.InstitutionID, v.GroupID})
	if err != nil { // these can always be encoded
		who = binary.BigEndian.AppendUint64(nil, uint64(v.Version))
	}
	return []bucket.IndexEntry{{Sort: bucket.SortKey(v.ArticleID), Value: binary.BigEndian.AppendUint64(nil, crc64.Checksum(who, crcTable))}}
})

func byPeople(authors []record.Person) (entries []bucket.IndexEntry) {
	for _, p := range authors {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(p.ID)})
	}
	return entries
}
