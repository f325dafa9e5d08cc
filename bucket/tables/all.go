// Package tables is what a repository keeps: it defines all tables. Programs that open one import it.
package tables

import (
	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/exchange"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
)

// The tables of the repository.
func init() {
	bucket.Define(bucket.Schema{
		Tables: []bucket.Stored{
			&published.Counts.Table, &counting.UsageMonths.Table,
			working.HeldVersions,
			users.Accounts, users.Tokens, users.People, working.Articles, files.Files, files.Parts,
			&published.Articles.Table, &published.ArticleVersions.Table, &files.PublicFiles.Table,
			working.Collections, &published.Collections.Table, &published.CollectionVersions.Table,
			working.PrivateLinks,
			working.Projects, working.ProjectMembers, working.ProjectNotes, &published.Projects.Table,
			users.Groups, users.Grants, users.Fields, users.AddressRanges, users.Pictures, exchange.Reports,
			working.Reviews, working.ReviewComments, working.Submissions,
			withdrawn.Tombstones, withdrawn.Versions, withdrawn.Files,
			withdrawn.CollectionTombstones, withdrawn.Collections, withdrawn.ProjectTombstones, withdrawn.Projects,
			working.Loads, files.Orphans, files.SweepStates, users.Accesses, users.Sessions, users.OneTimeLinks, exchange.Outbox, users.TokenUses, users.Applications, users.Authorizations, users.SecondFactors, users.Passkeys, users.Logins, users.Challenges, users.Choices, withdrawn.Erasures, exchange.Registrations, exchange.RegistrarStates, exchange.Preservations, exchange.PreservationStates,
			exchange.Mirrors, &exchange.MirroredItems.Table, &exchange.MirroredVersions.Table, &exchange.MirroredFiles.Table,
		},
		Derived:    []bucket.Stored{counting.Citations, &counting.AuthorSums.Table, &counting.GroupSums.Table},
		Derive:     counting.CiteAll,
		Documents:  []*bucket.Docs{published.ArticleDocs, published.CollectionDocs},
		References: references,
	})
}
