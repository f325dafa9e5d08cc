package people

import (
	"errors"
	"time"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// HasPasskeys reports whether people can sign in with passkeys.
func (a *People) HasPasskeys() bool { return a.Auth.HasPasskeys() }

// PasskeySignInOptions are what a script gives the browser to sign in with a passkey, as JSON.
func (a *People) PasskeySignInOptions(c *endpoint.Call) (endpoint.Reply, error) {
	if !a.HasPasskeys() {
		return endpoint.Reply{}, record.ErrNotFound
	}
	if wait := a.Rates().BeginningsFrom.Take(a.Caller(c), time.Now()); wait > 0 {
		return endpoint.Reply{}, endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	options, err := a.Auth.SignInOptions(c.Context)
	return optionsReply(options, err)
}

func optionsReply(options any, err error) (endpoint.Reply, error) {
	if err != nil {
		return endpoint.Reply{}, err
	}
	b, err := present.Encode(options)
	return endpoint.Reply{Raw: b, Header: map[string][]string{"Cache-Control": {"private, no-store"}}}, err
}

// SignInPasskey begins a session for the account whose passkey has answered. A passkey stands for two factors: the
// device, and what opens it. The error is auth.ErrPasskey where it is refused.
func (a *People) SignInPasskey(c *endpoint.Call, response string) (endpoint.Reply, error) {
	if !a.HasPasskeys() {
		return endpoint.Reply{}, record.ErrNotFound
	}
	giveBack, wait := a.Rates().PasswordsFrom.Lend(a.Caller(c), time.Now())
	if wait > 0 {
		return endpoint.Reply{}, endpoint.TooMany(record.ErrTooManyWrong, wait)
	}
	account, err := a.Auth.CheckPasskey(c.Context, []byte(response))
	if !errors.Is(err, auth.ErrPasskey) {
		giveBack()
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.beginSession(c, account)
}

// Passkeys are those of the person.
func (a *People) Passkeys(c *endpoint.Call) ([]auth.Passkey, error) {
	return a.Auth.Passkeys(c.Person().ID)
}

// PasskeyOptions are what a script gives the browser to make a passkey, as JSON. They need the password, or
// without one a new session: a browser that was left open must not give a lasting way in.
func (a *People) PasskeyOptions(c *endpoint.Call, password string) (endpoint.Reply, error) {
	if !a.HasPasskeys() {
		return endpoint.Reply{}, record.ErrNotFound
	}
	if err := a.ConfirmPerson(c, password); err != nil {
		return endpoint.Reply{}, err
	}
	options, err := a.Auth.PasskeyOptions(c.Context, c.Person().ID)
	return optionsReply(options, err)
}

// PasskeyAdd stores the passkey that the browser has made.
func (a *People) PasskeyAdd(c *endpoint.Call, name, response string) error {
	if !a.HasPasskeys() {
		return record.ErrNotFound
	}
	return a.Auth.AddPasskey(c.Context, c.Person().ID, auth.PasskeyName(name), []byte(response))
}

// PasskeyChange renames a passkey of the person, or removes it where the name is "".
func (a *People) PasskeyChange(c *endpoint.Call, id, name string) error {
	return a.Auth.ChangePasskey(c.Context, c.Person().ID, id, auth.PasskeyName(name))
}
