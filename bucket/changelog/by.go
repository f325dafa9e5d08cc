package changelog

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// By says who makes a change. The zero value is the server itself.
type By struct {
	Account int64 // whose token it was, 0 where there was none
	Way     Way   // how the account came to act, when not by its token alone
	For     int64 // the account in whose name it happened, where the way has one
	Token   TokenID
	Request int64 // number of the request, the key of its Access; 0 for none
}

// TokenID is the beginning of a token's SHA-256, by which operators name it. The zero value is
// none.
type TokenID [8]byte

// String is the id in hexadecimal, empty for none.
func (id TokenID) String() string {
	if id == (TokenID{}) {
		return ""
	}
	return hex.EncodeToString(id[:])
}

// Way is how a caller came to make a change.
type Way byte

// The ways of the change log. Plain is what an account does by its own token and the
// server by itself; it is not written, so that such an entry is what it was before there
// were ways.
const (
	Plain    Way = 0
	AsOther  Way = 1 // an administrator, Account, called as For
	ByLink   Way = 2 // a private link edited what is Account's
	Operator Way = 3 // the operator of the data directory; For is whose items were loaded
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

// The way in an entry takes wayLength bytes, with token and request byLength.
const (
	wayLength = 1 + 8
	byLength  = wayLength + len(TokenID{}) + 8
)

// append puts the way, and what was asked, behind an entry.
func (b By) append(v []byte) []byte {
	asked := b.Token != TokenID{} || b.Request != 0
	if b.Way == Plain && !asked {
		return v
	}
	v = binary.BigEndian.AppendUint64(append(v, byte(b.Way)), uint64(b.For))
	if asked {
		v = binary.BigEndian.AppendUint64(append(v, b.Token[:]...), uint64(b.Request))
	}
	return v
}

// readWay reads what stands behind the key of an entry: nothing, a way that is not Plain, or a way
// with the token and the request.
func (b *By) readWay(rest []byte) bool {
	switch len(rest) {
	case 0:
		return true
	case wayLength:
		if Way(rest[0]) == Plain {
			return false
		}
	case byLength:
		b.Token = TokenID(rest[wayLength:])
		b.Request = int64(binary.BigEndian.Uint64(rest[wayLength+len(b.Token):]))
		if b.Token == (TokenID{}) && b.Request == 0 {
			return false
		}
	default:
		return false
	}
	b.Way, b.For = Way(rest[0]), int64(binary.BigEndian.Uint64(rest[1:]))
	return true
}
