package stories

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"alcove/config"
	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Under the profile no answer has a null where the public description of the API has none,
// which clients made from it refuse: every route that answers JSON is asked for items that
// have nothing but what they must have.
func TestProfileNulls(t *testing.T) {
	t.Parallel()
	c, err := routes.Conforming()
	if err != nil {
		t.Fatal(err)
	}
	if c.Public == nil {
		t.Skip(routes.PublicDocument + " is not there")
	}
	s := stage.New(t, world.Figshare)
	blank := blankItems(s)
	held := 0
	hold := func(r routes.Route, got *world.Reply) {
		o := routes.PublicOperation(c.Public, r)
		if o == nil || got.StatusCode >= 300 || got.Header.Get("Content-Type") != "application/json" {
			return
		}
		said := o.Responses.Status(got.StatusCode)
		if said == nil || said.Value.Content.Get("application/json") == nil {
			return
		}
		var value any
		got.Into(&value)
		held++
		schema := said.Value.Content.Get("application/json").Schema.Value
		if schema.Items == nil && strings.HasSuffix(r.Path, "/reviews") || strings.HasSuffix(r.Path, "/comments") {
			schema = &openapi3.Schema{Items: &openapi3.SchemaRef{Value: schema}} // it says list and describes one entry
		}
		c.Mu.Lock() // tests beside this one hold their answers against the same table
		defer c.Mu.Unlock()
		for _, e := range routes.Violations(schema.VisitJSON(value, openapi3.MultiErrors())) {
			if e.Keyword == "null" || e.Keyword == "required" && !c.Listed(r.Method+" "+r.Path, e.Place, e.Keyword) {
				t.Errorf("%s %s: %s %s: %s", r.Method, got.Request.URL.Path, e.Place, e.Keyword, e.Why)
			}
		}
	}
	for _, r := range routes.All() {
		if r.Method != "GET" && !strings.HasSuffix(r.Path, "/search") {
			continue
		}
		body := map[bool]string{true: "", false: "{}"}[r.Method == "GET"]
		hold(r, s.Ada.Send(r.Method, s.At(r), body))
		for prefix, ids := range blank {
			if strings.HasPrefix(r.Path, prefix+"/:id") && strings.Count(r.Path, "/:") <= len(ids) {
				hold(r, s.Ada.Send(r.Method, routes.FillPath(r.Path, ids), body))
			}
		}
	}
	routes.EachJSON(t, func(r routes.Route, name, good, _ string) {
		if !strings.HasSuffix(r.Path, "/search") {
			hold(r, s.Ada.Send(r.Method, s.At(r), good))
		}
	})
	if held < 80 {
		t.Errorf("only %d answers were held against the public description", held)
	}
}

// blankItems makes one of each that has nothing but a title, where it can, and returns the ids
// of addresses that begin in the same way.
func blankItems(s *stage.Stage) map[string]map[string]string {
	s.T.Helper()
	const blank = `{"title": "Nothing else", "custom_fields": {"text": "", "null": null, "list": []}, "funding_list": [{"title": "A grant"}],
		"related_materials": [{"identifier": "An identifier", "identifier_type": "ISBN", "relation": "Cites"}]}`
	id := func(path string) string { return fmt.Sprint(world.LastNumber(s.T, path)) }
	made := func(kind, body string) string {
		return id(s.Ada.Send("POST", "/v2/account/"+kind, body).Is(201).Header.Get("Location"))
	}
	draft, public := made("articles", blank), made("articles", blank)
	s.Ada.Do("POST", "/v2/account/articles/"+public+"/publish", nil).Is(201)
	col, publicCol := made("collections", blank), made("collections", blank)
	s.Ada.Do("POST", "/v2/account/collections/"+publicCol+"/publish", nil).Is(201)
	project, publicProject := made("projects", `{"title": "Nothing else"}`), made("projects", `{"title": "Nothing else"}`)
	inside := made("projects/"+project+"/articles", `{"title": "Nothing else"}`)
	s.Ada.Do("POST", "/v2/account/projects/"+publicProject+"/publish", nil).Is(201)
	return map[string]map[string]string{
		"/v2/account/articles": {":id": draft}, "/v2/articles": {":id": public, ":version": "1"},
		"/v2/account/collections": {":id": col}, "/v2/collections": {":id": publicCol, ":version": "1"},
		"/v2/account/projects": {":id": project, ":article_id": inside}, "/v2/projects": {":id": publicProject},
	}
}

// Items without a group say so in one way: null, and 0 under the profile.
func TestGroupIDBlank(t *testing.T) {
	t.Parallel()
	for name, profile := range map[string]func(*config.Config){"none": func(*config.Config) {}, "figshare": world.Figshare} {
		s := stage.New(t, profile)
		want := map[string]any{"none": nil, "figshare": 0.0}[name]
		seen := 0
		for _, r := range routes.All() {
			if r.Method != "GET" && !strings.HasSuffix(r.Path, "/search") {
				continue
			}
			got := s.Ada.Send(r.Method, s.At(r), map[bool]string{true: "", false: "{}"}[r.Method == "GET"])
			if got.StatusCode != 200 || got.Header.Get("Content-Type") != "application/json" {
				continue
			}
			var value any
			got.Into(&value)
			list, ok := value.([]any)
			if !ok {
				list = []any{value}
			}
			for _, item := range list {
				object, _ := item.(map[string]any)
				for _, key := range []string{"group_id", "project_id", "assigned_to"} {
					id, ok := object[key]
					if !ok || id != nil && id != 0.0 {
						continue
					}
					if seen++; id != want {
						t.Errorf("%s, %s %s: %s is %v, want %v", name, r.Method, r.Path, key, id, want)
					}
				}
			}
		}
		if seen < 20 {
			t.Errorf("%s: only %d blank ids were seen", name, seen)
		}
	}
}

