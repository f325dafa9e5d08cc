package handlers

import (
	"time"

	"alcove/auth"
)

// Personal tokens of the person who is signed in.

// Tokens are those of the person, the newest first.
func (a *API) Tokens(c *Call) ([]*auth.Token, error) { return a.auth.Tokens(c.person.ID) }

// TokenAdd makes one and returns it: it cannot be shown again. lasts is 0 for ever. The error is
// auth.ErrTooMany where there is no room for one more.
func (a *API) TokenAdd(c *Call, name string, lasts time.Duration) (token string, err error) {
	return a.auth.AddToken(c.Context, c.by(), c.person.ID, name, lasts)
}

// TokenEnd ends one by its id.
func (a *API) TokenEnd(c *Call, id string) error {
	return a.auth.EndToken(c.Context, c.by(), c.person.ID, id)
}
