package articles

import (
	"encoding/json"
	"fmt"
	stdmaps "maps"
	"slices"
	"strings"
	"testing"

	"alcove/config"
	"alcove/handlers/present"
	"alcove/tests/routes"
	"alcove/tests/stage"
)

// A key that a body must have must have a value, too: null is refused (422) as if the key
// were not there, by every route, and changes nothing.
func TestNullRequired(t *testing.T) {
	t.Parallel()
	doc, _, err := routes.Described(present.Settings{BaseURL: "https://repo.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	s := stage.New(t, func(c *config.Config) { c.WrongTokens = 1_000_000 })
	tried := 0
	routes.EachJSON(t, func(r routes.Route, name, good, _ string) {
		var required []string
		for _, part := range doc.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method).RequestBody.Value.Content.Get("application/json").Schema.Value.AllOf {
			required = append(required, part.Value.Required...)
		}
		for _, key := range required {
			body := map[string]any{}
			if err := json.Unmarshal([]byte(good), &body); err != nil {
				t.Fatal(err)
			}
			body[key] = nil
			sent, _ := json.Marshal(body)
			before := s.Sequence()
			got := s.Ada.Send(r.Method, s.At(r), string(sent))
			status := 422
			if strings.HasPrefix(r.Path, "/stats/") {
				status = 400 // as the public service has it
			}
			if got.StatusCode != status || !strings.Contains(string(got.Bytes), key) {
				t.Errorf("%s with %s answers %d: %s", name, sent, got.StatusCode, got.Bytes)
			}
			if s.Sequence() != before {
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
	s := stage.New(t)
	art, col := routes.FillPath("/v2/account/articles/:id", s.IDs), routes.FillPath("/v2/account/collections/:id", s.Collection)
	s.Ada.Send("PATCH", art, `{"download_disabled": true}`).Is(205)
	s.Ada.Send("PUT", art+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-02"}`).Is(205)
	lists := map[string]string{
		art + "/authors": "authors", art + "/categories": "categories",
		col + "/authors": "authors", col + "/categories": "categories", col + "/articles": "articles",
	}
	before := map[string]string{}
	for at := range lists {
		before[at] = string(s.Ada.Get(at).Is(200).Bytes)
	}
	for _, at := range slices.Sorted(stdmaps.Keys(lists)) {
		for _, method := range []string{"POST", "PUT"} {
			s.Ada.Send(method, at, fmt.Sprintf(`{"%s": null}`, lists[at])).Refuses(422, lists[at]+" is required")
			s.Ada.Send(method, at, fmt.Sprintf(`{"%s": [null]}`, lists[at])).Is(422)
			s.Ada.Send(method, at, `{}`).Refuses(422, lists[at]+" is required")
		}
		if after := string(s.Ada.Get(at).Is(200).Bytes); after != before[at] || after == "[]" {
			t.Errorf("%s is %s, was %s", at, after, before[at])
		}
	}
	s.Ada.Send("PUT", art+"/embargo", `{"is_embargoed": null}`).Refuses(422, "is_embargoed is required")
	warned := s.Ada.Send("PATCH", art, `{"download_disabled": null, "is_metadata_record": null}`).Is(205).Object()["warnings"].([]any)
	if len(warned) != 2 {
		t.Errorf("the warnings of two truths that are null are %v", warned)
	}
	detail := s.Ada.Get(art).Is(200).Object()
	if detail["is_embargoed"] != true || detail["download_disabled"] != true {
		t.Errorf("is_embargoed is %v, download_disabled %v", detail["is_embargoed"], detail["download_disabled"])
	}
	account := fmt.Sprintf("/v2/account/institution/accounts/%d", s.Ben.ID())
	s.Ada.Send("PUT", account, `{"is_active": null}`).Is(205)
	if active := s.Ada.Get(account).Is(200).Object()["active"]; active != 1.0 {
		t.Errorf("active is %v after a null", active)
	}
}
