package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"alcove/record"
)

// System is which API a server has.
type System int

// The systems that are read.
const (
	Figshare System = iota
	Invenio
	Dataverse
)

// authorize adds the token in the way of the system.
func (s System) authorize(h http.Header, token string) {
	switch s {
	case Figshare:
		h.Set("Authorization", "token "+token)
	case Invenio:
		h.Set("Authorization", "Bearer "+token)
	case Dataverse:
		h.Set(dataverseKey, token)
	}
}

// dataverseKey is the header of a token of Dataverse.
const dataverseKey = "X-Dataverse-Key"

// Read reads an item with all its public versions.
func (c *Client) Read(ctx context.Context, ref Ref) (*Item, error) {
	c.left, c.system = maxReplies, ref.System
	switch ref.System {
	case Invenio:
		return c.readRecord(ctx, ref.Name)
	case Dataverse:
		return c.readDataset(ctx, ref.Name)
	}
	return c.readFigshare(ctx, ref.Collection, ref.ID)
}

// Resolve finds the item that a DOI names on the server, which may be of any system.
func (c *Client) Resolve(ctx context.Context, ref Ref) (Ref, error) {
	if ref.named() {
		return ref, nil
	}
	c.left = maxReplies
	for _, find := range []func(context.Context, string) (Ref, error){c.findFigshare, c.findDataset, c.findRecord} {
		found, err := find(ctx, ref.DOI)
		if err == nil && found.named() {
			found.Base = c.Base
			return found, nil
		}
		if ctx.Err() != nil || err != nil && !Gone(err) && !errors.Is(err, errOtherAnswer) {
			return ref, cmpErr(ctx.Err(), err)
		}
	}
	return ref, fmt.Errorf("%s has no public item with the DOI %s", c.Base, ref.DOI)
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// findFigshare finds the item with a DOI in the lists of figshare.
func (c *Client) findFigshare(ctx context.Context, text string) (Ref, error) {
	c.system = Figshare
	for _, doi := range []string{text, record.ItemDOI(text)} {
		for _, collection := range []bool{false, true} {
			var list []struct {
				ID  int64  `json:"id"`
				DOI string `json:"doi"`
			}
			if err := c.json(ctx, "/v2/"+kindName(collection)+"s?doi="+url.QueryEscape(doi), &list); err != nil {
				return Ref{}, err
			}
			for _, found := range list {
				if record.ItemDOI(found.DOI) == record.ItemDOI(doi) && found.ID > 0 {
					return Ref{Collection: collection, ID: found.ID}, nil
				}
			}
		}
	}
	return Ref{}, nil
}

// Lead asks a resolver of DOIs, whose client this is, where a DOI leads, until that is the address of an item.
func (c *Client) Lead(ctx context.Context, doi string) (Ref, error) {
	at := c.Base + (&url.URL{Path: "/" + doi}).EscapedPath()
	for range maxRedirects {
		to, err := c.location(ctx, at)
		if err != nil {
			return Ref{}, fmt.Errorf("cannot find where %s leads: %w", doi, err)
		}
		if to == nil {
			break
		}
		if ref, err := ParseRef(to.String()); err == nil && ref.Base != "" {
			return ref, nil
		}
		at = to.String()
	}
	return Ref{}, fmt.Errorf("%s leads to %s, which is no page of a repository that can be read; its address, or --server, may say more", doi, shorten(at))
}

// location is where an address redirects to, nil for nowhere.
func (c *Client) location(ctx context.Context, address string) (*url.URL, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%q is no address", shorten(address))
	}
	if err := webAddress(r.URL); err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", agent)
	once := &http.Client{Transport: c.http.Transport, Timeout: c.silence, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	reply, err := once.Do(r)
	if err != nil {
		return nil, causeOf(ctx, err)
	}
	reply.Body.Close()
	to, err := reply.Location()
	switch {
	case reply.StatusCode == http.StatusNotFound:
		return nil, &StatusError{Status: reply.StatusCode, address: address}
	case errors.Is(err, http.ErrNoLocation):
		return nil, nil
	}
	return to, err
}

// Beyond is a client of a server that this one leads to: it may reach no more than this one, and has no token.
func (c *Client) Beyond(base string) *Client {
	b := &Client{Base: base, silence: c.silence}
	b.http = &http.Client{Transport: c.http.Transport, CheckRedirect: b.redirected}
	return b
}
