package people

import (
	"time"

	"alcove/auth"
	"alcove/handlers/endpoint"
)

// Personal tokens of the person who is signed in.

// Tokens are those of the person, the newest first.
func (a *People) Tokens(c *endpoint.Call) ([]*auth.Token, error) { return a.Auth.Tokens(c.Person().ID) }

// TokenAdd makes one and returns it: it cannot be shown again. lasts is 0 for ever. The error is
// auth.ErrTooMany where there is no room for one more.
func (a *People) TokenAdd(c *endpoint.Call, name string, lasts time.Duration) (token string, err error) {
	return a.Auth.AddToken(c.Context, c.By(), c.Person().ID, name, lasts)
}

// TokenEnd ends one by its id.
func (a *People) TokenEnd(c *endpoint.Call, id string) error {
	return a.Auth.EndToken(c.Context, c.By(), c.Person().ID, id)
}
