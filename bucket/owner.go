package bucket

// Owner is the account that a record belongs to, the item that it is in, and the institution and
// the group whose administrators may do something with it, 0 for none. The zero value is that of a
// record that is not there.
type Owner struct{ Account, In, Institution, Group int64 }

// Owners finds the owner of records by their ids.
type Owners struct {
	table *AnyTable
	index *index
	of    func(r any) Owner
}

// AddOwners gives a table the index of the owners of its records.
func AddOwners[R any](t *Table[int64, R], of func(*R) Owner) Owners {
	ix := t.AddIndex("owner", 2, func(r *R) []IndexEntry {
		o := of(r)
		b := appendPair(make([]byte, 0, 32), Pair{o.Account, o.In})
		return []IndexEntry{{Value: appendPair(b, Pair{o.Institution, o.Group})}}
	})
	return Owners{t.Any, ix.index, func(r any) Owner { return of(r.(*R)) }}
}

// Of is the owner of a record. Its cost does not depend on whether there is one. In a
// transaction that writes it does not see records that other writes of the same commit make, whose
// ids that are not known yet.
func (o Owners) Of(tx *Tx, id int64) (owner Owner) {
	k := intKeys.enc(id)
	if w := o.table.pending(tx, k); w != nil {
		return o.of(w.is)
	}
	if v := o.index.peekValue(tx, k); v != nil {
		account, of := pairKeys.dec(v), pairKeys.dec(v[16:])
		owner = Owner{account.A, account.B, of.A, of.B}
	}
	return owner
}
