package endpoint

import (
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"alcove/record"
)

// requestNumbers gives each request a number, which ascends with the time.
type requestNumbers struct{ last atomic.Int64 }

func (n *requestNumbers) next(now time.Time) int64 {
	for {
		last := n.last.Load()
		next := max(last+1, now.UnixNano())
		if n.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// noteAccess notes a request that was answered, when it is one to be looked up.
func (a *Server) noteAccess(c *Call, status int) {
	refused := status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusTooManyRequests
	changed := c.writes && status >= 200 && status < 300
	if !refused && !changed && !c.admin {
		return
	}
	e := record.Access{
		At: c.Start, Method: c.Method, Route: c.Pattern, IDs: c.idText(), Status: status, Actor: c.Actor,
		Token: c.tokenID.String(), Address: a.Limits.Addresses.of(a.Remote(c.Request)), Count: 1,
	}
	if c.Account != nil {
		e.Account = c.Account.ID
	}
	a.Jobs.NoteAccess(c.number, e, refused && !c.admin, a.Caller(c))
}

// Addresses says how much of a client's address is stored with a request.
type Addresses string

// shortAddresses stores the network only: 24 bits of an IPv4 address, 48 of an IPv6 address.
const (
	shortAddresses Addresses = "short"
	fullAddresses  Addresses = "full"
	noAddresses    Addresses = "none"
)

func (s Addresses) of(address string) string {
	ip, err := netip.ParseAddr(address)
	if s == noAddresses || err != nil {
		return ""
	}
	ip = ip.Unmap().WithZone("")
	if s == fullAddresses {
		return ip.String()
	}
	bits := 48
	if ip.Is4() {
		bits = 24
	}
	network, err := ip.Prefix(bits)
	if err != nil {
		return ""
	}
	return network.String()
}
