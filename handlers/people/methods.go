package people

import (
	"errors"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/jobs"
	"alcove/record"
)

// SignInMethods are the ways in which an account can be used.
type SignInMethods struct {
	Password bool // there is one
	Factor   bool // codes are asked for
	Passkeys []auth.Passkey
	Sessions []*auth.Session // the one that was used last first
	Tokens   []*auth.Token   // personal ones
	Apps     []*auth.Connected
	Logins   []*record.Login // at other services
}

// MethodsOf are the ways in which an account can be used, for those who administer it.
func (a *People) MethodsOf(acc *record.Account) (m SignInMethods, err error) {
	m.Password = acc.Password != ""
	f, err := a.Auth.Factor(acc.ID)
	if err != nil {
		return m, err
	}
	m.Factor = f != nil && f.Used
	if m.Passkeys, err = a.Auth.Passkeys(acc.ID); err != nil {
		return m, err
	}
	if m.Sessions, err = a.Auth.List(acc.ID); err != nil {
		return m, err
	}
	if m.Tokens, err = a.Auth.Tokens(acc.ID); err != nil {
		return m, err
	}
	if m.Apps, err = a.Auth.Connected(acc.ID); err != nil {
		return m, err
	}
	return m, a.DB.View(func(tx *bucket.Tx) error {
		m.Logins = nil
		for hit := range users.LoginsByAccount.Ascending(tx, bucket.SortKey(acc.ID)) {
			l, err := users.Logins.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			m.Logins = append(m.Logins, l)
		}
		return nil
	})
}

// SignOutOther ends the sessions of an account, and what applications were given.
func (a *People) SignOutOther(tx *bucket.Tx, account int64) error { return auth.EndAccess(tx, account) }

// OneTime asks for a one-time link.
type OneTime = jobs.OneTime

// GiveOneTime has a one-time link sent, or, where no mail is configured, makes it and returns its address.
func (a *People) GiveOneTime(tx *bucket.Tx, o OneTime) (address string, err error) {
	if a.Mails() {
		_, err := o.Mail(tx)
		if errors.Is(err, jobs.ErrOutboxFull) {
			err = record.ErrUnavailable
		}
		return "", err
	}
	secret, err := o.Make(tx)
	return a.Settings.SiteURL + OneTimePath + secret, err
}
