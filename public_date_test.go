package main

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"alcove/config"
)

// startAt starts a server with Ada by a clock of the test.
func startAt(t *testing.T, clock func() time.Time) *server {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = t.TempDir(), "127.0.0.1:0", "off"
	s := &server{t: t, cfg: cfg, clock: clock}
	s.boot()
	t.Cleanup(func() {
		if s.Server != nil {
			s.Stop()
		}
	})
	s.Anon, s.Ada = client{s, ""}, s.person("Ada", false)
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
	at := s.Ada.article(`{"title": "A public item", "authors": [{"name": "A B"}]}`)
	s.Ada.beginAs(at, `{"link": "https://example.org/data"}`)
	s.Ada.send("PUT", at+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "`+begun.Add(50*time.Hour).UTC().Format("2006-01-02T15:04:05")+`"}`).is(205)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	col := strings.TrimPrefix(s.Ada.send("POST", "/v2/account/collections", `{"title": "A collection", "articles": [1], "authors": [{"name": "A B"}]}`).is(201).Header.Get("Location"), s.URL)
	s.Ada.do("POST", col+"/publish", nil).is(201)
	lists := []string{"/v2/articles", "/v2/collections", "/v2/projects", "/v2/collections/1/articles"}
	shown := func() (all []string) {
		for _, path := range lists {
			r := s.Anon.get(path).is(200)
			all = append(all, path+" "+r.Header.Get("Last-Modified")+" "+r.Header.Get("ETag"))
		}
		return all
	}
	dated := func(what string) {
		t.Helper()
		for _, path := range lists {
			if got, want := s.Anon.get(path).Header.Get("Last-Modified"), now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"); got != want {
				t.Errorf("%s after %s is of %s, want %s", path, what, got, want)
			}
		}
	}
	dated("a publication")
	before := shown()
	hours.Add(1)
	draft := s.Ada.article(`{"title": "A private item", "authors": [{"name": "C D"}]}`)
	s.Ada.send("PATCH", at, `{"title": "Changed in private"}`).is(205)
	s.Ada.send("PUT", col, `{"title": "Changed in private"}`).is(205)
	s.Ada.link(draft, "")
	s.Ada.do("DELETE", draft, nil).is(204)
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
		r := s.Anon.get(path)
		s.Anon.get(path, "If-Modified-Since", r.Header.Get("Last-Modified")).is(304)
	}
	s.restart() // at another port, which stands in the answers
	for i, is := range shown() {
		if strings.Split(is, ` "`)[0] != strings.Split(before[i], ` "`)[0] {
			t.Errorf("after a restart: %s, before it %s", is, before[i])
		}
	}

	hours.Store(60) // the embargo is over
	s.restart()
	deadline := time.Now().Add(20 * time.Second)
	for {
		changed := s.DB().Changed()
		if s.Anon.get("/v2/articles/1").object()["is_embargoed"] == false {
			break
		}
		select {
		case <-changed:
		case <-time.After(time.Until(deadline)):
			t.Fatal("the embargo does not end")
		}
	}
	dated("the end of an embargo")
	hours.Add(1)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	dated("another version")
}
