package lists

import (
	"strings"
	"testing"
)

// A cursor is read as the position that it was made of; a forged one, or one of another query, is
// not read at all (security.md D24).
func FuzzCursor(f *testing.F) {
	secret := NewSealer([]byte("a secret of a store"))
	seal, other := (&Filter{order: "views"}).seal(secret, "articles"), (&Filter{order: "cites"}).seal(secret, "articles")
	f.Add(seal.Cursor(Position{7, 9}), uint64(7), uint64(9), byte(3))
	for _, text := range []string{"", "00000000-0000-0000-0000-000000000000", strings.Repeat("f", 36), "urn:uuid:00000000-0000-0000-0000-000000000000", "{0000000000000000000000000000000000}", "0000000000000000000000000000000000é"} {
		f.Add(text, uint64(1)<<40-1, uint64(1)<<63, byte(127))
	}
	f.Fuzz(func(t *testing.T, text string, at, id uint64, bit byte) {
		if p, err := seal.open(text); err == nil && seal.Cursor(p) != strings.ToLower(text) {
			t.Fatalf("%q was read as %v", text, p)
		}
		p := Position{int64(at<<24) >> 24, id & (1<<cursorBits - 1)}
		made := seal.Cursor(p)
		if got, err := seal.open(made); err != nil || got != p {
			t.Fatalf("%v comes back as %v, %v", p, got, err)
		}
		if got, err := other.open(made); err == nil {
			t.Fatalf("a cursor of another query was read as %v", got)
		}
		forged := []byte(made)
		i := int(bit) % len(forged)
		for forged[i] == '-' {
			i++
		}
		forged[i] = map[bool]byte{true: '1', false: '0'}[forged[i] == '0']
		if got, err := seal.open(string(forged)); err == nil {
			t.Fatalf("%s, made of %s, was read as %v", forged, made, got)
		}
	})
}
