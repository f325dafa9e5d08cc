// Package account has the pages of a person: how it signs in, what signs it in, what may act for it, and its profile.
//
//	account.go       sign-in by password, the first page of an account, its sessions, its password
//	passkey.go       passkeys
//	factor.go        the second factor
//	logins.go        sign-in at other services
//	one_time.go      what a link in a mail opens
//	mail.go          mails, a forgotten password, another mail address
//	profile.go       what others see of a person, and all that is stored of it
//	applications.go  tokens and applications of a person
//	authorize.go     what an application asks a person for
package account

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"alcove/auth"
	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/site"
	"alcove/site/words"
)

// Pages makes the pages.
type Pages struct {
	site *site.Site
	api  *handlers.API
}

// New are the pages over an API, in the frame of its other pages.
func New(api *handlers.API, pages *site.Site) *Pages { return &Pages{pages, api} }

//go:embed views
var files embed.FS

var views = site.NewViews(files)

// formPage is the reply with a page of this room.
func (s *Pages) formPage(c *endpoint.Call, view string, status int, f *site.Frame) (endpoint.Reply, error) {
	return s.site.Page(c, views, view, status, f)
}

type signIn struct {
	*site.Frame
	site.Form
	Next      string
	Passkey   bool // can be used at this address
	Ways      []way
	Directory bool // passwords of it sign in, too
}

// SignInPage is the form to sign in. A person who is signed in goes on to where it leads.
func (s *Pages) SignInPage(c *endpoint.Call) (endpoint.Reply, error) {
	next := localPath(site.Asked(c, "next"))
	if c.Person() != nil {
		return endpoint.Reply{Status: http.StatusSeeOther, Location: next}, nil
	}
	return s.signInPage(c, http.StatusOK, next, "", nil, "")
}

// SignIn takes the form. It does not tell whether there is an account with the address.
func (s *Pages) SignIn(c *endpoint.Call) (endpoint.Reply, error) {
	next, email, password := localPath(c.Field("next")), strings.TrimSpace(c.Field("email")), c.Field("password")
	words := site.WordsOf(c)
	missing := map[string]string{}
	if email == "" {
		missing["email"] = words.Accounts.EmailMissing
	}
	if password == "" {
		missing["password"] = words.Accounts.PasswordMissing
	}
	if len(missing) > 0 {
		return s.signInPage(c, http.StatusUnprocessableEntity, next, email, missing, "")
	}
	r, err := s.api.SignIn(c, email, password)
	if errors.Is(err, auth.ErrWrong) {
		return s.signInPage(c, http.StatusUnprocessableEntity, next, email, map[string]string{"password": words.Accounts.SignInWrong}, "")
	}
	if errors.Is(err, accounts.ErrNoAccount) {
		return s.signInPage(c, http.StatusForbidden, next, email, nil, words.Logins.NoAccount)
	}
	if wait := site.Waiting(err); wait > 0 {
		page, err := s.signInPage(c, http.StatusTooManyRequests, next, email, nil, words.Count(site.Minutes(wait), words.Accounts.WaitOne, words.Accounts.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	return onward(r, next), err
}

// onward leads to a page after signing in, or, where there is a second factor, first to that.
func onward(r endpoint.Reply, next string) endpoint.Reply {
	if r.Location == people.CodeNeeded {
		r.Location += "?next=" + url.QueryEscape(next)
		return r
	}
	r.Status, r.Location = http.StatusSeeOther, next
	return r
}

func (s *Pages) signInPage(c *endpoint.Call, status int, next, email string, wrong map[string]string, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Accounts
	f.Title, f.SignIn = w.SignIn, ""
	v := signIn{Frame: f, Next: next, Passkey: s.api.HasPasskeys(), Ways: s.waysTo(next), Directory: s.api.HasDirectory(), Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "email", Type: "email", Complete: "username", Label: w.Email, Value: email, Most: site.MostEmail, Error: wrong["email"]},
		{Name: "password", Type: "password", Complete: "current-password", Label: w.Password, Most: auth.MaxPassword, Error: wrong["password"]},
	}}}
	if v.Directory {
		v.Fields[0].Type, v.Fields[0].Label = "text", f.Logins.Name
	}
	if f.Main = v; v.Passkey {
		f.Module = site.Address("passkey.js")
	}
	return s.formPage(c, "signin", status, f)
}

