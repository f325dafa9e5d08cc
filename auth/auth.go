// Package auth knows who is calling: passwords, the sessions of browsers, and tokens. It knows neither
// pages nor HTTP.
//
//	password.go  argon2id, so many at a time
//	session.go   sessions in the table users.Sessions, under the SHA-256 of their secrets
//	token.go     tokens in the table users.Tokens, and when they were used
//	application.go  applications in the table users.Applications, and those that act for an account
//	authorize.go the asking of an application, and the code that it gets (OAuth 2.0)
//	grant.go     what it gets for a code, a refresh token, its secret or a password
//	link.go      one-time links in the table users.OneTimeLinks, likewise, and the one of the first run
//	factor.go    second factors in the table users.SecondFactors: codes of totp.go, and recovery codes
//	passkey.go   passkeys in the table users.Passkeys, and challenges that they sign in users.Challenges
//	agent.go     a browser in a few words
package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// Limits are how long sessions last.
type Limits struct {
	Idle     time.Duration // without a request
	Absolute time.Duration // since it was begun
}

// Service signs people in and knows their sessions.
type Service struct {
	db     *bucket.DB
	limits Limits

	mu     sync.Mutex
	used   map[string]time.Time // sessions whose last use is not stored yet, by key
	tokens map[string]time.Time // the same of tokens

	passkeys passkeys

	first     string // key of the link of the first run, "" for none
	firstEnds time.Time
}

// New makes the service of a store.
func New(db *bucket.DB, l Limits) *Service {
	return &Service{db: db, limits: l, used: map[string]time.Time{}, tokens: map[string]time.Time{}}
}

// ErrWrong says that no active account has this address and this password, and not which of them is
// wrong.
var ErrWrong = errors.New("no account has this address and this password")

// Check is the account with an e-mail address, when that is active and the password is its own; otherwise
// the error is ErrWrong. It takes as long in either case. A hash that was made with older parameters
// is made again.
func (s *Service) Check(ctx context.Context, email, password string) (*record.Account, error) {
	var acc *record.Account
	err := s.db.View(func(tx *bucket.Tx) error {
		id, ok := users.AccountsByEmail.First(tx, bucket.SortKey(record.FoldEmail(strings.TrimSpace(email))))
		if !ok {
			return nil
		}
		found, err := users.Accounts.Get(tx, id)
		if err == nil && found.Active(tx.Latest()) {
			acc = found
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	stored := ""
	if acc != nil {
		stored = acc.Password
	}
	right, weak, err := checkPassword(ctx, stored, password)
	switch {
	case err != nil:
		return nil, err
	case !right:
		return nil, ErrWrong
	case weak:
		return acc, s.rehash(ctx, acc, password)
	}
	return acc, nil
}

// rehash stores a password with the parameters of today, unless it was changed meanwhile.
func (s *Service) rehash(ctx context.Context, acc *record.Account, password string) error {
	hash, err := hashBounded(ctx, password)
	if err != nil {
		return err
	}
	return s.db.UpdateBy(ctx, changelog.By{Account: acc.ID}, func(tx *bucket.Tx) error {
		is, err := users.Accounts.Get(tx, acc.ID)
		if err != nil || is.Password != acc.Password {
			return err
		}
		is.Password = hash
		return users.Accounts.Put(tx, is.ID, is)
	})
}

// ChangePassword gives an account another password, and ends its access, with tokens that of personal tokens, too. The caller begins a new one
// for the browser that asked for it.
func (s *Service) ChangePassword(ctx context.Context, account int64, password string, tokens bool) error {
	hash, err := hashBounded(ctx, password)
	if err != nil {
		return err
	}
	return s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		acc, err := users.Accounts.Get(tx, account)
		if err != nil {
			return err
		}
		acc.Password, acc.Modified = hash, tx.Now()
		if tokens {
			if err := endPersonal(tx, account); err != nil {
				return err
			}
		}
		return errors.Join(users.Accounts.Put(tx, account, acc), EndAccess(tx, account), endLinksOf(tx, account))
	})
}

// newSecret is 256 random bits as text for a cookie or an address.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// keyOf is what a secret is stored under: its SHA-256, which opens nothing.
func keyOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
