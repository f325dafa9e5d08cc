package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// tokensEach is how many personal tokens an account may make.
const tokensEach = 100

// ErrTooMany says that an account has as many of something as it may have.
var ErrTooMany = errors.New("the account has as many of them as it may have")

// NewToken is a secret of 256 random bits; the prefix lets people and scanners know it.
func NewToken() string {
	var b [32]byte
	rand.Read(b[:])
	return "alc_" + hex.EncodeToString(b[:])
}

// TokenKey is the key under which a token is stored: its SHA-256.
func TokenKey(token string) string { return keyOf(token) }

// TokenID is how many characters of a key the id of a token has. It names the token and opens nothing.
const TokenID = 16

// Token is a token of an account.
type Token struct {
	ID string
	record.Token
	Used  time.Time // last, to about a minute; zero for never
	Ended bool      // it has expired
}

// MakeToken stores a personal token of an account, and returns it: it cannot be shown again. Expires is zero for
// never.
func MakeToken(tx *bucket.Tx, account int64, name string, expires time.Time) (token string, err error) {
	token = NewToken()
	return token, users.Tokens.Put(tx, TokenKey(token), &record.Token{AccountID: account, Name: name, Created: tx.Now(), Expires: expires})
}

// AddToken is MakeToken for a person who makes one; lasts is 0 for ever. The error is ErrTooMany where there
// is no room for one more.
func (s *Service) AddToken(ctx context.Context, by changelog.By, account int64, name string, lasts time.Duration) (token string, err error) {
	err = s.db.UpdateBy(ctx, by, func(tx *bucket.Tx) error {
		keys, err := personal(tx, account)
		if err == nil && len(keys) >= tokensEach {
			err = ErrTooMany
		}
		if err != nil {
			return err
		}
		var expires time.Time
		if lasts > 0 {
			expires = tx.Now().Add(lasts)
		}
		token, err = MakeToken(tx, account, name, expires)
		return err
	})
	return token, err
}

// personal are the keys of the personal tokens of an account.
func personal(tx *bucket.Tx, account int64) (keys []string, err error) {
	for _, key := range bucket.Keys(users.TokensByAccount.Ascending(tx, bucket.SortKey(account))) {
		t, err := users.Tokens.Get(tx, key)
		if err != nil {
			return nil, err
		}
		if t.Personal() {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// endPersonal ends the personal tokens of an account.
func endPersonal(tx *bucket.Tx, account int64) error {
	keys, err := personal(tx, account)
	for _, key := range keys {
		if err == nil {
			err = endToken(tx, key)
		}
	}
	return err
}

// Tokens are the personal tokens of an account, the newest first.
func (s *Service) Tokens(account int64) (all []*Token, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		keys, err := personal(tx, account)
		if err != nil {
			return err
		}
		for _, key := range keys {
			t, err := users.Tokens.Get(tx, key)
			if err != nil {
				return err
			}
			used, err := s.tokenUsed(tx, key)
			if err != nil {
				return err
			}
			all = append(all, &Token{ID: key[:TokenID], Token: *t, Used: used, Ended: !t.Expires.IsZero() && !tx.Latest().Before(t.Expires)})
		}
		return nil
	})
	slices.SortFunc(all, func(a, b *Token) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.ID, b.ID)) })
	return all, err
}

// EndToken ends a personal token of an account by its id. Ending one that is not there does nothing.
func (s *Service) EndToken(ctx context.Context, by changelog.By, account int64, id string) error {
	return s.db.UpdateBy(bucket.Frees(ctx), by, func(tx *bucket.Tx) error {
		keys, err := personal(tx, account)
		for _, key := range keys {
			if key[:TokenID] == id {
				return endToken(tx, key)
			}
		}
		return err
	})
}

// endToken ends a token, with the record of its use.
func endToken(tx *bucket.Tx, key string) error {
	return errors.Join(gone(users.TokenUses.Delete(tx, key)), gone(users.Tokens.Delete(tx, key)))
}

// gone is the error of a deletion, nil where there was nothing to delete.
func gone(err error) error {
	if errors.Is(err, bucket.ErrNotFound) {
		return nil
	}
	return err
}

// UsedToken notes that a token was used, to be stored within a minute.
func (s *Service) UsedToken(key string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, noted := s.tokens[key]; !noted { // a minute is all that is told
		s.tokens[key] = now
	}
}

// tokenUsed is when a token was used last, zero for never.
func (s *Service) tokenUsed(tx *bucket.Tx, key string) (time.Time, error) {
	s.mu.Lock()
	used, noted := s.tokens[key]
	s.mu.Unlock()
	if noted {
		return used, nil
	}
	u, err := users.TokenUses.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return u.Used, nil
}

// storeTokens stores when tokens were used last.
func (s *Service) storeTokens(ctx context.Context) error {
	s.mu.Lock()
	used := s.tokens
	s.tokens = map[string]time.Time{}
	s.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		for key, at := range used {
			if !users.Tokens.Has(tx, key) {
				continue
			}
			if err := users.TokenUses.Put(tx, key, &record.TokenUse{Used: at}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, at := range used { // for the next time
		if _, later := s.tokens[key]; !later {
			s.tokens[key] = at
		}
	}
	return err
}

// tokensKept is how long a personal token stays in the list of its owner after it has expired.
const tokensKept = 30 * 24 * time.Hour

// endedTokens are the keys of tokens that have expired, those of persons long ago, and of uses of tokens that
// are not there.
func (s *Service) endedTokens(tx *bucket.Tx) (keys []string, err error) {
	now := tx.Latest()
	for row, err := range users.Tokens.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		t := row.Record
		if ends := t.Expires; !ends.IsZero() && (!t.Personal() && !now.Before(ends) || !now.Before(ends.Add(tokensKept))) {
			keys = append(keys, row.Key)
		}
	}
	for row, err := range users.TokenUses.All(tx, nil) {
		if err != nil {
			return nil, err
		}
		if !users.Tokens.Has(tx, row.Key) {
			keys = append(keys, row.Key)
		}
	}
	return keys, nil
}
