package auth

import (
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/exchange"
	"alcove/bucket/users"
	"alcove/record"
)

// How long one-time links are good.
const (
	InvitationLasts = 7 * 24 * time.Hour
	ResetLasts      = 24 * time.Hour
	firstLasts      = 24 * time.Hour
)

// ErrLinkEnded says that a one-time link is not known, was used or has expired.
var ErrLinkEnded = errors.New("the one-time link is good no more")

// Link is what a one-time link does.
type Link struct {
	record.OneTimeLink
	First bool // it makes the first administrator, of any e-mail address

	key string
}

// NewLink stores a one-time link for an e-mail address, in place of others that it had, and returns its secret.
func NewLink(tx *bucket.Tx, l record.OneTimeLink, lasts time.Duration) (secret string, err error) {
	if err := endLinks(tx, l.Email); err != nil {
		return "", err
	}
	secret = newSecret()
	l.Created, l.Expires = tx.Now(), tx.Now().Add(lasts)
	return secret, users.OneTimeLinks.Put(tx, keyOf(secret), &l)
}

// FirstLink returns the secret of a link that makes the first administrator, "" where there is one. It is
// stored nowhere, and good for a day as long as there is none and this process lives.
func (s *Service) FirstLink() (secret string, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		needed, err := firstNeeded(tx)
		if err != nil || !needed {
			return err
		}
		secret = newSecret()
		s.mu.Lock()
		s.first, s.firstEnds = keyOf(secret), tx.Latest().Add(firstLasts)
		s.mu.Unlock()
		return nil
	})
	return secret, err
}

// firstNeeded reports whether no active account is an administrator.
func firstNeeded(tx *bucket.Tx) (bool, error) {
	for row, err := range users.Accounts.All(tx, nil) {
		if err != nil {
			return false, err
		}
		if row.Record.Admin && row.Record.Active(tx.Latest()) {
			return false, nil
		}
	}
	return true, nil
}

// Link is the one-time link with a secret, as long as it is good; otherwise the error is ErrLinkEnded.
func (s *Service) Link(secret string) (l *Link, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		l, err = s.link(tx, secret)
		return err
	})
	return l, err
}

func (s *Service) link(tx *bucket.Tx, secret string) (*Link, error) {
	key := keyOf(secret)
	s.mu.Lock()
	first := key == s.first && tx.Latest().Before(s.firstEnds)
	s.mu.Unlock()
	if first {
		needed, err := firstNeeded(tx)
		if err == nil && !needed {
			err = ErrLinkEnded
		}
		return &Link{First: true, OneTimeLink: record.OneTimeLink{Admin: true}, key: key}, err
	}
	r, err := users.OneTimeLinks.Get(tx, key)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && !tx.Latest().Before(r.Expires) {
		return nil, ErrLinkEnded
	}
	if err != nil {
		return nil, err
	}
	if r.AccountID != 0 {
		acc, err := users.Accounts.Get(tx, r.AccountID)
		if err == nil && !acc.Active(tx.Latest()) {
			err = ErrLinkEnded
		}
		if err != nil {
			return nil, err
		}
	}
	return &Link{OneTimeLink: *r, key: key}, nil
}

// UseLink uses up a one-time link for a new password: it sets that of the account of the link and ends its
// access, with tokens that of personal tokens, too, or has begin store a new account that has it. It returns the id of the account.
func (s *Service) UseLink(ctx context.Context, secret, password string, tokens bool, begin func(*bucket.Tx, *Link, *record.Account) error) (id int64, err error) {
	hash, err := hashBounded(ctx, password)
	if err != nil {
		return 0, err
	}
	err = s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		l, err := s.link(tx, secret)
		if err == nil && l.Change {
			err = ErrLinkEnded
		}
		if err != nil {
			return err
		}
		if !l.First {
			if err := users.OneTimeLinks.Delete(tx, l.key); err != nil {
				return err
			}
		}
		if l.AccountID == 0 {
			acc := &record.Account{Email: l.Email, Admin: l.Admin, GroupID: l.GroupID, Password: hash}
			err := begin(tx, l, acc)
			id = acc.ID
			return err
		}
		acc, err := users.Accounts.Get(tx, l.AccountID)
		if err != nil {
			return err
		}
		id, acc.Password, acc.Modified = acc.ID, hash, tx.Now()
		if tokens {
			if err := endPersonal(tx, id); err != nil {
				return err
			}
		}
		if l.NoFactor {
			if err := removeFactor(tx, id); err != nil {
				return err
			}
		}
		return errors.Join(users.Accounts.Put(tx, id, acc), EndAccess(tx, id), endLinksOf(tx, id))
	})
	return id, err
}

// UseChange uses up a one-time link that changes the e-mail address of an account, unless allow refuses, which gets
// the address of before and the account as it will be. Links to the address of before end.
func (s *Service) UseChange(ctx context.Context, secret string, allow func(tx *bucket.Tx, before string, acc *record.Account) error) error {
	return s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		l, err := s.link(tx, secret)
		if err == nil && !l.Change {
			err = ErrLinkEnded
		}
		if err != nil {
			return err
		}
		acc, err := users.Accounts.Get(tx, l.AccountID)
		if err != nil {
			return err
		}
		before := acc.Email
		acc.Email, acc.Modified = l.Email, tx.Now()
		if err := allow(tx, before, acc); err != nil {
			return err
		}
		return errors.Join(endLinksOf(tx, acc.ID), users.Accounts.Put(tx, acc.ID, acc))
	})
}

// endLinks ends the one-time links of an e-mail address.
func endLinks(tx *bucket.Tx, email string) error {
	for _, key := range bucket.Keys(users.OneTimeLinksByEmail.Ascending(tx, bucket.SortKey(record.FoldEmail(email)))) {
		if err := users.OneTimeLinks.Delete(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// EndLinks ends the one-time links of an account whose e-mail address was changed.
func EndLinks(tx *bucket.Tx, account int64) error { return endLinksOf(tx, account) }

// endLinksOf ends the one-time links of an account, those to an e-mail address that it was to get, too, and those
// that wait in the outbox to be made.
func endLinksOf(tx *bucket.Tx, account int64) error {
	var waiting []int64
	for row, err := range exchange.Outbox.All(tx, nil) {
		if err != nil {
			return err
		}
		if row.Record.AccountID == account && row.Record.Kind == record.MailConfirm {
			waiting = append(waiting, row.Key)
		}
	}
	for _, id := range waiting {
		if err := exchange.Outbox.Delete(tx, id); err != nil {
			return err
		}
	}
	for _, key := range bucket.Keys(users.OneTimeLinksByAccount.Ascending(tx, bucket.SortKey(account))) {
		if err := users.OneTimeLinks.Delete(tx, key); err != nil {
			return err
		}
	}
	return nil
}

// sweepLinks removes the links that have expired.
func (s *Service) sweepLinks(ctx context.Context) error {
	return s.db.UpdateBy(bucket.Frees(ctx), changelog.By{}, func(tx *bucket.Tx) error {
		var ended []string
		for row, err := range users.OneTimeLinks.All(tx, nil) {
			if err != nil {
				return err
			}
			if len(ended) < sweepBatch && !tx.Latest().Before(row.Record.Expires) {
				ended = append(ended, row.Key)
			}
		}
		for _, key := range ended {
			if err := users.OneTimeLinks.Delete(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
}
