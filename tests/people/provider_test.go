package people

import (
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

const withUniversity = "/sign-in/with/university?next=/search"

// lovelace is a person whose address the service has checked.
func lovelace() map[string]any {
	return map[string]any{"sub": "ada-1", "email": "Lovelace@example.org", "email_verified": true, "given_name": "Ada", "family_name": "Lovelace"}
}

func linked(o *config.OIDC) { o.LinkMail, o.MailDomains = true, []string{"example.org"} }

// A person signs in at a service: its verified address leads to the account at first, and its subject from then on.
func TestProvider(t *testing.T) {
	t.Parallel()
	p := doubles.StartIdentityProvider(t)
	s := world.StartWithin(t, p.Used(t, linked))
	mail := s.Member("Lovelace")
	b := s.Browser()
	shows(t, b.Open("/sign-in?next=/search").Is(200), "Sign in with Example University", `href="/sign-in/with/university?next=%2Fsearch"`)
	p.Person(lovelace())
	back := p.Leave(b, withUniversity)
	if k := b.Cookies["alcove-demo-away"]; k == nil || !k.HttpOnly || k.Path != "/" || k.MaxAge == 0 {
		t.Errorf("the cookie is %+v", k)
	}
	if strings.Contains(back.String(), b.Cookies["alcove-demo-away"].Value) {
		t.Error("the secret of the cookie is in an address")
	}
	r := b.Open(back.RequestURI()).Is(303)
	if at := r.Header.Get("Location"); at != "/search" {
		t.Errorf("the person goes on at %q", at)
	}
	if b.Cookies["alcove-demo-away"] != nil {
		t.Error("the cookie stays")
	}
	shows(t, b.Open("/account").Is(200), mail)
	shows(t, b.Open("/account/sign-in-methods").Is(200), "Example University", "Lovelace@example.org")

	// Signing in again gives another secret, and the session of before is over. The address may have changed.
	first := b.Secret()
	p.Person(map[string]any{"sub": "ada-1", "email": "byron@elsewhere.example", "email_verified": false})
	b.Open(p.Leave(b, withUniversity).RequestURI()).Is(303)
	shows(t, b.Open("/account").Is(200), mail)
	old := s.Browser()
	old.Cookies["alcove-demo"] = cookie(first)
	old.Open("/account").Is(303)
	noSecrets(t, s, doubles.IdentitySecret, b.Secret())
	if strings.Contains(s.Logs.String(), back.Query().Get("code")) {
		t.Error("the log has a code")
	}

	// An account that is disabled is not entered.
	yes := true
	s.Operate("account_edit", operate.AccountEdit{Account: mail, Disabled: &yes}, nil)
	other := s.Browser()
	shows(t, other.Open(p.Leave(other, withUniversity).RequestURI()).Is(403), "There is no account here")
	if other.Secret() != "" {
		t.Error("there is a session")
	}
}

// Whatever is not an answer to what this browser asked begins no session, and changes nothing.
func TestProviderRefusals(t *testing.T) {
	t.Parallel()
	p, other := doubles.StartIdentityProvider(t), doubles.StartIdentityProvider(t)
	s := world.StartWithin(t, p.Used(t, func(o *config.OIDC) {
		linked(o)
		o.Rules = []config.Rule{{Claim: "roles", Value: "repository-admin", Admin: true}}
	}), other.Used(t, func(o *config.OIDC) { linked(o); o.Name = "other" }))
	s.Member("Lovelace")
	s.Member("Byron")
	for _, each := range []*doubles.IdentityProvider{p, other} {
		each.Person(lovelace())
	}
	with := func(name, value string) func(url.Values) { return func(v url.Values) { v.Set(name, value) } }
	without := func(name string) func(url.Values) { return func(v url.Values) { v.Del(name) } }
	changed := func(claims map[string]any) map[string]any {
		all := lovelace()
		for name, value := range claims {
			all[name] = value
		}
		return all
	}
	for _, c := range []struct {
		name   string
		person map[string]any
		token  map[string]any
		answer func(url.Values)
		status int
		says   string
	}{
		{name: "wrong state", answer: with("state", strings.Repeat("x", 43)), status: 422, says: "began in another browser"},
		{name: "no state", answer: without("state"), status: 422},
		{name: "wrong issuer", answer: with("iss", other.URL), status: 422, says: "could not be used"},
		{name: "no issuer", answer: without("iss"), status: 422, says: "could not be used"},
		{name: "no code", answer: without("code"), status: 422},
		{name: "wrong code", answer: with("code", "x"), status: 422},
		{name: "two codes", answer: func(v url.Values) { v.Add("code", "x") }, status: 422},
		{name: "long code", answer: with("code", strings.Repeat("x", 3000)), status: 422},
		{name: "refused", answer: with("error", "access_denied"), status: 422, says: "refused or cancelled"},
		{name: "wrong nonce", token: map[string]any{"nonce": "another one"}, status: 422},
		{name: "no nonce", token: map[string]any{"nonce": nil}, status: 422},
		{name: "other issuer of the token", token: map[string]any{"iss": other.URL}, status: 422},
		{name: "other audience", token: map[string]any{"aud": "another"}, status: 422},
		{name: "two audiences", token: map[string]any{"aud": []string{doubles.IdentityClient, "another"}}, status: 422},
		{name: "other party", token: map[string]any{"azp": "another"}, status: 422},
		{name: "expired", token: map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}, status: 422},
		{name: "no subject", token: map[string]any{"sub": ""}, status: 422},
		{name: "other person", token: map[string]any{"sub": "another"}, status: 422},
		{name: "unverified address", person: changed(map[string]any{"email_verified": false}), status: 403, says: "There is no account here"},
		{name: "unverified in words", person: changed(map[string]any{"email_verified": "false"}), status: 403},
		{name: "nothing said of the address", person: changed(map[string]any{"email_verified": nil}), status: 422},
		{name: "two addresses", person: changed(map[string]any{"email": []string{"lovelace@example.org", "x@example.org"}}), status: 422},
		{name: "verified elsewhere", person: changed(map[string]any{"email_verified": true}), token: map[string]any{"email": "lovelace@example.org"}, status: 403},
		{name: "unknown address", person: changed(map[string]any{"email": "unknown@example.org"}), status: 403},
		{name: "other domain", person: changed(map[string]any{"email": "lovelace@evil.example"}), status: 403},
		{name: "domain that ends so", person: changed(map[string]any{"email": "lovelace@evil-example.org"}), status: 403},
		{name: "domain of two", person: changed(map[string]any{"email": "lovelace@evil.example@example.org"}), status: 403},
		{name: "administrator by address", person: changed(map[string]any{"email": "root@example.org"}), status: 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			if p.Person(lovelace()); c.person != nil {
				p.Person(c.person)
			}
			p.Tokens(c.token)
			b := s.Browser()
			back := p.Leave(b, withUniversity)
			v := back.Query()
			if c.answer != nil {
				c.answer(v)
			}
			before := s.Sequence()
			shows(t, b.Open(back.Path+"?"+v.Encode()).Is(c.status), c.says)
			if b.Secret() != "" || s.Sequence() != before {
				t.Error("there is a session, or something was changed")
			}
		})
	}
	p.Tokens(nil)
	p.Person(lovelace())
	t.Run("other browser", func(t *testing.T) {
		back := p.Leave(s.Browser(), withUniversity)
		mine := s.Browser()
		mine.Open(back.RequestURI()).Is(422)
		p.Leave(mine, withUniversity) // with a state of its own
		mine.Open(back.RequestURI()).Is(422)
	})
	t.Run("other service", func(t *testing.T) { // mix-up: the answer of one is brought to the other's address
		b := s.Browser()
		back := p.Leave(b, withUniversity)
		asked := other.Asked() + p.Asked()
		b.Open(strings.Replace(back.RequestURI(), "/university", "/other", 1)).Is(422)
		if other.Asked()+p.Asked() != asked {
			t.Error("the code was sent")
		}
	})
	t.Run("replay", func(t *testing.T) {
		b := s.Browser()
		back, away := p.Leave(b, withUniversity), *b.Cookies["alcove-demo-away"]
		b.Open(back.RequestURI()).Is(303)
		again := s.Browser()
		again.Cookies["alcove-demo-away"] = &away
		again.Open(back.RequestURI()).Is(422)
		// A code that was used, with a cookie that was not.
		p.Leave(again, withUniversity)
		next := p.Leave(again, withUniversity).Query()
		next.Set("code", back.Query().Get("code"))
		again.Open(back.Path + "?" + next.Encode()).Is(422)
		if again.Secret() != "" {
			t.Error("there is a session")
		}
	})
	t.Run("next", func(t *testing.T) {
		for _, next := range []string{"https://evil.example/", "//evil.example", `/\evil.example`, "/sign-in?next=//evil.example"} {
			b := s.Browser()
			r := b.Open(p.Leave(b, "/sign-in/with/university?next="+url.QueryEscape(next)).RequestURI()).Is(303)
			if at := r.Header.Get("Location"); at != "/account" {
				t.Errorf("next %q leads to %q", next, at)
			}
		}
	})
	t.Run("claim of an administrator", func(t *testing.T) {
		for _, claims := range []map[string]any{{"roles": []string{"admin", "repository-admin "}}, {"role": "repository-admin"}, {"admin": true}, {"roles.0": "repository-admin"}} {
			p.Person(changed(claims))
			b := s.Browser()
			b.Open(p.Leave(b, withUniversity).RequestURI()).Is(303)
			s.Account(accountOf(t, s, "lovelace@example.org"), func(a *record.Account) {
				if a.Admin {
					t.Errorf("%v made an administrator", claims)
				}
			})
		}
	})
	s.Browser().Open("/sign-in/with/unknown").Is(404)
	s.Browser().Open("/sign-in/back/unknown?code=x&state=y").Is(404)
}

