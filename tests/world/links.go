package world

import (
	"fmt"
	"strings"

	"alcove/bucket"
	"alcove/bucket/working"
)

// NewCollection makes a collection and returns its address below /v2/account.
func (c Client) NewCollection(title string) string {
	c.Server.T.Helper()
	r := c.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": %q}`, title)).Is(201)
	return strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL)
}

// Link makes a private link to an item and returns its token.
func (c Client) Link(item, body string) string {
	c.Server.T.Helper()
	token, _ := c.Send("POST", item+"/private_links", body).Is(201).Object()["token"].(string)
	return token
}

// ExpireLink moves the expiry of a link into the past.
func (s *Server) ExpireLink(token string) {
	s.T.Helper()
	s.Alter(func(tx *bucket.Tx) error {
		l, err := working.PrivateLinks.Get(tx, token)
		if err != nil {
			return err
		}
		l.Expires = tx.Now()
		return working.PrivateLinks.Put(tx, token, l)
	})
}

// Linked asks with a private link.
func (c Client) Linked(token, method, path, body string, headers ...string) *Reply {
	c.Server.T.Helper()
	return c.Send(method, path+map[bool]string{false: "?", true: "&"}[strings.Contains(path, "?")]+"private_link="+token, body, headers...)
}
