package articles

import (
	"fmt"
	"testing"

	"alcove/tests/stage"
	"alcove/tests/world"
)

// Own articles are listed by creation, in either direction; any other order is refused rather
// than ignored.
func TestOwnArticleListOrder(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 3 {
		s.Ada.Article(fmt.Sprintf(`{"title": "Item %d"}`, n))
	}
	for query, want := range map[string]string{
		"": "3 2 1", "?order=created_date": "3 2 1", "?order=created_date&order_direction=asc": "1 2 3", "?order_direction=asc&limit=1&offset=1": "2",
	} {
		got := ""
		for _, item := range s.Ada.Get("/v2/account/articles" + query).Is(200).List() {
			got += fmt.Sprintf(" %v", item["id"])
		}
		if got != " "+want {
			t.Errorf("%q lists%s, want %s", query, got, want)
		}
	}
	s.Ada.Get("/v2/account/articles?order=views").Refuses(400, "Invalid value received for order")
	s.Ada.Get("/v2/account/articles?order_direction=up").Refuses(422, "order_direction")
}

// Keys that a change of an account does not take are named in its warnings, and change nothing.
func TestAccountChangeWarns(t *testing.T) {
	t.Parallel()
	s, _ := stage.NewInstitution(t)
	at := fmt.Sprintf("/v2/account/institution/accounts/%d", s.Ben.ID())
	before := s.Root.Get(at).Is(200).Object()
	got := s.Root.Send("PUT", at, `{"first_name": "Other", "email": "other@example.org", "is_active": true}`).Is(205).Object()
	if fmt.Sprint(got["warnings"]) != `[Unknown key "first_name" was ignored Unknown key "email" was ignored]` {
		t.Errorf("the answer is %v", got)
	}
	if after := s.Root.Get(at).Is(200).Object(); after["first_name"] != before["first_name"] || after["email"] != before["email"] {
		t.Errorf("the account is %v", after)
	}
}
