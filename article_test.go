package main

import (
	"fmt"
	"strings"
	"testing"
)

// A draft becomes private, then public; the public version stays as it is until the next
// publication.
func TestArticleLife(t *testing.T) {
	s := start(t)
	r := s.Ada.send("POST", "/v2/account/articles", `{"title": "Rainfall in Ny-Ålesund", "description": "<p>Æ & ø</p>",
		"tags": ["rain", "arctic"], "references": ["https://example.org/a"], "categories": [37, 370202],
		"authors": [{"name": "Grace Brewster Hopper"}], "custom_fields": {"Station": "NYA", "n": 1.50, "list": ["a", "b"]},
		"defined_type": "dataset", "funding": "Grant 7", "license": 2, "Title": "wrong case", "colour": "red"}`).is(201)
	at := r.Header.Get("Location")
	if want := s.URL + "/v2/account/articles/1"; at != want {
		t.Fatalf("Location %q, want %q", at, want)
	}
	want := `{"entity_id": 1, "location": "` + at + `", "warnings": ["Unknown key \"Title\" was ignored", "Unknown key \"colour\" was ignored"]}`
	if string(r.body) != want {
		t.Errorf("body %s\nwant %s", r.body, want)
	}
	own := s.Ada.get(at).is(200).object()
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
	if !strings.Contains(string(s.Ada.get(at).body), `"value": 1.50`) {
		t.Error("a number in a custom field did not stay as it was sent")
	}

	s.Anon.get("/v2/articles/1").refuses(404, "Article with specified ID does not exist")
	s.Anon.get("/v2/articles/1/versions").refuses(404, "Entity not found: article")
	s.Anon.get("/v2/articles/1/versions/1").refuses(404, "Entity not found: ArticleVersion")
	s.Anon.get("/v2/articles/1/versions/1/confidentiality").refuses(404, "Version does not exist")

	r = s.Ada.send("PATCH", at, `{"title": "Rainfall at Ny-Ålesund"}`).is(205)
	if got := string(r.body); got != `{"location": "`+at+`", "warnings": []}` || r.Header.Get("Location") != at {
		t.Errorf("PATCH answered %s, Location %s", got, r.Header.Get("Location"))
	}
	if got := s.Ada.get(at).object(); got["status"] != "private" || got["title"] != "Rainfall at Ny-Ålesund" || got["funding"] != "Grant 7" {
		t.Errorf("after PATCH: %v", got)
	}

	r = s.Ada.do("POST", at+"/publish", nil).is(201)
	public := s.URL + "/v2/articles/1"
	if r.Header.Get("Location") != public || string(r.body) != `{"location": "`+public+`", "warnings": []}` {
		t.Errorf("publish answered %s, Location %s", r.body, r.Header.Get("Location"))
	}
	one := s.Anon.get("/v2/articles/1").is(200)
	for key, want := range map[string]any{
		"status": "public", "version": 1.0, "is_public": true, "doi": "10.5072/alcove.1.v1", "url": public,
		"title": "Rainfall at Ny-Ålesund", "description": "<p>Æ & ø</p>",
		"figshare_url": s.URL + "/articles/dataset/Rainfall_at_Ny-%C3%85lesund/1",
	} {
		if got := one.object()[key]; got != want {
			t.Errorf("public %s is %v, want %v", key, got, want)
		}
	}
	if _, leaked := one.object()["account_id"]; leaked {
		t.Error("the public form has account_id")
	}

	s.Ada.send("PUT", at, `{"title": "Rainfall, second thoughts", "description": "new"}`).is(205)
	if again := s.Anon.get("/v2/articles/1").is(200); string(again.body) != string(one.body) {
		t.Error("an update changed the public version")
	}
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.Anon.get("/v2/articles/1").object(); got["version"] != 2.0 || got["title"] != "Rainfall, second thoughts" {
		t.Errorf("after the second publication: %v", got)
	}
	if v1 := s.Anon.get("/v2/articles/1/versions/1").is(200); string(v1.body) != string(one.body) {
		t.Error("version 1 changed")
	}
	versions := string(s.Anon.get("/v2/articles/1/versions").is(200).body)
	if want := fmt.Sprintf(`[{"version": 1, "url": "%s/versions/1"}, {"version": 2, "url": "%s/versions/2"}]`, public, public); versions != want {
		t.Errorf("versions %s", versions)
	}
	s.Anon.get("/v2/articles/1/versions/3").refuses(404, "Entity not found: ArticleVersion")
	s.Ada.do("DELETE", at, nil).refuses(403, "unpublish")
	if got := s.Anon.get("/v2/articles/1/versions/2/embargo").is(200).object(); got["is_embargoed"] != false {
		t.Errorf("embargo %v", got)
	}
}

