package auth

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/record"
)

// sessionsEach is how many sessions an account may have. One more ends the one that was used least
// recently.
const sessionsEach = 50

// usedEvery is how exactly the last use of a session is known: a request that comes sooner writes nothing.
const usedEvery = time.Minute

// Session is a browser that is signed in.
type Session struct {
	ID string // names it among those of the account, and opens nothing
	record.Session
	Ends time.Time // without another request

	key string
}

// sessionID is how many characters of a key the id of a session has.
const sessionID = 16

func (s *Service) session(key string, r *record.Session) *Session {
	v := &Session{ID: key[:sessionID], Session: *r, key: key}
	if r.Half {
		v.Ends = v.Created.Add(halfLasts)
		return v
	}
	s.mu.Lock()
	if used := s.used[key]; used.After(v.Used) {
		v.Used = used
	}
	s.mu.Unlock()
	v.Ends = v.Used.Add(s.limits.Idle)
	if last := v.Created.Add(s.limits.Absolute); last.Before(v.Ends) {
		v.Ends = last
	}
	return v
}

// Begin begins a session of an account, and ends another one, nil for none: the secret of a browser is a new
// one whenever it stands for more than before. The secret is returned and not stored.
func (s *Service) Begin(ctx context.Context, account int64, agent string, plain bool, instead *Session) (secret string, err error) {
	return s.beginWith(ctx, account, agent, plain, false, instead)
}

// BeginHalf is Begin for an account whose second factor is still to come: FindHalf finds the session, and nothing
// else. Of an account without a second factor it is a whole one.
func (s *Service) BeginHalf(ctx context.Context, account int64, agent string, plain bool, instead *Session) (secret string, half bool, err error) {
	f, err := s.Factor(account)
	if err != nil {
		return "", false, err
	}
	half = f != nil && f.Used
	secret, err = s.beginWith(ctx, account, agent, plain, half, instead)
	return secret, half, err
}

