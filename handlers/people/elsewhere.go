package people

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"alcove/auth"
	"alcove/auth/ldap"
	"alcove/auth/oidc"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// SignIns are the ways to sign in beside those of the repository itself.
type SignIns struct {
	Providers []*oidc.Provider
	Directory *ldap.Directory // nil for none
	Proxy     *Proxy          // nil for none
}

// ReturnPath is what the addresses begin with that other services send browsers back to.
const ReturnPath = "/sign-in/back/"

// Proxy is a reverse proxy that signs people in, and says in headers who they are.
type Proxy struct {
	Name, Label               string
	Header                    string // what the proxy knows the person by
	Mail, FirstName, LastName string // other headers, "" for none
	Admission                 auth.Admission
}

// proxyIssuer is that of the identities that a proxy tells of.
const proxyIssuer = "proxy"

// The cookie of a browser that was sent to another service, beside that of a session.
const (
	awayCookie      = "__Host-alcove-away"
	awayPlainCookie = "alcove-demo-away"
)

// recently is how long after signing in an account without a password changes how it signs in.
const recently = 15 * time.Minute

// Way is another service to sign in at.
type Way struct {
	Name, Label string
	Proxy       bool
	ORCID       bool // it can be connected, and does not find or begin an account by itself
}

// Ways are the other services to sign in at, but for the directory, which has no page of its own.
func (a *People) Ways() (list []Way) {
	for _, p := range a.SignIns.Providers {
		list = append(list, Way{Name: p.Name, Label: p.Label, ORCID: p.ORCID})
	}
	if p := a.SignIns.Proxy; p != nil {
		list = append(list, Way{Name: p.Name, Label: p.Label, Proxy: true})
	}
	return list
}

// HasDirectory reports whether people sign in with their password for a directory.
func (a *People) HasDirectory() bool { return a.SignIns.Directory != nil }

func (a *People) provider(name string) (*oidc.Provider, error) {
	for _, p := range a.SignIns.Providers {
		if p.Name == name {
			return p, nil
		}
	}
	return nil, record.ErrNotFound
}

// ByProxy reports whether the service that the path names is a proxy, which has signed the person in already.
func (a *People) ByProxy(c *endpoint.Call) bool {
	return a.SignIns.Proxy != nil && a.SignIns.Proxy.Name == c.Text("name")
}

