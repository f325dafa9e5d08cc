package handlers

import (
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// people turns references into person ids: people given by id must be visible to the
// caller or be among those that the item has, else the answer is unknown; those given by
// name are stored as new people. It looks everybody up before it stores anybody.
func (c *Call) people(tx *bucket.Tx, refs []record.AuthorRef, has []int64, unknown *record.Error) ([]int64, error) {
	namer := c.Account.ID
	if namer == 0 { // the holder of a private link names people for the owner
		namer = c.actor
	}
	for _, r := range refs {
		if r.ID != nil && *r.ID != 0 && !slices.Contains(has, *r.ID) {
			if _, err := c.visiblePerson(tx, *r.ID, unknown); err != nil {
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
		p := r.NewPerson(namer)
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
