package wire

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// Hosts are the host names and IP addresses that a server answers for. A web page can point a name of its own at any
// address on the reader's machine or network and then call the server there from the reader's browser (DNS rebinding).
// Those requests carry the name in their Host header.
type Hosts map[string]bool

// NewHosts returns a set of names and addresses, which are written without ports and in lower case.
func NewHosts(names []string) Hosts {
	h := Hosts{}
	for _, name := range names {
		h[name] = true
	}
	return h
}

// Answers reports whether a request names a host of the set, a loopback name, or the IP address that the connection
// was opened to. Ports are not compared, because proxies and containers change them. A request without a host, which
// HTTP/1.0 allows, comes from no browser and is answered.
func (h Hosts) Answers(r *http.Request) bool {
	if r.Host == "" {
		return true
	}
	host, ok := hostName(r.Host)
	if !ok {
		return false
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || h[host] {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.WithZone("").Unmap()
	return ip.IsLoopback() || h[ip.String()] || ip == localAddress(r)
}

// hostName returns the name or address in a Host header or :authority, in lower case, without brackets, port and
// trailing dot. It returns false for text that is no host.
func hostName(text string) (string, bool) {
	host, port := text, ""
	if inner, bracketed := strings.CutPrefix(text, "["); bracketed {
		address, rest, closed := strings.Cut(inner, "]")
		if !closed || !strings.Contains(address, ":") || rest != "" && rest[0] != ':' {
			return "", false
		}
		host, port = address, strings.TrimPrefix(rest, ":")
	} else {
		host, port, _ = strings.Cut(text, ":")
		host = strings.TrimSuffix(host, ".")
	}
	if host == "" || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	return strings.ToLower(host), true
}

// localAddress is the address of this machine that the client connected to, invalid where it is unknown.
func localAddress(r *http.Request) netip.Addr {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return local.AddrPort().Addr().WithZone("").Unmap()
}
