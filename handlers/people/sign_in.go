package people

import (
	"errors"
	"strings"
	"time"

	"alcove/auth"
	"alcove/auth/ldap"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// wrongOfAccount is how many an account may be tried with at once, and in an hour.
const wrongOfAccount = 20

// SignIn begins a session, or the second step of it (CodeNeeded), for the account with an e-mail address and a password, in place of the one that the
// browser had. The reply has the cookie. Where there is no such account the error is auth.ErrWrong,
// and a refusal where too many passwords were wrong. A password that is no account's may be one of the directory; then the error
// is accounts.ErrNoAccount for a person without an account.
func (a *People) SignIn(c *endpoint.Call, email, password string) (endpoint.Reply, error) {
	var account int64
	err := a.tryPassword(c, email, func() error {
		acc, err := a.Auth.Check(c.Context, email, password)
		switch {
		case err == nil:
			account = acc.ID
		case errors.Is(err, auth.ErrWrong) && a.HasDirectory():
			account, err = a.signInByDirectory(c, email, password)
		}
		return err
	})
	if errors.Is(err, ldap.ErrUnavailable) {
		err = record.ErrUnavailable
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.beginStep(c, account)
}

// tryPassword runs a check of a password unless the address of the client, or the account, was tried too often
// with wrong ones. Which it is is not told, nor whether there is such an account.
func (a *People) tryPassword(c *endpoint.Call, email string, check func() error) error {
	now := time.Now()
	ours, wait := a.Rates().PasswordsFrom.Lend(a.Caller(c), now)
	if wait > 0 {
		return endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	theirs, wait := a.passwordsOf.Lend(record.FoldEmail(strings.TrimSpace(email)), now)
	if wait > 0 {
		return endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	err := check()
	if !errors.Is(err, auth.ErrWrong) {
		ours()
		theirs()
	}
	if errors.Is(err, auth.ErrBusy) {
		return record.ErrUnavailable
	}
	return err
}

// beginSession begins a session in place of the one that the browser had.
func (a *People) beginSession(c *endpoint.Call, account int64) (endpoint.Reply, error) {
	secret, err := a.Auth.Begin(c.Context, account, c.Header.Get("User-Agent"), c.OverPlain(), c.Session)
	return c.WithCookie(secret, int(a.Limits.Sessions.Absolute/time.Second)), err
}

// SignOut ends the session of the browser, if it has one.
func (a *People) SignOut(c *endpoint.Call) (endpoint.Reply, error) {
	if c.Session == nil {
		return c.WithCookie("", -1), nil
	}
	return c.WithCookie("", -1), a.Auth.End(c.Context, c.Person().ID, c.Session.ID)
}

// SignOutEverywhere ends all sessions of the person.
func (a *People) SignOutEverywhere(c *endpoint.Call) (endpoint.Reply, error) {
	return c.WithCookie("", -1), a.Auth.EndAll(c.Context, c.Person().ID)
}

// EndSession ends another session of the person by its id.
func (a *People) EndSession(c *endpoint.Call, id string) error {
	return a.Auth.End(c.Context, c.Person().ID, id)
}

// Sessions are those of the person, the one that was used last first.
func (a *People) Sessions(c *endpoint.Call) ([]*auth.Session, error) {
	return a.Auth.List(c.Person().ID)
}

// PasswordChange gives the person another password, ends all sessions, with tokens the personal tokens, too, and begins a session for this browser. The error is
// auth.ErrWrong where the old password is not the right one.
func (a *People) PasswordChange(c *endpoint.Call, old, password string, tokens bool) (endpoint.Reply, error) {
	if err := a.confirmPassword(c, old); err != nil {
		return endpoint.Reply{}, err
	}
	err := a.Auth.ChangePassword(c.Context, c.Person().ID, password, tokens)
	if errors.Is(err, auth.ErrBusy) {
		err = record.ErrUnavailable
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.beginSession(c, c.Person().ID)
}
