package endpoint

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
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

// Caller names the address that a request comes from. One of IPv6 is as good as any other in
// its network of 64 bits, which belongs to one household or machine.
func (a *Server) Caller(c *Call) string {
	host := a.Remote(c.Request)
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

// Remote is the address of the client: the last one in X-Forwarded-For that a trusted
// proxy did not add itself.
func (a *Server) Remote(r *http.Request) string {
	host := peer(r)
	if !a.trusted(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		host = hop.String()
		if !a.trusted(host) {
			break
		}
	}
	return host
}

// peer is the address that a request came from last.
func peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// FromProxy reports whether a trusted proxy sent the request.
func (a *Server) FromProxy(c *Call) bool { return a.trusted(peer(c.Request)) }

func (a *Server) trusted(host string) bool {
	if len(a.Proxies) == 0 {
		return false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, p := range a.Proxies {
		if p.Contains(ip.Unmap()) {
			return true
		}
	}
	return false
}
