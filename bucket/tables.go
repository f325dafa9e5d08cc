package bucket

import (
	"context"
	"errors"

	"alcove/record"
)

// Accesses has the requests of the last weeks that operators look up: refused ones, those of
// administrators, and those that changed something. The key is the number of the request, which
// the change log has too and which ascends with the time. It is no change of the repository, and
// addresses do not stay, so it is not in the change log.
var Accesses = &Table[int64, record.Access]{name: "accesses", codec: intKeys, quiet: true}

// Public versions by the people that they name.
var (
	VersionsByAuthor = PublicIndex[Pair, record.ArticleVersion]{addIndex(&ArticleVersions.Table, "author", 1, func(v *record.ArticleVersion) []IndexEntry {
		return byPeople(v.Authors)
	})}
	CollectionVersionsByAuthor = PublicIndex[Pair, record.CollectionVersion]{addIndex(&CollectionVersions.Table, "author", 1, func(v *record.CollectionVersion) []IndexEntry {
		return byPeople(v.Authors)
	})}
)

func byPeople(authors []record.Person) (entries []IndexEntry) {
	for _, p := range authors {
		entries = append(entries, IndexEntry{Sort: SortKey(p.ID)})
	}
	return entries
}

// Pictures has the pictures of profiles; the key is the id of the person.
var Pictures = &Table[int64, record.Picture]{name: "pictures", codec: intKeys}

// Reports has the tables of articles that accounts asked for; the key is account id and report id.
var Reports = &Table[Pair, record.Report]{name: "reports", codec: pairKeys}

// The demands of groups on items: definitions of custom fields, and reviews before articles
// are published.
var (
	Fields = &Table[int64, record.Field]{name: "fields", codec: intKeys}
	// AddressRanges are the networks that embargoes can let in.
	AddressRanges = &Table[int64, record.AddressRange]{name: "address_ranges", codec: intKeys}

	Reviews = &Table[int64, record.Review]{name: "reviews", codec: intKeys}
	// ReviewComments is keyed by review id and comment id.
	ReviewComments = &Table[Pair, record.ReviewComment]{name: "review_comments", codec: pairKeys}
	// Submissions has what was handed in, as it was frozen; the key is the id of the
	// review.
	Submissions = &Table[int64, record.ArticleVersion]{name: "submissions", codec: intKeys}

	// FieldsByGroup has the fields that a group defines, in their order.
	FieldsByGroup = addIndex(Fields, "group", 1, func(f *record.Field) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(f.GroupID, f.Order)}}
	})
	// ReviewsByInstitution sorts an institution's reviews by id.
	ReviewsByInstitution = addIndex(Reviews, "institution", 1, func(r *record.Review) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(r.InstitutionID)}}
	})
	// ReviewsByArticle sorts the reviews of an article by id.
	ReviewsByArticle = addIndex(Reviews, "article", 1, func(r *record.Review) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(r.ArticleID)}}
	})
	// ReviewsPending finds the review that an article waits for; there is at most one.
	ReviewsPending = addIndex(Reviews, "pending", 1, func(r *record.Review) []IndexEntry {
		if r.Status != record.ReviewPending {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(r.ArticleID)}}
	})
)

// Erasures has what operators had erased, by ids and hashes. A restore of an older copy applies it again. Nothing is ever
// deleted from it.
var Erasures = &Table[int64, record.Erasure]{name: "erasures", codec: intKeys}

