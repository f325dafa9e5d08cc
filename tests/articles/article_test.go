package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A draft becomes private, then public; the public version stays as it is until the next
// publication.
func TestArticleLife(t *testing.T) {
	s := world.Start(t)
	r := s.Ada.Send("POST", "/v2/account/articles", `{"title": "Rainfall in Ny-Ålesund", "description": "<p>Æ & ø</p>",
		"tags": ["rain", "arctic"], "references": ["https://example.org/a"], "categories": [37, 370202],
		"authors": [{"name": "Grace Brewster Hopper"}], "custom_fields": {"Station": "NYA", "n": 1.50, "list": ["a", "b"]},
		"defined_type": "dataset", "funding": "Grant 7", "license": 2, "Title": "wrong case", "colour": "red"}`).Is(201)
	at := r.Header.Get("Location")
	if want := s.URL + "/v2/account/articles/1"; at != want {
		t.Fatalf("Location %q, want %q", at, want)
	}
	want := `{"entity_id": 1, "location": "` + at + `", "warnings": ["Unknown key \"Title\" was ignored", "Unknown key \"colour\" was ignored"]}`
	if string(r.Bytes) != want {
		t.Errorf("body %s\nwant %s", r.Bytes, want)
	}
	own := s.Ada.Get(at).Is(200).Object()
	for key, want := range map[string]any{
		"id": 1.0, "title": "Rainfall in Ny-Ålesund", "description": "<p>Æ & ø</p>", "status": "draft", "version": 0.0,
		"is_public": false, "doi": nil, "published_date": nil, "funding": "Grant 7", "defined_type": 3.0, "defined_type_name": "dataset",
		"url": at, "account_id": 1.0, "size": 0.0, "group_id": nil, "thumb": nil, "handle": nil, "is_embargoed": false,
	} {
		if got, ok := own[key]; !ok || got != want {
			t.Errorf("own %s is %v (present: %v), want %v", key, got, ok, want)
		}
	}
	if got := fmt.Sprint(own["custom_fields"]); !strings.Contains(got, "value:NYA") || !strings.Contains(got, "value:[a b]") {
		t.Errorf("custom fields %s", got)
	}
	if !strings.Contains(string(s.Ada.Get(at).Bytes), `"value": 1.50`) {
		t.Error("a number in a custom field did not stay as it was sent")
	}

	s.Anon.Get("/v2/articles/1").Refuses(404, "Article with specified ID does not exist")
	s.Anon.Get("/v2/articles/1/versions").Refuses(404, "Entity not found: article")
	s.Anon.Get("/v2/articles/1/versions/1").Refuses(404, "Entity not found: ArticleVersion")
	s.Anon.Get("/v2/articles/1/versions/1/confidentiality").Refuses(404, "Version does not exist")

	r = s.Ada.Send("PATCH", at, `{"title": "Rainfall at Ny-Ålesund"}`).Is(205)
	if got := string(r.Bytes); got != `{"location": "`+at+`", "warnings": []}` || r.Header.Get("Location") != at {
		t.Errorf("PATCH answered %s, Location %s", got, r.Header.Get("Location"))
	}
	if got := s.Ada.Get(at).Object(); got["status"] != "private" || got["title"] != "Rainfall at Ny-Ålesund" || got["funding"] != "Grant 7" {
		t.Errorf("after PATCH: %v", got)
	}

	r = s.Ada.Do("POST", at+"/publish", nil).Is(201)
	public := s.URL + "/v2/articles/1"
	if r.Header.Get("Location") != public || string(r.Bytes) != `{"location": "`+public+`", "warnings": []}` {
		t.Errorf("publish answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
	}
	one := s.Anon.Get("/v2/articles/1").Is(200)
	for key, want := range map[string]any{
		"status": "public", "version": 1.0, "is_public": true, "doi": "10.5072/alcove.1.v1", "url": public,
		"title": "Rainfall at Ny-Ålesund", "description": "<p>Æ & ø</p>",
		"figshare_url": s.URL + "/articles/dataset/Rainfall_at_Ny-%C3%85lesund/1",
	} {
		if got := one.Object()[key]; got != want {
			t.Errorf("public %s is %v, want %v", key, got, want)
		}
	}
	if _, leaked := one.Object()["account_id"]; leaked {
		t.Error("the public form has account_id")
	}

	s.Ada.Send("PUT", at, `{"title": "Rainfall, second thoughts", "description": "new"}`).Is(205)
	if again := s.Anon.Get("/v2/articles/1").Is(200); string(again.Bytes) != string(one.Bytes) {
		t.Error("an update changed the public version")
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := s.Anon.Get("/v2/articles/1").Object(); got["version"] != 2.0 || got["title"] != "Rainfall, second thoughts" {
		t.Errorf("after the second publication: %v", got)
	}
	if v1 := s.Anon.Get("/v2/articles/1/versions/1").Is(200); string(v1.Bytes) != string(one.Bytes) {
		t.Error("version 1 changed")
	}
	versions := string(s.Anon.Get("/v2/articles/1/versions").Is(200).Bytes)
	if want := fmt.Sprintf(`[{"version": 1, "url": "%s/versions/1"}, {"version": 2, "url": "%s/versions/2"}]`, public, public); versions != want {
		t.Errorf("versions %s", versions)
	}
	s.Anon.Get("/v2/articles/1/versions/3").Refuses(404, "Entity not found: ArticleVersion")
	s.Ada.Do("DELETE", at, nil).Refuses(403, "unpublish")
	if got := s.Anon.Get("/v2/articles/1/versions/2/embargo").Is(200).Object(); got["is_embargoed"] != false {
		t.Errorf("embargo %v", got)
	}
}

// A draft can be deleted, and then it never existed.
func TestArticleDelete(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Short-lived"}`)
	file := s.Ada.Upload(at, "a.txt", []byte("hello"))
	if used := s.Ada.Get("/v2/account").Object()["used_quota"]; used != 5.0 {
		t.Errorf("used quota %v before", used)
	}
	if r := s.Ada.Do("DELETE", at, nil).Is(204); len(r.Bytes) != 0 {
		t.Errorf("204 with a body %q", r.Bytes)
	}
	s.Ada.Get(at).Refuses(404, "Article not found")
	s.Ada.Get(file).Refuses(404, "Article not found")
	s.Ada.Do("DELETE", at, nil).Refuses(404, "rticle not found")
	s.Ada.Do("POST", at+"/publish", nil).Refuses(404, "rticle not found")
	if used := s.Ada.Get("/v2/account").Object()["used_quota"]; used != 0.0 {
		t.Errorf("used quota %v after", used)
	}
	if next := s.Ada.Article(`{"title": "The next"}`); next == at {
		t.Error("an id was given twice")
	}
}

// The keys that a body must and may hold.
func TestArticleBodyRules(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Base item"}`)
	eleven := strings.Repeat(`{"name": "A B"}, `, 10) + `{"name": "A B"}`
	for _, c := range []struct {
		method, body string
		status       int
		message      string
	}{
		{"POST", `{}`, 422, "title is required"},
		{"POST", `{"title": "ab"}`, 422, "title must have at least 3 characters"},
		{"POST", `{"title": "   a  "}`, 422, "title"},
		{"POST", `{"title": null}`, 422, "title"},
		{"POST", `{"title": 7}`, 422, "title must be a string"},
		{"PUT", `{"description": "x"}`, 422, "title is required"},
		{"PATCH", `{"title": "x"}`, 422, "title"},
		{"PATCH", `{"authors": [` + eleven + `]}`, 422, "at most 10"},
		{"PATCH", `{"authors": [{}]}`, 422, "id or a name"},
		{"PATCH", `{"authors": [{"id": 999}]}`, 400, "Author with ID not found"},
		{"PATCH", `{"authors": {"id": 1}}`, 422, "authors must be a list"},
		{"PATCH", `{"categories": [1]}`, 400, "Category with ID not found"},
		{"PATCH", `{"categories": ["37"]}`, 422, "categories[0] must be an integer"},
		{"PATCH", `{"categories": [37.0]}`, 422, "integer"},
		{"PATCH", `{"license": 999}`, 422, "license"},
		{"PATCH", `{"license": "1"}`, 422, "license must be an integer"},
		{"PATCH", `{"defined_type": "Dataset"}`, 422, "defined_type"},
		{"PATCH", `{"funding": "` + strings.Repeat("é", 2001) + `"}`, 422, "funding"},
		{"PATCH", `{"tags": ["a", null]}`, 422, "tags[1] must be a string"},
		{"PATCH", `{"custom_fields": {"a": {"b": 1}}}`, 422, "custom_fields"},
		{"PATCH", `{"doi": "10.1/x"}`, 403, "doi"},
		{"PATCH", `{"resource_title": "x"}`, 403, "resource_title"},
		{"PATCH", `{"funding": "` + strings.Repeat("é", 2000) + `"}`, 205, ""},
		{"PATCH", `{"doi": ""}`, 205, ""},
		{"PATCH", `{"defined_type": "fileset"}`, 205, ""},
		{"PATCH", `{"defined_type": "journal contribution"}`, 205, ""},
		{"PATCH", `{"license": 0, "description": null, "tags": null}`, 205, ""},
		{"PATCH", `{"custom_fields_list": [{"name": "a", "value": ["x"]}]}`, 205, ""},
		{"PATCH", `{}`, 205, ""},
	} {
		path := at
		if c.method == "POST" {
			path = "/v2/account/articles"
		}
		before := string(s.Ada.Get(at).Bytes)
		r := s.Ada.Send(c.method, path, c.body)
		if c.status < 400 {
			r.Is(c.status)
			continue
		}
		r.Refuses(c.status, c.message)
		if after := string(s.Ada.Get(at).Bytes); after != before {
			t.Errorf("%s %.60s was refused and changed the item", c.method, c.body)
		}
	}
	if r := s.Root.Send("POST", "/v2/account/articles", `{"title": "By staff", "doi": "10.1234/x", "resource_title": "T"}`); r.StatusCode != 201 {
		t.Errorf("an administrator may not set a DOI: %s", r.Bytes)
	}
	if got := len(s.Ada.Get("/v2/account/articles").List()); got != 1 {
		t.Errorf("refused bodies made %d items", got-1)
	}
}

// Authors are added, replaced and removed, in order.
func TestAuthors(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Many hands"}`)
	names := func() string {
		var out []string
		for _, a := range s.Ada.Get(at + "/authors").Is(200).List() {
			out = append(out, a["full_name"].(string))
		}
		return strings.Join(out, ", ")
	}
	r := s.Ada.Send("POST", at+"/authors", `{"authors": [{"name": "A. Person"}, {"first_name": "Grace", "last_name": "Hopper", "orcid_id": "0000-0002-1825-0097"}]}`).Is(205)
	if want := s.URL + at + "/authors"; r.Header.Get("Location") != want {
		t.Errorf("Location %q", r.Header.Get("Location"))
	}
	list := s.Ada.Get(at + "/authors").List()
	if a := list[0]; a["first_name"] != "A." || a["last_name"] != "Person" || a["url_name"] != "_" || a["is_active"] != false {
		t.Errorf("author by name: %v", a)
	}
	grace := int64(list[1]["id"].(float64))
	s.Ada.Send("POST", at+"/authors", `{"authors": [{"name": "Third One"}]}`).Is(205)
	if got := names(); got != "A. Person, Grace Hopper, Third One" {
		t.Errorf("after adding: %s", got)
	}
	s.Ada.Send("PUT", at+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}, {"id": %d, "name": "ignored"}]}`, grace, grace)).Is(205)
	if got := names(); got != "Grace Hopper" {
		t.Errorf("after replacing: %s", got)
	}
	s.Ada.Send("POST", at+"/authors", `{"authors": [{"id": 12345}]}`).Refuses(400, "Author with ID not found")
	s.Ada.Send("PUT", at+"/authors", `{}`).Refuses(422, "authors is required")
	s.Ada.Do("DELETE", at+"/authors/12345", nil).Refuses(404, "Author with ID not found")
	s.Ada.Do("DELETE", fmt.Sprintf("%s/authors/%d", at, grace), nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Refuses(400, "Missing mandatory field for publication - authors")

	// A person named in a draft is unknown to other accounts until a public version names them.
	other := s.Ben.Article(`{"title": "Guessing ids"}`)
	s.Ben.Send("PUT", other+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}]}`, grace)).Refuses(400, "Author with ID not found")
	s.Ada.Send("PUT", at+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}]}`, grace)).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Send("PUT", other+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}]}`, grace)).Is(205)
}

