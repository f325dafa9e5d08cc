package deposit

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

// BaseURL brings the address of a server to one form, without /v2 and a slash at its end.
func BaseURL(to string) (string, error) {
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", fmt.Errorf("%q is not an address such as https://host/v2", clean(to))
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("the address of the server must not hold a user, a query or a fragment")
	}
	host := strings.ToLower(u.Host)
	if p := u.Port(); (p == "443" && u.Scheme == "https") || (p == "80" && u.Scheme == "http") {
		host = strings.TrimSuffix(host, ":"+p)
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	path = strings.TrimRight(strings.TrimSuffix(path, "/v2"), "/")
	return u.Scheme + "://" + host + path, nil
}

// ReadToken is the first line of a file.
func ReadToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cannot read the token: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return "", fmt.Errorf("cannot read the token: %w", err)
	}
	return ParseToken(string(text), path)
}

// ParseToken is the token in the first line of a text from some place, which an error names.
func ParseToken(text, place string) (string, error) {
	first, _, _ := strings.Cut(strings.TrimPrefix(text, "\ufeff"), "\n")
	token := strings.TrimSpace(first)
	if token == "" {
		return "", fmt.Errorf("the first line of %s holds no token", place)
	}
	for _, r := range token {
		if r <= ' ' || r > '~' {
			return "", fmt.Errorf("the first line of %s is not a token", place)
		}
	}
	return token, nil
}

// ReadAuthorities adds the certificates of a PEM file to the system's.
func ReadAuthorities(path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate authority: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no PEM certificate", path)
	}
	return pool, nil
}
