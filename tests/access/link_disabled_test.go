package access

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// For the holder of a link that may edit a collection only its public articles exist: it cannot
// see, count, tell apart or remove the private ones, which keep their places.
func TestLinkEditLeavesUnseen(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	draft := func(who world.Client, title string) int64 {
		return world.LastNumber(t, who.Article(fmt.Sprintf(`{"title": %q}`, title)))
	}
	one, two, bens := draft(s.Ada, "One"), draft(s.Ada, "Two"), draft(s.Ben, "Ben's own")
	first, second, third := s.Ben.Published("First"), s.Ben.Published("Second"), s.Ben.Published("Third")
	at := s.Ada.NewCollection("Mixed")
	s.Ada.Send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d, %d, %d]}`, one, first, two, second)).Is(205)
	token := s.Ada.Link(at, `{"read_only": false}`)
	has := func(when string, want ...int64) {
		t.Helper()
		var got []int64
		for _, a := range s.Ada.Get(at + "/articles").Is(200).List() {
			got = append(got, int64(a["id"].(float64)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the collection has %v, want %v", when, got, want)
		}
		var shown []int64
		for _, a := range s.Anon.Linked(token, "GET", at+"/articles", "").Is(200).List() {
			shown = append(shown, int64(a["id"].(float64)))
		}
		want = slices.DeleteFunc(slices.Clone(want), func(id int64) bool { return id == one || id == two })
		if n := s.Anon.Linked(token, "GET", at, "").Is(200).Object()["articles_count"]; n != float64(len(want)) || !slices.Equal(shown, want) {
			t.Errorf("%s: the link counts %v and shows %v, want %v", when, n, shown, want)
		}
	}
	for _, who := range []world.Client{s.Anon, s.Ben} {
		s.Ada.Send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d, %d, %d]}`, one, first, two, second)).Is(205)
		has("before", one, first, two, second)
		who.Linked(token, "PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, third, first)).Is(205)
		has("replaced", one, third, two, first)
		who.Linked(token, "PATCH", at, fmt.Sprintf(`{"articles": [%d]}`, second)).Is(205)
		has("by the body of the collection", one, second, two)
		who.Linked(token, "PUT", at, fmt.Sprintf(`{"title": "Mixed", "articles": [%d, %d, %d]}`, first, second, third)).Is(205)
		has("with more", one, first, two, second, third)
		who.Linked(token, "PUT", at+"/articles", `{"articles": []}`).Is(205)
		has("emptied", one, two)
		who.Linked(token, "POST", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, third)).Is(201)
		has("added", one, two, third)
		before := s.Sequence()
		for _, id := range []int64{one, bens} {
			for _, headers := range [][]string{nil, {"If-Match", `"x"`}, {"If-None-Match", "*"}} {
				got, never := who.Linked(token, "DELETE", fmt.Sprint(at, "/articles/", id), "", headers...), who.Linked(token, "DELETE", at+"/articles/987654", "", headers...)
				if got.StatusCode < 400 || got.Whole() != never.Whole() {
					t.Errorf("DELETE of %d %v: %s, of one that never was %s", id, headers, got.Whole(), never.Whole())
				}
			}
			for _, w := range []struct{ method, path string }{{"POST", at + "/articles"}, {"PUT", at + "/articles"}, {"PATCH", at}} {
				got := who.Linked(token, w.method, w.path, fmt.Sprintf(`{"articles": [%d]}`, id)).Refuses(422, "Article not found")
				if never := who.Linked(token, w.method, w.path, `{"articles": [987654]}`); got.Whole() != never.Whole() {
					t.Errorf("%s of %d: %s, of one that never was %s", w.method, id, got.Whole(), never.Whole())
				}
			}
		}
		if s.Sequence() != before {
			t.Error("what was refused changed something")
		}
	}
}

// When an account is disabled or expires, everything that it has shared ends with it: upload
// addresses are unknown and take no byte, private links open nothing. All of it works again when
// the account does.
func TestDisabledAccountCloses(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "With an upload", "authors": [{"name": "A B"}]}`)
	whole := s.Ada.Upload(at, "whole.png", disk.OnePixel)
	s.Ada.Previews(whole, "preview_available")
	file, upload := s.Ada.Begin(at, "open.bin", []byte("hello"))
	col := s.Ada.NewCollection("By link")
	link, reading, editing := s.Ada.Link(at, ""), s.Ada.Link(col, ""), s.Ada.Link(col, `{"read_only": false}`)
	id := world.LastNumber(t, whole)
	downloads := []string{fmt.Sprint("/files/", id), fmt.Sprintf("/files/%d/preview/%[1]d/thumb.png", id), fmt.Sprint("/articles/", world.LastNumber(t, at))}
	unknown := upload[:strings.LastIndexByte(upload, '/')] + "/00000000-0000-4000-8000-000000000000"
	for what, change := range map[string]func(*record.Account){
		"disabled": func(a *record.Account) { a.Disabled = true },
		"expired":  func(a *record.Account) { a.Expires = time.Now().Add(-time.Hour) },
	} {
		s.Account(s.Ada.ID(), change)
		before := s.Sequence()
		for _, r := range []struct{ method, path string }{{"GET", ""}, {"GET", "/1"}, {"PUT", "/1"}, {"DELETE", "/1"}} {
			got, never := s.Anon.Do(r.method, upload+r.path, bytes.NewReader([]byte("hello"))), s.Anon.Do(r.method, unknown+r.path, bytes.NewReader([]byte("hello")))
			if got.StatusCode != 404 || got.Whole() != never.Whole() {
				t.Errorf("%s: %s %s: %s, unknown %s", what, r.method, r.path, got.Whole(), never.Whole())
			}
		}
		for _, who := range []world.Client{s.Anon, s.Ben} {
			for _, path := range downloads {
				if r := who.Linked(link, "GET", path, ""); r.StatusCode != 404 {
					t.Errorf("%s: %s answered %d", what, path, r.StatusCode)
				}
			}
		}
		s.Anon.Linked(link, "GET", at, "").Refuses(401, "")
		s.Ben.Linked(link, "GET", at, "").Refuses(404, "Article not found")
		s.Anon.Linked(link, "GET", at+"/files", "").Refuses(401, "")
		s.Anon.Linked(reading, "GET", col, "").Refuses(401, "")
		s.Anon.Linked(editing, "PATCH", col, `{"title": "Edited"}`).Refuses(401, "")
		s.Ben.Linked(editing, "PATCH", col, `{"title": "Edited"}`).Refuses(404, "Collection not found")
		s.Ada.Do("POST", file, nil).Refuses(401, "")
		s.Ada.Send("POST", at+"/private_links", "").Refuses(401, "")
		if s.Sequence() != before {
			t.Errorf("%s: something was written", what)
		}
		s.Account(1, func(a *record.Account) { a.Disabled, a.Expires = false, time.Time{} })
		s.Anon.Linked(link, "GET", downloads[0], "").Is(200)
		s.Anon.Linked(editing, "PATCH", col, `{"title": "Edited"}`).Is(205)
	}
	s.Anon.Do("PUT", upload+"/1", bytes.NewReader([]byte("hello"))).Is(200)
}
