package handlers

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"alcove/auth"
	"alcove/auth/ldap"
	"alcove/record"
)

// The cookie of a session. Over plain HTTP browsers take none with this prefix and Secure: a listener that
// only this machine reaches has one of its own, and a session is good where it was begun.
const (
	sessionCookie = "__Host-alcove"
	plainCookie   = "alcove-demo"
)

// wrongPasswords is how many an account may be tried with at once, and in an hour.
const wrongPasswords = 20

type plainly struct{}

// OverPlain is the context of requests that come over plain HTTP from this machine.
func OverPlain(ctx context.Context) context.Context { return context.WithValue(ctx, plainly{}, true) }

func (c *Call) plain() bool { return c.Context.Value(plainly{}) != nil }

func (c *Call) cookieName() string {
	if c.plain() {
		return plainCookie
	}
	return sessionCookie
}

// takesCookie reports whether the cookie of a session counts for a request: on pages, on downloads that a person
// opens, and on private routes for scripts of this server's own pages. A page of another site cannot make a
// browser say that it comes from here (Fetch Metadata, Sec-Fetch-Site), and who does not say it is taken for foreign.
func (c *Call) takesCookie(r *Route) bool {
	switch {
	case c.Header["Cookie"] == nil:
		return false
	case r == nil:
		return c.Browser()
	case r.About.IsPage():
		return !r.Endpoint.free
	case r.Access == Account:
		return c.says("Sec-Fetch-Site", "same-origin")
	case r.Access == Either:
		return c.says("Sec-Fetch-Site", "same-origin") || c.says("Sec-Fetch-Mode", "navigate") && c.says("Sec-Fetch-Dest", "document")
	}
	return false
}

// says reports whether a header is there once, with a value.
func (c *Call) says(name, value string) bool {
	v := c.Header[name]
	return len(v) == 1 && v[0] == value
}

// findSession finds the session of a request whose cookie counts. A cookie that is there twice counts for nothing.
func (c *Call) findSession(r *Route) error {
	if !c.takesCookie(r) {
		return nil
	}
	secret := c.cookie(c.cookieName())
	if secret == "" {
		return nil
	}
	return c.API.Jobs.Again(c.Context, func() (err error) {
		c.session, c.person, err = c.API.auth.Find(secret, c.plain())
		if err == nil && c.session == nil && r != nil && r.About.IsPage() {
			c.half, c.halfway, err = c.API.auth.FindHalf(secret, c.plain())
		}
		return err
	})
}

// cookie is the value of a cookie, "" where it is not there once.
func (c *Call) cookie(name string) string {
	value, times := "", 0
	cookies, _ := http.ParseCookie(strings.Join(c.Header["Cookie"], "; "))
	for _, k := range cookies {
		if k.Name == name {
			value, times = k.Value, times+1
		}
	}
	if times != 1 {
		return ""
	}
	return value
}

// enterBySession lets in the person who is signed in.
func (c *Call) enterBySession() error {
	if c.person == nil {
		return record.ErrSignInNeeded
	}
	c.Account, c.Actor, c.admin = c.person, c.person.ID, c.person.Admin
	return nil
}

// leadToSignIn answers a browser that has to sign in first, and comes back then.
func (a *API) leadToSignIn(c *Call, w *recorder) error {
	w.Header()["Cache-Control"] = []string{"private, no-store"}
	w.Header().Set("Location", SignInAt(c.request.URL.RequestURI()))
	dropBody(w)
	a.write(c, w, http.StatusSeeOther, nil)
	return nil
}

// SignInPath is the address of the page to sign in.
const SignInPath = "/sign-in"

// SignInAt is that address, which leads to a path then.
func SignInAt(path string) string {
	return SignInPath + "?next=" + strings.ReplaceAll(url.QueryEscape(path), "%2F", "/")
}

// Person is who is signed in, nil for none.
func (c *Call) Person() *record.Account { return c.person }

// SessionID is the id of the session of the request, "" for none.
func (c *Call) SessionID() string {
	if c.session == nil {
		return ""
	}
	return c.session.ID
}

// SignIn begins a session, or the second step of it (CodeAsked), for the account with an e-mail address and a password, in place of the one that the
// browser had. The reply has the cookie. Where there is no such account the error is auth.ErrWrong,
// and a refusal where too many passwords were wrong. A password that is no account's may be one of the directory; then the error
// is accounts.ErrNoAccount for a person without an account.
func (a *API) SignIn(c *Call, email, password string) (Reply, error) {
	var account int64
	err := a.tryPassword(c, email, func() error {
		acc, err := a.auth.Check(c.Context, email, password)
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
		return Reply{}, err
	}
	return a.beginStep(c, account)
}

// tryPassword runs a check of a password unless the address of the client, or the account, was tried too often
// with wrong ones. Which it is is not told, nor whether there is such an account.
func (a *API) tryPassword(c *Call, email string, check func() error) error {
	now := time.Now()
	ours, wait := a.guards().passwordsFrom.Lend(a.caller(c), now)
	if wait > 0 {
		return tooMany(record.ErrTooManyWrong, wait)
	}
	theirs, wait := a.passwordsOf.Lend(record.FoldEmail(strings.TrimSpace(email)), now)
	if wait > 0 {
		return tooMany(record.ErrTooManyWrong, wait)
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
func (a *API) beginSession(c *Call, account int64) (Reply, error) {
	secret, err := a.auth.Begin(c.Context, account, c.Header.Get("User-Agent"), c.plain(), c.session)
	return c.withCookie(secret, int(a.Limits.Sessions.Absolute/time.Second)), err
}

// withCookie is a reply that gives the browser a secret, or, when that is "", takes the old one away.
func (c *Call) withCookie(secret string, seconds int) Reply {
	cookie := http.Cookie{
		Name: c.cookieName(), Value: secret, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: !c.plain(), SameSite: http.SameSiteLaxMode,
	}
	return Reply{Header: http.Header{"Set-Cookie": {cookie.String()}, "Cache-Control": {"private, no-store"}}}
}

// SignOut ends the session of the browser, if it has one.
func (a *API) SignOut(c *Call) (Reply, error) {
	if c.session == nil {
		return c.withCookie("", -1), nil
	}
	return c.withCookie("", -1), a.auth.End(c.Context, c.person.ID, c.session.ID)
}

// SignOutEverywhere ends all sessions of the person.
func (a *API) SignOutEverywhere(c *Call) (Reply, error) {
	return c.withCookie("", -1), a.auth.EndAll(c.Context, c.person.ID)
}

// EndSession ends another session of the person by its id.
func (a *API) EndSession(c *Call, id string) error { return a.auth.End(c.Context, c.person.ID, id) }

// Sessions are those of the person, the one that was used last first.
func (a *API) Sessions(c *Call) ([]*auth.Session, error) { return a.auth.List(c.person.ID) }

// PasswordChange gives the person another password, ends all sessions, with tokens the personal tokens, too, and begins a session for this browser. The error is
// auth.ErrWrong where the old password is not the right one.
func (a *API) PasswordChange(c *Call, old, password string, tokens bool) (Reply, error) {
	if err := a.confirmPassword(c, old); err != nil {
		return Reply{}, err
	}
	err := a.auth.ChangePassword(c.Context, c.person.ID, password, tokens)
	if errors.Is(err, auth.ErrBusy) {
		err = record.ErrUnavailable
	}
	if err != nil {
		return Reply{}, err
	}
	return a.beginSession(c, c.person.ID)
}
