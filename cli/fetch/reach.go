package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// reach are the sorts of addresses inside a network that may be connected to. A server far away could otherwise have this
// machine ask its own services, by a redirect, by the address of a file, or by a name that leads inside.
type reach struct{ sorts []string }

// inner are blocks of addresses inside a network, or that are no address of a machine, by their sort.
var inner = map[string][]netip.Prefix{
	"loopback":   prefixes("127.0.0.0/8", "::1/128"),
	"private":    prefixes("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"),
	"link-local": prefixes("169.254.0.0/16", "fe80::/10"),
	"special": prefixes("0.0.0.0/8", "192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "224.0.0.0/3",
		"::/128", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "ff00::/8"),
}

func prefixes(list ...string) (out []netip.Prefix) {
	for _, p := range list {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// sortOf is the sort of an address inside a network, "" for one that everyone reaches.
func sortOf(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	for name, blocks := range inner {
		if slices.ContainsFunc(blocks, func(p netip.Prefix) bool { return p.Contains(ip) }) {
			return name
		}
	}
	return ""
}

// reachFrom is what may be reached for a server that a person has named: the addresses that everyone reaches, and those
// of the sort that the server itself has, as on a laptop.
func reachFrom(ctx context.Context, host string) (r reach, err error) {
	if strings.TrimSpace(host) == "" {
		return r, fmt.Errorf("the address names no server")
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return r, fmt.Errorf("cannot find the server %s: %w", shorten(host), err)
	}
	for _, ip := range ips {
		if s := sortOf(ip); s != "" {
			r.sorts = append(r.sorts, s)
		}
	}
	return r, nil
}

// control refuses connections to other addresses. It is asked with the address that is connected to, after names were
// looked up.
func (r reach) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("cannot read the address %s: %w", shorten(address), err)
	}
	return r.may(at.Addr())
}

func (r reach) may(ip netip.Addr) error {
	if s := sortOf(ip); s != "" && !slices.Contains(r.sorts, s) {
		return fmt.Errorf("%s is a %s address, to which the server may not lead", ip, s)
	}
	return nil
}
