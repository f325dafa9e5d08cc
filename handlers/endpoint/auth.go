package endpoint

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/changelog"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/lists"
	"alcove/record"
)

// secrets are the credentials that came in the query string.
type secrets struct {
	access, token, link string
	repeated            string // name of one that was sent more than once
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
	seen := map[string]bool{}
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
		if seen[name] {
			s.repeated = name
		}
		seen[name] = true
		v, err := url.QueryUnescape(value)
		if err != nil {
			v = "\x00" // not a credential that a client could hold
		}
		*to = v
	}
	r.URL.RawQuery = strings.Join(kept, "&")
	r.RequestURI = r.URL.RequestURI()
	return s
}

// AccessToken is the access token of a request, empty when there is none. It may stand in the header
// Authorization and in the query. Two places that disagree are refused:
// neither is taken for the one that was meant. A header of another form than "token …" or
// "Bearer …" is no token, and nothing else counts beside it.
func (c *Call) AccessToken(access Access) (string, error) {
	if c.secrets.repeated != "" {
		return "", lists.Repeated(c.secrets.repeated)
	}
	headers := c.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", errTokens
	}
	token := ""
	if len(headers) == 1 {
		scheme, rest, ok := strings.Cut(strings.TrimLeft(headers[0], " "), " ")
		if !ok || !strings.EqualFold(scheme, "token") && !strings.EqualFold(scheme, "bearer") {
			return "", nil
		}
		if token = strings.TrimSpace(rest); token == "" {
			return "", nil
		}
	}
	for _, also := range []string{c.secrets.access, c.secrets.token} {
		if token != "" && also != "" && also != token {
			return "", errTokens
		}
		token = cmp.Or(token, also)
	}
	if access != Either && c.secrets.access == "" && len(headers) == 0 {
		return "", nil // token=… opens downloads only
	}
	return token, nil
}

var errTokens error = record.Bad("InvalidQuery", "The request has more than one token")

// authenticate finds the caller. On a private route every token that is not good is the same
// 401; that there is none is told.
func (c *Call) authenticate(access Access) error {
	if access == Session {
		return c.enterBySession()
	}
	token, err := c.AccessToken(access)
	if err != nil || access != Account && access != Either {
		return err
	}
	if token != "" {
		account, t, err := c.Server.accountOf(token)
		if err != nil {
			return err
		}
		if account == nil {
			if err := c.WrongToken(); err != nil {
				return err
			}
		} else {
			c.Account, c.Actor, c.admin = account, account.ID, account.Admin
			c.tokenID, c.scope, c.grant = tokenIDOf(token), t.Scope, t.Authorization
		}
	} else if c.person != nil && !c.namesToken() {
		return c.enterBySession()
	}
	if c.Account == nil && access == Account {
		return c.enterWithoutToken()
	}
	return nil
}

// namesToken reports whether a request has something that stands for a token, good or not. A session does not
// count beside it.
func (c *Call) namesToken() bool {
	return len(c.Header["Authorization"]) > 0 || c.secrets.access != "" || c.secrets.token != ""
}

// enterWithoutToken refuses who comes without any token, but lets in who has a private link that opens the
// endpoint: as an account that owns nothing, in the name of the item's owner. Which item the
// link opens is OwnArticle's and OwnCollection's to say.
func (c *Call) enterWithoutToken() error {
	if len(c.Header["Authorization"]) > 0 || c.secrets.access != "" {
		return record.ErrTokenInvalid
	}
	return c.Server.DB.View(func(tx *bucket.Tx) error {
		l, err := c.openingLink(tx)
		if err != nil {
			return err
		}
		if l == nil {
			return record.ErrTokenMissing
		}
		owner, err := linkOwner(tx, l)
		if err == nil {
			c.Account, c.Actor = &record.Account{}, owner
		}
		return err
	})
}

// By is who makes the changes of the call.
func (c *Call) By() changelog.By {
	c.writes = true
	by := changelog.By{Account: c.Actor, Token: c.tokenID, Request: c.number}
	switch {
	case c.Account == nil || c.Account.ID == c.Actor:
	case c.Account.ID == 0: // entered by a link
		by.Way = changelog.ByLink
	default:
		by.Way, by.For = changelog.AsOther, c.Account.ID
	}
	return by
}

// tokenIDOf is the id of a token.
func tokenIDOf(token string) changelog.TokenID {
	sum := sha256.Sum256([]byte(token))
	return changelog.TokenID(sum[:])
}

// accountOf returns the active account that holds a token, and the token. Without one both are nil.
func (a *Server) accountOf(token string) (account *record.Account, held *record.Token, err error) {
	key := auth.TokenKey(token)
	err = a.DB.View(func(tx *bucket.Tx) error {
		t, err := users.Tokens.Get(tx, key)
		if err != nil {
			return err
		}
		acc, err := users.Accounts.Get(tx, t.AccountID)
		if err != nil {
			return err
		}
		now := tx.Latest()
		granted, err := auth.Granted(tx, t)
		if err != nil {
			return err
		}
		if granted && acc.Active(now) && (t.Expires.IsZero() || now.Before(t.Expires)) {
			account, held = acc, t
			a.Auth.UsedToken(key, now)
		}
		return nil
	})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, nil, nil
	}
	return account, held, err
}

