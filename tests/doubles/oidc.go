package doubles

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// IdentityProvider is a service in this process that speaks OpenID Connect and shares no code with the client of the program. It
// asks no one: each browser that is sent to it is Person.
type IdentityProvider struct {
	T          testing.TB
	URL        string // its issuer
	NoIss      bool   // it does not name itself in its answers (RFC 9207), and does not say that it would
	NoUserInfo bool

	mu     sync.Mutex
	person map[string]any
	token  map[string]any // what its tokens have in place of what is right
	down   bool
	forged bool          // it signs with a key that it does not tell
	key    crypto.Signer // of RSA for RS256, of the curve P-256 for ES256
	kid    string
	codes  map[string]url.Values // what was asked, by code
	used   map[string]bool
	asked  int // codes
}

// IdentityClient is the name and the secret of the server there.
const IdentityClient, IdentitySecret = "alcove", "not so secret"

// StartIdentityProvider starts one.
func StartIdentityProvider(t *testing.T) *IdentityProvider {
	t.Helper()
	p := &IdentityProvider{T: t, kid: "one", codes: map[string]url.Values{}, used: map[string]bool{}}
	var err error
	if p.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

// Rotate has it sign with another key from now on, of the curve P-256 where that is asked for, and forget the one before.
func (p *IdentityProvider) Rotate(kid string, curve bool) {
	p.T.Helper()
	var key crypto.Signer
	var err error
	if key, err = rsa.GenerateKey(rand.Reader, 2048); curve {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		p.T.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.kid = key, kid
}

// Forge has its tokens signed with a key that it does not tell, or no more.
func (p *IdentityProvider) Forge(forged bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forged = forged
}

// Person is the one that signs in there from now on.
func (p *IdentityProvider) Person(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person = claims
}

// Tokens have these claims from now on in place of what is right, nil for right ones.
func (p *IdentityProvider) Tokens(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.token = claims
}

// Down has it answer nothing but errors, or answer again.
func (p *IdentityProvider) Down(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// Asked is how often a code was sent to it.
func (p *IdentityProvider) Asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// Used is a configuration that has people sign in there.
func (p *IdentityProvider) Used(t *testing.T, change func(*config.OIDC)) func(*config.Config) {
	o := config.OIDC{
		Name: "university", Label: "Example University", Issuer: p.URL, ClientID: IdentityClient, SecretFile: disk.Secret(t, IdentitySecret),
		Scopes: []string{"openid", "email", "profile"}, Verified: "email_verified",
	}
	if change != nil {
		change(&o)
	}
	return func(c *config.Config) { c.SignIn.OIDC = append(c.SignIn.OIDC, o) }
}

// Leave takes a browser to the service, and returns where that sends it back to.
func (p *IdentityProvider) Leave(b *world.Browser, at string) *url.URL {
	p.T.Helper()
	r := b.Open(at).Is(303)
	return p.Back(r.Header.Get("Location"))
}

// Back is where a browser is sent back to that comes with an address.
func (p *IdentityProvider) Back(address string) *url.URL {
	p.T.Helper()
	res, err := world.NoRedirects.Get(address)
	if err != nil {
		p.T.Fatal(err)
	}
	res.Body.Close()
	back, err := res.Location()
	if err != nil {
		p.T.Fatalf("%s leads nowhere: %d", address, res.StatusCode)
	}
	return back
}

// ServeHTTP answers as such a service.
func (p *IdentityProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		http.Error(w, "closed", http.StatusBadGateway)
		return
	}
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		about := map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256", "ES256"}, "token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
			"authorization_response_iss_parameter_supported": !p.NoIss,
		}
		if !p.NoUserInfo {
			about["userinfo_endpoint"] = p.URL + "/person"
		}
		p.write(w, 200, about)
	case "/keys":
		text := base64.RawURLEncoding.EncodeToString
		var key map[string]any
		switch public := p.key.Public().(type) {
		case *rsa.PublicKey:
			key = map[string]any{"kty": "RSA", "alg": "RS256", "n": text(public.N.Bytes()), "e": text(big.NewInt(int64(public.E)).Bytes())}
		case *ecdsa.PublicKey:
			b, err := public.Bytes() // 4, x, y
			if err != nil {
				p.T.Error(err)
			}
			key = map[string]any{"kty": "EC", "alg": "ES256", "crv": "P-256", "x": text(b[1:33]), "y": text(b[33:])}
		}
		key["use"], key["kid"] = "sig", p.kid
		p.write(w, 200, map[string]any{"keys": []any{key}})
	case "/authorize":
		p.authorize(w, r)
	case "/token":
		p.exchange(w, r)
	case "/person":
		p.write(w, 200, p.person)
	default:
		http.NotFound(w, r)
	}
}

func (p *IdentityProvider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	for _, name := range []string{"state", "nonce", "code_challenge", "redirect_uri"} {
		if len(q.Get(name)) < 20 {
			p.T.Errorf("the program asks without %s: %v", name, q)
		}
	}
	if q.Get("client_id") != IdentityClient || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || !strings.Contains(q.Get("scope"), "openid") {
		p.T.Errorf("the program asks %v", q)
	}
	code := rand.Text()
	p.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}}
	if !p.NoIss {
		back.Set("iss", p.URL)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

func (p *IdentityProvider) exchange(w http.ResponseWriter, r *http.Request) {
	p.asked++
	user, secret, _ := r.BasicAuth()
	if user != IdentityClient || secret != url.QueryEscape(IdentitySecret) {
		p.write(w, 401, map[string]any{"error": "invalid_client"})
		return
	}
	code := r.PostFormValue("code")
	q := p.codes[code]
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if q == nil || p.used[code] || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || q.Get("redirect_uri") != r.PostFormValue("redirect_uri") {
		p.write(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	p.used[code] = true
	claims := map[string]any{
		"iss": p.URL, "aud": IdentityClient, "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "nonce": q.Get("nonce"), "sub": p.person["sub"],
	}
	if p.NoUserInfo {
		maps.Copy(claims, p.person)
	}
	maps.Copy(claims, p.token)
	p.write(w, 200, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 600, "id_token": p.sign(claims)})
}

func (p *IdentityProvider) sign(claims map[string]any) string {
	b, err := json.Marshal(claims)
	if err != nil {
		p.T.Error(err)
	}
	signer := p.key
	_, curve := signer.(*ecdsa.PrivateKey)
	if p.forged {
		var err error
		if signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			p.T.Error(err)
		}
	}
	head := `{"alg":"` + map[bool]string{false: "RS256", true: "ES256"}[curve] + `","kid":"` + p.kid + `"}`
	text := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + base64.RawURLEncoding.EncodeToString(b)
	sum := sha256.Sum256([]byte(text))
	signed, err := signer.Sign(rand.Reader, sum[:], crypto.SHA256)
	if err == nil && curve { // two numbers of 32 bytes in place of ASN.1 (RFC 7518, 3.4)
		var pair struct{ R, S *big.Int }
		if _, err = asn1.Unmarshal(signed, &pair); err == nil {
			signed = append(pair.R.FillBytes(make([]byte, 32)), pair.S.FillBytes(make([]byte, 32))...)
		}
	}
	if err != nil {
		p.T.Error(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signed)
}

func (p *IdentityProvider) write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		p.T.Error(err)
	}
}
