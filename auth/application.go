package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// Bounds of what an account has, beside those of tokens.
const (
	applicationsEach = 25 // that it has registered
	connectedEach    = 50 // that may act for it
)

// ErrNoApplication says that an account has no such application.
var ErrNoApplication = errors.New("there is no such application of this account")

// newID is a client_id: no secret, and nothing that one could guess another by.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func newClientSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return "als_" + hex.EncodeToString(b[:])
}

// AddApplication stores an application, which must have been checked, and returns its client_id, and its secret where it
// is to have one; that cannot be shown again. The error is ErrTooMany where there is no room for one
// more.
func (s *Service) AddApplication(ctx context.Context, by changelog.By, app record.Application, confidential bool) (id, secret string, err error) {
	id = newID()
	if confidential {
		secret = newClientSecret()
		app.Secret = keyOf(secret)
	}
	err = s.db.UpdateBy(ctx, by, func(tx *bucket.Tx) error {
		if len(bucket.Keys(users.ApplicationsByAccount.Ascending(tx, bucket.SortKey(app.AccountID)))) >= applicationsEach {
			return ErrTooMany
		}
		app := app
		app.ID, app.Created, app.Modified = id, tx.Now(), tx.Now()
		return users.Applications.Put(tx, id, &app)
	})
	return id, secret, err
}

// Applications are those that an account has registered, the newest first.
func (s *Service) Applications(account int64) (all []*record.Application, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		for _, id := range bucket.Keys(users.ApplicationsByAccount.Ascending(tx, bucket.SortKey(account))) {
			app, err := users.Applications.Get(tx, id)
			if err != nil {
				return err
			}
			all = append(all, app)
		}
		return nil
	})
	slices.SortFunc(all, func(a, b *record.Application) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// own is an application of an account.
func own(tx *bucket.Tx, account int64, id string) (*record.Application, error) {
	app, err := users.Applications.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && app.AccountID != account {
		return nil, ErrNoApplication
	}
	return app, err
}

// NewSecret gives a confidential application another secret, and returns it. The old one is refused from then on;
// what it has been given goes on. The error is ErrNoApplication where the account has no such one.
func (s *Service) NewSecret(ctx context.Context, by changelog.By, account int64, id string) (secret string, err error) {
	secret = newClientSecret()
	err = s.db.UpdateBy(ctx, by, func(tx *bucket.Tx) error {
		app, err := own(tx, account, id)
		if err == nil && app.Secret == "" {
			err = ErrNoApplication
		}
		if err != nil {
			return err
		}
		app.Secret, app.Modified = keyOf(secret), tx.Now()
		return users.Applications.Put(tx, id, app)
	})
	return secret, err
}

// DeleteApplication deletes an application of an account. Nothing that it was given is good from then on; it is
// removed by Sweep, as there may be much of it. Deleting one that is not there does nothing.
func (s *Service) DeleteApplication(ctx context.Context, by changelog.By, account int64, id string) error {
	return s.db.UpdateBy(bucket.Frees(ctx), by, func(tx *bucket.Tx) error {
		if _, err := own(tx, account, id); err != nil {
			if errors.Is(err, ErrNoApplication) {
				return nil
			}
			return err
		}
		return users.Applications.Delete(tx, id)
	})
}

// Client is an application that has shown who it is.
type Client struct{ record.Application }

// Public reports whether the application has no secret, so that any program can use its name.
func (c *Client) Public() bool { return c.Secret == "" }

// errNoClient is the refusal of an application that is not known or has not shown its secret.
var errNoClient = &Refusal{"invalid_client", "The application is not known, or its secret is wrong"}

// Client is the application with a client_id that has shown its secret, or has none and shows none. Otherwise the
// error is a *Refusal.
func (s *Service) Client(id, secret string) (*Client, error) {
	c, err := s.client(id)
	if err != nil {
		return nil, err
	}
	if c == nil || (c.Secret == "") != (secret == "") || !c.Public() && !same(keyOf(secret), c.Secret) {
		return nil, errNoClient
	}
	return c, nil
}

func (s *Service) client(id string) (c *Client, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		app, err := working(tx, id)
		if err == nil && app != nil {
			c = &Client{*app}
		}
		return err
	})
	return c, err
}

