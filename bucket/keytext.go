package bucket

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// KeyText is a key of a table as people know it: an id, the ids of an owner and of what
// belongs to it, a name, or hex digits. The key of a private link opens what it leads to,
// so only the beginning of its SHA-256 is told.
func KeyText(table string, key []byte) string {
	switch {
	case table == PrivateLinks.name:
		sum := sha256.Sum256(key)
		return fmt.Sprintf("sha256-%x", sum[:8])
	case len(key) == 8:
		return fmt.Sprint(int64(binary.BigEndian.Uint64(key)))
	case len(key) == 16:
		return fmt.Sprintf("%d/%d", int64(binary.BigEndian.Uint64(key)), int64(binary.BigEndian.Uint64(key[8:])))
	case utf8.Valid(key):
		return string(key)
	}
	return fmt.Sprintf("%x", key)
}

// KeyText is the key of the record as people know it.
func (e *DamagedError) KeyText() string { return KeyText(e.Table(), e.Key) }

// HasTable reports whether there is a table of a name whose changes the log has.
func HasTable(name string) bool {
	for _, t := range tables {
		if t.logged() && t.bucketName() == "r:"+name {
			return true
		}
	}
	return false
}

func (t *Table[K, R]) logged() bool { return !t.quiet }
