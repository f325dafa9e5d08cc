package articles

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A cached answer is the same answer, and is never older than an acknowledged write.
func TestKeptAnswers(t *testing.T) {
	s := world.Start(t)
	id := s.Ada.Published("First")
	one := fmt.Sprintf("/v2/articles/%d", id)
	for _, path := range []string{"/v2/articles", one, "/v2/articles?order=views"} {
		first := s.Anon.Get(path).Is(200)
		for range 3 { // from the second on it is cached
			again := s.Anon.Get(path).Is(200)
			for name, value := range first.Header {
				if name != "X-Request-Id" && name != "Date" && name != "Last-Modified" && !slices.Equal(again.Header[name], value) {
					t.Errorf("%s: %s is %q again, and was %q", path, name, again.Header[name], value)
				}
			}
			if len(again.Header) != len(first.Header) || string(again.Bytes) != string(first.Bytes) {
				t.Errorf("%s: the answer is another: %v %s", path, again.Header, again.Bytes)
			}
		}
		tag := first.Header.Get("ETag")
		s.Anon.Get(path, "If-None-Match", tag).Is(304)
		s.Anon.Get(path, "If-Match", `"other"`).Is(412)
		if r := s.Anon.Do("HEAD", path, nil).Is(200); len(r.Bytes) != 0 || r.Header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %d bytes, tag %s", path, len(r.Bytes), r.Header.Get("ETag"))
		}
		secret := "?access_token=x"
		if strings.Contains(path, "?") {
			secret = "&access_token=x"
		}
		if r := s.Anon.Get(path + secret).Is(200); r.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s with a credential: Cache-Control %q", path, r.Header.Get("Cache-Control"))
		}
	}
	s.Anon.Get("/v2/articles%3Fpage=1").Is(404) // not the list with a query
	s.Anon.Get("/v2/articles", "X-Cursor", "no cursor").Is(422)

	for n := range 3 {
		before := len(s.Anon.Get("/v2/articles").Is(200).List())
		s.Anon.Get("/v2/articles").Is(200)
		s.Ada.Published(fmt.Sprintf("Another %d", n))
		if after := len(s.Anon.Get("/v2/articles").Is(200).List()); after != before+1 {
			t.Errorf("the list has %d items after a publication, want %d", after, before+1)
		}
	}
	s.Ada.Send("PUT", fmt.Sprintf("/v2/account/articles/%d", id), `{"title": "Second"}`).Is(205)
	s.Ada.Do("POST", fmt.Sprintf("/v2/account/articles/%d/publish", id), nil).Is(201)
	if title := s.Anon.Get(one).Is(200).Object()["title"]; title != "Second" {
		t.Errorf("the article is called %v after a new version", title)
	}
}
