package deposit

import (
	"context"
	"fmt"
	"time"
)

// step is something that must not be done twice.
type step struct {
	where    func() (announced, done bool) // by the state file
	announce func() record
	do       func(context.Context) (record, error) // returns the record of success
	refused  record                                // that it was certainly not done
	// resolve finds out whether an announced step was done and appends the
	// record that says so. It fails if that cannot be told.
	resolve func(context.Context) error
}

// once brings a step to its end. After an unclear failure, of this run or of an
// earlier one, it asks the server what happened before it does anything again.
func (d *depositor) once(ctx context.Context, s step) error {
	const most = 3
	var last error
	for try := 0; ; {
		announced, done := s.where()
		switch {
		case done:
			return nil
		case announced:
			if err := s.resolve(ctx); err != nil {
				if last != nil {
					return fmt.Errorf("%w (%w)", last, err)
				}
				return err
			}
			continue
		case ctx.Err() != nil:
			return ctx.Err()
		case try == most:
			return last
		}
		if err := d.state.append(s.announce()); err != nil {
			return err
		}
		try++
		longer, cancel := graceful(ctx)
		rec, err := s.do(longer)
		cancel()
		switch {
		case err == nil:
			if err := d.state.append(rec); err != nil {
				return err
			}
		case refused(err):
			if err := d.state.append(s.refused); err != nil {
				return err
			}
			return err
		default:
			last = err
		}
	}
}

// waitUntilListed waits until a step announced at that time is old enough for its
// absence to be believed.
func (d *depositor) waitUntilListed(ctx context.Context, at time.Time) error {
	wait := lookupDelay - d.clock.now().Sub(at)
	if wait <= 0 {
		return ctx.Err()
	}
	return d.clock.sleep(ctx, min(wait, lookupDelay))
}
