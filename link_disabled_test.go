package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/record"
)

// For the holder of a link that may edit a collection only its public articles exist: it cannot
// see, count, tell apart or remove the private ones, which keep their places.
func TestLinkEditLeavesUnseen(t *testing.T) {
	t.Parallel()
	s := start(t)
	draft := func(who client, title string) int64 {
		return lastNumber(t, who.article(fmt.Sprintf(`{"title": %q}`, title)))
	}
	one, two, bens := draft(s.Ada, "One"), draft(s.Ada, "Two"), draft(s.Ben, "Ben's own")
	first, second, third := s.Ben.published("First"), s.Ben.published("Second"), s.Ben.published("Third")
	at := s.Ada.newCollection("Mixed")
	s.Ada.send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d, %d, %d]}`, one, first, two, second)).is(205)
	token := s.Ada.link(at, `{"read_only": false}`)
	has := func(when string, want ...int64) {
		t.Helper()
		var got []int64
		for _, a := range s.Ada.get(at + "/articles").is(200).list() {
			got = append(got, int64(a["id"].(float64)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the collection has %v, want %v", when, got, want)
		}
		var shown []int64
		for _, a := range s.Anon.linked(token, "GET", at+"/articles", "").is(200).list() {
			shown = append(shown, int64(a["id"].(float64)))
		}
		want = slices.DeleteFunc(slices.Clone(want), func(id int64) bool { return id == one || id == two })
		if n := s.Anon.linked(token, "GET", at, "").is(200).object()["articles_count"]; n != float64(len(want)) || !slices.Equal(shown, want) {
			t.Errorf("%s: the link counts %v and shows %v, want %v", when, n, shown, want)
		}
	}
	for _, who := range []client{s.Anon, s.Ben} {
		s.Ada.send("PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d, %d, %d]}`, one, first, two, second)).is(205)
		has("before", one, first, two, second)
		who.linked(token, "PUT", at+"/articles", fmt.Sprintf(`{"articles": [%d, %d]}`, third, first)).is(205)
		has("replaced", one, third, two, first)
		who.linked(token, "PATCH", at, fmt.Sprintf(`{"articles": [%d]}`, second)).is(205)
		has("by the body of the collection", one, second, two)
		who.linked(token, "PUT", at, fmt.Sprintf(`{"title": "Mixed", "articles": [%d, %d, %d]}`, first, second, third)).is(205)
		has("with more", one, first, two, second, third)
		who.linked(token, "PUT", at+"/articles", `{"articles": []}`).is(205)
		has("emptied", one, two)
		who.linked(token, "POST", at+"/articles", fmt.Sprintf(`{"articles": [%d]}`, third)).is(201)
		has("added", one, two, third)
		before := s.DB().Sequence()
		for _, id := range []int64{one, bens} {
			for _, headers := range [][]string{nil, {"If-Match", `"x"`}, {"If-None-Match", "*"}} {
				got, never := who.linked(token, "DELETE", fmt.Sprint(at, "/articles/", id), "", headers...), who.linked(token, "DELETE", at+"/articles/987654", "", headers...)
				if got.StatusCode < 400 || got.whole() != never.whole() {
					t.Errorf("DELETE of %d %v: %s, of one that never was %s", id, headers, got.whole(), never.whole())
				}
			}
			for _, w := range []struct{ method, path string }{{"POST", at + "/articles"}, {"PUT", at + "/articles"}, {"PATCH", at}} {
				got := who.linked(token, w.method, w.path, fmt.Sprintf(`{"articles": [%d]}`, id)).refuses(422, "Article not found")
				if never := who.linked(token, w.method, w.path, `{"articles": [987654]}`); got.whole() != never.whole() {
					t.Errorf("%s of %d: %s, of one that never was %s", w.method, id, got.whole(), never.whole())
				}
			}
		}
		if s.DB().Sequence() != before {
			t.Error("what was refused changed something")
		}
	}
}

// When an account is disabled or expires, everything that it has shared ends with it: upload
// addresses are unknown and take no byte, private links open nothing. All of it works again when
// the account does.
func TestDisabledAccountCloses(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "With an upload", "authors": [{"name": "A B"}]}`)
	whole := s.Ada.upload(at, "whole.png", onePixel)
	s.Ada.previews(whole, "preview_available")
	file, upload := s.Ada.begin(at, "open.bin", []byte("hello"))
	col := s.Ada.newCollection("By link")
	link, reading, editing := s.Ada.link(at, ""), s.Ada.link(col, ""), s.Ada.link(col, `{"read_only": false}`)
	id := lastNumber(t, whole)
	downloads := []string{fmt.Sprint("/files/", id), fmt.Sprintf("/files/%d/preview/%[1]d/thumb.png", id), fmt.Sprint("/articles/", lastNumber(t, at))}
	unknown := upload[:strings.LastIndexByte(upload, '/')] + "/00000000-0000-4000-8000-000000000000"
	for what, change := range map[string]func(*record.Account){
		"disabled": func(a *record.Account) { a.Disabled = true },
		"expired":  func(a *record.Account) { a.Expires = time.Now().Add(-time.Hour) },
	} {
		s.account(s.Ada.id(), change)
		before := s.DB().Sequence()
		for _, r := range []struct{ method, path string }{{"GET", ""}, {"GET", "/1"}, {"PUT", "/1"}, {"DELETE", "/1"}} {
			got, never := s.Anon.do(r.method, upload+r.path, bytes.NewReader([]byte("hello"))), s.Anon.do(r.method, unknown+r.path, bytes.NewReader([]byte("hello")))
			if got.StatusCode != 404 || got.whole() != never.whole() {
				t.Errorf("%s: %s %s: %s, unknown %s", what, r.method, r.path, got.whole(), never.whole())
			}
		}
		for _, who := range []client{s.Anon, s.Ben} {
			for _, path := range downloads {
				if r := who.linked(link, "GET", path, ""); r.StatusCode != 404 {
					t.Errorf("%s: %s answered %d", what, path, r.StatusCode)
				}
			}
		}
		s.Anon.linked(link, "GET", at, "").refuses(401, "")
		s.Ben.linked(link, "GET", at, "").refuses(404, "Article not found")
		s.Anon.linked(link, "GET", at+"/files", "").refuses(401, "")
		s.Anon.linked(reading, "GET", col, "").refuses(401, "")
		s.Anon.linked(editing, "PATCH", col, `{"title": "Edited"}`).refuses(401, "")
		s.Ben.linked(editing, "PATCH", col, `{"title": "Edited"}`).refuses(404, "Collection not found")
		s.Ada.do("POST", file, nil).refuses(401, "")
		s.Ada.send("POST", at+"/private_links", "").refuses(401, "")
		if s.DB().Sequence() != before {
			t.Errorf("%s: something was written", what)
		}
		s.account(1, func(a *record.Account) { a.Disabled, a.Expires = false, time.Time{} })
		s.Anon.linked(link, "GET", downloads[0], "").is(200)
		s.Anon.linked(editing, "PATCH", col, `{"title": "Edited"}`).is(205)
	}
	s.Anon.do("PUT", upload+"/1", bytes.NewReader([]byte("hello"))).is(200)
}
