// Package erasure takes a person, or the bytes of a file, out of a repository. An erasure is noted first, by ids and hashes, and then
// done in steps that may each be done again: what is killed goes on where it was, and a copy of before, when it is
// restored, goes the same way. Published items stay: authorship, descriptions, identifiers.
package erasure

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/handlers/accounts"
	"alcove/record"
)

// Query says who or what.
type Query struct {
	Kind    string `json:"kind"`    // record.ErasePerson or record.EraseFile
	Account string `json:"account"` // e-mail address or id
	File    int64  `json:"file"`
	Same    bool   `json:"same"` // other files with the same bytes, too
}

// Trace is one kind of thing that a repository has of who or what is to be erased.
type Trace struct {
	Where string `json:"where"`
	Count int64  `json:"count"`
	Stays string `json:"stays"` // why it does, "" for what goes
}

// Traces are all of them, and what is left out where nothing may be done.
type Traces struct {
	Kind    string  `json:"kind"`
	ID      int64   `json:"id"`
	Found   []Trace `json:"found"`
	Refused string  `json:"refused"` // why it cannot be done as it was asked for, "" for it can

	Blobs []string `json:"blobs"` // SHA-256 in hex of bytes that go

	plan record.Erasure
}

func (t *Traces) add(where string, count int, stays string) {
	if count == 0 {
		return
	}
	for i := range t.Found { // of another account of the person
		if one := &t.Found[i]; one.Where == where && one.Stays == stays {
			one.Count += int64(count)
			return
		}
	}
	t.Found = append(t.Found, Trace{where, int64(count), stays})
}

// eraseMost is how many ids an erasure names.
const eraseMost = 200_000

// FindTraces tells what an erasure would do. It changes nothing.
func FindTraces(db *bucket.DB, q Query) (t *Traces, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		t, err = traces(tx, q)
		return err
	})
	return t, err
}

func traces(tx *bucket.Tx, q Query) (*Traces, error) {
	t := &Traces{Kind: q.Kind, Found: []Trace{}, plan: record.Erasure{Kind: q.Kind}}
	switch q.Kind {
	case record.EraseFile:
		return t, t.file(tx, q)
	case record.ErasePerson:
		acc, err := accounts.Find(tx, q.Account)
		if err != nil {
			return nil, err
		}
		return t, t.person(tx, acc)
	}
	return nil, fmt.Errorf("cannot erase a %q", q.Kind)
}

func (t *Traces) file(tx *bucket.Tx, q Query) error {
	f, err := files.Files.Get(tx, q.File)
	if errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("cannot find a file %d", q.File)
	}
	if err != nil {
		return err
	}
	t.ID = f.ID
	list := []*record.File{f}
	if f.SHA256 != "" {
		others, err := named(tx, f.SHA256, f.ID)
		if err != nil {
			return err
		}
		if q.Same {
			list = append(list, others...)
		} else if len(others) > 0 {
			var ids []string
			for _, o := range others {
				ids = append(ids, fmt.Sprint(o.ID))
			}
			t.Refused = fmt.Sprintf("the same bytes are in %d other files (%s), so that they would stay: --same erases these, too", len(others), strings.Join(ids[:min(len(ids), 20)], ", "))
		}
	}
	public, versions := map[int64]bool{}, 0
	for _, f := range list {
		t.take(f)
		if f.Added > 0 {
			public[f.ArticleID] = true
		}
		for range withdrawn.Files.All(tx, bucket.Prefix(f.ID)) {
			versions++
		}
	}
	t.add("records of files", len(list), "")
	t.add("articles of which all public versions are withdrawn; a tombstone stays", len(public), "")
	t.add("files of withdrawn versions", versions, "")
	t.bytes()
	t.add("entries of the change log", 1, "they have ids and hashes only")
	return nil
}

// take puts a file into the plan.
func (t *Traces) take(f *record.File) {
	t.plan.Files = append(t.plan.Files, f.ID)
	if f.SHA256 != "" && !slices.Contains(t.plan.Blobs, f.SHA256) {
		t.plan.Blobs = append(t.plan.Blobs, f.SHA256)
	}
	if f.Token != "" {
		t.plan.Staged = append(t.plan.Staged, f.Token)
	}
}

