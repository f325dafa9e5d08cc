package people

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
)

// The token endpoint of OAuth 2.0 (RFC 6749), and what goes with it. Refusals have the form of that RFC and
// the status 400, also for a client that has not shown its secret.

// TokenRequest are the parameters of the token endpoint: a form, or a JSON object.
type TokenRequest struct {
	GrantType    *string `json:"grant_type"`
	ClientID     *string `json:"client_id"`
	ClientSecret *string `json:"client_secret"`
	Code         *string `json:"code"`
	RedirectURI  *string `json:"redirect_uri"`
	CodeVerifier *string `json:"code_verifier"`
	RefreshToken *string `json:"refresh_token"`
	Username     *string `json:"username"`
	Password     *string `json:"password"`
	Scope        *string `json:"scope"`
}

// RevokeRequest are the parameters of the revocation of a token (RFC 7009).
type RevokeRequest struct {
	Token         *string `json:"token"`
	TokenTypeHint *string `json:"token_type_hint"`
	ClientID      *string `json:"client_id"`
	ClientSecret  *string `json:"client_secret"`
}

// said is a field, "" where it was not sent.
func said(field *string) string {
	if field == nil {
		return ""
	}
	return *field
}

// client is the application that sends a request and has shown who it is, in the header Authorization (Basic) or in the
// body, but not in both. Wrong secrets are paced by address and not by
// application: they are too long to be guessed from many addresses, and an attacker could shut the application out.
func (a *People) client(c *endpoint.Call, id, secret string) (*auth.Client, error) {
	if user, password, basic := c.Request.BasicAuth(); basic {
		user, bad := url.QueryUnescape(user)
		password, worse := url.QueryUnescape(password)
		if bad != nil || worse != nil {
			return nil, &auth.Refusal{Code: "invalid_client", About: "client_id and secret have to be encoded as in a form"}
		}
		if secret != "" || id != "" && id != user {
			return nil, &auth.Refusal{Code: "invalid_request", About: "The application has shown who it is in more than one way"}
		}
		id, secret = user, password
	}
	if id == "" {
		return nil, &auth.Refusal{Code: "invalid_client", About: "client_id is missing"}
	}
	giveBack, wait := a.Rates().PasswordsFrom.Lend(a.Caller(c), time.Now())
	if wait > 0 {
		return nil, endpoint.TooMany(record.ErrTooManySecrets, wait)
	}
	client, err := a.Auth.Client(id, secret)
	if err == nil {
		giveBack()
	}
	return client, err
}

// TokenGive is the token endpoint.
func (a *People) TokenGive(c *endpoint.Call, b *TokenRequest) (endpoint.Reply, error) {
	client, err := a.client(c, said(b.ClientID), said(b.ClientSecret))
	if err != nil {
		return endpoint.Reply{}, err
	}
	missing := func(field string) error {
		return &auth.Refusal{Code: "invalid_request", About: field + " is missing"}
	}
	var given *auth.Given
	switch kind := said(b.GrantType); {
	case kind == "":
		err = missing("grant_type")
	case kind == "authorization_code" && said(b.Code) == "":
		err = missing("code")
	case kind == "authorization_code":
		given, err = a.Auth.Exchange(c.Context, c.By(), client, said(b.Code), said(b.RedirectURI), said(b.CodeVerifier))
	case kind == "refresh_token" && said(b.RefreshToken) == "":
		err = missing("refresh_token")
	case kind == "refresh_token":
		given, err = a.Auth.Refresh(c.Context, c.By(), client, said(b.RefreshToken), said(b.Scope))
	case kind == "client_credentials":
		given, err = a.Auth.ForItself(c.Context, c.By(), client, said(b.Scope))
	case kind == "password" && a.Limits.PasswordGrant && (said(b.Username) == "" || said(b.Password) == ""):
		err = missing("username or password")
	case kind == "password" && a.Limits.PasswordGrant:
		given, err = a.givenForPassword(c, client, b)
	default:
		err = &auth.Refusal{Code: "unsupported_grant_type", About: "The grant types are " + strings.Join(a.grantTypes(), ", ")}
	}
	if err != nil {
		return endpoint.Reply{}, guessed(c, err)
	}
	return endpoint.Reply{Body: present.NewOAuthToken(given.Access, given.Refresh, given.Lasts, given.Scope)}, nil
}

// guessed is the refusal of what an application has sent. A code or token that is wrong counts as a wrong token.
func guessed(c *endpoint.Call, err error) error {
	var refused *auth.Refusal
	if errors.As(err, &refused) && refused.Code == "invalid_grant" {
		if slow := c.WrongToken(); slow != nil {
			return slow
		}
	}
	return err
}

// givenForPassword gives an application tokens for an account whose mail and password it has sent.
func (a *People) givenForPassword(c *endpoint.Call, client *auth.Client, b *TokenRequest) (*auth.Given, error) {
	var acc *record.Account
	err := a.tryPassword(c, said(b.Username), func() (err error) {
		acc, err = a.Auth.Check(c.Context, said(b.Username), said(b.Password))
		return err
	})
	if errors.Is(err, auth.ErrWrong) {
		err = &auth.Refusal{Code: "invalid_grant", About: "No account has this address and this password"}
	}
	if err != nil {
		return nil, err
	}
	factor, err := a.Auth.Factor(acc.ID)
	if err == nil && factor != nil && factor.Used {
		err = &auth.Refusal{Code: "invalid_grant", About: "The account has a second factor, which this grant cannot ask for"}
	}
	if err != nil {
		return nil, err
	}
	return a.Auth.ForPassword(c.Context, c.By(), client, acc.ID, said(b.Scope))
}

