package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// A code, and each refresh token that follows from it, is the handle of its authorization and a secret of its
// own. So one that was used before is recognised without being kept.
const (
	handleBytes, secretBytes = 16, 32
	refreshPrefix            = "alr_"
)

// newHandle is a handle, and the key that its authorization is stored under.
func newHandle() (key string, handle []byte) {
	handle = make([]byte, handleBytes)
	rand.Read(handle)
	return sumOf(handle), handle
}

// secretOf is a code or refresh token with a new secret, and what is stored of that.
func secretOf(prefix string, handle []byte) (token, sum string) {
	b := make([]byte, handleBytes+secretBytes)
	copy(b, handle)
	rand.Read(b[handleBytes:])
	return prefix + base64.RawURLEncoding.EncodeToString(b), sumOf(b[handleBytes:])
}

// readSecret is a code or refresh token, read: the key of its authorization, its handle, and what is stored of its
// secret.
func readSecret(prefix, token string) (key string, handle []byte, sum string, ok bool) {
	text, ok := strings.CutPrefix(token, prefix)
	if !ok || len(text) > 2*(handleBytes+secretBytes) {
		return "", nil, "", false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != handleBytes+secretBytes {
		return "", nil, "", false
	}
	return sumOf(b[:handleBytes]), b[:handleBytes], sumOf(b[handleBytes:]), true
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Given is what an application gets.
type Given struct {
	Access  string
	Lasts   time.Duration
	Refresh string // "" for none
	Scope   record.Scope
}

// ErrUnknownGrant is the refusal of a code or refresh token that is not known, or good no more.
var ErrUnknownGrant = &Refusal{"invalid_grant", "The code or refresh token is not known, has expired or was used"}

// Exchange gives tokens for a code (RFC 6749, 4.1.3): once, to the application that it was made for. Redirect, where it is
// not "", is the one that the code was sent to, and verifier is what the challenge was made from. A
// code that comes again, or from another application, has leaked: all that it gave ends.
func (s *Service) Exchange(ctx context.Context, by changelog.By, c *Client, code, redirect, verifier string) (*Given, error) {
	key, handle, sum, ok := readSecret("", code)
	if !ok {
		return nil, ErrUnknownGrant
	}
	return s.give(ctx, by, key, func(tx *bucket.Tx, z *record.Authorization) (*Given, error) {
		switch {
		case !same(sum, z.Code):
			return nil, ErrUnknownGrant
		case z.CodeUsed || z.ClientID != c.ID:
			return nil, endedBecause(endAuthorization(tx, key))
		case redirect != "" && redirect != z.Redirect:
			return nil, &Refusal{"invalid_grant", "redirect_uri is not the one that the code was sent to"}
		case z.Challenge == "" && verifier != "":
			return nil, &Refusal{"invalid_grant", "There is a code_verifier, and there was no code_challenge"}
		case z.Challenge != "" && (!isVerifier(verifier) || !same(challengeOf(verifier), z.Challenge)):
			return nil, &Refusal{"invalid_grant", "code_verifier is not the one of the code_challenge"}
		}
		z.CodeUsed = true
		return s.renew(tx, key, handle, z, z.Scope)
	})
}

// Refresh gives tokens for a refresh token, which is replaced (RFC 6749, 6; RFC 9700, 4.14.2). One that was replaced
// before, or that comes from another application, has leaked: all that follows from the same code ends.
// Scope, where it is not "", narrows the access token.
func (s *Service) Refresh(ctx context.Context, by changelog.By, c *Client, refresh, scope string) (*Given, error) {
	key, handle, sum, ok := readSecret(refreshPrefix, refresh)
	if !ok {
		return nil, ErrUnknownGrant
	}
	return s.give(ctx, by, key, func(tx *bucket.Tx, z *record.Authorization) (*Given, error) {
		if z.ClientID != c.ID || !same(sum, z.Refresh) {
			return nil, endedBecause(endAuthorization(tx, key))
		}
		narrowed, err := ScopeOf(scope, z.Scope)
		if err != nil {
			return nil, err
		}
		return s.renew(tx, key, handle, z, narrowed)
	})
}

// ended is a refusal with which something was ended, so what its transaction did counts.
type ended struct{ error }

func endedBecause(failed error) error {
	if failed != nil {
		return failed
	}
	return ended{ErrUnknownGrant}
}

// give runs a step on an authorization that is good, in a transaction.
func (s *Service) give(ctx context.Context, by changelog.By, key string, step func(*bucket.Tx, *record.Authorization) (*Given, error)) (given *Given, err error) {
	known := false
	err = s.db.View(func(tx *bucket.Tx) error { // what was made up costs no write
		known = users.Authorizations.Has(tx, key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, ErrUnknownGrant
	}
	var refused error
	err = s.db.UpdateBy(ctx, by, func(tx *bucket.Tx) error {
		given, refused = nil, nil
		z, err := users.Authorizations.Get(tx, key)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && !tx.Latest().Before(z.Expires) {
			return ErrUnknownGrant
		}
		if err != nil {
			return err
		}
		acc, err := users.Accounts.Get(tx, z.AccountID)
		if err != nil {
			return err
		}
		if !acc.Active(tx.Latest()) {
			return ErrUnknownGrant
		}
		given, err = step(tx, z)
		var over ended
		if errors.As(err, &over) {
			refused, err = over.error, nil
		}
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return given, nil
}

// renew gives an access token in place of the one before, and a refresh token.
func (s *Service) renew(tx *bucket.Tx, key string, handle []byte, z *record.Authorization, scope record.Scope) (*Given, error) {
	for _, old := range bucket.Keys(users.TokensByAuthorization.Ascending(tx, bucket.SortKey(key))) {
		if err := endToken(tx, old); err != nil {
			return nil, err
		}
	}
	refresh, sum := secretOf(refreshPrefix, handle)
	z.Refresh, z.Renewed, z.Expires = sum, tx.Now(), tx.Now().Add(refreshLasts)
	if last := z.Created.Add(refreshEnds); last.Before(z.Expires) {
		z.Expires = last
	}
	given, err := giveAccess(tx, key, z, scope)
	if err != nil {
		return nil, err
	}
	given.Refresh = refresh
	return given, users.Authorizations.Put(tx, key, z)
}

// giveAccess stores an access token of an authorization.
func giveAccess(tx *bucket.Tx, key string, z *record.Authorization, scope record.Scope) (*Given, error) {
	app, err := users.Applications.Get(tx, z.ClientID)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, errNoClient // deleted since it has shown its secret
	}
	if err != nil {
		return nil, err
	}
	token, now := NewToken(), tx.Now()
	t := &record.Token{AccountID: z.AccountID, Name: app.Name, Created: now, Expires: now.Add(AccessLasts), Authorization: key, Scope: scope}
	return &Given{Access: token, Lasts: AccessLasts, Scope: scope}, users.Tokens.Put(tx, TokenKey(token), t)
}

// ForItself gives an application an access token for the account that registered it (RFC 6749, 4.4), without
// a refresh token.
func (s *Service) ForItself(ctx context.Context, by changelog.By, c *Client, scope string) (*Given, error) {
	if c.Public() {
		return nil, &Refusal{"unauthorized_client", "Only an application with a secret may act for the person that registered it"}
	}
	return s.begin(ctx, by, c, c.AccountID, scope, false)
}

// ForPassword gives an application tokens for an account whose password it has sent (RFC 6749, 4.3), and which was
// checked.
func (s *Service) ForPassword(ctx context.Context, by changelog.By, c *Client, account int64, scope string) (*Given, error) {
	return s.begin(ctx, by, c, account, scope, true)
}

// begin stores an authorization without a code, and gives tokens for it.
func (s *Service) begin(ctx context.Context, by changelog.By, c *Client, account int64, asked string, refreshed bool) (given *Given, err error) {
	scope, err := ScopeOf(asked, record.ScopeAll)
	if err != nil {
		return nil, err
	}
	key, handle := newHandle()
	by.Account = account
	err = s.db.UpdateBy(ctx, by, func(tx *bucket.Tx) error {
		acc, err := users.Accounts.Get(tx, account)
		if err != nil {
			return err
		}
		if !acc.Active(tx.Latest()) { // ended since
			return ErrUnknownGrant
		}
		err = s.roomForAuthorization(tx, account, c.ID)
		if errors.Is(err, ErrTooMany) {
			return &Refusal{"invalid_grant", "As many applications act for this account as may"}
		}
		if err != nil {
			return err
		}
		now := tx.Now()
		z := &record.Authorization{AccountID: account, ClientID: c.ID, Scope: scope, Created: now, Renewed: now, Expires: now.Add(AccessLasts)}
		if refreshed {
			given, err = s.renew(tx, key, handle, z, scope)
			return err
		}
		if given, err = giveAccess(tx, key, z, scope); err != nil {
			return err
		}
		return users.Authorizations.Put(tx, key, z)
	})
	if err != nil {
		return nil, err
	}
	return given, nil
}

// Revoke ends what an application was given (RFC 7009): an access token, or with a refresh token all that follows
// from the same code. A token that is not known has ended already.
func (s *Service) Revoke(ctx context.Context, by changelog.By, c *Client, token string) error {
	key, _, _, refresh := readSecret(refreshPrefix, token)
	access := TokenKey(token)
	known := false
	err := s.db.View(func(tx *bucket.Tx) error { // what was made up costs no write
		if !refresh {
			t, err := users.Tokens.Get(tx, access)
			if errors.Is(err, bucket.ErrNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			if key = t.Authorization; key == "" {
				return errNotIssued
			}
		}
		z, err := users.Authorizations.Get(tx, key)
		if errors.Is(err, bucket.ErrNotFound) {
			return nil
		}
		if err == nil && z.ClientID != c.ID {
			err = errNotIssued
		}
		known = true
		return err
	})
	if err != nil || !known {
		return err
	}
	return s.db.UpdateBy(bucket.Frees(ctx), by, func(tx *bucket.Tx) error {
		if refresh {
			return endAuthorization(tx, key)
		}
		return endToken(tx, access)
	})
}

var errNotIssued = &Refusal{"invalid_grant", "The token was not given to this application"}

// isVerifier reports whether a text has the form of a code_verifier (RFC 7636, 4.1).
func isVerifier(v string) bool {
	return len(v) >= 43 && len(v) <= 128 && !strings.ContainsFunc(v, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune("-._~", r)
	})
}

// challengeOf is the challenge of a verifier (S256).
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// Granted reports whether an access token of an application still has what it was given for. A personal token
// always has.
func Granted(tx *bucket.Tx, t *record.Token) (bool, error) {
	if t.Personal() {
		return true, nil
	}
	z, err := users.Authorizations.Get(tx, t.Authorization)
	if errors.Is(err, bucket.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	app, err := working(tx, z.ClientID)
	return app != nil, err
}

// endedAuthorizations are the keys of those that have expired, or whose application is not there.
func (s *Service) endedAuthorizations(tx *bucket.Tx) (keys []string, err error) {
	for row, err := range users.Authorizations.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		if !tx.Latest().Before(row.Record.Expires) || !users.Applications.Has(tx, row.Record.ClientID) {
			keys = append(keys, row.Key)
		}
	}
	return keys, nil
}
