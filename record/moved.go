package record

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"
)

// MovedBody is what an item brings along that was in another repository before. Only the operator
// of this one can say it. A nil field was not sent.
type MovedBody struct {
	Published *string   `json:"published_date"` // of the version that is public
	Created   *string   `json:"created_date"`
	Modified  *string   `json:"modified_date"`
	Views     *int64    `json:"views"`
	Downloads *int64    `json:"downloads"`
	Shares    *int64    `json:"shares"`
	OldURLs   *[]string `json:"old_urls"` // where readers found it: addresses, or paths
	Origin    *string   `json:"origin"`   // its address in the repository that goes on publishing it
}

// MovedVersionBody is which public version it is that an item brings along. Its differences from
// the present item stand in an ItemBody beside it, whose doi is that of the version alone.
type MovedVersionBody struct {
	Number    *int64  `json:"version"`
	Published *string `json:"published_date"`
	Modified  *string `json:"modified_date"`
}

// Moved is what a MovedBody says. Times are zero where it says nothing.
type Moved struct {
	Published, Created, Modified time.Time
	Counts                       Counts
	OldPaths                     []string // as OldPath has them, each once
	Origin                       string   // "" for none
}

// Limits of what is brought along.
const (
	maxOldURLs = 100
	maxOldPath = 2000 // bytes
	maxCount   = 1 << 50
)

// Read checks and understands the body. Dates must not be in the future.
func (b *MovedBody) Read(now time.Time) (m Moved, err error) {
	for _, d := range []struct {
		name string
		text *string
		to   *time.Time
	}{{"published_date", b.Published, &m.Published}, {"created_date", b.Created, &m.Created}, {"modified_date", b.Modified, &m.Modified}} {
		if *d.to, err = movedDate(d.name, d.text, now); err != nil {
			return m, err
		}
	}
	for _, n := range []struct {
		name string
		sent *int64
		to   *int64
	}{{"views", b.Views, &m.Counts.Views}, {"downloads", b.Downloads, &m.Counts.Downloads}, {"shares", b.Shares, &m.Counts.Shares}} {
		if set(n.to, n.sent); *n.to < 0 || *n.to > maxCount {
			return m, Wrong(n.name, "must be a count")
		}
	}
	if b.Origin != nil && *b.Origin != "" {
		u, err := url.Parse(*b.Origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(*b.Origin) > maxOldPath {
			return m, Wrong("origin", "must be an address of http or https")
		}
		m.Origin = *b.Origin
	}
	if b.OldURLs == nil {
		return m, nil
	}
	if len(*b.OldURLs) > maxOldURLs {
		return m, Wrong("old_urls", "may hold at most 100 addresses")
	}
	seen := map[string]bool{}
	for _, text := range *b.OldURLs {
		path, ok := OldPath(text)
		if !ok {
			return m, Wrong("old_urls", fmt.Sprintf("holds %q, which is no address that can be forwarded", shorten(text, 200)))
		}
		if !seen[path] {
			seen[path] = true
			m.OldPaths = append(m.OldPaths, path)
		}
	}
	return m, nil
}

func movedDate(name string, text *string, now time.Time) (time.Time, error) {
	if text == nil || *text == "" {
		return time.Time{}, nil
	}
	t, ok := Moment(*text)
	if !ok {
		return t, Wrong(name, "must be a date in the form YYYY-MM-DD or YYYY-MM-DDThh:mm:ss")
	}
	if t = t.Truncate(time.Second); t.After(now) {
		return t, Wrong(name, "must not be in the future")
	}
	return t, nil
}

// Dates are when the version was published, which it must say, and last changed.
func (b *MovedVersionBody) Dates(now time.Time) (published, modified time.Time, err error) {
	if published, err = movedDate("published_date", b.Published, now); err != nil {
		return published, modified, err
	}
	if published.IsZero() {
		return published, modified, Wrong("published_date", "of a version is required")
	}
	if modified, err = movedDate("modified_date", b.Modified, now); modified.IsZero() {
		modified = published
	}
	return published, modified, err
}

// ours are the beginnings of paths that this server answers itself.
var ours = []string{"/v2/", "/files/", "/ndownloader/", "/upload/", "/healthz/", "/readyz/"}

// OldPath is the path of an address with its query, as requests for it are compared: the
// host counts for nothing. It is not ok of what could never be asked for here, or is an
// address of this server.
func OldPath(text string) (string, bool) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Opaque != "" || u.User != nil || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	path := RequestedPath(u)
	if !strings.HasPrefix(path, "/") || path == "/" || len(path) > maxOldPath || strings.ContainsFunc(path, unicode.IsControl) {
		return "", false
	}
	for _, prefix := range ours {
		if strings.HasPrefix(strings.SplitN(path, "?", 2)[0]+"/", prefix) {
			return "", false
		}
	}
	return path, true
}

// RequestedPath is the path of a request with its query, in the form of OldPath: decoded,
// double slashes as one, without one at its end.
func RequestedPath(u *url.URL) string {
	path := u.Path
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return path
}
