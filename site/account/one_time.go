package account

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/site"
)

type oneTime struct {
	*site.Frame
	site.Form
	Heading, Text, Button string
	Action                string
	Reset, Tokens         bool // it sets a password; personal tokens are to end, too
}

// OneTime is the page of a one-time link: an account is begun there, or a password set. To open it uses
// nothing up, since programs open links in mails too.
func (s *Pages) OneTime(c *endpoint.Call) (endpoint.Reply, error) {
	l, err := s.api.OneTimeLink(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return s.oneTimePage(c, http.StatusOK, l, people.NewPerson{Email: l.Email, FirstName: l.FirstName, LastName: l.LastName}, nil)
}

// UseOneTime takes its form, and signs the person in.
func (s *Pages) UseOneTime(c *endpoint.Call) (endpoint.Reply, error) {
	l, err := s.api.OneTimeLink(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	words := &site.WordsOf(c).Accounts
	if l.Change {
		return s.confirmEmail(c, l)
	}
	p := people.NewPerson{Email: l.Email, Password: c.Field("new"), EndTokens: c.Field("tokens") != ""}
	wrong := newPassword(words, p.Password, c.Field("again"), cmp.Or(l.Email, strings.TrimSpace(c.Field("email"))))
	if l.AccountID == 0 {
		if l.First {
			p.Email = strings.TrimSpace(c.Field("email"))
		}
		p.FirstName, p.LastName = strings.TrimSpace(c.Field("first_name")), strings.TrimSpace(c.Field("last_name"))
		for name, value := range map[string]string{"email": p.Email, "first_name": p.FirstName, "last_name": p.LastName} {
			switch {
			case value == "" && name == "email":
				wrong[name] = words.EmailMissing
			case value == "":
				wrong[name] = words.NameMissing
			case len([]rune(value)) > site.MostEmail || strings.ContainsFunc(value, site.Unshown):
				wrong[name] = words.TooLong
			}
		}
	}
	if len(wrong) > 0 {
		return s.oneTimePage(c, http.StatusUnprocessableEntity, l, p, wrong)
	}
	r, err := s.api.UseOneTimeLink(c, p)
	switch {
	case errors.Is(err, people.ErrEmailBad):
		return s.oneTimePage(c, http.StatusUnprocessableEntity, l, p, map[string]string{"email": words.EmailBad})
	case errors.Is(err, people.ErrEmailTaken):
		return s.oneTimePage(c, http.StatusUnprocessableEntity, l, p, map[string]string{"email": words.EmailTaken})
	}
	return onward(r, "/account"), err
}

// confirmEmail uses up a link that confirms an e-mail address.
func (s *Pages) confirmEmail(c *endpoint.Call, l *auth.Link) (endpoint.Reply, error) {
	err := s.api.ConfirmEmail(c, site.LanguageOf(c))
	switch {
	case errors.Is(err, people.ErrEmailTaken):
		return s.oneTimePage(c, http.StatusUnprocessableEntity, l, people.NewPerson{Email: l.Email}, map[string]string{"email": site.WordsOf(c).Accounts.EmailTaken})
	case err != nil:
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: "/account?confirmed=1"}, nil
}

func (s *Pages) oneTimePage(c *endpoint.Call, status int, l *auth.Link, p people.NewPerson, wrong map[string]string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Accounts
	v := oneTime{Frame: f, Heading: w.Invited, Text: w.InvitedText, Button: w.BeginAccount, Action: c.Address().Path}
	switch {
	case l.First:
		v.Heading, v.Text = w.First, w.FirstText
	case l.Change:
		v.Heading, v.Text, v.Button = f.Mails.Confirm, f.Mails.ConfirmText, f.Mails.Confirm
	case l.AccountID != 0:
		v.Heading, v.Text, v.Button = w.SetPassword, f.Accounts.SetPasswordText, w.SetPassword
		v.Reset, v.Tokens = true, p.EndTokens
	}
	v.Fields = []site.Field{{Name: "email", Type: "email", Complete: "username", Label: w.Email, Value: p.Email, Most: site.MostEmail, Error: wrong["email"], Fixed: !l.First}}
	if l.AccountID == 0 {
		v.Fields = append(v.Fields,
			site.Field{Name: "first_name", Type: "text", Complete: "given-name", Label: w.FirstName, Value: p.FirstName, Most: site.MostEmail, Error: wrong["first_name"]},
			site.Field{Name: "last_name", Type: "text", Complete: "family-name", Label: w.LastName, Value: p.LastName, Most: site.MostEmail, Error: wrong["last_name"]})
	}
	if l.Change {
		return s.secretPage(c, status, f, v)
	}
	v.Fields = append(v.Fields,
		site.Field{Name: "new", Type: "password", Complete: "new-password", Label: w.NewPassword, Help: w.PasswordHelp, Most: auth.MaxPassword, Error: wrong["new"]},
		site.Field{Name: "again", Type: "password", Complete: "new-password", Label: w.AgainPassword, Most: auth.MaxPassword, Error: wrong["again"]})
	return s.secretPage(c, status, f, v)
}

// secretPage is the reply with a page whose address is a secret.
func (s *Pages) secretPage(c *endpoint.Call, status int, f *site.Frame, v oneTime) (endpoint.Reply, error) {
	f.Title, f.SignIn, f.Main = v.Heading, "", v
	r, err := s.formPage(c, "onetime", status, f)
	if err == nil {
		r.Header.Set("Referrer-Policy", "no-referrer")
	}
	return r, err
}