func (s *Service) beginWith(ctx context.Context, account int64, agent string, plain, half bool, instead *Session) (secret string, err error) {
	secret = newSecret()
	err = s.db.UpdateBy(ctx, changelog.By{Account: account}, func(tx *bucket.Tx) error {
		acc, err := users.Accounts.Get(tx, account)
		if err != nil {
			return err
		}
		if !acc.Active(tx.Latest()) { // ended since its password was checked
			return ErrWrong
		}
		if instead != nil {
			if err := endSession(tx, instead.key); err != nil {
				return err
			}
		}
		if err := s.makeRoom(tx, account); err != nil {
			return err
		}
		now := tx.Now()
		return users.Sessions.Put(tx, keyOf(secret), &record.Session{AccountID: account, Created: now, Used: now, Agent: describe(agent), Plain: plain, Half: half})
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// makeRoom ends sessions of an account until there is room for one more.
func (s *Service) makeRoom(tx *bucket.Tx, account int64) error {
	all, err := s.sessions(tx, account)
	if err != nil {
		return err
	}
	for ; len(all) >= sessionsEach; all = all[:len(all)-1] {
		if err := endSession(tx, all[len(all)-1].key); err != nil {
			return err
		}
	}
	return nil
}

// sessions are those of an account, the one that was used last first.
func (s *Service) sessions(tx *bucket.Tx, account int64) ([]*Session, error) {
	var all []*Session
	for _, key := range bucket.Keys(users.SessionsByAccount.Ascending(tx, bucket.SortKey(account))) {
		r, err := users.Sessions.Get(tx, key)
		if err != nil {
			return nil, err
		}
		all = append(all, s.session(key, r))
	}
	slices.SortFunc(all, func(a, b *Session) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// Find is the session of a secret and its account, nil where the secret is unknown, the session has ended,
// the account may not act, or the request came another way than over plain HTTP when the
// session was begun so, or the other way round. It counts as a use.
func (s *Service) Find(secret string, plain bool) (found *Session, acc *record.Account, err error) {
	return s.find(secret, plain, false)
}

// FindHalf is Find for a session whose second factor is still to come.
func (s *Service) FindHalf(secret string, plain bool) (found *Session, acc *record.Account, err error) {
	return s.find(secret, plain, true)
}

func (s *Service) find(secret string, plain, half bool) (found *Session, acc *record.Account, err error) {
	key := keyOf(secret)
	var now time.Time
	err = s.db.View(func(tx *bucket.Tx) error {
		found, acc, now = nil, nil, tx.Latest()
		r, err := users.Sessions.Get(tx, key)
		if errors.Is(err, bucket.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		v := s.session(key, r)
		a, err := users.Accounts.Get(tx, r.AccountID)
		if err == nil && r.Plain == plain && r.Half == half && now.Before(v.Ends) && a.Active(now) {
			found, acc = v, a
		}
		return err
	})
	if err != nil || found == nil {
		return nil, nil, err
	}
	if !half && now.Sub(found.Used) >= usedEvery {
		s.mu.Lock()
		s.used[key] = now
		s.mu.Unlock()
	}
	return found, acc, nil
}

// List lists the sessions of an account that are good, the one that was used last first.
func (s *Service) List(account int64) (good []*Session, err error) {
	err = s.db.View(func(tx *bucket.Tx) error {
		all, err := s.sessions(tx, account)
		good = slices.DeleteFunc(all, func(v *Session) bool { return v.Half || !tx.Latest().Before(v.Ends) })
		return err
	})
	return good, err
}

// End ends a session of an account by its id. Ending one that is not there does nothing.
func (s *Service) End(ctx context.Context, account int64, id string) error {
	return s.db.UpdateBy(bucket.Frees(ctx), changelog.By{Account: account}, func(tx *bucket.Tx) error {
		for _, key := range bucket.Keys(users.SessionsByAccount.Ascending(tx, bucket.SortKey(account))) {
			if key[:sessionID] == id {
				return endSession(tx, key)
			}
		}
		return nil
	})
}

// EndAll ends all sessions of an account.
func (s *Service) EndAll(ctx context.Context, account int64) error {
	return s.db.UpdateBy(bucket.Frees(ctx), changelog.By{Account: account}, func(tx *bucket.Tx) error { return endSessions(tx, account) })
}

func endSessions(tx *bucket.Tx, account int64) error {
	for _, key := range bucket.Keys(users.SessionsByAccount.Ascending(tx, bucket.SortKey(account))) {
		if err := endSession(tx, key); err != nil {
			return err
		}
	}
	return nil
}

func endSession(tx *bucket.Tx, key string) error { return gone(users.Sessions.Delete(tx, key)) }

// sweepEvery is how often ended sessions are removed, and sweepBatch how many in one transaction.
const sweepEvery, sweepBatch = time.Hour, 500

// Run stores the last use of sessions and tokens, and removes those that have ended, until its context ends.
func (s *Service) Run(ctx context.Context, failed func(error)) {
	minute, hour := time.NewTicker(usedEvery), time.NewTicker(sweepEvery)
	defer minute.Stop()
	defer hour.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			last := context.WithoutCancel(ctx)
			if err := errors.Join(s.storeUsed(last), s.storeTokens(last)); err != nil {
				failed(err)
			}
			return
		case <-minute.C:
			err = errors.Join(s.storeUsed(ctx), s.storeTokens(ctx))
		case <-hour.C:
			err = s.Sweep(ctx)
		}
		if err != nil && ctx.Err() == nil {
			failed(err)
		}
	}
}

// storeUsed stores when sessions were used last.
func (s *Service) storeUsed(ctx context.Context) error {
	s.mu.Lock()
	used := s.used
	s.used = map[string]time.Time{}
	s.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := s.db.UpdateBy(ctx, changelog.By{}, func(tx *bucket.Tx) error {
		for key, at := range used {
			r, err := users.Sessions.Get(tx, key)
			if errors.Is(err, bucket.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			r.Used = at
			if err := users.Sessions.Put(tx, key, r); err != nil {
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
		if at.After(s.used[key]) {
			s.used[key] = at
		}
	}
	return err
}

// Sweep removes the sessions, links, tokens and authorizations that have ended.
func (s *Service) Sweep(ctx context.Context) error {
	var ended, tokens, authorizations []string
	err := s.db.View(func(tx *bucket.Tx) (err error) {
		if tokens, err = s.endedTokens(tx); err != nil {
			return err
		}
		if authorizations, err = s.endedAuthorizations(tx); err != nil {
			return err
		}
		for row, err := range users.Sessions.All(tx, nil) {
			if err != nil {
				return err
			}
			if !tx.Latest().Before(s.session(row.Key, row.Record).Ends) {
				ended = append(ended, row.Key)
			}
		}
		return nil
	})
	if err == nil {
		err = s.sweepLinks(ctx)
	}
	if err == nil {
		err = s.sweep(ctx, ended, endSession)
	}
	if err == nil {
		err = s.sweep(ctx, tokens, endToken)
	}
	if err == nil {
		err = s.sweep(ctx, authorizations, endAuthorization)
	}
	return err
}

// sweep ends what has these keys, some in a transaction.
func (s *Service) sweep(ctx context.Context, keys []string, end func(*bucket.Tx, string) error) error {
	for some := range slices.Chunk(keys, sweepBatch) {
		err := s.db.UpdateBy(bucket.Frees(ctx), changelog.By{}, func(tx *bucket.Tx) error {
			for _, key := range some {
				if err := end(tx, key); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
