package handlers

import (
	"mime"
	"strings"
)

var (
	// sandboxed keeps a browser from running, under this origin, whatever a file holds.
	sandboxed = header{"Content-Security-Policy", []string{"sandbox; default-src 'none'; frame-ancestors 'none'"}}
	// anyPage lets other sites show what is public; commonHeaders let none.
	anyPage = header{"Cross-Origin-Resource-Policy", []string{"cross-origin"}}
)

// shown are the types that a browser may show under this origin when ?inline=true asks for it: there
// is nothing in them that it could run, and it is told not to guess another type.
var shown = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "text/plain": true}

// disposition is whether a file of a type is to be shown by its reader, or stored.
func (c *Call) disposition(mediaType string) string {
	plain, _, _ := strings.Cut(mediaType, ";")
	if asked, _ := c.Query.Find("inline"); asked == "true" && shown[plain] {
		return "inline"
	}
	return "attachment"
}

// downloadType is the type sent for a file: the one that was detected, unless a browser
// might run it.
func downloadType(detected string) string {
	kind, params, err := mime.ParseMediaType(detected)
	switch {
	case err != nil, strings.Contains(kind, "html"), strings.Contains(kind, "xml"), strings.Contains(kind, "script"),
		strings.HasPrefix(kind, "multipart/"), strings.HasPrefix(kind, "message/"):
		return "application/octet-stream"
	}
	return mime.FormatMediaType(kind, params)
}
