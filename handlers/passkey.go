package handlers

import (
	"errors"
	"time"

	"alcove/auth"
	"alcove/handlers/present"
	"alcove/record"
)

// HasPasskeys reports whether people can sign in with passkeys.
func (a *API) HasPasskeys() bool { return a.auth.HasPasskeys() }

// PasskeySignInOptions are what a script gives the browser to sign in with a passkey, as JSON.
func (a *API) PasskeySignInOptions(c *Call) (Reply, error) {
	if !a.HasPasskeys() {
		return Reply{}, record.ErrNotFound
	}
	if wait := a.guards().passkeysFrom.Take(a.caller(c), time.Now()); wait > 0 {
		return Reply{}, tooMany(record.ErrTooManyWrong, wait)
	}
	options, err := a.auth.SignInOptions(c.Context)
	return optionsReply(options, err)
}

func optionsReply(options any, err error) (Reply, error) {
	if err != nil {
		return Reply{}, err
	}
	b, err := present.Encode(options)
	return Reply{Raw: b, Header: map[string][]string{"Cache-Control": {"private, no-store"}}}, err
}

// SignInPasskey begins a session for the account whose passkey has answered. A passkey stands for two factors: the
// device, and what opens it. The error is auth.ErrPasskey where it is refused.
func (a *API) SignInPasskey(c *Call, response string) (Reply, error) {
	if !a.HasPasskeys() {
		return Reply{}, record.ErrNotFound
	}
	giveBack, wait := a.guards().passwordsFrom.Lend(a.caller(c), time.Now())
	if wait > 0 {
		return Reply{}, tooMany(record.ErrTooManyWrong, wait)
	}
	account, err := a.auth.CheckPasskey(c.Context, []byte(response))
	if !errors.Is(err, auth.ErrPasskey) {
		giveBack()
	}
	if err != nil {
		return Reply{}, err
	}
	return a.beginSession(c, account)
}

// Passkeys are those of the person.
func (a *API) Passkeys(c *Call) ([]auth.Passkey, error) { return a.auth.Passkeys(c.person.ID) }

// PasskeyOptions are what a script gives the browser to make a passkey, as JSON. They need the password, or
// without one a new session: a browser that was left open must not give a lasting way in.
func (a *API) PasskeyOptions(c *Call, password string) (Reply, error) {
	if !a.HasPasskeys() {
		return Reply{}, record.ErrNotFound
	}
	if err := a.ConfirmPerson(c, password); err != nil {
		return Reply{}, err
	}
	options, err := a.auth.PasskeyOptions(c.Context, c.person.ID)
	return optionsReply(options, err)
}

// PasskeyAdd stores the passkey that the browser has made.
func (a *API) PasskeyAdd(c *Call, name, response string) error {
	if !a.HasPasskeys() {
		return record.ErrNotFound
	}
	return a.auth.AddPasskey(c.Context, c.person.ID, auth.PasskeyName(name), []byte(response))
}

// PasskeyChange renames a passkey of the person, or removes it where the name is "".
func (a *API) PasskeyChange(c *Call, id, name string) error {
	return a.auth.ChangePasskey(c.Context, c.person.ID, id, auth.PasskeyName(name))
}
