package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/config"
)

// Public articles are found by the resource that their latest version belongs to and the name of a
// file in it; what is withheld or not public any more is not.
func TestResourceFiles(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.InstitutionName, c.InstitutionDomain = "Vell College", "vell.example" })
	made := func(resource, name string) string {
		at := s.Ada.article(`{"title": "With a resource", "authors": [{"name": "A B"}]}`)
		s.Ada.send("POST", at+"/resource", fmt.Sprintf(`{"id": %q, "version": 1}`, resource)).is(205)
		s.Ada.upload(at, name, []byte("data of "+at))
		s.Ada.do("POST", at+"/publish", nil).is(201)
		return at
	}
	one, two := made("R 1", "a.csv"), made("R 1", "a.csv")
	made("R 1", "b.csv")
	made("R 12", "a.csv")
	hidden, moved, gone := made("R 1", "a.csv"), made("R 1", "a.csv"), made("R 1", "a.csv")
	s.Ada.send("PUT", hidden+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01"}`).is(205)
	s.Ada.do("POST", hidden+"/publish", nil).is(201)
	s.Ada.send("POST", moved+"/resource", `{"id": "R 2", "version": 1}`).is(205)
	s.Ada.do("POST", moved+"/publish", nil).is(201)
	s.Ada.send("POST", gone+"/unpublish", `{"reason": "Withdrawn"}`).is(204)
	draft := s.Ada.article(`{"title": "A draft"}`)
	s.Ada.send("POST", draft+"/resource", `{"id": "R 1", "version": 1}`).is(205)
	const at = "/v2/institutions/vell.example/articles/filter-by?"
	ids := func(query string) (list []int64) {
		for _, item := range s.Anon.get(query).is(200).list() {
			list = append(list, int64(item["id"].(float64)))
		}
		return list
	}
	want := fmt.Sprint([]int64{lastNumber(t, one), lastNumber(t, two)})
	for _, path := range []string{at, strings.Replace(at, "vell.example", "VELL.example", 1), strings.Replace(at, "vell.example", "1", 1)} {
		if got := fmt.Sprint(ids(path + "resource_id=R+1&filename=a.csv")); got != want {
			t.Errorf("%s finds %s, want %s", path, got, want)
		}
	}
	if got := ids(at + "resource_id=R+1&filename=a.csv&page=2&page_size=1"); len(got) != 1 || got[0] != lastNumber(t, two) {
		t.Errorf("the second page has %v", got)
	}
	for _, none := range []string{"resource_id=R&filename=a.csv", "resource_id=R+1&filename=a.cs", "resource_id=R+1&filename=A.csv"} {
		if got := ids(at + none); len(got) != 0 {
			t.Errorf("%s finds %v", none, got)
		}
	}
	s.Anon.get(at+"resource_id=R+1").refuses(422, "filename")
	s.Anon.get(at+"filename=a.csv").refuses(422, "resource_id")
	s.Anon.get(at+"resource_id=R+1&filename=a.csv&page=1&limit=1").refuses(422, "Use either")
	s.Anon.get("/v2/institutions/other.example/articles/filter-by?resource_id=R+1&filename=a.csv").refuses(404, "Institution not found")
}
