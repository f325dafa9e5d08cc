package endpoint

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// entityTag is an entity tag as RFC 9110, 8.8.3 has it.
var entityTag = regexp.MustCompile(`^[ \t]*((?:W/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)`)

// tagsOf reads a field of entity tags by the grammar (RFC 9110, 5.6.1 and 13.1); ok is false
// where it is not one.
func tagsOf(lines []string) (tags []string, any, ok bool) {
	text := strings.Join(lines, ",")
	if strings.Trim(text, " \t") == "*" {
		return nil, true, true
	}
	for strings.Trim(text, " \t") != "" {
		if rest := strings.TrimLeft(text, " \t"); strings.HasPrefix(rest, ",") {
			text = rest[1:] // an empty element
			continue
		}
		m := entityTag.FindStringSubmatch(text)
		if m == nil {
			return nil, false, false
		}
		tags, text = append(tags, m[1]), text[len(m[0]):]
	}
	return tags, false, true
}

// Well-formed conditions decide as RFC 9110, 13.2.2 says, and malformed ones decide nothing
// unsafe: no write goes through that names another tag, and 304 goes only to a client that said
// what it has (security.md D24).
func FuzzConditions(f *testing.F) {
	tag := ETag([]byte("a body"))
	for _, seed := range []string{"*", "TAG", `"x", TAG`, `W/TAG`, `"x","y"`, "", `"`, `"a,*,b"`, `W/"a", W/TAG , "z"`, "TAG\nTAG", `"x"` + "\n" + `*`, `x, TAG`, ", ,TAG,"} {
		f.Add(seed, seed, "Mon, 02 Jan 2006 15:04:05 GMT", "Fri, 31 Dec 2100 00:00:00 GMT")
		f.Add("", seed, "", "Sunday, 06-Nov-94 08:49:37 GMT")
	}
	modified := time.Date(2026, 3, 1, 12, 0, 0, 5e8, time.UTC)
	f.Fuzz(func(t *testing.T, match, noneMatch, unmodified, since string) {
		h := http.Header{}
		for name, text := range map[string]string{"If-Match": match, "If-None-Match": noneMatch, "If-Unmodified-Since": unmodified, "If-Modified-Since": since} {
			if text != "" {
				h[name] = strings.Split(strings.ReplaceAll(text, "TAG", tag), "\n")
			}
		}
		c := &Call{Header: h}
		got := c.notModified(tag, modified)
		if got != 0 && got != http.StatusNotModified && got != http.StatusPreconditionFailed {
			t.Fatalf("%q: %d", h, got)
		}
		want, known := decide(h, tag, modified)
		if known && got != want {
			t.Fatalf("%q: %d, want %d", h, got, want)
		}
		if got == http.StatusNotModified && !strings.Contains(noneMatch, "*") && !strings.Contains(strings.Join(h["If-None-Match"], ","), tag) && since == "" {
			t.Fatalf("%q: not modified", h)
		}
	})
}

// decide is RFC 9110, 13.2.2, for conditions that follow the grammar.
func decide(h http.Header, tag string, modified time.Time) (status int, known bool) {
	has := func(name string, weak bool) (is, ok bool) {
		tags, any, ok := tagsOf(h[name])
		for _, one := range tags {
			any = any || one == tag || weak && one == "W/"+tag
		}
		return any, ok
	}
	second := modified.Truncate(time.Second)
	if h["If-Match"] != nil {
		is, ok := has("If-Match", false)
		if !ok {
			return 0, false
		}
		if !is {
			return http.StatusPreconditionFailed, true
		}
	} else if t, err := http.ParseTime(h.Get("If-Unmodified-Since")); err == nil && second.After(t) {
		return http.StatusPreconditionFailed, true
	}
	if h["If-None-Match"] != nil {
		is, ok := has("If-None-Match", true)
		if is {
			status = http.StatusNotModified
		}
		return status, ok
	}
	if t, err := http.ParseTime(h.Get("If-Modified-Since")); err == nil && !second.After(t) {
		return http.StatusNotModified, true
	}
	return 0, true
}
