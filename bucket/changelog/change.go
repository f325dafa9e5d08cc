// Package changelog is the change log of a repository: it says what happened to which record, in order. It feeds the search
// index, the audit trail, incremental backups and checks. An entry is stored under its
// sequence (8 bytes, big endian) in the envelope of records, because no other entry
// vouches for the last one. It holds
//
//	hash of the previous entry (32) | time, Unix nanoseconds (8) | actor (8) |
//	operation (1) | hash of the record after it (32) |
//	length of kind (1) | kind | length of key (2) | key |
//	and where there is one: way (1) | account (8), and for a request by HTTP: token (8) | request (8)
//
// with integers big endian. The hash of an entry is the SHA-256 of its sequence and its
// stored bytes, so removing, swapping or editing one breaks the chain. The first entry's
// previous hash, and the record hash of a deletion, are zero.
package changelog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// fixed is the length of what every entry begins with.
const fixed = 32 + 8 + 8 + 1 + 32

// Operation is what a change did.
type Operation byte

// The operations of the change log.
const (
	Created Operation = 1
	Changed Operation = 2
	Deleted Operation = 3
)

func (o Operation) String() string {
	switch o {
	case Created:
		return "create"
	case Changed:
		return "change"
	case Deleted:
		return "delete"
	}
	return fmt.Sprintf("operation %d", byte(o))
}

// Change is one entry of the change log.
type Change struct {
	Sequence uint64
	Previous [32]byte // hash of the entry before
	Time     time.Time
	Actor    int64 // account, 0 for the server itself
	Op       Operation
	Record   [32]byte // SHA-256 of the record's JSON after it
	Table    string   // its name
	Key      []byte
	Way      Way   // how the actor came to act
	For      int64 // the account in whose name it did, where the way has one
	Token    TokenID
	Request  int64 // number of the request, 0 for none
}

// ID is the key read as an id: the whole of an integer key, the owner of a Pair.
func (c *Change) ID() int64 {
	if len(c.Key) < 8 {
		return 0
	}
	return int64(binary.BigEndian.Uint64(c.Key))
}

// Version is the second number of a key that is a Pair, 0 for another.
func (c *Change) Version() int {
	if len(c.Key) != 16 {
		return 0
	}
	return int(binary.BigEndian.Uint64(c.Key[8:]))
}

// MostBytes bounds the length of an entry about a record of a table.
func MostBytes(table string, key []byte) int { return fixed + 3 + len(table) + len(key) + byLength }

// Append puts an entry behind v, without its sequence, which is its key. By is said by the members of Change.
func (c *Change) Append(v []byte) []byte {
	v = append(v, c.Previous[:]...)
	v = binary.BigEndian.AppendUint64(v, uint64(c.Time.UnixNano()))
	v = binary.BigEndian.AppendUint64(v, uint64(c.Actor))
	v = append(v, byte(c.Op))
	v = append(v, c.Record[:]...)
	v = append(append(v, byte(len(c.Table))), c.Table...)
	v = append(binary.BigEndian.AppendUint16(v, uint16(len(c.Key))), c.Key...)
	return By{Way: c.Way, For: c.For, Token: c.Token, Request: c.Request}.append(v)
}

// Decode reads an entry. Where it cannot be read, wrong says why.
func Decode(k, v []byte) (c Change, wrong string) {
	if len(k) != 8 || len(v) < fixed+3 {
		return Change{}, "it is too short"
	}
	c = Change{Sequence: binary.BigEndian.Uint64(k), Previous: [32]byte(v[:32])}
	c.Time = time.Unix(0, int64(binary.BigEndian.Uint64(v[32:]))).UTC()
	c.Actor = int64(binary.BigEndian.Uint64(v[40:]))
	c.Op = Operation(v[48])
	c.Record = [32]byte(v[49:81])
	rest := v[fixed:]
	n := int(rest[0])
	if len(rest) < 1+n+2 {
		return Change{}, "its kind is cut off"
	}
	c.Table = string(rest[1 : 1+n])
	rest = rest[1+n:]
	m := int(binary.BigEndian.Uint16(rest))
	if len(rest) < 2+m {
		return Change{}, "its key is cut off"
	}
	c.Key = bytes.Clone(rest[2 : 2+m])
	var by By
	if !by.readWay(rest[2+m:]) {
		return Change{}, "its end is none that this program knows"
	}
	c.Way, c.For, c.Token, c.Request = by.Way, by.For, by.Token, by.Request
	return c, ""
}

// Hash is the hash of an entry, of its key and what is stored under it.
func Hash(k, v []byte) [32]byte {
	h := sha256.New()
	h.Write(k)
	h.Write(v)
	return [32]byte(h.Sum(nil))
}

// ErrChain says that the change log was altered.
var ErrChain = errors.New("the chain of the change log is broken")

// Head is a place in the change log: the sequence of an entry and its hash, which vouches
// for all entries before it. The zero value is the place before the first one.
type Head struct {
	Sequence uint64
	Hash     [32]byte
}

func (h Head) String() string { return fmt.Sprintf("%d:%x", h.Sequence, h.Hash) }

// ParseHead reads what String wrote.
func ParseHead(text string) (h Head, err error) {
	seq, sum, _ := strings.Cut(text, ":")
	h.Sequence, err = strconv.ParseUint(seq, 10, 63)
	b, wrong := hex.DecodeString(sum)
	if err != nil || wrong != nil || len(b) != len(h.Hash) || h.Sequence == 0 && h != (Head{}) {
		return Head{}, fmt.Errorf("cannot read %q as SEQUENCE:HASH, with 64 hex digits", text)
	}
	h.Hash = [32]byte(b)
	return h, nil
}

// MarshalText and UnmarshalText are String and ParseHead.
func (h Head) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText is ParseHead.
func (h *Head) UnmarshalText(b []byte) (err error) {
	*h, err = ParseHead(string(b))
	return err
}

// Entry is an entry of the change log with its hash.
type Entry struct {
	Change
	Hash [32]byte
}
