package users

import (
	"alcove/bucket"
	"alcove/record"
)

// Seen is what an account may know of a person.
type Seen struct {
	Named   bool // the account may name it by its id
	Public  bool // something public names it
	Profile bool // it is that of an account
}

// SeenPerson is Owners for people: what an account may read of a person; empty if there is none.
func SeenPerson(tx *bucket.Tx, id, account int64) (s Seen) {
	if p := People.Pending(tx, id); p != nil {
		return Seen{p.VisibleTo(account), p.Public, p.AccountID != 0}
	}
	for _, by := range []int64{record.Everyone, account} {
		if v := PeopleSeen.ValueOf(tx, bucket.SortKey(by), id); v != nil {
			s = Seen{true, v[0]&seenPublic != 0, v[0]&seenProfile != 0}
		}
	}
	return s
}

func seenBits(p *record.Person) (bits byte) {
	if p.Public {
		bits |= seenPublic
	}
	if p.AccountID != 0 {
		bits |= seenProfile
	}
	return bits
}

// The values of PeopleSeen.
const (
	seenPublic = 1 << iota
	seenProfile
)