// impersonate lets an administrator of the institution call as another account of it:
// impersonate=ID in the query, or the key in the body of a POST, PUT or PATCH, which nothing else meets then. From here on the account of the call is the
// other one, with its rights and no more; the actor of the change log and of the log of
// requests stays who holds the token, and both say in whose name it acts.
//
// A caller that is no administrator gets the same refusal for every id.
func (c *Call) impersonate() error {
	as, err := c.Query.Integer("impersonate")
	if c.Method == http.MethodPost || c.Method == http.MethodPut || c.Method == http.MethodPatch {
		said, wrong := c.body.Take("impersonate")
		switch {
		case err != nil:
		case wrong != nil:
			err = wrong
		case as == nil:
			as = said
		case said != nil && *said != *as:
			err = record.Wrong("impersonate", "differs between address and body")
		}
	}
	switch {
	case as == nil && err == nil:
		return nil
	case !c.scope.Opens(record.ScopeAll):
		return record.ErrScope.With("scope", string(record.ScopeAll))
	case c.Actor == 0 || !c.Account.Admin: // without a token the caller holds a link, and no more
		return record.ErrImpersonate
	case err != nil:
		return err
	}
	return c.Server.DB.View(func(tx *bucket.Tx) error {
		acc, err := users.Accounts.Get(tx, *as)
		if errors.Is(err, bucket.ErrNotFound) || err == nil && acc.InstitutionID != c.Account.InstitutionID {
			return record.ErrAccountNotFound
		}
		if err == nil {
			c.Account = acc
		}
		return err
	})
}

// WrongToken notes that a token is not known. A caller that sends many is refused, and told to wait.
func (c *Call) WrongToken() error {
	if wait := c.Server.Rates().wrong.Take(c.Server.Caller(c), time.Now()); wait > 0 {
		return TooMany(record.ErrTooManyTokens, wait)
	}
	return nil
}

// PresentedLink is the private link whose token came with the request, when it is active, leads to
// an item of a kind, and the owner of that may act; otherwise nil.
func (c *Call) PresentedLink(tx *bucket.Tx, kind string) (*record.PrivateLink, error) {
	if c.secrets.link == "" {
		return nil, nil
	}
	l, err := working.PrivateLinks.Get(tx, c.secrets.link)
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (l.Kind != kind || !l.Active(tx.Latest())) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	owner, err := linkOwner(tx, l)
	if err != nil {
		return nil, err
	}
	acts, err := active(tx, owner)
	if err != nil || !acts {
		return nil, err
	}
	return l, nil
}

// Holding is the call of who holds a private link, reading the item that it opens, and the link; nil where it opens
// nothing.
func (c *Call) Holding(tx *bucket.Tx, token string) (*Call, *record.PrivateLink, error) {
	inner := *c
	inner.secrets = secrets{link: token}
	for _, kind := range []string{"articles", "collections"} {
		l, err := inner.PresentedLink(tx, kind)
		if err != nil {
			return nil, nil, err
		}
		if l == nil {
			continue
		}
		owner, err := linkOwner(tx, l)
		if err != nil {
			return nil, nil, err
		}
		inner.linked, inner.reading, inner.ids = kind, true, pathIDs{{"id", l.ItemID}}
		inner.Account, inner.Actor = &record.Account{}, owner
		c.secrets.link = l.Token // no cache keeps the answer
		return &inner, l, nil
	}
	return nil, nil, nil
}

// linkOwner is the account that has the item of a private link.
func linkOwner(tx *bucket.Tx, l *record.PrivateLink) (int64, error) {
	if l.Kind == "collections" {
		col, err := working.Collections.Get(tx, l.ItemID)
		if err != nil {
			return 0, err
		}
		return col.AccountID, nil
	}
	art, err := working.Articles.Get(tx, l.ItemID)
	if err != nil {
		return 0, err
	}
	return art.AccountID, nil
}

// active reports whether an account is neither disabled nor expired: then what it has handed
// out, private links and upload addresses, works.
func active(tx *bucket.Tx, account int64) (bool, error) {
	acc, err := users.Accounts.Get(tx, account)
	return err == nil && acc.Active(tx.Latest()), err
}

// openingLink is the private link of a request to a Linked endpoint, when it lets its holder do
// what the endpoint does: to read any will do, to write one that lets edit. Otherwise nil.
func (c *Call) openingLink(tx *bucket.Tx) (*record.PrivateLink, error) {
	if c.linked == "" {
		return nil, nil
	}
	l, err := c.PresentedLink(tx, c.linked)
	if err != nil || l == nil || l.ReadOnly && !c.reading {
		return nil, err
	}
	return l, nil
}
