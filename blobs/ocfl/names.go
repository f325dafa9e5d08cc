package ocfl

import (
	"fmt"
	"strconv"
	"strings"
)

// The id of an object is a name that never changes: an item may get a DOI later, or another one.

const urn = "urn:alcove:"

// ID is the id of the object of an item: article 7 of a repository is urn:alcove:REPOSITORY:article:7.
func ID(repository, kind string, item int64) string {
	return fmt.Sprintf("%s%s:%s:%d", urn, repository, kind, item)
}

// ParseID takes an id apart, and reports whether it is one.
func ParseID(id string) (repository, kind string, item int64, ok bool) {
	parts := strings.Split(strings.TrimPrefix(id, urn), ":")
	if len(parts) != 3 || !strings.HasPrefix(id, urn) {
		return "", "", 0, false
	}
	item, err := strconv.ParseInt(parts[2], 10, 64)
	return parts[0], parts[1], item, err == nil && item > 0 && ID(parts[0], parts[1], item) == id
}

// Message is that of a version of an object, which has a public version of an item.
func Message(public int, what string) string { return fmt.Sprintf("Version %d: %s", public, what) }

// Public is the public version that a version has, by its message, 0 where that does not say it.
func (v *Version) Public() int {
	text, _, _ := strings.Cut(strings.TrimPrefix(v.Message, "Version "), ":")
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || !strings.HasPrefix(v.Message, "Version ") {
		return 0
	}
	return n
}

// Newest is, by public version, the newest version that has it.
func (inv *Inventory) Newest() map[int]Version {
	out := map[int]Version{}
	for n := 1; n <= inv.Last(); n++ {
		v := inv.Versions["v"+strconv.Itoa(n)]
		if p := v.Public(); p > 0 {
			out[p] = v
		}
	}
	return out
}

// HeadVersion is the newest version.
func (inv *Inventory) HeadVersion() Version { return inv.Versions[inv.Head] }
