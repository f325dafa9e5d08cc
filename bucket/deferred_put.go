package bucket

import (
	"encoding/json"
	"fmt"

	"alcove/bucket/changelog"
	"alcove/record"
)

// deferredPut is a record on its way: it is encoded, and its index entries and its hash are made,
// beside the writer.
type deferredPut struct {
	table      *AnyTable
	key        []byte
	is         any            // not the caller's, but of its slices, maps and pointers
	was        any            // what it takes the place of, nil for nothing
	oldEntries [][]IndexEntry // the entries of that in each index, instead
	counts     *record.Counts // of its item, for indexes by them
	older      []byte         // the JSON of that, if it has members that are not known
	change     deferredLog

	sealed []byte
	moves  []move
}

// move is an entry of an index that comes, or, with a nil value, goes.
type move struct {
	index      int
	key, value []byte
	fresh      bool // of a record that was not in the index
}

func (t *AnyTable) putDeferred(tx *Tx, k []byte, r any) error {
	if tx.deferred == nil || t.buckets == nil || t.pending(tx, k) != nil {
		return t.put(tx, k, r)
	}
	tx.touch()
	w := &deferredPut{table: t, key: k, is: t.clone(r), change: deferredLog{kind: t.name, key: k, what: changelog.Changed, by: tx.by}}
	at := recordRef{t.name, string(k)}
	v := tx.stored(t.bucketName()).Get(k)
	w.older = t.unknown(k, v)
	if was, have := tx.readCache[at]; have {
		w.oldEntries = was.entries
		delete(tx.readCache, at)
	} else if v != nil {
		old, err := t.decodePrefetched(tx, k, v)
		if err != nil {
			return err
		}
		w.was = old
	} else {
		w.change.what = changelog.Created
	}
	if t.counts != nil {
		c, err := t.counts(tx, k)
		if err != nil {
			return err
		}
		w.counts = &c
	}
	for _, ix := range t.indexes {
		if ix.sum != nil {
			if err := ix.add(tx, w.was, r); err != nil {
				return err
			}
		}
	}
	if tx.deferred.pending == nil {
		tx.deferred.pending = map[recordRef]deferredWrite{}
	}
	tx.deferred.pending[at] = w
	tx.deferWrite(w, t.buckets)
	if len(tx.deferred.batches) > maxBatches {
		return tx.flushPending()
	}
	return nil
}

// pending is a record that was put and not stored yet, nil when there is none.
func (t *AnyTable) pending(tx *Tx, key []byte) *deferredPut {
	if tx.deferred == nil || len(tx.deferred.pending) == 0 {
		return nil
	}
	w, _ := tx.deferred.pending[recordRef{t.name, string(key)}].(*deferredPut)
	return w
}

// copy gives the record to a caller that may change it.
func (w *deferredPut) copy() (any, error) {
	if w.table.flat {
		return w.table.clone(w.is), nil
	}
	r := w.table.fresh()
	b, err := envelope(w.is)
	if err == nil {
		err = json.Unmarshal(b[envelopeHead:], r)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read a record of %s: %w", w.table.name, err)
	}
	return r, nil
}

func (w *deferredPut) prepare() (err error) {
	t := w.table
	if w.sealed, err = envelope(w.is); err != nil {
		return err
	}
	w.sealed = t.keep(w.sealed, w.older)
	writeEnvelopeHead(t.bucketName(), w.key, w.sealed)
	if !t.quiet {
		w.change.payload = w.sealed[envelopeHead:]
		w.change.prepare()
	}
	w.moves = make([]move, 0, len(t.indexes)+4)
	for i, ix := range t.indexes {
		if ix.sum != nil {
			continue // PutDeferred has done it
		}
		was := ix.entriesOf(w.was, w.counts)
		if w.oldEntries != nil {
			was = w.oldEntries[i]
		}
		ix.moves(w.key, was, ix.entriesOf(w.is, w.counts), func(k, v []byte) error {
			w.moves = append(w.moves, move{i, k, v, len(was) == 0})
			return nil
		})
	}
	return nil
}

func (w *deferredPut) apply(tx *Tx, o *op) error {
	t := w.table
	if err := tx.deferred.buffer(t.bucketName(), w.key, w.sealed, w.change.what == changelog.Created, o); err != nil {
		return fmt.Errorf("cannot store a record of %s: %w", t.name, err)
	}
	for _, m := range w.moves {
		ix := t.indexes[m.index]
		if err := tx.deferred.buffer(ix.bucketName(), m.key, m.value, m.fresh, o); err != nil {
			return fmt.Errorf("cannot update index %s: %w", ix.name, err)
		}
	}
	if t.quiet {
		return nil
	}
	return w.change.apply(tx, o)
}