// grantTypes are those of the token endpoint.
func (a *People) grantTypes() []string {
	types := []string{"authorization_code", "refresh_token", "client_credentials"}
	if a.Limits.PasswordGrant {
		types = append(types, "password")
	}
	return types
}

// TokenRevoke ends a token of an application.
func (a *People) TokenRevoke(c *endpoint.Call, b *RevokeRequest) (endpoint.Reply, error) {
	client, err := a.client(c, said(b.ClientID), said(b.ClientSecret))
	if err == nil && said(b.Token) == "" {
		err = &auth.Refusal{Code: "invalid_request", About: "token is missing"}
	}
	if err == nil {
		err = guessed(c, a.Auth.Revoke(c.Context, c.By(), client, said(b.Token)))
	}
	return endpoint.Reply{Body: struct{}{}}, err
}

// TokenRead tells of the token that came with the request.
func (a *People) TokenRead(c *endpoint.Call) (r endpoint.Reply, err error) {
	token, err := c.AccessToken(endpoint.Account)
	if err != nil {
		return endpoint.Reply{}, err
	}
	err = a.DB.View(func(tx *bucket.Tx) error {
		t, err := users.Tokens.Get(tx, auth.TokenKey(token))
		if errors.Is(err, bucket.ErrNotFound) { // revoked just now
			return record.ErrTokenInvalid
		}
		if err != nil {
			return err
		}
		lasts := time.Duration(0)
		if !t.Expires.IsZero() {
			lasts = max(t.Expires.Sub(tx.Latest()), time.Second)
		}
		r = endpoint.Reply{Body: present.NewOAuthToken(token, "", lasts, t.Scope), Header: http.Header{"Cache-Control": {"no-store"}}}
		return nil
	})
	return r, err
}

// Issuer names this server to OAuth clients (RFC 8414, RFC 9207).
func (a *People) Issuer() string { return strings.TrimSuffix(a.Settings.SiteURL, "/") }

// OAuthServer tells clients where everything is.
func (a *People) OAuthServer(*endpoint.Call) (endpoint.Reply, error) {
	ways := []string{"client_secret_basic", "client_secret_post", "none"}
	var scopes []string
	for _, s := range slices.Backward(record.Scopes) {
		scopes = append(scopes, string(s))
	}
	return endpoint.Reply{Body: present.OAuthServer{
		Issuer: a.Issuer(), Authorize: a.Issuer() + AuthorizePath, Token: a.Settings.BaseURL + "/v2/token", Revoke: a.Settings.BaseURL + "/v2/token/revoke",
		Documentation: a.Settings.BaseURL + "/v2/docs", Scopes: scopes, ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: a.grantTypes(), TokenAuthMethods: ways, RevokeAuthMethods: ways, ChallengeMethods: []string{"S256"},
		AuthorizationHasIss: true, UILocales: []string{"en", "de"},
	}}, nil
}

// AuthorizePath is where people are asked whether an application may act for them.
const AuthorizePath = "/account/applications/authorize"

// Authorization reads what an application asks of the person: see auth.Service.Request.
func (a *People) Authorization(asked auth.Asked) (*auth.Request, error) { return a.Auth.Request(asked) }

// Authorize lets an application act for the person, and returns the code for it. The error is auth.ErrTooMany where
// as many others do as may.
func (a *People) Authorize(c *endpoint.Call, r *auth.Request) (code string, err error) {
	return a.Auth.Authorize(c.Context, c.By(), c.Person().ID, r)
}

// Applications that the person has registered, and those that act for it.

// Applications are those that the person has registered, the newest first.
func (a *People) Applications(c *endpoint.Call) ([]*record.Application, error) {
	return a.Auth.Applications(c.Person().ID)
}

// ApplicationAdd registers one whose addresses were checked, and returns its client_id and, where it is confidential,
// its secret, which cannot be shown again. The error is auth.ErrTooMany where there is no room for
// one more.
func (a *People) ApplicationAdd(c *endpoint.Call, name string, redirects []string, confidential bool) (id, secret string, err error) {
	app := record.Application{AccountID: c.Person().ID, Name: name, Redirects: redirects}
	return a.Auth.AddApplication(c.Context, c.By(), app, confidential)
}

// ApplicationSecret gives one another secret. The error is auth.ErrNoApplication where the person has no such one.
func (a *People) ApplicationSecret(c *endpoint.Call, id string) (secret string, err error) {
	return a.Auth.NewSecret(c.Context, c.By(), c.Person().ID, id)
}

// ApplicationDelete deletes one.
func (a *People) ApplicationDelete(c *endpoint.Call, id string) error {
	return a.Auth.DeleteApplication(c.Context, c.By(), c.Person().ID, id)
}

// Connected are the applications that may act for the person, by name.
func (a *People) Connected(c *endpoint.Call) ([]*auth.Connected, error) {
	return a.Auth.Connected(c.Person().ID)
}

// Disconnect ends all that an application was given for the person.
func (a *People) Disconnect(c *endpoint.Call, id string) error {
	return a.Auth.Disconnect(c.Context, c.By(), c.Person().ID, id)
}