// The setting for texts holds for the texts of lists and members, too.
func TestBlankStringsEverywhere(t *testing.T) {
	t.Parallel()
	s := stage.New(t, func(c *config.Config) { c.BlankStrings = "empty" })
	for _, at := range []string{"/v2/articles", "/v2/account/articles"} {
		for _, item := range s.Ada.Get(at).Is(200).List() {
			for _, key := range []string{"resource_title", "resource_doi", "handle"} {
				if item[key] != "" {
					t.Errorf("%s: %s is %v", at, key, item[key])
				}
			}
		}
	}
	members := s.Ada.Get(routes.FillPath("/v2/account/projects/:id/collaborators", s.Project)).Is(200).List()
	if members[0]["status"] != "" || members[1]["status"] != "invited" {
		t.Errorf("the members are %v", members)
	}
	if timeline := s.Ada.Get("/v2/account/articles/1").Is(200).Object()["timeline"]; len(timeline.(map[string]any)) != 6 {
		t.Errorf("the timeline of a draft is %v", timeline)
	}
}

// Under the profile the timeline has the steps that were taken, and the owner of an article is
// its first author.
func TestProfileHabits(t *testing.T) {
	t.Parallel()
	s := world.Start(t, world.Figshare)
	at := s.Ada.Article(`{"title": "An article"}`)
	own := s.Ada.Get(at).Is(200).Object()
	if timeline := own["timeline"].(map[string]any); len(timeline) != 0 {
		t.Errorf("the timeline of a draft is %v", timeline)
	}
	if authors := own["authors"].([]any); len(authors) != 1 || authors[0].(map[string]any)["full_name"] != "Ada Tester" {
		t.Errorf("the authors are %v", authors)
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	timeline := s.Anon.Get(strings.Replace(at, "/account", "", 1)).Is(200).Object()["timeline"].(map[string]any)
	if len(timeline) != 2 || timeline["posted"] == nil || timeline["firstOnline"] == nil {
		t.Errorf("the timeline of a first version is %v", timeline)
	}
}

// Each version in the list of a collection's versions names its own grants.
func TestCollectionVersionFunding(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "A collection", "authors": [{"name": "A B"}]}`).Is(201).Header.Get("Location"), s.URL)
	for _, funding := range []string{`[]`, `[{"title": "First grant"}]`, `[{"title": "First grant"}, {"title": "Second grant"}]`} {
		s.Ada.Send("PATCH", at, `{"funding_list": `+funding+`}`).Is(205)
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	public := strings.Replace(at, "/account", "", 1)
	versions := s.Anon.Get(public + "/versions").Is(200).List()
	if len(versions) != 3 {
		t.Fatalf("%d versions", len(versions))
	}
	for n, v := range versions {
		whole := s.Anon.Get(fmt.Sprintf("%s/versions/%d", public, n+1)).Is(200).Object()
		if got, want := fmt.Sprint(v["funding"]), fmt.Sprint(whole["funding"]); got != want || len(v["funding"].([]any)) != n {
			t.Errorf("version %d has the grants %s, want %s", n+1, got, want)
		}
	}
}

// Blank values of custom fields are null, and values come back as they were sent, numbers to the
// digit: for accounts of a group and of none, in articles, collections and projects.
func TestCustomFieldBlanks(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	group := s.Group("A group", 0)
	s.Account(s.Ben.ID(), func(a *record.Account) { a.GroupID = group })
	const sent = `{"title": "An item", "custom_fields": {"a": "", "b": null, "c": [], "d": "  ", "e": [""], "f": 1.50, "g": 12345678901234567890, "h": true, "i": ["x", 2.0], "j": "text"}}`
	for _, who := range []world.Client{s.Ada, s.Ben} {
		for _, kind := range []string{"articles", "collections", "projects"} {
			at := who.Send("POST", "/v2/account/"+kind, sent).Is(201).Header.Get("Location")
			var item struct {
				Fields []struct {
					Name  string
					Value json.RawMessage
				} `json:"custom_fields"`
			}
			who.Get(at).Is(200).Into(&item)
			want := map[string]string{"f": "1.50", "g": "12345678901234567890", "h": "true", "i": `["x", 2.0]`, "j": `"text"`}
			for _, f := range item.Fields {
				if want[f.Name] == "" {
					want[f.Name] = "null"
				}
				if string(f.Value) != want[f.Name] {
					t.Errorf("%s: %s is %s, want %s", kind, f.Name, f.Value, want[f.Name])
				}
			}
			if len(item.Fields) != 10 {
				t.Errorf("%s has %d fields", kind, len(item.Fields))
			}
		}
	}
}
