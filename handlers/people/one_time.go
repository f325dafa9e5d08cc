package people

import (
	"errors"
	"fmt"
	"net/mail"
	"strings"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// FirstAddress is the address at which the first administrator is made, "" where there is one already.
func (a *People) FirstAddress() (string, error) {
	secret, err := a.Auth.FirstLink()
	if err != nil || secret == "" {
		return "", err
	}
	return a.Settings.SiteURL + OneTimePath + secret, nil
}

// OneTimePath is what the paths of one-time links begin with.
const OneTimePath = "/one-time/"

// OneTimeLink is the link of the path, as long as it is good. A wrong one counts as a wrong token.
func (a *People) OneTimeLink(c *endpoint.Call) (*auth.Link, error) {
	l, err := a.Auth.Link(c.Text("token"))
	if errors.Is(err, auth.ErrLinkEnded) {
		if err := c.WrongToken(); err != nil {
			return nil, err
		}
		return nil, record.ErrNotFound
	}
	return l, err
}

// ErrEmailTaken says that an account has the e-mail address already, and ErrEmailBad that it is none.
var (
	ErrEmailTaken = errors.New("an account has this e-mail address already")
	ErrEmailBad   = errors.New("this is no e-mail address")
)

// NewPerson is what a person says of itself who begins an account.
type NewPerson struct {
	Email, FirstName, LastName, Password string
	EndTokens                            bool // personal ones, of an account that there is
}

// UseOneTimeLink uses up the link of the path and signs the person in.
func (a *People) UseOneTimeLink(c *endpoint.Call, p NewPerson) (endpoint.Reply, error) {
	id, err := a.Auth.UseLink(c.Context, c.Text("token"), p.Password, p.EndTokens, func(tx *bucket.Tx, l *auth.Link, acc *record.Account) error {
		if l.First {
			addr, err := mail.ParseAddress(p.Email)
			if err != nil || addr.Address != strings.TrimSpace(p.Email) {
				return ErrEmailBad
			}
			acc.Email = addr.Address
		}
		if accounts.EmailTaken(tx, acc.Email) {
			return ErrEmailTaken
		}
		if !users.Groups.Has(tx, acc.GroupID) { // it was removed since
			acc.GroupID = 0
		}
		acc.FirstName, acc.LastName, acc.InstitutionID = p.FirstName, p.LastName, accounts.InstitutionID
		return accounts.Store(tx, acc)
	})
	switch {
	case errors.Is(err, auth.ErrLinkEnded):
		return endpoint.Reply{}, record.ErrNotFound
	case errors.Is(err, auth.ErrBusy):
		return endpoint.Reply{}, record.ErrUnavailable
	case err != nil:
		return endpoint.Reply{}, fmt.Errorf("cannot use a one-time link: %w", err)
	}
	return a.beginStep(c, id)
}
