package handlers

import (
	"net/http"
	"net/url"
	"strings"

	"alcove/handlers/lists"
	"alcove/handlers/present"
)

// What the pages for people (package site) need of a call beside what handlers of the API use.

// ErrorPage renders a refusal as a page. Without a page the refusal is sent as JSON.
type ErrorPage func(c *Call, status int, refused present.Error) (page []byte, header http.Header)

// Browser reports whether the client asks for a page: it names text/html, and the address is not
// one that only programs use.
func (c *Call) Browser() bool {
	path := "/" + strings.TrimLeft(c.request.URL.Path, "/") + "/"
	if strings.HasPrefix(path, "/v2/") || strings.HasPrefix(path, "/upload/") {
		return false
	}
	return strings.Contains(strings.ToLower(strings.Join(c.Header.Values("Accept"), ",")), "text/html")
}

// Address is a copy of what was asked for, without secrets.
func (c *Call) Address() url.URL { return *c.request.URL }

// Encrypted reports whether the request came over TLS to this server.
func (c *Call) Encrypted() bool { return c.request.TLS != nil }

// Credentials reports whether a token or a private link came with the request.
func (c *Call) Credentials() bool { return c.secrets.any() }

// Named takes a part of the path for an id with a name, and reports whether it is one.
func (c *Call) Named(name, text string) bool {
	return c.readPath([]Param{{name, text}}) == nil
}

// failPage sends a refusal as a page, and reports whether it did.
func (a *API) failPage(c *Call, w *recorder, status int, refused present.Error) bool {
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
	inner.Header.Del(cursorHeader)
	return &inner
}
