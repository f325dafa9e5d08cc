package bucket

import (
	"encoding/binary"
	"math"
	"time"

	"alcove/bucket/kv"
	"alcove/record"
)

// Private tables: reached only through a Tx, by code that checks the caller.
var (
	Accounts = &Table[int64, record.Account]{name: "accounts", codec: intKeys}
	Tokens   = &Table[string, record.Token]{name: "tokens", codec: nameKeys}
	// TokenUses is keyed as Tokens is. When a token was used changes nothing, so it is not in the change log.
	TokenUses = &Table[string, record.TokenUse]{name: "token_uses", codec: nameKeys, quiet: true}
	// Applications is keyed by client_id.
	Applications = &Table[string, record.Application]{name: "applications", codec: nameKeys}
	// Authorizations is keyed as its record says. It is not in the change log, as a backup has none that is good: the
	// refresh tokens in it have been replaced.
	Authorizations = &Table[string, record.Authorization]{name: "authorizations", codec: nameKeys, quiet: true}
	// Sessions is keyed by the hex SHA-256 of the secret.
	Sessions = &Table[string, record.Session]{name: "sessions", codec: nameKeys, quiet: true}
	// OneTimeLinks is keyed by the hex SHA-256 of the secret.
	OneTimeLinks = &Table[string, record.OneTimeLink]{name: "one_time_links", codec: nameKeys, quiet: true}
	// SecondFactors is keyed by the id of the account.
	SecondFactors = &Table[int64, record.SecondFactor]{name: "second_factors", codec: intKeys, quiet: true}
	// Passkeys is keyed by the hex SHA-256 of the id of the credential.
	Passkeys = &Table[string, record.Passkey]{name: "passkeys", codec: nameKeys, quiet: true}
	// Logins is keyed by the hex SHA-256 of issuer and subject.
	Logins = &Table[string, record.Login]{name: "logins", codec: nameKeys, quiet: true}
	// Challenges is keyed by the hex SHA-256 of the challenge, or of the secret in a cookie.
	Challenges = &Table[string, record.Challenge]{name: "challenges", codec: nameKeys, quiet: true}
	// Outbox has the mails that wait to be sent.
	Outbox   = &Table[int64, record.Mail]{name: "outbox", codec: intKeys, quiet: true}
	People   = &Table[int64, record.Person]{name: "people", codec: intKeys, flat: true}
	Articles = &Table[int64, record.Article]{name: "articles", codec: intKeys}
	Files    = &Table[int64, record.File]{name: "files", codec: intKeys, flat: true}
	// HeldVersions has the publication that an embargo on the whole article holds back, as
	// it was frozen; the key is the article's id.
	HeldVersions = &Table[int64, record.ArticleVersion]{name: "held_versions", codec: intKeys}

	Collections = &Table[int64, record.Collection]{name: "collections", codec: intKeys}
	Projects    = &Table[int64, record.Project]{name: "projects", codec: intKeys}
	// ProjectMembers is keyed by project id and user id.
	ProjectMembers = &Table[Pair, record.ProjectMember]{name: "project_members", codec: pairKeys}
	ProjectNotes   = &Table[int64, record.ProjectNote]{name: "project_notes", codec: intKeys}
	// PrivateLinks is keyed by the token of the link.
	PrivateLinks = &Table[string, record.PrivateLink]{name: "private_links", codec: nameKeys}
	// Parts has a record for every part of an unfinished upload whose bytes are on the
	// disk; the key is file id and part number.
	Parts = &Table[Pair, record.Part]{name: "parts", codec: pairKeys, quiet: true}
)

// Public tables: anyone may read them.
var (
	PublicArticles = &PublicTable[int64, record.PublicArticle]{Table[int64, record.PublicArticle]{name: "public_articles", codec: intKeys}}
	// ArticleVersions is keyed by article id and version number.
	ArticleVersions = &PublicTable[Pair, record.ArticleVersion]{Table[Pair, record.ArticleVersion]{name: "article_versions", codec: pairKeys}}
	PublicFiles     = &PublicTable[int64, record.PublicFile]{Table[int64, record.PublicFile]{name: "public_files", codec: intKeys, flat: true}}
	ArticleDocs     = &Docs{bucket: "d:articles"}

	PublicCollections = &PublicTable[int64, record.PublicCollection]{Table[int64, record.PublicCollection]{name: "public_collections", codec: intKeys}}
	// CollectionVersions is keyed by collection id and version number.
	CollectionVersions = &PublicTable[Pair, record.CollectionVersion]{Table[Pair, record.CollectionVersion]{name: "collection_versions", codec: pairKeys}}
	CollectionDocs     = &Docs{bucket: "d:collections"}

	PublicProjects = &PublicTable[int64, record.PublicProject]{Table[int64, record.PublicProject]{name: "public_projects", codec: intKeys}}
)

