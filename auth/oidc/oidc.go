// Package oidc has people sign in at another service that speaks OpenID Connect. It sends browsers there, and takes what
// they bring back; it keeps nothing but what the service says of itself.
package oidc

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"alcove/auth"
)

const (
	patience  = 10 * time.Second // for one answer of the service
	mostBytes = 1 << 20          // of one answer
	keptFor   = 24 * time.Hour   // what the service says of itself
	tryAgain  = 2 * time.Second  // after it could not be asked
	mostText  = 2000             // of each part of what a browser brings
	skew      = 30 * time.Second // by which the clock of the service may be behind
)

var (
	// ErrUnavailable says that the service could not be asked. It is wrapped with the reason.
	ErrUnavailable = errors.New("the service for signing in cannot be asked")
	// ErrRefused says that the service, or the person there, has refused.
	ErrRefused = errors.New("the service for signing in has refused")
	// ErrAnswer says that what a browser brought back is not an answer to what was asked. It is wrapped with the reason.
	ErrAnswer = errors.New("the answer of the service for signing in is not right")
)

// Config is a provider as an operator has named it.
type Config struct {
	Name, Label string // in addresses, and on pages
	Issuer      string // exactly as the service writes it
	ClientID    string
	SecretFile  string // "" for none
	Scopes      []string
	CA          string // PEM file, "" for the authorities of the system
	Verified    string // the claim that says that the mail address was checked
	ORCID       bool   // subjects are ORCID iDs
	Callback    string // where the service sends browsers back to
	Admission   auth.Admission
}

// Provider is a service to sign in at.
type Provider struct {
	Config
	client *http.Client
	turn   chan struct{} // of the one that reads or changes what follows
	found  *found
	asked  time.Time
	failed error
}

// found is what the service has said of itself.
type found struct {
	provider *oidc.Provider
	conf     oauth2.Config
	namesIss bool // each answer names the issuer (RFC 9207)
}

// New is the provider of a configuration. It is asked when the first person wants to sign in there.
func New(c Config) (*Provider, error) {
	var certificates *x509.CertPool
	if c.CA != "" {
		pem, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("cannot read the authority of %s: %w", c.Name, err)
		}
		if certificates = x509.NewCertPool(); !certificates.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("cannot find a certificate in %s", c.CA)
		}
	}
	if _, err := c.secret(); err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: certificates, MinVersion: tls.VersionTLS12}
	transport.ResponseHeaderTimeout = patience
	return &Provider{Config: c, turn: make(chan struct{}, 1), client: &http.Client{
		Transport: bounded{transport}, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (c Config) secret() (string, error) {
	if c.SecretFile == "" {
		return "", nil
	}
	b, err := os.ReadFile(c.SecretFile)
	if err != nil {
		return "", fmt.Errorf("cannot read the secret of %s: %w", c.Name, err)
	}
	return strings.TrimSpace(string(b)), nil
}

// bounded cuts answers that are too long.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, mostBytes), res.Body}
	}
	return res, err
}

// discover asks the service what it is, when that is not known already.
func (p *Provider) discover(ctx context.Context) (*found, error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.turn }()
	age := time.Since(p.asked)
	if p.failed != nil && age < tryAgain {
		return nil, p.failed
	}
	if p.found != nil && p.failed == nil && age < keptFor {
		return p.found, nil
	}
	f, err := p.ask(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err() // the person has gone, which says nothing of the service
	}
	p.asked, p.failed = time.Now(), nil
	switch {
	case err == nil:
		p.found = f
	case p.found == nil:
		p.failed = fmt.Errorf("%w: %s: %w", ErrUnavailable, p.Name, err)
		return nil, p.failed
	}
	return p.found, nil // of before, where it cannot be asked now
}

