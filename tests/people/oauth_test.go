package people

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

const (
	pathApplications = "/account/applications"
	pathAuthorize    = pathApplications + "/authorize"
	verifier         = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG-._~"
)

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// client is an application that was registered.
type client struct{ id, secret, redirect string }

var shownClient = regexp.MustCompile(`<code id="client">([^<]+)</code>`)

// register registers an application; kind is confidential or public.
func register(t *testing.T, b *world.Browser, name, kind string, redirects ...string) client {
	t.Helper()
	r := b.Post(pathApplications+"/register", form("app_name", name, "redirects", strings.Join(redirects, "\n"), "kind", kind)).Is(201)
	c := client{redirect: redirects[0]}
	if m := shownClient.FindSubmatch(r.Bytes); m != nil {
		c.id = string(m[1])
	}
	if m := shownSecret.FindSubmatch(r.Bytes); m != nil {
		c.secret = string(m[1])
	}
	if len(c.id) != 32 || (c.secret == "") != (kind == "public") {
		t.Fatalf("%s: client_id %q, secret %q", name, c.id, c.secret)
	}
	return c
}

// asks are the parameters with which the application asks a person.
func (c client) asks(pairs ...string) url.Values {
	v := form("response_type", "code", "client_id", c.id, "redirect_uri", c.redirect, "scope", "all", "state", "xyz", "code_challenge", challenge(verifier), "code_challenge_method", "S256")
	for i := 0; i < len(pairs); i += 2 {
		if v.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			v.Del(pairs[i])
		}
	}
	return v
}

