package handlers

import (
	"context"
	"slices"

	"alcove/bucket"
	"alcove/record"
)

// peopleAtOnce is how many new people one commit stores. A thousand take some 30 ms, for which all
// other writers wait.
const peopleAtOnce = 200

// storePeople stores people, a few in each commit, for the write that names them. Until then they
// are as people that no item names any more; undo removes them.
func (c *Call) storePeople(refs []record.AuthorRef) (undo func(), err error) {
	db := c.API.DB
	c.Stored = nil // it may run twice
	undo = func() {
		ctx := bucket.Frees(context.WithoutCancel(c.Context)) // also when the client is gone or the disk full
		for ids := range slices.Chunk(c.Stored, peopleAtOnce) {
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
				id, err := c.NewPerson(tx, r)
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
		c.Stored = append(c.Stored, ids...)
	}
	return undo, nil
}
