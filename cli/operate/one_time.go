package operate

import (
	"context"
	"fmt"
	"net/mail"
	"strings"

	"alcove/auth"
	"alcove/bucket"
	"alcove/handlers/accounts"
	"alcove/jobs"
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
	return &record.OneTimeLink{Email: addr.Address, Admin: o.Admin}, nil
}

// MakeOneTime stores a one-time link and returns its secret.
func MakeOneTime(ctx context.Context, db *bucket.DB, o OneTime) (secret string, err error) {
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		l, err := o.link(tx)
		if err != nil {
			return err
		}
		lasts := auth.InvitationLasts
		if o.Reset {
			lasts = auth.ResetLasts
		}
		secret, err = auth.NewLink(tx, *l, lasts)
		return err
	})
	return secret, err
}

// MailOneTime has a one-time link sent, and returns what is told of it.
func MailOneTime(ctx context.Context, db *bucket.DB, o OneTime) (told string, err error) {
	err = db.UpdateBy(ctx, operator, func(tx *bucket.Tx) error {
		l, err := o.link(tx)
		if err != nil {
			return err
		}
		m := record.Mail{Kind: record.MailInvitation, To: l.Email, Admin: l.Admin, NoFactor: l.NoFactor}
		if o.Reset {
			m.Kind = record.MailReset
		}
		told = "a mail to " + l.Email + " waits to be sent; --print prints an address instead"
		return jobs.QueueMail(tx, m)
	})
	return told, err
}
