package handlers

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"alcove/auth"
	"alcove/record"
)

// wrongCodes is how many an account may be tried with at once, and in an hour: of a million codes three are good at
// a time.
const wrongCodes = 10

// CodeNeeded is the page that asks for the code of a second factor.
const CodeNeeded = "/sign-in/code"

// beginStep begins a session in place of the one that the browser had. Where the account has a second factor it opens nothing
// yet, and the reply leads to CodeNeeded.
func (a *API) beginStep(c *Call, account int64) (Reply, error) {
	instead := c.session
	if instead == nil {
		instead = c.half
	}
	secret, half, err := a.auth.BeginHalf(c.Context, account, c.Header.Get("User-Agent"), c.plain(), instead)
	if half {
		r := c.withCookie(secret, 0)
		r.Status, r.Location = http.StatusSeeOther, CodeNeeded
		return r, err
	}
	return c.withCookie(secret, int(a.Limits.Sessions.Absolute/time.Second)), err
}

// HalfSignedIn reports whether the browser is that of a person whose second factor is still to come.
func (c *Call) HalfSignedIn() bool { return c.half != nil }

// SignInCode ends the second step of signing in. The error is auth.ErrCode where the code is not right.
func (a *API) SignInCode(c *Call, code string) (Reply, error) {
	if c.half == nil {
		return Reply{}, record.ErrSignInNeeded
	}
	if err := a.tryCode(c, c.halfway.ID, func() error { return a.auth.TakeCode(c.Context, c.halfway.ID, code) }); err != nil {
		return Reply{}, err
	}
	secret, err := a.auth.Begin(c.Context, c.halfway.ID, c.Header.Get("User-Agent"), c.plain(), c.half)
	return c.withCookie(secret, int(a.Limits.Sessions.Absolute/time.Second)), err
}

// tryCode runs a check of a code unless the account was tried too often with wrong ones.
func (a *API) tryCode(c *Call, account int64, check func() error) error {
	giveBack, wait := a.codesOf.Lend(strconv.FormatInt(account, 10), time.Now())
	if wait > 0 {
		return tooMany(record.ErrTooManyWrong, wait)
	}
	err := check()
	if !errors.Is(err, auth.ErrCode) {
		giveBack()
	}
	return err
}

// Factor is the second factor of the person, nil for none.
func (a *API) Factor(c *Call) (*record.SecondFactor, error) { return a.auth.Factor(c.person.ID) }

// FactorBegin begins a second factor, which FactorUse takes into use. The error is auth.ErrWrong where the password is not the
// right one.
func (a *API) FactorBegin(c *Call, password string) error {
	if err := a.ConfirmPerson(c, password); err != nil {
		return err
	}
	return a.auth.NewFactor(c.Context, c.person.ID)
}

// FactorUse takes the second factor into use that was begun, and ends all other sessions. The error is auth.ErrCode where the code
// is not right.
func (a *API) FactorUse(c *Call, code string) (recovery []string, r Reply, err error) {
	err = a.tryCode(c, c.person.ID, func() error {
		recovery, err = a.auth.UseFactor(c.Context, c.person.ID, code)
		return err
	})
	if err != nil {
		return nil, Reply{}, err
	}
	r, err = a.beginSession(c, c.person.ID)
	return recovery, r, err
}

// FactorRecovery replaces the recovery codes.
func (a *API) FactorRecovery(c *Call, password string) (recovery []string, err error) {
	if err := a.ConfirmPerson(c, password); err != nil {
		return nil, err
	}
	return a.auth.NewRecovery(c.Context, c.person.ID)
}

// FactorEnd removes the second factor.
func (a *API) FactorEnd(c *Call, password string) error {
	if err := a.ConfirmPerson(c, password); err != nil {
		return err
	}
	return a.auth.RemoveFactor(c.Context, c.person.ID)
}
