package config

import (
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
)

// acme checks what "acme" needs. It runs after every setting was checked by itself.
func (l *loader) acme(c Config) {
	a, origin := c.ACME, l.origin["tls"]
	if len(a.Domains) == 0 {
		l.fault(origin, `tls = "acme" needs acme_domains to name at least one host`)
	}
	if !a.AcceptTerms {
		l.fault(origin, `tls = "acme" needs acme_accept_terms = true, which says that you agree to the terms of service of %s`, a.Directory)
	}
	if (a.KeyID == "") != (a.KeyFile == "") {
		l.fault(origin, "acme_eab_key_id and acme_eab_key_file belong together, and one of them is not set")
	}
}

// publicName is a host name that a public authority gives certificates for: no
// address, with a dot in it, and in the form that DNS has.
func publicName(text string) (string, error) {
	_, notIP := netip.ParseAddr(text)
	if notIP == nil || !hostPattern.MatchString(text) || strings.ContainsAny(text, "_") || !strings.Contains(text, ".") || strings.Contains(text, "..") {
		return "", fmt.Errorf("must list host names such as data.example.org (names with other letters in their xn-- form), not %q", text)
	}
	return strings.ToLower(text), nil
}

func email(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if a, err := mail.ParseAddress(text); err != nil || a.Address != text {
		return "", fmt.Errorf("must be an address such as repository@example.org, not %q", text)
	}
	return text, nil
}

// directory is where an ACME server is met: RFC 8555 asks for HTTPS.
func directory(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return "", errors.New("must be an address that begins with https://, such as https://acme.example.org/directory")
	}
	return text, nil
}

// challengeAddress is a listenAddress. An empty text stays empty.
func challengeAddress(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	return listenAddress(text)
}