// Categories are added, replaced and removed.
func TestCategories(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Well sorted", "categories": [37]}`)
	ids := func() string {
		var out []string
		for _, c := range s.Ada.Get(at + "/categories").Is(200).List() {
			out = append(out, fmt.Sprint(c["id"]))
		}
		return strings.Join(out, " ")
	}
	s.Ada.Send("POST", at+"/categories", `{"categories": [3702, 37]}`).Is(205)
	if got := ids(); got != "37 3702" {
		t.Errorf("after adding: %s", got)
	}
	s.Ada.Send("POST", at+"/categories", `{"categories": [3702, 1]}`).Refuses(400, "Category with ID not found")
	s.Ada.Send("PUT", at+"/categories", `{"categories": [300101]}`).Is(205)
	if got := ids(); got != "300101" {
		t.Errorf("after replacing: %s", got)
	}
	s.Ada.Do("DELETE", at+"/categories/37", nil).Refuses(404, "Category with ID not found")
	s.Ada.Do("DELETE", at+"/categories/300101", nil).Is(204)
	if got := ids(); got != "" {
		t.Errorf("after removing: %s", got)
	}
	all := s.Anon.Get("/v2/categories").Is(200).List()
	if len(all) != 23+213+1967 {
		t.Errorf("%d categories", len(all))
	}
	if own := s.Ada.Get("/v2/account/categories").Is(200).List(); len(own) != len(all) {
		t.Errorf("%d own categories", len(own))
	}
	if n := len(s.Anon.Get("/v2/licenses").Is(200).List()); n != 7 {
		t.Errorf("%d licenses", n)
	}
	if n := len(s.Ada.Get("/v2/account/licenses").Is(200).List()); n != 13 {
		t.Errorf("%d licenses of the institution", n)
	}
}
