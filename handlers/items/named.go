package items

import (
	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/record"
)

// Names in bodies of articles, collections and projects name by an id, and what that stands for.

// Fill completes the grants and materials of a body that are named by their id: those
// that the item has, or another item of the caller's. Others are unknown (422).
func (c *Caller) Fill(tx *bucket.Tx, has *record.Metadata, b *record.Extras) error {
	left := mostElsewhere
	grants := finder[string]{c: c, of: (*record.Metadata).Grants, left: &left}
	materials := finder[record.RelatedMaterial]{c: c, of: (*record.Metadata).MaterialsByID, left: &left}
	if b.Grants != nil {
		for i := range *b.Grants {
			g := &(*b.Grants)[i]
			if g.Known() == 0 {
				continue
			}
			title, ok, err := grants.find(tx, has, g.Known())
			if err != nil {
				return err
			}
			if !ok {
				return record.Wrong("funding_list", "names a grant that is in none of your items; give its title")
			}
			g.Fill(title)
		}
	}
	if b.Materials != nil {
		for i := range *b.Materials {
			r := &(*b.Materials)[i]
			if r.Known() == 0 {
				continue
			}
			m, ok, err := materials.find(tx, has, r.Known())
			if err != nil {
				return err
			}
			if !ok {
				return record.Wrong("related_materials", "names a material that is in none of your items; give its identifier")
			}
			r.Fill(m)
		}
	}
	return nil
}

// finder looks for what ids stand for. The answer for an item is made once.
type finder[T any] struct {
	c     *Caller
	of    func(*record.Metadata) map[int64]T
	left  *int // how often it may look elsewhere
	known map[foundIn]map[int64]T
}

// foundIn is an item of the caller's: a kind and an id, or the zero value for the one that is
// being changed.
type foundIn struct{ kind, id int64 }

// find looks in an item, and, as long as left lasts, in the caller's articles, collections
// and projects.
func (f *finder[T]) find(tx *bucket.Tx, has *record.Metadata, id int64) (found T, ok bool, err error) {
	if found, ok, err = f.in(foundIn{}, id, func() (*record.Metadata, error) { return has, nil }); ok || *f.left == 0 {
		return found, ok, err
	}
	*f.left--
	key := bucket.SortKey(f.c.Account.ID, id)
	if at, hit := working.ArticlesByNamed.First(tx, key); hit {
		found, ok, err = f.in(foundIn{record.KindArticle, at}, id, func() (*record.Metadata, error) {
			art, err := working.Articles.Get(tx, at)
			if err != nil {
				return nil, err
			}
			return &art.Metadata, nil
		})
		if ok || err != nil {
			return found, ok, err
		}
	}
	if at, hit := working.CollectionsByNamed.First(tx, key); hit {
		found, ok, err = f.in(foundIn{record.KindCollection, at}, id, func() (*record.Metadata, error) {
			col, err := working.Collections.Get(tx, at)
			if err != nil {
				return nil, err
			}
			return &col.Metadata, nil
		})
		if ok || err != nil {
			return found, ok, err
		}
	}
	if at, hit := working.ProjectsByNamed.First(tx, key); hit {
		return f.in(foundIn{record.KindProject, at}, id, func() (*record.Metadata, error) {
			p, err := working.Projects.Get(tx, at)
			if err != nil {
				return nil, err
			}
			return p.Metadata(), nil
		})
	}
	return found, false, nil
}

func (f *finder[T]) in(item foundIn, id int64, load func() (*record.Metadata, error)) (found T, ok bool, err error) {
	byID, have := f.known[item]
	if !have {
		m, err := load()
		if err != nil {
			return found, false, err
		}
		if f.known == nil {
			f.known = map[foundIn]map[int64]T{}
		}
		byID = f.of(m)
		f.known[item] = byID
	}
	found, ok = byID[id]
	return found, ok, nil
}

// UsableGroup refuses a group that is neither the caller's own nor one that it
// administers. One that does not exist is refused in the same way.
func (c *Caller) UsableGroup(tx *bucket.Tx, group int64, refused *record.Error) error {
	mine, err := c.AdministersGroup(tx, group)
	if err == nil && !mine && group != c.Account.GroupID {
		err = refused
	}
	return err
}

// mostElsewhere is how many ids of one body may mean something of another item.
const mostElsewhere = 50
