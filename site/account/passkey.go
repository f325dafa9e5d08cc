package account

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/site"
)

type passkeys struct {
	*site.Frame
	site.Form
	Usable bool // passkeys can be used at this address
	List   []passkey
}

type passkey struct {
	ID, Name    string
	Begun, Used site.Day
}

// PasskeysPage lists the passkeys of the person, and has the form for another one.
func (s *Pages) PasskeysPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.passkeysPage(c, http.StatusOK, nil, "")
}

// Passkeys takes the forms of the page, and gives its script the options of a new passkey.
func (s *Pages) Passkeys(c *endpoint.Call) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	name, credential := strings.TrimSpace(c.Field("name")), c.Field("credential")
	var err error
	switch do := c.Field("do"); {
	case do == "remove" || do == "rename" && name != "":
		if do == "remove" {
			name = ""
		}
		return endpoint.Reply{Status: http.StatusSeeOther, Location: "/account/passkeys"}, s.api.PasskeyChange(c, c.Field("passkey"), name)
	case name == "":
		return s.passkeysPage(c, http.StatusUnprocessableEntity, map[string]string{"name": w.Accounts.NameMissing}, "")
	case strings.ContainsFunc(name, site.Unshown):
		return s.passkeysPage(c, http.StatusUnprocessableEntity, map[string]string{"name": w.Accounts.TooLong}, "")
	case credential != "":
		if err = s.api.PasskeyAdd(c, name, credential); err == nil {
			return endpoint.Reply{Status: http.StatusSeeOther, Location: "/account/passkeys?added=1"}, nil
		}
	case c.Field("password") == "" && c.Person().Password != "":
		return s.passkeysPage(c, http.StatusUnprocessableEntity, map[string]string{"password": w.Accounts.PasswordMissing}, "")
	default:
		r, refused := s.api.PasskeyOptions(c, c.Field("password"))
		if err = refused; err == nil {
			return r, nil
		}
	}
	switch {
	case errors.Is(err, auth.ErrWrong) && c.Person().Password == "":
		return s.passkeysPage(c, http.StatusUnprocessableEntity, nil, w.Logins.Again)
	case errors.Is(err, auth.ErrWrong):
		return s.passkeysPage(c, http.StatusUnprocessableEntity, map[string]string{"password": w.Accounts.CurrentWrong}, "")
	case errors.Is(err, auth.ErrPasskey):
		return s.passkeysPage(c, http.StatusUnprocessableEntity, nil, w.Passkeys.Refused)
	case errors.Is(err, auth.ErrPasskeys):
		return s.passkeysPage(c, http.StatusUnprocessableEntity, nil, w.Passkeys.TooMany)
	case site.Waiting(err) > 0:
		page, failed := s.passkeysPage(c, http.StatusTooManyRequests, nil, w.Count(site.Minutes(site.Waiting(err)), w.Accounts.WaitOne, w.Accounts.WaitMany))
		page.Header.Set("Retry-After", strconv.Itoa(site.Waiting(err)))
		return page, failed
	}
	return endpoint.Reply{}, err
}

func (s *Pages) passkeysPage(c *endpoint.Call, status int, wrong map[string]string, said string) (endpoint.Reply, error) {
	all, err := s.api.Passkeys(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	f := s.site.Frame(c)
	w := &f.Passkeys
	f.Title, f.Module = w.Title, site.Address("passkey.js")
	v := passkeys{Frame: f, Usable: s.api.HasPasskeys(), Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "name", Type: "text", Complete: "off", Label: w.Name, Help: w.NameHelp, Value: c.Field("name"), Most: 100, Error: wrong["name"]},
		{Name: "password", Type: "password", Complete: "current-password", Label: f.Accounts.CurrentPassword, Most: auth.MaxPassword, Error: wrong["password"]},
	}}}
	if c.Person().Password == "" {
		v.Fields = v.Fields[:1]
	}
	if site.Asked(c, "added") != "" && status == http.StatusOK {
		v.Done = w.Added
	}
	for _, p := range all {
		one := passkey{ID: p.ID, Name: p.Name, Begun: f.Moment(p.Created)}
		if !p.Used.IsZero() {
			one.Used = f.Moment(p.Used)
		}
		v.List = append(v.List, one)
	}
	f.Main = v
	return s.formPage(c, "passkeys", status, f)
}

// SignInPasskey signs in the person whose passkey has answered, and gives the script of the page what it asks the browser with.
func (s *Pages) SignInPasskey(c *endpoint.Call) (endpoint.Reply, error) {
	next := localPath(c.Field("next"))
	if c.Field("credential") == "" {
		return s.api.PasskeySignInOptions(c)
	}
	r, err := s.api.SignInPasskey(c, c.Field("credential"))
	if errors.Is(err, auth.ErrPasskey) {
		return s.signInPage(c, http.StatusUnprocessableEntity, next, "", nil, site.WordsOf(c).Passkeys.Refused)
	}
	return onward(r, next), err
}