// working is the application with a client_id, nil where there is none, or who registered it may not act.
func working(tx *bucket.Tx, id string) (*record.Application, error) {
	app, err := users.Applications.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	owner, err := users.Accounts.Get(tx, app.AccountID)
	if err != nil || !owner.Active(tx.Latest()) {
		return nil, err
	}
	return app, nil
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Connected is an application that may act for an account.
type Connected struct {
	ID, Name string
	Owner    string       // name of the person that registered it
	Scope    record.Scope // the widest that it was given
	Since    time.Time
	Used     time.Time // last, to about a minute; zero for never
}

// Connected are the applications that may act for an account, by name.
func (s *Service) Connected(account int64) (all []*Connected, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		byID := map[string]*Connected{}
		for _, key := range bucket.Keys(users.AuthorizationsByAccount.Ascending(tx, bucket.SortKey(account))) {
			z, err := users.Authorizations.Get(tx, key)
			if err != nil {
				return err
			}
			if z.Renewed.IsZero() || !tx.Latest().Before(z.Expires) {
				continue // nothing was given for it yet, or it has ended
			}
			c := byID[z.ClientID]
			if c == nil {
				app, err := working(tx, z.ClientID)
				if err != nil {
					return err
				}
				if app == nil {
					continue
				}
				owner, err := users.Accounts.Get(tx, app.AccountID)
				if err != nil {
					return err
				}
				c = &Connected{ID: z.ClientID, Name: app.Name, Owner: personName(owner), Scope: z.Scope, Since: z.Created}
				byID[z.ClientID] = c
				all = append(all, c)
			}
			if z.Scope.Opens(c.Scope) {
				c.Scope = z.Scope
			}
			if z.Created.Before(c.Since) {
				c.Since = z.Created
			}
			used, err := s.authorizationUsed(tx, key)
			if err != nil {
				return err
			}
			if used.After(c.Used) {
				c.Used = used
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b *Connected) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return all, err
}

// authorizationUsed is when an application used an authorization last, zero for never: its access token, or a
// refresh token, which is when tokens were given.
func (s *Service) authorizationUsed(tx *bucket.Tx, key string) (last time.Time, err error) {
	for _, token := range bucket.Keys(users.TokensByAuthorization.Ascending(tx, bucket.SortKey(key))) {
		used, err := s.tokenUsed(tx, token)
		if err != nil {
			return last, err
		}
		if used.After(last) {
			last = used
		}
	}
	z, err := users.Authorizations.Get(tx, key)
	if err == nil && z.Renewed.After(last) {
		last = z.Renewed
	}
	return last, err
}

// Disconnect ends all that an application was given for an account.
func (s *Service) Disconnect(ctx context.Context, by changelog.By, account int64, id string) error {
	return s.db.UpdateBy(bucket.Frees(ctx), by, func(tx *bucket.Tx) error {
		return endAuthorizations(tx, bucket.SortKey(account, id))
	})
}

// EndAccess ends what acts for an account because of its password: all sessions, and all that applications were
// given. Personal tokens stay, which do nothing where the account may not act. Whatever takes
// rights from an account or changes its password calls it in the same transaction.
func EndAccess(tx *bucket.Tx, account int64) error {
	return errors.Join(endSessions(tx, account), endAuthorizations(tx, bucket.SortKey(account)))
}

// EndSignIn ends everything that an account is used with: besides its access, personal tokens, passkeys, the second
// factor and one-time links. The password is the caller's to take away.
func EndSignIn(tx *bucket.Tx, account int64) error {
	for _, key := range bucket.Keys(users.TokensByAccount.Ascending(tx, bucket.SortKey(account))) {
		if err := endToken(tx, key); err != nil {
			return err
		}
	}
	for _, key := range bucket.Keys(users.PasskeysByAccount.Ascending(tx, bucket.SortKey(account))) {
		if err := gone(users.Passkeys.Delete(tx, key)); err != nil {
			return err
		}
	}
	return errors.Join(EndAccess(tx, account), gone(users.SecondFactors.Delete(tx, account)), endLinksOf(tx, account))
}

func endAuthorizations(tx *bucket.Tx, of []byte) error {
	for _, key := range bucket.Keys(users.AuthorizationsByAccount.Ascending(tx, of)) {
		if err := endAuthorization(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// endAuthorization ends an authorization with its access tokens.
func endAuthorization(tx *bucket.Tx, key string) error {
	for _, token := range bucket.Keys(users.TokensByAuthorization.Ascending(tx, bucket.SortKey(key))) {
		if err := endToken(tx, token); err != nil {
			return err
		}
	}
	return gone(users.Authorizations.Delete(tx, key))
}

// personName is what others are told of a person, "" where it has no name.
func personName(a *record.Account) string { return strings.TrimSpace(a.FirstName + " " + a.LastName) }
