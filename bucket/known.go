package bucket

// known are the records that a write transaction has read or stored. Who stores a record
// has mostly read it before: then what it was need not be read again to take its index
// entries away.
type known map[place]remembered

// remembered is a record as it is stored.
type remembered struct {
	entries [][]IndexEntry // in each index of the table
	record  any            // the record itself, of a flat table; otherwise nil
}

// place is where a record stands.
type place struct{ bucket, key string }

// mostKnown bounds how many records a transaction remembers.
const mostKnown = 2000

// remembers reports whether the entries of a table depend on nothing but the record.
func (t *Table[K, R]) remembers() bool {
	for _, ix := range t.indexes {
		if ix.entries == nil {
			return false
		}
	}
	return len(t.indexes) > 0
}

// learn notes a record that is stored under a key.
func (t *Table[K, R]) learn(tx *Tx, key []byte, r *R, entries [][]IndexEntry) {
	if tx.known == nil || len(tx.known) >= mostKnown {
		tx.known = known{}
	}
	is := remembered{entries: entries}
	if t.flat {
		is.record = *r
	}
	tx.known[place{t.name, string(key)}] = is
}

// recall gives a copy of a record that is known as a whole, or nil.
func (t *Table[K, R]) recall(tx *Tx, key []byte) *R {
	if !t.flat || tx.known == nil {
		return nil
	}
	r, ok := tx.known[place{t.name, string(key)}].record.(R)
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
