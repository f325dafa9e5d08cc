package crash

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
	"alcove/tests/world"
)

// Below the floor every write is refused with 507 and says so, parts of files too, while reads
// and deletions go on, as does the check of a file that was completed before (security.md K07).
func TestBelowFloor(t *testing.T) {
	s := world.StartWithin(t)
	draft := s.Ada.Article(`{"title": "A draft", "authors": [{"name": "Ada"}]}`)
	public := s.Ada.Article(`{"title": "Public", "authors": [{"name": "Ada"}]}`)
	s.Ada.Upload(public, "whole.txt", []byte("whole"))
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	_, upload := s.Ada.Begin(draft, "open.bin", []byte("hello"))
	link := s.Ada.Link(draft, "")
	s.Cfg.DiskFloor = 1 << 60
	s.Restart()
	at := func(url string) string { return s.URL + url[strings.Index(url, "/upload/"):] }
	const full = "The disk of the server is full"
	for _, c := range []struct{ method, path, body string }{
		{"POST", "/v2/account/articles", `{"title": "More"}`},
		{"PUT", draft, `{"title": "Other"}`},
		{"PATCH", draft, `{"title": "Other"}`},
		{"POST", draft + "/authors", `{"authors": [{"name": "Ben"}]}`},
		{"POST", draft + "/private_links", ``},
		{"POST", public + "/publish", ``},
		{"POST", "/v2/account/projects", `{"title": "A project"}`},
		{"POST", "/v2/account/collections", `{"title": "A collection"}`},
		{"PUT", at(upload) + "/1", "hello"},
	} {
		r := s.Ada.Send(c.method, c.path, c.body).Refuses(507, full)
		if code := r.Object()["code"]; code != "NoSpace" {
			t.Errorf("%s %s: the code is %v", c.method, c.path, code)
		}
	}
	if got := s.Ada.Get(draft).Is(200).Object(); got["title"] != "A draft" {
		t.Errorf("the draft is %v", got["title"])
	}
	for _, path := range []string{draft, "/v2/account/articles", "/v2/articles", "/v2/articles/2", "/healthz", "/readyz"} {
		s.Ada.Get(path).Is(200)
	}
	if list := s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "public"}`).Is(200).List(); len(list) != 1 {
		t.Errorf("the search finds %d", len(list))
	}
	s.Ada.Do("DELETE", draft+"/private_links/"+link, nil).Is(204)
	s.Ada.Do("DELETE", draft, nil).Is(204)
	s.Ada.Get(draft).Refuses(404, "")
	s.Cfg.DiskFloor = 0
	s.Restart()
	s.Ada.Send("POST", "/v2/account/articles", `{"title": "More"}`).Is(201)
}

// A database that is cut off under the server is 500 for requests of lost pages, not the end of
// the process; the server says that it is not ready, and refuses to write.
func TestDatabaseCutOff(t *testing.T) {
	s := world.Start(t)
	s.Harmed = "its database is cut off"
	for n := range 30 {
		s.Ada.Article(fmt.Sprintf(`{"title": "Article %d", "description": "%s", "authors": [{"name": "Ada"}]}`, n, strings.Repeat("text ", 2000)))
	}
	if err := os.Truncate(filepath.Join(s.Cfg.Data, "alcove.db"), 8192); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for n := range 30 {
		if status(s, "GET", fmt.Sprintf("/v2/account/articles/%d", n+1)) == 500 {
			failed++
		}
	}
	word := ""
	if r, err := http.Get(s.URL + "/readyz"); err == nil { // or the server ends, see below
		b, _ := io.ReadAll(r.Body)
		r.Body.Close()
		word = string(b)
	}
	readyz, post, healthz := status(s, "GET", "/readyz"), status(s, "POST", "/v2/account/articles"), status(s, "GET", "/healthz")
	if healthz == 0 { // a write of its own, as of what was refused, has met a lost page: what became of that is unknown, so it ends
		if code, said := s.EndsItself(); code != 1 || !strings.Contains(said, "cannot commit, the outcome is unknown") {
			t.Errorf("the server ended with %d: %s", code, said)
		}
		return
	}
	if failed == 0 || readyz != 503 || !strings.Contains(word, `"stopped"`) && !strings.Contains(word, `"database"`) || post < 500 || healthz != 200 {
		t.Errorf("%d of 30 failed; readyz answers %d %s, a write %d, healthz %d", failed, readyz, word, post, healthz)
	}
}

// status is that of an answer to Ada which may be 500; 0 where there is none.
func status(s *world.Server, method, path string) int {
	s.T.Helper()
	req, err := http.NewRequest(method, s.URL+path, bytes.NewReader([]byte(`{"title": "A title"}`)))
	if err != nil {
		s.T.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+s.Ada.Token)
	res, err := world.NoRedirects.Do(req)
	if err != nil {
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

// Whatever the clock does, dates stay in order, ids and versions go on, expired rights do not
// come back, an embargo that has ended stays ended, and one whose day has not come holds
// (security.md L02, L04, L05).
func TestClockJumps(t *testing.T) {
	s := world.Start(t)
	var year atomic.Int64
	s.Clock = func() time.Time { return time.Date(int(year.Load()), 5, 1, 12, 0, 0, 0, time.UTC) }
	in := func(y int64) {
		year.Store(y)
		s.Restart()
		if err := s.DB().AcceptClock(t.Context()); err != nil { // it is far from what the store has seen
			t.Fatal(err)
		}
	}
	embargoed := func(title, until string) string {
		at := s.Ada.Article(`{"title": "` + title + `", "authors": [{"name": "Ada"}]}`)
		s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_date": "`+until+`", "embargo_type": "article"}`).Is(205)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		return at
	}
	in(2030)
	embargoed("Far", "2034-01-01")
	near := embargoed("Near", "2030-09-01")
	expired := s.Ada.Link(near, `{"expires_date": "2030-08-01"}`)
	ben := s.Ben.ID()
	s.Alter(func(tx *bucket.Tx) error {
		ends := time.Date(2030, 8, 1, 0, 0, 0, 0, time.UTC)
		return users.Tokens.Put(tx, auth.TokenKey(s.Ben.Token), &record.Token{AccountID: ben, Expires: ends})
	})
	s.Ben.Get("/v2/account").Is(200)
	s.Anon.Get("/v2/articles/1").Refuses(404, "")
	s.Anon.Get("/v2/articles/2").Refuses(404, "")
	in(2031)
	shown(s, "/v2/articles/2")
	modified := func() string { return s.Ada.Get(near).Is(200).Object()["modified_date"].(string) }
	versions, last := 1.0, modified()
	for _, y := range []int64{1970, 2030, 1900, 2031, 2033, 2032} {
		in(y)
		s.Anon.Get("/v2/articles/2").Is(200)
		s.Anon.Get("/v2/articles/1").Refuses(404, "")
		s.Ada.Send("PATCH", near, fmt.Sprintf(`{"title": "In the year %d"}`, y)).Is(205)
		if now := modified(); now < last {
			t.Errorf("in %d the date of the last change went from %s to %s", y, last, now)
		} else {
			last = now
		}
		s.Ada.Do("POST", near+"/publish", nil).Is(201)
		if versions++; s.Anon.Get("/v2/articles/2").Is(200).Object()["version"] != versions {
			t.Errorf("in %d the version is not %v", y, versions)
		}
		s.Ben.Get("/v2/account").Is(401) // the token has ended and stays so
		for _, l := range s.Ada.Get(near + "/private_links").Is(200).List() {
			if l["id"] == expired && l["is_active"] == true {
				t.Errorf("in %d the link is active again", y)
			}
		}
	}
	in(2105) // versions whose day has come by then appear: no other clock is known
	shown(s, "/v2/articles/1")
	s.Ada.Send("PATCH", near, `{"title": "In the year 2105"}`).Is(205)
	in(2032)
	s.Anon.Get("/v2/articles/1").Is(200)
	embargoed("Later", "2034-01-01")
	s.Anon.Get("/v2/articles/3").Refuses(404, "")
	s.Restart()
	s.Anon.Get("/v2/articles/3").Refuses(404, "")
	if now := modified(); now < "2105" {
		t.Errorf("the date of the last change went back to %s", now)
	}
}

// shown waits until an address is public.
func shown(s *world.Server, path string) {
	s.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); s.Anon.Get(path).StatusCode != 200; {
		if time.Now().After(deadline) {
			s.T.Fatalf("%s does not appear", path)
		}
	}
}
