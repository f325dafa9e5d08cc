package handlers

import (
	"mime"
	"strings"
	"time"
)

// downloadLines are the header lines of a download that are the same each time.
type downloadLines struct {
	tag      string
	every    []header // also of a 304
	content  []header // of the bytes
	inline   []string // the Content-Disposition for who asks to see the file; nil where a browser may not show it
	modified []string // as the header says it; nil while that still changes with the time
}

// Whatever a file holds, a browser gets nothing that it would run under this origin (decision 25).
var (
	sandboxed = header{"Content-Security-Policy", []string{"sandbox; default-src 'none'; frame-ancestors 'none'"}}
	inRanges  = header{"Accept-Ranges", []string{"bytes"}}

	// anyPage lets other sites show what is public; commonHeaders let none.
	anyPage = header{"Cross-Origin-Resource-Policy", []string{"cross-origin"}}
)

func newDownloadLines(name, detected, tag string, modified time.Time) *downloadLines {
	l := &downloadLines{tag: `"` + tag + `"`}
	l.every = []header{sandboxed, inRanges, {"Etag", []string{l.tag}}}
	kind, name := downloadType(detected), fileName(name)
	l.content = []header{
		{"Content-Type", []string{kind}},
		{"Content-Disposition", []string{"attachment; " + name}},
	}
	if plain, _, _ := strings.Cut(kind, ";"); shown[plain] {
		l.inline = []string{"inline; " + name}
	}
	if now := time.Now(); !modified.IsZero() && now.Sub(modified) > 2*time.Second {
		l.modified = []string{httpDate(visible(modified, now))}
	}
	return l
}

// shown are the types that a browser may show under this origin when ?inline=true asks for it: there
// is nothing in them that it could run, and it is told not to guess another type.
var shown = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "text/plain": true}

// inline is the Content-Disposition of a file that its caller wants to see, nil for an attachment.
func (c *Call) inline(l *downloadLines) []string {
	if l.inline == nil {
		return nil
	}
	if asked, _ := c.Query.find("inline"); asked != "true" {
		return nil
	}
	return l.inline
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