func (p *Provider) ask(ctx context.Context) (*found, error) {
	provider, err := oidc.NewProvider(p.context(ctx), p.Issuer)
	if err != nil {
		return nil, err
	}
	var says struct {
		Iss     bool     `json:"authorization_response_iss_parameter_supported"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&says); err != nil {
		return nil, err
	}
	secret, err := p.secret()
	if err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	for _, at := range []string{endpoint.AuthURL, endpoint.TokenURL} {
		if u, err := url.Parse(at); err != nil || u.Scheme != "https" && !strings.HasPrefix(p.Issuer, "http://") {
			return nil, fmt.Errorf("it has no address of HTTPS: %q", at)
		}
	}
	if endpoint.AuthStyle = oauth2.AuthStyleInHeader; secret == "" || len(says.Methods) > 0 && !slices.Contains(says.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return &found{provider, oauth2.Config{
		ClientID: p.ClientID, ClientSecret: secret, Endpoint: endpoint, RedirectURL: p.Callback, Scopes: p.Scopes,
	}, says.Iss}, nil
}

func (p *Provider) context(ctx context.Context) context.Context {
	return oidc.ClientContext(ctx, p.client)
}

// Leave is the address that a browser is sent to, and what it has to come back with.
func (p *Provider) Leave(ctx context.Context, next string, account int64) (address string, a auth.Away, err error) {
	f, err := p.discover(ctx)
	if err != nil {
		return "", a, err
	}
	a = auth.Away{
		Provider: p.Name, Next: next, Account: account,
		State: oauth2.GenerateVerifier(), Nonce: oauth2.GenerateVerifier(), Verifier: oauth2.GenerateVerifier(),
	}
	return f.conf.AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), a, nil
}

// Answer is what the service says of the person who comes back with the parameters of an address. The state in them was compared
// already (auth.ComeBack). now is the time at which the token must not have expired.
func (p *Provider) Answer(ctx context.Context, a auth.Away, brought url.Values, now time.Time) (said auth.Said, err error) {
	f, err := p.discover(ctx)
	if err != nil {
		return said, err
	}
	for _, name := range []string{"code", "iss", "error", "state"} {
		if v := brought[name]; len(v) > 1 || len(v) == 1 && len(v[0]) > mostText {
			return said, wrong("%s is too long, or there twice", name)
		}
	}
	if iss := brought.Get("iss"); iss != p.Issuer && (f.namesIss || iss != "") {
		return said, wrong("it is that of %q", iss)
	}
	if refusal := brought.Get("error"); refusal != "" {
		return said, fmt.Errorf("%w: %q", ErrRefused, refusal)
	}
	if brought.Get("code") == "" {
		return said, wrong("there is no code")
	}
	ctx = p.context(ctx)
	token, err := f.conf.Exchange(ctx, brought.Get("code"), oauth2.VerifierOption(a.Verifier))
	if refused := (*oauth2.RetrieveError)(nil); errors.As(err, &refused) && refused.ErrorCode != "" {
		return said, wrong("the code is refused: %q", refused.ErrorCode)
	}
	if err != nil {
		return said, fmt.Errorf("%w: %s: %w", ErrUnavailable, p.Name, err)
	}
	raw, _ := token.Extra("id_token").(string)
	verifier := f.provider.Verifier(&oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return now.Add(-skew) }})
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return said, wrong("%w", err)
	}
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return said, wrong("%w", err)
	}
	azp, _ := claims["azp"].(string)
	switch {
	case id.Subject == "" || len(id.Subject) > mostText:
		return said, wrong("it names no subject")
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(a.Nonce)) != 1:
		return said, wrong("its nonce is another one")
	case azp != "" && azp != p.ClientID || azp == "" && len(id.Audience) > 1:
		return said, wrong("it is for another application")
	}
	if f.provider.UserInfoEndpoint() != "" {
		info, err := f.provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if cut := (*url.Error)(nil); errors.As(err, &cut) {
			return said, fmt.Errorf("%w: %s: %w", ErrUnavailable, p.Name, err)
		}
		if err != nil {
			return said, wrong("%w", err)
		}
		var more map[string]any
		if err := info.Claims(&more); err != nil || info.Subject != id.Subject {
			return said, wrong("it tells of another person")
		}
		claims = both(claims, more, p.Verified)
	}
	return p.said(id.Subject, claims), nil
}

// both are the claims of the token, and those that only the other answer has. Whether an address was checked is told by
// the one that has the address.
func both(token, more map[string]any, verified string) map[string]any {
	if _, there := token["email"]; there {
		delete(more, verified)
	} else {
		delete(token, verified)
	}
	for name, value := range token {
		more[name] = value
	}
	return more
}

func (p *Provider) said(subject string, object map[string]any) auth.Said {
	claims := auth.NewClaims(object)
	s := auth.Said{Provider: p.Name, Issuer: p.Issuer, Subject: subject, Claims: claims}
	if list := claims["email"]; len(list) == 1 {
		verified := claims[p.Verified]
		s.Email = list[0]
		s.Verified = len(verified) == 1 && (verified[0] == "true" || verified[0] == "1")
	}
	s.FirstName, s.LastName = claims.First("given_name"), claims.First("family_name")
	if s.FirstName == "" && s.LastName == "" {
		s.LastName = claims.First("name")
	}
	return s
}

func wrong(format string, about ...any) error {
	return fmt.Errorf("%w: %w", ErrAnswer, fmt.Errorf(format, about...))
}
