package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// BaseURLFor returns base_url or, when it is not set, the address of the listener
// that actual belongs to. It is https unless tls is "off", and has the first of
// acme_domains for its host when tls is "acme". Otherwise a host name in listen
// is kept; an unspecified address becomes localhost; ports 443 of https and 80 of
// http are left out. There is no trailing slash.
func (c Config) BaseURLFor(actual net.Addr) string {
	if c.BaseURL != "" {
		return c.BaseURL
	}
	scheme := "https"
	if c.TLS == "off" {
		scheme = "http"
	}
	host, port := splitListen(actual.String())
	if wanted, _ := splitListen(c.Listen); wanted != "" {
		if _, err := netip.ParseAddr(wanted); err != nil {
			host = strings.ToLower(wanted)
		}
	}
	if addr, err := netip.ParseAddr(host); err == nil && addr.Unmap().IsUnspecified() {
		host = "localhost"
	}
	if c.TLS == "acme" {
		host = c.ACME.Domains[0]
	}
	return address(scheme, host, port)
}

// Resolve returns a copy of c in which all four addresses are filled in. The
// listener must be open, because its port may have been chosen by the system.
func (c Config) Resolve(actual net.Addr) Config {
	c.BaseURL = c.BaseURLFor(actual)
	if c.SiteURL == "" {
		c.SiteURL = c.BaseURL
	}
	if c.DownloadBaseURL == "" {
		c.DownloadBaseURL = c.BaseURL
	}
	if c.UploadBaseURL == "" {
		c.UploadBaseURL = c.BaseURL + "/upload"
	}
	return c
}

// Hosts lists the names and IP addresses that this server answers for, and that a
// certificate made for it has to cover: the loopback ones, the host of listen if it is
// a certain one, the hosts of the four addresses, acme_domains and allowed_hosts. The order is the same every time, and nothing
// is listed twice.
func (c Config) Hosts() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	listen, _ := splitListen(c.Listen)
	wanted := []string{listen}
	for _, a := range []string{c.BaseURL, c.SiteURL, c.DownloadBaseURL, c.UploadBaseURL} {
		if u, err := url.Parse(a); err == nil {
			wanted = append(wanted, u.Hostname())
		}
	}
	for _, h := range slices.Concat(wanted, c.ACME.Domains, c.AllowedHosts) {
		h = strings.ToLower(h)
		if addr, err := netip.ParseAddr(h); err == nil {
			addr = addr.WithZone("").Unmap()
			if addr.IsUnspecified() {
				continue
			}
			h = addr.String()
		}
		if h != "" && !slices.Contains(hosts, h) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// splitListen takes host:port apart; a port that is not a number is 0.
func splitListen(hostport string) (host string, port int) {
	host, text, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport, 0
	}
	port, err = strconv.Atoi(text)
	if err != nil {
		return host, 0
	}
	return host, port
}

// address writes an origin. Port 0 and the scheme's default port are left out;
// an IPv6 address is put in brackets, and a zone in it is escaped.
func address(scheme, host string, port int) string {
	if port != 0 && !(scheme == "https" && port == 443) && !(scheme == "http" && port == 80) {
		host = net.JoinHostPort(host, strconv.Itoa(port))
	} else if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return (&url.URL{Scheme: scheme, Host: host}).String()
}
