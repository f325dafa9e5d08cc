package handlers

import (
	"errors"
	"net/http"
	"time"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/record"
)

// LinksRead lists the private links of an own item, the oldest first. Those that are expired or disabled are among them.
func (k *ItemKind) LinksRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list, modified := []any{}, c.Changed
	links, err := k.Links(tx, item.Common().ID)
	for _, l := range links {
		list = append(list, k.linkForm(c, l, tx.Latest()))
		if t := l.Changed(tx.Latest()); t.After(modified) {
			modified = t
		}
	}
	return endpoint.Reply{Body: list, Modified: modified}, err
}

func (k *ItemKind) linkForm(c *endpoint.Call, l *record.PrivateLink, now time.Time) any {
	if k.EditLinks {
		return k.api.Settings.CollectionLink(l, l.Active(now), c.Scope())
	}
	return k.api.Settings.PrivateLink(l, l.Active(now), c.Scope())
}

// LinkAdd makes a private link to an own item.
func (k *ItemKind) LinkAdd(c *endpoint.Call, tx *bucket.Tx, body *record.LinkBody) (endpoint.Reply, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	l, err := k.NewLink(tx, item.Common(), body)
	if err == nil {
		err = madeByApplication(c, tx, l)
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	at := k.linkAddress(l)
	k.warnOfReadOnly(c, body)
	if l.Anonymous {
		traces, err := k.Traces(tx, item.Common())
		if err != nil {
			return endpoint.Reply{}, err
		}
		c.Warned = append(c.Warned, traces...)
	}
	return endpoint.Reply{Status: 201, Location: at, Body: k.api.Settings.NewLink(l, at, c.Warned)}, nil
}

// madeByApplication notes on a new link which application made it, so that the person finds it when it ends the
// application's access: the link goes on without that.
func madeByApplication(c *endpoint.Call, tx *bucket.Tx, l *record.PrivateLink) error {
	application, err := c.Application(tx)
	if err != nil || application == "" {
		return err
	}
	l.Application, l.AccountID = application, c.Account.ID
	return working.PrivateLinks.Put(tx, l.Token, l)
}

// ApplicationLink is an active private link that an application made for a person.
type ApplicationLink struct {
	Kind, Title string // articles or collections, and the title of the item
	Item        int64
	Application string // its name, or its client_id where it was deleted
	Expires     time.Time
}

// mostApplicationLinks bounds how many links are shown.
const mostApplicationLinks = 200

// ApplicationLinks lists the active private links that applications made for the person, newest first. Links of
// disconnected applications are included.
func (a *API) ApplicationLinks(c *endpoint.Call) (all []ApplicationLink, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		for hit := range working.LinksByApplication.Descending(tx, bucket.SortKey(c.Person().ID)) {
			if len(all) == mostApplicationLinks {
				return nil
			}
			l, err := working.PrivateLinks.Get(tx, hit.Key)
			if err != nil {
				return err
			}
			if !l.Active(tx.Latest()) {
				continue
			}
			one := ApplicationLink{Kind: l.Kind, Item: l.ItemID, Application: l.Application, Expires: l.Expires}
			app, err := users.Applications.Get(tx, l.Application)
			if err == nil {
				one.Application = app.Name
			} else if !errors.Is(err, bucket.ErrNotFound) {
				return err
			}
			if one.Title, err = linkedTitle(tx, l); err != nil {
				return err
			}
			all = append(all, one)
		}
		return nil
	})
	return all, err
}

// linkedTitle is the title of the item that a link opens.
func linkedTitle(tx *bucket.Tx, l *record.PrivateLink) (string, error) {
	if l.Kind == "collections" {
		item, err := working.Collections.Get(tx, l.ItemID)
		if err != nil {
			return "", err
		}
		return item.Title, nil
	}
	item, err := working.Articles.Get(tx, l.ItemID)
	if err != nil {
		return "", err
	}
	return item.Title, nil
}

