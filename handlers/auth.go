package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"alcove/bucket"
	"alcove/record"
)

// secrets are the credentials that came in the query string (specification 5.3, 5.4).
type secrets struct {
	access, token, link string
}

func (s secrets) any() bool { return s != secrets{} }

// takeSecrets removes credentials from the address of a request before anything can
// log, echo or cache it.
func takeSecrets(r *http.Request) (s secrets) {
	if r.URL.RawQuery == "" {
		return s
	}
	if !strings.Contains(r.URL.RawQuery, "token") && !strings.Contains(r.URL.RawQuery, "link") && !strings.Contains(r.URL.RawQuery, "%") {
		return s // none of the names below is in it, nor one written in another way
	}
	var kept []string
	for _, pair := range strings.Split(r.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, _ = url.QueryUnescape(name)
		var to *string
		switch name {
		case "access_token":
			to = &s.access
		case "token":
			to = &s.token
		case "private_link":
			to = &s.link
		default:
			kept = append(kept, pair)
			continue
		}
		v, err := url.QueryUnescape(value)
		if err != nil || *to != "" && *to != v {
			v = "\x00" // not a credential that anybody could hold
		}
		*to = v
	}
	r.URL.RawQuery = strings.Join(kept, "&")
	r.RequestURI = r.URL.RequestURI()
	return s
}

// presented is the access token of a request; false when there is none, or more than
// one opinion.
func (c *Call) presented(query string) (string, bool) {
	headers := c.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", false
	}
	if len(headers) == 0 {
		return query, query != ""
	}
	scheme, token, ok := strings.Cut(strings.TrimLeft(headers[0], " "), " ")
	if !ok || !strings.EqualFold(scheme, "token") && !strings.EqualFold(scheme, "bearer") {
		return "", false
	}
	token = strings.TrimSpace(token)
	if query != "" && query != token {
		return "", false
	}
	return token, token != ""
}

// authenticate finds the caller. Every failure on a private route is the same 401.
func (c *Call) authenticate(access Access) error {
	if access != Account && access != Either {
		return nil
	}
	query := c.secrets.access
	if access == Either && query == "" {
		query = c.secrets.token
	}
	token, ok := c.presented(query)
	if ok {
		account, err := c.API.accountOf(token)
		if err != nil {
			return err
		}
		if account == nil {
			if err := c.wrongToken(); err != nil {
				return err
			}
		} else {
			c.Account, c.actor = account, account.ID
		}
	}
	if c.Account == nil && access == Account {
		return c.enterByLink()
	}
	return nil
}

// enterByLink lets in who comes without any token, but with a private link that lets
// edit: as an account that owns nothing, in the name of the collection's owner. What the
// link opens is ownCollection's to say.
func (c *Call) enterByLink() error {
	if len(c.Header.Values("Authorization")) > 0 || c.secrets.access != "" {
		return record.ErrNoToken
	}
	return c.API.DB.View(func(tx *bucket.Tx) error {
		l, err := c.editLink(tx)
		if err != nil {
			return err
		}
		if l == nil {
			return record.ErrNoToken
		}
		col, err := bucket.Collections.Get(tx, l.ItemID)
		if err == nil {
			c.Account, c.actor = &record.Account{}, col.AccountID
		}
		return err
	})
}

// by is who makes the changes of the call.
func (c *Call) by() bucket.By {
	switch {
	case c.Account == nil || c.Account.ID == c.actor:
		return bucket.By{Account: c.actor}
	case c.Account.ID == 0: // entered by a link
		return bucket.By{Account: c.actor, Way: bucket.ByLink}
	}
	return bucket.By{Account: c.actor, Way: bucket.AsOther, For: c.Account.ID}
}

// TokenKey is the key under which a token is stored: its SHA-256.
func TokenKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// accountOf is the active account that holds a token, nil when there is none.
func (a *API) accountOf(token string) (account *record.Account, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		t, err := bucket.Tokens.Get(tx, TokenKey(token))
		if err != nil {
			return err
		}
		acc, err := bucket.Accounts.Get(tx, t.AccountID)
		if err != nil {
			return err
		}
		if acc.Active(tx.Now()) && (t.Expires.IsZero() || tx.Now().Before(t.Expires)) {
			account = acc
		}
		return nil
	})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil
	}
	return account, err
}

// remote is the address of the client: the last one in X-Forwarded-For that a trusted
// proxy did not add itself.
func (a *API) remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if !a.trusted(host) {
		return host
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		host = hop.String()
		if !a.trusted(host) {
			break
		}
	}
	return host
}

func (a *API) trusted(host string) bool {
	if len(a.Proxies) == 0 {
		return false
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	for _, p := range a.Proxies {
		if p.Contains(ip.Unmap()) {
			return true
		}
	}
	return false
}