// Tables of what was withdrawn from the public. Nothing is ever deleted from them but by an erasure.
var (
	// Tombstones is keyed by article id and the latest version that was withdrawn.
	Tombstones = &Table[Pair, record.Tombstone]{name: "tombstones", codec: pairKeys}
	// WithdrawnVersions has public versions as they were; keyed as ArticleVersions is.
	WithdrawnVersions = &Table[Pair, record.ArticleVersion]{name: "withdrawn_versions", codec: pairKeys}
	// WithdrawnFiles has the files of those versions, keyed by file id and the version
	// that added it.
	WithdrawnFiles = &Table[Pair, record.PublicFile]{name: "withdrawn_files", codec: pairKeys}

	// CollectionTombstones and WithdrawnCollections are the same of collections.
	CollectionTombstones = &Table[Pair, record.Tombstone]{name: "collection_tombstones", codec: pairKeys}
	WithdrawnCollections = &Table[Pair, record.CollectionVersion]{name: "withdrawn_collections", codec: pairKeys}
	// ProjectTombstones and WithdrawnProjects are those of projects, which have no versions: keyed
	// by project id and the number of the withdrawal, from 1 on.
	ProjectTombstones = &Table[Pair, record.Tombstone]{name: "project_tombstones", codec: pairKeys}
	WithdrawnProjects = &Table[Pair, record.PublicProject]{name: "withdrawn_projects", codec: pairKeys}

	// WithdrawnCollectionsByIdentifier is WithdrawnByIdentifier of collections.
	WithdrawnCollectionsByIdentifier = addIndex(WithdrawnCollections, "identifier", 1, func(v *record.CollectionVersion) []IndexEntry { return identifiers(&v.Metadata) })
	// WithdrawnByIdentifier finds withdrawn versions by what identifies their item
	// (record.Metadata.Identifiers).
	WithdrawnByIdentifier = addIndex(WithdrawnVersions, "identifier", 2, func(v *record.ArticleVersion) []IndexEntry { return identifiers(&v.Metadata) })
	// FilesWithdrawn has the files of an article that only withdrawn versions have.
	FilesWithdrawn = addIndex(Files, "withdrawn", 1, func(f *record.File) []IndexEntry {
		if !f.Withdrawn {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
)

// Orphans has the blobs that no record named when they were last looked at, under their
// SHA-256 in hex. It tells nothing of the repository, so it is not in the change log.
var Orphans = &Table[string, record.Orphan]{name: "orphans", codec: nameKeys, quiet: true}

// Choices is keyed by the id of the institution.
var Choices = &Table[int64, record.Choices]{name: "choices", codec: intKeys}

// SweepStates has under SweepKey what the sweeper of blobs has done last, and what it may do. It is
// not in the change log.
var SweepStates = &Table[string, record.SweepState]{name: "sweep", codec: nameKeys, quiet: true}

// SweepKey is the only key of SweepStates.
const SweepKey = "blobs"

// SweepStateOf is what SweepStates has, the zero value when there is nothing yet.
func SweepStateOf(tx *Tx) (state record.SweepState, err error) {
	s, err := SweepStates.Get(tx, SweepKey)
	if errors.Is(err, ErrNotFound) {
		return state, nil
	}
	if err == nil {
		state = *s
	}
	return state, err
}

// HoldSweep keeps the sweeper from removing anything until an operator allows it: the records were
// made again, and bytes that none of them names may be all that is left of something.
func (db *DB) HoldSweep(ctx context.Context) error {
	return db.Update(ctx, 0, func(tx *Tx) error {
		state, err := SweepStateOf(tx)
		if err != nil {
			return err
		}
		state.Held, state.Allowed = true, 0
		return SweepStates.Put(tx, SweepKey, &state)
	})
}

// mostNamed is how many related materials of one item can be named by their id elsewhere.
const mostNamed = 500

// Names that an account can give by an id: the grants and related materials of its items. The
// sort keys are the account and the id.
var (
	ArticlesByNamed    = addIndex(Articles, "named", 1, func(a *record.Article) []IndexEntry { return nameable(a.AccountID, &a.Metadata) })
	CollectionsByNamed = addIndex(Collections, "named", 1, func(c *record.Collection) []IndexEntry { return nameable(c.AccountID, &c.Metadata) })
	ProjectsByNamed    = addIndex(Projects, "named", 1, func(p *record.Project) []IndexEntry {
		return nameable(p.AccountID, p.Metadata())
	})
)

func nameable(account int64, m *record.Metadata) (entries []IndexEntry) {
	for _, title := range m.GrantTitles() {
		entries = append(entries, IndexEntry{Sort: SortKey(account, record.FundingID(title))})
	}
	for i, r := range m.Materials() {
		if i == mostNamed {
			break
		}
		entries = append(entries, IndexEntry{Sort: SortKey(account, r.ID())})
	}
	return entries
}
