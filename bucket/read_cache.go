package bucket

// readCache are the records that a write transaction has read or stored. Who stores a record
// has mostly read it before: then what it was need not be read again to take its index
// entries away.
type readCache map[recordRef]cachedRecord

// cachedRecord is a record as it is stored.
type cachedRecord struct {
	entries [][]IndexEntry // in each index of the table
	record  any            // the record itself, of a flat table; otherwise nil
}

// recordRef is where a record stands.
type recordRef struct{ bucket, key string }

// maxReadCache bounds how many records a transaction remembers.
const maxReadCache = 2000

// cacheable reports whether the entries of a table depend on nothing but the record.
func (t *Table[K, R]) cacheable() bool {
	for _, ix := range t.indexes {
		if ix.entries == nil {
			return false
		}
	}
	return len(t.indexes) > 0
}

// cacheRead notes a record that is stored under a key.
func (t *Table[K, R]) cacheRead(tx *Tx, key []byte, r *R, entries [][]IndexEntry) {
	if tx.readCache == nil || len(tx.readCache) >= maxReadCache {
		tx.readCache = readCache{}
	}
	is := cachedRecord{entries: entries}
	if t.flat {
		is.record = *r
	}
	tx.readCache[recordRef{t.name, string(key)}] = is
}

// cachedRead gives a copy of a record that is known as a whole, or nil.
func (t *Table[K, R]) cachedRead(tx *Tx, key []byte) *R {
	if !t.flat || tx.readCache == nil {
		return nil
	}
	r, ok := tx.readCache[recordRef{t.name, string(key)}].record.(R)
	if !ok {
		return nil
	}
	return &r
}

// entriesOf are the entries of a record in each index of the table.
func (t *Table[K, R]) entriesOf(r *R) [][]IndexEntry {
	entries := make([][]IndexEntry, len(t.indexes))
	for i, ix := range t.indexes {
		entries[i] = ix.entries(r)
	}
	return entries
}
