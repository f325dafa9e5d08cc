package people

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

var oidcModules = flag.String("oidc-modules", "", "directory with node_modules/oidc-provider")

// A certified provider that is not ours: people sign in there, and it refuses what it has to refuse.
func TestProviderOther(t *testing.T) {
	if *oidcModules == "" {
		t.Skip("make check-people runs it")
	}
	port := strconv.Itoa(doubles.FreePort(t))
	issuer := "http://127.0.0.1:" + port
	s := world.StartWithin(t, func(c *config.Config) {
		c.SignIn.OIDC = []config.OIDC{{
			Name: "university", Label: "Example University", Issuer: issuer, ClientID: doubles.IdentityClient, SecretFile: disk.Secret(t, doubles.IdentitySecret),
			Scopes: []string{"openid", "email", "profile"}, Verified: "email_verified",
			Admission: config.Admission{
				LinkMail: true, Create: true, MailDomains: []string{"example.org"},
				Rules: []config.Rule{{Claim: "roles", Value: "repository-admin", Admin: true}},
			},
		}}
	})
	mail := s.Member("Lovelace")
	script := filepath.Join(*oidcModules, "provider.mjs") // modules are looked for beside it
	text, err := os.ReadFile("testdata/provider.mjs")
	if err == nil {
		err = os.WriteFile(script, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", script, port, s.URL+"/sign-in/back/university")
	var said world.LockedBuffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if t.Failed() {
			t.Logf("the provider said: %s", said.String())
		}
	})
	world.WaitFor(t, "the provider is ready", func() bool { return strings.Contains(said.String(), "ready") })

	is := func(claims map[string]any) {
		t.Helper()
		b, err := json.Marshal(claims)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Get(issuer + "/person?is=" + url.QueryEscape(string(b)))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	// away is where a browser comes back to that goes to the provider with an address.
	away := func(address string) *url.URL {
		t.Helper()
		jar, _ := cookiejar.New(nil)
		client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		for range 10 {
			res, err := client.Get(address)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			to, err := res.Location()
			if err != nil {
				t.Fatalf("%s answered %d", address, res.StatusCode)
			}
			if strings.HasPrefix(to.String(), s.URL) {
				return to
			}
			address = to.String()
		}
		t.Fatal("the provider leads on and on")
		return nil
	}
	leave := func(b *world.Browser) *url.URL {
		t.Helper()
		return away(b.Open(withUniversity).Is(303).Header.Get("Location"))
	}

	is(map[string]any{"sub": "ada", "email": mail, "email_verified": true, "given_name": "Ada", "family_name": "Lovelace", "roles": []string{"admin"}})
	b := s.Browser()
	back := leave(b)
	if back.Query().Get("iss") != issuer {
		t.Errorf("the provider brings %v", back.Query())
	}
	cookie := *b.Cookies["alcove-demo-away"]
	if at := b.Open(back.RequestURI()).Is(303).Header.Get("Location"); at != "/search" {
		t.Errorf("it leads to %q", at)
	}
	shows(t, b.Open("/account").Is(200), mail)
	s.Account(accountOf(t, s, mail), func(a *record.Account) {
		if a.Admin {
			t.Error("another role made an administrator")
		}
	})
	replay := s.Browser()
	replay.Cookies["alcove-demo-away"] = &cookie
	replay.Open(back.RequestURI()).Is(422)
	again := leave(replay).Query()
	again.Set("code", back.Query().Get("code"))
	replay.Open(back.Path + "?" + again.Encode()).Is(422) // the provider refuses a code that was used

	is(map[string]any{"sub": "new", "email": "new@example.org", "email_verified": true, "given_name": "New", "family_name": "Person", "roles": "repository-admin"})
	b = s.Browser()
	b.Open(leave(b).RequestURI()).Is(303)
	s.Account(accountOf(t, s, "new@example.org"), func(a *record.Account) {
		if !a.Admin || a.FirstName != "New" {
			t.Errorf("the account is %+v", a)
		}
	})
	for name, claims := range map[string]map[string]any{
		"unverified":  {"sub": "x", "email": "byron@example.org", "email_verified": false},
		"elsewhere":   {"sub": "x", "email": "x@elsewhere.example", "email_verified": true},
		"no address":  {"sub": "x"},
		"our address": {"sub": "x", "email": "root@example.org", "email_verified": true},
	} {
		is(claims)
		b := s.Browser()
		if r := b.Open(leave(b).RequestURI()); r.StatusCode != 403 || b.Secret() != "" {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	is(map[string]any{"sub": "ada", "refuses": true})
	b = s.Browser()
	shows(t, b.Open(leave(b).RequestURI()).Is(422), "refused or cancelled")

	// The provider holds the program to PKCE, and to the nonce that it was asked with.
	is(map[string]any{"sub": "ada", "email": mail, "email_verified": true})
	b = s.Browser()
	asked, _ := url.Parse(b.Open(withUniversity).Is(303).Header.Get("Location"))
	for _, name := range []string{"nonce", "code_challenge"} {
		q := asked.Query()
		q.Set(name, strings.Repeat("A", 43))
		v := *asked
		v.RawQuery = q.Encode()
		b := s.Browser()
		own, _ := url.Parse(b.Open(withUniversity).Is(303).Header.Get("Location"))
		q.Set("state", own.Query().Get("state"))
		for _, same := range []string{"nonce", "code_challenge"} {
			if same != name {
				q.Set(same, own.Query().Get(same))
			}
		}
		v.RawQuery = q.Encode()
		b.Open(away(v.String()).RequestURI()).Is(422)
	}
}
