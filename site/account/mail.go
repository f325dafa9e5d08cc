package account

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"alcove/auth"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
	"alcove/site/words"
)

// Letter is the subject and the text of a mail, with the address of its one-time link, or of a notice.
func (s *Pages) Letter(m *record.Mail, address string, n *items.Notice) (subject, text string) {
	w := cmp.Or(site.WordsIn(m.Language), site.WordsIn("en"))
	foot := ""
	switch {
	case n != nil:
		kind := m.Kind
		if n.Said != "" {
			kind += " " + n.Said
		}
		letter := w.Mails.Notices[kind]
		subject, text = letter.Subject, fmt.Sprintf(letter.Text, strings.ReplaceAll(n.Title, "%", "%%"))+"\n\n%s"
		address, foot = s.api.Settings.SiteURL+n.Path, "\n\n"+fmt.Sprintf(w.Mails.Muting, s.api.Settings.SiteURL+pathToProfile)
	case m.Kind == record.MailInvitation:
		subject, text = w.Mails.Invitation, w.Mails.InvitationText
	case m.Kind == record.MailReset:
		subject, text = w.Mails.Reset, w.Mails.ResetText
	case m.Kind == record.MailConfirm:
		subject, text = w.Mails.ConfirmMail, w.Mails.ConfirmMailText
	case m.Kind == record.MailProject:
		subject = w.Mails.Project
		text = fmt.Sprintf(w.Mails.ProjectText, lineOf(m.From), lineOf(markup.Title(m.Title).String()), fmt.Sprintf("%s/account/projects/%d", s.api.Settings.SiteURL, m.ProjectID)) + "\n\n" + fmt.Sprintf(w.Mails.Muting, s.api.Settings.SiteURL+pathToProfile)
		return fmt.Sprintf(subject, s.site.Name()), frameLetter(&w.Mails, s.site.Name(), text, s.api.Settings.SiteURL)
	default:
		subject, text, address = w.Mails.Changed, w.Mails.ChangedText, s.api.Settings.SiteURL
	}
	return fmt.Sprintf(subject, s.site.Name()), frameLetter(&w.Mails, s.site.Name(), fmt.Sprintf(text, address)+foot, s.api.Settings.SiteURL)
}

// frameLetter is the text of a mail with its greeting and the name of the repository.
func frameLetter(w *words.Mails, name, text, address string) string {
	return w.Greeting + "\n\n" + text + "\n\n-- \n" + name + "\n" + address + "\n"
}

// mailedText is how much of a text that others wrote a mail has, in characters.
const mailedText = 200

// lineOf is a text of others in a line of a mail.
func lineOf(text string) string {
	return described.Short(strings.Join(strings.Fields(text), " "), mailedText)
}

type forgot struct {
	*site.Frame
	site.Form
	Sent   bool
	NoMail bool // none is configured
}

// ForgotPage is the form to have a link sent at which a new password is set.
func (s *Pages) ForgotPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.forgotPage(c, http.StatusOK, "", "", "", false)
}

// Forgot takes the form. The answer does not depend on whether there is an account.
func (s *Pages) Forgot(c *endpoint.Call) (endpoint.Reply, error) {
	if !s.api.Mails() {
		return endpoint.Reply{}, record.ErrNotFound
	}
	w := site.WordsOf(c)
	email := strings.TrimSpace(c.Field("email"))
	switch {
	case email == "":
		return s.forgotPage(c, http.StatusUnprocessableEntity, "", w.Accounts.EmailMissing, "", false)
	case len(email) > site.MostEmail || strings.ContainsFunc(email, site.Unshown) || !strings.Contains(email, "@"):
		return s.forgotPage(c, http.StatusUnprocessableEntity, email, w.Accounts.EmailBad, "", false)
	}
	err := s.api.ForgotPassword(c, email, site.LanguageOf(c))
	if wait := site.Waiting(err); wait > 0 {
		page, err := s.forgotPage(c, http.StatusTooManyRequests, email, "", fmt.Sprintf(w.Mails.Tired, site.Minutes(wait)), false)
		page.Header.Set("Retry-After", strconv.Itoa(wait))
		return page, err
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return s.forgotPage(c, http.StatusOK, email, "", "", true)
}

func (s *Pages) forgotPage(c *endpoint.Call, status int, email, wrong, said string, sent bool) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	f.Title, f.SignIn = f.Mails.ForgotTitle, ""
	v := forgot{Frame: f, Sent: sent, NoMail: !s.api.Mails(), Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "email", Type: "email", Complete: "username", Label: f.Accounts.Email, Value: email, Most: site.MostEmail, Error: wrong},
	}}}
	if sent {
		v.Done = f.Mails.ForgotSent
	}
	f.Main = v
	return s.formPage(c, "forgot", status, f)
}

type emailChange struct {
	*site.Frame
	site.Form
	NoMail bool
}

// EmailPage is the form to change the mail address of the person.
func (s *Pages) EmailPage(c *endpoint.Call) (endpoint.Reply, error) {
	return s.emailPage(c, http.StatusOK, "", nil, "")
}

// Email has a link sent to the new address.
func (s *Pages) Email(c *endpoint.Call) (endpoint.Reply, error) {
	if !s.api.Mails() {
		return endpoint.Reply{}, record.ErrNotFound
	}
	w := site.WordsOf(c)
	email, password := strings.TrimSpace(c.Field("email")), c.Field("password")
	wrong := map[string]string{}
	switch {
	case email == "":
		wrong["email"] = w.Accounts.EmailMissing
	case len(email) > site.MostEmail || strings.ContainsFunc(email, site.Unshown):
		wrong["email"] = w.Accounts.TooLong
	}
	if password == "" {
		wrong["password"] = w.Accounts.PasswordMissing
	}
	if len(wrong) > 0 {
		return s.emailPage(c, http.StatusUnprocessableEntity, email, wrong, "")
	}
	err := s.api.EmailChange(c, password, email, site.LanguageOf(c))
	switch {
	case errors.Is(err, people.ErrEmailBad):
		return s.emailPage(c, http.StatusUnprocessableEntity, email, map[string]string{"email": w.Accounts.EmailBad}, "")
	case errors.Is(err, auth.ErrWrong):
		return s.emailPage(c, http.StatusUnprocessableEntity, email, map[string]string{"password": w.Accounts.CurrentWrong}, "")
	case site.Waiting(err) > 0:
		page, failed := s.emailPage(c, http.StatusTooManyRequests, email, nil, fmt.Sprintf(w.Mails.Tired, site.Minutes(site.Waiting(err))))
		page.Header.Set("Retry-After", strconv.Itoa(site.Waiting(err)))
		return page, failed
	case err != nil:
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: "/account/email?sent=1"}, nil
}

func (s *Pages) emailPage(c *endpoint.Call, status int, email string, wrong map[string]string, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	f.Title = f.Mails.Email
	v := emailChange{Frame: f, NoMail: !s.api.Mails(), Form: site.Form{Said: said, Fields: []site.Field{
		{Name: "email", Type: "email", Complete: "email", Label: f.Mails.NewEmail, Value: email, Most: site.MostEmail, Error: wrong["email"]},
		{Name: "password", Type: "password", Complete: "current-password", Label: f.Accounts.CurrentPassword, Most: auth.MaxPassword, Error: wrong["password"]},
	}}}
	if site.Asked(c, "sent") != "" && status == http.StatusOK {
		v.Done = f.Mails.EmailSent
	}
	f.Main = v
	return s.formPage(c, "email", status, f)
}
