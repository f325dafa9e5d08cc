package endpoint

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

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
