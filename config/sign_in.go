package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// SignIn are the ways to sign in elsewhere. They are tables of the file: the environment and flags have none of them.
type SignIn struct {
	OIDC  []OIDC
	LDAP  *LDAP  // nil for none
	Proxy *Proxy // nil for none
}

// Admission says who of the people that a service knows comes in.
type Admission struct {
	LinkMail    bool     `toml:"link_mail"`    // an account whose address the service has verified is that person's
	Create      bool     `toml:"create"`       // a person without an account gets one
	MailDomains []string `toml:"mail_domains"` // of addresses that count for both
	Rules       []Rule   `toml:"rule"`
}

// Rule is what a value of a claim, an attribute or a header gives a person.
type Rule struct {
	Claim  string `toml:"claim"`
	Value  string `toml:"value"`
	Create bool   `toml:"create"`
	Group  int64  `toml:"group"`
	Role   string `toml:"role"` // "", "reviewer" or "administrator" of the group
	Admin  bool   `toml:"admin"`
}

// OIDC is a service that speaks OpenID Connect.
type OIDC struct {
	Name       string   `toml:"name"`
	Label      string   `toml:"label"`
	Issuer     string   `toml:"issuer"`
	ClientID   string   `toml:"client_id"`
	SecretFile string   `toml:"client_secret_file"` // empty for a public client
	Scopes     []string `toml:"scopes"`
	CA         string   `toml:"ca"`
	Verified   string   `toml:"mail_verified_claim"`
	ORCID      bool     `toml:"orcid"` // people connect it with their accounts, and it does nothing else
	Admission
}

// LDAP is a directory.
type LDAP struct {
	URL          string `toml:"url"`
	Plain        bool   `toml:"plain"`
	CA           string `toml:"ca"`
	BindDN       string `toml:"bind_dn"`
	PasswordFile string `toml:"password_file"`
	Base         string `toml:"base"`
	Filter       string `toml:"filter"`
	UserDN       string `toml:"user_dn"`
	ID           string `toml:"id"`
	Mail         string `toml:"mail"`
	FirstName    string `toml:"first_name"`
	LastName     string `toml:"last_name"`
	Admission
}

// Proxy is a reverse proxy that says in headers who is signed in.
type Proxy struct {
	Name      string `toml:"name"`
	Label     string `toml:"label"`
	Header    string `toml:"header"`
	Mail      string `toml:"mail_header"`
	FirstName string `toml:"first_name_header"`
	LastName  string `toml:"last_name_header"`
	Admission
}

// signInTables are the tables as the file has them.
type signInTables struct {
	OIDC  []OIDC `toml:"oidc"`
	LDAP  *LDAP  `toml:"ldap"`
	Proxy *Proxy `toml:"proxy"`
}

const signInExample = `
## Signing in elsewhere (docs/sign-in.md)

# These are tables, at the end of this file; the environment and flags have none of
# them. One [[oidc]] for each service:
#
# [[oidc]]
# name = "university"                  # in addresses
# label = "Example University"         # on the button
# issuer = "https://login.example.org" # exactly as the service writes it
# client_id = "alcove"
# client_secret_file = "/etc/alcove/oidc-secret"
# scopes = ["openid", "email", "profile"]
# mail_verified_claim = "email_verified"
# ca = ""
# orcid = false             # ORCID: people connect it with their accounts
# link_mail = false         # a verified address of mail_domains finds its account
# create = false            # and begins one, as rules with create = true do
# mail_domains = ["example.org"]
#
# [[oidc.rule]]             # the same below [ldap] and [proxy]
# claim = "roles"
# value = "data-stewards"
# create = false            # may begin an account, where the service may
# group = 0                 # id of the group that the account is put in
# role = ""                 # there: "reviewer" or "administrator"
# admin = false             # an administrator of everything
#
# [ldap]
# url = "ldaps://ldap.example.org"     # ldap:// has to offer StartTLS
# plain = false                        # ldap:// without it, on loopback only
# ca = ""
# bind_dn = "cn=alcove,dc=example,dc=org"
# password_file = "/etc/alcove/ldap-password"
# base = "ou=people,dc=example,dc=org"
# filter = "(&(objectClass=person)(|(uid={login})(mail={login})))"
# user_dn = ""              # instead of bind_dn, base and filter: "uid={login},ou=people,…"
# id = "entryUUID"
# mail = "mail"
# first_name = "givenName"
# last_name = "sn"
#
# [proxy]                   # believed from trusted_proxies only
# name = "shibboleth"
# label = "Example University"
# header = "X-Remote-User"
# mail_header = ""          # empty means header
# first_name_header = ""
# last_name_header = ""
`

