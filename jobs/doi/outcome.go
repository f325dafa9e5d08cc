package doi

import (
	"cmp"
	"context"
	"errors"
	"time"

	"alcove/bucket"
	"alcove/bucket/exchange"
	"alcove/record"
)

// halt keeps everything from being sent for a while when the registrar is not there or has refused our account.
func (s *Service) halt(ctx context.Context, state record.RegistrarState, err error) error {
	var e *Refused
	wait := time.Duration(0)
	switch {
	case ctx.Err() != nil:
		return err
	case err == nil:
		if s.failures = 0; state.Halted == "" {
			return nil
		}
		return setState(ctx, s.DB, func(state *record.RegistrarState) { state.Halted, state.Cause, state.Resume = "", "", time.Time{} })
	case errors.As(err, &e) && e.account():
		wait = refusedAs
	case errors.As(err, &e) && e.Wait > 0:
		wait = min(e.Wait, mostWait)
	default:
		wait = backoff(s.failures)
	}
	s.failures++
	said := err.Error()
	return cmp.Or(setState(ctx, s.DB, func(now *record.RegistrarState) {
		if now.Turn == state.Turn { // an operator that came meanwhile wants it tried again now
			now.Halted, now.Cause, now.Resume = said, causeOf(err), s.DB.Time().Add(wait)
		}
	}), err)
}

// backoff is how long to wait after some tries that failed.
func backoff(tries int) time.Duration { return min(firstWait<<min(tries, 20), mostWait) }

// done stores that the registrar has confirmed what was sent. What changed meanwhile is sent again.
func (s *Service) done(ctx context.Context, id int64, sent *record.Registration, address, sum string) error {
	told := sent.Sent != sent.Wanted || sent.Sum != sum
	return s.DB.Update(bucket.Frees(ctx), 0, func(tx *bucket.Tx) error {
		if told {
			state, err := exchange.Registrar(tx)
			if err != nil {
				return err
			}
			state.Success = tx.Now()
			if err := exchange.PutRegistrar(tx, state); err != nil {
				return err
			}
		}
		r, err := exchange.Registrations.Get(tx, id)
		if errors.Is(err, bucket.ErrNotFound) {
			return nil // it has another place in the order now, and is sent again
		}
		if err != nil {
			return err
		}
		if r.Turn == sent.Turn && r.Wanted == "" {
			return exchange.Registrations.Delete(tx, id)
		}
		was := r.Registered()
		r.Sent, r.URL, r.Sum, r.Changed = sent.Wanted, address, sum, r.Turn != sent.Turn
		if r.First.IsZero() && r.Registered() {
			r.First = tx.Now()
		}
		r.Tries, r.Due, r.Error, r.Cause, r.Failed = 0, time.Time{}, "", "", time.Time{}
		if err := exchange.Registrations.Put(tx, id, r); err != nil || was == r.Registered() {
			return err
		}
		return s.Confirmed(tx, r.Kind, r.Item, r.Version)
	})
}

// park leaves a DOI to an operator.
func (s *Service) park(ctx context.Context, id int64, tried *record.Registration, why error) error {
	s.failed.Add(1)
	s.Log.Warn("the registrar does not take a DOI", "registration", id, "error", why)
	return s.failing(ctx, id, tried, why, func(_ *bucket.Tx, r *record.Registration) { r.Parked = true })
}

// later has a DOI tried again after a while.
func (s *Service) later(ctx context.Context, id int64, tried *record.Registration, why error) error {
	return s.failing(ctx, id, tried, why, func(tx *bucket.Tx, r *record.Registration) { r.Due = tx.Now().Add(backoff(r.Tries)) })
}

// failing stores why a try failed, and what follows from it. What came while the try was under way has a try of its own.
func (s *Service) failing(ctx context.Context, id int64, tried *record.Registration, why error, then func(*bucket.Tx, *record.Registration)) error {
	return change(ctx, s.DB, []int64{id}, func(tx *bucket.Tx, r *record.Registration) error {
		if r.Turn == tried.Turn {
			then(tx, r)
			r.Error, r.Cause, r.Failed, r.Tries = why.Error(), causeOf(why), tx.Now(), r.Tries+1
		}
		return nil
	})
}

// causeOf is the cause of a try that failed, for pages.
func causeOf(err error) string {
	var e *Refused
	var u undescribed
	switch {
	case errors.As(err, &u):
		return record.CauseItem
	case !errors.As(err, &e):
		return record.CauseAway
	case e.Status == 0:
		return e.Cause
	case e.account():
		return record.CauseAccount
	case e.busy():
		return record.CauseBusy
	case e.foreign():
		return record.CauseForeign
	}
	return record.CauseInvalid
}
