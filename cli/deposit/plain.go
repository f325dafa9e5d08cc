package deposit

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// exitRefused is the exit status of a command that sent nothing because a secret would have left this machine.
const exitRefused = 5

// plainError is the error of a request that was not sent because its credential would be readable on the way.
type plainError struct{ host string }

func (e *plainError) Error() string {
	return fmt.Sprintf("the connection to %s is not encrypted, so the token was not sent: use an https address, "+
		"or add --insecure-http if you trust every network on the way", clean(e.host))
}

// ExitStatus returns the exit status of the command.
func (e *plainError) ExitStatus() int { return exitRefused }

// Unencrypted reports whether an error is of a token that was not sent over plain HTTP.
func Unencrypted(err error) bool {
	_, is := errors.AsType[*plainError](err)
	return is
}

// Encrypted returns a transport that refuses requests with a credential over plain HTTP, unless they stay on this machine.
// It sees each request of a client, redirects included. The function secret reports whether a request has a credential.
func Encrypted(next http.RoundTripper, secret func(*http.Request) bool) http.RoundTripper {
	return encrypted{next, secret}
}

type encrypted struct {
	http.RoundTripper
	secret func(*http.Request) bool
}

// RoundTrip implements http.RoundTripper.
func (t encrypted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !loopback(r.URL) && t.secret(r) {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, &plainError{r.URL.Host}
	}
	return t.RoundTripper.RoundTrip(r)
}

// CloseIdleConnections closes the idle connections of the wrapped transport.
func (t encrypted) CloseIdleConnections() {
	if below, ok := t.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// loopback reports whether an address names this machine.
func loopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
