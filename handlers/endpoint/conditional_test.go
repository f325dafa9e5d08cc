package endpoint

import "testing"

// A tag is made of SHA-256, so no two bodies can be made with the same one (RFC 9110, 8.8.1: a
// strong validator changes with the body), and it outlives releases.
func TestETag(t *testing.T) {
	for body, want := range map[string]string{
		"":    `"47DEQpj8HBSa-_TImW-5"`,
		"abc": `"ungWv48Bz-pBQUDeXa4i"`,
	} {
		if got := ETag([]byte(body)); got != want {
			t.Errorf("the tag of %q is %s, want %s", body, got, want)
		}
	}
}