// Leave sends a browser to a service, to come back at next; to sign in, or to connect the identity with the
// account of the person. Where the service cannot be asked the error is oidc.ErrUnavailable.
func (a *People) Leave(c *endpoint.Call, name, next string, connect bool) (address string, r endpoint.Reply, err error) {
	p, err := a.provider(name)
	if err != nil {
		return "", r, err
	}
	if wait := a.Rates().BeginningsFrom.Take(a.Caller(c), time.Now()); wait > 0 {
		return "", r, endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	account := int64(0)
	if connect {
		account = c.Person().ID
	}
	address, away, err := p.Leave(c.Context, next, account)
	if err != nil {
		return "", r, a.loginFailed(c, err)
	}
	secret, err := a.Auth.SendAway(c.Context, away)
	if err != nil {
		return "", r, err
	}
	r = endpoint.Reply{Status: http.StatusSeeOther, Location: address, Header: http.Header{"Cache-Control": {"private, no-store"}, "Referrer-Policy": {"no-referrer"}}}
	setAway(c, &r, secret, int(auth.AwayLasts/time.Second))
	return address, r, nil
}

func awayName(c *endpoint.Call) string {
	if c.OverPlain() {
		return awayPlainCookie
	}
	return awayCookie
}

func setAway(c *endpoint.Call, r *endpoint.Reply, secret string, seconds int) {
	cookie := http.Cookie{Name: awayName(c), Value: secret, Path: "/", MaxAge: seconds, HttpOnly: true, Secure: !c.OverPlain(), SameSite: http.SameSiteLaxMode}
	r.Header.Add("Set-Cookie", cookie.String())
}

// loginFailed notes in the log why a service did not let a person in: only the operator can do something about it.
func (a *People) loginFailed(c *endpoint.Call, err error) error {
	if errors.Is(err, oidc.ErrUnavailable) || errors.Is(err, oidc.ErrAnswer) || errors.Is(err, oidc.ErrRefused) || errors.Is(err, ldap.ErrUnavailable) {
		a.Log.Warn("signing in elsewhere has failed", "request", c.RequestID, "error", err)
	}
	return err
}

// Return takes what a browser brings back from the service that the path names. It begins a session, or connects the identity
// with the account of the person, and tells where that person goes on. The errors are auth.ErrAway, those of packages oidc
// and accounts.
func (a *People) Return(c *endpoint.Call) (next string, connected bool, r endpoint.Reply, err error) {
	p, err := a.provider(c.Text("name"))
	if err != nil {
		return "", false, r, err
	}
	brought := c.Request.URL.Query()
	away, err := a.Auth.ComeBack(c.Context, c.Cookie(awayName(c)), p.Name, brought.Get("state"))
	if err != nil {
		return "", false, r, err
	}
	if away.Account != 0 && (c.Person() == nil || c.Person().ID != away.Account) {
		return "", false, r, auth.ErrAway
	}
	said, err := p.Answer(c.Context, away, brought, a.DB.Time())
	if err != nil {
		return "", false, r, a.loginFailed(c, err)
	}
	id := p.Admission.Judge(said)
	if p.ORCID {
		if id.ORCID = orcidOf(said.Subject); id.ORCID == "" {
			return "", false, r, a.loginFailed(c, fmt.Errorf("%w: its subject is no ORCID iD", oidc.ErrAnswer))
		}
		id.Shown, id.LinkMail, id.Create = id.ORCID, false, false
	}
	if away.Account != 0 {
		err = a.DB.UpdateBy(c.Context, c.By(), func(tx *bucket.Tx) error { return accounts.Connect(tx, away.Account, id) })
		r.Header = http.Header{"Cache-Control": {"private, no-store"}}
	} else {
		r, err = a.enter(c, id, a.beginSession)
	}
	if err == nil {
		setAway(c, &r, "", -1)
	}
	return away.Next, away.Account != 0, r, err
}

func orcidOf(subject string) string {
	orcid, ok := record.ReadORCID(subject)
	if !ok {
		return ""
	}
	return orcid
}

// enter begins a session of the account of an identity.
func (a *People) enter(c *endpoint.Call, id auth.Identity, begin func(*endpoint.Call, int64) (endpoint.Reply, error)) (endpoint.Reply, error) {
	var account int64
	err := a.DB.UpdateBy(c.Context, changelog.By{}, func(tx *bucket.Tx) (err error) {
		account, err = accounts.Enter(tx, id)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	r, err := begin(c, account)
	if errors.Is(err, auth.ErrWrong) { // the account has ended meanwhile
		err = accounts.ErrNoAccount
	}
	return r, err
}

// SignInByProxy begins a session for the person that the proxy names which sent the request. Without a proxy that is
// trusted, or a name of the person, the error is accounts.ErrNoAccount.
func (a *People) SignInByProxy(c *endpoint.Call) (endpoint.Reply, error) {
	p := a.SignIns.Proxy
	if p == nil {
		return endpoint.Reply{}, record.ErrNotFound
	}
	one := func(name string) string {
		if values := c.Header.Values(name); name != "" && len(values) == 1 {
			return strings.TrimSpace(strings.ToValidUTF8(values[0], ""))
		}
		return ""
	}
	said := auth.Said{
		Provider: p.Name, Issuer: proxyIssuer, Subject: one(p.Header), Email: one(p.Mail), FirstName: one(p.FirstName), LastName: one(p.LastName),
		Verified: true, Claims: auth.Claims{},
	}
	if !a.FromProxy(c) || said.Subject == "" || len(said.Subject) > 1000 || len(c.Header.Values(p.Mail)) > 1 {
		return endpoint.Reply{}, accounts.ErrNoAccount
	}
	for _, rule := range p.Admission.Rules {
		for _, value := range strings.Split(one(rule.Claim), ";") { // as mod_shib writes several
			said.Claims[rule.Claim] = append(said.Claims[rule.Claim], strings.TrimSpace(value))
		}
	}
	return a.enter(c, p.Admission.Judge(said), a.beginSession)
}

// signInByDirectory is the second try with a mail address, or a name, and a password.
func (a *People) signInByDirectory(c *endpoint.Call, login, password string) (int64, error) {
	said, err := a.SignIns.Directory.Check(c.Context, login, password)
	if err != nil {
		return 0, a.loginFailed(c, err)
	}
	var account int64
	err = a.DB.UpdateBy(c.Context, changelog.By{}, func(tx *bucket.Tx) (err error) {
		account, err = accounts.Enter(tx, a.SignIns.Directory.Admission.Judge(said))
		return err
	})
	return account, err
}

// Logins are the identities that the person signs in with.
func (a *People) Logins(c *endpoint.Call) (all []accounts.Login, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		all, err = accounts.Logins(tx, c.Person().ID)
		return err
	})
	return all, err
}

// ConfirmPerson fails with auth.ErrWrong unless the password is that of the person; without one the session has to be a
// new one.
func (a *People) ConfirmPerson(c *endpoint.Call, password string) error {
	if c.Person().Password != "" {
		return a.confirmPassword(c, password)
	}
	var now time.Time
	err := a.DB.View(func(tx *bucket.Tx) error {
		now = tx.Latest()
		return nil
	})
	if err == nil && (c.Session == nil || now.Sub(c.Session.Created) > recently) {
		err = auth.ErrWrong
	}
	return err
}

// LoginEnd ends that an identity signs in to the account of the person.
func (a *People) LoginEnd(c *endpoint.Call, id string) error {
	return a.DB.UpdateBy(bucket.Frees(c.Context), c.By(), func(tx *bucket.Tx) error { return accounts.Disconnect(tx, c.Person().ID, id) })
}
