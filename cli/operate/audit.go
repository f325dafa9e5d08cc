package operate

import (
	"fmt"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/audit"
	"alcove/record"
)

// ChainQuery asks to check the chain of the change log after a place.
type ChainQuery struct {
	At   changelog.Head  `json:"at"`
	Head *changelog.Head `json:"head"` // one that was published, when it is behind At
}

// ChainPage is how far the chain was checked.
type ChainPage struct {
	At   changelog.Head `json:"at"`
	Done bool           `json:"done"`
}

// chainReads is how many entries are checked in one transaction.
const chainReads = 50000

// CheckChain checks the next entries of the change log. It fails with changelog.ErrChain where
// the log was altered, also where the entry of a published head has another hash or is gone.
func CheckChain(db *bucket.DB, q ChainQuery) (page ChainPage, err error) {
	err = db.View(func(tx *bucket.Tx) error {
		most := chainReads
		if q.Head != nil && q.Head.Sequence > q.At.Sequence {
			most = int(min(q.Head.Sequence-q.At.Sequence, chainReads)) // a page ends there
		}
		page.At, page.Done, err = tx.FollowChain(q.At, most)
		return err
	})
	switch h := q.Head; {
	case err != nil || h == nil:
	case page.At.Sequence == h.Sequence && page.At != *h:
		err = fmt.Errorf("%w: entry %d is not the one that was published", changelog.ErrChain, h.Sequence)
	case page.Done && page.At.Sequence < h.Sequence:
		err = fmt.Errorf("%w: it ends at %d, before the entry %d that was published", changelog.ErrChain, page.At.Sequence, h.Sequence)
	}
	return page, err
}

// AccessQuery asks for stored requests, the oldest first. The zero value of a field asks for all.
type AccessQuery struct {
	Account string    `json:"account"` // e-mail address or id of whose token it was, or as which it acted
	Refused bool      `json:"refused"` // only those that were refused
	Since   time.Time `json:"since"`   // not before
	Until   time.Time `json:"until"`   // before
	After   int64     `json:"after"`   // number: where the page before ended
}

// AccessPage is some requests. The next page begins after Next, and there is none when Done.
type AccessPage struct {
	Lines []record.Access `json:"lines"`
	Next  int64           `json:"next"`
	Done  bool            `json:"done"`
}

// ReadAccesses reads a page of the stored requests: at most audit.Lines, of at most audit.Reads.
func ReadAccesses(db *bucket.DB, q AccessQuery) (page AccessPage, err error) {
	page = AccessPage{Lines: []record.Access{}, Next: max(q.After, 0)}
	if !q.Since.IsZero() { // numbers are not less than the time, in nanoseconds
		page.Next = max(page.Next, q.Since.UnixNano()-1)
	}
	err = db.View(func(tx *bucket.Tx) error {
		account := int64(0)
		if q.Account != "" {
			acc, err := accounts.Find(tx, q.Account)
			if err != nil {
				return err
			}
			account = acc.ID
		}
		read := 0
		for row, err := range users.Accesses.From(tx, page.Next+1) {
			if err != nil {
				return err
			}
			e := row.Record
			if !q.Until.IsZero() && !e.At.Before(q.Until) {
				break
			}
			page.Next = row.Key
			if (account == 0 || e.Account == account || e.Actor == account) && (!q.Refused || e.Status >= 400) && !e.At.Before(q.Since) {
				page.Lines = append(page.Lines, *e)
			}
			if read++; read == audit.Reads || len(page.Lines) == audit.Lines {
				return nil
			}
		}
		page.Done = true
		return nil
	})
	return page, err
}