// answered is what an application is told at its address.
func answered(t *testing.T, r *world.Reply, redirect string) url.Values {
	t.Helper()
	at := r.Is(303).Header.Get("Location")
	rest, ok := strings.CutPrefix(at, redirect)
	if !ok {
		t.Fatalf("the browser is led to %q, not %q", at, redirect)
	}
	v, err := url.ParseQuery(strings.TrimLeft(rest, "?&"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// allows has a person allow what an application asks, and returns the code.
func (c client) allows(t *testing.T, b *world.Browser, pairs ...string) string {
	t.Helper()
	v := c.asks(pairs...)
	b.Open(pathAuthorize + "?" + v.Encode()).Is(200)
	v.Set("allow", "1")
	code := answered(t, b.Post(pathAuthorize, v), c.redirect).Get("code")
	if code == "" {
		t.Fatal("there is no code")
	}
	return code
}

// tells sends fields to the token endpoint, as the application.
func (c client) tells(s *world.Server, pairs ...string) *world.Reply {
	v := form(append([]string{"client_id", c.id}, pairs...)...)
	if c.secret != "" && v.Get("client_secret") == "" {
		v.Set("client_secret", c.secret)
	}
	return sends(s, "/v2/token", v)
}

func sends(s *world.Server, at string, v url.Values, headers ...string) *world.Reply {
	s.T.Helper()
	for name, values := range v {
		if values[0] == "" {
			delete(v, name)
		}
	}
	return s.Anon.Do("POST", at, strings.NewReader(v.Encode()), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func (c client) exchanges(s *world.Server, code string, pairs ...string) *world.Reply {
	s.T.Helper()
	return c.tells(s, append([]string{"grant_type", "authorization_code", "code", code, "redirect_uri", c.redirect, "code_verifier", verifier}, pairs...)...)
}

func (c client) refreshes(s *world.Server, token string, pairs ...string) *world.Reply {
	s.T.Helper()
	return c.tells(s, append([]string{"grant_type", "refresh_token", "refresh_token", token}, pairs...)...)
}

func (c client) revokes(s *world.Server, token string) *world.Reply {
	s.T.Helper()
	return sends(s, "/v2/token/revoke", form("client_id", c.id, "client_secret", c.secret, "token", token))
}

// tokens are those in an answer of the token endpoint.
func tokens(t *testing.T, r *world.Reply) (access, refresh string) {
	t.Helper()
	o := r.Is(200).Object()
	access, _ = o["access_token"].(string)
	refresh, _ = o["refresh_token"].(string)
	if access == "" || o["token"] != access || o["token_type"] != "bearer" || r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("the answer is %s with %v", r.Bytes, r.Header)
	}
	return access, refresh
}

// refused holds that an answer is a refusal of OAuth 2.0.
func refused(t *testing.T, r *world.Reply, code string) {
	t.Helper()
	if o := r.Object(); r.StatusCode != 400 || o["error"] != code || o["error_description"] == "" || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s, want 400 %s", r.StatusCode, r.Bytes, code)
	}
}

// oauthWorld is a server with a clock, a developer who has registered two applications, and a person.
type oauthWorld struct {
	*world.Server
	now         time.Time
	dev, person *world.Browser
	mail        string
	web, native client
}

func newOAuth(t *testing.T, change ...func(*config.Config)) *oauthWorld {
	t.Helper()
	z := &oauthWorld{Server: world.StartWithin(t, change...), now: time.Now()}
	z.Stop()
	z.Clock = func() time.Time { return z.now }
	z.Boot()
	z.dev = z.SignedIn(z.Member("Byron"), world.Password)
	z.mail = z.Member("Lovelace")
	z.person = z.SignedIn(z.mail, world.Password)
	z.web = register(t, z.dev, "Plotter", "confidential", "https://plotter.example/back?a=b")
	z.native = register(t, z.dev, "Instrument", "public", "http://127.0.0.1/back")
	return z
}

// works reports whether a token is good.
func (z *oauthWorld) works(token string) bool {
	z.T.Helper()
	r := world.Client{Server: z.Server, Token: token}.Get("/v2/account")
	if r.StatusCode != 200 && r.StatusCode != 401 {
		z.T.Errorf("%d %s", r.StatusCode, r.Bytes)
	}
	return r.StatusCode == 200
}

// A person allows an application to act for it, which gets tokens by a code with PKCE, uses and replaces them, and
// ends them; the person sees it and can end it too.
func TestOAuthCode(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s, b := z.Server, z.person

	// A person who is not signed in comes back to the question.
	stranger := s.Browser()
	question := pathAuthorize + "?" + z.web.asks("scope", "upload").Encode()
	to := stranger.Open(question).Is(303).Header.Get("Location")
	at, err := url.Parse(to)
	if err != nil || at.Path != "/sign-in" {
		t.Fatalf("it leads to %q", to)
	}
	r := stranger.Post("/sign-in", form("email", z.mail, "password", world.Password, "next", at.Query().Get("next"))).Is(303)
	if back := r.Header.Get("Location"); back != question {
		t.Errorf("after signing in it leads to %q, not %q", back, question)
	}
	r = stranger.Open(question).Is(200)
	shows(t, r, "Plotter asks to act for you", "Byron Tester", "plotter.example", z.mail, "make and change drafts", "not publish", `name="state" value="xyz"`)
	hides(t, r, "everything here that you may do")
	if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "form-action 'self' https://plotter.example;") {
		t.Errorf("the policy is %q", policy)
	}
	shows(t, b.Open(question, "Accept-Language", "de").Is(200), "möchte für Sie handeln", "lang=en", "client_id="+z.web.id)

	// It refuses, and then allows.
	v := z.web.asks("scope", "read upload")
	v.Set("refuse", "1")
	if got := answered(t, b.Post(pathAuthorize, v), z.web.redirect); got.Get("error") != "access_denied" || got.Get("state") != "xyz" || got.Get("iss") != s.URL || got.Get("code") != "" {
		t.Errorf("the application is told %v", got)
	}
	v.Set("allow", "1")
	r = b.Post(pathAuthorize, v)
	got := answered(t, r, z.web.redirect)
	if got.Get("state") != "xyz" || got.Get("iss") != s.URL || got.Get("code") == "" || r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the application is told %v, with %v", got, r.Header)
	}
	shows(t, b.Open(pathApplications), "There are none.") // nothing was given yet
	r = z.web.exchanges(s, got.Get("code"))
	access, refresh := tokens(t, r)
	if o := r.Object(); o["scope"] != "upload" || o["expires_in"] != 3600.0 || refresh == "" {
		t.Errorf("the answer is %s", r.Bytes)
	}
	who := world.Client{Server: s, Token: access}
	if who.ID() != accountOf(t, s, z.mail) {
		t.Error("the token is somebody else's")
	}
	r = who.Get("/v2/token").Is(200)
	if o := r.Object(); o["access_token"] != access || o["scope"] != "upload" || o["expires_in"] != 3600.0 || o["refresh_token"] != nil || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("of the token is told %s", r.Bytes)
	}
	s.Anon.Get("/v2/token?access_token=" + access).Is(200)
	personal := world.Client{Server: s, Token: secretIn(t, b.Post(pathApplications+"/tokens", form("token_name", "own", "lasts", "0")).Is(201))}
	if o := personal.Get("/v2/token").Is(200).Object(); o["scope"] != "all" || o["expires_in"] != nil {
		t.Errorf("of a personal token is told %v", o)
	}
	shows(t, b.Open(pathApplications).Is(200), "Plotter <small>(Byron Tester)</small>", "make and change drafts")
	hides(t, b.Open(pathApplications), access[:20], refresh[:20], z.web.secret)

	z.now = z.now.Add(time.Hour)
	if z.works(access) {
		t.Error("an access token is good for more than an hour")
	}
	second, next := tokens(t, z.web.refreshes(s, refresh))
	if !z.works(second) || next == refresh {
		t.Error("refreshing gave nothing new")
	}
	narrowed, last := tokens(t, z.web.refreshes(s, next, "scope", "read"))
	if o := (world.Client{Server: s, Token: narrowed}).Get("/v2/token").Object(); o["scope"] != "read" || z.works(second) {
		t.Errorf("the narrowed token is %v", o)
	}
	refused(t, z.web.refreshes(s, last, "scope", "all"), "invalid_scope")
	again, last := tokens(t, z.web.refreshes(s, last)) // the refusal used nothing up
	z.web.revokes(s, again).Is(200)
	if z.works(again) {
		t.Error("the access token is not revoked")
	}
	again, last = tokens(t, z.web.refreshes(s, last))
	z.web.revokes(s, last).Is(200)
	z.web.revokes(s, last).Is(200)
	z.web.revokes(s, "alr_nothing").Is(200)
	z.web.revokes(s, "nothing").Is(200)
	if z.works(again) {
		t.Error("revoking the refresh token left the access token")
	}
	refused(t, z.web.refreshes(s, last), "invalid_grant")

	// The person disconnects it: everything that it has ends.
	var all []string
	for range 3 {
		access, _ := tokens(t, z.web.exchanges(s, z.web.allows(t, b)))
		all = append(all, access)
	}
	other, _ := tokens(t, z.native.exchanges(s, z.native.allows(t, b)))
	b.Post(pathApplications+"/disconnect", form("application", z.web.id)).Is(303)
	if slices.ContainsFunc(all, z.works) || !z.works(other) || !z.works(personal.Token) {
		t.Error("disconnecting ended too little or too much")
	}
	shows(t, b.Open(pathApplications+"?ended=connection"), "was disconnected", "Instrument")
	noSecrets(t, s, access, refresh, got.Get("code"), z.web.secret, other)
}

