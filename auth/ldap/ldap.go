// Package ldap checks passwords with a directory that speaks LDAP. A connection lives as long as one check.
package ldap

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-ldap/ldap/v3"

	"alcove/auth"
)

const (
	patience    = 5 * time.Second        // for each answer of the directory
	atLeast     = 400 * time.Millisecond // that a refusal takes, whatever was wrong
	atATime     = 16                     // checks
	mostEntries = 2                      // one too many says that a name is not that of one person
	mostBytes   = 1 << 20                // of all answers of one check
	mostLogin   = 254
)

// Issuer is that of the identities in the directory.
const Issuer = "ldap"

// ErrUnavailable says that the directory could not be asked. It is wrapped with the reason.
var ErrUnavailable = errors.New("the directory cannot be asked")

// Config is a directory as an operator has named it.
type Config struct {
	URL                      string // ldaps://, or ldap:// where StartTLS must be; plain on loopback alone, when Plain
	Plain                    bool
	CA                       string // PEM file, "" for the authorities of the system
	BindDN, PasswordFile     string // that search
	Base, Filter             string // where and what is searched, with {login} for the name
	UserDN                   string // instead of searching: the name of the entry with {login}
	ID                       string // attribute that names the person for ever, "" for the name of the entry
	Mail, FirstName, Surname string // attributes
	Admission                auth.Admission
}

// Directory is one that passwords are checked with.
type Directory struct {
	Config
	host         string
	tls          bool // from the first byte
	certificates *x509.CertPool
	busy         chan struct{}
}

// New is the directory of a configuration. It is asked when the first person signs in.
func New(c Config) (*Directory, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("cannot read the address of the directory: %w", err)
	}
	d := &Directory{Config: c, host: u.Host, tls: u.Scheme == "ldaps", busy: make(chan struct{}, atATime)}
	if u.Port() == "" {
		d.host = net.JoinHostPort(u.Hostname(), map[bool]string{true: "636", false: "389"}[d.tls])
	}
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("cannot read the authority of the directory: %w", err)
		}
		if d.certificates = x509.NewCertPool(); !d.certificates.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("cannot find a certificate in %s", c.CA)
		}
	}
	if _, err := d.password(); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Directory) password() (string, error) {
	if d.PasswordFile == "" {
		return "", nil
	}
	b, err := os.ReadFile(d.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("cannot read the password for the directory: %w", err)
	}
	password := strings.TrimRight(string(b), "\r\n")
	if password == "" {
		return "", fmt.Errorf("cannot search the directory without a password: %s is empty", d.PasswordFile)
	}
	return password, nil
}

// Check is what the directory says of the person with a name and a password; otherwise the error is auth.ErrWrong, after
// the same time for an unknown name as for a wrong password.
func (d *Directory) Check(ctx context.Context, login, password string) (said auth.Said, err error) {
	// A bind without a password succeeds as that of no one (RFC 4513, 5.1.2).
	if login == "" || password == "" || len(login) > mostLogin || len(password) > auth.MaxPassword || strings.ContainsRune(login+password, 0) || !utf8.ValidString(login) {
		return said, auth.ErrWrong
	}
	select {
	case d.busy <- struct{}{}:
	case <-ctx.Done():
		return said, ctx.Err()
	case <-time.After(patience):
		return said, auth.ErrBusy
	}
	begun := time.Now()
	said, err = d.check(login, password)
	<-d.busy
	if errors.Is(err, auth.ErrWrong) {
		select {
		case <-time.After(atLeast - time.Since(begun)):
		case <-ctx.Done():
		}
	}
	return said, err
}

