package items

import (
	"errors"

	"alcove/bucket"
	"alcove/bucket/counting"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/withdrawn"
	"alcove/record"
)

// Withdrawing takes everything of an item out of the public tables, so that no public address can
// show any of it. The records move to tables of their own, beside a tombstone that says why. Whatever
// its owner has goes on as a private item; the next publication has the next number.

// Withdraw withdraws all public versions of an article, and what waits for the end of an embargo or
// for a review, in the name of an account.
func (s *Service) Withdraw(tx *bucket.Tx, art *record.Article, by int64, why record.Withdrawal) error {
	if err := ClosePending(tx, art.ID); err != nil {
		return err
	}
	if err := deleteEmbargoed(tx, art.ID); err != nil {
		return err
	}
	if art.Public() {
		if err := s.articles.withdraw(tx, &art.Working, by, why); err != nil {
			return err
		}
		if err := withdrawFiles(tx, art); err != nil {
			return err
		}
	}
	return PutArticle(tx, art)
}

// WithdrawCollection withdraws all public versions of a collection. The caller stores it.
func (s *Service) WithdrawCollection(tx *bucket.Tx, col *record.Collection, by int64, why record.Withdrawal) error {
	return s.collections.withdraw(tx, &col.Working, by, why)
}

// withdraw moves the public versions of an item out of sight. The caller stores the working copy.
func (p *public[V, H]) withdraw(tx *bucket.Tx, w *record.Working, by int64, why record.Withdrawal) error {
	tomb := &record.Tombstone{
		ArticleID: w.ID, Version: w.Version, AccountID: w.AccountID, DOI: w.DOI, Withdrawal: why, By: by, At: tx.Now(),
	}
	head, err := p.heads.Get(tx, w.ID)
	if err != nil {
		return err
	}
	tomb.Sets = p.sets(head)
	var versions []*V
	for row, err := range p.versions.All(tx, bucket.Prefix(w.ID)) {
		if err != nil {
			return err
		}
		versions = append(versions, row.Record)
		m := p.docs.about(row.Record).meta
		tomb.DOI, tomb.Handle, tomb.Foreign = m.DOI, m.Handle, m.Origin != ""
	}
	for _, v := range versions {
		key := p.docs.about(v).key
		if err := errors.Join(p.withdrawn.Put(tx, key, v), p.versions.Delete(tx, key)); err != nil {
			return err
		}
	}
	if err := p.docs.docs.DeleteAll(tx, w.ID); err != nil {
		return err
	}
	authors := make([][]record.Person, 0, len(versions))
	for _, v := range versions {
		authors = append(authors, p.docs.about(v).authors)
	}
	if err := unname(tx, authors...); err != nil {
		return err
	}
	if err := p.heads.Delete(tx, w.ID); err != nil {
		return err
	}
	if err := counting.Cite(tx, p.kind().Item(w.ID), "", record.Citation{}); err != nil {
		return err
	}
	w.Withdrawn, w.Saved, w.Published = true, true, nil
	return p.tombstones.Put(tx, bucket.Pair{A: w.ID, B: int64(w.Version)}, tomb)
}

// withdrawFiles makes the files of public versions private again. Those of the working
// copy are as if they had never been published. The others stay until the article is
// deleted, and count as private until then.
func withdrawFiles(tx *bucket.Tx, art *record.Article) error {
	account, err := users.Accounts.Get(tx, art.AccountID)
	if err != nil {
		return err
	}
	list, err := indexedFiles(tx, files.Hidden, art.ID)
	if err != nil {
		return err
	}
	for _, id := range bucket.Keys(files.PublicFilesByArticle.Ascending(tx, bucket.SortKey(art.ID))) {
		f, err := files.Files.Get(tx, id)
		if err != nil {
			return err
		}
		list = append(list, f)
		if err := files.PublicFiles.Delete(tx, id); err != nil {
			return err
		}
	}
	for _, f := range list {
		if err := withdrawn.Files.PutDeferred(tx, bucket.Pair{A: f.ID, B: int64(f.Added)}, f.Public(f.Modified)); err != nil {
			return err
		}
		account.UsedPublic -= f.Size
		account.UsedPrivate += f.Size
		f.Hidden, f.Modified = false, tx.Now()
		f.Added = 0
		if f.Dropped {
			f.Withdrawn, f.Removed = true, art.NextVersion()
		}
		if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	return users.Accounts.Put(tx, account.ID, account)
}

// dropWithdrawn deletes the files of an article that only withdrawn versions have.
func dropWithdrawn(tx *bucket.Tx, article int64) error {
	files, err := indexedFiles(tx, files.Withdrawn, article)
	if err != nil {
		return err
	}
	return deleteFiles(tx, files...)
}

// WithdrawProject takes what readers know of a project out of sight. The caller stores it.
func WithdrawProject(tx *bucket.Tx, p *record.Project, by int64, why record.Withdrawal) error {
	public, err := published.Projects.Get(tx, p.ID)
	if err != nil {
		return err
	}
	n := 1
	for _, err := range withdrawn.ProjectTombstones.All(tx, bucket.Prefix(p.ID)) {
		if err != nil {
			return err
		}
		n++
	}
	key := bucket.Pair{A: p.ID, B: int64(n)}
	p.Published = nil
	return errors.Join(
		withdrawn.Projects.Put(tx, key, public),
		published.Projects.Delete(tx, p.ID),
		counting.Cite(tx, bucket.Pair{A: record.KindProject, B: p.ID}, "", record.Citation{}),
		withdrawn.ProjectTombstones.Put(tx, key, &record.Tombstone{
			ArticleID: p.ID, Version: n, AccountID: p.AccountID, Withdrawal: why, By: by, At: tx.Now(),
		}),
	)
}
