package handlers

import (
	"net/http"
	"testing"
	"time"
)

// A tag is made of SHA-256, so no two bodies can be made with the same one (RFC 9110, 8.8.1: a
// strong validator changes with the body), and it outlives releases.
func TestETag(t *testing.T) {
	for body, want := range map[string]string{
		"":    `"47DEQpj8HBSa-_TImW-5"`,
		"abc": `"ungWv48Bz-pBQUDeXa4i"`,
	} {
		if got := etag([]byte(body)); got != want {
			t.Errorf("the tag of %q is %s, want %s", body, got, want)
		}
	}
}

// A date is told as net/http tells it.
func TestHTTPDate(t *testing.T) {
	at := time.Date(-1, 12, 31, 23, 59, 59, 0, time.UTC)
	for n := range 40_000 {
		if got, want := httpDate(at), at.Format(http.TimeFormat); got != want {
			t.Fatalf("%v is told as %q, want %q", at, got, want)
		}
		at = at.Add(time.Duration(n%977) * 10 * time.Hour).Add(time.Duration(n) * time.Second)
	}
	if at.Year() < 10_000 {
		t.Errorf("it ended in the year %d", at.Year())
	}
}
