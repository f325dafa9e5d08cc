package site

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/accounts"
	"alcove/record"
	"alcove/site/words"
)

// field is one of a form: its label, a line of help, what was written, and what is wrong with it.
type field struct {
	Name, Label, Help, Value, Error string
	Type                            string // of the input
	Complete                        string // what a browser may fill in
	Most                            int    // characters
	Fixed                           bool   // shown, and not to be changed
	Optional                        bool
}

// form is what pages with a form show: mistakes stand above it and at each field. Everything written
// stays, but for passwords.
type form struct {
	Fields []field
	Said   string // what is wrong with none of the fields, "" for nothing
	Done   string // what has been done, "" for nothing
}

// Wrong are the fields of a form that are.
func (f form) Wrong() (list []field) {
	for _, one := range f.Fields {
		if one.Error != "" {
			list = append(list, one)
		}
	}
	return list
}

// pathToSignIn is the address of the page to sign in.
const pathToSignIn = "/sign-in"

type signIn struct {
	*frame
	form
	Next      string
	Passkey   bool // can be used at this address
	Ways      []way
	Directory bool // passwords of it sign in, too
}

// SignInPage is the form to sign in. A person who is signed in goes on to where it leads.
func (s *Site) SignInPage(c *handlers.Call) (handlers.Reply, error) {
	next := localPath(asks(c, "next"))
	if c.Person() != nil {
		return handlers.Reply{Status: http.StatusSeeOther, Location: next}, nil
	}
	return s.signInPage(c, http.StatusOK, next, "", nil, "")
}

