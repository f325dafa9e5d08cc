package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"alcove/auth"
	"alcove/auth/ldap"
	"alcove/auth/oidc"
	"alcove/config"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
)

const (
	logoBytes = 256 << 10
	// A library reads the texts when the server starts. Some texts cost it a time that grows with
	// the square of their length.
	pageBytes = 64 << 10
)

// readBranding reads what the operator shows on the pages: the logo, and the texts in the folder pages
// of the data directory (docs/operations.md). It is an error that stops the start when one of them
// cannot be shown.
func readBranding(c config.Config) (b endpoint.Branding, err error) {
	b = endpoint.Branding{Text: c.SiteText, Accent: c.SiteAccent, AccentDark: c.SiteAccentDark, Groups: c.SiteGroups, Embed: c.SiteEmbed, Pages: map[string]map[string]string{}}
	if b.Accent != "" && b.AccentDark == "" {
		b.AccentDark = config.Readable(b.Accent)
	}
	for _, l := range c.SiteLinks {
		words, address, _ := config.FooterLink(l)
		b.Links = append(b.Links, endpoint.FooterLink{Words: words, URL: address})
	}
	if c.SiteLogo != "" {
		if b.Logo, err = readBounded(c.SiteLogo, logoBytes); err != nil {
			return b, fmt.Errorf("cannot read site_logo: %w", err)
		}
		if b.LogoType = logoType(b.Logo); b.LogoType == "" {
			return b, fmt.Errorf("site_logo must be a PNG or SVG file, and %s is none", c.SiteLogo)
		}
	}
	for _, name := range endpoint.OwnPages {
		for _, language := range []string{"", "de"} {
			file := name + ".md"
			if language != "" {
				file = name + "." + language + ".md"
			}
			text, err := readBounded(filepath.Join(c.Data, "pages", file), pageBytes)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil && !utf8.Valid(text) {
				err = errors.New("it is no text in UTF-8")
			}
			if err != nil {
				return b, fmt.Errorf("cannot read the page %s: %w", file, err)
			}
			if b.Pages[name] == nil {
				b.Pages[name] = map[string]string{}
			}
			b.Pages[name][language] = string(text)
		}
	}
	return b, nil
}

// readBounded reads a file of a size that is bounded.
func readBounded(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(b)) > most {
		err = fmt.Errorf("%s is larger than %d KiB", name, most>>10)
	}
	return b, err
}

// logoType is the media type of a picture by its first bytes, "" for what is neither PNG nor SVG.
func logoType(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.Contains(b[:min(len(b), 1024)], []byte("<svg")):
		return "image/svg+xml"
	}
	return ""
}

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