// A wrong request is told to the application at its address. Where the application or the address itself is wrong, the
// person is told, and no browser is led anywhere.
func TestOAuthAsking(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s, b := z.Server, z.person
	many := register(t, z.dev, "Many", "confidential", "https://many.example/a", "https://many.example/b")
	scheme := register(t, z.dev, "Scheme", "public", "org.example.app:/back")
	six := register(t, z.dev, "Six", "public", "http://[::1]:80/back")
	web, native := z.web, z.native

	// No browser is led anywhere.
	nowhere := func(what string, v url.Values) {
		t.Helper()
		answer := url.Values{"allow": {"1"}}
		for name := range v {
			answer.Set(name, v.Get(name))
		}
		for _, r := range []*world.Reply{b.Open(pathAuthorize + "?" + v.Encode()), b.Post(pathAuthorize, answer)} {
			if len(v["client_id"]) > 1 || len(v["redirect_uri"]) > 1 {
				if r.Request.Method == "POST" {
					continue // a form of ours has each once
				}
			}
			if r.StatusCode != 400 || r.Header.Get("Location") != "" {
				t.Errorf("%s: %d, to %q", what, r.StatusCode, r.Header.Get("Location"))
			}
			shows(t, r, "not to be trusted", "Nothing was granted")
			for _, evil := range []string{"evil.example", "<script>"} {
				hides(t, r, `href="https://`+evil, `action="https://`+evil, evil+`">`)
			}
		}
	}
	nowhere("no application", web.asks("client_id", ""))
	nowhere("unknown application", web.asks("client_id", strings.Repeat("0", 32)))
	nowhere("application with markup", web.asks("client_id", "<script>"))
	nowhere("none of two addresses", many.asks("redirect_uri", ""))
	nowhere("two applications", url.Values{"client_id": {web.id, native.id}, "redirect_uri": {web.redirect}, "response_type": {"code"}})
	nowhere("two addresses", url.Values{"client_id": {many.id}, "redirect_uri": {many.redirect, "https://many.example/b"}, "response_type": {"code"}})
	for _, at := range []string{
		"https://evil.example/", "https://plotter.example/back", "https://plotter.example/back?a=b&c=d", "https://plotter.example/back?a=b#x", "https://plotter.example/back?a=b/../c",
		"https://plotter.example/back/../back?a=b", "https://plotter.example/x/..%2fback?a=b", "https://plotter.example.evil.example/back?a=b", "https://plotter.example@evil.example/back?a=b",
		"https://evil.example\\@plotter.example/back?a=b", "https://plotter.example:8443/back?a=b", "https://plotter.example:443/back?a=b", "http://plotter.example/back?a=b",
		"HTTPS://plotter.example/back?a=b", "https://PLOTTER.example/back?a=b", "https://plotter.example/Back?a=b", "https://plotter.example//back?a=b", "//plotter.example/back?a=b", "/back?a=b",
		"https://plotter.example/back?a=b\r\nX: y", "https://plotter.example/back?a=b ", "javascript:alert(1)", "data:text/html,x", "https://plotter.example%2eevil.example/back?a=b",
	} {
		nowhere(at, web.asks("redirect_uri", at))
	}
	for _, at := range []string{
		"http://127.0.0.1:80@evil.example/back", "http://127.0.0.1:x/back", "http://127.0.0.1:/back", "http://127.0.0.1:123456/back", "http://127.0.0.1.evil.example/back", "http://127.0.0.1:8080/back/x",
		"http://127.0.0.1:8080/back#x", "http://127.0.0.1:8080", "https://127.0.0.1:8080/back", "http://localhost:8080/back", "http://[::1]:8080/back", "http://127.0.0.1:80/%2e%2e/back",
		"http://127.0.0.1:8080\\@evil.example/back", "http://127.1:8080/back", "http://user@127.0.0.1/back",
	} {
		nowhere(at, native.asks("redirect_uri", at))
	}
	nowhere("other scheme", scheme.asks("redirect_uri", "org.example.app:/back/x"))
	nowhere("other scheme", scheme.asks("redirect_uri", "org.example.app2:/back"))

	// Addresses that are good, and what browsers hold them against.
	for _, c := range []struct {
		client
		at, target string
	}{
		{web, web.redirect, "https://plotter.example"}, {native, "http://127.0.0.1/back", "http://127.0.0.1"}, {native, "http://127.0.0.1:54321/back", "http://127.0.0.1:54321"},
		{six, "http://[::1]:49152/back", "http:"}, {scheme, "org.example.app:/back", "org.example.app:"}, {many, "https://many.example/b", "https://many.example"},
	} {
		c.redirect = c.at
		r := b.Open(pathAuthorize + "?" + c.asks().Encode()).Is(200)
		if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "form-action 'self' "+c.target+";") {
			t.Errorf("%s: %s", c.at, policy)
		}
		v := c.asks()
		v.Set("allow", "1")
		code := answered(t, b.Post(pathAuthorize, v), c.at).Get("code")
		tokens(t, c.exchanges(s, code))
	}
	one := web.asks("redirect_uri", "", "allow", "1") // the only one
	code := answered(t, b.Post(pathAuthorize, one), web.redirect).Get("code")
	tokens(t, web.exchanges(s, code, "redirect_uri", ""))

	// The application is told.
	for _, c := range []struct {
		client
		pairs []string
		code  string
	}{
		{web, []string{"response_type", "token"}, "unsupported_response_type"}, {web, []string{"response_type", "code id_token"}, "unsupported_response_type"},
		{web, []string{"response_type", ""}, "invalid_request"}, {web, []string{"scope", "everything"}, "invalid_scope"}, {web, []string{"scope", "read write"}, "invalid_scope"},
		{native, []string{"code_challenge", "", "code_challenge_method", ""}, "invalid_request"}, {native, []string{"code_challenge_method", "plain"}, "invalid_request"},
		{native, []string{"code_challenge_method", ""}, "invalid_request"}, {web, []string{"code_challenge", ""}, "invalid_request"}, {web, []string{"code_challenge_method", "plain"}, "invalid_request"},
		{web, []string{"code_challenge", verifier}, "invalid_request"}, {web, []string{"code_challenge", challenge(verifier) + "="}, "invalid_request"}, {web, []string{"code_challenge", strings.Repeat("A", 128)}, "invalid_request"},
		{web, []string{"state", strings.Repeat("s", 2001)}, "invalid_request"},
	} {
		v := c.asks(c.pairs...)
		for _, r := range []*world.Reply{b.Open(pathAuthorize + "?" + v.Encode()), b.Post(pathAuthorize, c.asks(append(c.pairs, "allow", "1")...))} {
			got := answered(t, r, c.redirect)
			state := "xyz"
			if len(v.Get("state")) > 2000 {
				state = ""
			}
			if got.Get("error") != c.code || got.Get("error_description") == "" || got.Get("state") != state || got.Get("iss") != s.URL || got.Get("code") != "" {
				t.Errorf("%v: %v", c.pairs, got)
			}
		}
	}
	twice := web.asks()
	twice.Add("scope", "read")
	if got := answered(t, b.Open(pathAuthorize+"?"+twice.Encode()), web.redirect); got.Get("error") != "invalid_request" || got.Get("state") != "xyz" {
		t.Errorf("two scopes: %v", got)
	}
	odd := "a b&c=d#é%00\"'"
	if got := answered(t, b.Post(pathAuthorize, web.asks("state", odd, "allow", "1")), web.redirect); got.Get("state") != odd {
		t.Errorf("the state came back as %q", got.Get("state"))
	}

	// A page of another site cannot answer, and an answer needs the person.
	v := web.asks("allow", "1")
	for _, from := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"}} {
		if r := b.Post(pathAuthorize, v, from...).Is(403); r.Header.Get("Location") != "" {
			t.Errorf("%v answered", from)
		}
	}
	if at := s.Browser().Post(pathAuthorize, v).Is(303).Header.Get("Location"); !strings.HasPrefix(at, "/sign-in") {
		t.Errorf("an answer without a person leads to %q", at)
	}
	s.Ada.Get(pathAuthorize+"?"+v.Encode()).Refuses(401, "signed in")
}

