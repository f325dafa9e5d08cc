// Package working has the tables of what people work on: articles, collections and projects as their owners see them, with
// reviews, members, notes and private links; and who has an identifier.
package working

import (
	"alcove/bucket"
	"alcove/bucket/facts"
	"alcove/record"
)

var (
	Articles = bucket.ByID[record.Article]("articles")
	// HeldVersions has the publication that an embargo on the whole article holds back, as
	// it was frozen; the key is the article's id.
	HeldVersions = bucket.ByID[record.ArticleVersion]("held_versions")

	Collections = bucket.ByID[record.Collection]("collections")
	Projects    = bucket.ByID[record.Project]("projects")
	// ProjectMembers is keyed by project id and user id.
	ProjectMembers = bucket.ByPair[record.ProjectMember]("project_members")
	ProjectNotes   = bucket.ByID[record.ProjectNote]("project_notes")
	// PrivateLinks is keyed by the token of the link.
	PrivateLinks = bucket.ByName[record.PrivateLink]("private_links").Secret()

	// ArticlesByCreated sorts an account's articles by creation; the value holds their
	// Facts.
	ArticlesByCreated = Articles.AddIndex("created", 3, func(a *record.Article) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.AccountID, a.Created), Value: facts.Of(&a.Working)}}
	})
	// CollectionsByCreated sorts an account's collections by creation; the value holds
	// their Facts.
	CollectionsByCreated = Collections.AddIndex("created", 3, func(c *record.Collection) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(c.AccountID, c.Created), Value: facts.Of(&c.Working)}}
	})
	// ArticlesByProject sorts the working copies in a project by creation.
	ArticlesByProject = Articles.AddIndex("project", 1, func(a *record.Article) []bucket.IndexEntry {
		if a.ProjectID == 0 {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(a.ProjectID, a.Created)}}
	})
	// MembersByAccount sorts the projects of an account by their ids; the value is its
	// role in them (1 byte).
	MembersByAccount = ProjectMembers.AddIndex("account", 1, func(m *record.ProjectMember) []bucket.IndexEntry {
		if !m.Reads() {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(m.AccountID, m.ProjectID), Value: []byte{byte(m.Role)}}}
	})
	// MembersByEmail has the invitations of an address that had no account.
	MembersByEmail = ProjectMembers.AddIndex("email", 1, func(m *record.ProjectMember) []bucket.IndexEntry {
		if m.AccountID != 0 {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(record.FoldEmail(m.Email))}}
	}).Secret()
	// NotesByProject sorts the notes of a project by creation.
	NotesByProject = ProjectNotes.AddIndex("project", 1, func(n *record.ProjectNote) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(n.ProjectID, n.Created)}}
	})
	// LinksByItem sorts the private links of an item by creation.
	LinksByItem = PrivateLinks.AddIndex("item", 1, func(l *record.PrivateLink) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(l.Kind, l.ItemID, l.Created)}}
	})
	// LinksByApplication sorts the private links that applications made for an account by creation.
	LinksByApplication = PrivateLinks.AddIndex("application", 1, func(l *record.PrivateLink) []bucket.IndexEntry {
		if l.Application == "" {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(l.AccountID, l.Created)}}
	})
	// ArticlesByEmbargo and VersionsByEmbargo sort working copies and public versions by the
	// end of their embargo. A held publication ends with the working copy's.
	ArticlesByEmbargo = Articles.AddIndex("embargo", 1, func(a *record.Article) []bucket.IndexEntry { return facts.ByEmbargo(&a.Metadata) })

	ArticlesNumber    = Articles.AddNumber("number", 1, nil)
	CollectionsNumber = Collections.AddNumber("number", 1, nil)
	ProjectsNumber    = Projects.AddNumber("number", 1, nil)
)

// ProjectsByCreated sorts all projects by creation.
var ProjectsByCreated = Projects.AddIndex("created", 1, func(p *record.Project) []bucket.IndexEntry {
	return []bucket.IndexEntry{{Sort: bucket.SortKey(p.Created)}}
})

// The demands of groups on items: definitions of custom fields, and reviews before articles
// are published.
var (
	Reviews = bucket.ByID[record.Review]("reviews")
	// ReviewComments is keyed by review id and comment id.
	ReviewComments = bucket.ByPair[record.ReviewComment]("review_comments")
	// Submissions has what was handed in, as it was frozen; the key is the id of the
	// review.
	Submissions = bucket.ByID[record.ArticleVersion]("submissions")
	// ReviewsByInstitution sorts an institution's reviews by id.
	ReviewsByInstitution = Reviews.AddIndex("institution", 1, func(r *record.Review) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(r.InstitutionID)}}
	})
	// ReviewsByArticle sorts the reviews of an article by id.
	ReviewsByArticle = Reviews.AddIndex("article", 1, func(r *record.Review) []bucket.IndexEntry {
		return []bucket.IndexEntry{{Sort: bucket.SortKey(r.ArticleID)}}
	})
	// ReviewsPending finds the review that an article waits for; there is at most one.
	ReviewsPending = Reviews.AddIndex("pending", 1, func(r *record.Review) []bucket.IndexEntry {
		if r.Status != record.ReviewPending {
			return nil
		}
		return []bucket.IndexEntry{{Sort: bucket.SortKey(r.ArticleID)}}
	})
)