var (
	wayName    = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)
	headerName = regexp.MustCompile(`^[A-Za-z0-9-]{1,100}$`)
	attribute  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9;.-]{0,100}$`)
)

// mostWays bounds the services, and mostRules the rules of each.
const mostWays, mostRules = 20, 200

// signIn completes and checks the tables.
func (l *loader) signIn(c *Config) {
	at := l.origin["[[oidc]]"]
	names := map[string]bool{}
	named := func(table, name, label string) {
		if !wayName.MatchString(name) {
			l.fault(at, "%s: name must be of small letters, digits and dashes, not %q", table, name)
		}
		if names[name] {
			l.fault(at, "%s: name %q is there twice", table, name)
		}
		if names[name] = true; strings.TrimSpace(label) == "" || len(label) > 100 {
			l.fault(at, "%s: label must say in a few words where people sign in", table)
		}
	}
	if len(c.SignIn.OIDC) > mostWays {
		l.fault(at, "there are more than %d tables [[oidc]]", mostWays)
		return
	}
	for i := range c.SignIn.OIDC {
		o := &c.SignIn.OIDC[i]
		table := fmt.Sprintf("[[oidc]] %q", o.Name)
		named(table, o.Name, o.Label)
		if !encrypted(o.Issuer, "https", "http") {
			l.fault(at, "%s: issuer must be an address with https:// such as https://login.example.org, not %q", table, o.Issuer)
		}
		if o.ClientID == "" {
			l.fault(at, "%s: client_id is missing", table)
		}
		if len(o.Scopes) == 0 {
			o.Scopes = []string{"openid", "email", "profile"}
			if o.ORCID {
				o.Scopes = []string{"openid"}
			}
		}
		if !slices.Contains(o.Scopes, "openid") {
			l.fault(at, "%s: scopes must have openid", table)
		}
		if o.Verified == "" {
			o.Verified = "email_verified"
		}
		if o.ORCID && (o.LinkMail || o.Create || len(o.Rules) > 0) {
			l.fault(at, "%s: with orcid = true there is no link_mail, create and rule: people connect it with their accounts", table)
		}
		l.admission(at, table, o.Admission)
	}
	if d := c.SignIn.LDAP; d != nil {
		l.directory(at, d)
	}
	if p := c.SignIn.Proxy; p != nil {
		named("[proxy]", p.Name, p.Label)
		if len(c.TrustedProxies) == 0 {
			l.fault(at, "[proxy] needs trusted_proxies to name the proxy whose headers are believed")
		}
		if p.Header == "" {
			l.fault(at, "[proxy]: header is missing")
		}
		if p.Mail == "" {
			p.Mail = p.Header
		}
		for _, h := range []string{p.Header, p.Mail, p.FirstName, p.LastName} {
			if h != "" && !headerName.MatchString(h) {
				l.fault(at, "[proxy]: %q is no name of a header", h)
			}
		}
		l.admission(at, "[proxy]", p.Admission)
	}
}

func (l *loader) directory(at string, d *LDAP) {
	const table = "[ldap]"
	if !encrypted(d.URL, "ldaps", "") && !strings.HasPrefix(d.URL, "ldap://") {
		l.fault(at, `%s: url must be such as "ldaps://ldap.example.org" or "ldap://ldap.example.org", not %q`, table, d.URL)
	}
	if d.Plain && !encrypted(d.URL, "", "ldap") {
		l.fault(at, "%s: plain = true would send passwords in the clear: it needs an ldap:// address on loopback", table)
	}
	switch {
	case d.UserDN != "":
		if d.BindDN+d.PasswordFile+d.Base+d.Filter != "" {
			l.fault(at, "%s: user_dn stands instead of bind_dn, password_file, base and filter", table)
		}
		if !strings.Contains(d.UserDN, "{login}") {
			l.fault(at, "%s: user_dn must have {login} where the name stands", table)
		}
	case d.Base == "":
		l.fault(at, "%s: base, or user_dn, is missing", table)
	}
	if (d.BindDN == "") != (d.PasswordFile == "") {
		l.fault(at, "%s: bind_dn and password_file belong together, and one of them is not set", table)
	}
	for _, one := range []struct {
		to    *string
		usual string
	}{{&d.Filter, "(&(objectClass=person)(|(uid={login})(mail={login})))"}, {&d.Mail, "mail"}, {&d.FirstName, "givenName"}, {&d.LastName, "sn"}} {
		if *one.to == "" {
			*one.to = one.usual
		}
	}
	if !strings.Contains(d.Filter, "{login}") {
		l.fault(at, "%s: filter must have {login} where the name stands", table)
	}
	names := []string{d.Mail, d.FirstName, d.LastName}
	for _, r := range d.Rules {
		names = append(names, r.Claim)
	}
	for _, name := range append(names, d.ID) {
		if name != "" && !attribute.MatchString(name) {
			l.fault(at, "%s: %q is no name of an attribute", table, name)
		}
	}
	l.admission(at, table, d.Admission)
}

func (l *loader) admission(at, table string, a Admission) {
	if len(a.Rules) > mostRules {
		l.fault(at, "%s: there are more than %d rules", table, mostRules)
	}
	creates := false
	for _, r := range a.Rules {
		creates = creates || r.Create
		if r.Claim == "" || r.Value == "" {
			l.fault(at, "%s: a rule needs claim and value", table)
		}
		if !slices.Contains([]string{"", "reviewer", "administrator"}, r.Role) || r.Role != "" && r.Group <= 0 || r.Group < 0 {
			l.fault(at, `%s: role must be "reviewer" or "administrator", of a group`, table)
		}
		if r.Create && !a.Create {
			l.fault(at, "%s: a rule may begin accounts only with create = true", table)
		}
	}
	if a.Create && len(a.MailDomains) == 0 && !creates {
		l.fault(at, "%s: create = true needs mail_domains, or a rule with create = true", table)
	}
	if a.LinkMail && len(a.MailDomains) == 0 {
		l.fault(at, "%s: link_mail = true needs mail_domains, for which the service is believed", table)
	}
	for _, d := range a.MailDomains {
		if !hostPattern.MatchString(d) || strings.ContainsAny(d, "*@") {
			l.fault(at, "%s: mail_domains must list domains such as example.org, not %q", table, d)
		}
	}
}

// encrypted reports whether an address has a scheme, or another one on loopback.
func encrypted(text, scheme, onLoopback string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == scheme || u.Scheme == onLoopback && (u.Hostname() == "localhost" || err == nil && ip.Unmap().IsLoopback())
}