// The token endpoint refuses what is not exactly what was granted.
func TestOAuthTokenRefused(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s, b, web, native := z.Server, z.person, z.web, z.native

	// A client shows who it is, once.
	code := web.allows(t, b)
	basic := func(id, secret string) []string {
		return []string{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte(id+":"+secret))}
	}
	exchange := func(pairs ...string) url.Values {
		return form(append([]string{"grant_type", "authorization_code", "code", code, "redirect_uri", web.redirect, "code_verifier", verifier}, pairs...)...)
	}
	for _, c := range []struct {
		v       url.Values
		headers []string
		code    string
	}{
		{exchange(), nil, "invalid_client"}, {exchange("client_id", web.id), nil, "invalid_client"}, {exchange("client_id", web.id, "client_secret", "wrong"), nil, "invalid_client"},
		{exchange("client_id", strings.Repeat("0", 32), "client_secret", web.secret), nil, "invalid_client"}, {exchange("client_id", native.id, "client_secret", web.secret), nil, "invalid_client"},
		{exchange(), basic(web.id, "wrong"), "invalid_client"}, {exchange(), basic(web.id, ""), "invalid_client"}, {exchange(), basic(web.id, "%zz"), "invalid_client"},
		{exchange("client_id", web.id, "client_secret", web.secret), basic(web.id, web.secret), "invalid_request"}, {exchange("client_id", native.id), basic(web.id, web.secret), "invalid_request"},
	} {
		refused(t, sends(s, "/v2/token", c.v, c.headers...), c.code)
		revoke := form("token", "x", "client_id", c.v.Get("client_id"), "client_secret", c.v.Get("client_secret"))
		refused(t, sends(s, "/v2/token/revoke", revoke, c.headers...), c.code)
	}
	for _, c := range []struct {
		pairs []string
		code  string
	}{
		{[]string{"grant_type", ""}, "invalid_request"}, {[]string{"grant_type", "implicit"}, "unsupported_grant_type"},
		{[]string{"grant_type", "password", "username", z.mail, "password", world.Password}, "unsupported_grant_type"}, {[]string{"grant_type", "refresh_token"}, "invalid_request"},
		{[]string{"code", ""}, "invalid_request"}, {[]string{"code", "x"}, "invalid_grant"}, {[]string{"code", code[:len(code)-1]}, "invalid_grant"}, {[]string{"code", strings.Repeat("A", 64)}, "invalid_grant"},
		{[]string{"code", code[:22] + strings.Repeat("A", 42)}, "invalid_grant"}, {[]string{"code", "alr_" + code}, "invalid_grant"},
		{[]string{"redirect_uri", "https://plotter.example/back"}, "invalid_grant"}, {[]string{"redirect_uri", web.redirect + "&x=y"}, "invalid_grant"},
		{[]string{"code_verifier", ""}, "invalid_grant"}, {[]string{"code_verifier", verifier + "x"}, "invalid_grant"}, {[]string{"code_verifier", challenge(verifier)}, "invalid_grant"},
		{[]string{"code_verifier", "short"}, "invalid_grant"},
	} {
		refused(t, web.exchanges(s, code, c.pairs...), c.code)
	}
	refused(t, sends(s, "/v2/token", form("client_id", web.id, "client_secret", web.secret, "token", "")), "invalid_request")
	refused(t, sends(s, "/v2/token/revoke", form("client_id", web.id, "client_secret", web.secret)), "invalid_request")
	raw := func(body, kind string) *world.Reply {
		return s.Anon.Do("POST", "/v2/token", strings.NewReader(body), "Content-Type", kind)
	}
	const urlencoded = "application/x-www-form-urlencoded"
	refused(t, raw(exchange("client_id", web.id, "client_secret", web.secret).Encode()+"&code=x", urlencoded), "invalid_request")
	refused(t, raw(`{"code": ["x"]}`, "application/json"), "invalid_request")
	refused(t, raw(`{"code": "x", "code": "y"}`, "application/json"), "invalid_request")
	refused(t, raw(`{"code`, "application/json"), "invalid_request")
	refused(t, raw("code=%zz", urlencoded), "invalid_request")
	refused(t, raw("", urlencoded), "invalid_client")
	raw("code="+strings.Repeat("x", 70_000), urlencoded).Refuses(413, "")
	tokens(t, sends(s, "/v2/token", exchange("client_id", web.id), basic(web.id, url.QueryEscape(web.secret))...)) // none of it used the code up

	code = web.allows(t, b)
	r := raw(fmt.Sprintf(`{"grant_type": "authorization_code", "client_id": %q, "client_secret": %q, "code": %q, "code_verifier": %q, "username": null, "odd": 7}`, web.id, web.secret, code, verifier), "text/plain")
	access, refresh := tokens(t, r)

	// Code replay: what it gave ends, the second time too.
	refused(t, web.exchanges(s, code), "invalid_grant")
	if z.works(access) {
		t.Error("a code that came twice left its access token")
	}
	refused(t, web.refreshes(s, refresh), "invalid_grant")

	// The code of another application ends too, and so does a refresh token.
	code = web.allows(t, b)
	refused(t, native.exchanges(s, code, "redirect_uri", web.redirect), "invalid_grant")
	refused(t, web.exchanges(s, code), "invalid_grant")
	access, refresh = tokens(t, web.exchanges(s, web.allows(t, b)))
	refused(t, native.refreshes(s, refresh), "invalid_grant")
	refused(t, web.refreshes(s, refresh), "invalid_grant")
	if z.works(access) {
		t.Error("a refresh token of another application left the access token")
	}

	// Refresh reuse: the family ends, the newest token of it too.
	_, first := tokens(t, native.exchanges(s, native.allows(t, b)))
	_, second := tokens(t, native.refreshes(s, first))
	access, third := tokens(t, native.refreshes(s, second))
	refused(t, native.refreshes(s, first), "invalid_grant")
	refused(t, native.refreshes(s, third), "invalid_grant")
	if z.works(access) {
		t.Error("a refresh token that came twice left the access token")
	}

	// PKCE downgrade: a verifier without a challenge, and neither for a confidential application.
	code = web.allows(t, b, "code_challenge", "", "code_challenge_method", "")
	refused(t, web.exchanges(s, code), "invalid_grant")
	access, _ = tokens(t, web.exchanges(s, code, "code_verifier", ""))

	// An application cannot revoke the tokens of another, nor personal ones.
	refused(t, native.revokes(s, access), "invalid_grant")
	refused(t, native.revokes(s, s.Ada.Token), "invalid_grant")
	if !z.works(access) || !z.works(s.Ada.Token) {
		t.Error("an application ended what is not its own")
	}

	// A code is good for a minute, a refresh token for 90 days without use.
	code = web.allows(t, b)
	z.now = z.now.Add(time.Minute)
	refused(t, web.exchanges(s, code), "invalid_grant")
	code = web.allows(t, b)
	z.now = z.now.Add(59 * time.Second)
	_, refresh = tokens(t, web.exchanges(s, code))
	z.now = z.now.Add(90*24*time.Hour - time.Second)
	_, refresh = tokens(t, web.refreshes(s, refresh))
	z.now = z.now.Add(90 * 24 * time.Hour)
	refused(t, web.refreshes(s, refresh), "invalid_grant")

	// However often it is used, it ends a year after the person was asked.
	z.person = s.SignedIn(z.mail, world.Password)
	asked := z.now
	_, refresh = tokens(t, web.exchanges(s, web.allows(t, z.person)))
	for range 5 {
		z.now = z.now.Add(72 * 24 * time.Hour)
		_, refresh = tokens(t, web.refreshes(s, refresh))
	}
	z.now = asked.Add(365*24*time.Hour + time.Minute)
	refused(t, web.refreshes(s, refresh), "invalid_grant")
}