// A draft can be deleted, and then it never existed.
func TestArticleDelete(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "Short-lived"}`)
	file := s.Ada.upload(at, "a.txt", []byte("hello"))
	if used := s.Ada.get("/v2/account").object()["used_quota"]; used != 5.0 {
		t.Errorf("used quota %v before", used)
	}
	if r := s.Ada.do("DELETE", at, nil).is(204); len(r.body) != 0 {
		t.Errorf("204 with a body %q", r.body)
	}
	s.Ada.get(at).refuses(404, "Article not found")
	s.Ada.get(file).refuses(404, "Article not found")
	s.Ada.do("DELETE", at, nil).refuses(404, "rticle not found")
	s.Ada.do("POST", at+"/publish", nil).refuses(404, "rticle not found")
	if used := s.Ada.get("/v2/account").object()["used_quota"]; used != 0.0 {
		t.Errorf("used quota %v after", used)
	}
	if next := s.Ada.article(`{"title": "The next"}`); next == at {
		t.Error("an id was given twice")
	}
}

// The keys that a body must and may hold.
func TestArticleBodyRules(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "Base item"}`)
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
		before := string(s.Ada.get(at).body)
		r := s.Ada.send(c.method, path, c.body)
		if c.status < 400 {
			r.is(c.status)
			continue
		}
		r.refuses(c.status, c.message)
		if after := string(s.Ada.get(at).body); after != before {
			t.Errorf("%s %.60s was refused and changed the item", c.method, c.body)
		}
	}
	if r := s.Root.send("POST", "/v2/account/articles", `{"title": "By staff", "doi": "10.1234/x", "resource_title": "T"}`); r.StatusCode != 201 {
		t.Errorf("an administrator may not set a DOI: %s", r.body)
	}
	if got := len(s.Ada.get("/v2/account/articles").list()); got != 1 {
		t.Errorf("refused bodies made %d items", got-1)
	}
}

// Authors are added, replaced and removed, in order.
func TestAuthors(t *testing.T) {
	s := start(t)
	at := s.Ada.article(`{"title": "Many hands"}`)
	names := func() string {
		var out []string
		for _, a := range s.Ada.get(at + "/authors").is(200).list() {
			out = append(out, a["full_name"].(string))
		}
		return strings.Join(out, ", ")
	}
	r := s.Ada.send("POST", at+"/authors", `{"authors": [{"name": "A. Person"}, {"first_name": "Grace", "last_name": "Hopper", "orcid_id": "0000-0002-1825-0097"}]}`).is(205)
	if want := s.URL + at + "/authors"; r.Header.Get("Location") != want {
		t.Errorf("Location %q", r.Header.Get("Location"))
	}
	list := s.Ada.get(at + "/authors").list()
	if a := list[0]; a["first_name"] != "A." || a["last_name"] != "Person" || a["url_name"] != "_" || a["is_active"] != false {
		t.Errorf("author by name: %v", a)
	}
	grace := int64(list[1]["id"].(float64))
	s.Ada.send("POST", at+"/authors", `{"authors": [{"name": "Third One"}]}`).is(205)
	if got := names(); got != "A. Person, Grace Hopper, Third One" {
		t.Errorf("after adding: %s", got)
	}
	s.Ada.send("PUT", at+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}, {"id": %d, "name": "ignored"}]}`, grace, grace)).is(205)
	if got := names(); got != "Grace Hopper" {
		t.Errorf("after replacing: %s", got)
	}
	s.Ada.send("POST", at+"/authors", `{"authors": [{"id": 12345}]}`).refuses(400, "Author with ID not found")
	s.Ada.send("PUT", at+"/authors", `{}`).refuses(422, "authors is required")
	s.Ada.do("DELETE", at+"/authors/12345", nil).refuses(404, "Author with ID not found")
	s.Ada.do("DELETE", fmt.Sprintf("%s/authors/%d", at, grace), nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).refuses(400, "Missing mandatory field for publication - authors")

	// A person named in a draft is unknown to other accounts until a public version names them.
	other := s.Ben.article(`{"title": "Guessing ids"}`)
	s.Ben.send("PUT", other+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}]}`, grace)).refuses(400, "Author with ID not found")
	s.Ada.send("PUT", at+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}]}`, grace)).is(205)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ben.send("PUT", other+"/authors", fmt.Sprintf(`{"authors": [{"id": %d}]}`, grace)).is(205)
}

// Categories are added, replaced and removed.
func TestCategories(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Well sorted", "categories": [37]}`)
	ids := func() string {
		var out []string
		for _, c := range s.Ada.get(at + "/categories").is(200).list() {
			out = append(out, fmt.Sprint(c["id"]))
		}
		return strings.Join(out, " ")
	}
	s.Ada.send("POST", at+"/categories", `{"categories": [3702, 37]}`).is(205)
	if got := ids(); got != "37 3702" {
		t.Errorf("after adding: %s", got)
	}
	s.Ada.send("POST", at+"/categories", `{"categories": [3702, 1]}`).refuses(400, "Category with ID not found")
	s.Ada.send("PUT", at+"/categories", `{"categories": [300101]}`).is(205)
	if got := ids(); got != "300101" {
		t.Errorf("after replacing: %s", got)
	}
	s.Ada.do("DELETE", at+"/categories/37", nil).refuses(404, "Category with ID not found")
	s.Ada.do("DELETE", at+"/categories/300101", nil).is(204)
	if got := ids(); got != "" {
		t.Errorf("after removing: %s", got)
	}
	all := s.Anon.get("/v2/categories").is(200).list()
	if len(all) != 23+213+1967 {
		t.Errorf("%d categories", len(all))
	}
	if own := s.Ada.get("/v2/account/categories").is(200).list(); len(own) != len(all) {
		t.Errorf("%d own categories", len(own))
	}
	if n := len(s.Anon.get("/v2/licenses").is(200).list()); n != 7 {
		t.Errorf("%d licenses", n)
	}
	if n := len(s.Ada.get("/v2/account/licenses").is(200).list()); n != 13 {
		t.Errorf("%d licenses of the institution", n)
	}
}
