package record

import (
	"errors"
	"net/url"
	"strings"
	"time"
)

// Application is a program that may ask people to let it act for them (OAuth 2.0, RFC 6749); its key and
// id is its client_id.
type Application struct {
	ID        string    `json:"id"`
	AccountID int64     `json:"account_id"` // who registered it
	Name      string    `json:"name"`
	Redirects []string  `json:"redirects"` // addresses that people are led back to
	Secret    string    `json:"secret"`    // hex SHA-256, "" for a public client, which can keep none
	Created   time.Time `json:"created"`
	Modified  time.Time `json:"modified"`
}

// Authorization lets an application act for an account. Its key is the hex SHA-256 of the handle that its code
// and its refresh tokens begin with; they and the handle are not stored.
type Authorization struct {
	AccountID int64     `json:"account_id"`
	ClientID  string    `json:"client_id"`
	Scope     Scope     `json:"scope"`
	Created   time.Time `json:"created"`
	Renewed   time.Time `json:"renewed"` // when tokens were given last
	Expires   time.Time `json:"expires"` // of the code, then of the refresh token, or of an access token without one

	Code      string `json:"code"`      // hex SHA-256, "" where there was none
	CodeUsed  bool   `json:"code_used"` // tokens were given for it
	Redirect  string `json:"redirect"`  // where the code was sent
	Challenge string `json:"challenge"` // of PKCE (RFC 7636, S256), "" for none
	Refresh   string `json:"refresh"`   // hex SHA-256 of the refresh token that is good, "" for none yet
}

// Bounds of the addresses of an application.
const (
	MaxRedirects = 10
	MaxRedirect  = 1000 // bytes
)

// The ways in which an address is none that people can be led back to.
var (
	ErrRedirectForm     = errors.New("not an absolute address")
	ErrRedirectPart     = errors.New("has a fragment, a user name, a backslash, a wildcard or . and .. in its path")
	ErrRedirectInsecure = errors.New("http is for this machine only: 127.0.0.1, [::1] or localhost")
	ErrRedirectScheme   = errors.New("a scheme of an application's own is the name of a domain, backwards")
)

// CheckRedirect says what is wrong with an address that an application wants people led back to. It may be of
// https, of http on the machine of the person itself, or of a scheme of its own (RFC 8252).
func CheckRedirect(at string) error {
	if strings.ContainsAny(at, `#\*`) {
		return ErrRedirectPart
	}
	u, err := url.Parse(at)
	if err != nil || len(at) > MaxRedirect || u.Scheme == "" || strings.ContainsFunc(at, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'<>`{}|^;,", r) }) {
		return ErrRedirectForm
	}
	if u.User != nil || strings.Contains(u.Host, "@") || dotted(u) {
		return ErrRedirectPart
	}
	switch {
	case u.Scheme == "https" && u.Hostname() != "":
	case u.Scheme == "http" && u.Hostname() != "":
		if host := u.Hostname(); host != "localhost" && host != "127.0.0.1" && host != "::1" {
			return ErrRedirectInsecure
		}
	case u.Scheme == "https" || u.Scheme == "http":
		return ErrRedirectForm
	case !strings.Contains(u.Scheme, ".") || u.Host != "" || u.Opaque != "":
		return ErrRedirectScheme
	}
	return nil
}

// dotted reports whether a path has steps that a browser would take away.
func dotted(u *url.URL) bool {
	for _, step := range strings.Split(u.Path, "/") {
		if step == "." || step == ".." {
			return true
		}
	}
	return false
}

// Registered reports whether people may be led to an address: it is one of the application's to the letter, or,
// on the machine of the person itself, with any port (RFC 8252, 7.3).
func (a *Application) Registered(at string) bool {
	for _, one := range a.Redirects {
		if at == one {
			return true
		}
		if own, ok := loopback(one); ok {
			if asked, ok := loopback(at); ok && asked == own {
				return true
			}
		}
	}
	return false
}

// loopback is an address of http on the machine itself, named by number, without its port.
func loopback(at string) (rest string, ok bool) {
	for _, host := range []string{"http://127.0.0.1", "http://[::1]"} {
		rest, ours := strings.CutPrefix(at, host)
		if !ours {
			continue
		}
		if port, some := strings.CutPrefix(rest, ":"); some {
			digits := strings.TrimLeft(port, "0123456789")
			if n := len(port) - len(digits); n == 0 || n > 5 {
				return "", false
			}
			rest = digits
		}
		if rest == "" || rest[0] == '/' || rest[0] == '?' {
			return host + rest, true
		}
	}
	return "", false
}
