package load

import (
	"errors"
	"fmt"
	"slices"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/cli/deposit"
	"alcove/handlers/items"
	"alcove/record"
)

// Expect lets members name the article of a line that Check would load, as if it were here.
// Lines must come in their order.
func (l *Loader) Expect(ln *Line) {
	if ln.kind != l.items.Articles {
		return
	}
	l.expected[ln.ID] = ln.appears
	said := ln.body.Common()
	names := []*string{said.DOI, said.Handle}
	for _, v := range ln.moved.versions {
		names = append(names, v.sentDOI)
	}
	for _, name := range names {
		if name != nil && bareName(*name) != "" {
			l.expected[bareName(*name)] = ln.appears
		}
	}
}

// bareName is a DOI or a handle as it is compared, "" for what is neither.
func bareName(text string) string {
	if doi, ok := record.ReadDOI(text); ok {
		return record.BareDOI(doi)
	}
	if handle, ok := record.ReadHandle(text); ok {
		return record.BareHandle(handle)
	}
	return ""
}

// members are the articles that a line names for a collection, in order. A version that is published
// with some that are not public is warned of, as its public version lacks them.
func (l *Loader) members(c *items.Caller, tx *bucket.Tx, col *record.Collection, list []deposit.Member, isPublic bool) ([]int64, error) {
	if err := record.Bounded("articles", len(list), 0, l.items.Limits.Lists.Articles); err != nil {
		return nil, err
	}
	ids := []int64{}
	hidden := 0
	for _, m := range list {
		id, public := m.ID, false
		if id == 0 {
			var err error
			if id, public, err = l.member(tx, m); err != nil {
				return nil, err
			}
		}
		if id != 0 {
			ids, public = append(ids, id), published.Articles.Has(tx, id)
		}
		if !public {
			hidden++
		}
	}
	ids, err := c.Members(tx, col, ids)
	if err != nil {
		return nil, err
	}
	if warning := record.WarnMembers(hidden); isPublic && hidden > 0 && !slices.Contains(c.Warned, warning) {
		c.Warned = append(c.Warned, warning)
	}
	return ids, nil
}

// member is the article with a name; 0, and whether it would be public, of one that is
// expected.
func (l *Loader) member(tx *bucket.Tx, m deposit.Member) (id int64, public bool, err error) {
	loaded, err := working.Loads.Get(tx, l.key(m.Line))
	switch {
	case err == nil:
		id = loaded.ArticleID
	case !errors.Is(err, bucket.ErrNotFound):
		return 0, false, err
	}
	bare := bareName(m.Name)
	if bare != "" {
		found, ok, err := working.IdentifiedArticle(tx, bare)
		switch {
		case err != nil:
			return 0, false, err
		case ok && id != 0 && found != id:
			return 0, false, record.Wrong("articles", fmt.Sprintf("holds %q, which is the key of a line and identifies another article", m.Name))
		case ok:
			id = found
		}
	}
	if id != 0 {
		return id, false, nil
	}
	for _, name := range []string{m.Line, bare, record.ItemDOI(bare)} {
		if public, ok := l.expected[name]; ok {
			return 0, public, nil
		}
	}
	return 0, false, record.Wrong("articles", fmt.Sprintf("holds %q, which is neither the key of a line before nor the DOI or handle of an article", m.Name))
}
