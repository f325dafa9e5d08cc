package account

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"alcove/auth"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/site"
	"alcove/site/words"
)

// authorize is the page that asks a person whether an application may act for them (RFC 6749, 4.1.1).
type authorize struct {
	*site.Frame
	site.Form
	Refused     string // why nothing is asked, "" where it is
	Application string
	Owner       string // who registered it, "" for a person without a name
	Host        string // where the person is led back to
	As          string
	May         []string     // what the application asks for, in sentences
	Fixed       []site.Field // what was asked, to be sent back with the answer
}

// parametersOfRequest are those of an authorization request that count here.
var parametersOfRequest = []string{"client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge", "code_challenge_method"}

// mostState bounds what an application wants to have back.
const mostState = 2000

// authorizationRequest is what an application asks, and its state.
func authorizationRequest(values func(name string) []string) (asked auth.Asked, state string) {
	one := func(name string) string {
		all := values(name)
		if len(all) > 1 && asked.Repeated == "" {
			asked.Repeated = name
		}
		if len(all) == 0 {
			return ""
		}
		return all[0]
	}
	asked.ClientID, asked.Redirect, asked.Type = one("client_id"), one("redirect_uri"), one("response_type")
	asked.Scope, asked.Challenge, asked.Method = one("scope"), one("code_challenge"), one("code_challenge_method")
	if state = one("state"); len(state) > mostState {
		asked.TooLong, state = "state", ""
	}
	return asked, state
}

// AuthorizePage asks. Neither a page nor a program can answer in the place of the person: what was granted before is
// asked again.
func (s *Pages) AuthorizePage(c *endpoint.Call) (endpoint.Reply, error) {
	at := c.Address()
	query := at.Query()
	asked, state := authorizationRequest(func(name string) []string { return query[name] })
	r, reply, err := s.request(c, asked, state)
	if r == nil {
		return reply, err
	}
	return s.authorizePage(c, http.StatusOK, r, asked, state, "")
}

// Authorize takes the answer. The browser leaves with 303, so that nothing of the form goes along.
func (s *Pages) Authorize(c *endpoint.Call) (endpoint.Reply, error) {
	asked, state := authorizationRequest(func(name string) []string { return []string{c.Field(name)} })
	r, reply, err := s.request(c, asked, state)
	if r == nil {
		return reply, err
	}
	if c.Field("allow") == "" {
		return s.back(r, state, "error", "access_denied", "error_description", "The person has refused")
	}
	code, err := s.api.Authorize(c, r)
	if errors.Is(err, auth.ErrTooMany) {
		return s.authorizePage(c, http.StatusUnprocessableEntity, r, asked, state, site.WordsOf(c).Applications.ConnectedMany)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return s.back(r, state, "code", code)
}

// request is what is asked, nil where the reply says what is wrong with it: to the person where the application or its
// address is wrong, otherwise to the application.
func (s *Pages) request(c *endpoint.Call, asked auth.Asked, state string) (*auth.Request, endpoint.Reply, error) {
	r, err := s.api.Authorization(asked)
	words := &site.WordsOf(c).Applications
	var refused *auth.Refusal
	switch {
	case errors.Is(err, auth.ErrUnknownApplication):
		reply, err := s.authorizeRefused(c, words.UnknownApplication)
		return nil, reply, err
	case errors.Is(err, auth.ErrRedirect):
		reply, err := s.authorizeRefused(c, words.UnknownRedirect)
		return nil, reply, err
	case errors.As(err, &refused):
		reply, err := s.back(r, state, "error", refused.Code, "error_description", refused.About)
		return nil, reply, err
	case err != nil:
		return nil, endpoint.Reply{}, err
	}
	return r, endpoint.Reply{}, nil
}

// back leads to the address of the application, with what it asked to have back and which server answers (RFC 9207).
func (s *Pages) back(r *auth.Request, state string, answer ...string) (endpoint.Reply, error) {
	if state != "" {
		answer = append(answer, "state", state)
	}
	answer = append(answer, "iss", s.api.Issuer())
	var to strings.Builder
	to.WriteString(r.Redirect)
	sep := "?"
	if strings.Contains(r.Redirect, "?") {
		sep = "&"
	}
	for i := 0; i < len(answer); i += 2 {
		to.WriteString(sep + answer[i] + "=" + url.QueryEscape(answer[i+1]))
		sep = "&"
	}
	header := http.Header{"Cache-Control": {"no-store"}, "Referrer-Policy": {"no-referrer"}}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: to.String(), Header: header}, nil
}

func (s *Pages) authorizeRefused(c *endpoint.Call, why string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	f.Title = f.Words.Applications.AuthorizeRefused
	f.Main = authorize{Frame: f, Refused: why}
	return s.formPage(c, "authorize", http.StatusBadRequest, f)
}

func (s *Pages) authorizePage(c *endpoint.Call, status int, r *auth.Request, asked auth.Asked, state, said string) (endpoint.Reply, error) {
	f := s.site.Frame(c)
	w := &f.Words.Applications
	f.Title = w.Authorize
	v := authorize{Frame: f, Form: site.Form{Said: said}, Application: r.Name, Owner: r.Owner, Host: hostOf(r.Redirect), As: c.Person().Email, May: mayDo(w, r.Scope)}
	for i, value := range []string{asked.ClientID, asked.Redirect, asked.Type, asked.Scope, state, asked.Challenge, asked.Method} {
		if value != "" {
			v.Fixed = append(v.Fixed, site.Field{Name: parametersOfRequest[i], Value: value})
		}
	}
	f.Main = v
	reply, err := s.formPage(c, "authorize", status, f)
	if err == nil {
		reply.Header.Set("Content-Security-Policy", strings.Replace(site.Policy, "form-action 'self'", "form-action 'self' "+formTarget(r.Redirect), 1))
	}
	return reply, err
}

// hostOf is what people know an address by: its host, or the scheme of an application on their own machine.
func hostOf(at string) string {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" {
		return strings.TrimSuffix(strings.SplitAfterN(at, ":", 2)[0], ":")
	}
	return u.Host
}

// formTarget is an address as a Content-Security-Policy names it. Browsers hold the address that a form is led to by
// its answer against the policy too. It has no words for numeric hosts of IPv6.
func formTarget(at string) string {
	u, err := url.Parse(at)
	switch {
	case err != nil:
		return ""
	case u.Host == "" || strings.HasPrefix(u.Host, "["):
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host
}

// mayDo is what a scope lets an application do.
func mayDo(w *words.Applications, scope record.Scope) []string {
	switch scope {
	case record.ScopeRead:
		return []string{w.MayRead, w.MayNotChange}
	case record.ScopeUpload:
		return []string{w.MayRead, w.MayUpload, w.MayNotPublish}
	}
	return []string{w.MayAll}
}
