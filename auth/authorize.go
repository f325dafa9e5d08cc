package auth

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// How long what the provider gives is good.
const (
	codeLasts    = time.Minute
	AccessLasts  = time.Hour
	refreshLasts = 90 * 24 * time.Hour  // without being used
	refreshEnds  = 365 * 24 * time.Hour // after the person was asked
)

// authorizationsEach is how many authorizations an application may have of an account, such as one for each of its
// devices. One more ends the one that was renewed least recently.
const authorizationsEach = 20

// Refusal is an error of OAuth 2.0 (RFC 6749, 4.1.2.1 and 5.2).
type Refusal struct{ Code, About string }

func (r *Refusal) Error() string { return r.Code + ": " + r.About }

// ErrUnknownApplication and ErrRedirect say that no browser can be led back: the application, or its address, is not
// registered.
var (
	ErrUnknownApplication = errors.New("there is no such application")
	ErrRedirect           = errors.New("the application has not registered this address")
)

// Asked is what an application asks of a person (RFC 6749, 4.1.1; RFC 7636, 4.3).
type Asked struct {
	ClientID, Redirect, Type, Scope string
	Challenge, Method               string
	Repeated, TooLong               string // a parameter that came more than once, one that is too long; "" for none
}

// Request is what an application asks of a person, and may.
type Request struct {
	Client
	Owner     string // name of the person that registered it
	Redirect  string // where the person is led back to
	Scope     record.Scope
	challenge string
}

// Request reads what an application asks. Where the error is a *Refusal there is a Request too, and the application is
// told of it at its Redirect; it is not where the error is ErrUnknownApplication or ErrRedirect.
func (s *Service) Request(asked Asked) (r *Request, err error) {
	r = &Request{}
	err = s.db.View(func(tx *bucket.Tx) error {
		app, err := working(tx, asked.ClientID)
		if err != nil {
			return err
		}
		if app == nil || asked.Repeated == "client_id" {
			return ErrUnknownApplication
		}
		owner, err := users.Accounts.Get(tx, app.AccountID)
		r.Client, r.Owner = Client{*app}, personName(owner)
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Redirect = asked.Redirect
	if r.Redirect == "" && len(r.Redirects) == 1 {
		r.Redirect = r.Redirects[0]
	}
	if r.Redirect == "" || asked.Repeated == "redirect_uri" || !r.Registered(r.Redirect) {
		return nil, ErrRedirect
	}
	if asked.Repeated != "" {
		return r, &Refusal{"invalid_request", asked.Repeated + " was sent more than once"}
	}
	if asked.TooLong != "" {
		return r, &Refusal{"invalid_request", asked.TooLong + " is too long"}
	}
	switch asked.Type {
	case "code":
	case "":
		return r, &Refusal{"invalid_request", "response_type is missing"}
	default:
		return r, &Refusal{"unsupported_response_type", "The only response_type is code"}
	}
	if r.Scope, err = ScopeOf(asked.Scope, record.ScopeAll); err != nil {
		return r, err
	}
	switch {
	case asked.Challenge == "" && asked.Method != "":
		return r, &Refusal{"invalid_request", "code_challenge is missing"}
	case asked.Challenge == "" && r.Public():
		return r, &Refusal{"invalid_request", "An application without a secret has to send a code_challenge"}
	case asked.Challenge != "" && asked.Method != "S256":
		return r, &Refusal{"invalid_request", "The only code_challenge_method is S256"}
	case asked.Challenge != "" && !isSum(asked.Challenge):
		return r, &Refusal{"invalid_request", "code_challenge is no SHA-256 in base64url"}
	}
	r.challenge = asked.Challenge
	return r, nil
}

// ScopeOf reads a scope as it is sent, words with spaces between them; the widest of them counts, as each one
// opens what those before it do. Nothing is asked by "", which means most. The error is a *Refusal also
// where it is wider than that.
func ScopeOf(asked string, most record.Scope) (record.Scope, error) {
	scope := record.Scope("")
	for word := range strings.FieldsSeq(asked) {
		one := record.Scope(word)
		if !slices.Contains(record.Scopes, one) {
			return "", &Refusal{"invalid_scope", "The scopes are all, read and upload"}
		}
		if scope == "" || one.Opens(scope) {
			scope = one
		}
	}
	if scope = cmp.Or(scope, most); !most.Opens(scope) {
		return "", &Refusal{"invalid_scope", "The scope is wider than the one that was granted"}
	}
	return scope, nil
}

// isSum reports whether a text is 32 bytes in base64url, as a challenge of S256 is.
func isSum(text string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	return err == nil && len(b) == 32
}

// Authorize lets an application act for an account, and returns the code that it gets tokens for. The error is ErrTooMany
// where as many others act for the account as may.
func (s *Service) Authorize(ctx context.Context, by changelog.By, account int64, r *Request) (code string, err error) {
	key, handle := newHandle()
	code, sum := secretOf("", handle)
	err = s.db.UpdateBy(ctx, by, func(tx *bucket.Tx) error {
		if err := s.roomForAuthorization(tx, account, r.ID); err != nil {
			return err
		}
		now := tx.Now()
		return users.Authorizations.Put(tx, key, &record.Authorization{
			AccountID: account, ClientID: r.ID, Scope: r.Scope, Created: now, Expires: now.Add(codeLasts),
			Code: sum, Redirect: r.Redirect, Challenge: r.challenge,
		})
	})
	return code, err
}

// roomForAuthorization ends authorizations of an application for an account until there is room for one more.
func (s *Service) roomForAuthorization(tx *bucket.Tx, account int64, client string) error {
	type one struct {
		key  string
		last time.Time
	}
	var same []one
	others := map[string]bool{}
	for _, key := range bucket.Keys(users.AuthorizationsByAccount.Ascending(tx, bucket.SortKey(account))) {
		z, err := users.Authorizations.Get(tx, key)
		if err != nil {
			return err
		}
		if z.ClientID != client {
			others[z.ClientID] = true
			continue
		}
		last := z.Created
		if z.Renewed.After(last) {
			last = z.Renewed
		}
		same = append(same, one{key, last})
	}
	if len(others) >= connectedEach {
		return ErrTooMany
	}
	slices.SortFunc(same, func(a, b one) int { return cmp.Or(a.last.Compare(b.last), cmp.Compare(a.key, b.key)) })
	for ; len(same) >= authorizationsEach; same = same[1:] {
		if err := endAuthorization(tx, same[0].key); err != nil {
			return err
		}
	}
	return nil
}
