package config

import (
	"cmp"
	"net"
	"net/url"
	"strings"
)

// dois checks what registering DOIs needs. A DOI is for good: one that leads to a machine of one's own cannot be taken
// back.
func (l *loader) dois(c Config) {
	d, origin := c.DOI, l.origin["doi_registrar"]
	if d.Registrar == "none" {
		return
	}
	if d.Account == "" || d.PasswordFile == "" {
		l.fault(origin, "doi_registrar needs doi_account and doi_password_file to be set")
	}
	if IsTestPrefix(c.DOIPrefix) {
		l.fault(l.origin["doi_prefix"], "doi_prefix begins with "+testPrefix+", which is for examples and no registrar takes")
	}
	if d.Address != "" && !strings.HasPrefix(d.Address, "https://") && !local(d.Address) {
		l.fault(l.origin["doi_address"], "doi_address would send the password of doi_account in the clear: it must be an https address")
	}
	if at := cmp.Or(c.SiteURL, c.BaseURL, "https://localhost"); !d.Test && (!strings.HasPrefix(at, "https://") || local(at)) {
		l.fault(origin, "DOIs would lead to "+at+" for good: base_url must be an https address that others reach, or doi_test be true")
	}
}

// testPrefix is the prefix that is reserved for examples.
const testPrefix = "10.5072/"

// IsTestPrefix reports whether a DOI or a prefix is one for examples.
func IsTestPrefix(doi string) bool { return strings.HasPrefix(doi, testPrefix) }

// local reports whether an address leads to this machine.
func local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || strings.HasSuffix(u.Hostname(), ".localhost") || ip != nil && ip.IsLoopback()
}

// RegistrarAddress is the address of the registrar's API.
func (c *Config) RegistrarAddress() string {
	switch d := c.DOI; {
	case d.Address != "":
		return d.Address
	case d.Test:
		return "https://api.test.datacite.org"
	}
	return "https://api.datacite.org"
}
