package bucket

import (
	"context"
	"errors"
	"fmt"

	"alcove/bucket/changelog"
	"alcove/bucket/kv"
)

// Two copies of a repository compared. The change logs of two copies begin alike, and
// part where one of them was made, or brought back; each entry holds the hash of the one before, so
// entries that are equal stand behind logs that are equal.

// LastIDs are the last ids that the store of the copy has given out, by the name of their table.
func (c *Copy) LastIDs() (ids map[string]int64, err error) {
	defer survive(&err)()
	ids = map[string]int64{}
	err = kv.View(c.kv, func(b kv.Tx) error {
		for _, t := range schema.tables {
			r := b.Bucket(t.bucketName())
			if r == nil {
				continue // a table that the program did not have yet
			}
			sequence := r.Sequence()
			n := sequence
			if sequence >= 1<<sequenceBits { // older programs did not seal it
				if n, err = checkSequence(t.bucketName(), sequence); err != nil {
					return err
				}
			}
			if n > 0 {
				ids[t.Name()] = int64(n)
			}
		}
		return nil
	})
	return ids, err
}

// Common is the sequence of the last entry that the change logs of two copies have in common, 0
// where they have none.
func (c *Copy) Common(o *Copy) (last uint64, err error) {
	defer survive(&err)()
	mine, err := c.Position()
	if err != nil {
		return 0, err
	}
	others, err := o.Position()
	if err != nil {
		return 0, err
	}
	low, high := uint64(0), min(mine.Sequence, others.Sequence) // equal up to low, at most up to high
	for low < high {
		middle := high - (high-low)/2
		a, err := c.entryHash(middle)
		if err != nil {
			return 0, err
		}
		b, err := o.entryHash(middle)
		if err != nil {
			return 0, err
		}
		if a == b {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low, nil
}

// Has reports whether the change log has an entry with that place and hash.
func (c *Copy) Has(p changelog.Head) (yes bool, err error) {
	defer survive(&err)()
	if at, err := c.Position(); err != nil || p.Sequence > at.Sequence || p.Sequence == 0 {
		return p.Sequence == 0 && err == nil, err
	}
	hash, err := c.entryHash(p.Sequence)
	return hash == p.Hash, err
}

func (c *Copy) entryHash(sequence uint64) (hash [32]byte, err error) {
	err = kv.View(c.kv, func(b kv.Tx) error {
		k := intKeys.enc(int64(sequence))
		v := b.Bucket(logBucket).Get(k)
		if v == nil {
			return fmt.Errorf("cannot read the change log: entry %d is missing", sequence)
		}
		if _, err := decodeChange(k, v); err != nil {
			return err
		}
		hash = changelog.Hash(k, v)
		return nil
	})
	return hash, err
}

// Since calls fn for the entries of the change log behind a place in it, in order.
func (c *Copy) Since(ctx context.Context, place uint64, fn func(*changelog.Change)) (err error) {
	defer survive(&err)()
	return c.view.View(func(tx *Tx) error {
		for change, err := range tx.Changes(place) {
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			fn(&change)
		}
		return nil
	})
}

// View runs fn with the records of the copy, as DB.View does.
func (c *Copy) View(fn func(*Tx) error) (err error) {
	defer survive(&err)()
	return c.view.View(fn)
}

// RaiseIDs has each table go on behind the last id that is told for it, and behind all. It is no
// change of a record, so the change log does not have it. raised are the tables whose next id is
// another now, with their last.
func (db *DB) RaiseIDs(ctx context.Context, last map[string]int64, all int64) (raised map[string]int64, err error) {
	err = db.Update(ctx, 0, func(tx *Tx) error {
		raised = map[string]int64{}
		tx.touch()
		for _, t := range schema.tables {
			name := t.bucketName()
			b := tx.stored(name)
			n, err := checkSequence(name, b.Sequence())
			if err != nil {
				return err
			}
			least := max(last[name[len("r:"):]], all)
			if least <= int64(n) {
				continue
			}
			if least >= 1<<sequenceBits {
				return errors.New("cannot go on behind an id that large")
			}
			if err := b.SetSequence(addSequenceChecksum(name, uint64(least))); err != nil {
				return fmt.Errorf("cannot number the records of %s: %w", name, err)
			}
			raised[name[len("r:"):]] = least
		}
		return nil
	})
	return raised, err
}
