package cli

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"alcove/cli/osfile"
	"alcove/config"
)

// connections bounds how many connections there are, in all and from one address: further ones
// are closed as soon as they were accepted, so that clients that hold connections open can take
// neither all file descriptors nor all memory.
type connections struct {
	exempt []netip.Prefix // proxies, which speak for many
	log    *slog.Logger

	mu              sync.Mutex
	max, perAddress int
	open            map[net.Conn]netip.Prefix // the address that it counts for, if for any
	by              map[netip.Prefix]int
	told            time.Time // when the log was told last
	since           int       // how many were refused since then
}

// mostConnections is the default where file descriptors do not say otherwise.
const mostConnections = 10_000

func newConnections(c config.Config, log *slog.Logger) *connections {
	k := &connections{exempt: c.TrustedProxies, log: log, open: map[net.Conn]netip.Prefix{}, by: map[netip.Prefix]int{}}
	k.bound(c)
	return k
}

// bound says how many there may be from now on. Those that are open stay.
func (k *connections) bound(c config.Config) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.max, k.perAddress = c.MaxConnections, c.MaxPerAddress
	if k.max == 0 {
		k.max = mostConnections
		if files := osfile.Most(); files > 0 {
			k.max = max(min(files/2, mostConnections), 1)
		}
	}
	if k.perAddress == 0 {
		k.perAddress = max(k.max/4, 1)
	}
}

// changed is called with every connection that is new, and again when it ends.
func (k *connections) changed(conn net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		if !k.admit(conn) {
			refuse(conn)
		}
	case http.StateClosed, http.StateHijacked:
		k.forget(conn)
	}
}

// refuse closes a connection so that nothing remains of it.
func refuse(conn net.Conn) {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	if tcp, ok := conn.(interface{ SetLinger(int) error }); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

func (k *connections) admit(conn net.Conn) bool {
	from := k.countsFor(conn.RemoteAddr())
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.open) >= k.max || from.IsValid() && k.by[from] >= k.perAddress {
		k.refused(from)
		return false
	}
	k.open[conn] = from
	if from.IsValid() {
		k.by[from]++
	}
	return true
}

func (k *connections) forget(conn net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	from, open := k.open[conn]
	if !open {
		return // it was refused
	}
	delete(k.open, conn)
	if !from.IsValid() {
		return
	}
	if k.by[from]--; k.by[from] == 0 {
		delete(k.by, from)
	}
}

// refused tells the log, at most once in ten seconds. The lock is held.
func (k *connections) refused(from netip.Prefix) {
	k.since++
	if now := time.Now(); now.Sub(k.told) > 10*time.Second {
		k.log.Warn("connections are refused", "open", len(k.open), "max_connections", k.max,
			"from", from.String(), "from_there", k.by[from], "max_connections_per_address", k.perAddress, "refused", k.since)
		k.told, k.since = now, 0
	}
}

// countsFor is the address that a connection counts for, an IPv6 one by its network; none
// for this machine and for proxies.
func (k *connections) countsFor(remote net.Addr) netip.Prefix {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}
	}
	ip := tcp.AddrPort().Addr().Unmap().WithZone("")
	if ip.IsLoopback() {
		return netip.Prefix{}
	}
	for _, p := range k.exempt {
		if p.Contains(ip) {
			return netip.Prefix{}
		}
	}
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	network, _ := ip.Prefix(bits) // bits are in bounds
	return network
}