// Indexes. A name says what sorts; the comment says what the value holds.
var (
	AccountsByEmail = addIndex(Accounts, "email", 1, func(a *record.Account) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(record.FoldEmail(a.Email))}}
	})
	// Administrators has the administrators of an institution.
	Administrators = addIndex(Accounts, "admin", 1, func(a *record.Account) []IndexEntry {
		if !a.Admin {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(a.InstitutionID)}}
	})
	TokensByAccount = addIndex(Tokens, "account", 1, func(t *record.Token) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(t.AccountID)}}
	})
	// TokensByAuthorization finds the access tokens of an authorization.
	TokensByAuthorization = addIndex(Tokens, "authorization", 1, func(t *record.Token) []IndexEntry {
		if t.Personal() {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(t.Authorization)}}
	})
	ApplicationsByAccount = addIndex(Applications, "account", 1, func(a *record.Application) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.AccountID)}}
	})
	// AuthorizationsByAccount sorts those of an account by application.
	AuthorizationsByAccount = addIndex(Authorizations, "account", 1, func(z *record.Authorization) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(z.AccountID, z.ClientID)}}
	})
	SessionsByAccount = addIndex(Sessions, "account", 1, func(s *record.Session) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(s.AccountID)}}
	})
	OneTimeLinksByEmail = addIndex(OneTimeLinks, "email", 1, func(l *record.OneTimeLink) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(record.FoldEmail(l.Email))}}
	})
	// OneTimeLinksByAccount has the links of accounts that there are.
	OneTimeLinksByAccount = addIndex(OneTimeLinks, "account", 1, func(l *record.OneTimeLink) []IndexEntry {
		if l.AccountID == 0 {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(l.AccountID)}}
	})
	// PasskeysByAccount sorts the passkeys of an account by age.
	PasskeysByAccount = addIndex(Passkeys, "account", 1, func(p *record.Passkey) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(p.AccountID, p.Created)}}
	})
	// LoginsByAccount sorts the logins of an account by age.
	LoginsByAccount = addIndex(Logins, "account", 1, func(l *record.Login) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(l.AccountID, l.Created)}}
	})
	// ChallengesByEnd sorts challenges by when they end.
	ChallengesByEnd = addIndex(Challenges, "end", 1, func(c *record.Challenge) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(c.Expires)}}
	})
	// ChallengesWaiting is how many challenges there are.
	ChallengesWaiting = addTotal(Challenges, "number", 1, func(*record.Challenge) int64 { return 1 })
	// OutboxByDue sorts mails by when they are tried next.
	OutboxByDue = addIndex(Outbox, "due", 1, func(m *record.Mail) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(m.Due)}}
	})
	// MailsWaiting is how many mails the outbox has.
	MailsWaiting = addTotal(Outbox, "number", 1, func(*record.Mail) int64 { return 1 })
	// ArticlesByCreated sorts an account's articles by creation; the value holds their
	// Facts.
	ArticlesByCreated = addIndex(Articles, "created", 3, func(a *record.Article) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.AccountID, a.Created), Value: facts(&a.Working)}}
	})
	// CollectionsByCreated sorts an account's collections by creation; the value holds
	// their Facts.
	CollectionsByCreated = addIndex(Collections, "created", 3, func(c *record.Collection) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(c.AccountID, c.Created), Value: facts(&c.Working)}}
	})
	// ArticlesByProject sorts the working copies in a project by creation.
	ArticlesByProject = addIndex(Articles, "project", 1, func(a *record.Article) []IndexEntry {
		if a.ProjectID == 0 {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(a.ProjectID, a.Created)}}
	})
	// MembersByAccount sorts the projects of an account by their ids; the value is its
	// role in them (1 byte).
	MembersByAccount = addIndex(ProjectMembers, "account", 1, func(m *record.ProjectMember) []IndexEntry {
		if !m.Reads() {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(m.AccountID, m.ProjectID), Value: []byte{byte(m.Role)}}}
	})
	// MembersByEmail has the invitations of an address that had no account.
	MembersByEmail = addIndex(ProjectMembers, "email", 1, func(m *record.ProjectMember) []IndexEntry {
		if m.AccountID != 0 {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(record.FoldEmail(m.Email))}}
	})
	// NotesByProject sorts the notes of a project by creation.
	NotesByProject = addIndex(ProjectNotes, "project", 1, func(n *record.ProjectNote) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(n.ProjectID, n.Created)}}
	})
	// LinksByItem sorts the private links of an item by creation.
	LinksByItem = addIndex(PrivateLinks, "item", 1, func(l *record.PrivateLink) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(l.Kind, l.ItemID, l.Created)}}
	})
	// FilesByArticle has the files of working copies.
	FilesByArticle = addIndex(Files, "article", 1, func(f *record.File) []IndexEntry {
		if f.Dropped {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
	// FilesToPublish has what the next version of an article changes: files to add, or to remove.
	FilesToPublish = addIndex(Files, "unpublished", 1, func(f *record.File) []IndexEntry {
		if (f.Added == 0 && !f.Dropped) || (f.Dropped && f.Removed == 0) {
			return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
		}
		return nil
	})
	// FilesHeld has what the held publication of an article adds and removes.
	FilesHeld = addIndex(Files, "held", 1, func(f *record.File) []IndexEntry {
		if !f.Held {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
	// FilesPublished has the files of an article's public versions, shown or not; the value
	// says which versions those are (InVersion).
	FilesPublished = addIndex(Files, "published", 2, func(f *record.File) []IndexEntry {
		if f.Added == 0 {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID), Value: versionSpan(f.Added, f.Removed)}}
	})
	// FilesSubmitted has what the submission of an article that waits for its review adds
	// and removes.
	FilesSubmitted = addIndex(Files, "submitted", 1, func(f *record.File) []IndexEntry {
		if f.Submitted == record.NotSubmitted {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
	// FilesHidden has the published files of an article that readers do not see.
	FilesHidden = addIndex(Files, "hidden", 1, func(f *record.File) []IndexEntry {
		if !f.Hidden {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
	// ArticlesByEmbargo and VersionsByEmbargo sort working copies and public versions by the
	// end of their embargo. A held publication ends with the working copy's.
	ArticlesByEmbargo = addIndex(Articles, "embargo", 1, func(a *record.Article) []IndexEntry { return byEmbargo(&a.Metadata) })
	VersionsByEmbargo = addIndex(&ArticleVersions.Table, "embargo", 1, func(v *record.ArticleVersion) []IndexEntry { return byEmbargo(&v.Metadata) })
	// FilesByToken finds the file of an upload.
	FilesByToken = addIndex(Files, "token", 1, func(f *record.File) []IndexEntry {
		if f.Token == "" {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.Token)}}
	})
	// FilesChecking has the files whose integrity check is due or not finished; the value is
	// their size as a sort key.
	FilesChecking = addIndex(Files, "checking", 2, func(f *record.File) []IndexEntry {
		if !f.BeingChecked() {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(""), Value: SortKey(f.Size)}}
	})
	// BytesAnnounced are those of files whose upload is not over.
	BytesAnnounced = addTotal(Files, "announced", 1, func(f *record.File) int64 {
		if f.Status == record.FileAvailable || f.Status == record.FileFailed {
			return 0
		}
		return f.Size
	})
	// BytesArrived are those of their parts that are on the disk.
	BytesArrived = addTotal(Parts, "arrived", 1, func(p *record.Part) int64 { return p.Size })
	// FilesPublic is how many files readers can get, of all versions, and BytesPublic their size.
	FilesPublic = PublicTotal[int64, record.PublicFile]{addTotal(&PublicFiles.Table, "number", 1, func(*record.PublicFile) int64 { return 1 })}
	BytesPublic = PublicTotal[int64, record.PublicFile]{addTotal(&PublicFiles.Table, "bytes", 1, func(f *record.PublicFile) int64 { return f.Size })}
	// FilesPreview has the files whose thumbnail is due.
	FilesPreview = addIndex(Files, "preview", 1, func(f *record.File) []IndexEntry {
		if !f.PreviewDue() {
			return nil
		}
		return []IndexEntry{{Sort: SortKey("")}}
	})
	// FilesPreviewed has the files of working copies that have a thumbnail.
	FilesPreviewed = addIndex(Files, "previewed", 1, func(f *record.File) []IndexEntry {
		if f.Dropped || f.Preview != record.PreviewMade {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})
	// FilesOpen sorts unfinished uploads by their last change.
	FilesOpen = addIndex(Files, "open", 1, func(f *record.File) []IndexEntry {
		if f.Status != record.FileCreated {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.Modified)}}
	})
	// FilesByBlob finds who needs a blob.
	FilesByBlob = addIndex(Files, "blob", 1, func(f *record.File) []IndexEntry {
		if f.SHA256 == "" {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.SHA256)}}
	})
	// PublicFilesByArticle has the files of an article's public versions; the value says
	// which versions those are (InVersion).
	PublicFilesByArticle = PublicIndex[int64, record.PublicFile]{addIndex(&PublicFiles.Table, "article", 2, func(f *record.PublicFile) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(f.ArticleID), Value: versionSpan(f.Added, f.Removed)}}
	})}
	// PublicFilesByName has the same by the names of an article's files.
	PublicFilesByName = PublicIndex[int64, record.PublicFile]{addIndex(&PublicFiles.Table, "name", 1, func(f *record.PublicFile) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(f.ArticleID, f.Name), Value: versionSpan(f.Added, f.Removed)}}
	})}
	// PublicFilesByFolder sorts the same by folder and name (FolderKey); the value has the size
	// behind the versions (IndexedSize).
	PublicFilesByFolder = PublicIndex[int64, record.PublicFile]{addIndex(&PublicFiles.Table, "folder", 1, func(f *record.PublicFile) []IndexEntry {
		value := binary.BigEndian.AppendUint64(versionSpan(f.Added, f.Removed), uint64(f.Size))
		return []IndexEntry{{Sort: append(FolderKey(f.ArticleID, f.Folder), SortKey("", f.Name)...), Value: value}}
	})}
)

