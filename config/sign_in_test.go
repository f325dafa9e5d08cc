package config

import (
	"strings"
	"testing"
)

const oneOIDC = "[[oidc]]\nname = \"a\"\nlabel = \"A\"\nissuer = \"https://a.example\"\nclient_id = \"x\"\n"

// The ways to sign in elsewhere are tables, with what is usual where nothing is said.
func TestSignInTables(t *testing.T) {
	c, err := Load(Sources{File: write(t, "trusted_proxies = [\"127.0.0.1\"]\n"+oneOIDC+`
		link_mail = true
		mail_domains = ["example.org"]
		[[oidc.rule]]
		claim = "roles"
		value = "x"
		group = 5
		role = "reviewer"
		[[oidc]]
		name = "orcid"
		label = "ORCID"
		issuer = "http://127.0.0.1:1/"
		client_id = "y"
		orcid = true
		[ldap]
		url = "ldap://ldap.example.org"
		base = "dc=example"
		[proxy]
		name = "shibboleth"
		label = "S"
		header = "X-Remote-User"
	`)})
	if err != nil {
		t.Fatal(err)
	}
	s := c.SignIn
	if len(s.OIDC) != 2 || strings.Join(s.OIDC[0].Scopes, " ") != "openid email profile" || s.OIDC[0].Verified != "email_verified" ||
		!s.OIDC[0].LinkMail || len(s.OIDC[0].Rules) != 1 || s.OIDC[0].Rules[0].Group != 5 || strings.Join(s.OIDC[1].Scopes, " ") != "openid" {
		t.Errorf("the services are %+v", s.OIDC)
	}
	if s.LDAP == nil || s.LDAP.Mail != "mail" || !strings.Contains(s.LDAP.Filter, "{login}") || s.Proxy == nil || s.Proxy.Mail != "X-Remote-User" {
		t.Errorf("got %+v and %+v", s.LDAP, s.Proxy)
	}
}

// Tables that would let in more people than was meant are refused, each fault at once.
func TestSignInRefused(t *testing.T) {
	const ldap, proxy = "[ldap]\nbase = \"dc=x\"\n", "[proxy]\nname = \"p\"\nlabel = \"P\"\nheader = \"X-User\"\n"
	for _, c := range []struct{ name, text, says string }{
		{"create for everyone", oneOIDC + "create = true", "create = true needs mail_domains"},
		{"link for everyone", oneOIDC + "link_mail = true", "link_mail = true needs mail_domains"},
		{"all domains", oneOIDC + "link_mail = true\nmail_domains = [\"*\"]", "mail_domains must list"},
		{"rule without create", oneOIDC + "[[oidc.rule]]\nclaim = \"a\"\nvalue = \"b\"\ncreate = true", "only with create = true"},
		{"rule without value", oneOIDC + "[[oidc.rule]]\nclaim = \"a\"\nadmin = true", "needs claim and value"},
		{"role without group", oneOIDC + "[[oidc.rule]]\nclaim = \"a\"\nvalue = \"b\"\nrole = \"reviewer\"", "role must be"},
		{"unknown role", oneOIDC + "[[oidc.rule]]\nclaim = \"a\"\nvalue = \"b\"\ngroup = 1\nrole = \"owner\"", "role must be"},
		{"plain issuer", strings.Replace(oneOIDC, "https", "http", 1), "issuer must be"},
		{"no client", strings.Replace(oneOIDC, `"x"`, `""`, 1), "client_id is missing"},
		{"no openid", oneOIDC + "scopes = [\"email\"]", "scopes must have openid"},
		{"two of a name", oneOIDC + oneOIDC, "there twice"},
		{"odd name", strings.Replace(oneOIDC, `"a"`, `"../a"`, 1), "name must be"},
		{"orcid that creates", oneOIDC + "orcid = true\ncreate = true\nmail_domains = [\"x.example\"]", "with orcid = true"},
		{"unknown key", oneOIDC + "isuer = \"x\"", `unknown setting "oidc.isuer"`},
		{"wrong type", oneOIDC + "create = \"yes\"", ":6"},
		{"ldap without address", ldap, "url must be"},
		{"ldap in the clear", ldap + "url = \"ldap://ldap.example.org\"\nplain = true", "in the clear"},
		{"ldap without place", "[ldap]\nurl = \"ldaps://x\"", "base, or user_dn"},
		{"ldap with half an account", ldap + "url = \"ldaps://x\"\nbind_dn = \"cn=x\"", "belong together"},
		{"filter for everyone", ldap + "url = \"ldaps://x\"\nfilter = \"(uid=*)\"", "{login}"},
		{"ldap both ways", ldap + "url = \"ldaps://x\"\nuser_dn = \"uid={login}\"", "stands instead"},
		{"proxy without proxies", proxy, "needs trusted_proxies"},
		{"proxy without header", "trusted_proxies = [\"10.0.0.1\"]\n" + strings.Replace(proxy, "X-User", "", 1), "header is missing"},
		{"proxy with an odd header", "trusted_proxies = [\"10.0.0.1\"]\n" + strings.Replace(proxy, "X-User", "X User", 1), "no name of a header"},
	} {
		if _, err := Load(Sources{File: write(t, c.text)}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
}
