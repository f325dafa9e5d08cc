package index

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"alcove/bucket"
	"alcove/bucket/changelog"
)

const (
	maxDocs    = 500     // documents of one batch, while searches may wait for it
	manyDocs   = 1000    // the same while none can: what a batch costs by itself is shared by more
	maxBytes   = 2 << 20 // of text in one batch, beyond its first document; Bleve needs some thirty times that, in each index
	maxChanges = 20000   // entries of the change log read at a time
)

// mark tells a change from one of another history that has the same sequence.
func mark(c changelog.Change) [32]byte {
	h := sha256.New()
	h.Write(c.Previous[:])
	h.Write(c.Record[:])
	binary.Write(h, binary.BigEndian, c.Sequence)
	binary.Write(h, binary.BigEndian, c.Time.UnixNano())
	h.Write([]byte{byte(c.Op)})
	h.Write([]byte(c.Table))
	h.Write(c.Key)
	return [32]byte(h.Sum(nil))
}

// positionAt is the place of a sequence in the log. It fails when the log does not go
// that far.
func positionAt(tx *bucket.Tx, seq uint64) (position, error) {
	if seq == 0 {
		return position{}, nil
	}
	for c, err := range tx.Changes(seq - 1) {
		if err != nil {
			return position{}, err
		}
		if c.Sequence == seq {
			return position{seq, mark(c)}, nil
		}
		break
	}
	return position{}, fmt.Errorf("cannot find change %d in the log", seq)
}

// errLog says that the change log does not lead on from a position.
var errLog = errors.New("cannot follow the change log")

// changes reads the log after a position: the items of some kinds that were touched, and
// how far it read. It ends soon after a number of items.
func changes(tx *bucket.Tx, kinds []*kind, at position, most int) (keys []key, to position, err error) {
	to = at
	seen := map[key]bool{}
	n := 0
	for c, err := range tx.Changes(at.seq) {
		if err != nil {
			return nil, at, fmt.Errorf("%w: %w", errLog, err)
		}
		if c.Sequence != to.seq+1 {
			return nil, at, fmt.Errorf("%w: %d is followed by %d", errLog, to.seq, c.Sequence)
		}
		to = position{seq: c.Sequence}
		for _, k := range kinds {
			if k.follows[c.Table] == nil {
				continue
			}
			for _, id := range k.follows[c.Table](tx, c) {
				if key := (key{k.id, id}); !seen[key] {
					seen[key] = true
					keys = append(keys, key)
				}
			}
		}
		if n++; n == maxChanges || len(keys) >= most {
			break
		}
	}
	if to != at {
		to, err = positionAt(tx, to.seq)
	}
	return keys, to, err
}

// everything is the keys of all items of some kinds.
func everything(tx *bucket.Tx, kinds []*kind) iter.Seq[key] {
	return func(yield func(key) bool) {
		for _, k := range kinds {
			for h := range k.all(tx) {
				if !yield(key{k.id, h.Key}) {
					return
				}
			}
		}
	}
}

// load reads items from the store, as many as fit in a batch of so many documents at most,
// and gives the keys of the rest.
func load(tx *bucket.Tx, kinds []*kind, keys []key, most int) (items []item, rest []key, err error) {
	size := 0
	for i, key := range keys {
		if len(items) == most || size > maxBytes {
			return items, keys[i:], nil
		}
		at := slices.IndexFunc(kinds, func(k *kind) bool { return k.id == key.kind })
		it, err := loadItem(tx, kinds[at], key.id)
		if err != nil {
			return nil, nil, err
		}
		items = append(items, it)
		size += it.size()
	}
	return items, nil, nil
}
