package blobs

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Ref names a blob: the SHA-256 digest of its bytes. The zero Ref names nothing; no input is known
// whose digest it is. Text and JSON forms are 64 lower-case hex digits.
type Ref [sha256.Size]byte

// ParseRef reads the text form of a Ref: exactly 64 hex digits in lower case, so that every Ref has
// one spelling and one place on disk.
func ParseRef(text string) (Ref, error) {
	var r Ref
	return r, parseHex(r[:], text)
}

// String returns 64 lower-case hex digits.
func (r Ref) String() string { return hex.EncodeToString(r[:]) }

// IsZero reports whether r names no blob.
func (r Ref) IsZero() bool { return r == Ref{} }

// MarshalText implements encoding.TextMarshaler with the form that String returns.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It accepts what ParseRef accepts, and leaves r
// alone when it refuses.
func (r *Ref) UnmarshalText(text []byte) error {
	parsed, err := ParseRef(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// MD5 is the digest that the API shows as computed_md5. It identifies nothing here: it only lets a
// depositor compare. Text and JSON forms are 32 lower-case hex digits.
type MD5 [md5.Size]byte

// String returns 32 lower-case hex digits.
func (m MD5) String() string { return hex.EncodeToString(m[:]) }

// MarshalText implements encoding.TextMarshaler with the form that String returns.
func (m MD5) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler: exactly 32 lower-case hex digits.
func (m *MD5) UnmarshalText(text []byte) error {
	var parsed MD5
	if err := parseHex(parsed[:], string(text)); err != nil {
		return err
	}
	*m = parsed
	return nil
}

// parseHex fills dst from exactly 2×len(dst) lower-case hex digits.
func parseHex(dst []byte, text string) error {
	if len(text) != 2*len(dst) {
		return fmt.Errorf("cannot read digest: %d characters, want %d", len(text), 2*len(dst))
	}
	for i := range len(text) {
		if c := text[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("cannot read digest: character %d is not a lower-case hex digit", i+1)
		}
	}
	_, err := hex.Decode(dst, []byte(text))
	return err
}
