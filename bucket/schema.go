package bucket

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"alcove/record"
	"go.etcd.io/bbolt"
)

// Private tables: reached only through a Tx, by code that checks who asks.
var (
	Accounts = &Table[int64, record.Account]{name: "accounts", codec: intKeys}
	Tokens   = &Table[string, record.Token]{name: "tokens", codec: nameKeys}
	People   = &Table[int64, record.Person]{name: "people", codec: intKeys}
	Articles = &Table[int64, record.Article]{name: "articles", codec: intKeys}
	Files    = &Table[int64, record.File]{name: "files", codec: intKeys}
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
	PublicFiles     = &PublicTable[int64, record.PublicFile]{Table[int64, record.PublicFile]{name: "public_files", codec: intKeys}}
	ArticleDocs     = &Docs{name: "articles"}

	PublicCollections = &PublicTable[int64, record.PublicCollection]{Table[int64, record.PublicCollection]{name: "public_collections", codec: intKeys}}
	// CollectionVersions is keyed by collection id and version number.
	CollectionVersions = &PublicTable[Pair, record.CollectionVersion]{Table[Pair, record.CollectionVersion]{name: "collection_versions", codec: pairKeys}}
	CollectionDocs     = &Docs{name: "collections"}

	PublicProjects = &PublicTable[int64, record.PublicProject]{Table[int64, record.PublicProject]{name: "public_projects", codec: intKeys}}
)