// localPath is where a person goes on after signing in: a path of this server, as browsers read it, or
// the page of the account.
func localPath(next string) string {
	const usual = "/account"
	if len(next) > mostNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, `\`) || strings.ContainsFunc(next, site.Unshown) || strings.ContainsAny(next, "\t\r\n") {
		return usual
	}
	at, err := url.Parse(next)
	if err != nil || at.Host != "" || at.Scheme != "" || strings.HasPrefix(at.Path, endpoint.SignInPath) || strings.HasPrefix(at.Path, "//") {
		return usual
	}
	return at.RequestURI()
}

// mostNext is how many bytes an address has that a person comes back to: what an application asks is long.
const mostNext = 3500

// SignOut ends the session of the browser.
func (s *Pages) SignOut(c *endpoint.Call) (endpoint.Reply, error) {
	r, err := s.api.SignOut(c)
	r.Status, r.Location = http.StatusSeeOther, "/"
	return r, err
}

type account struct {
	*site.Frame
	site.Form
	Name, Email string
	Administers bool
}

// Account is the page of the person who is signed in.
func (s *Pages) Account(c *endpoint.Call) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	f.Title = f.Accounts.Title
	v := account{Frame: f, Name: site.NameOf(c.Person()), Email: c.Person().Email}
	if site.Asked(c, "confirmed") != "" {
		v.Done = f.Mails.Confirmed
	}
	err := s.api.DB.View(func(tx *bucket.Tx) error {
		_, err := people.ScopeOf(c, tx)
		v.Administers = err == nil
		if site.Refusal(err) != nil {
			err = nil
		}
		return err
	})
	if err != nil {
		return endpoint.Reply{}, err
	}
	f.Main = v
	return s.formPage(c, "account", http.StatusOK, f)
}

type sessions struct {
	*site.Frame
	site.Form
	List []session
}

type session struct {
	ID, Agent           string
	Begun, Used, Ending site.Day
	This                bool // the browser that asks
}

// Sessions lists where the person is signed in.
func (s *Pages) Sessions(c *endpoint.Call) (endpoint.Reply, error) {
	all, err := s.api.Sessions(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f := s.site.Frame(c)
	f.Title = f.Accounts.Sessions
	v := sessions{Frame: f}
	if site.Asked(c, "ended") != "" {
		v.Done = f.Accounts.SessionEnded
	}
	for _, one := range all {
		agent := one.Agent
		if agent == "" {
			agent = f.Accounts.UnknownBrowser
		}
		v.List = append(v.List, session{
			ID: one.ID, Agent: agent, This: one.ID == c.SessionID(),
			Begun: f.Moment(one.Created), Used: f.Moment(one.Used), Ending: f.Moment(one.Ends),
		})
	}
	f.Main = v
	return s.formPage(c, "sessions", http.StatusOK, f)
}

// EndSession ends one session of the person, or all of them.
func (s *Pages) EndSession(c *endpoint.Call) (endpoint.Reply, error) {
	id := c.Field("session")
	switch {
	case c.Field("all") != "":
		r, err := s.api.SignOutEverywhere(c)
		r.Status, r.Location = http.StatusSeeOther, "/"
		return r, err
	case id == c.SessionID():
		return s.SignOut(c)
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: "/account/sessions?ended=1"}, s.api.EndSession(c, id)
}

type password struct {
	*site.Frame
	site.Form
	Tokens bool // personal ones are to end, too
}

// PasswordPage is the form to change the password.
func (s *Pages) PasswordPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.passwordPage(c, http.StatusOK, nil, "")
}

func (s *Pages) passwordPage(c *endpoint.Call, status int, wrong map[string]string, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Accounts
	f.Title = w.ChangePassword
	v := password{Frame: f, Tokens: c.Field("tokens") != "", Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "current", Type: "password", Complete: "current-password", Label: w.CurrentPassword, Most: auth.MaxPassword, Error: wrong["current"]},
		{Name: "new", Type: "password", Complete: "new-password", Label: w.NewPassword, Help: w.PasswordHelp, Most: auth.MaxPassword, Error: wrong["new"]},
		{Name: "again", Type: "password", Complete: "new-password", Label: w.AgainPassword, Most: auth.MaxPassword, Error: wrong["again"]},
	}}}
	if site.Asked(c, "changed") != "" && status == http.StatusOK {
		v.Done = w.PasswordChanged
	}
	f.Main = v
	return s.formPage(c, "password", status, f)
}

// Password changes the password, and ends all other sessions.
func (s *Pages) Password(c *endpoint.Call) (endpoint.Reply, error) {
	words := &site.WordsOf(c).Accounts
	current, next := c.Field("current"), c.Field("new")
	wrong := newPassword(words, next, c.Field("again"), c.Person().Email)
	if current == "" {
		wrong["current"] = words.PasswordMissing
	}
	if len(wrong) > 0 {
		return s.passwordPage(c, http.StatusUnprocessableEntity, wrong, "")
	}
	r, err := s.api.PasswordChange(c, current, next, c.Field("tokens") != "")
	if errors.Is(err, auth.ErrWrong) {
		return s.passwordPage(c, http.StatusUnprocessableEntity, map[string]string{"current": words.CurrentWrong}, "")
	}
	if wait := site.Waiting(err); wait > 0 {
		w := site.WordsOf(c)
		page, err := s.passwordPage(c, http.StatusTooManyRequests, nil, w.Count(site.Minutes(wait), words.WaitOne, words.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	r.Status, r.Location = http.StatusSeeOther, "/account/password?changed=1"
	return r, err
}

// newPassword says what is wrong with a new password that was written twice, by field.
func newPassword(words *words.Accounts, password, again, email string) map[string]string {
	wrong := map[string]string{}
	switch {
	case len([]rune(password)) < auth.MinPassword:
		wrong["new"] = words.PasswordShort
	case len(password) > auth.MaxPassword:
		wrong["new"] = words.PasswordLong
	case auth.Common(password, email):
		wrong["new"] = words.PasswordCommon
	case password != again:
		wrong["again"] = words.PasswordDiffers
	}
	return wrong
}
