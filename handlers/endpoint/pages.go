package endpoint

import (
	"net/url"

	"alcove/handlers/lists"
	"alcove/handlers/present"
)

// The pages for people (package site) need this of a call beside what handlers of the API use.

// Address is a copy of what was asked for, without secrets.
func (c *Call) Address() url.URL { return *c.Request.URL }

// Encrypted reports whether the request came over TLS to this server.
func (c *Call) Encrypted() bool { return c.Request.TLS != nil }

// Credentials reports whether a token or a private link came with the request.
func (c *Call) Credentials() bool { return c.secrets.any() }

// PrivateLink is the token of the private link that came with the request, "" for none. An answer that
// has it is for its holder alone.
func (c *Call) PrivateLink() string { return c.secrets.link }

// Named takes a part of the path for an id with a name, and reports whether it is one.
func (c *Call) Named(name, text string) bool {
	return c.TakeID(name, text) == nil
}

// failPage sends a refusal as a page, and reports whether it did.
func (a *Server) failPage(c *Call, w *recorder, status int, refused present.Error) bool {
	if a.ErrorPage == nil || !c.Browser() {
		return false
	}
	page, header := a.ErrorPage(c, status, refused)
	if page == nil {
		return false
	}
	for name, values := range header {
		w.Header()[name] = values
	}
	a.sendRefusal(c, w, status, page)
	return true
}

// Unasked is the call without its query string, which is the page's own: a list that a page shows
// is asked for in words of the API.
func (c *Call) Unasked() *Call { return c.Asking("") }

// Asking is the call with another query string, which must be one that the API reads.
func (c *Call) Asking(query string) *Call {
	inner := *c
	inner.Query, _ = lists.ReadQuery(query)
	inner.Header = c.Header.Clone()
	inner.Header.Del(CursorHeader)
	return &inner
}
