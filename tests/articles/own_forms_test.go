package articles

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/tests/world"
)

// The own list is never older than its records: after every change it has what a server says that
// was just started. No account gets items of another.
func TestOwnListIsCurrent(t *testing.T) {
	s := world.StartWithin(t)
	const list = "/v2/account/articles"
	var at []string
	for n := range 4 {
		at = append(at, strings.TrimPrefix(s.Ada.Send("POST", list, fmt.Sprintf(`{"title": "Number %d", "authors": [{"name": "Grace Hopper"}]}`, n)).Is(201).Header.Get("Location"), s.URL))
	}
	s.Ben.Send("POST", list, `{"title": "Ben's own"}`).Is(201)
	titles := func(u world.Client, query string) string {
		t.Helper()
		var items []struct{ Title string }
		r := u.Get(list + query).Is(200)
		if err := json.Unmarshal(r.Bytes, &items); err != nil {
			t.Fatal(err)
		}
		again := u.Get(list + query).Is(200)
		if string(again.Bytes) != string(r.Bytes) || again.Header.Get("ETag") != r.Header.Get("ETag") {
			t.Errorf("the list is\n%s, and then\n%s", r.Bytes, again.Bytes)
		}
		var all []string
		for _, it := range items {
			all = append(all, it.Title)
		}
		return strings.Join(all, ", ")
	}
	is := func(when, want string) {
		t.Helper()
		if got := titles(s.Ada, ""); got != want {
			t.Errorf("%s the list is %q, want %q", when, got, want)
		}
	}
	is("at first", "Number 3, Number 2, Number 1, Number 0")
	s.Ada.Send("PATCH", at[1], `{"title": "Changed"}`).Is(205)
	is("after a change", "Number 3, Number 2, Changed, Number 0")
	s.Ada.Send("PATCH", at[1], `{"title": "Number 1"}`).Is(205)
	is("after another", "Number 3, Number 2, Number 1, Number 0")
	s.Ada.Do("POST", at[2]+"/publish", nil).Is(201)
	if body := string(s.Ada.Get(list + "?page_size=1&page=2").Is(200).Bytes); !strings.Contains(body, `"published_date": "2`) {
		t.Errorf("after a publication the list has %s", body)
	}
	s.Ada.Do("DELETE", at[3], nil).Is(204)
	is("after a deletion", "Number 2, Number 1, Number 0")

	if got := titles(s.Ben, ""); got != "Ben's own" {
		t.Errorf("Ben's list is %q", got)
	}
	if got := titles(s.Root, fmt.Sprintf("?impersonate=%d", s.Ada.ID())); got != "Number 2, Number 1, Number 0" {
		t.Errorf("as Ada the list is %q", got)
	}
	if got := titles(s.Root, ""); got != "" {
		t.Errorf("the administrator's own list is %q", got)
	}
	(world.Client{Server: s}).Get(list).Refuses(401, "")

	s.Alter(func(tx *bucket.Tx) error { // an article that was given away
		art, err := working.Articles.Get(tx, 1)
		if err != nil {
			return err
		}
		art.AccountID = s.Ben.ID()
		return working.Articles.Put(tx, 1, art)
	})
	is("after one was given away", "Number 2, Number 1")
	if got := titles(s.Ben, ""); got != "Ben's own, Number 0" {
		t.Errorf("Ben's list is %q", got)
	}
	before, url := string(s.Ada.Get(list).Is(200).Bytes), s.URL
	s.Restart() // at another address
	if after := string(s.Ada.Get(list).Is(200).Bytes); after != strings.ReplaceAll(before, url, s.URL) {
		t.Errorf("after a restart the list is\n%s\nwant\n%s", after, before)
	}
}
