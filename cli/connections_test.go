package cli

import (
	"bytes"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"alcove/config"
)

// from is a connection from an address that this machine does not have.
type from struct {
	net.Conn
	remote *net.TCPAddr
	closed bool
}

func (f *from) RemoteAddr() net.Addr { return f.remote }
func (f *from) Close() error         { f.closed = true; return nil }

func comes(k *connections, address string) *from {
	f := &from{remote: net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(address), 1))}
	k.changed(f, http.StateNew)
	return f
}

func TestConnectionsOfAnAddress(t *testing.T) {
	var log bytes.Buffer
	k := newConnections(config.Config{MaxConnections: 12, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}},
		slog.New(slog.NewTextHandler(&log, nil)))
	var open []*from
	for _, tc := range []struct {
		address string
		refused bool
	}{
		{"192.0.2.1", false}, {"192.0.2.1", false}, {"::ffff:192.0.2.1", false}, {"192.0.2.1", true}, {"192.0.2.2", false},
		{"2001:db8::1", false}, {"2001:db8::2", false}, {"2001:db8::ffff:1", false}, {"2001:db8::3", true}, {"2001:db8:0:1::1", false},
		{"10.1.1.1", false}, {"10.1.1.1", false}, {"10.1.1.1", false}, {"10.1.1.1", false}, // a proxy
		{"127.0.0.1", true}, // there are twelve
	} {
		f := comes(k, tc.address)
		if f.closed != tc.refused {
			t.Errorf("%s: refused %v", tc.address, f.closed)
		}
		if f.closed {
			k.changed(f, http.StateClosed)
		} else {
			open = append(open, f)
		}
	}
	if n := strings.Count(log.String(), "connections are refused"); n != 1 {
		t.Errorf("%d lines were logged of three refusals: %s", n, &log)
	}
	k.changed(open[0], http.StateActive)
	k.changed(open[0], http.StateIdle)
	for range 2 { // the second time it is not there
		k.changed(open[0], http.StateClosed)
	}
	if comes(k, "192.0.2.1").closed || !comes(k, "192.0.2.1").closed {
		t.Error("the end of one connection does not let in one other")
	}
	for _, f := range open[1:] {
		k.changed(f, http.StateClosed)
	}
	if len(k.open) != 1 || len(k.by) != 1 {
		t.Errorf("%d connections and %d addresses are left", len(k.open), len(k.by))
	}
}

func TestConnectionsByDefault(t *testing.T) {
	k := newConnections(config.Config{}, slog.New(slog.DiscardHandler))
	if k.max < 1 || k.max > mostConnections || k.perAddress != max(k.max/4, 1) {
		t.Errorf("%d connections, %d of one address", k.max, k.perAddress)
	}
}
