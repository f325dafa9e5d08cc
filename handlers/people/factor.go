package people

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// wrongCodes is how many an account may be tried with at once, and in an hour: of a million codes three are good at
// a time.
const wrongCodes = 10

// CodeNeeded is the page that asks for the code of a second factor.
const CodeNeeded = "/sign-in/code"

// beginStep begins a session in place of the one that the browser had. Where the account has a second factor it opens nothing
// yet, and the reply leads to CodeNeeded.
func (a *People) beginStep(c *endpoint.Call, account int64) (endpoint.Reply, error) {
	instead := c.Session
	if instead == nil {
		instead = c.Half
	}
	secret, half, err := a.Auth.BeginHalf(c.Context, account, c.Header.Get("User-Agent"), c.OverPlain(), instead)
	if half {
		r := c.WithCookie(secret, 0)
		r.Status, r.Location = http.StatusSeeOther, CodeNeeded
		return r, err
	}
	return c.WithCookie(secret, int(a.Limits.Sessions.Absolute/time.Second)), err
}

// SignInCode ends the second step of signing in. The error is auth.ErrCode where the code is not right.
func (a *People) SignInCode(c *endpoint.Call, code string) (endpoint.Reply, error) {
	if c.Half == nil {
		return endpoint.Reply{}, record.ErrSignInNeeded
	}
	if err := a.tryCode(c, c.Halfway.ID, func() error { return a.Auth.TakeCode(c.Context, c.Halfway.ID, code) }); err != nil {
		return endpoint.Reply{}, err
	}
	secret, err := a.Auth.Begin(c.Context, c.Halfway.ID, c.Header.Get("User-Agent"), c.OverPlain(), c.Half)
	return c.WithCookie(secret, int(a.Limits.Sessions.Absolute/time.Second)), err
}

// tryCode runs a check of a code unless the account was tried too often with wrong ones.
func (a *People) tryCode(c *endpoint.Call, account int64, check func() error) error {
	giveBack, wait := a.codesOf.Lend(strconv.FormatInt(account, 10), time.Now())
	if wait > 0 {
		return endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	err := check()
	if !errors.Is(err, auth.ErrCode) {
		giveBack()
	}
	return err
}

// Factor is the second factor of the person, nil for none.
func (a *People) Factor(c *endpoint.Call) (*record.SecondFactor, error) {
	return a.Auth.Factor(c.Person().ID)
}

// FactorBegin begins a second factor, which FactorUse takes into use. The error is auth.ErrWrong where the password is not the
// right one.
func (a *People) FactorBegin(c *endpoint.Call, password string) error {
	if err := a.ConfirmPerson(c, password); err != nil {
		return err
	}
	return a.Auth.NewFactor(c.Context, c.Person().ID)
}

// FactorUse takes the second factor into use that was begun, and ends all other sessions. The error is auth.ErrCode where the code
// is not right.
func (a *People) FactorUse(c *endpoint.Call, code string) (recovery []string, r endpoint.Reply, err error) {
	err = a.tryCode(c, c.Person().ID, func() error {
		recovery, err = a.Auth.UseFactor(c.Context, c.Person().ID, code)
		return err
	})
	if err != nil {
		return nil, endpoint.Reply{}, err
	}
	r, err = a.beginSession(c, c.Person().ID)
	return recovery, r, err
}

// FactorRecovery replaces the recovery codes.
func (a *People) FactorRecovery(c *endpoint.Call, password string) (recovery []string, err error) {
	if err := a.ConfirmPerson(c, password); err != nil {
		return nil, err
	}
	return a.Auth.NewRecovery(c.Context, c.Person().ID)
}

// FactorEnd removes the second factor.
func (a *People) FactorEnd(c *endpoint.Call, password string) error {
	if err := a.ConfirmPerson(c, password); err != nil {
		return err
	}
	return a.Auth.RemoveFactor(c.Context, c.Person().ID)
}
