package main

import (
	"fmt"
	"testing"
)

// A person named in public is found by every account; one no longer named in public, only by the
// accounts that named them.
func TestPeopleNoLongerNamed(t *testing.T) {
	t.Parallel()
	s := start(t)
	find := func(c client, want int) {
		t.Helper()
		if got := len(c.send("POST", "/v2/account/authors/search", `{"search_for": "Zygmunt"}`).is(200).list()); got != want {
			t.Errorf("%d are found, want %d", got, want)
		}
	}
	article := func(author string) string {
		at := s.Ada.article(`{"title": "About something", "authors": [` + author + `]}`)
		s.Ada.do("POST", at+"/publish", nil).is(201)
		return at
	}
	withdraw := func(at string) {
		t.Helper()
		s.Ada.send("POST", at+"/unpublish", `{"reason": "It was wrong"}`).is(204)
	}
	first := article(`{"name": "Zygmunt Seltsam"}`)
	person := int64(s.Ada.get(first + "/authors").list()[0]["id"].(float64))
	again := article(fmt.Sprintf(`{"id": %d}`, person))
	find(s.Ben, 1)
	withdraw(first)
	find(s.Ben, 1)
	collection := s.Ada.send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "A collection", "authors": [{"id": %d}]}`, person)).is(201).Header.Get("Location")
	s.Ada.do("POST", collection+"/publish", nil).is(201)
	withdraw(again)
	find(s.Ben, 1) // in the collection
	s.Ben.get(fmt.Sprintf("/v2/account/authors/%d", person)).is(200)

	alone := article(`{"name": "Zygmunt Allein"}`)
	find(s.Ben, 2)
	s.Ada.send("PATCH", alone+"/versions/1", `{"authors": [{"name": "Somebody Else"}]}`).is(205)
	find(s.Ben, 1)
	find(s.Ada, 2)
	gone := article(`{"name": "Zygmunt Fort"}`)
	find(s.Ben, 2)
	withdraw(gone)
	find(s.Ben, 1)
	find(s.Ada, 3)
	s.Ada.do("POST", gone+"/publish", nil).is(201)
	find(s.Ben, 2)
}
