package handlers

import (
	"math"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"alcove/record"
)

// buckets lets each of many callers do something so many times at once, and so often on
// average: token buckets by name. What it keeps is bounded.
type buckets struct {
	perSecond, burst float64
	most             int // how many callers are remembered

	mu sync.Mutex
	of map[string]*tokens
}

type tokens struct {
	left float64
	at   time.Time
}

// mostCallers bounds what is remembered, to some 2 MiB.
const mostCallers = 1 << 14

func newBuckets(perSecond, burst float64) *buckets {
	return &buckets{perSecond: perSecond, burst: burst, most: mostCallers, of: map[string]*tokens{}}
}

// take lets a caller through, 0, or says how long he has to wait.
func (b *buckets) take(name string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.of[name]
	if t == nil {
		if len(b.of) >= b.most {
			b.forget(now)
		}
		t = &tokens{left: b.burst, at: now}
		b.of[name] = t
	}
	b.fill(t, now)
	if t.left >= 1 {
		t.left--
		return 0
	}
	return time.Duration((1 - t.left) / b.perSecond * float64(time.Second))
}

// fill gives a caller what has come since. A clock that goes back gives and takes nothing.
func (b *buckets) fill(t *tokens, now time.Time) {
	t.left = min(b.burst, t.left+max(now.Sub(t.at), 0).Seconds()*b.perSecond)
	t.at = now
}

// forget makes room: first by those who may do everything again, whom to forget changes
// nothing, and where that is not enough by any, an eighth of all. The lock is held.
func (b *buckets) forget(now time.Time) {
	for name, t := range b.of {
		if b.fill(t, now); t.left >= b.burst {
			delete(b.of, name)
		}
	}
	for name := range b.of { // in no order
		if len(b.of) <= b.most*7/8 {
			return
		}
		delete(b.of, name)
	}
}

// tooMany is the refusal of somebody who has to wait.
func tooMany(e *record.Error, wait time.Duration) error {
	return e.With("retry_after", int(math.Ceil(wait.Seconds())))
}

// pace refuses requests that come too fast, where the configuration sets a rate: those of
// an account together, and those without one by the address they come from.
func (c *Call) pace(account int64) error {
	a := c.API
	if a.rates == nil {
		return nil
	}
	name := strconv.FormatInt(account, 10)
	if account == 0 {
		name = a.caller(c)
	}
	if wait := a.rates.take(name, time.Now()); wait > 0 {
		return tooMany(record.ErrTooFast, wait)
	}
	return nil
}

// wrongToken notes that a token is not known. Who sends many is refused, and told to wait.
func (c *Call) wrongToken() error {
	if wait := c.API.wrong.take(c.API.caller(c), time.Now()); wait > 0 {
		return tooMany(record.ErrTooManyTokens, wait)
	}
	return nil
}

// caller names the address that a request comes from. One of IPv6 is as good as any other in
// its network of 64 bits, which belongs to one household or machine.
func (a *API) caller(c *Call) string {
	host := a.remote(c.request)
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Unmap().Is4() {
		return host
	}
	network, err := ip.WithZone("").Prefix(64)
	if err != nil {
		return host
	}
	return network.String()
}
