package handlers

import (
	"net/http"
	"time"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/record"
)

// LinkedItem is what the private link in the path of a page opens: /s/{token}.
type LinkedItem struct {
	Kind      string // articles or collections
	Anonymous bool
	Expires   time.Time
	*Call     // reads the item at the endpoints of the API, as the holder of the link does
}

// OpenLink opens the item of the private link in the path. A link that is unknown, expired or
// disabled is no address (404), like any other that there is not.
func (a *API) OpenLink(c *Call, tx *bucket.Tx) (*LinkedItem, error) {
	inner := *c
	inner.secrets = secrets{link: c.Text("token")}
	for _, kind := range []string{"articles", "collections"} {
		l, err := inner.presentedLink(tx, kind)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		owner, err := linkOwner(tx, l)
		if err != nil {
			return nil, err
		}
		inner.linked, inner.reading, inner.ids = kind, true, pathIDs{{"id", l.ItemID}}
		inner.Account, inner.Actor = &record.Account{}, owner
		c.secrets.link = l.Token // no cache keeps the answer
		return &LinkedItem{kind, l.Anonymous, l.Expires, &inner}, nil
	}
	return nil, record.ErrNotFound
}

// Asking is the call for a part of a list: with a query string, which is one of ours, and behind a
// cursor, "" for none.
func (l *LinkedItem) Asking(query, cursor string) *Call {
	inner := *l.Call
	inner.Header = http.Header{}
	if cursor != "" {
		inner.Header.Set(cursorHeader, cursor)
	}
	inner.Query, _ = lists.ReadQuery(query)
	return &inner
}

// LinkArchive is the archive of the article that the private link in the path opens. Its address
// does not tell the id of the article.
func (a *API) LinkArchive(c *Call) (r Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		l, err := a.OpenLink(c, tx)
		if err != nil {
			return err
		}
		if l.Kind != "articles" {
			return record.ErrNotFound
		}
		art, err := l.linkedArticle(tx)
		if err != nil {
			return err
		}
		r, err = l.workingArchive(tx, art)
		return err
	})
	return r, err
}
