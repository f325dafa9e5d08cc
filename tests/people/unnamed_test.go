package people

import (
	"fmt"
	"testing"

	"alcove/tests/world"
)

// A person named in public is found by every account; one no longer named in public, only by the
// accounts that named them.
func TestPeopleNoLongerNamed(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	find := func(c world.Client, want int) {
		t.Helper()
		if got := len(c.Send("POST", "/v2/account/authors/search", `{"search_for": "Zygmunt"}`).Is(200).List()); got != want {
			t.Errorf("%d are found, want %d", got, want)
		}
	}
	article := func(author string) string {
		at := s.Ada.Article(`{"title": "About something", "authors": [` + author + `]}`)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		return at
	}
	withdraw := func(at string) {
		t.Helper()
		s.Ada.Send("POST", at+"/unpublish", `{"reason": "It was wrong"}`).Is(204)
	}
	first := article(`{"name": "Zygmunt Seltsam"}`)
	person := int64(s.Ada.Get(first + "/authors").List()[0]["id"].(float64))
	again := article(fmt.Sprintf(`{"id": %d}`, person))
	find(s.Ben, 1)
	withdraw(first)
	find(s.Ben, 1)
	collection := s.Ada.Send("POST", "/v2/account/collections", fmt.Sprintf(`{"title": "A collection", "authors": [{"id": %d}]}`, person)).Is(201).Header.Get("Location")
	s.Ada.Do("POST", collection+"/publish", nil).Is(201)
	withdraw(again)
	find(s.Ben, 1) // in the collection
	s.Ben.Get(fmt.Sprintf("/v2/account/authors/%d", person)).Is(200)

	alone := article(`{"name": "Zygmunt Allein"}`)
	find(s.Ben, 2)
	s.Ada.Send("PATCH", alone+"/versions/1", `{"authors": [{"name": "Somebody Else"}]}`).Is(205)
	find(s.Ben, 1)
	find(s.Ada, 2)
	gone := article(`{"name": "Zygmunt Fort"}`)
	find(s.Ben, 2)
	withdraw(gone)
	find(s.Ben, 1)
	find(s.Ada, 3)
	s.Ada.Do("POST", gone+"/publish", nil).Is(201)
	find(s.Ben, 2)
}