// Two who send the same code at once do not both get tokens.
func TestOAuthCodeRace(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	for range 10 {
		code := z.web.allows(t, z.person)
		got := make(chan int)
		for range 4 {
			go func() {
				v := form("grant_type", "authorization_code", "client_id", z.web.id, "client_secret", z.web.secret, "code", code, "code_verifier", verifier)
				res, err := http.PostForm(z.URL+"/v2/token", v)
				if err != nil {
					got <- 0
					return
				}
				res.Body.Close()
				got <- res.StatusCode
			}()
		}
		good := 0
		for range 4 {
			if status := <-got; status == 200 {
				good++
			} else if status != 400 {
				t.Errorf("%d", status)
			}
		}
		if good != 1 {
			t.Errorf("%d got tokens", good)
		}
	}
}

// An application with a secret acts for who has registered it; with a password only where the operator allows it, and
// wrong ones are paced as at sign-in.
func TestOAuthOtherGrants(t *testing.T) {
	t.Parallel()
	z := newOAuth(t, func(c *config.Config) { c.OAuthPasswords, c.WrongPasswords = true, 30 })
	s := z.Server
	r := z.web.tells(s, "grant_type", "client_credentials", "scope", "read")
	access, refresh := tokens(t, r)
	if refresh != "" || strings.Contains(string(r.Bytes), "refresh_token") || (world.Client{Server: s, Token: access}).ID() != accountOf(t, s, "byron@example.org") {
		t.Errorf("the answer is %s", r.Bytes)
	}
	refused(t, z.native.tells(s, "grant_type", "client_credentials"), "unauthorized_client")
	refused(t, z.web.tells(s, "grant_type", "client_credentials", "scope", "x"), "invalid_scope")

	access, refresh = tokens(t, z.native.tells(s, "grant_type", "password", "username", strings.ToUpper(z.mail), "password", world.Password))
	if (world.Client{Server: s, Token: access}).ID() != accountOf(t, s, z.mail) {
		t.Error("the token is somebody else's")
	}
	tokens(t, z.native.refreshes(s, refresh))
	shows(t, z.person.Open(pathApplications), "Instrument")
	id := accountOf(t, s, z.mail)
	s.Alter(func(tx *bucket.Tx) error {
		return users.SecondFactors.Put(tx, id, &record.SecondFactor{AccountID: id, Used: true})
	})
	refused(t, z.native.tells(s, "grant_type", "password", "username", z.mail, "password", world.Password), "invalid_grant") // it would go around the factor
	s.Alter(func(tx *bucket.Tx) error { return users.SecondFactors.Delete(tx, id) })
	refused(t, z.native.tells(s, "grant_type", "password", "username", z.mail), "invalid_request")
	known := z.native.tells(s, "grant_type", "password", "username", z.mail, "password", "not it")
	unknown := z.native.tells(s, "grant_type", "password", "username", "unknown@example.org", "password", "not it")
	refused(t, known, "invalid_grant")
	if string(known.Bytes) != string(unknown.Bytes) {
		t.Errorf("%s and %s", known.Bytes, unknown.Bytes)
	}
	for range 19 {
		refused(t, z.native.tells(s, "grant_type", "password", "username", z.mail, "password", "not it"), "invalid_grant")
	}
	r = z.native.tells(s, "grant_type", "password", "username", z.mail, "password", world.Password)
	r.Refuses(429, "")
	if r.Header.Get("Retry-After") == "" {
		t.Error("nothing says how long to wait")
	}
	z.person.Post("/sign-in", form("email", z.mail, "password", world.Password)).Is(429) // it counts for both

	// Wrong secrets are paced by address, and the application is not shut out from elsewhere.
	slow := 0
	for range 30 {
		if z.web.tells(s, "grant_type", "client_credentials", "client_secret", "wrong").StatusCode == 429 {
			slow++
		}
	}
	if slow < 5 {
		t.Errorf("%d of 30 wrong secrets were slowed down", slow)
	}
}

