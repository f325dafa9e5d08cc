package bucket

import (
	"bytes"
	"hash/maphash"
)

// fewEntries is up to how many entries a record is decoded for each of them. Those of a record
// with more, such as an article with thousands of authors, are remembered.
const fewEntries = 8

// maxEntryCache is about how many entries of such records are remembered at a time: 8 bytes each.
const maxEntryCache = 1 << 20

// entryCache has the keys of the entries of records that have many, so that each of these is
// decoded once and not for each entry.
type entryCache struct {
	seed        maphash.Seed
	part, parts uint64 // of all records, by their keys
	of          map[string]entryHashes
}

// entryHashes are of the keys of the entries of one record, as long as it is stored with this
// envelope.
type entryHashes struct {
	envelope string
	keys     map[uint64]bool
}

func (m *entryCache) mine(key []byte) bool {
	return m.parts == 1 || maphash.Bytes(m.seed, key)%m.parts == m.part
}

// checkIndex looks for the records of all entries of an index. It goes through the index as often
// as it takes to remember few entries at a time, and decodes a record with many of them once.
func (t *Table[K, R]) checkIndex(a *tableCheck, ix *Index[K, R]) error {
	parts, seed := uint64(1+a.many[ix.bucketName()]/maxEntryCache), maphash.MakeSeed()
	for part := range parts {
		m := &entryCache{seed: seed, part: part, parts: parts, of: map[string]entryHashes{}}
		if err := a.each(ix.bucketName(), func(tx *Tx, k, v []byte) error {
			if !entryWhole(ix.seed, k, v) {
				return nil // told by the walk
			}
			if key := k[len(k)-int(v[0]):]; m.mine(key) {
				t.checkEntry(a, ix, tx, m, k, key)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// checkEntry looks whether the record of an entry has it.
func (t *Table[K, R]) checkEntry(a *tableCheck, ix *Index[K, R], tx *Tx, m *entryCache, k, key []byte) {
	stored := tx.bucket(t.bucketName()).Get(key)
	if stored == nil {
		a.found(OfIndex, ix.bucketName(), k, "it is an entry of record %s, which is not there", KeyText(t.name, key))
		return
	}
	head := stored[:min(envelopeHead, len(stored))]
	if h, ok := m.of[string(key)]; ok && h.envelope == string(head) {
		if !h.keys[maphash.Bytes(m.seed, k)] {
			a.found(OfIndex, ix.bucketName(), k, "it is an entry that record %s does not have", KeyText(t.name, key))
		}
		return
	}
	r, err := t.decode(key, stored)
	if err != nil {
		return // told by the walk
	}
	entries, err := ix.places(tx, key, r)
	if err != nil {
		return
	}
	if len(entries) > fewEntries {
		keys := make(map[uint64]bool, len(entries))
		for _, e := range entries {
			keys[maphash.Bytes(m.seed, join(e.Sort, key))] = true
		}
		m.of[string(key)] = entryHashes{string(head), keys}
	}
	for _, e := range entries {
		if bytes.Equal(join(e.Sort, key), k) {
			return
		}
	}
	a.found(OfIndex, ix.bucketName(), k, "it is an entry that record %s does not have", KeyText(t.name, key))
}
