package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/doubles"
	"alcove/tests/world"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A person adds a passkey, signs in with it and nothing else, names it again and removes it, after which it opens nothing. The device
// is a virtual one of Chromium, the protocol and what is signed are real.
func TestPasskeys(t *testing.T) {
	t.Parallel()
	port := doubles.FreePort(t)
	s := world.Start(t, func(c *config.Config) {
		c.Listen, c.SiteURL = doubles.Loopback(port), fmt.Sprintf("http://localhost:%d", port)
	})
	email := s.Member("Lovelace")
	b := open(t, s.Cfg.SiteURL)
	send(b, webauthn.Enable, webauthn.EnableParams{})
	send(b, webauthn.AddVirtualAuthenticator, webauthn.AddVirtualAuthenticatorParams{Options: &webauthn.VirtualAuthenticatorOptions{
		Protocol: "ctap2", Transport: "internal", HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
	}})
	b.at("/sign-in?next=/account/passkeys")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), email), chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.press(kb.Enter)
	told(b, chromedp.Poll[bool](`!document.querySelector("form[data-passkey]").hidden`))
	b.allow("422")
	b.do(chromedp.SendKeys(chromedp.CSS("#name"), "My laptop"), chromedp.SendKeys(chromedp.CSS("#password"), "not the password"))
	b.do(chromedp.Click(chromedp.CSS("form[data-passkey] button")))
	told(b, chromedp.Poll[bool](`document.body.innerText.includes("not the current password")`))
	if n := strings.Count(s.Logs.String(), "route=/account/passkeys status=422"); n != 1 {
		t.Errorf("a wrong password was sent %d times", n)
	}
	b.do(chromedp.SendKeys(chromedp.CSS("#password"), world.Password))
	b.follow("form[data-passkey] button")
	b.holds("The passkey was added", "My laptop")

	b.at("/account")
	b.follow(`form[action="/sign-out"] button`)
	b.at("/sign-in?next=/account/sessions")
	b.follow("form[data-passkey] button")
	if at := b.path(); at != "/account/sessions" {
		t.Errorf("it leads to %s", at)
	}
	b.holds("Lovelace Tester", "Chrome, Linux")

	b.at("/account/passkeys")
	b.holds("Last used")
	b.do(chromedp.SendKeys(chromedp.CSS(`section form:first-of-type input[type=text]`), "at home "))
	b.follow(`button[value="rename"]`)
	b.holds("at home")
	b.follow(`button[value="remove"]`)
	if strings.Contains(b.text(), "My laptop") {
		t.Error("it is there still")
	}
	b.at("/account")
	b.follow(`form[action="/sign-out"] button`)
	b.at("/sign-in")
	b.follow("form[data-passkey] button")
	b.holds("The passkey is not known here")
}

// An answer of a device counts once, for the challenge that was given, and other texts are refused.
func TestPasskeyRefusals(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.SiteURL = "http://localhost:1" })
	email := s.Member("Lovelace")
	for _, answer := range []string{"x", "{}", "null", `{"id": "AAAA", "rawId": "AAAA", "type": "public-key", "response": {}}`, strings.Repeat("[", 10_000), "\x00\xff",
		`{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{"clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoiQUFBQSIsIm9yaWdpbiI6Imh0dHA6Ly9sb2NhbGhvc3Q6MSJ9","authenticatorData":"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ","signature":"AAAA","userHandle":"AAAA"}}`} {
		b := s.Browser()
		b.Post("/sign-in/passkey", url.Values{"credential": {answer}}).Is(422)
		if b.Secret() != "" {
			t.Errorf("%q signs in", answer)
		}
		b = s.SignedIn(email, world.Password)
		b.Post("/account/passkeys", url.Values{"name": {"x"}, "credential": {answer}}).Is(422)
	}
	b := s.Browser()
	b.Post("/sign-in/passkey", nil).Is(200)
	b.Post("/sign-in/passkey", nil, "Sec-Fetch-Site", "cross-site").Is(403)
	b = s.SignedIn(email, world.Password)
	b.Post("/account/passkeys", url.Values{"do": {"options"}, "name": {"x"}, "password": {"wrong"}}).Is(422)
	b.Post("/account/passkeys", url.Values{"do": {"options"}, "name": {""}, "password": {world.Password}}).Is(422)
	b.Post("/account/passkeys", url.Values{"do": {"options"}, "name": {"x"}, "password": {world.Password}}).Is(200)
	b.Post("/account/passkeys", url.Values{"do": {"remove"}, "passkey": {"0000"}}).Is(303)

	plain := world.Start(t) // at a number browsers have no passkeys
	plain.Browser().Post("/sign-in/passkey", nil).Is(404)
}