// Each scope opens what it says and nothing else.
func TestOAuthScopes(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s := z.Server
	of := map[string]world.Client{}
	for _, scope := range []string{"read", "upload", "all"} {
		access, _ := tokens(t, z.web.exchanges(s, z.web.allows(t, z.person, "scope", scope)))
		of[scope] = world.Client{Server: s, Token: access}
	}
	article := of["all"].Article(`{"title": "Three scopes", "authors": [{"name": "Ada Lovelace"}]}`)
	type call struct{ method, at, body string }
	for _, c := range []struct {
		needs string
		calls []call
	}{
		{"read", []call{
			{"GET", article, ""}, {"GET", "/v2/account", ""}, {"POST", "/v2/account/articles/search", `{}`}, {"GET", "/v2/account/projects", ""}, {"GET", "/v2/token", ""},
			{"GET", article + "/private_links", ""},
		}},
		{"upload", []call{
			{"POST", "/v2/account/articles", `{"title": "A draft"}`}, {"PATCH", article, `{"tags": ["lake"]}`}, {"PUT", article, `{"title": "Three scopes"}`},
			{"POST", article + "/authors", `{"authors": [{"name": "Grace Hopper"}]}`}, {"POST", article + "/files", `{"link": "https://example.org/a.csv"}`},
		}},
		{"all", []call{
			{"POST", article + "/private_links", `{}`}, {"POST", "/v2/account/projects", `{"title": "A project"}`}, {"POST", "/v2/account/collections", `{"title": "A collection"}`},
			{"POST", article + "/reserve_doi", ""}, {"PUT", "/v2/account/profile", `{"job_title": "Limnologist"}`}, {"DELETE", article + "/embargo", ""},
			{"POST", article + "/publish", ""}, {"DELETE", article, ""},
		}},
	} {
		for _, one := range c.calls {
			for scope, who := range of {
				if record.Scope(scope).Opens(record.Scope(c.needs)) {
					if scope == c.needs || one.method == "GET" {
						if r := who.Send(one.method, one.at, one.body); r.StatusCode >= 400 && r.StatusCode != 403 || strings.Contains(string(r.Bytes), "InsufficientScope") {
							t.Errorf("%s with %s: %d %s", one, scope, r.StatusCode, r.Bytes)
						}
					}
					continue
				}
				r := who.Send(one.method, one.at, one.body).Refuses(403, "granted for less")
				if want := fmt.Sprintf(`error="insufficient_scope", scope="%s"`, c.needs); !strings.Contains(r.Header.Get("WWW-Authenticate"), want) {
					t.Errorf("%s with %s: %q", one, scope, r.Header.Get("WWW-Authenticate"))
				}
			}
		}
	}

	// An upload from beginning to end needs no more than upload.
	mine := of["upload"].Article(`{"title": "By an instrument"}`)
	of["upload"].Upload(mine, "a.bin", disk.Random(100, 7))

	// An administrator lets an application act as others with the widest scope alone.
	s.Account(accountOf(t, s, z.mail), func(a *record.Account) { a.Admin = true })
	as := fmt.Sprint("/v2/account?impersonate=", s.Ben.ID())
	of["all"].Get(as).Is(200)
	of["read"].Get(as).Refuses(403, "granted for less")

	if got := s.Anon.Get("/v2/account", "Authorization", "token alc_unknown").Header.Get("WWW-Authenticate"); !strings.Contains(got, `error="invalid_token"`) {
		t.Errorf("a wrong token is told %q", got)
	}
	if got := s.Anon.Get("/v2/account").Header.Get("WWW-Authenticate"); got != `Bearer realm="alcove"` {
		t.Errorf("no token is told %q", got)
	}
}

