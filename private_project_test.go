package main

import (
	"fmt"
	"strings"
	"testing"
)

// A project that is private is neither found by nor shown with its public articles: every request
// for it is answered as for an unknown project, in lists, searches by filter and by words, and
// details.
func TestPrivateProjectOfPublicArticles(t *testing.T) {
	t.Parallel()
	s := start(t)
	project := s.Ada.project("Not yet announced")
	id := lastNumber(t, project)
	_, in := s.Ada.inProject(project, `{"title": "Glacier inside", "authors": [{"name": "A B"}], "defined_type": "dataset"}`)
	s.Ada.do("POST", in+"/publish", nil).is(201)
	s.Ada.published("Glacier outside")
	ask := func(who client, project int64, words string) []*reply {
		named := fmt.Sprint(project)
		return []*reply{
			who.get("/v2/articles?project_id=" + named).is(200),
			who.get("/v2/articles?order=views&project_id=" + named).is(200),
			who.get("/v2/articles?item_type=3&order=modified_date&project_id=" + named).is(200),
			who.send("POST", "/v2/articles/search", `{"project_id": `+named+`}`).is(200),
			who.send("POST", "/v2/articles/search", `{"project_id": `+named+`, "order": "views", "item_type": 3}`).is(200),
			who.send("POST", "/v2/articles/search", `{"project_id": `+named+`, "search_for": "glacier"}`).is(200),
			who.send("POST", "/v2/articles/search", `{"search_for": ":project: `+named+`"}`).is(200),
			who.send("POST", "/v2/articles/search", `{"search_for": "glacier AND :project: `+named+`"}`).is(200),
			who.send("POST", "/v2/articles/search", `{"search_for": "glacier AND NOT :project: `+named+`"}`).is(200),
			who.send("POST", "/v2/articles/search", `{"search_for": "(:title: glacier AND :project: `+named+`) OR :title: nowhere"}`).is(200),
			who.send("POST", "/v2/articles/search", `{"project_id": `+named+`, "search_for": "`+words+`"}`),
		}
	}
	hidden := func(when string) {
		t.Helper()
		for name, who := range map[string]client{"nobody": s.Anon, "a stranger": s.Ben, "its owner, as a reader": s.Ada} {
			got, none := ask(who, id, "g"), ask(who, 987654, "g")
			for i, r := range got {
				body := strings.ReplaceAll(string(r.body), "987654", fmt.Sprint(id))
				if r.StatusCode != none[i].StatusCode || body != string(none[i].body) || r.Header.Get("ETag") != none[i].Header.Get("ETag") {
					t.Errorf("%s, question %d by %s: %d %s, for an unknown project %d %s", when, i, name, r.StatusCode, r.body, none[i].StatusCode, none[i].body)
				}
			}
			all := who.send("POST", "/v2/articles/search", `{"search_for": "glacier"}`).is(200).list()
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
	s.Ada.do("POST", project+"/publish", nil).is(201)
	for i, r := range ask(s.Anon, id, "glacier") {
		want := map[bool]string{true: "Glacier outside", false: "Glacier inside"}[i == 8]
		if l := r.is(200).list(); len(l) != 1 || l[0]["title"] != want || i != 8 && i > 2 && l[0]["project_id"] != float64(id) {
			t.Errorf("question %d of the public project: %s", i, r.body)
		}
	}
}
