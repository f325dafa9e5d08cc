package people

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
	"alcove/tests/world"
)

var shownSecret = regexp.MustCompile(`<code id="secret">([^<]+)</code>`)

// secretIn is the secret that a page shows once.
func secretIn(t *testing.T, r *world.Reply) string {
	t.Helper()
	m := shownSecret.FindSubmatch(r.Bytes)
	if m == nil {
		t.Fatalf("no secret is shown:\n%s", r.Bytes)
	}
	return string(m[1])
}

// A person makes a personal token, uses it, sees when it was used last, and revokes it.
func TestPersonalTokens(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	s.Stop()
	now := time.Now() // after the last change of the store
	s.Clock = func() time.Time { return now }
	s.Boot()
	mail := s.Member("Lovelace")
	b := s.SignedIn(mail, world.Password)
	const at = "/account/applications"
	shows(t, b.Open("/account").Is(200), `href="/account/applications"`)
	shows(t, b.Open(at).Is(200), "Applications and tokens", "There are none.")
	r := b.Post(at+"/tokens", form("token_name", " The <b>scale</b> ", "lasts", "30")).Is(201)
	token := secretIn(t, r)
	shows(t, r, "shown this once", "The &lt;b&gt;scale&lt;/b&gt;", now.UTC().AddDate(0, 0, 30).Format("2006-01-02"))
	if !regexp.MustCompile(`^alc_[0-9a-f]{64}$`).MatchString(token) || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("the token is %q, kept by caches as %q", token, r.Header.Get("Cache-Control"))
	}
	hides(t, b.Open(at).Is(200), token)
	who := world.Client{Server: s, Token: token}
	shows(t, b.Open(at), `data-label="Last used">Never`)
	if id := who.ID(); id != accountOf(t, s, mail) {
		t.Errorf("the token is of account %d", id)
	}
	who.Do("POST", "/v2/account/articles", strings.NewReader(`{"title": "Made with the token"}`)).Is(201)
	used := regexp.MustCompile(`data-label="Last used"><time datetime="[^"]+">`).FindString(string(b.Open(at).Bytes))
	if used == "" {
		t.Error("nothing tells of the use")
	}
	s.Stop() // what is not stored by then is now
	s.Boot()
	shows(t, b.Open(at).Is(200), used)

	id := auth.TokenKey(token)[:16]
	other := s.SignedIn(s.Member("Byron"), world.Password)
	hides(t, other.Open(at).Is(200), id)
	other.Post(at+"/tokens/revoke", form("token", id)).Is(303) // of another account
	who.Get("/v2/account").Is(200)
	b.Post(at+"/tokens/revoke", form("token", id), "Sec-Fetch-Site", "cross-site").Is(403)
	b.Post(at+"/tokens/revoke", form("token", id)).Is(303)
	who.Get("/v2/account").Is(401)
	shows(t, b.Open(at+"?ended=token").Is(200), "The token was revoked", "There are none.")

	// One that has expired is refused, shown as such for a while, and gone then.
	who.Token = secretIn(t, b.Post(at+"/tokens", form("token_name", "short", "lasts", "30")).Is(201))
	forever := secretIn(t, b.Post(at+"/tokens", form("token_name", "long", "lasts", "0")).Is(201))
	now = now.AddDate(0, 0, 30).Add(time.Minute)
	who.Get("/v2/account").Is(401)
	b = s.SignedIn(mail, world.Password)
	shows(t, b.Open(at), "Expired: ", `data-label="Expires">Never`)
	now = now.AddDate(0, 0, 30)
	who.Token = forever
	who.Get("/v2/account").Is(200)
	if err := auth.New(s.DB(), auth.Limits{Idle: time.Hour, Absolute: time.Hour}).Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	b = s.SignedIn(mail, world.Password)
	hides(t, b.Open(at), "short")
	shows(t, b.Open(at), "long")
	noSecrets(t, s, token, forever)
}

// A refusal makes no token, and keeps the fields as they were written.
func TestPersonalTokensRefused(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	mail := s.Member("Lovelace")
	b := s.SignedIn(mail, world.Password)
	const at = "/account/applications/tokens"
	tokens := func() (n int) {
		id := accountOf(t, s, mail)
		if err := s.DB().View(func(tx *bucket.Tx) error {
			n = len(bucket.Keys(users.TokensByAccount.Ascending(tx, bucket.SortKey(id))))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, c := range []struct{ name, lasts, says string }{
		{" ", "30", "Enter a name"}, {strings.Repeat("x", 101), "30", "too long"}, {"a\nb", "30", "cannot be shown"}, {"a\u2028b", "30", "cannot be shown"},
		{"a good name", "31", "Choose how long"}, {"a good name", "", "Choose how long"}, {"a good name", "-1", "Choose how long"},
	} {
		r := b.Post(at, form("token_name", c.name, "lasts", c.lasts)).Is(422)
		shows(t, r, c.says)
		if c.name == "a good name" {
			shows(t, r, `value="a good name"`)
		}
	}
	b.Post(at, form("token_name", "x", "lasts", "30"), "Origin", "https://evil.example").Is(403)
	s.Ada.Do("POST", at, strings.NewReader("token_name=x&lasts=30"), "Content-Type", "application/x-www-form-urlencoded").Refuses(401, "signed in") // a token makes none
	if n := tokens(); n != 0 {
		t.Errorf("there are %d tokens", n)
	}
	for i := range 100 {
		b.Post(at, form("token_name", fmt.Sprint("token ", i), "lasts", "0")).Is(201)
	}
	shows(t, b.Post(at, form("token_name", "one more", "lasts", "0")).Is(422), "as many tokens", `value="one more"`)
	if n := tokens(); n != 100 {
		t.Errorf("there are %d tokens", n)
	}
	s.Account(accountOf(t, s, mail), func(a *record.Account) { a.Disabled = true })
	b.Post(at, form("token_name", "x", "lasts", "30")).Is(303) // to sign in
}