// A service that does not answer when the server starts is asked again, and nothing else suffers.
func TestProviderDown(t *testing.T) {
	t.Parallel()
	p := doubles.StartIdentityProvider(t)
	p.NoIss, p.NoUserInfo = true, true
	p.Down(true)
	s := world.StartWithin(t, p.Used(t, linked))
	s.Member("Lovelace")
	p.Person(lovelace())
	b := s.Browser()
	shows(t, b.Open(withUniversity).Is(503), "does not answer")
	p.Down(false)
	world.WaitFor(t, "it is asked again", func() bool { return b.Open(withUniversity).StatusCode == 303 })
	back := p.Leave(b, withUniversity)
	p.Down(true)
	b.Open(back.RequestURI()).Is(503)
	p.Down(false)
	b.Open(p.Leave(b, withUniversity).RequestURI()).Is(303)
	b.Open("/account").Is(200)
}

// Claims begin an account, and give it a group, a role and more, as long as they are there.
func TestProviderClaims(t *testing.T) {
	t.Parallel()
	p := doubles.StartIdentityProvider(t)
	s := world.StartWithin(t)
	physics, arts := s.Group("Physics", 0), s.Group("Arts", 0)
	s.Stop()
	p.Used(t, func(o *config.OIDC) {
		o.Create, o.MailDomains = true, []string{"students.example.org"}
		o.Rules = []config.Rule{
			{Claim: "affiliation", Value: "staff", Create: true},
			{Claim: "access.department", Value: "physics", Group: physics},
			{Claim: "access.department", Value: "reviews arts", Group: arts, Role: "reviewer"},
			{Claim: "roles", Value: "repository-admin", Admin: true},
		}
	})(&s.Cfg)
	s.Boot()
	enter := func(status int, claims map[string]any) *world.Browser {
		t.Helper()
		all := map[string]any{"sub": "new-1", "email": "new@example.org", "email_verified": true, "name": "New Person"}
		for name, value := range claims {
			all[name] = value
		}
		p.Person(all)
		b := s.Browser()
		b.Open(p.Leave(b, withUniversity).RequestURI()).Is(status)
		return b
	}
	is := func(mail string) (acc *record.Account, roles []int64) {
		t.Helper()
		id := accountOf(t, s, mail)
		s.Alter(func(tx *bucket.Tx) (err error) {
			if acc, err = users.Accounts.Get(tx, id); err != nil {
				return err
			}
			if g, err := users.Grants.Get(tx, bucket.Pair{A: id, B: arts}); err == nil {
				roles = g.Roles
			}
			return nil
		})
		return acc, roles
	}
	enter(403, nil)
	enter(403, map[string]any{"affiliation": "student"})
	enter(403, map[string]any{"affiliation": "staff", "email_verified": false})
	enter(403, map[string]any{"affiliation": "staff", "email": "ada@example.org"}) // it is not to be linked
	b := enter(303, map[string]any{"affiliation": []string{"member", "staff"}, "access": map[string]any{"department": []string{"physics", "reviews arts"}}, "roles": "repository-admin"})
	shows(t, b.Open("/account").Is(200), "New Person")
	if acc, roles := is("new@example.org"); acc.GroupID != physics || !slices.Equal(roles, []int64{record.RoleReviewer}) || !acc.Admin || acc.LastName != "New Person" {
		t.Errorf("the account is %+v with %v", acc, roles)
	}
	b = enter(303, nil) // what is said no more is taken back, and the account stays
	if acc, roles := is("new@example.org"); acc.GroupID != physics || len(roles) > 0 || acc.Admin {
		t.Errorf("the account is %+v with %v", acc, roles)
	}
	s.Operate("role", operate.RoleEdit{Account: "new@example.org", GroupID: arts, Role: "reviewer"}, nil)
	enter(303, map[string]any{"access": map[string]any{"department": "reviews arts"}})
	enter(303, nil)
	if _, roles := is("new@example.org"); len(roles) != 1 {
		t.Error("a role that a person has granted was taken away")
	}
	enter(303, map[string]any{"sub": "student-1", "email": "s@students.example.org"})
	enter(403, map[string]any{"sub": "student-2", "email": "s@sub.students.example.org"})
	shows(t, b.Open("/account/sign-in-methods").Is(200), "Example University")
	shows(t, b.Post("/account/sign-in-methods", form("login", loginOn(t, b))).Is(422), "no way left to sign in")
}

