package present

import (
	"time"

	"alcove/record"
)

// OAuthToken is what an application gets (RFC 6749, 5.1), and what is told of a token. A key without a value is left out of
// it, unlike elsewhere: clients of OAuth 2.0 refuse null.
type OAuthToken struct {
	Access    string `json:"access_token"`
	Token     string `json:"token"` // the same
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in,omitzero"` // seconds
	Refresh   string `json:"refresh_token,omitzero"`
	Scope     string `json:"scope"`
}

// NewOAuthToken is what is told of an access token; lasts is 0 where it does not expire, and refresh is ""
// for none.
func NewOAuthToken(access, refresh string, lasts time.Duration, scope record.Scope) OAuthToken {
	if scope == "" {
		scope = record.ScopeAll
	}
	return OAuthToken{access, access, "bearer", int64(lasts / time.Second), refresh, string(scope)}
}

// OAuthRefusal is the refusal of a token (RFC 6749, 5.2).
type OAuthRefusal struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// OAuthServer is what a client has to know of this server (RFC 8414).
type OAuthServer struct {
	Issuer              string   `json:"issuer"`
	Authorize           string   `json:"authorization_endpoint"`
	Token               string   `json:"token_endpoint"`
	Revoke              string   `json:"revocation_endpoint"`
	Documentation       string   `json:"service_documentation"`
	Scopes              []string `json:"scopes_supported"`
	ResponseTypes       []string `json:"response_types_supported"`
	ResponseModes       []string `json:"response_modes_supported"`
	GrantTypes          []string `json:"grant_types_supported"`
	TokenAuthMethods    []string `json:"token_endpoint_auth_methods_supported"`
	RevokeAuthMethods   []string `json:"revocation_endpoint_auth_methods_supported"`
	ChallengeMethods    []string `json:"code_challenge_methods_supported"`
	AuthorizationHasIss bool     `json:"authorization_response_iss_parameter_supported"`
	UILocales           []string `json:"ui_locales_supported"`
}
