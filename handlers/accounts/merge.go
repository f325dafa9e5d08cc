package accounts

import (
	"errors"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
)

// Merge ends an account whose items another one has taken over, with a note which that is: its roles in groups, its
// applications and its ways to sign in at other services go there, everything that it signs in with ends, and it is disabled. The other account does not become
// an administrator of the institution by it.
func Merge(tx *bucket.Tx, from, to *record.Account) error {
	grants, err := GrantsOf(tx, from.ID)
	if err != nil {
		return err
	}
	for _, g := range grants {
		if err := errors.Join(Grant(tx, to.ID, g.GroupID, g.Roles...), users.Grants.Delete(tx, bucket.Pair{A: from.ID, B: g.GroupID})); err != nil {
			return err
		}
	}
	for _, key := range bucket.Keys(users.ApplicationsByAccount.Ascending(tx, bucket.SortKey(from.ID))) {
		app, err := users.Applications.Get(tx, key)
		if err != nil {
			return err
		}
		app.AccountID = to.ID
		if err := users.Applications.Put(tx, key, app); err != nil {
			return err
		}
	}
	for _, key := range bucket.Keys(users.LoginsByAccount.Ascending(tx, bucket.SortKey(from.ID))) {
		l, err := users.Logins.Get(tx, key)
		if err != nil {
			return err
		}
		l.AccountID, l.Admin = to.ID, false
		if err := users.Logins.Put(tx, key, l); err != nil {
			return err
		}
	}
	if err := auth.EndSignIn(tx, from.ID); err != nil {
		return err
	}
	if to.InstitutionUserID == "" && from.InstitutionUserID != "" {
		to.InstitutionUserID, from.InstitutionUserID = from.InstitutionUserID, ""
		to.Modified = tx.Now()
		if err := users.Accounts.Put(tx, to.ID, to); err != nil {
			return err
		}
	}
	from.Disabled, from.Admin, from.Password, from.MergedInto, from.Modified = true, false, "", to.ID, tx.Now()
	return users.Accounts.Put(tx, from.ID, from)
}
