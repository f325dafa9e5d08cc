package endpoint

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"alcove/record"
)

// The cookie of a session. Over plain HTTP browsers take none with this prefix and Secure: a listener that
// only this machine reaches has one of its own, and a session is good where it was begun.
const (
	sessionCookie = "__Host-alcove"
	plainCookie   = "alcove-demo"
)

type plainly struct{}

// OverPlain is the context of requests that come over plain HTTP from this machine.
func OverPlain(ctx context.Context) context.Context { return context.WithValue(ctx, plainly{}, true) }

// OverPlain reports whether the call came that way.
func (c *Call) OverPlain() bool { return c.Context.Value(plainly{}) != nil }

func (c *Call) cookieName() string {
	if c.OverPlain() {
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
	secret := c.Cookie(c.cookieName())
	if secret == "" {
		return nil
	}
	return c.Server.Jobs.Again(c.Context, func() (err error) {
		c.Session, c.person, err = c.Server.Auth.Find(secret, c.OverPlain())
		if err == nil && c.Session == nil && r != nil && r.About.IsPage() {
			c.Half, c.Halfway, err = c.Server.Auth.FindHalf(secret, c.OverPlain())
		}
		return err
	})
}

// Cookie is the value of a cookie, "" where it is not there once.
func (c *Call) Cookie(name string) string {
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
func (a *Server) leadToSignIn(c *Call, w *recorder) error {
	w.Header()["Cache-Control"] = []string{"private, no-store"}
	w.Header().Set("Location", SignInAt(c.Request.URL.RequestURI()))
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
	if c.Session == nil {
		return ""
	}
	return c.Session.ID
}

// WithCookie is a reply that gives the browser a secret, or, when that is "", takes the old one away.
func (c *Call) WithCookie(secret string, seconds int) Reply {
	cookie := http.Cookie{
		Name: c.cookieName(), Value: secret, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: !c.OverPlain(), SameSite: http.SameSiteLaxMode,
	}
	return Reply{Header: http.Header{"Set-Cookie": {cookie.String()}, "Cache-Control": {"private, no-store"}}}
}

// HalfSignedIn reports whether the browser is that of a person whose second factor is still to come.
func (c *Call) HalfSignedIn() bool { return c.Half != nil }

// SameOrigin tells what a page of this server asks for from what a page of another one does
// (Fetch Metadata, Sec-Fetch-Site, and Origin).
var SameOrigin = http.NewCrossOriginProtection()
