package endpoint

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// A value is cached while the store stays at its position, and no longer than there is memory.
func TestCache(t *testing.T) {
	const most = 4 << 20
	c := Cache[string, int]{Most: most}
	found := func(position uint64, key string) bool {
		_, ok := c.Find(position, key)
		return ok
	}
	c.Keep(7, "one", 1, 100)
	c.Keep(7, "one", 2, 100)
	if value, ok := c.Find(7, "one"); !ok || value != 1 || found(7, "two") {
		t.Error("the first value of a key is not found, or that of another is")
	}
	if found(8, "one") || found(6, "one") {
		t.Error("a value is found at another position than that at which it was read")
	}
	c.Keep(8, "two", 2, 100)
	if !found(8, "two") || len(c.Values) != 1 {
		t.Errorf("%d values are cached after a commit, want the one that was read since", len(c.Values))
	}
	c.Keep(7, "one", 1, 100) // its reader was slow
	if found(8, "one") {
		t.Error("a value that was read before a commit is found after it")
	}
	if c.Keep(8, "large", 3, most+1); found(8, "large") || !found(8, "two") {
		t.Error("a value that is too large is cached")
	}
	for i := range 200 {
		if c.Keep(9, strings.Repeat("/", i+1), i, most/20); c.Cost > most {
			t.Fatalf("%d bytes are cached, want %d at most", c.Cost, most)
		}
	}
}

// A cached answer does not change when the buffer in which it was made is used again.
func TestCachedAnswerOutlivesItsBuffer(t *testing.T) {
	buffer := append(GetBuffer(), "[1]"...)
	r := Reply{Raw: buffer}.copied()
	copy(buffer, "[2]")
	if !bytes.Equal(r.Raw, []byte("[1]")) {
		t.Errorf("the answer is %s", r.Raw)
	}
}

// The shortcut of credentials in the address sees them however they are written.
func TestSecretsAreFoundHoweverTheyAreWritten(t *testing.T) {
	for _, tt := range []struct {
		query, kept string
		want        secrets
	}{
		{"page=1", "page=1", secrets{}},
		{"access_token=x&page=1", "page=1", secrets{access: "x"}},
		{"%61ccess_token=x", "", secrets{access: "x"}},
		{"page=1&t%6Fken=x", "page=1", secrets{token: "x"}},
		{"private_%6cink=x&a=b", "a=b", secrets{link: "x"}},
		{"linked=1", "linked=1", secrets{}},
	} {
		r, err := http.NewRequest("GET", "http://h/p?"+tt.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := takeSecrets(r); got != tt.want || r.URL.RawQuery != tt.kept {
			t.Errorf("%s: %+v and %q stay, want %+v and %q", tt.query, got, r.URL.RawQuery, tt.want, tt.kept)
		}
	}
}
