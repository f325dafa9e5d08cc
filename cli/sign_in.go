package cli

import (
	"alcove/auth"
	"alcove/auth/ldap"
	"alcove/auth/oidc"
	"alcove/config"
	"alcove/handlers/people"
	"alcove/record"
)

// signIns are the ways to sign in elsewhere. None of the services is asked before a person wants to sign in there.
func signIns(c config.Config) (s people.SignIns, err error) {
	for _, o := range c.SignIn.OIDC {
		p, err := oidc.New(oidc.Config{
			Name: o.Name, Label: o.Label, Issuer: o.Issuer, ClientID: o.ClientID, SecretFile: o.SecretFile, Scopes: o.Scopes, CA: o.CA,
			Verified: o.Verified, ORCID: o.ORCID, Callback: c.SiteURL + people.ReturnPath + o.Name, Admission: admission(o.Admission),
		})
		if err != nil {
			return s, err
		}
		s.Providers = append(s.Providers, p)
	}
	if d := c.SignIn.LDAP; d != nil {
		s.Directory, err = ldap.New(ldap.Config{
			URL: d.URL, Plain: d.Plain, CA: d.CA, BindDN: d.BindDN, PasswordFile: d.PasswordFile, Base: d.Base, Filter: d.Filter, UserDN: d.UserDN,
			ID: d.ID, Mail: d.Mail, FirstName: d.FirstName, Surname: d.LastName, Admission: admission(d.Admission),
		})
		if err != nil {
			return s, err
		}
	}
	if p := c.SignIn.Proxy; p != nil {
		s.Proxy = &people.Proxy{
			Name: p.Name, Label: p.Label, Header: p.Header, Mail: p.Mail, FirstName: p.FirstName, LastName: p.LastName, Admission: admission(p.Admission),
		}
	}
	return s, nil
}

func admission(a config.Admission) auth.Admission {
	to := auth.Admission{LinkMail: a.LinkMail, Create: a.Create, Domains: a.MailDomains}
	roles := map[string]int64{"": 0, "reviewer": record.RoleReviewer, "administrator": record.RoleAdministrator}
	for _, r := range a.Rules {
		to.Rules = append(to.Rules, auth.Rule{Claim: r.Claim, Value: r.Value, Create: r.Create, Group: r.Group, Role: roles[r.Role], Admin: r.Admin})
	}
	return to
}
