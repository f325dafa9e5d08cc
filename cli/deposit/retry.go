package deposit

import (
	"context"
	"crypto/tls"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// clock is the time and the waiting, so that tests need not wait.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error // returns early with the context's error
}

func (c clock) orReal() clock {
	if c.now == nil {
		c.now = time.Now
	}
	if c.sleep == nil {
		c.sleep = func(ctx context.Context, d time.Duration) error {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return c
}

const (
	tries      = 8                // of a call that may be repeated: about a minute
	firstPause = time.Second / 2  // doubles, with jitter
	maxPause   = 20 * time.Second // of our own choosing
	maxAfter   = 5 * time.Minute  // of what Retry-After asks for
)

// repeat runs a call that may safely be sent again, until it succeeds, fails for
// good, or has failed tries times. It passes the number of the try, from 0.
func (c *client) repeat(ctx context.Context, call func(try int) error) error {
	return c.retry(ctx, call, passing)
}

// onceOnly runs a call that must not be done twice. It is sent again only where
// the server cannot have acted: no connection was made, or it answered 429.
func (c *client) onceOnly(ctx context.Context, call func() error) error {
	return c.retry(ctx, func(int) error { return call() }, func(err error) bool {
		var reply *replyError
		var net *networkError
		return errors.As(err, &reply) && reply.Status == http.StatusTooManyRequests ||
			errors.As(err, &net) && !net.sent
	})
}

func (c *client) retry(ctx context.Context, call func(int) error, again func(error) bool) error {
	pause := firstPause
	for try := 0; ; try++ {
		err := call(try)
		if err == nil || ctx.Err() != nil || !again(err) || distrusted(err) || try == tries-1 {
			return err
		}
		wait := pause/2 + rand.N(pause)
		pause = min(2*pause, maxPause)
		var reply *replyError
		if errors.As(err, &reply) {
			wait = max(wait, min(reply.after, maxAfter))
		}
		if c.clock.sleep(ctx, wait) != nil {
			return err
		}
	}
}

// distrusted tells that the server's certificate was not accepted.
func distrusted(err error) bool {
	var cert *tls.CertificateVerificationError
	return errors.As(err, &cert)
}

// passing tells the errors that another try may not meet.
func passing(err error) bool {
	var net *networkError
	if errors.As(err, &net) {
		return true
	}
	var reply *replyError
	return errors.As(err, &reply) && (reply.Status >= 500 ||
		reply.Status == http.StatusTooManyRequests || reply.Status == http.StatusRequestTimeout)
}

// refused tells the errors after which the server has certainly not acted: it
// was not reached, or it said no.
func refused(err error) bool {
	var net *networkError
	if errors.As(err, &net) {
		return !net.sent
	}
	var reply *replyError
	return errors.As(err, &reply) && reply.Status < 500 && reply.Status != http.StatusRequestTimeout
}

// retryAfter reads the header of RFC 9110, 10.2.3, seconds or a date.
func retryAfter(value string, now time.Time) time.Duration {
	if s, err := strconv.Atoi(value); err == nil && s > 0 {
		return time.Duration(min(s, 86400)) * time.Second
	}
	if t, err := http.ParseTime(value); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

// graceful outlives ctx by ten seconds: a request that must not be done twice is
// given the time to end when the run is stopped.
func graceful(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(10*time.Second, cancel) })
	return longer, func() { stop(); cancel() }
}
