package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/record"
)

// A leaver's items go to another account one by one, each in a transaction of its own, so that no other write waits
// for all of them: when that is broken off, it goes on with those that are left.

// Owned is what an account would hand over.
type Owned struct {
	Articles    int `json:"articles"`
	Collections int `json:"collections"`
	Projects    int `json:"projects"` // that it is a member of, its own among them
}

// OwnedBy counts what an account would hand over.
func OwnedBy(tx *bucket.Tx, account int64) (o Owned) {
	for range working.ArticlesByCreated.Ascending(tx, bucket.SortKey(account)) {
		o.Articles++
	}
	for range working.CollectionsByCreated.Ascending(tx, bucket.SortKey(account)) {
		o.Collections++
	}
	for range working.MembersByAccount.Ascending(tx, bucket.SortKey(account)) {
		o.Projects++
	}
	return o
}

// HandOver gives the next item or membership of an account to another one, and reports false where none is left. The
// quota of the account that gets it is not asked. Names of authors, and who wrote notes and comments, stay.
func HandOver(tx *bucket.Tx, from, to *record.Account) (bool, error) {
	for hit := range working.ArticlesByCreated.Ascending(tx, bucket.SortKey(from.ID)) {
		return true, handOverArticle(tx, hit.Key, from, to)
	}
	for hit := range working.CollectionsByCreated.Ascending(tx, bucket.SortKey(from.ID)) {
		return true, handOverCollection(tx, hit.Key, from, to)
	}
	for hit := range working.MembersByAccount.Ascending(tx, bucket.SortKey(from.ID)) {
		return true, handOverMembership(tx, hit.Key, to)
	}
	return false, nil
}

func handOverArticle(tx *bucket.Tx, id int64, from, to *record.Account) error {
	art, err := working.Articles.Get(tx, id)
	if err != nil {
		return err
	}
	list := map[int64]*record.File{}
	for _, in := range []*bucket.Index[int64]{files.ByArticle, files.Published, files.Withdrawn, files.Held, files.Submitted, files.ToPublish} {
		some, err := indexedFiles(tx, in, id)
		if err != nil {
			return err
		}
		for _, f := range some {
			list[f.ID] = f
		}
	}
	private, public := int64(0), int64(0)
	for _, f := range list {
		if f.Added > 0 {
			public += f.Size
		} else {
			private += f.Size
		}
		f.AccountID = to.ID
		if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	for _, key := range bucket.Keys(working.ReviewsByArticle.Ascending(tx, bucket.SortKey(id))) {
		r, err := working.Reviews.Get(tx, key)
		if err != nil {
			return err
		}
		r.AccountID = to.ID
		if err := working.Reviews.Put(tx, key, r); err != nil {
			return err
		}
	}
	art.AccountID = to.ID
	if err := working.Articles.Put(tx, id, art); err != nil {
		return err
	}
	return errors.Join(handOverTombstones(tx, withdrawn.Tombstones, id, to.ID), handOverBytes(tx, from, to, private, public, art.CopyWeight+art.VersionsWeight))
}

func handOverCollection(tx *bucket.Tx, id int64, from, to *record.Account) error {
	col, err := working.Collections.Get(tx, id)
	if err != nil {
		return err
	}
	col.AccountID = to.ID
	if err := working.Collections.Put(tx, id, col); err != nil {
		return err
	}
	return errors.Join(handOverTombstones(tx, withdrawn.CollectionTombstones, id, to.ID), handOverBytes(tx, from, to, 0, 0, col.CopyWeight+col.VersionsWeight))
}

func handOverTombstones(tx *bucket.Tx, table *bucket.Table[bucket.Pair, record.Tombstone], item, account int64) error {
	var keys []bucket.Pair
	for row, err := range table.All(tx, bucket.Prefix(item)) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	for _, key := range keys {
		t, err := table.Get(tx, key)
		if err != nil {
			return err
		}
		t.AccountID = account
		if err := table.Put(tx, key, t); err != nil {
			return err
		}
	}
	return nil
}

func handOverBytes(tx *bucket.Tx, from, to *record.Account, private, public, metadata int64) error {
	from.UsedPrivate, to.UsedPrivate = from.UsedPrivate-private, to.UsedPrivate+private
	from.UsedPublic, to.UsedPublic = from.UsedPublic-public, to.UsedPublic+public
	from.UsedMetadata, to.UsedMetadata = max(0, from.UsedMetadata-metadata), to.UsedMetadata+metadata
	return errors.Join(users.Accounts.Put(tx, from.ID, from), users.Accounts.Put(tx, to.ID, to))
}

// handOverMembership puts an account in the place of a member of a project. One that is in the project keeps the
// higher role of the two.
func handOverMembership(tx *bucket.Tx, key bucket.Pair, to *record.Account) error {
	m, err := working.ProjectMembers.Get(tx, key)
	if err != nil {
		return err
	}
	p, err := working.Projects.Get(tx, m.ProjectID)
	if err != nil {
		return err
	}
	if err := working.ProjectMembers.Delete(tx, key); err != nil {
		return err
	}
	next := &record.ProjectMember{ProjectID: p.ID, UserID: to.PersonID, AccountID: to.ID, Role: m.Role, Created: m.Created}
	for _, other := range bucket.Keys(working.MembersByAccount.Ascending(tx, bucket.SortKey(to.ID, p.ID))) {
		had, err := working.ProjectMembers.Get(tx, other)
		if err != nil {
			return err
		}
		next.Role = max(next.Role, had.Role)
		if err := working.ProjectMembers.Delete(tx, other); err != nil {
			return err
		}
	}
	if next.Role == record.ProjectOwner {
		p.AccountID = to.ID
	}
	if err := working.ProjectMembers.Put(tx, MemberKey(next), next); err != nil {
		return err
	}
	return PutProject(tx, p)
}
