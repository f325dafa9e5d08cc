package bucket

import "alcove/record"

// Whose a private record is stands in small indexes, so that one of somebody else is refused
// without being read: it costs what an id costs that was never given.
var (
	ArticleOwners    = addOwners(Articles, func(a *record.Article) Owner { return Owner{a.AccountID, a.ProjectID} })
	CollectionOwners = addOwners(Collections, func(c *record.Collection) Owner { return Owner{Account: c.AccountID} })
	// FileOwners has the article of a file in the place of a project.
	FileOwners = addOwners(Files, func(f *record.File) Owner { return Owner{f.AccountID, f.ArticleID} })
)

// Owner is the account that a record belongs to, and the item that it is in, 0 for none. The zero
// value is that of a record that is not there.
type Owner struct{ Account, In int64 }

// Owners finds the owner of records by their ids.
type Owners[R any] struct {
	table *Table[int64, R]
	index *Index[int64, R]
	of    func(*R) Owner
}

func addOwners[R any](t *Table[int64, R], of func(*R) Owner) Owners[R] {
	return Owners[R]{t, addIndex(t, "owner", 1, func(r *R) []IndexEntry {
		o := of(r)
		return []IndexEntry{{Value: appendPair(make([]byte, 0, 16), Pair{o.Account, o.In})}}
	}), of}
}

// Of is the owner of a record. What it costs does not depend on whether there is one. In a
// transaction that writes it does not see records that other writes of the same commit make, whose
// ids nobody knows yet.
func (o Owners[R]) Of(tx *Tx, id int64) (owner Owner) {
	k, name := intKeys.enc(id), o.index.bucketName()
	if w := o.table.pending(tx, k); w != nil {
		return o.of(&w.is)
	}
	if v := tx.look(name, k); v != nil {
		o.index.check(k, v)
		p := pairKeys.dec(v[1 : len(v)-entrySum])
		owner = Owner{p.A, p.B}
	}
	if lookAround(tx, name, k, func(k, v []byte) bool { return !entryWhole(o.index.seed, k, v) }) {
		panic(damagedEntry(name, k))
	}
	return owner
}
