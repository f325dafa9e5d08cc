package facts

import (
	"encoding/binary"

	"alcove/record"
)

// AccountFacts are what a search for people reads without the accounts: of 10,000 it takes 5 ms instead of 75 (BenchmarkPeople).
type AccountFacts struct {
	Group    int64
	Admin    bool
	Disabled bool
	Ends     int64  // Unix seconds, rounded down, 0 for never
	Text     string // record.Account.SearchText
}

const accountText = 8 + 8 + 1 // where the text begins

// OfAccount are the facts of an account.
func OfAccount(a *record.Account) []byte {
	ends, flags := int64(0), byte(0)
	if !a.Expires.IsZero() {
		ends = max(1, a.Expires.Unix())
	}
	if a.Admin {
		flags |= 1
	}
	if a.Disabled {
		flags |= 2
	}
	b := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(a.GroupID)), uint64(ends))
	return append(append(b, flags), a.SearchText()...)
}

// ReadAccountFacts reads the value of AccountsByInstitution.
func ReadAccountFacts(value []byte) AccountFacts {
	return AccountFacts{IndexedGroup(value), value[accountText-1]&1 != 0, value[accountText-1]&2 != 0, int64(binary.BigEndian.Uint64(value[8:])), string(value[accountText:])}
}

// IndexedGroup reads the group in the value of AccountsByInstitution.
func IndexedGroup(value []byte) int64 { return int64(binary.BigEndian.Uint64(value)) }
