package endpoint

import (
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/record"
)

// ETag is the strong entity tag of a body (RFC 9110, 8.8.3): it depends on nothing but
// the bytes, so it survives restarts and restores.
func ETag(body []byte) string { return TagOf(bucket.SumOf(body)) }

// TagOf is the entity tag of a body whose sum is known already.
func TagOf(sum bucket.Sum) string {
	var text [22]byte
	text[0], text[21] = '"', '"'
	base64.RawURLEncoding.Encode(text[1:21], sum[:15])
	return string(text[:])
}

// setModified tells when something changed.
func (c *Call) setModified(h http.Header, t time.Time) {
	if !t.IsZero() {
		h["Last-Modified"] = []string{visible(t, c.Start).Format(http.TimeFormat)}
	}
}

// visible is the time of a change as it is told. A second that is not over is told as the
// one before it: what is told then lies before every change in that second, and a client
// that asks by date misses none of them (RFC 9110, 8.8.2.2). now may be a little earlier.
func visible(t, now time.Time) time.Time {
	t = t.UTC().Truncate(time.Second)
	if over := now.UTC().Truncate(time.Second).Add(-time.Second); t.After(over) {
		return over
	}
	return t
}

// notModified is the status of a conditional GET whose condition is not met (RFC 9110,
// 13.2.2), 0 when it is served.
func (c *Call) notModified(tag string, modified time.Time) int {
	h := c.Header
	if im := h["If-Match"]; len(im) > 0 {
		if !matches(im, tag, false) {
			return http.StatusPreconditionFailed
		}
	} else if t, ok := date(h, "If-Unmodified-Since"); ok && changedAfter(modified, t) {
		return http.StatusPreconditionFailed
	}
	if inm := h["If-None-Match"]; len(inm) > 0 {
		if matches(inm, tag, true) {
			return http.StatusNotModified
		}
		return 0
	}
	if t, ok := date(h, "If-Modified-Since"); ok && !modified.IsZero() && !changedAfter(modified, t) {
		return http.StatusNotModified
	}
	return 0
}

// changedAfter compares by the second of the change, not by what setModified told of it.
func changedAfter(modified, t time.Time) bool { return modified.Truncate(time.Second).After(t) }

func date(h http.Header, name string) (time.Time, bool) {
	text := h[name]
	if len(text) == 0 {
		return time.Time{}, false
	}
	t, err := http.ParseTime(text[0])
	return t, err == nil
}

// matches reports whether a list of entity tags names one. Weak tags match only where
// weak comparison is meant. A star stands for any only by itself: it is no element of a list.
func matches(lists []string, tag string, weak bool) bool {
	if len(lists) == 1 && strings.TrimSpace(lists[0]) == "*" {
		return true
	}
	for _, list := range lists {
		for t := range strings.SplitSeq(list, ",") {
			t = strings.TrimSpace(t)
			if weak {
				t = strings.TrimPrefix(t, "W/")
			}
			if t == tag {
				return true
			}
		}
	}
	return false
}

// Expected tests the conditions of a write on the state of its address, or of the
// nearest address above it that can be read, in the transaction of the write. A
// condition that does not hold is ErrStale, and nothing changes (RFC 9110, 13.1).
func (c *Call) Expected(tx *bucket.Tx) error {
	h := c.Header
	im, inm := h.Values("If-Match"), h.Values("If-None-Match")
	since, dated := date(h, "If-Unmodified-Since")
	if len(im) == 0 && len(inm) == 0 && !dated || c.State == nil {
		return nil
	}
	c.Changed = c.Server.DB.LastChange()
	r, err := c.State(c, tx)
	if err != nil {
		return err
	}
	tag, err := r.EntityTag()
	if err != nil {
		return err
	}
	switch {
	case len(im) > 0 && !matches(im, tag, false):
		return record.ErrStale
	case len(im) == 0 && dated && changedAfter(r.Modified, since):
		return record.ErrStale
	case len(inm) > 0 && matches(inm, tag, true):
		return record.ErrStale
	}
	return nil
}

// tellTag gives the answer to a conditional PATCH the entity tag of what is stored now, in the transaction of the
// write (RFC 5789, 2.1): a client that saves again and again then never takes the write of another for its own.
func (c *Call) tellTag(tx *bucket.Tx, r *Reply) error {
	if c.Method != http.MethodPatch || len(c.Header["If-Match"]) == 0 || c.State == nil {
		return nil
	}
	now, err := c.State(c, tx)
	if err != nil {
		return err
	}
	tag, err := now.EntityTag()
	if err != nil {
		return err
	}
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header["Etag"] = []string{tag}
	return nil
}

// EntityTag is the strong entity tag of the body.
func (r *Reply) EntityTag() (string, error) {
	if r.Tag != "" {
		return r.Tag, nil
	}
	body, err := r.encoded()
	return ETag(body), err
}
