package handlers

import (
	"bytes"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
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

// FormOrJSON is an endpoint of OAuth, whose body is the fields of a form or a JSON object. A field without a value
// counts as not sent.
func FormOrJSON[B any](h func(*Call, *B) (Reply, error)) Endpoint {
	return Endpoint{body: formBody, fields: reflect.TypeFor[B](), run: func(_ *API, c *Call) (r Reply, err error) {
		body := new(B)
		if err = c.readFields(body); err == nil {
			r, err = h(c, body)
		}
		var refused *auth.Refusal
		if errors.As(err, &refused) {
			r, err = Reply{Status: http.StatusBadRequest, Body: present.OAuthRefusal{Error: refused.Code, Description: refused.About}}, nil
		}
		if err == nil {
			r.Header = http.Header{"Cache-Control": {"no-store"}, "Pragma": {"no-cache"}}
		}
		return r, err
	}}
}

// readFields reads the body of a FormOrJSON. The error is an *auth.Refusal.
func (c *Call) readFields(into any) error {
	if len(c.form) > maxFields {
		return record.ErrBodyTooLarge
	}
	text := c.form
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{")) {
		fields, err := url.ParseQuery(string(text))
		if err != nil {
			return &auth.Refusal{Code: "invalid_request", About: "The body is neither the fields of a form nor a JSON object"}
		}
		object := map[string]string{}
		for name, values := range fields {
			if len(values) > 1 {
				return &auth.Refusal{Code: "invalid_request", About: "A field was sent more than once"}
			}
			object[name] = values[0]
		}
		if text, err = present.Encode(object); err != nil {
			return err
		}
	}
	body, err := record.ReadBody(text, true)
	if err == nil {
		_, err = body.WithoutNulls().Bind(into)
	}
	if err != nil {
		return &auth.Refusal{Code: "invalid_request", About: "The fields cannot be read: " + printable(err.Error())}
	}
	return nil
}

// printable is a text as an error_description may have it (RFC 6749, 5.2).
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			return '\''
		}
		return r
	}, text)
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
func (a *API) client(c *Call, id, secret string) (*auth.Client, error) {
	if user, password, basic := c.request.BasicAuth(); basic {
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
	giveBack, wait := a.guards().passwordsFrom.Lend(a.caller(c), time.Now())
	if wait > 0 {
		return nil, tooMany(record.ErrTooManySecrets, wait)
	}
	client, err := a.auth.Client(id, secret)
	if err == nil {
		giveBack()
	}
	return client, err
}

// TokenGive is the token endpoint.
func (a *API) TokenGive(c *Call, b *TokenRequest) (Reply, error) {
	client, err := a.client(c, said(b.ClientID), said(b.ClientSecret))
	if err != nil {
		return Reply{}, err
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
		given, err = a.auth.Exchange(c.Context, c.by(), client, said(b.Code), said(b.RedirectURI), said(b.CodeVerifier))
	case kind == "refresh_token" && said(b.RefreshToken) == "":
		err = missing("refresh_token")
	case kind == "refresh_token":
		given, err = a.auth.Refresh(c.Context, c.by(), client, said(b.RefreshToken), said(b.Scope))
	case kind == "client_credentials":
		given, err = a.auth.ForItself(c.Context, c.by(), client, said(b.Scope))
	case kind == "password" && a.Limits.PasswordGrant && (said(b.Username) == "" || said(b.Password) == ""):
		err = missing("username or password")
	case kind == "password" && a.Limits.PasswordGrant:
		given, err = a.givenForPassword(c, client, b)
	default:
		err = &auth.Refusal{Code: "unsupported_grant_type", About: "The grant types are " + strings.Join(a.grantTypes(), ", ")}
	}
	if err != nil {
		return Reply{}, c.guessed(err)
	}
	return Reply{Body: present.NewOAuthToken(given.Access, given.Refresh, given.Lasts, given.Scope)}, nil
}

// guessed is the refusal of what an application has sent. A code or token that is wrong counts as a wrong token.
func (c *Call) guessed(err error) error {
	var refused *auth.Refusal
	if errors.As(err, &refused) && refused.Code == "invalid_grant" {
		if slow := c.wrongToken(); slow != nil {
			return slow
		}
	}
	return err
}

// givenForPassword gives an application tokens for an account whose mail and password it has sent.
func (a *API) givenForPassword(c *Call, client *auth.Client, b *TokenRequest) (*auth.Given, error) {
	var acc *record.Account
	err := a.tryPassword(c, said(b.Username), func() (err error) {
		acc, err = a.auth.Check(c.Context, said(b.Username), said(b.Password))
		return err
	})
	if errors.Is(err, auth.ErrWrong) {
		err = &auth.Refusal{Code: "invalid_grant", About: "No account has this address and this password"}
	}
	if err != nil {
		return nil, err
	}
	factor, err := a.auth.Factor(acc.ID)
	if err == nil && factor != nil && factor.Used {
		err = &auth.Refusal{Code: "invalid_grant", About: "The account has a second factor, which this grant cannot ask for"}
	}
	if err != nil {
		return nil, err
	}
	return a.auth.ForPassword(c.Context, c.by(), client, acc.ID, said(b.Scope))
}

// grantTypes are those of the token endpoint.
func (a *API) grantTypes() []string {
	types := []string{"authorization_code", "refresh_token", "client_credentials"}
	if a.Limits.PasswordGrant {
		types = append(types, "password")
	}
	return types
}

// TokenRevoke ends a token of an application.
func (a *API) TokenRevoke(c *Call, b *RevokeRequest) (Reply, error) {
	client, err := a.client(c, said(b.ClientID), said(b.ClientSecret))
	if err == nil && said(b.Token) == "" {
		err = &auth.Refusal{Code: "invalid_request", About: "token is missing"}
	}
	if err == nil {
		err = c.guessed(a.auth.Revoke(c.Context, c.by(), client, said(b.Token)))
	}
	return Reply{Body: struct{}{}}, err
}

// TokenRead tells of the token that came with the request.
func (a *API) TokenRead(c *Call) (r Reply, err error) {
	token, err := c.token(Account)
	if err != nil {
		return Reply{}, err
	}
	err = a.DB.View(func(tx *bucket.Tx) error {
		t, err := bucket.Tokens.Get(tx, auth.TokenKey(token))
		if errors.Is(err, bucket.ErrNotFound) { // revoked just now
			return record.ErrNoToken
		}
		if err != nil {
			return err
		}
		lasts := time.Duration(0)
		if !t.Expires.IsZero() {
			lasts = max(t.Expires.Sub(tx.Latest()), time.Second)
		}
		r = Reply{Body: present.NewOAuthToken(token, "", lasts, t.Scope), Header: http.Header{"Cache-Control": {"no-store"}}}
		return nil
	})
	return r, err
}

// Issuer names this server to OAuth clients (RFC 8414, RFC 9207).
func (a *API) Issuer() string { return strings.TrimSuffix(a.Settings.SiteURL, "/") }

// OAuthServer tells clients where everything is.
func (a *API) OAuthServer(*Call) (Reply, error) {
	ways := []string{"client_secret_basic", "client_secret_post", "none"}
	var scopes []string
	for _, s := range slices.Backward(record.Scopes) {
		scopes = append(scopes, string(s))
	}
	return Reply{Body: present.OAuthServer{
		Issuer: a.Issuer(), Authorize: a.Issuer() + AuthorizePath, Token: a.Settings.BaseURL + "/v2/token", Revoke: a.Settings.BaseURL + "/v2/token/revoke",
		Documentation: a.Settings.BaseURL + "/v2/docs", Scopes: scopes, ResponseTypes: []string{"code"}, ResponseModes: []string{"query"},
		GrantTypes: a.grantTypes(), TokenAuthMethods: ways, RevokeAuthMethods: ways, ChallengeMethods: []string{"S256"},
		AuthorizationHasIss: true, UILocales: []string{"en", "de"},
	}}, nil
}

// AuthorizePath is where people are asked whether an application may act for them.
const AuthorizePath = "/account/applications/authorize"

// Authorization reads what an application asks of the person: see auth.Service.Request.
func (a *API) Authorization(asked auth.Asked) (*auth.Request, error) { return a.auth.Request(asked) }

// Authorize lets an application act for the person, and returns the code for it. The error is auth.ErrTooMany where
// as many others do as may.
func (a *API) Authorize(c *Call, r *auth.Request) (code string, err error) {
	return a.auth.Authorize(c.Context, c.by(), c.person.ID, r)
}

// Applications that the person has registered, and those that act for it.

// Applications are those that the person has registered, the newest first.
func (a *API) Applications(c *Call) ([]*record.Application, error) {
	return a.auth.Applications(c.person.ID)
}

// ApplicationAdd registers one whose addresses were checked, and returns its client_id and, where it is confidential,
// its secret, which cannot be shown again. The error is auth.ErrTooMany where there is no room for
// one more.
func (a *API) ApplicationAdd(c *Call, name string, redirects []string, confidential bool) (id, secret string, err error) {
	app := record.Application{AccountID: c.person.ID, Name: name, Redirects: redirects}
	return a.auth.AddApplication(c.Context, c.by(), app, confidential)
}

// ApplicationSecret gives one another secret. The error is auth.ErrNoApplication where the person has no such one.
func (a *API) ApplicationSecret(c *Call, id string) (secret string, err error) {
	return a.auth.NewSecret(c.Context, c.by(), c.person.ID, id)
}

// ApplicationDelete deletes one.
func (a *API) ApplicationDelete(c *Call, id string) error {
	return a.auth.DeleteApplication(c.Context, c.by(), c.person.ID, id)
}

// Connected are the applications that may act for the person, by name.
func (a *API) Connected(c *Call) ([]*auth.Connected, error) { return a.auth.Connected(c.person.ID) }

// Disconnect ends all that an application was given for the person.
func (a *API) Disconnect(c *Call, id string) error {
	return a.auth.Disconnect(c.Context, c.by(), c.person.ID, id)
}
