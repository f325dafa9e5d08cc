package handlers

import (
	"context"
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// mayName refuses references to people given by id whom the caller may not see and who
// are not among those that the item has: the answer is unknown.
func (c *Call) mayName(tx *bucket.Tx, refs []record.AuthorRef, has []int64, unknown *record.Error) error {
	seen := make(map[int64]bool, len(has))
	for _, id := range has {
		seen[id] = true
	}
	for _, r := range refs {
		if !known(r) || seen[*r.ID] {
			continue
		}
		if !bucket.SeenPerson(tx, *r.ID, c.Account.ID).Named {
			return unknown
		}
		seen[*r.ID] = true
	}
	return nil
}

// name are the ids of people whom the caller may name; those given by name are stored as new
// people.
func (c *Call) name(tx *bucket.Tx, refs []record.AuthorRef) ([]int64, error) {
	ids, stored := []int64{}, c.stored
	for _, r := range refs {
		switch {
		case known(r):
			ids = append(ids, *r.ID)
		case len(stored) > 0:
			ids, stored = append(ids, stored[0]), stored[1:]
		default:
			id, err := c.newPerson(tx, r)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
	}
	return unique(ids), nil
}

// known reports whether a reference gives an id rather than a name.
func known(r record.AuthorRef) bool { return r.ID != nil && *r.ID != 0 }

// newPerson stores the person that a name stands for.
func (c *Call) newPerson(tx *bucket.Tx, r record.AuthorRef) (int64, error) {
	namer := c.Account.ID
	if namer == 0 { // the holder of a private link names people for the owner
		namer = c.actor
	}
	p := r.NewPerson(namer)
	p.Public = c.appears
	var err error
	if p.ID, err = bucket.People.NextID(tx); err != nil {
		return 0, err
	}
	return p.ID, bucket.People.PutDeferred(tx, p.ID, p)
}

// newPeople are the references by name.
func newPeople(refs []record.AuthorRef) []record.AuthorRef {
	return slices.DeleteFunc(slices.Clone(refs), known)
}

// peopleAtOnce is how many new people one commit stores. A thousand take some 30 ms, for which all
// other writers wait.
const peopleAtOnce = 200

// storePeople stores people, a few in each commit, for the write that names them. Until then they
// are as people whom no item names any more; undo removes them.
func (c *Call) storePeople(refs []record.AuthorRef) (undo func(), err error) {
	db := c.API.DB
	c.stored = nil // it may run twice
	undo = func() {
		ctx := bucket.Frees(context.WithoutCancel(c.Context)) // also when the client is gone or the disk full
		for ids := range slices.Chunk(c.stored, peopleAtOnce) {
			_ = db.UpdateBy(ctx, c.by(), func(tx *bucket.Tx) error { // those that stay harm nothing
				for _, id := range ids {
					if err := bucket.People.Delete(tx, id); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	for few := range slices.Chunk(refs, peopleAtOnce) {
		var ids []int64
		err := db.UpdateBy(c.writing(), c.by(), func(tx *bucket.Tx) error {
			ids = ids[:0] // it may run twice
			for _, r := range few {
				id, err := c.newPerson(tx, r)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return nil
		})
		if err != nil {
			undo()
			return nil, err
		}
		c.stored = append(c.stored, ids...)
	}
	return undo, nil
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

// makePublic notes that people are named in something public.
func makePublic(tx *bucket.Tx, authors []record.Person) error {
	for i := range authors {
		if authors[i].Public {
			continue
		}
		authors[i].Public = true
		if err := bucket.People.PutDeferred(tx, authors[i].ID, &authors[i]); err != nil {
			return err
		}
	}
	return nil
}

// unname makes people private again whom nothing public names any more.
func unname(tx *bucket.Tx, authors []record.Person) error {
	for _, p := range authors {
		if named(bucket.VersionsByAuthor.Ascending(tx, bucket.SortKey(p.ID))) || named(bucket.CollectionVersionsByAuthor.Ascending(tx, bucket.SortKey(p.ID))) {
			continue
		}
		now, err := bucket.People.Get(tx, p.ID)
		if err != nil {
			return err
		}
		now.Public = false
		if err := bucket.People.Put(tx, p.ID, now); err != nil {
			return err
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
