package index

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"alcove/bucket"
	"github.com/blevesearch/bleve/v2/index/scorch"
)

// dates are when the items of a segment were published and modified, by document, eight
// bytes each: with them a search puts what it found in order without reading the store.
// They are read from the store, which has changed an item since only if its document here
// is about to be deleted.
type dates struct {
	published, modified []uint32
	sparse              map[uint32][2]uint32 // instead, where they were read for a few documents
}

// datesPointer is for dates that a search may need before they were read.
type datesPointer = atomic.Pointer[dates]

// seconds are Unix seconds as dates have them. What is before 1970 or after 2105 is the
// first and the last of them.
func seconds(unix int64) uint32 { return uint32(max(0, min(unix, math.MaxUint32))) }

// at gives the dates of a document.
func (d *dates) at(doc uint32) (published, modified uint32) {
	if d.sparse != nil {
		pair := d.sparse[doc]
		return pair[0], pair[1]
	}
	return d.published[doc], d.modified[doc]
}

// datesAtOnce is how many items are read from the store in one transaction.
const datesAtOnce = 1000

// learn reads the dates of all segments of a snapshot that lack them, in the background,
// one snapshot at a time: about a second for a million items after a start, and hardly
// anything later. Searches do without until then.
func (sd *side) learn(g *generation, s *scorch.IndexSnapshot, segments []*segmentCache) {
	dated := func(k *segmentCache) bool { return k.dates.Load() != nil }
	if sd.kinds[0].facts == nil || !slices.ContainsFunc(segments, func(k *segmentCache) bool { return !dated(k) }) {
		return
	}
	sd.mu.Lock()
	defer sd.mu.Unlock()
	if sd.closed || !g.learning.CompareAndSwap(false, true) {
		return
	}
	s.AddRef()
	sd.tasks.Go(func() {
		defer g.learning.Store(false)
		defer s.Close()
		for _, k := range segments {
			if dated(k) {
				continue
			}
			if err := k.readDates(sd.ctx, sd.db, sd.kinds); err != nil {
				if sd.ctx.Err() == nil {
					sd.suspect(g, err)
				}
				return
			}
		}
	})
}

// readDates reads the dates of all documents of a segment. What is read of the segment and of
// the store is kept apart: a page that is missing is the fault of the one that it belongs to.
func (k *segmentCache) readDates(ctx context.Context, db *bucket.DB, kinds []*kind) error {
	n := int(k.of.Count())
	d := &dates{published: make([]uint32, n), modified: make([]uint32, n)}
	var keys []key
	for from := 0; from < n; from += datesAtOnce {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := guarded(func() (err error) {
			keys, err = k.keys(keys[:0], from, min(n, from+datesAtOnce))
			return err
		})
		if err == nil {
			err = db.View(func(tx *bucket.Tx) error { return d.read(tx, kinds, from, keys) })
		}
		if err != nil {
			return fmt.Errorf("cannot read the dates of what can be found: %w", err)
		}
	}
	k.dates.Store(d)
	return nil
}

// read takes the dates of documents from one on, whose keys these are.
func (d *dates) read(tx *bucket.Tx, kinds []*kind, from int, keys []key) error {
	for i, key := range keys {
		of := slices.IndexFunc(kinds, func(k *kind) bool { return k.id == key.kind })
		if of < 0 {
			return fmt.Errorf("document %d has a key of kind %d", from+i, key.kind)
		}
		if f, ok := kinds[of].facts(tx, key.id); ok {
			d.published[from+i], d.modified[from+i] = seconds(f.Published.Unix()), seconds(f.Modified.Unix())
		}
	}
	return nil
}

// keys appends the keys of documents from one to before another.
func (k *segmentCache) keys(list []key, from, to int) ([]key, error) {
	for doc := from; doc < to; doc++ {
		name, err := k.key(uint32(doc))
		if err != nil {
			return list, err
		}
		list = append(list, key{name[0], int64(binary.BigEndian.Uint64(name[1:]))})
	}
	return list, nil
}

// key is the key of a document's item.
func (k *segmentCache) key(doc uint32) ([]byte, error) {
	key, err := k.of.DocID(uint64(doc))
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of a document: %w", err)
	}
	if len(key) != 9 {
		return nil, fmt.Errorf("document %d has the key %q", doc, key)
	}
	return key, nil
}
