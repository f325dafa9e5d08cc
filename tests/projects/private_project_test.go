package projects

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A project that is private is neither found by nor shown with its public articles: every request
// for it is answered as for an unknown project, in lists, searches by filter and by words, and
// details.
func TestPrivateProjectOfPublicArticles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	project := s.Ada.Project("Not yet announced")
	id := world.LastNumber(t, project)
	_, in := s.Ada.InProject(project, `{"title": "Glacier inside", "authors": [{"name": "A B"}], "defined_type": "dataset"}`)
	s.Ada.Do("POST", in+"/publish", nil).Is(201)
	s.Ada.Published("Glacier outside")
	ask := func(who world.Client, project int64, words string) []*world.Reply {
		named := fmt.Sprint(project)
		return []*world.Reply{
			who.Get("/v2/articles?project_id=" + named).Is(200),
			who.Get("/v2/articles?order=views&project_id=" + named).Is(200),
			who.Get("/v2/articles?item_type=3&order=modified_date&project_id=" + named).Is(200),
			who.Send("POST", "/v2/articles/search", `{"project_id": `+named+`}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"project_id": `+named+`, "order": "views", "item_type": 3}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"project_id": `+named+`, "search_for": "glacier"}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"search_for": ":project: `+named+`"}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"search_for": "glacier AND :project: `+named+`"}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"search_for": "glacier AND NOT :project: `+named+`"}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"search_for": "(:title: glacier AND :project: `+named+`) OR :title: nowhere"}`).Is(200),
			who.Send("POST", "/v2/articles/search", `{"project_id": `+named+`, "search_for": "`+words+`"}`),
		}
	}
	hidden := func(when string) {
		t.Helper()
		for name, who := range map[string]world.Client{"nobody": s.Anon, "a stranger": s.Ben, "its owner, as a reader": s.Ada} {
			got, none := ask(who, id, "g"), ask(who, 987654, "g")
			for i, r := range got {
				body := strings.ReplaceAll(string(r.Bytes), "987654", fmt.Sprint(id))
				if r.StatusCode != none[i].StatusCode || body != string(none[i].Bytes) || r.Header.Get("ETag") != none[i].Header.Get("ETag") {
					t.Errorf("%s, question %d by %s: %d %s, for an unknown project %d %s", when, i, name, r.StatusCode, r.Bytes, none[i].StatusCode, none[i].Bytes)
				}
			}
			all := who.Send("POST", "/v2/articles/search", `{"search_for": "glacier"}`).Is(200).List()
			for _, item := range all {
				if item["project_id"] != nil {
					t.Errorf("%s: %s is shown in project %v", when, item["title"], item["project_id"])
				}
			}
			if len(all) != 2 {
				t.Errorf("%s: a search finds %d", when, len(all))
			}
		}
	}
	hidden("private")
	s.Ada.Do("POST", project+"/publish", nil).Is(201)
	for i, r := range ask(s.Anon, id, "glacier") {
		want := map[bool]string{true: "Glacier outside", false: "Glacier inside"}[i == 8]
		if l := r.Is(200).List(); len(l) != 1 || l[0]["title"] != want || i != 8 && i > 2 && l[0]["project_id"] != float64(id) {
			t.Errorf("question %d of the public project: %s", i, r.Bytes)
		}
	}
}
