package items

import (
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/record"
)

// People loads people by id, in order.
func People(tx *bucket.Tx, ids []int64) ([]record.Person, error) {
	list := make([]record.Person, 0, len(ids))
	for _, id := range ids {
		p, err := users.People.Get(tx, id)
		if err != nil {
			return nil, err
		}
		list = append(list, *p)
	}
	return list, nil
}

// makePublic notes that people are named in something public.
func makePublic(tx *bucket.Tx, authors []record.Person) error {
	for i := range authors {
		if authors[i].Public {
			continue
		}
		authors[i].Public = true
		if err := users.People.PutDeferred(tx, authors[i].ID, &authors[i]); err != nil {
			return err
		}
	}
	return nil
}

// unname makes people private again that nothing public names any more. It looks at each once, however often it is named.
func unname(tx *bucket.Tx, lists ...[]record.Person) error {
	seen := map[int64]bool{}
	for _, authors := range lists {
		for i := range authors {
			id := authors[i].ID
			if seen[id] {
				continue
			}
			seen[id] = true
			if named(published.VersionsByAuthor.Ascending(tx, bucket.SortKey(id))) || named(published.CollectionVersionsByAuthor.Ascending(tx, bucket.SortKey(id))) {
				continue
			}
			now, err := users.People.Get(tx, id)
			if err != nil {
				return err
			}
			if !now.Public {
				continue
			}
			now.Public = false
			if err := users.People.PutDeferred(tx, id, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// named reports whether there is any version.
func named(versions iter.Seq[bucket.Hit[bucket.Pair]]) bool {
	for range versions {
		return true
	}
	return false
}

// Unique drops repetitions and keeps the order.
func Unique(ids []int64) []int64 {
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

// known reports whether a reference gives an id rather than a name.
func known(r record.AuthorRef) bool { return r.ID != nil && *r.ID != 0 }

// NewPeople are the references by name.
func NewPeople(refs []record.AuthorRef) []record.AuthorRef {
	return slices.DeleteFunc(slices.Clone(refs), known)
}

// MayName refuses references to people given by id that the caller may not see and who
// are not among those that the item has: the answer is unknown.
func (c *Caller) MayName(tx *bucket.Tx, refs []record.AuthorRef, has []int64, unknown *record.Error) error {
	seen := make(map[int64]bool, len(has))
	for _, id := range has {
		seen[id] = true
	}
	for _, r := range refs {
		if !known(r) || seen[*r.ID] {
			continue
		}
		if !users.SeenPerson(tx, *r.ID, c.Account.ID).Named {
			return unknown
		}
		seen[*r.ID] = true
	}
	return nil
}

// Name are the ids of people that the caller may name; those given by name are stored as new
// people.
func (c *Caller) Name(tx *bucket.Tx, refs []record.AuthorRef) ([]int64, error) {
	ids, stored := []int64{}, c.Stored
	for _, r := range refs {
		switch {
		case known(r):
			ids = append(ids, *r.ID)
		case len(stored) > 0:
			ids, stored = append(ids, stored[0]), stored[1:]
		default:
			id, err := c.NewPerson(tx, r)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
	}
	return Unique(ids), nil
}

// NewPerson stores the person that a name stands for.
func (c *Caller) NewPerson(tx *bucket.Tx, r record.AuthorRef) (int64, error) {
	namer := c.Account.ID
	if namer == 0 { // the holder of a private link names people for the owner
		namer = c.Actor
	}
	p := r.NewPerson(namer)
	p.Public = c.Appears
	var err error
	if p.ID, err = users.People.NextID(tx); err != nil {
		return 0, err
	}
	return p.ID, users.People.PutDeferred(tx, p.ID, p)
}
