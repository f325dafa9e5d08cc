package load

import (
	"errors"
	"maps"
	"slices"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/handlers/items"
	"alcove/record"
)

// besides is what a line says beside the body of its article.
type besides struct {
	project     int64
	embargo     *record.EmbargoBody
	secret      *record.ConfidentialityBody
	resource    *record.ResourceBody
	links       []*record.LinkBody
	collections []int64
}

// readBesides reads what stands beside the body of an item.
func (l *Loader) readBesides(ln *Line, in Bodies) error {
	b := &ln.besides
	if in.Embargo != nil {
		b.embargo = new(record.EmbargoBody)
		if err := l.read(ln, in.Embargo, b.embargo); err != nil {
			return err
		}
		if err := b.embargo.Check(); err != nil {
			return err
		}
	}
	if in.Confidential != nil {
		b.secret = new(record.ConfidentialityBody)
		if err := l.read(ln, in.Confidential, b.secret); err != nil {
			return err
		}
		if err := b.secret.Check(); err != nil {
			return err
		}
	}
	if in.Resource != nil {
		b.resource = new(record.ResourceBody)
		if err := l.read(ln, in.Resource, b.resource); err != nil {
			return err
		}
		if err := b.resource.Check(); err != nil {
			return err
		}
	}
	if len(in.Links) > items.MaxLinks {
		return record.ErrTooManyLinks
	}
	for _, text := range in.Links {
		body := new(record.LinkBody)
		if err := l.read(ln, text, body); err != nil {
			return err
		}
		b.links = append(b.links, body)
	}
	return nil
}

// describe writes to a draft what stands beside its body, or refuses that. It stores
// nothing.
func (l *Loader) describe(c *items.Caller, tx *bucket.Tx, item items.Item, ln *Line) (err error) {
	w, b := item.Common(), &ln.besides
	if col, ok := item.(*record.Collection); ok {
		if col.Articles, err = l.members(c, tx, col, ln.members, ln.Publish); err != nil {
			return err
		}
	}
	if b.project != 0 {
		if _, _, err := c.MemberProject(tx, b.project, record.ProjectCollaborator); err != nil {
			return err
		}
		w.ProjectID = b.project
	}
	if b.embargo != nil {
		if w.Embargo, err = b.embargo.Apply(w.Embargo, tx.Clock()); err != nil {
			return err
		}
		if err := items.NameRanges(tx, &w.Embargo, nil); err != nil {
			return err
		}
	}
	if b.secret != nil {
		if w.Embargo, err = b.secret.Apply(w.Embargo); err != nil {
			return err
		}
	}
	if b.resource != nil {
		b.resource.Apply(&w.Metadata)
	}
	for _, body := range b.links {
		if err := ln.kind.ApplyLink(&record.PrivateLink{}, body, tx.Latest()); err != nil {
			return err
		}
	}
	for _, id := range b.collections {
		if _, err := l.collection(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// collection is a collection of the account.
func (l *Loader) collection(tx *bucket.Tx, id int64) (*record.Collection, error) {
	col, err := working.Collections.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && col.AccountID != l.account {
		return nil, record.ErrCollectionNotFound
	}
	return col, err
}

// collect puts articles that were loaded into collections, each of which is written once
// in a commit.
func (l *Loader) collect(tx *bucket.Tx, collected map[int64][]int64) error {
	for _, id := range slices.Sorted(maps.Keys(collected)) {
		col, err := l.collection(tx, id)
		if err != nil {
			return err
		}
		col.Articles = items.Unique(append(col.Articles, collected[id]...))
		if err := l.items.Collections.Put(tx, col); err != nil {
			return err
		}
	}
	return nil
}