func byEmbargo(m *record.Metadata) []IndexEntry {
	if m.Embargo.Kind == record.NoEmbargo || m.Embargo.Until.IsZero() {
		return nil
	}
	return []IndexEntry{{Sort: SortKey(m.Embargo.Until)}}
}

// SortedInt is the number that a sort key begins with.
func SortedInt(sort []byte) int64 { return intKeys.dec(sort[:8]) ^ math.MinInt64 }

// SortedTime is the time that a sort key begins with.
func SortedTime(sort []byte) time.Time {
	return time.Unix(intKeys.dec(sort[:8])^math.MinInt64, 0).UTC()
}

// Prefix is the beginning of all keys of a Pair table that belong to an owner.
func Prefix(owner int64) []byte { return intKeys.enc(owner) }

// stored is what the store knows of a table to prepare it.
type stored interface {
	bucketName() string
	nameBucket()
	logged() bool
	indexVersions() string
	indexNames() []string
	tableCheck(a *tableCheck) error
	emptyIndexes(b kv.Tx) error
	fillIndexes(db *DB, began func()) error
	defineIndexes(m kv.Bucket) error
}

var tables = []stored{
	&Counts.Table, &UsageMonths.Table, Citations, &AuthorSums.Table, &GroupSums.Table, // what the orders of others ask is there first
	HeldVersions,
	Accounts, Tokens, People, Articles, Files, Parts,
	&PublicArticles.Table, &ArticleVersions.Table, &PublicFiles.Table,
	Collections, &PublicCollections.Table, &CollectionVersions.Table,
	PrivateLinks,
	Projects, ProjectMembers, ProjectNotes, &PublicProjects.Table,
	Groups, Grants, Fields, AddressRanges, Pictures, Reports,
	Reviews, ReviewComments, Submissions,
	Tombstones, WithdrawnVersions, WithdrawnFiles,
	CollectionTombstones, WithdrawnCollections, ProjectTombstones, WithdrawnProjects,
	Loads, Orphans, ClockStates, SweepStates, Accesses, Sessions, OneTimeLinks, Outbox, TokenUses, Applications, Authorizations, SecondFactors, Passkeys, Logins, Challenges, Choices, Erasures, Registrations, RegistrarStates, Preservations, PreservationStates,
	Mirrors, &MirroredItems.Table, &MirroredVersions.Table, &MirroredFiles.Table,
}

func init() {
	for _, t := range tables {
		t.nameBucket()
	}
}

var docs = []*Docs{ArticleDocs, CollectionDocs}
