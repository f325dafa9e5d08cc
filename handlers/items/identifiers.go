package items

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/withdrawn"
	"alcove/bucket/working"
	"alcove/record"
)

// DOIPrefix is what the DOI of an item begins with, when it gets one: the prefix of its group, else that of the nearest
// group above it that has one, else that of the repository.
func (k *Kind) DOIPrefix(tx *bucket.Tx, w *record.Working) (string, error) {
	l := &k.service.Limits
	if len(l.GroupPrefixes) == 0 {
		return l.DOIPrefix, nil
	}
	line, err := lineage(tx, w.GroupID)
	for _, g := range line {
		if prefix := l.GroupPrefixes[g.ID]; prefix != "" {
			return prefix, nil
		}
	}
	return l.DOIPrefix, err
}

// Identifier is the DOI or handle that an item gets under a prefix. Articles and
// collections are numbered apart, so collections have a c in front of the id. Where
// another item has that identifier, which an operator can have brought, a number follows.
func (k *Kind) Identifier(tx *bucket.Tx, prefix string, id int64) string {
	name := prefix + "." + k.mark + strconv.FormatInt(id, 10)
	for n := 1; ; n++ {
		given := name
		if n > 1 {
			given += "-" + strconv.Itoa(n)
		}
		if !working.GivenElsewhere(tx, strings.ToLower(given), k.Item(id)) {
			return given
		}
	}
}

// Free refuses the DOI and the handle that an item was given now where another item has them,
// in any form, or where this server numbers another item with them, sooner or later. had
// are the identifiers that the item has anyway.
func (k *Kind) Free(c *Caller, tx *bucket.Tx, id int64, had []string, m *record.Metadata) error {
	for _, name := range m.Identifiers() {
		if slices.Contains(had, name) {
			continue
		}
		field := identifierField(m, name)
		for hit := range withdrawn.VersionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
			if k.Item(id) != (bucket.Pair{A: record.KindArticle, B: hit.Key.A}) {
				return record.Wrong(field, "belongs to an item that was withdrawn")
			}
		}
		for hit := range withdrawn.CollectionsByIdentifier.Ascending(tx, bucket.SortKey(name)) {
			if k.Item(id) != (bucket.Pair{A: record.KindCollection, B: hit.Key.A}) {
				return record.Wrong(field, "belongs to an item that was withdrawn")
			}
		}
		taken, err := working.IdentifiedElsewhere(tx, name, k.Item(id))
		if err != nil {
			return err
		}
		if taken {
			return record.Wrong(field, "belongs to another item")
		}
		if !c.Loads && k.Numbers(name, id) {
			return record.Wrong(field, "is one that this server gives to another item")
		}
	}
	return nil
}

func identifierField(m *record.Metadata, name string) string {
	if name == record.ItemDOI(m.DOI) {
		return "doi"
	}
	return "handle"
}

// Unique refuses to publish an item for the first time with an identifier that is public
// elsewhere: items that an earlier program has stored can share one.
func (k *Kind) Unique(tx *bucket.Tx, w *record.Working) error {
	if w.Public() {
		return nil
	}
	for _, name := range w.Identifiers() {
		if working.PublishedElsewhere(tx, name, k.Item(w.ID)) {
			return record.Wrong(identifierField(&w.Metadata, name), "belongs to another item that is public")
		}
	}
	return nil
}

// Numbers reports whether an identifier is one of those that the server gives by id, and not
// to this item.
func (k *Kind) Numbers(name string, id int64) bool {
	l := &k.service.Limits
	for _, prefix := range append(slices.Collect(maps.Values(l.GroupPrefixes)), l.DOIPrefix, l.HandlePrefix) {
		number, ok := strings.CutPrefix(name, strings.ToLower(prefix)+".")
		if !ok {
			continue
		}
		mark := ""
		if rest, ok := strings.CutPrefix(number, "c."); ok {
			mark, number = "c.", rest
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err == nil && n > 0 && strconv.FormatInt(n, 10) == number && (mark != k.mark || n != id) {
			return true
		}
	}
	return false
}
