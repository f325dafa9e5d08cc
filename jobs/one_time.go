package jobs

import (
	"fmt"
	"net/mail"
	"strings"

	"alcove/auth"
	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/record"
)

// OneTime asks for a one-time link: an invitation to begin an account, or, with Reset, one to set the password
// of an account.
type OneTime struct {
	Email string `json:"email"` // of a reset also the id of the account
	Admin bool   `json:"admin"`
	Reset bool   `json:"reset"`
	// NoFactor removes the second factor of the account when the link of a reset is used.
	NoFactor bool `json:"no_factor"`
	Print    bool `json:"print"` // it is not sent, also where mail is configured

	// Of an invitation: the group that the account will be in, 0 for none, and the name that its form begins with.
	GroupID   int64  `json:"group_id"`
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
}

// link is what is asked for, unless there is no such account, or one already.
func (o OneTime) link(tx *bucket.Tx) (*record.OneTimeLink, error) {
	if o.Reset {
		acc, err := accounts.Find(tx, o.Email)
		if err != nil {
			return nil, err
		}
		if !acc.Active(tx.Latest()) {
			return nil, fmt.Errorf("cannot reset the password of %s: the account is disabled or has ended", acc.Email)
		}
		return &record.OneTimeLink{AccountID: acc.ID, Email: acc.Email, NoFactor: o.NoFactor}, nil
	}
	addr, err := mail.ParseAddress(o.Email)
	if err != nil || addr.Address != strings.TrimSpace(o.Email) {
		return nil, fmt.Errorf("cannot invite %q: it is not an e-mail address", o.Email)
	}
	if accounts.EmailTaken(tx, addr.Address) {
		return nil, fmt.Errorf("cannot invite %s: there is an account with this address already; alcove account reset sets its password", addr.Address)
	}
	return &record.OneTimeLink{Email: addr.Address, Admin: o.Admin, GroupID: o.GroupID, FirstName: o.FirstName, LastName: o.LastName}, nil
}

// Make stores a one-time link and returns its secret.
func (o OneTime) Make(tx *bucket.Tx) (secret string, err error) {
	l, err := o.link(tx)
	if err != nil {
		return "", err
	}
	lasts := auth.InvitationLasts
	if o.Reset {
		lasts = auth.ResetLasts
	}
	return auth.NewLink(tx, *l, lasts)
}

// Mail has a one-time link sent, and returns the address that it goes to.
func (o OneTime) Mail(tx *bucket.Tx) (to string, err error) {
	l, err := o.link(tx)
	if err != nil {
		return "", err
	}
	m := record.Mail{Kind: record.MailInvitation, To: l.Email, Admin: l.Admin, NoFactor: l.NoFactor, GroupID: l.GroupID, FirstName: l.FirstName, LastName: l.LastName}
	if o.Reset {
		m.Kind = record.MailReset
	}
	return l.Email, QueueMail(tx, m)
}