// Indexes. A name says what sorts; the comment says what the value holds.
var (
	AccountsByEmail = addIndex(Accounts, "email", 1, func(a *record.Account) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(record.FoldEmail(a.Email))}}
	})
	TokensByAccount = addIndex(Tokens, "account", 1, func(t *record.Token) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(t.AccountID)}}
	})
	// ArticlesByCreated sorts an account's articles by creation.
	ArticlesByCreated = addIndex(Articles, "created", 1, func(a *record.Article) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(a.AccountID, a.Created)}}
	})
	// CollectionsByCreated sorts an account's collections by creation; the value holds
	// their Facts.
	CollectionsByCreated = addIndex(Collections, "created", 2, func(c *record.Collection) []IndexEntry {
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
		if m.Invited() {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(m.AccountID, m.ProjectID), Value: []byte{byte(m.Role)}}}
	})
	// MembersByEmail has the invitations of an address that had no account.
	MembersByEmail = addIndex(ProjectMembers, "email", 1, func(m *record.ProjectMember) []IndexEntry {
		if !m.Invited() {
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
	// FilesPublished has the files of an article's public versions, shown or not.
	FilesPublished = addIndex(Files, "published", 1, func(f *record.File) []IndexEntry {
		if f.Added == 0 {
			return nil
		}
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
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
	// FilesChecking has the files whose integrity check is due or not finished.
	FilesChecking = addIndex(Files, "checking", 1, func(f *record.File) []IndexEntry {
		if f.Status != record.FileChecking && f.Status != record.FileMoving {
			return nil
		}
		return []IndexEntry{{Sort: SortKey("")}}
	})
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
	// PublicFilesByArticle has the files of an article's public versions.
	PublicFilesByArticle = PublicIndex[int64, record.PublicFile]{addIndex(&PublicFiles.Table, "article", 1, func(f *record.PublicFile) []IndexEntry {
		return []IndexEntry{{Sort: SortKey(f.ArticleID)}}
	})}
)

func byEmbargo(m *record.Metadata) []IndexEntry {
	if m.Embargo.Kind == record.NoEmbargo || m.Embargo.Until.IsZero() {
		return nil
	}
	return []IndexEntry{{Sort: SortKey(m.Embargo.Until)}}
}

// SortedTime is the time that a sort key begins with.
func SortedTime(sort []byte) time.Time {
	return time.Unix(intKeys.dec(sort[:8])^math.MinInt64, 0).UTC()
}

// Prefix is the beginning of all keys of a Pair table that belong to an owner.
func Prefix(owner int64) []byte { return intKeys.enc(owner) }

// stored is what the store knows of a table to prepare it.
type stored interface {
	bucketName() string
	indexVersions() string
	prepareIndexes(b *bbolt.Tx) error
}

var tables = []stored{
	&Counts.Table, Citations, // what the orders of others ask is there first
	HeldVersions,
	Accounts, Tokens, People, Articles, Files, Parts,
	&PublicArticles.Table, &ArticleVersions.Table, &PublicFiles.Table,
	Collections, &PublicCollections.Table, &CollectionVersions.Table,
	PrivateLinks,
	Projects, ProjectMembers, ProjectNotes, &PublicProjects.Table,
	Groups, Grants, Fields, AddressRanges,
	Reviews, ReviewComments, Submissions,
	Tombstones, WithdrawnVersions, WithdrawnFiles,
	Loads,
}

var docs = []*Docs{ArticleDocs, CollectionDocs}

const format = "1"

var metaBucket = []byte("meta")

func putFormat(b *bbolt.Tx) error {
	m, err := b.CreateBucketIfNotExists(metaBucket)
	if err != nil {
		return err
	}
	return m.Put([]byte("format"), []byte(format))
}

// prepare makes the buckets that are missing and rebuilds the indexes whose definition
// has changed since they were written.
func (db *DB) prepare() error {
	err := db.bolt.View(func(b *bbolt.Tx) error {
		m := b.Bucket(metaBucket)
		if m == nil {
			return fmt.Errorf("cannot use the database: it is not one of Alcove's")
		}
		if f := string(m.Get([]byte("format"))); f != format {
			return fmt.Errorf("cannot use the database: its format is %q, this program reads %q", f, format)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if db.prepared() {
		return db.bolt.View(db.readPosition)
	}
	return db.bolt.Update(func(b *bbolt.Tx) error {
		if _, err := b.CreateBucketIfNotExists(logBucket); err != nil {
			return fmt.Errorf("cannot prepare the database: %w", err)
		}
		if err := dropUnknownIndexes(b); err != nil {
			return err
		}
		cited := b.Bucket([]byte(CitationsByDOI.bucketName())) != nil
		if !cited && b.Bucket([]byte(Citations.bucketName())) != nil { // another program did not keep it up
			if err := b.DeleteBucket([]byte(Citations.bucketName())); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
		for _, d := range docs {
			if _, err := b.CreateBucketIfNotExists([]byte(d.bucketName())); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
		for _, t := range tables {
			if _, err := b.CreateBucketIfNotExists([]byte(t.bucketName())); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
			if err := t.prepareIndexes(b); err != nil {
				return err
			}
		}
		if !cited {
			if err := citeAll(&Tx{bolt: b, writable: true}); err != nil {
				return err
			}
		}
		if b.Bucket(metaBucket).Get(secretKey) == nil {
			if err := b.Bucket(metaBucket).Put(secretKey, newSecret()); err != nil {
				return fmt.Errorf("cannot prepare the database: %w", err)
			}
		}
		if err := b.Bucket(metaBucket).Put([]byte("schema"), []byte(schema())); err != nil {
			return fmt.Errorf("cannot prepare the database: %w", err)
		}
		return db.readPosition(b)
	})
}

// prepared reports whether the file was last prepared by the same definitions.
func (db *DB) prepared() (yes bool) {
	db.bolt.View(func(b *bbolt.Tx) error {
		m := b.Bucket(metaBucket)
		yes = string(m.Get([]byte("schema"))) == schema() && m.Get(secretKey) != nil
		return nil
	})
	return yes
}

func schema() string {
	var s string
	for _, d := range docs {
		s += d.bucketName() + ";"
	}
	for _, t := range tables {
		s += t.bucketName() + ";" + t.indexVersions()
	}
	return s
}

func (t *Table[K, R]) indexVersions() (s string) {
	for _, ix := range t.indexes {
		s += fmt.Sprintf("%s=%d;", ix.bucketName(), ix.version)
	}
	return s
}

func (t *Table[K, R]) prepareIndexes(b *bbolt.Tx) error {
	meta := b.Bucket(metaBucket)
	for _, ix := range t.indexes {
		key, want := []byte(ix.bucketName()), fmt.Sprint(ix.version)
		if b.Bucket(key) != nil && string(meta.Get(key)) == want {
			continue
		}
		if b.Bucket(key) != nil {
			if err := b.DeleteBucket(key); err != nil {
				return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
			}
		}
		if _, err := b.CreateBucket(key); err != nil {
			return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
		}
		tx := &Tx{bolt: b, writable: true}
		for row, err := range t.All(tx, nil) {
			if err != nil {
				return err
			}
			if err := ix.update(tx, t.codec.enc(row.Key), nil, row.Record); err != nil {
				return err
			}
		}
		if err := meta.Put(key, []byte(want)); err != nil {
			return fmt.Errorf("cannot rebuild index %s: %w", ix.name, err)
		}
	}
	return nil
}

// dropUnknownIndexes drops the indexes that a newer program has made in the file. This
// one does not keep them up, and the newer one must not take them for whole.
func dropUnknownIndexes(b *bbolt.Tx) error {
	var unknown [][]byte
	known := ";" + schema()
	err := b.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if bytes.HasPrefix(name, []byte("i:")) && !strings.Contains(known, fmt.Sprintf(";%s=", name)) {
			unknown = append(unknown, bytes.Clone(name))
		}
		return nil
	})
	for _, name := range unknown {
		err = errors.Join(err, b.DeleteBucket(name), b.Bucket(metaBucket).Delete(name))
	}
	if err != nil {
		return fmt.Errorf("cannot drop the indexes of another program: %w", err)
	}
	return nil
}

var secretKey = []byte("secret")

func newSecret() []byte {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return b
}

// Secret is a random secret of the store, of 32 bytes, that stays for its life: for what
// the server gives out and must know again. The caller must not change it.
func (db *DB) Secret() []byte { return db.secret }

// readPosition reads the secret, and where the change log ends.
func (db *DB) readPosition(b *bbolt.Tx) error {
	db.secret = bytes.Clone(b.Bucket(metaBucket).Get(secretKey))
	log := b.Bucket(logBucket)
	db.seq.Store(log.Sequence())
	if k, v := log.Cursor().Last(); k != nil {
		c, err := decodeChange(k, v)
		if err != nil {
			return err
		}
		db.last.Store(c.Time.UnixNano())
	}
	return nil
}
