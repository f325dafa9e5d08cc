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
		Tables: []*bucket.AnyTable{
			published.Counts.Any, counting.UsageMonths.Any,
			working.HeldVersions.Any,
			users.Accounts.Any, users.Tokens.Any, users.People.Any, working.Articles.Any,
			files.Files.Any, files.Parts.Any,
			published.Articles.Any, published.ArticleVersions.Any, files.PublicFiles.Any,
			working.Collections.Any, published.Collections.Any, published.CollectionVersions.Any,
			working.PrivateLinks.Any,
			working.Projects.Any, working.ProjectMembers.Any, working.ProjectNotes.Any,
			published.Projects.Any,
			users.Groups.Any, users.Grants.Any, users.Fields.Any, users.AddressRanges.Any,
			users.Pictures.Any, exchange.Reports.Any,
			working.Reviews.Any, working.ReviewComments.Any, working.Submissions.Any,
			withdrawn.Tombstones.Any, withdrawn.Versions.Any, withdrawn.Files.Any,
			withdrawn.CollectionTombstones.Any, withdrawn.Collections.Any,
			withdrawn.ProjectTombstones.Any, withdrawn.Projects.Any,
			working.Loads.Any, files.Orphans.Any, files.SweepStates.Any, users.Accesses.Any,
			users.Sessions.Any, users.OneTimeLinks.Any, exchange.Outbox.Any, users.TokenUses.Any,
			users.Applications.Any, users.Authorizations.Any, users.SecondFactors.Any,
			users.Passkeys.Any, users.Logins.Any, users.Challenges.Any, users.Choices.Any,
			withdrawn.Erasures.Any, exchange.Registrations.Any, exchange.RegistrarStates.Any,
			exchange.Preservations.Any, exchange.PreservationStates.Any,
			exchange.Mirrors.Any, exchange.MirroredItems.Any, exchange.MirroredVersions.Any,
			exchange.MirroredFiles.Any,
		},
		Derived:    []*bucket.AnyTable{counting.Citations.Any, counting.AuthorSums.Any, counting.GroupSums.Any},
		Derive:     counting.CiteAll,
		Documents:  []*bucket.Docs{published.ArticleDocs, published.CollectionDocs},
		References: references,
	})
}