// loginOn is the id of the first login that the page of a person has.
func loginOn(t *testing.T, b *world.Browser) string {
	t.Helper()
	_, rest, found := strings.Cut(string(b.Open("/account/sign-in-methods").Is(200).Bytes), `name="login" value="`)
	if !found {
		t.Fatal("the page has no login")
	}
	id, _, _ := strings.Cut(rest, `"`)
	return id
}

// ORCID finds and begins no account: a person who is signed in connects it, and signs in with it then.
func TestProviderConnect(t *testing.T) {
	t.Parallel()
	p := doubles.StartIdentityProvider(t)
	s := world.StartWithin(t, p.Used(t, func(o *config.OIDC) { o.Name, o.Label, o.ORCID = "orcid", "ORCID", true }))
	mail := s.Member("Lovelace")
	const iD = "0000-0002-1825-0097"
	const withORCID, methods = "/sign-in/with/orcid", "/account/sign-in-methods"
	p.Person(map[string]any{"sub": iD, "email": mail, "email_verified": true})
	b := s.Browser()
	shows(t, b.Open(p.Leave(b, withORCID).RequestURI()).Is(403), "There is no account here")

	b = s.SignedIn(mail, world.Password)
	shows(t, b.Open(methods).Is(200), "Connect ORCID")
	shows(t, b.Post(methods, form("connect", "orcid")).Is(422), "Enter the password")
	shows(t, b.Post(methods, form("connect", "orcid", "password", "wrong")).Is(422), "not the current password")
	b.Post(methods, form("connect", "unknown", "password", world.Password)).Is(404)
	b.Post(methods, form("connect", "orcid", "password", world.Password), "Sec-Fetch-Site", "cross-site").Is(403)
	connect := func(b *world.Browser) *url.URL {
		t.Helper()
		r := b.Post(methods, form("connect", "orcid", "password", world.Password)).Is(200)
		shows(t, r, "Go on to ORCID")
		_, at, _ := strings.Cut(r.Header.Get("Refresh"), "url=")
		return p.Back(at)
	}
	// The answer for another person is not connected with this account, and the other way round.
	byron := s.SignedIn(s.Member("Byron"), world.Password)
	back := connect(b)
	byron.Cookies["alcove-demo-away"] = b.Cookies["alcove-demo-away"]
	byron.Open(back.RequestURI()).Is(422)

	if at := b.Open(connect(b).RequestURI()).Is(303).Header.Get("Location"); at != methods+"?connected=1" {
		t.Errorf("it leads to %q", at)
	}
	shows(t, b.Open(methods).Is(200), iD)
	orcid := func() (has string) {
		s.Alter(func(tx *bucket.Tx) error {
			acc, err := users.Accounts.Get(tx, accountOf(t, s, mail))
			if err != nil {
				return err
			}
			person, err := users.People.Get(tx, acc.PersonID)
			has = person.ORCID
			return err
		})
		return has
	}
	if orcid() != iD {
		t.Errorf("the person has the iD %q", orcid())
	}
	other := s.Browser()
	other.Open(p.Leave(other, withORCID).RequestURI()).Is(303)
	shows(t, other.Open("/account").Is(200), mail)
	delete(byron.Cookies, "alcove-demo-away")
	shows(t, byron.Open(connect(byron).RequestURI()).Is(422), "Another account")

	at := loginOn(t, b)
	byron.Post(methods, form("login", at, "password", world.Password)).Is(303) // another person's: nothing happens
	shows(t, b.Open(methods), iD)
	b.Post(methods, form("login", at, "password", "wrong")).Is(422)
	b.Post(methods, form("login", at, "password", world.Password)).Is(303)
	hides(t, b.Open(methods).Is(200), iD)
	other = s.Browser()
	other.Open(p.Leave(other, withORCID).RequestURI()).Is(403)
	for _, subject := range []string{"ada", "0000-0002-1825-0098"} {
		p.Person(map[string]any{"sub": subject})
		b.Open(connect(b).RequestURI()).Is(422)
	}
}

