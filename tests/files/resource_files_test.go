package files

import (
	"fmt"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// Public articles are found by the resource that their latest version belongs to and the name of a
// file in it; what is withheld or not public any more is not.
func TestResourceFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.InstitutionName, c.InstitutionDomain = "Vell College", "vell.example" })
	made := func(resource, name string) string {
		at := s.Ada.Article(`{"title": "With a resource", "authors": [{"name": "A B"}]}`)
		s.Ada.Send("POST", at+"/resource", fmt.Sprintf(`{"id": %q, "version": 1}`, resource)).Is(205)
		s.Ada.Upload(at, name, []byte("data of "+at))
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		return at
	}
	one, two := made("R 1", "a.csv"), made("R 1", "a.csv")
	made("R 1", "b.csv")
	made("R 12", "a.csv")
	hidden, moved, gone := made("R 1", "a.csv"), made("R 1", "a.csv"), made("R 1", "a.csv")
	s.Ada.Send("PUT", hidden+"/embargo", `{"is_embargoed": true, "embargo_type": "file", "embargo_date": "2099-01-01"}`).Is(205)
	s.Ada.Do("POST", hidden+"/publish", nil).Is(201)
	s.Ada.Send("POST", moved+"/resource", `{"id": "R 2", "version": 1}`).Is(205)
	s.Ada.Do("POST", moved+"/publish", nil).Is(201)
	s.Ada.Send("POST", gone+"/unpublish", `{"reason": "Withdrawn"}`).Is(204)
	draft := s.Ada.Article(`{"title": "A draft"}`)
	s.Ada.Send("POST", draft+"/resource", `{"id": "R 1", "version": 1}`).Is(205)
	const at = "/v2/institutions/vell.example/articles/filter-by?"
	ids := func(query string) (list []int64) {
		for _, item := range s.Anon.Get(query).Is(200).List() {
			list = append(list, int64(item["id"].(float64)))
		}
		return list
	}
	want := fmt.Sprint([]int64{world.LastNumber(t, one), world.LastNumber(t, two)})
	for _, path := range []string{at, strings.Replace(at, "vell.example", "VELL.example", 1), strings.Replace(at, "vell.example", "1", 1)} {
		if got := fmt.Sprint(ids(path + "resource_id=R+1&filename=a.csv")); got != want {
			t.Errorf("%s finds %s, want %s", path, got, want)
		}
	}
	if got := ids(at + "resource_id=R+1&filename=a.csv&page=2&page_size=1"); len(got) != 1 || got[0] != world.LastNumber(t, two) {
		t.Errorf("the second page has %v", got)
	}
	for _, none := range []string{"resource_id=R&filename=a.csv", "resource_id=R+1&filename=a.cs", "resource_id=R+1&filename=A.csv"} {
		if got := ids(at + none); len(got) != 0 {
			t.Errorf("%s finds %v", none, got)
		}
	}
	s.Anon.Get(at+"resource_id=R+1").Refuses(422, "filename")
	s.Anon.Get(at+"filename=a.csv").Refuses(422, "resource_id")
	s.Anon.Get(at+"resource_id=R+1&filename=a.csv&page=1&limit=1").Refuses(422, "Use either")
	s.Anon.Get("/v2/institutions/other.example/articles/filter-by?resource_id=R+1&filename=a.csv").Refuses(404, "Institution not found")
}
