package handlers

import (
	"iter"

	"alcove/bucket"
	"alcove/record"
)

// people turns references into person ids. It looks everybody up before it stores anybody.
func (c *Call) people(tx *bucket.Tx, refs []record.AuthorRef, has []int64, unknown *record.Error) ([]int64, error) {
	if err := c.mayName(tx, refs, has, unknown); err != nil {
		return nil, err
	}
	return c.name(tx, refs)
}

// mayName refuses references to people given by id whom the caller may not see and who
// are not among those that the item has: the answer is unknown.
func (c *Call) mayName(tx *bucket.Tx, refs []record.AuthorRef, has []int64, unknown *record.Error) error {
	known := make(map[int64]bool, len(has))
	for _, id := range has {
		known[id] = true
	}
	for _, r := range refs {
		if r.ID == nil || *r.ID == 0 || known[*r.ID] {
			continue
		}
		if _, err := c.visiblePerson(tx, *r.ID, unknown); err != nil {
			return err
		}
		known[*r.ID] = true
	}
	return nil
}

// name are the ids of people whom the caller may name; those given by name are stored as new
// people.
func (c *Call) name(tx *bucket.Tx, refs []record.AuthorRef) ([]int64, error) {
	namer := c.Account.ID
	if namer == 0 { // the holder of a private link names people for the owner
		namer = c.actor
	}
	ids := []int64{}
	for _, r := range refs {
		if r.ID != nil && *r.ID != 0 {
			ids = append(ids, *r.ID)
			continue
		}
		p := r.NewPerson(namer)
		p.Public = c.appears
		var err error
		if p.ID, err = bucket.People.NextID(tx); err != nil {
			return nil, err
		}
		if err := bucket.People.PutLater(tx, p.ID, p); err != nil {
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

// makePublic notes that people are named in something public.
func makePublic(tx *bucket.Tx, authors []record.Person) error {
	for i := range authors {
		if authors[i].Public {
			continue
		}
		authors[i].Public = true
		if err := bucket.People.PutLater(tx, authors[i].ID, &authors[i]); err != nil {
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
