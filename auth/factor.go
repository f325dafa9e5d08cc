package auth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// halfLasts is how long a person may take for the second step of signing in.
const halfLasts = 10 * time.Minute

// ErrCode says that a code is not the one that is asked for.
var ErrCode = errors.New("the code is wrong, or was used already")

// Factor is the second factor of an account: nil for none, and not yet in use before a first code of it was right.
func (s *Service) Factor(account int64) (f *record.SecondFactor, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		f, err = factor(tx, account)
		return err
	})
	return f, err
}

func factor(tx *bucket.Tx, account int64) (*record.SecondFactor, error) {
	f, err := users.SecondFactors.Get(tx, account)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	return f, err
}

// NewFactor begins a second factor, in place of one that was begun and not used. One that is in use stays.
func (s *Service) NewFactor(ctx context.Context, account int64) error {
	return s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		f, err := factor(tx, account)
		if err != nil || f != nil && f.Used {
			return err
		}
		return users.SecondFactors.Put(tx, account, &record.SecondFactor{AccountID: account, Secret: newCodeSecret(), Created: tx.Now()})
	})
}

// UseFactor takes a second factor into use whose first code is right, ends all sessions, and returns recovery codes, which are
// stored nowhere. Otherwise the error is ErrCode.
func (s *Service) UseFactor(ctx context.Context, account int64, code string) (recovery []string, err error) {
	err = s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		f, err := factor(tx, account)
		if err != nil {
			return err
		}
		if f == nil || f.Used {
			return ErrCode
		}
		if f.Last = codeStepOf(f.Secret, digits(code), f.Last, tx.Latest()); f.Last == 0 {
			return ErrCode
		}
		f.Used = true
		recovery = renew(f)
		return errors.Join(users.SecondFactors.Put(tx, account, f), endSessions(tx, account))
	})
	return recovery, err
}

// NewRecovery replaces the recovery codes of an account.
func (s *Service) NewRecovery(ctx context.Context, account int64) (recovery []string, err error) {
	err = s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		f, err := factor(tx, account)
		if err != nil {
			return err
		}
		if f == nil || !f.Used {
			return ErrCode
		}
		recovery = renew(f)
		return users.SecondFactors.Put(tx, account, f)
	})
	return recovery, err
}

// renew gives a second factor new recovery codes.
func renew(f *record.SecondFactor) (codes []string) {
	f.Recovery = nil
	for range recoveryCodes {
		code := newRecoveryCode()
		codes, f.Recovery = append(codes, code), append(f.Recovery, recoveryKey(code))
	}
	return codes
}

// RemoveFactor removes the second factor of an account, if it has one.
func (s *Service) RemoveFactor(ctx context.Context, account int64) error {
	return s.db.UpdateBy(bucket.Frees(ctx), changelog.By{Account: account}, func(tx *bucket.Tx) error { return removeFactor(tx, account) })
}

func removeFactor(tx *bucket.Tx, account int64) error {
	if err := users.SecondFactors.Delete(tx, account); !errors.Is(err, bucket.ErrNotFound) {
		return err
	}
	return nil
}

// TakeCode uses up a code of the second factor of an account, or one of its recovery codes. The error is ErrCode where it is
// neither.
func (s *Service) TakeCode(ctx context.Context, account int64, code string) error {
	return s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		f, err := factor(tx, account)
		if err != nil {
			return err
		}
		if f == nil || !f.Used {
			return ErrCode
		}
		if step := codeStepOf(f.Secret, digits(code), f.Last, tx.Latest()); step != 0 {
			f.Last = step
			return users.SecondFactors.Put(tx, account, f)
		}
		at := slices.Index(f.Recovery, recoveryKey(code))
		if at < 0 {
			return ErrCode
		}
		f.Recovery = slices.Delete(f.Recovery, at, at+1)
		return users.SecondFactors.Put(tx, account, f)
	})
}

// digits is a code without the spaces that people put between its halves.
func digits(code string) string { return strings.ReplaceAll(strings.TrimSpace(code), " ", "") }
