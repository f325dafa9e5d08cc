package bucket

import (
	"context"
	"encoding/binary"
	"fmt"
)

// By says who makes a change. The zero value is the server itself.
type By struct {
	Account int64 // whose token it was, 0 where there was none
	Way     Way   // how the account came to act, when not by its token alone
	For     int64 // the account in whose name it happened, where the way has one
}

// Way is how somebody came to make a change.
type Way byte

// The ways of the change log. Plain is what an account does by its own token and the
// server by itself; it is not written, so that such an entry is what it was before there
// were ways.
const (
	Plain    Way = 0
	AsOther  Way = 1 // an administrator, Account, called as For
	ByLink   Way = 2 // somebody with a private link edited what is Account's
	Operator Way = 3 // somebody who reaches the data directory; For is whose items were loaded
)

func (w Way) String() string {
	switch w {
	case Plain:
		return ""
	case AsOther:
		return "impersonation"
	case ByLink:
		return "private_link"
	case Operator:
		return "operator"
	}
	return fmt.Sprintf("way %d", byte(w))
}

// byLength is the length of what an entry says of a way.
const byLength = 1 + 8

func (b By) append(v []byte) []byte {
	if b.Way == Plain {
		return v
	}
	return binary.BigEndian.AppendUint64(append(v, byte(b.Way)), uint64(b.For))
}

// readWay reads what stands behind the key of an entry: nothing, or a way that is not Plain.
func (b *By) readWay(rest []byte) bool {
	if len(rest) == 0 {
		return true
	}
	if len(rest) != byLength || Way(rest[0]) == Plain {
		return false
	}
	b.Way, b.For = Way(rest[0]), int64(binary.BigEndian.Uint64(rest[1:]))
	return true
}

// Update runs fn in a write transaction and returns when its effect is durable. fn may
// be run more than once, and in one transaction with others' (commit.go), so it must
// have no effect outside the Tx; it should check before it writes. An error from fn
// undoes what it wrote. actor is the account that acts, 0 for the server itself.
func (db *DB) Update(ctx context.Context, actor int64, fn func(*Tx) error) error {
	return db.UpdateBy(ctx, By{Account: actor}, fn)
}
