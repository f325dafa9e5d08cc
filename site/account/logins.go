package account

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"

	"alcove/auth"
	"alcove/auth/oidc"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/site"
	"alcove/site/words"
)

// pathToLogins is the address of the page with the ways in which an account is signed in to.
const pathToLogins = "/account/sign-in-methods"

// way is a button of the page to sign in.
type way struct{ Label, URL string }

// waysTo are the services at which a person may sign in to go on at next.
func (s *Pages) waysTo(next string) (list []way) {
	for _, w := range s.api.Ways() {
		list = append(list, way{w.Label, "/sign-in/with/" + w.Name + "?next=" + url.QueryEscape(next)})
	}
	return list
}

// SignInWith sends a browser to the service that the path names, or takes the word of a proxy that has asked the person already.
func (s *Pages) SignInWith(c *endpoint.Call) (endpoint.Reply, error) {
	next := localPath(site.Asked(c, "next"))
	if s.api.ByProxy(c) {
		r, err := s.api.SignInByProxy(c)
		if err != nil {
			return s.signInFailed(c, next, err)
		}
		return onward(r, next), nil
	}
	_, r, err := s.api.Leave(c, c.Text("name"), next, false)
	if err != nil {
		return s.signInFailed(c, next, err)
	}
	return r, nil
}

// SignInBack takes what a browser brings back from there.
func (s *Pages) SignInBack(c *endpoint.Call) (endpoint.Reply, error) {
	next, connected, r, err := s.api.Return(c)
	switch {
	case err == nil && connected:
		r.Status, r.Location = http.StatusSeeOther, pathToLogins+"?connected=1"
		return r, nil
	case err == nil:
		return onward(r, localPath(next)), nil
	case c.Person() != nil:
		return s.loginsFailed(c, err)
	}
	return s.signInFailed(c, localPath(next), err)
}

// loginFailed says what has gone wrong at another service; "" is an error that no person can do anything about.
func loginFailed(w *words.Logins, err error) (said string, status int) {
	for _, one := range []struct {
		err    error
		said   string
		status int
	}{
		{accounts.ErrNoAccount, w.NoAccount, http.StatusForbidden},
		{accounts.ErrOtherAccount, w.OtherAccount, http.StatusUnprocessableEntity},
		{accounts.ErrLastWay, w.LastWay, http.StatusUnprocessableEntity},
		{accounts.ErrLogins, w.TooMany, http.StatusUnprocessableEntity},
		{auth.ErrAway, w.Away, http.StatusUnprocessableEntity},
		{oidc.ErrRefused, w.Refused, http.StatusUnprocessableEntity},
		{oidc.ErrAnswer, w.Answer, http.StatusUnprocessableEntity},
		{oidc.ErrUnavailable, w.Unavailable, http.StatusServiceUnavailable},
	} {
		if errors.Is(err, one.err) {
			return one.said, one.status
		}
	}
	return "", 0
}

// signInFailed is the page to sign in with what has gone wrong.
func (s *Pages) signInFailed(c *endpoint.Call, next string, err error) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	if wait := site.Waiting(err); wait > 0 {
		page, err := s.signInPage(c, http.StatusTooManyRequests, next, "", nil, w.Count(site.Minutes(wait), w.Accounts.WaitOne, w.Accounts.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	said, status := loginFailed(&w.Logins, err)
	if said == "" {
		return endpoint.Reply{}, err
	}
	return s.signInPage(c, status, next, "", nil, said)
}

type logins struct {
	*site.Frame
	site.Form
	List     []login
	Ways     []people.Way // that can be connected
	Password bool         // is needed to connect one
	Go       template.URL // the address of a service that the person goes to now, "" for none
	GoTo     string
}

type login struct {
	ID, At, Shown string
	Begun, Used   site.Day
}

// LoginsPage lists what the person signs in with.
func (s *Pages) LoginsPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.loginsPage(c, http.StatusOK, "", "")
}

// Logins connects the account with an identity at another service, or ends that.
func (s *Pages) Logins(c *endpoint.Call) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	connect := c.Field("connect")
	if c.Person().Password != "" && c.Field("password") == "" {
		return s.loginsPage(c, http.StatusUnprocessableEntity, w.Accounts.PasswordMissing, "")
	}
	err := s.api.ConfirmPerson(c, c.Field("password"))
	switch {
	case errors.Is(err, auth.ErrWrong) && c.Person().Password != "":
		return s.loginsPage(c, http.StatusUnprocessableEntity, w.Accounts.CurrentWrong, "")
	case errors.Is(err, auth.ErrWrong):
		return s.loginsPage(c, http.StatusUnprocessableEntity, "", w.Logins.Again)
	case err != nil:
		return s.loginsFailed(c, err)
	case c.Field("login") != "":
		if err := s.api.LoginEnd(c, c.Field("login")); err != nil {
			return s.loginsFailed(c, err)
		}
		return endpoint.Reply{Status: http.StatusSeeOther, Location: pathToLogins + "?disconnected=1"}, nil
	}
	address, away, err := s.api.Leave(c, connect, pathToLogins, true)
	if err != nil {
		return s.loginsFailed(c, err)
	}
	// The policy of pages lets no form lead to another server, so that a page stands between.
	f := s.site.Frame(c)
	f.Title = f.Logins.Title
	f.Main = logins{Frame: f, Go: template.URL(address), GoTo: s.label(connect)}
	page, err := s.formPage(c, "logins", http.StatusOK, f)
	if err == nil {
		page.Header["Set-Cookie"] = away.Header["Set-Cookie"]
		page.Header.Set("Refresh", "0; url="+address)
	}
	return page, err
}

// label is what a service is called, or was.
func (s *Pages) label(name string) string {
	for _, w := range s.api.Ways() {
		if w.Name == name {
			return w.Label
		}
	}
	return name
}

func (s *Pages) loginsFailed(c *endpoint.Call, err error) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	if wait := site.Waiting(err); wait > 0 {
		page, err := s.loginsPage(c, http.StatusTooManyRequests, "", w.Count(site.Minutes(wait), w.Accounts.WaitOne, w.Accounts.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	said, status := loginFailed(&w.Logins, err)
	if said == "" {
		return endpoint.Reply{}, err
	}
	return s.loginsPage(c, status, "", said)
}

func (s *Pages) loginsPage(c *endpoint.Call, status int, wrong, said string) (endpoint.Reply, error) {
	all, err := s.api.Logins(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f := s.site.Frame(c)
	w := &f.Logins
	f.Title = w.Title
	v := logins{Frame: f, Password: c.Person().Password != "", Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "password", Type: "password", Complete: "current-password", Label: f.Accounts.CurrentPassword, Most: auth.MaxPassword, Error: wrong},
	}}}
	switch {
	case status != http.StatusOK:
	case site.Asked(c, "connected") != "":
		v.Done = w.Connected
	case site.Asked(c, "disconnected") != "":
		v.Done = w.Disconnected
	}
	for _, l := range all {
		v.List = append(v.List, login{ID: l.ID, At: s.label(l.Provider), Shown: l.Shown, Begun: f.Moment(l.Created), Used: f.Moment(l.Used)})
	}
	for _, one := range s.api.Ways() {
		if !one.Proxy {
			v.Ways = append(v.Ways, one)
		}
	}
	f.Main = v
	return s.formPage(c, "logins", status, f)
}
