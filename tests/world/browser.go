package world

import (
	"net/http"
	"net/url"
	"strings"

	"alcove/cli/operate"
)

// Password is that of people who sign in.
const Password = "correct horse battery"

// Browser keeps the cookies of a server, as a browser does that follows no redirect.
type Browser struct {
	Client
	Cookies map[string]*http.Cookie
}

// Browser is one without a cookie.
func (s *Server) Browser() *Browser {
	return &Browser{s.Anon, map[string]*http.Cookie{}}
}

// Member makes an account that has a password, and returns its e-mail address.
func (s *Server) Member(name string) string {
	s.T.Helper()
	email := strings.ToLower(name) + "@example.org"
	s.Operate("account", operate.NewAccount{Email: email, FirstName: name, LastName: "Tester", Password: Password}, nil)
	return email
}

// SignedIn is a browser in which a person has signed in.
func (s *Server) SignedIn(email, password string) *Browser {
	s.T.Helper()
	b := s.Browser()
	b.Post("/sign-in", url.Values{"email": {email}, "password": {password}}).Is(303)
	return b
}

// Scripts are those of the pages that the browser has open: a client with its session.
func (b *Browser) Scripts() Client {
	for name, k := range b.Cookies {
		if k.Value == b.Secret() {
			return Client{Server: b.Server, Session: name + "=" + k.Value}
		}
	}
	return b.Client
}

// Secret is that of the session of the browser, "" for none.
func (b *Browser) Secret() string {
	for name, k := range b.Cookies {
		if name == "__Host-alcove" || name == "alcove-demo" {
			return k.Value
		}
	}
	return ""
}

// Open opens a page.
func (b *Browser) Open(path string, headers ...string) *Reply {
	b.Server.T.Helper()
	return b.keep(b.Do("GET", path, nil, b.Sent(headers...)...))
}

// Post sends a form as its page does.
func (b *Browser) Post(path string, fields url.Values, headers ...string) *Reply {
	b.Server.T.Helper()
	headers = append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)
	if !strings.Contains(strings.Join(headers, ""), "Origin") && !strings.Contains(strings.Join(headers, ""), "Sec-Fetch-Site") {
		headers = append(headers, "Sec-Fetch-Site", "same-origin")
	}
	return b.keep(b.Do("POST", path, strings.NewReader(fields.Encode()), b.Sent(headers...)...))
}

// Sent are the header lines of a request: those of a browser, those given, and the cookies.
func (b *Browser) Sent(headers ...string) []string {
	headers = append([]string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}, headers...)
	for name, k := range b.Cookies {
		headers = append(headers, "Cookie", name+"="+k.Value)
	}
	return headers
}

func (b *Browser) keep(r *Reply) *Reply {
	for _, k := range r.Cookies() {
		if b.Cookies[k.Name] = k; k.MaxAge < 0 {
			delete(b.Cookies, k.Name)
		}
	}
	return r
}

// Depositor is a person with a token and a browser that is signed in.
func (s *Server) Depositor(name string) (Client, *Browser) {
	s.T.Helper()
	email := s.Member(name)
	var token string
	s.Operate("token", map[string]string{"account": email, "name": "test"}, &token)
	return Client{Server: s, Token: token}, s.SignedIn(email, Password)
}

// SignIn is a browser in which the account of a token is signed in, by a link that an operator made.
func (c Client) SignIn() *Browser {
	s := c.Server
	s.T.Helper()
	email, _ := c.Get("/v2/account").Is(200).Object()["email"].(string)
	var at string
	s.Operate("one_time", operate.OneTime{Email: email, Reset: true}, &at)
	b := s.Browser()
	b.Post(strings.TrimPrefix(at, s.URL), url.Values{"new": {Password}, "again": {Password}}).Is(303)
	return b
}
