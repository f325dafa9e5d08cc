package wire

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates lets each of many callers do something so many times at once, and so often on average. The
// memory it takes is bounded.
type Rates struct {
	perSecond, burst float64
	most             int // how many callers are remembered

	mu sync.Mutex
	of map[string]*rate.Limiter
}

// mostCallers bounds what is remembered, to some 2 MiB.
const mostCallers = 1 << 14

// NewRates makes one.
func NewRates(perSecond, burst float64) *Rates {
	return &Rates{perSecond: perSecond, burst: burst, most: mostCallers, of: map[string]*rate.Limiter{}}
}

// Take lets a caller through, 0, or says how long it has to wait.
func (b *Rates) Take(name string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.limiter(name, now)
	if l.AllowN(now, 1) {
		return 0
	}
	return b.wait(l, now)
}

// Lend is Take of which giveBack makes it undone, for what counts only when it goes wrong and must not be
// begun more often than allowed.
func (b *Rates) Lend(name string, now time.Time) (giveBack func(), wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.limiter(name, now)
	if l.TokensAt(now) < 1 {
		return func() {}, b.wait(l, now)
	}
	taken := l.ReserveN(now, 1)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		taken.CancelAt(now)
	}, 0
}

func (b *Rates) wait(l *rate.Limiter, now time.Time) time.Duration {
	return time.Duration((1 - l.TokensAt(now)) / b.perSecond * float64(time.Second))
}

// limiter is that of a caller. The lock is held.
func (b *Rates) limiter(name string, now time.Time) *rate.Limiter {
	l := b.of[name]
	if l == nil {
		if len(b.of) >= b.most {
			b.forget(now)
		}
		l = rate.NewLimiter(rate.Limit(b.perSecond), int(b.burst))
		b.of[name] = l
	}
	return l
}

// forget makes room: first by callers that may do everything again, as forgetting them changes
// nothing, and where that is not enough by any, an eighth of all. The lock is held.
func (b *Rates) forget(now time.Time) {
	for name, l := range b.of {
		if l.TokensAt(now) >= b.burst {
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