// warnOfReadOnly tells the maker of a link to an article that no link lets anyone edit.
func (k *ItemKind) warnOfReadOnly(c *endpoint.Call, body *record.LinkBody) {
	if !k.EditLinks && body.ReadOnly != nil {
		c.Warn("read_only", "links to articles only read")
	}
}

func (k *ItemKind) linkAddress(l *record.PrivateLink) string {
	return k.api.Settings.API("/account/%s/%d/private_links/%s", k.Path, l.ItemID, l.Token)
}

// ownLink is the private link of the path when it belongs to the own item of the path.
func (k *ItemKind) ownLink(c *endpoint.Call, tx *bucket.Tx) (*record.PrivateLink, error) {
	item, err := k.load(c, tx)
	if err != nil {
		return nil, err
	}
	l, err := working.PrivateLinks.Get(tx, c.Text("link_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (l.Kind != k.Path || l.ItemID != item.Common().ID) {
		return nil, k.linkAbsent
	}
	return l, err
}

// LinkRead is one private link of an own item.
func (k *ItemKind) LinkRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	l, err := k.ownLink(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: k.linkForm(c, l, tx.Latest()), Modified: l.Changed(tx.Latest())}, nil
}

// LinkChange gives a private link another expiry, also one that has passed its old one.
// One that was disabled stays so and counts as absent.
func (k *ItemKind) LinkChange(c *endpoint.Call, tx *bucket.Tx, body *record.LinkBody) (endpoint.Reply, error) {
	l, err := k.ownLink(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if l.Disabled {
		return endpoint.Reply{}, k.linkAbsent
	}
	if err := k.ApplyLink(l, body, tx.Latest()); err != nil {
		return endpoint.Reply{}, err
	}
	k.warnOfReadOnly(c, body)
	return endpoint.Reply{Status: 205, Location: k.linkAddress(l)}, working.PrivateLinks.Put(tx, l.Token, l)
}

// LinkDelete disables a private link for good. From then on it opens nothing; the list
// still tells that it was there.
func (k *ItemKind) LinkDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	l, err := k.ownLink(c, tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if l.Disabled {
		return endpoint.Reply{}, k.linkAbsent
	}
	l.Disabled, l.Modified = true, tx.Now()
	return endpoint.Reply{Status: 204}, working.PrivateLinks.Put(tx, l.Token, l)
}

// LinkedItem is what the private link in the path of a page opens: /s/{token}.
type LinkedItem struct {
	Kind           string // articles or collections
	Anonymous      bool
	Expires        time.Time
	*endpoint.Call // reads the item at the endpoints of the API, as the holder of the link does
}

// OpenLink opens the item of the private link in the path. A link that is unknown, expired or
// disabled is no address (404), like any other that there is not.
func (a *API) OpenLink(c *endpoint.Call, tx *bucket.Tx) (*LinkedItem, error) {
	inner, l, err := c.Holding(tx, c.Text("token"))
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, record.ErrNotFound
	}
	return &LinkedItem{l.Kind, l.Anonymous, l.Expires, inner}, nil
}

// Asking is the call for a part of a list: with a query string, which is one of ours, and behind a
// cursor, "" for none.
func (l *LinkedItem) Asking(query, cursor string) *endpoint.Call {
	inner := *l.Call
	inner.Header = http.Header{}
	if cursor != "" {
		inner.Header.Set(endpoint.CursorHeader, cursor)
	}
	inner.Query, _ = lists.ReadQuery(query)
	return &inner
}

// LinkArchive is the archive of the article that the private link in the path opens. Its address
// does not tell the id of the article.
func (a *API) LinkArchive(c *endpoint.Call) (r endpoint.Reply, err error) {
	err = a.DB.View(func(tx *bucket.Tx) error {
		l, err := a.OpenLink(c, tx)
		if err != nil {
			return err
		}
		if l.Kind != "articles" {
			return record.ErrNotFound
		}
		art, err := linkedArticle(l.Call, tx)
		if err != nil {
			return err
		}
		r, err = workingArchive(l.Call, tx, art)
		return err
	})
	return r, err
}
