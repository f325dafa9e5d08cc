package main

import (
	"encoding/json"
	"fmt"
	stdmaps "maps"
	"slices"
	"strings"
	"testing"

	"alcove/config"
	"alcove/handlers/present"
)

// A key that a body must have must have a value, too: null is refused (422) as if the key
// were not there, by every route, and changes nothing.
func TestNullRequired(t *testing.T) {
	t.Parallel()
	doc, _, err := described(present.Settings{BaseURL: "https://repo.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, func(c *config.Config) { c.WrongTokens = 1_000_000 })
	tried := 0
	eachJSON(t, func(r route, name, good, _ string) {
		var required []string
		for _, part := range doc.Paths.Value(template(r.Path)).GetOperation(r.Method).RequestBody.Value.Content.Get("application/json").Schema.Value.AllOf {
			required = append(required, part.Value.Required...)
		}
		for _, key := range required {
			body := map[string]any{}
			if err := json.Unmarshal([]byte(good), &body); err != nil {
				t.Fatal(err)
			}
			body[key] = nil
			sent, _ := json.Marshal(body)
			before := s.DB().Sequence()
			got := s.Ada.send(r.Method, s.at(r), string(sent))
			if got.StatusCode != 422 || !strings.Contains(string(got.body), key) {
				t.Errorf("%s with %s answers %d: %s", name, sent, got.StatusCode, got.body)
			}
			if s.DB().Sequence() != before {
				t.Errorf("%s with %s changed something", name, sent)
			}
			tried++
		}
	})
	if tried < 20 {
		t.Errorf("only %d keys are required by all routes", tried)
	}
}

// Null neither opens nor takes away anything: the lists below an item stay, an embargo stays,
// downloads stay off and an account stays active.
func TestNullOpensNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	art, col := fillPath("/v2/account/articles/:id", s.ids), fillPath("/v2/account/collections/:id", s.col)
	s.Ada.send("PATCH", art, `{"download_disabled": true}`).is(205)
	s.Ada.send("PUT", art+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-02"}`).is(205)
	lists := map[string]string{
		art + "/authors": "authors", art + "/categories": "categories",
		col + "/authors": "authors", col + "/categories": "categories", col + "/articles": "articles",
	}
	before := map[string]string{}
	for at := range lists {
		before[at] = string(s.Ada.get(at).is(200).body)
	}
	for _, at := range slices.Sorted(stdmaps.Keys(lists)) {
		for _, method := range []string{"POST", "PUT"} {
			s.Ada.send(method, at, fmt.Sprintf(`{"%s": null}`, lists[at])).refuses(422, lists[at]+" is required")
			s.Ada.send(method, at, fmt.Sprintf(`{"%s": [null]}`, lists[at])).is(422)
			s.Ada.send(method, at, `{}`).refuses(422, lists[at]+" is required")
		}
		if after := string(s.Ada.get(at).is(200).body); after != before[at] || after == "[]" {
			t.Errorf("%s is %s, was %s", at, after, before[at])
		}
	}
	s.Ada.send("PUT", art+"/embargo", `{"is_embargoed": null}`).refuses(422, "is_embargoed is required")
	warned := s.Ada.send("PATCH", art, `{"download_disabled": null, "is_metadata_record": null}`).is(205).object()["warnings"].([]any)
	if len(warned) != 2 {
		t.Errorf("the warnings of two truths that are null are %v", warned)
	}
	detail := s.Ada.get(art).is(200).object()
	if detail["is_embargoed"] != true || detail["download_disabled"] != true {
		t.Errorf("is_embargoed is %v, download_disabled %v", detail["is_embargoed"], detail["download_disabled"])
	}
	account := fmt.Sprintf("/v2/account/institution/accounts/%d", s.Ben.id())
	s.Ada.send("PUT", account, `{"is_active": null}`).is(205)
	if active := s.Ada.get(account).is(200).object()["active"]; active != 1.0 {
		t.Errorf("active is %v after a null", active)
	}
}