func (t *Traces) bytes() {
	t.Blobs = t.plan.Blobs
	t.add("stored bytes, their checksums and thumbnails", len(t.plan.Blobs), "")
	t.add("bytes of uploads, where they are not stored yet", len(t.plan.Staged), "")
	t.add("search index, which is rebuilt", 1, "")
}

// named are the files that have bytes, but for one.
func named(tx *bucket.Tx, sha string, but int64) (list []*record.File, err error) {
	for hit := range files.ByBlob.Ascending(tx, bucket.SortKey(sha)) {
		if hit.Key == but {
			continue
		}
		f, err := files.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// person is an account with those that were merged into it.
func (t *Traces) person(tx *bucket.Tx, acc *record.Account) error {
	merged, err := mergedInto(tx, acc.ID)
	if err != nil {
		return err
	}
	t.ID, t.plan.AccountID = acc.ID, acc.ID
	if err := t.account(tx, acc); err != nil {
		return err
	}
	for _, one := range merged {
		t.plan.Merged = append(t.plan.Merged, one.ID)
		if err := t.account(tx, one); err != nil {
			return err
		}
	}
	t.add("accounts among these that were merged into it", len(merged), "")
	if acc.MergedInto != 0 {
		t.add(fmt.Sprintf("account %d, into which it was merged, with the items, applications and sign-in at other services that it took over", acc.MergedInto), 1,
			"erase that one, and this one goes with it, where both are the same person's")
	}
	t.bytes()
	t.add("entries of the change log", 1, "they have ids and hashes only")
	return nil
}

// mergedInto are the accounts that were merged into one, and into these.
func mergedInto(tx *bucket.Tx, id int64) (list []*record.Account, err error) {
	into := map[int64][]*record.Account{}
	for row, err := range users.Accounts.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		if row.Record.MergedInto != 0 {
			into[row.Record.MergedInto] = append(into[row.Record.MergedInto], row.Record)
		}
	}
	next := []int64{id}
	for len(next) > 0 {
		some := into[next[0]]
		delete(into, next[0])
		next = next[1:]
		for _, acc := range some {
			list, next = append(list, acc), append(next, acc.ID)
		}
	}
	return list, nil
}

func (t *Traces) account(tx *bucket.Tx, acc *record.Account) error {
	person, err := users.People.Get(tx, acc.PersonID)
	if err != nil {
		return err
	}
	t.add("account: mail address, names, password, ids of the institution", 1, "")
	t.add("account without these, and its id", 1, "records name it")
	if person.Profile != nil {
		t.add("profile", 1, "")
	}
	if person.Public {
		t.add("name and ORCID iD", 1, "the person is named in something published")
	} else {
		t.add("name and ORCID iD", 1, "")
	}
	of := personal{acc, person, nil}
	if err := of.each(tx, func(kind string, list []wipe) error {
		t.add(kind, len(list), "")
		return nil
	}); err != nil {
		return err
	}
	drafts, published, err := of.articles(tx)
	if err != nil {
		return err
	}
	for _, id := range drafts {
		for hit := range files.ByArticle.Ascending(tx, bucket.SortKey(id)) {
			f, err := files.Files.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if t.take(f); len(t.plan.Files) > eraseMost {
				return fmt.Errorf("cannot erase more than %d files at once; delete some drafts first", eraseMost)
			}
		}
	}
	t.add("articles that were never published, with their files", len(drafts), "")
	t.add("articles that were published", len(published), "what was published is cited; withdraw it first where it must go")
	own, public, err := of.collections(tx)
	if err != nil {
		return err
	}
	t.plan.Articles, t.plan.Collections = append(t.plan.Articles, published...), append(t.plan.Collections, public...)
	t.add("collections that were never published", len(own), "")
	t.add("collections that were published", len(public), "what was published is cited")
	return nil
}
