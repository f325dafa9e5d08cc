// Package accounts is what happens to accounts, their tokens, groups and roles in a transaction,
// however the request for it came.
package accounts

import (
	"fmt"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/record"
)

// InstitutionID is the institution that every account belongs to.
const InstitutionID = 1

// Find is the account with an e-mail address or id.
func Find(tx *bucket.Tx, account string) (*record.Account, error) {
	id, ok := users.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(account)))
	if !ok {
		n, err := strconv.ParseUint(account, 10, 63)
		if id = int64(n); err == nil && strconv.FormatInt(id, 10) == account {
			ok = users.Accounts.Has(tx, id)
		}
	}
	if !ok {
		return nil, fmt.Errorf("cannot find an account %q", account)
	}
	return users.Accounts.Get(tx, id)
}

// EmailTaken reports whether there is an account with an address.
func EmailTaken(tx *bucket.Tx, email string) bool {
	_, taken := users.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(email)))
	return taken
}

// Store stores a new account, to which it gives an id, with its person.
func Store(tx *bucket.Tx, acc *record.Account) (err error) {
	acc.Created, acc.Modified = tx.Now(), tx.Now()
	if acc.ID, err = users.Accounts.NextID(tx); err != nil {
		return err
	}
	if acc.PersonID, err = users.People.NextID(tx); err != nil {
		return err
	}
	person := &record.Person{
		ID: acc.PersonID, AccountID: acc.ID, CreatedBy: acc.ID, FullName: strings.TrimSpace(acc.FirstName + " " + acc.LastName),
		FirstName: acc.FirstName, LastName: acc.LastName,
	}
	if err := users.People.Put(tx, person.ID, person); err != nil {
		return err
	}
	if err := users.Accounts.Put(tx, acc.ID, acc); err != nil {
		return err
	}
	return ClaimInvitations(tx, acc)
}

// ClaimInvitations gives a new account what its address was invited to.
func ClaimInvitations(tx *bucket.Tx, acc *record.Account) error {
	for _, key := range bucket.Keys(working.MembersByEmail.Ascending(tx, bucket.SortKey(record.FoldEmail(acc.Email)))) {
		m, err := working.ProjectMembers.Get(tx, key)
		if err != nil {
			return err
		}
		m.AccountID, m.Pending = acc.ID, true
		if err := working.ProjectMembers.Put(tx, key, m); err != nil {
			return err
		}
	}
	return nil
}
