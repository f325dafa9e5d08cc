package check

import (
	"context"
	"fmt"
	"path"

	format "alcove/blobs/ocfl"
	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/bucket/published"
	"alcove/record"
)

// kindOCFL is the kind of problems of the storage root of OCFL; their table is the code of the specification.
const kindOCFL = "ocfl"

// preserved compares the storage root of OCFL with the specification and with what is public. Items that wait are
// not compared, and of a root that was not begun nothing.
func (k *Checker) preserved(ctx context.Context, p *pass) error {
	if k.OCFL == "" {
		return nil
	}
	begun := false
	err := k.DB.View(func(tx *bucket.Tx) error {
		state, err := exchange.Preservation(tx)
		begun = state.Dir == k.OCFL
		return err
	})
	if err != nil || !begun {
		return err
	}
	found := func(key, code, reason string) {
		k.found(Problem{Kind: kindOCFL, Table: code, Key: key, Reason: reason})
	}
	root, mark, err := format.Open(k.OCFL)
	if err != nil {
		found(k.OCFL, "", err.Error())
		return nil
	}
	defer root.Close()
	if mark.Repository != k.DB.Identity().ID {
		found(k.OCFL, "", "it has the items of another repository")
		return nil
	}
	err = root.Validate(ctx, format.Validation{
		Pace:  p.pace,
		Found: func(f format.Fault) { k.fault(f, found) },
		Object: func(dir string, inv *format.Inventory) {
			if reason := k.unlike(dir, inv); reason != "" {
				found(inv.ID, "", reason)
			}
		},
	})
	if err != nil {
		return err
	}
	return k.eachPublic(ctx, func(item bucket.Pair) {
		id := k.objectID(item)
		if has, err := root.Has(id); err == nil && !has && !k.waits(item) {
			found(id, "", "the item is public and has no object")
		}
	})
}

// fault tells a fault, unless the object is about to be written.
func (k *Checker) fault(f format.Fault, found func(key, code, reason string)) {
	key := f.Path
	if item, id, ok := k.itemAt(f.Path); ok {
		if k.waits(item) {
			return
		}
		key = id
	}
	found(key, f.Code, f.Reason)
}

var kindNames = map[int64]string{record.KindArticle: "article", record.KindCollection: "collection"}

func (k *Checker) objectID(item bucket.Pair) string {
	return format.ID(k.DB.Identity().ID, kindNames[item.A], item.B)
}

// itemAt is the item whose object belongs at a path.
func (k *Checker) itemAt(dir string) (item bucket.Pair, id string, ok bool) {
	id, ok = format.IDAt(path.Clean(dir))
	if !ok {
		return item, "", false
	}
	repository, kind, number, ok := format.ParseID(id)
	for of, name := range kindNames {
		if name == kind {
			return bucket.Pair{A: of, B: number}, id, ok && repository == k.DB.Identity().ID
		}
	}
	return item, "", false
}

// waits reports whether an object is to be looked at, so that it need not be what its item is.
func (k *Checker) waits(item bucket.Pair) bool {
	waits := false
	err := k.DB.View(func(tx *bucket.Tx) error {
		waits = exchange.Preservations.Has(tx, item)
		state, err := exchange.Preservation(tx)
		if err != nil || waits {
			return err
		}
		for c, err := range tx.Changes(state.Sequence) { // not followed yet, some at most
			if err != nil {
				return err
			}
			if waits = c.ID() == item.B; waits {
				break
			}
		}
		return nil
	})
	return err == nil && waits
}

// unlike says in what an object is not what its item is, "" for nothing.
func (k *Checker) unlike(dir string, inv *format.Inventory) string {
	item, id, ok := k.itemAt(dir)
	if !ok || id != inv.ID {
		return "it is no object of this repository, or at another place than its id says; Alcove leaves it alone"
	}
	if k.waits(item) {
		return ""
	}
	numbers, err := k.publicVersions(item)
	if err != nil {
		return "what is public of the item cannot be read: " + firstLine(err)
	}
	if len(numbers) == 0 {
		return "the item is not public; Alcove leaves alone what it does not know"
	}
	has := inv.Newest()
	for _, n := range numbers {
		if _, there := has[n]; !there {
			return fmt.Sprintf("version %d of the item is missing", n)
		}
	}
	head := inv.HeadVersion()
	if newest := numbers[len(numbers)-1]; head.Public() != newest {
		return fmt.Sprintf("its newest version is not version %d of the item", newest)
	}
	return ""
}

// publicVersions are the public versions of an item.
func (k *Checker) publicVersions(item bucket.Pair) (list []int, err error) {
	err = k.DB.View(func(tx *bucket.Tx) error {
		if item.A == record.KindCollection {
			list, err = keysOf(tx, &published.CollectionVersions.Table, item.B)
		} else {
			list, err = keysOf(tx, &published.ArticleVersions.Table, item.B)
		}
		return err
	})
	return list, err
}

func keysOf[R any](tx *bucket.Tx, table *bucket.Table[bucket.Pair, R], id int64) (list []int, err error) {
	for row, err := range table.All(tx, bucket.Prefix(id)) {
		if err != nil {
			return nil, err
		}
		list = append(list, int(row.Key.B))
	}
	return list, nil
}

// eachPublic calls fn with each public article and collection, some hundred of which one transaction reads.
func (k *Checker) eachPublic(ctx context.Context, fn func(item bucket.Pair)) error {
	for _, of := range []struct {
		kind int64
		next func(*bucket.Tx, int64) ([]int64, error)
	}{
		{record.KindArticle, func(tx *bucket.Tx, last int64) ([]int64, error) { return idsOf(tx, &published.Articles.Table, last) }},
		{record.KindCollection, func(tx *bucket.Tx, last int64) ([]int64, error) {
			return idsOf(tx, &published.Collections.Table, last)
		}},
	} {
		for last := int64(0); ctx.Err() == nil; {
			var ids []int64
			err := k.DB.View(func(tx *bucket.Tx) (err error) {
				ids, err = of.next(tx, last)
				return err
			})
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				break
			}
			for _, id := range ids {
				fn(bucket.Pair{A: of.kind, B: id})
			}
			last = ids[len(ids)-1]
		}
	}
	return ctx.Err()
}

func idsOf[R any](tx *bucket.Tx, table *bucket.Table[int64, R], last int64) (ids []int64, err error) {
	for row, err := range table.From(tx, last+1) {
		if err != nil {
			return nil, err
		}
		if ids = append(ids, row.Key); len(ids) == 200 {
			break
		}
	}
	return ids, nil
}