func (d *Directory) check(login, password string) (said auth.Said, err error) {
	c, err := d.dial()
	if err != nil {
		return said, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer c.Close()
	entry, err := d.entry(c, login, password)
	if err != nil {
		return said, err
	}
	s := auth.Said{Provider: Issuer, Issuer: Issuer, Subject: strings.ToLower(entry.DN), Verified: true, Claims: auth.Claims{}}
	if d.ID != "" {
		id := entry.GetEqualFoldRawAttributeValues(d.ID)
		if len(id) != 1 || len(id[0]) == 0 {
			return said, fmt.Errorf("%w: the entry of a person has not one %s", ErrUnavailable, d.ID)
		}
		if s.Subject = string(id[0]); !utf8.Valid(id[0]) || strings.ContainsFunc(s.Subject, func(r rune) bool { return r < ' ' }) {
			s.Subject = hex.EncodeToString(id[0])
		}
	}
	if mails := entry.GetEqualFoldAttributeValues(d.Mail); len(mails) > 0 {
		s.Email = mails[0]
	}
	s.FirstName, s.LastName = entry.GetEqualFoldAttributeValue(d.FirstName), entry.GetEqualFoldAttributeValue(d.Surname)
	for _, r := range d.Admission.Rules {
		s.Claims[r.Claim] = entry.GetEqualFoldAttributeValues(r.Claim)
	}
	return s, nil
}

// entry is that of the person, bound as which the connection is then.
func (d *Directory) entry(c *ldap.Conn, login, password string) (*ldap.Entry, error) {
	if d.UserDN != "" {
		dn := strings.ReplaceAll(d.UserDN, "{login}", ldap.EscapeDN(login))
		if err := bind(c, dn, password); err != nil {
			return nil, err
		}
		found, err := d.search(c, dn, ldap.ScopeBaseObject, "(objectClass=*)")
		if err != nil {
			return nil, err
		}
		if len(found) != 1 {
			return nil, fmt.Errorf("%w: the entry of a person cannot be read", ErrUnavailable)
		}
		return found[0], nil
	}
	secret, err := d.password()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if d.BindDN != "" {
		if err := bind(c, d.BindDN, secret); err != nil {
			return nil, fmt.Errorf("%w: it refuses the account that searches: %v", ErrUnavailable, err)
		}
	}
	found, err := d.search(c, d.Base, ldap.ScopeWholeSubtree, strings.ReplaceAll(d.Filter, "{login}", ldap.EscapeFilter(login)))
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		// So that it is asked as often as for a person that there is.
		_ = bind(c, "cn="+rand.Text()+","+d.Base, password)
		return nil, auth.ErrWrong
	}
	return found[0], bind(c, found[0].DN, password)
}

func bind(c *ldap.Conn, dn, password string) error {
	err := c.Bind(dn, password)
	switch {
	case err == nil:
		return nil
	case ldap.IsErrorAnyOf(err, ldap.LDAPResultInvalidCredentials, ldap.LDAPResultNoSuchObject, ldap.LDAPResultInvalidDNSyntax,
		ldap.LDAPResultInappropriateAuthentication, ldap.LDAPResultInsufficientAccessRights, ldap.LDAPResultConstraintViolation, ldap.LDAPResultUnwillingToPerform):
		return auth.ErrWrong
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func (d *Directory) search(c *ldap.Conn, base string, scope int, filter string) ([]*ldap.Entry, error) {
	attributes := []string{d.Mail, d.FirstName, d.Surname}
	if d.ID != "" {
		attributes = append(attributes, d.ID)
	}
	for _, rule := range d.Admission.Rules {
		attributes = append(attributes, rule.Claim)
	}
	r, err := c.Search(ldap.NewSearchRequest(base, scope, ldap.NeverDerefAliases, mostEntries, int(patience/time.Second), false, filter, attributes, nil))
	if ldap.IsErrorAnyOf(err, ldap.LDAPResultNoSuchObject, ldap.LDAPResultSizeLimitExceeded) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return r.Entries, nil
}

func (d *Directory) dial() (*ldap.Conn, error) {
	raw, err := (&net.Dialer{Timeout: patience}).Dial("tcp", d.host)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(d.host)
	conf := &tls.Config{ServerName: host, RootCAs: d.certificates, MinVersion: tls.VersionTLS12}
	// Everything together must end: each answer alone may come in small pieces.
	if err := raw.SetDeadline(time.Now().Add(3 * patience)); err != nil {
		raw.Close()
		return nil, err
	}
	var wire net.Conn = &short{Conn: raw, left: mostBytes}
	if d.tls {
		wire = tls.Client(wire, conf)
	}
	c := ldap.NewConn(wire, d.tls)
	c.SetTimeout(patience)
	c.Start()
	if !d.tls && !(d.Plain && onLoopback(host)) {
		if err := c.StartTLS(conf); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func onLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// short is a connection that breaks when too much has come.
type short struct {
	net.Conn
	left int
}

func (s *short) Read(b []byte) (int, error) {
	if s.left <= 0 {
		return 0, errors.New("the answers of the directory are too long")
	}
	n, err := s.Conn.Read(b[:min(len(b), s.left)])
	s.left -= n
	return n, err
}
