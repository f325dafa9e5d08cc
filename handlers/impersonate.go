package handlers

import (
	"errors"
	"net/http"

	"alcove/bucket"
	"alcove/record"
)

// impersonate lets an administrator of the institution call as another account of it:
// impersonate=ID in the query, or the key in the body of a POST, PUT or PATCH, which nothing else meets then. From here on the account of the call is the
// other one, with its rights and no more; the actor of the change log and of the log of
// requests stays who holds the token, and both say in whose name it acts.
//
// A caller that is no administrator gets the same refusal for every id.
func (c *Call) impersonate() error {
	as, err := c.Query.Integer("impersonate")
	if c.Method == http.MethodPost || c.Method == http.MethodPut || c.Method == http.MethodPatch {
		said, wrong := c.body.Take("impersonate")
		switch {
		case err != nil:
		case wrong != nil:
			err = wrong
		case as == nil:
			as = said
		case said != nil && *said != *as:
			err = record.Wrong("impersonate", "differs between address and body")
		}
	}
	switch {
	case as == nil && err == nil:
		return nil
	case c.Actor == 0 || !c.Account.Admin: // without a token the caller holds a link, and no more
		return record.ErrImpersonate
	case err != nil:
		return err
	}
	return c.API.DB.View(func(tx *bucket.Tx) error {
		acc, err := bucket.Accounts.Get(tx, *as)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && acc.InstitutionID != c.Account.InstitutionID {
			return record.ErrAccountNotFound
		}
		if err == nil {
			c.Account = acc
		}
		return err
	})
}
