package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A cached answer is the same answer, and is never older than an acknowledged write.
func TestKeptAnswers(t *testing.T) {
	s := start(t)
	id := s.Ada.published("First")
	one := fmt.Sprintf("/v2/articles/%d", id)
	for _, path := range []string{"/v2/articles", one, "/v2/articles?order=views"} {
		first := s.Anon.get(path).is(200)
		for range 3 { // from the second on it is kept
			again := s.Anon.get(path).is(200)
			for name, value := range first.Header {
				if name != "X-Request-Id" && name != "Date" && name != "Last-Modified" && !slices.Equal(again.Header[name], value) {
					t.Errorf("%s: %s is %q again, and was %q", path, name, again.Header[name], value)
				}
			}
			if len(again.Header) != len(first.Header) || string(again.body) != string(first.body) {
				t.Errorf("%s: the answer is another: %v %s", path, again.Header, again.body)
			}
		}
		tag := first.Header.Get("ETag")
		s.Anon.get(path, "If-None-Match", tag).is(304)
		s.Anon.get(path, "If-Match", `"other"`).is(412)
		if r := s.Anon.do("HEAD", path, nil).is(200); len(r.body) != 0 || r.Header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %d bytes, tag %s", path, len(r.body), r.Header.Get("ETag"))
		}
		secret := "?access_token=x"
		if strings.Contains(path, "?") {
			secret = "&access_token=x"
		}
		if r := s.Anon.get(path + secret).is(200); r.Header.Get("Cache-Control") != "private, no-store" {
			t.Errorf("%s with a credential: Cache-Control %q", path, r.Header.Get("Cache-Control"))
		}
	}
	s.Anon.get("/v2/articles%3Fpage=1").is(404) // not the list with a query
	s.Anon.get("/v2/articles", "X-Cursor", "no cursor").is(422)

	for n := range 3 {
		before := len(s.Anon.get("/v2/articles").is(200).list())
		s.Anon.get("/v2/articles").is(200)
		s.Ada.published(fmt.Sprintf("Another %d", n))
		if after := len(s.Anon.get("/v2/articles").is(200).list()); after != before+1 {
			t.Errorf("the list has %d items after a publication, want %d", after, before+1)
		}
	}
	s.Ada.send("PUT", fmt.Sprintf("/v2/account/articles/%d", id), `{"title": "Second"}`).is(205)
	s.Ada.do("POST", fmt.Sprintf("/v2/account/articles/%d/publish", id), nil).is(201)
	if title := s.Anon.get(one).is(200).object()["title"]; title != "Second" {
		t.Errorf("the article is called %v after a new version", title)
	}
}