// SignIn takes the form. It does not tell whether there is an account with the address.
func (s *Site) SignIn(c *handlers.Call) (handlers.Reply, error) {
	next, email, password := localPath(c.Field("next")), strings.TrimSpace(c.Field("email")), c.Field("password")
	words := WordsOf(c)
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
	if wait := waiting(err); wait > 0 {
		page, err := s.signInPage(c, http.StatusTooManyRequests, next, email, nil, words.Count(minutes(wait), words.Accounts.WaitOne, words.Accounts.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	return onward(r, next), err
}

// onward leads to a page after signing in, or, where there is a second factor, first to that.
func onward(r handlers.Reply, next string) handlers.Reply {
	if r.Location == handlers.CodeNeeded {
		r.Location += "?next=" + url.QueryEscape(next)
		return r
	}
	r.Status, r.Location = http.StatusSeeOther, next
	return r
}

// waiting is for how many seconds a refusal asks to wait, 0 for another error.
func waiting(err error) int {
	var e *record.Error
	if !errors.As(err, &e) || e.Class != record.TooMany {
		return 0
	}
	wait, _ := e.Data["retry_after"].(int)
	return max(wait, 1)
}

func minutes(seconds int) int { return (seconds + 59) / 60 }

func (s *Site) signInPage(c *handlers.Call, status int, next, email string, wrong map[string]string, said string) (handlers.Reply, error) {
	f := s.frame(c)
	w := &f.Accounts
	f.Title, f.SignIn = w.SignIn, ""
	v := signIn{frame: f, Next: next, Passkey: s.api.HasPasskeys(), Ways: s.waysTo(next), Directory: s.api.HasDirectory(), form: form{Said: said, Fields: []field{
		{Name: "email", Type: "email", Complete: "username", Label: w.Email, Value: email, Most: mostEmail, Error: wrong["email"]},
		{Name: "password", Type: "password", Complete: "current-password", Label: w.Password, Most: auth.MaxPassword, Error: wrong["password"]},
	}}}
	if v.Directory {
		v.Fields[0].Type, v.Fields[0].Label = "text", f.Logins.Name
	}
	if f.Main = v; v.Passkey {
		f.Module = assets["passkey.js"].address()
	}
	return s.formPage(c, "signin", status, f)
}

const mostEmail = 254

// formPage is the reply with a page that has a form. Its browser sends the origin with it, which
// without a word of Fetch Metadata is all that tells the form from one of another site.
func (s *Site) formPage(c *handlers.Call, view string, status int, f *frame) (handlers.Reply, error) {
	f.Hidden = true
	page, err := templates.execute(view, f)
	if err != nil {
		return handlers.Reply{}, err
	}
	return s.formReply(c, status, page), nil
}

func (s *Site) formReply(c *handlers.Call, status int, page []byte) handlers.Reply {
	r := handlers.Reply{Status: status, Raw: page, Type: htmlType, Header: s.header(c)}
	r.Header.Set("Cache-Control", "private, no-store")
	r.Header.Set("Referrer-Policy", "same-origin")
	return r
}

// localPath is where a person goes on after signing in: a path of this server, as browsers read it, or
// the page of the account.
func localPath(next string) string {
	const usual = "/account"
	if len(next) > mostNext || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, `\`) || strings.ContainsFunc(next, forbidden) || strings.ContainsAny(next, "\t\r\n") {
		return usual
	}
	at, err := url.Parse(next)
	if err != nil || at.Host != "" || at.Scheme != "" || strings.HasPrefix(at.Path, pathToSignIn) || strings.HasPrefix(at.Path, "//") {
		return usual
	}
	return at.RequestURI()
}

// mostNext is how many bytes an address has that a person comes back to: what an application asks is long.
const mostNext = 3500

// SignOut ends the session of the browser.
func (s *Site) SignOut(c *handlers.Call) (handlers.Reply, error) {
	r, err := s.api.SignOut(c)
	r.Status, r.Location = http.StatusSeeOther, "/"
	return r, err
}

type account struct {
	*frame
	form
	Name, Email string
	Administers bool
}

// Account is the page of the person who is signed in.
func (s *Site) Account(c *handlers.Call) (handlers.Reply, error) {
	f := s.frame(c)
	f.Title = f.Accounts.Title
	v := account{frame: f, Name: nameOf(c.Person()), Email: c.Person().Email}
	if asks(c, "confirmed") != "" {
		v.Done = f.Mails.Confirmed
	}
	err := s.api.DB.View(func(tx *bucket.Tx) error {
		_, err := c.AdminScope(tx)
		v.Administers = err == nil
		if refusal(err) != nil {
			err = nil
		}
		return err
	})
	if err != nil {
		return handlers.Reply{}, err
	}
	f.Main = v
	return s.formPage(c, "account", http.StatusOK, f)
}

// nameOf is what a person is called on pages.
func nameOf(a *record.Account) string {
	if name := strings.TrimSpace(a.FirstName + " " + a.LastName); name != "" {
		return name
	}
	return a.Email
}

type sessions struct {
	*frame
	form
	List []session
}

type session struct {
	ID, Agent           string
	Begun, Used, Ending day
	This                bool // the browser that asks
}

// Sessions lists where the person is signed in.
func (s *Site) Sessions(c *handlers.Call) (handlers.Reply, error) {
	all, err := s.api.Sessions(c)
	if err != nil {
		return handlers.Reply{}, err
	}
	f := s.frame(c)
	f.Title = f.Accounts.Sessions
	v := sessions{frame: f}
	if asks(c, "ended") != "" {
		v.Done = f.Accounts.SessionEnded
	}
	for _, one := range all {
		agent := one.Agent
		if agent == "" {
			agent = f.Accounts.UnknownBrowser
		}
		v.List = append(v.List, session{
			ID: one.ID, Agent: agent, This: one.ID == c.SessionID(),
			Begun: f.moment(one.Created), Used: f.moment(one.Used), Ending: f.moment(one.Ends),
		})
	}
	f.Main = v
	return s.formPage(c, "sessions", http.StatusOK, f)
}

// EndSession ends one session of the person, or all of them.
func (s *Site) EndSession(c *handlers.Call) (handlers.Reply, error) {
	id := c.Field("session")
	switch {
	case c.Field("all") != "":
		r, err := s.api.SignOutEverywhere(c)
		r.Status, r.Location = http.StatusSeeOther, "/"
		return r, err
	case id == c.SessionID():
		return s.SignOut(c)
	}
	return handlers.Reply{Status: http.StatusSeeOther, Location: "/account/sessions?ended=1"}, s.api.EndSession(c, id)
}

// moment is a day with its time.
func (w *Words) moment(t time.Time) day {
	t = t.UTC()
	return day{w.Day(t) + ", " + t.Format("15:04") + " UTC", t.Format(time.RFC3339)}
}

type password struct {
	*frame
	form
	Tokens bool // personal ones are to end, too
}

// PasswordPage is the form to change the password.
func (s *Site) PasswordPage(c *handlers.Call) (handlers.Reply, error) {
	return s.passwordPage(c, http.StatusOK, nil, "")
}

func (s *Site) passwordPage(c *handlers.Call, status int, wrong map[string]string, said string) (handlers.Reply, error) {
	f := s.frame(c)
	w := &f.Accounts
	f.Title = w.ChangePassword
	v := password{frame: f, Tokens: c.Field("tokens") != "", form: form{Said: said, Fields: []field{
		{Name: "current", Type: "password", Complete: "current-password", Label: w.CurrentPassword, Most: auth.MaxPassword, Error: wrong["current"]},
		{Name: "new", Type: "password", Complete: "new-password", Label: w.NewPassword, Help: w.PasswordHelp, Most: auth.MaxPassword, Error: wrong["new"]},
		{Name: "again", Type: "password", Complete: "new-password", Label: w.AgainPassword, Most: auth.MaxPassword, Error: wrong["again"]},
	}}}
	if asks(c, "changed") != "" && status == http.StatusOK {
		v.Done = w.PasswordChanged
	}
	f.Main = v
	return s.formPage(c, "password", status, f)
}

// Password changes the password, and ends all other sessions.
func (s *Site) Password(c *handlers.Call) (handlers.Reply, error) {
	words := &WordsOf(c).Accounts
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
	if wait := waiting(err); wait > 0 {
		w := WordsOf(c)
		page, err := s.passwordPage(c, http.StatusTooManyRequests, nil, w.Count(minutes(wait), words.WaitOne, words.WaitMany))
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
