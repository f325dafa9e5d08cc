package people

import (
	"strings"
	"testing"

	"alcove/tests/world"
)

// The cookie of a session opens a person's own files where the person opens them, and the API to scripts of this
// server's pages, and neither to another site. Nothing counts beside something that stands for a token.
func TestSessionCalls(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	mail := s.Member("Hopper")
	var token string
	s.Operate("token", map[string]string{"account": mail, "name": "test"}, &token)
	grace := world.Client{Server: s, Token: token}
	at := grace.Article(`{"title": "A draft"}`)
	grace.Upload(at, "draft.csv", []byte("a,b\n1,2\n"))
	owner, other := s.SignedIn(mail, world.Password), s.SignedIn(s.Member("Lovelace"), world.Password)
	const file, ours = "/files/1", "same-origin"
	for _, c := range []struct {
		what    string
		who     *world.Browser
		path    string
		status  int
		headers string
	}{
		{"a script of ours", owner, at, 200, "Sec-Fetch-Site: same-origin, Sec-Fetch-Mode: cors, Sec-Fetch-Dest: empty"},
		{"a script of another site", owner, at, 401, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: cors, Sec-Fetch-Dest: empty"},
		{"a script of a neighbour", owner, at, 401, "Sec-Fetch-Site: same-site, Sec-Fetch-Mode: cors, Sec-Fetch-Dest: empty"},
		{"a link to the API", owner, at, 401, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: navigate, Sec-Fetch-Dest: document"},
		{"an address that is typed", owner, at, 401, "Sec-Fetch-Site: none, Sec-Fetch-Mode: navigate, Sec-Fetch-Dest: document"},
		{"a client that does not say", owner, at, 401, ""},
		{"one that says both", owner, at, 401, "Sec-Fetch-Site: cross-site, Sec-Fetch-Site: same-origin"},
		{"a wrong token beside it", owner, at, 401, "Sec-Fetch-Site: same-origin, Authorization: token none"},
		{"a name and password beside it", owner, at, 401, "Sec-Fetch-Site: same-origin, Authorization: Basic QTpC"},
		{"a script of ours for someone else", other, at, 404, "Sec-Fetch-Site: same-origin"},
		{"a download from our page", owner, file, 200, "Sec-Fetch-Site: same-origin, Sec-Fetch-Mode: navigate, Sec-Fetch-Dest: document"},
		{"a picture on our page", owner, file, 200, "Sec-Fetch-Site: same-origin, Sec-Fetch-Mode: no-cors, Sec-Fetch-Dest: image"},
		{"a link in a letter", owner, file, 200, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: navigate, Sec-Fetch-Dest: document"},
		{"a frame of another site", owner, file, 404, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: navigate, Sec-Fetch-Dest: iframe"},
		{"a picture on another site", owner, file, 404, "Sec-Fetch-Site: cross-site, Sec-Fetch-Mode: no-cors, Sec-Fetch-Dest: image"},
		{"a download by someone else", other, file, 404, "Sec-Fetch-Site: same-origin"},
		{"the preview", owner, file + "/view", 200, "Sec-Fetch-Site: same-origin"},
		{"the preview for someone else", other, file + "/view", 404, "Sec-Fetch-Site: same-origin"},
	} {
		r := c.who.Open(c.path, pairs(c.headers)...)
		if r.StatusCode != c.status {
			t.Errorf("%s answered %d, want %d: %.200s", c.what, r.StatusCode, c.status, r.Bytes)
		}
		if got := r.Header.Get("Cache-Control"); c.status == 200 && !strings.HasPrefix(got, "private") {
			t.Errorf("%s may be cached: %q", c.what, got)
		}
	}
	change := func(site string) int {
		return owner.Do("PATCH", at, strings.NewReader(`{"title": "`+site+`"}`), owner.Sent("Sec-Fetch-Site", site)...).StatusCode
	}
	if got := change("cross-site"); got != 401 {
		t.Errorf("another site changes the draft: %d", got)
	}
	if got := change(ours); got != 205 {
		t.Errorf("our page cannot change the draft: %d", got)
	}
	owner.Post("/sign-out", nil).Is(303)
	if got := change(ours); got != 401 {
		t.Errorf("after signing out: %d", got)
	}
	if got := grace.Get(at).Object()["title"]; got != ours {
		t.Errorf("the title is %q", got)
	}
}

// pairs are the names and values of header lines with commas between them.
func pairs(lines string) (list []string) {
	for _, l := range strings.Split(lines, ", ") {
		if name, value, ok := strings.Cut(l, ": "); ok {
			list = append(list, name, value)
		}
	}
	return list
}