// Tokens of applications end with the rights of the person, with those of the account that registered the application, and
// with the application.
func TestOAuthEnds(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s := z.Server
	given := func() (access, refresh string) {
		t.Helper()
		return tokens(t, z.web.exchanges(s, z.web.allows(t, z.person)))
	}
	over := func(what, access, refresh string) {
		t.Helper()
		if z.works(access) {
			t.Errorf("%s left the access token", what)
		}
		if r := z.web.refreshes(s, refresh); r.StatusCode != 400 {
			t.Errorf("%s left the refresh token: %s", what, r.Bytes)
		}
	}
	yes, no := true, false
	personal := secretIn(t, z.person.Post(pathApplications+"/tokens", form("token_name", "own", "lasts", "0")).Is(201))

	access, refresh := given()
	pending := z.web.allows(t, z.person)
	s.Operate("account_edit", operate.AccountEdit{Account: z.mail, Disabled: &yes}, nil)
	refused(t, z.web.exchanges(s, pending), "invalid_grant")
	s.Operate("account_edit", operate.AccountEdit{Account: z.mail, Disabled: &no}, nil)
	over("disabling the account", access, refresh)
	if !z.works(personal) {
		t.Error("the personal token is gone")
	}

	z.person = s.SignedIn(z.mail, world.Password)
	access, refresh = given()
	const better = "staple of the horses"
	z.person.Post("/account/password", form("current", world.Password, "new", better, "again", better)).Is(303)
	over("another password", access, refresh)

	access, refresh = given()
	var at string
	s.Operate("one_time", operate.OneTime{Email: z.mail, Reset: true}, &at)
	s.Browser().Post(strings.TrimPrefix(at, s.URL), form("new", world.Password, "again", world.Password)).Is(303)
	over("a reset", access, refresh)
	z.person = s.SignedIn(z.mail, world.Password)

	access, refresh = given()
	s.Operate("account_edit", operate.AccountEdit{Account: "byron@example.org", Disabled: &yes}, nil)
	over("disabling who registered it", access, refresh)
	if r := z.person.Open(pathAuthorize + "?" + z.web.asks().Encode()); r.StatusCode != 400 {
		t.Errorf("an application of a disabled account asks: %d", r.StatusCode)
	}
	s.Operate("account_edit", operate.AccountEdit{Account: "byron@example.org", Disabled: &no}, nil)
	z.dev = s.SignedIn("byron@example.org", world.Password)

	_, refresh = given()
	old := z.web.secret
	z.web.secret = secretIn(t, z.dev.Post(pathApplications+"/secret", form("application", z.web.id)).Is(201))
	refused(t, z.web.tells(s, "client_secret", old, "grant_type", "client_credentials"), "invalid_client")
	access, refresh = tokens(t, z.web.refreshes(s, refresh))                         // what it has goes on
	z.person.Post(pathApplications+"/secret", form("application", z.web.id)).Is(404) // of another account
	z.dev.Post(pathApplications+"/secret", form("application", z.native.id)).Is(404)
	z.person.Post(pathApplications+"/delete", form("application", z.web.id)).Is(303)
	if !z.works(access) {
		t.Error("somebody else deleted the application")
	}
	shows(t, z.dev.Open(pathApplications), "Plotter", "Delete Plotter", "Make a new secret for Plotter", "plotter.example/back?a=b")
	hides(t, z.dev.Open(pathApplications), z.web.secret, "Make a new secret for Instrument")
	z.dev.Post(pathApplications+"/delete", form("application", z.web.id)).Is(303)
	over("deleting the application", access, refresh)
	hides(t, z.person.Open(pathApplications), "Plotter")

	// Ended records are removed.
	tokens(t, z.native.exchanges(s, z.native.allows(t, z.person)))
	z.native.allows(t, z.person)
	count := func() (authorizations, access int) {
		t.Helper()
		if err := s.DB().View(func(tx *bucket.Tx) error {
			for range users.Authorizations.All(tx, nil) {
				authorizations++
			}
			for row, err := range users.Tokens.All(tx, nil) {
				if err != nil {
					return err
				}
				if !row.Record.Personal() {
					access++
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return authorizations, access
	}
	sweep := func() {
		t.Helper()
		if err := auth.New(s.DB(), auth.Limits{Idle: time.Hour, Absolute: time.Hour}).Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	z.now = z.now.Add(time.Hour)
	sweep()
	if n, m := count(); n != 1 || m != 0 {
		t.Errorf("%d authorizations and %d access tokens are left", n, m)
	}
	z.now = z.now.Add(90 * 24 * time.Hour)
	sweep()
	if n, m := count(); n != 0 || m != 0 {
		t.Errorf("%d authorizations and %d access tokens are left", n, m)
	}
}

// Applications and grants of an account are bounded.
func TestOAuthBounds(t *testing.T) {
	t.Parallel()
	z := newOAuth(t)
	s := z.Server
	first, _ := tokens(t, z.web.tells(s, "grant_type", "client_credentials"))
	for range 19 {
		z.now = z.now.Add(time.Second)
		tokens(t, z.web.tells(s, "grant_type", "client_credentials"))
	}
	if !z.works(first) {
		t.Error("one of twenty has ended")
	}
	tokens(t, z.web.tells(s, "grant_type", "client_credentials"))
	if z.works(first) {
		t.Error("there is no bound")
	}
	for i := range 23 { // with the two there are
		register(t, z.dev, fmt.Sprint("Application ", i), "public", "https://app.example/back")
	}
	shows(t, z.dev.Post(pathApplications+"/register", form("app_name", "One more", "redirects", "https://app.example/back", "kind", "public")).Is(422), "as many applications", `value="One more"`)
	var last client
	for i := range 3 {
		dev := s.SignedIn(s.Member(fmt.Sprint("dev", i)), world.Password)
		for j := range 17 {
			last = register(t, dev, fmt.Sprint("Many ", i, " ", j), "public", "https://app.example/back")
			if i*17+j == 50 {
				break
			}
			last.allows(t, z.person)
		}
	}
	v := last.asks("allow", "1")
	shows(t, z.person.Post(pathAuthorize, v).Is(422), "As many applications act for you as may")
}

// An application is registered with addresses that people can be led back to, and with no others.
func TestApplicationsRefused(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	b := s.SignedIn(s.Member("Byron"), world.Password)
	for _, c := range []struct{ name, redirects, says string }{
		{"", "https://a.example/", "Enter a name"}, {strings.Repeat("x", 101), "https://a.example/", "too long"}, {"A", "", "Enter an address"},
		{"A", strings.Repeat("https://a.example/\n", 11), "There may be 10"}, {"A", "a.example", "not a whole address"}, {"A", "https://", "not a whole address"},
		{"A", "https:///x", "not a whole address"}, {"A", "https://a.example/<b>", "not a whole address: https://a.example/&lt;b&gt;"}, {"A", "https://ü.example/", "not a whole address"},
		{"A", "https://a.example/" + strings.Repeat("x", 1000), "not a whole address"}, {"A", "https://a.example/;form-action", "not a whole address"},
		{"A", "https://a.example/#x", "no fragment"}, {"A", "https://a.example/#", "no fragment"}, {"A", "https://u@a.example/", "no fragment"}, {"A", "https://u:p@a.example/", "no fragment"},
		{"A", "https://a.example/*", "no fragment"}, {"A", "https://*.example/", "no fragment"}, {"A", "https://a.example/../b", "no fragment"}, {"A", "https://a.example/%2e%2E/b", "no fragment"}, {"A", `https://a.example\b`, "no fragment"},
		{"A", "http://a.example/", "http is for the machine"}, {"A", "http://127.0.0.2/", "http is for the machine"}, {"A", "javascript:alert(1)", "A scheme of"}, {"A", "data:text/html,x", ""},
		{"A", "myapp:/back", "A scheme of"}, {"A", "org.example.app://back", "A scheme of"}, {"A", "org.example.app:back", "A scheme of"}, {"A", "file:///etc/passwd", "A scheme of"},
		{"A", "https://good.example/\nhttp://a.example/", "http is for the machine"},
	} {
		r := b.Post(pathApplications+"/register", form("app_name", c.name, "redirects", c.redirects, "kind", "public")).Is(422)
		shows(t, r, c.says)
	}
	shows(t, b.Open(pathApplications), "There are none.")
	for _, at := range []string{"https://a.example", "https://a.example:8443/x?y=z", "http://127.0.0.1", "http://[::1]/back", "http://localhost:3000/back", "org.example.app:/back"} {
		register(t, b, "A", "public", at)
	}
	b.Post(pathApplications+"/register", form("app_name", "A", "redirects", "https://a.example/"), "Sec-Fetch-Site", "cross-site").Is(403)
}

// The server says where everything is (RFC 8414).
func TestOAuthMetadata(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.BaseURL, c.SiteURL = "https://api.example.org", "https://data.example.org/" })
	s.URL = "http://" + s.Address()
	o := s.Anon.Get("/.well-known/oauth-authorization-server").Is(200).Object()
	for key, want := range map[string]any{
		"issuer": "https://data.example.org", "authorization_endpoint": "https://data.example.org/account/applications/authorize", "token_endpoint": "https://api.example.org/v2/token",
		"revocation_endpoint": "https://api.example.org/v2/token/revoke", "authorization_response_iss_parameter_supported": true,
	} {
		if o[key] != want {
			t.Errorf("%s is %v, want %v", key, o[key], want)
		}
	}
	for key, want := range map[string]string{
		"response_types_supported": "[code]", "grant_types_supported": "[authorization_code refresh_token client_credentials]", "code_challenge_methods_supported": "[S256]",
		"token_endpoint_auth_methods_supported": "[client_secret_basic client_secret_post none]", "scopes_supported": "[all upload read]",
	} {
		if got := fmt.Sprint(o[key]); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}
