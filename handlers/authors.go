package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// AuthorsRead lists the authors of an own article, in order (specification 4.4).
func (a *API) AuthorsRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	list, err := people(tx, art.Authors)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.Authors(list), Modified: art.Modified}, nil
}

// AuthorsAdd puts people behind the authors that an own article has.
func (a *API) AuthorsAdd(c *Call, tx *bucket.Tx, body *record.AuthorsBody) (Reply, error) {
	return a.writeAuthors(c, tx, body, true)
}

// AuthorsReplace gives an own article other authors.
func (a *API) AuthorsReplace(c *Call, tx *bucket.Tx, body *record.AuthorsBody) (Reply, error) {
	return a.writeAuthors(c, tx, body, false)
}

func (a *API) writeAuthors(c *Call, tx *bucket.Tx, body *record.AuthorsBody, add bool) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	ids, err := c.people(tx, *body.Authors)
	if err != nil {
		return Reply{}, err
	}
	if add {
		ids = append(art.Authors, ids...)
	}
	art.Authors = unique(ids)
	if err := putArticle(tx, art); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 205, Location: a.Settings.API("/account/articles/%d/authors", art.ID)}, nil
}

// AuthorDelete takes one author off an own article.
func (a *API) AuthorDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	i := slices.Index(art.Authors, c.ID("author_id"))
	if i < 0 {
		return Reply{}, record.ErrAuthorAbsent
	}
	art.Authors = slices.Delete(art.Authors, i, i+1)
	return Reply{Status: 204}, putArticle(tx, art)
}

// people turns references into person ids: people given by id must be visible to the
// caller, those given by name are stored as new people. It looks everybody up before it
// stores anybody.
func (c *Call) people(tx *bucket.Tx, refs []record.AuthorRef) ([]int64, error) {
	for _, r := range refs {
		if r.ID != nil && *r.ID != 0 {
			if _, err := c.visiblePerson(tx, *r.ID); err != nil {
				return nil, err
			}
		}
	}
	ids := []int64{}
	for _, r := range refs {
		if r.ID != nil && *r.ID != 0 {
			ids = append(ids, *r.ID)
			continue
		}
		p := r.NewPerson(c.Account.ID)
		var err error
		if p.ID, err = bucket.People.NextID(tx); err != nil {
			return nil, err
		}
		if err := bucket.People.Put(tx, p.ID, p); err != nil {
			return nil, err
		}
		ids = append(ids, p.ID)
	}
	return unique(ids), nil
}

// people loads people by id, in order.
func people(tx *bucket.Tx, ids []int64) ([]record.Person, error) {
	list := make([]record.Person, 0, len(ids))
	for _, id := range ids {
		p, err := bucket.People.Get(tx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, *p)
	}
	return list, nil
}

// unique drops repetitions and keeps the order.
func unique(ids []int64) []int64 {
	seen := map[int64]bool{}
	out := []int64{}
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}
