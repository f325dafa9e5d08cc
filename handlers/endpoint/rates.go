package endpoint

import (
	"math"
	"strconv"
	"time"

	"alcove/record"
)

// TooMany is the refusal of a caller that has to wait.
func TooMany(e *record.Error, wait time.Duration) error {
	return e.With("retry_after", int(math.Ceil(wait.Seconds())))
}

// pace refuses requests that come too fast, where the configuration sets a rate: those of
// an account together, and those without one by the address they come from.
func (c *Call) pace(account int64) error {
	a := c.Server
	rates := a.Rates().rates
	if rates == nil {
		return nil
	}
	name := strconv.FormatInt(account, 10)
	if account == 0 {
		name = a.Caller(c)
	}
	if wait := rates.Take(name, time.Now()); wait > 0 {
		return TooMany(record.ErrTooFast, wait)
	}
	return nil
}

// PacePage refuses pages that an address asks for too fast, where the configuration sets a rate: one
// costs more than an answer of the API, and a crawler is to leave room for people. A request counts
// once. The adapter asks it for routes of pages; a route that has other answers too asks it itself.
func (c *Call) PacePage() error {
	a := c.Server
	rates := a.Rates().pageRates
	if rates == nil || c.paced {
		return nil
	}
	c.paced = true
	if wait := rates.Take(a.Caller(c), time.Now()); wait > 0 {
		return TooMany(record.ErrTooFast, wait)
	}
	return nil
}
