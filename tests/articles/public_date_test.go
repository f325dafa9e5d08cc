package articles

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/world"
)

// startAt starts a server with Ada by a clock of the test.
func startAt(t *testing.T, clock func() time.Time) *world.Server {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = t.TempDir(), "127.0.0.1:0", "off"
	s := &world.Server{T: t, Cfg: cfg, Clock: clock}
	s.Boot()
	t.Cleanup(s.Stop)
	s.Anon, s.Ada = world.Client{Server: s, Token: ""}, s.Person("Ada", false)
	return s
}

// Last-Modified and ETag of public lists follow public changes, and tell nothing of private ones,
// also after a restart. The end of an embargo is a public change.
func TestPublicDates(t *testing.T) {
	t.Parallel()
	begun := time.Now().Add(-100 * time.Hour).Truncate(time.Second)
	var hours atomic.Int64
	now := func() time.Time { return begun.Add(time.Duration(hours.Load()) * time.Hour) }
	s := startAt(t, now)
	hours.Add(1)
	at := s.Ada.Article(`{"title": "A public item", "authors": [{"name": "A B"}]}`)
	s.Ada.BeginAs(at, `{"link": "https://example.org/data"}`)
	s.Ada.Send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "`+begun.Add(50*time.Hour).UTC().Format("2006-01-02T15:04:05")+`"}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "A collection", "articles": [1], "authors": [{"name": "A B"}]}`).Is(201).Header.Get("Location"), s.URL)
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	lists := []string{"/v2/articles", "/v2/collections", "/v2/projects", "/v2/collections/1/articles"}
	shown := func() (all []string) {
		for _, path := range lists {
			r := s.Anon.Get(path).Is(200)
			all = append(all, path+" "+r.Header.Get("Last-Modified")+" "+r.Header.Get("ETag"))
		}
		return all
	}
	dated := func(what string) {
		t.Helper()
		for _, path := range lists {
			if got, want := s.Anon.Get(path).Header.Get("Last-Modified"), now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"); got != want {
				t.Errorf("%s after %s is of %s, want %s", path, what, got, want)
			}
		}
	}
	dated("a publication")
	before := shown()
	hours.Add(1)
	draft := s.Ada.Article(`{"title": "A private item", "authors": [{"name": "C D"}]}`)
	s.Ada.Send("PATCH", at, `{"title": "Changed in private"}`).Is(205)
	s.Ada.Send("PUT", col, `{"title": "Changed in private"}`).Is(205)
	s.Ada.Link(draft, "")
	s.Ada.Do("DELETE", draft, nil).Is(204)
	same := func(what string) {
		t.Helper()
		for i, is := range shown() {
			if is != before[i] {
				t.Errorf("%s: %s, before it %s", what, is, before[i])
			}
		}
	}
	same("after private changes")
	for _, path := range lists {
		r := s.Anon.Get(path)
		s.Anon.Get(path, "If-Modified-Since", r.Header.Get("Last-Modified")).Is(304)
	}
	s.Restart() // at another port, which stands in the answers
	for i, is := range shown() {
		if strings.Split(is, ` "`)[0] != strings.Split(before[i], ` "`)[0] {
			t.Errorf("after a restart: %s, before it %s", is, before[i])
		}
	}

	hours.Store(60) // the embargo is over
	s.Restart()
	old := strings.Fields(before[0])[1:6] // a reader may see what a commit has changed just before its date
	world.WaitFor(t, "the embargo ends", func() bool {
		return s.Anon.Get("/v2/articles/1").Object()["is_embargoed"] == false &&
			s.Anon.Get("/v2/articles").Header.Get("Last-Modified") != strings.Join(old, " ")+" GMT"
	})
	dated("the end of an embargo")
	hours.Add(1)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	dated("another version")
}
