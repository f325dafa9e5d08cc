package people

import (
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// ldapPassword is that of all people in the directory.
const ldapPassword = "the engine weaves"

func searched(t *testing.T, d *doubles.Directory, change func(*config.LDAP)) func(*config.Config) {
	l := &config.LDAP{
		URL: d.TLS, CA: d.CA, BindDN: doubles.DirectorySearch, PasswordFile: disk.Secret(t, doubles.DirectoryPassword), Base: "ou=people,dc=example,dc=org",
		Filter: "(&(objectClass=person)(|(uid={login})(mail={login})))", ID: "entryUUID", Mail: "mail", FirstName: "givenName", LastName: "sn",
		Admission: config.Admission{LinkMail: true, Create: true, MailDomains: []string{"example.org"}},
	}
	if change != nil {
		change(l)
	}
	return func(c *config.Config) { c.SignIn.LDAP = l }
}

// A person signs in with the password of the directory, here slapd's, by mail address or name: over TLS, after StartTLS, by
// searching and without.
func TestDirectory(t *testing.T) {
	t.Parallel()
	d := doubles.StartDirectory(t)
	s := world.StartWithin(t)
	mail := s.Member("Lovelace")
	group := s.Group("Physics", 0)
	enter := func(login, password string) *world.Reply {
		return s.Browser().Post("/sign-in", form("email", login, "password", password, "next", "/search"))
	}
	for name, change := range map[string]func(*config.LDAP){
		"tls":      nil,
		"starttls": func(l *config.LDAP) { l.URL = d.Plain },
		"template": func(l *config.LDAP) {
			l.BindDN, l.PasswordFile, l.Base, l.UserDN = "", "", "", "uid={login},ou=people,dc=example,dc=org"
		},
	} {
		s.Stop()
		searched(t, d, func(l *config.LDAP) {
			if l.Rules = []config.Rule{{Claim: "departmentNumber", Value: "physics", Group: group}}; change != nil {
				change(l)
			}
		})(&s.Cfg)
		s.Boot()
		shows(t, s.Browser().Open("/sign-in").Is(200), "Mail address or user name", "password of your institution")
		for _, login := range []string{"lovelace", "LOVELACE"} {
			if r := enter(login, ldapPassword).Is(303); r.Header.Get("Location") != "/search" {
				t.Errorf("%s: it leads to %q", name, r.Header.Get("Location"))
			}
		}
		enter(mail, world.Password).Is(303) // that of the account goes on being right
		if name != "template" {
			enter(mail, ldapPassword).Is(303)
			enter("twin@example.org", ldapPassword).Is(422) // two people
		}
		enter("new", ldapPassword).Is(303)
		shows(t, enter("guest", ldapPassword).Is(403), "There is no account here")
		for _, login := range []string{"*", "l*", "lovelace)(uid=*", `lovelace\2a`, "lovelace,ou=people", "", "unknown", "\x00", "lovelace\x00", strings.Repeat("x", 300), "cn=search,dc=example,dc=org"} {
			for _, password := range []string{ldapPassword, doubles.DirectoryPassword} {
				enter(login, password).Is(422)
			}
		}
		for _, password := range []string{"", " ", "\x00", "wrong", strings.Repeat("p", 2000)} {
			enter("lovelace", password).Is(422)
		}
	}
	s.Account(accountOf(t, s, "new@example.org"), func(a *record.Account) {
		if a.GroupID != group || a.FirstName != "New" || a.LastName != "Person" || a.Password != "" {
			t.Errorf("the account is %+v", a)
		}
	})
	n := 0
	s.Alter(func(tx *bucket.Tx) error {
		for range bucket.Keys(users.LoginsByAccount.Ascending(tx, bucket.SortKey(accountOf(t, s, mail)))) {
			n++
		}
		return nil
	})
	if n != 1 {
		t.Errorf("the account has %d logins", n) // entryUUID names the person, however it was found
	}
	noSecrets(t, s, ldapPassword, doubles.DirectoryPassword)

	// A session of the password of a directory asks for the code of a second factor, as that of any password.
	b := s.SignedIn("lovelace", ldapPassword)
	shows(t, b.Open("/account").Is(200), mail)
	disabled := s.Browser()
	s.Account(accountOf(t, s, mail), func(a *record.Account) { a.Disabled = true })
	disabled.Post("/sign-in", form("email", "lovelace", "password", ldapPassword)).Is(403)
	b.Open("/account").Is(303)
}

// A server that is not encrypted, or is not the directory, gets no password, and one that is closed locks no one out who has a password here.
func TestDirectoryRefusals(t *testing.T) {
	t.Parallel()
	d := doubles.StartDirectory(t)
	s := world.StartWithin(t)
	mail := s.Member("Lovelace")
	boot := func(change func(*config.LDAP)) {
		t.Helper()
		s.Stop()
		searched(t, d, change)(&s.Cfg)
		s.Boot()
	}
	status := func(login, password string, want int) {
		t.Helper()
		s.Browser().Post("/sign-in", form("email", login, "password", password)).Is(want)
	}
	for name, change := range map[string]func(*config.LDAP){
		"other authority":    func(l *config.LDAP) { l.CA = "" },
		"starttls":           func(l *config.LDAP) { l.URL, l.CA = d.Plain, "" },
		"wrong search":       func(l *config.LDAP) { l.PasswordFile = disk.Secret(t, "wrong") },
		"no such identifier": func(l *config.LDAP) { l.ID = "roomNumber" },
	} {
		t.Log(name)
		boot(change)
		status("lovelace", ldapPassword, 503)
		status(mail, world.Password, 303)
	}
	// A name that there is takes as long as one that is unknown.
	boot(nil)
	var took [2]time.Duration
	for range 3 {
		for i, login := range []string{"lovelace", "unknown"} {
			begun := time.Now()
			status(login, "wrong", 422)
			took[i] += time.Since(begun)
		}
	}
	if took[0] > took[1]*3/2 || took[1] > took[0]*3/2 {
		t.Errorf("a known name took %v, an unknown one %v", took[0], took[1])
	}
	// Wrong ones are paced as other passwords: 20 at once.
	for range 20 {
		if s.Browser().Post("/sign-in", form("email", "lovelace", "password", "wrong")).StatusCode == 429 {
			break
		}
	}
	status("lovelace", ldapPassword, 429)
	d.Stop()
	status("new", ldapPassword, 503)
	status(mail, world.Password, 303)
}