// A service may sign with another key, and with ES256: it is found by its name. A token that is signed with the name of a key that it
// does not have opens nothing.
func TestProviderKeys(t *testing.T) {
	t.Parallel()
	p := doubles.StartIdentityProvider(t)
	s := world.StartWithin(t, p.Used(t, linked))
	mail := s.Member("Lovelace")
	p.Person(lovelace())
	enters := func(status int) {
		t.Helper()
		b := s.Browser()
		b.Open(p.Leave(b, withUniversity).RequestURI()).Is(status)
		if status == 303 {
			shows(t, b.Open("/account").Is(200), mail)
		} else if b.Secret() != "" {
			t.Error("there is a session")
		}
	}
	enters(303)
	p.Rotate("two", false)
	enters(303)
	p.Rotate("three", true)
	enters(303)
	p.Forge(true)
	enters(422)
	p.Forge(false)
	enters(303)
}

// An account that a service began has no password: for some minutes after signing in there it sets up codes without one, and afterwards
// after signing in again.
func TestProviderFactors(t *testing.T) {
	t.Parallel()
	p := doubles.StartIdentityProvider(t)
	off := new(atomic.Int64)
	s := world.StartWithin(t, p.Used(t, func(o *config.OIDC) { o.Create, o.MailDomains = true, []string{"example.org"} }))
	s.Stop()
	s.Clock = func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	s.Boot()
	p.Person(lovelace())
	b := s.Browser()
	in := func() { b.Open(p.Leave(b, withUniversity).RequestURI()).Is(303) }
	in()
	for _, at := range []string{"/account/second-factor", "/account/passkeys"} {
		hides(t, b.Open(at).Is(200), `type="password"`)
	}
	off.Store(int64(20 * time.Minute))
	before := s.Sequence()
	shows(t, b.Post("/account/second-factor", form("do", "begin")).Is(422), "Sign out and in again first")
	shows(t, b.Post("/account/second-factor", form("do", "begin", "password", "guessed")).Is(422), "Sign out and in again first")
	if s.Sequence() != before {
		t.Error("an old session has changed something")
	}
	in()
	b.Post("/account/second-factor", form("do", "begin")).Is(303)
	shows(t, b.Open("/account/second-factor").Is(200), `name="code"`)
}
