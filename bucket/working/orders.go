package working

import (
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/record"
)

// The owner of a private record stands in small indexes, so that a foreign one is refused
// without being read: it costs what an id costs that was never given.
var (
	ArticleOwners = bucket.AddOwners(Articles, func(a *record.Article) bucket.Owner {
		return bucket.Owner{Account: a.AccountID, In: a.ProjectID, Institution: a.InstitutionID, Group: a.GroupID}
	})
	CollectionOwners = bucket.AddOwners(Collections, func(c *record.Collection) bucket.Owner {
		return bucket.Owner{Account: c.AccountID, Institution: c.InstitutionID, Group: c.GroupID}
	})
	ProjectOwners = bucket.AddOwners(Projects, func(p *record.Project) bucket.Owner {
		return bucket.Owner{Account: p.AccountID, Institution: p.InstitutionID, Group: p.GroupID}
	})
	ReviewOwners = bucket.AddOwners(Reviews, func(r *record.Review) bucket.Owner {
		return bucket.Owner{Account: r.AccountID, In: r.ArticleID, Institution: r.InstitutionID, Group: r.GroupID}
	})
	NoteOwners = bucket.AddOwners(ProjectNotes, func(n *record.ProjectNote) bucket.Owner { return bucket.Owner{Account: n.AccountID, In: n.ProjectID} })
)

// Orders of an account's working copies. Under the account a sort key has 1 and a time,
// or 0 where there is none, so that a list can show those last in either direction. The
// value holds their Facts.
var (
	// OwnArticlesByPublished sorts an account's articles by their latest publication.
	OwnArticlesByPublished = Articles.AddIndex("own_published", 3, func(a *record.Article) []bucket.IndexEntry { return byPublished(&a.Working) })
	// OwnArticlesByModified sorts an account's articles by their last change.
	OwnArticlesByModified = Articles.AddIndex("own_modified", 3, func(a *record.Article) []bucket.IndexEntry { return byModified(&a.Working) })
	// ArticlesByAuthor finds the articles that name a person.
	ArticlesByAuthor = Articles.AddIndex("author", 1, func(a *record.Article) []bucket.IndexEntry { return byAuthor(&a.Working) })

	// OwnCollectionsByPublished sorts an account's collections by their latest publication.
	OwnCollectionsByPublished = Collections.AddIndex("own_published", 3, func(c *record.Collection) []bucket.IndexEntry { return byPublished(&c.Working) })
	// OwnCollectionsByModified sorts an account's collections by their last change.
	OwnCollectionsByModified = Collections.AddIndex("own_modified", 3, func(c *record.Collection) []bucket.IndexEntry { return byModified(&c.Working) })
	// CollectionsByAuthor finds the collections that name a person.
	CollectionsByAuthor = Collections.AddIndex("author", 1, func(c *record.Collection) []bucket.IndexEntry { return byAuthor(&c.Working) })

	// ArticlesByPublished sorts an institution's articles by their latest publication,
	// those that were never published first; the value holds their WorkingFacts.
	ArticlesByPublished = Articles.AddIndex("institution_published", 3, func(a *record.Article) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.InstitutionID, facts.Publication(a)), Value: facts.OfWorking(&a.Working)}}
	})
	// ArticlesByGroup is ArticlesByPublished of each group; those of no group are not in it.
	ArticlesByGroup = Articles.AddIndex("institution_group", 2, func(a *record.Article) []bucket.IndexEntry {
		if a.GroupID == 0 {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.InstitutionID, a.GroupID, facts.Publication(a)), Value: facts.OfWorking(&a.Working)}}
	})
	// ArticlesByModified sorts an institution's articles by their last change; the value
	// holds their WorkingFacts.
	ArticlesByModified = Articles.AddIndex("institution_modified", 3, func(a *record.Article) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.InstitutionID, a.Modified), Value: facts.OfWorking(&a.Working)}}
	})
)

// Names that an account can give by an id: the grants and related materials of its items. The
// sort keys are the account and the id.
var (
	ArticlesByNamed    = Articles.AddIndex("named", 1, func(a *record.Article) []bucket.IndexEntry { return nameable(a.AccountID, &a.Metadata) })
	CollectionsByNamed = Collections.AddIndex("named", 1, func(c *record.Collection) []bucket.IndexEntry { return nameable(c.AccountID, &c.Metadata) })
	ProjectsByNamed    = Projects.AddIndex("named", 1, func(p *record.Project) []bucket.IndexEntry {
		return nameable(p.AccountID, p.Metadata())
	})
)

func byPublished(w *record.Working) []bucket.IndexEntry {
	if w.Published == nil {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(w.AccountID, 0), Value: facts.Of(w)}}
	}
	return []bucket.IndexEntry{{Sort: bucket.SortKey(w.AccountID, 1, *w.Published), Value: facts.Of(w)}}
}

func byModified(w *record.Working) []bucket.IndexEntry {
	return []bucket.IndexEntry{{Sort: bucket.SortKey(w.AccountID, 1, w.Modified), Value: facts.Of(w)}}
}

func byAuthor(w *record.Working) (entries []bucket.IndexEntry) {
	for _, id := range w.Authors {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(id)})
	}
	return entries
}

// mostNamed is how many related materials of one item can be named by their id elsewhere.
const mostNamed = 500

func nameable(account int64, m *record.Metadata) (entries []bucket.IndexEntry) {
	for _, title := range m.GrantTitles() {
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(account, record.FundingID(title))})
	}
	for i, r := range m.Materials() {
		if i == mostNamed {
			break
		}
		entries = append(entries, bucket.IndexEntry{Sort: bucket.SortKey(account, r.ID())})
	}
	return entries
}
