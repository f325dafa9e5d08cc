package stories

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/config"
	"alcove/handlers"
	"alcove/handlers/apidoc"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Issue 3, point 5: the server describes itself. Each route has its operation, and the
// document is valid OpenAPI 3.1 and always the same.
func TestDescriptionDocument(t *testing.T) {
	t.Parallel()
	settings := present.Settings{BaseURL: "https://repo.example.org", DownloadURL: "https://files.example.org", UploadURL: "https://repo.example.org/upload"}
	doc, b, err := routes.Described(settings)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	if _, again, err := routes.Described(settings); err != nil || string(again) != string(b) {
		t.Errorf("a second document differs, %v", err)
	}
	ids, calls := map[string]bool{}, 0
	for _, r := range routes.All() {
		item := doc.Paths.Value(routes.Template(r.Path))
		if r.About.IsPage() {
			if item != nil && item.GetOperation(r.Method) != nil {
				t.Errorf("%s %s is a page, and described as a call", r.Method, r.Path)
			}
			continue
		}
		calls++
		if item == nil || item.GetOperation(r.Method) == nil {
			t.Errorf("%s %s is not described", r.Method, r.Path)
			continue
		}
		o := item.GetOperation(r.Method)
		if ids[o.OperationID] || o.Summary == "" || len(o.Tags) != 1 {
			t.Errorf("%s %s: id %q, summary %q, tags %q", r.Method, r.Path, o.OperationID, o.Summary, o.Tags)
		}
		ids[o.OperationID] = true
		if private := r.Access == endpoint.Account; private != (o.Responses.Status(401) != nil) || private != (o.Security != nil && len(*o.Security) >= 3 && len((*o.Security)[0]) == 1) {
			t.Errorf("%s %s: security %v", r.Method, r.Path, o.Security)
		}
		_, hasBody := routes.WithJSON[r.Method+" "+r.Path]
		if hasBody != (o.RequestBody != nil && o.RequestBody.Value.Content.Get("application/json") != nil) {
			t.Errorf("%s %s: body %v", r.Method, r.Path, o.RequestBody)
		}
	}
	if len(ids) != calls {
		t.Errorf("%d operations for %d routes", len(ids), calls)
	}
	if got := doc.Paths.Value("/files/{file_id}").Servers; len(got) != 1 || got[0].URL != settings.DownloadURL {
		t.Errorf("downloads are at %v", got)
	}
	if got := doc.Paths.Value("/upload/{token}").Servers; len(got) != 0 {
		t.Errorf("uploads are at %v", got)
	}
}

// A line of the route table that does not say what it is for, or names a query that is not there, is refused by name.
func TestDescriptionWhole(t *testing.T) {
	table := routes.ForHandlers(routes.All())
	for _, c := range []struct {
		table []endpoint.Route
		want  string
	}{
		{append(slices.Clone(table), endpoint.Route{Method: "GET", Path: "/v2/new"}), "GET /v2/new: its line of the route table does not say what it is for"},
		{append(slices.Clone(table), endpoint.Route{Method: "GET", Path: "/v2/new", About: apidoc.Op("New", apidoc.Asks("newQuery"))}), "GET /v2/new: there is no newQuery"},
	} {
		if _, err := handlers.Description(present.Settings{}, record.Lists{}, c.table); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// The document and the page are public, cacheable and open to other origins. The page
// names every operation and object, runs nothing and loads nothing.
func TestDescriptionServed(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.RepositoryName = "Pond & Sons <data>" })
	r := s.Anon.Get("/v2/openapi.json", "Origin", "https://editor.example.org").Is(200)
	if r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Access-Control-Allow-Origin") != "*" || r.Header.Get("ETag") == "" ||
		r.Header.Get("Cache-Control") != "public, no-cache" {
		t.Errorf("%v", r.Header)
	}
	var doc struct {
		OpenAPI string                    `json:"openapi"`
		Info    struct{ Title string }    `json:"info"`
		Servers []struct{ URL string }    `json:"servers"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	if r.Into(&doc); doc.OpenAPI != "3.1.0" || doc.Servers[0].URL != s.URL || doc.Info.Title != "Pond & Sons <data> API" {
		t.Errorf("%s %v %v", doc.OpenAPI, doc.Servers, doc.Info)
	}
	s.Anon.Get("/v2/openapi.json", "If-None-Match", r.Header.Get("ETag")).Is(304)

	page := s.Anon.Get("/v2/docs").Is(200)
	text := string(page.Bytes)
	if page.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(text, "<h1>Pond &amp; Sons &lt;data&gt; API</h1>") {
		t.Errorf("%v %.300s", page.Header, text)
	}
	policy := page.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %s", policy)
	}
	for _, bad := range []string{"<script", "src=", "<link", " style=", "url(", "ZgotmplZ"} {
		if strings.Contains(text, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	ids := map[string]bool{}
	for _, m := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(text, -1) {
		if ids[m[1]] {
			t.Errorf("the id %s stands twice", m[1])
		}
		ids[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if to, inside := strings.CutPrefix(m[1], "#"); inside && !ids[to] || !inside && m[1] != "openapi.json" {
			t.Errorf("a link leads to %s", m[1])
		}
	}
	for path, item := range doc.Paths {
		for method, o := range item {
			if o, ok := o.(map[string]any); ok && !ids[o["operationId"].(string)] {
				t.Errorf("%s %s is not on the page", method, path)
			}
		}
	}
}

// The description of query strings is true: texts for whole numbers, unknown orders and values
// beyond their bounds are refused.
func TestDescriptionQueries(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	doc, _, err := routes.Described(present.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, r := range routes.All() {
		if r.About.IsPage() || strings.HasPrefix(r.Path, "/mirror/") { // nothing is mirrored: TestMirrorShowsPublicOnly
			continue
		}
		o := doc.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method)
		for _, p := range o.Parameters {
			q := p.Value
			if q.In != "query" || q.Name == "impersonate" {
				continue
			}
			checked++
			body := ""
			if r.Method == "POST" || r.Method == "PUT" {
				body = "{}"
			}
			try := func(value string, want int) {
				if want == 422 && strings.HasPrefix(r.Path, "/stats/") {
					want = 400 // the stated status of statistics
				}
				if got := s.Ada.Send(r.Method, s.At(r)+"?"+q.Name+"="+value, body); got.StatusCode != want {
					t.Errorf("%s %s?%s=%s answered %d, want %d", r.Method, r.Path, q.Name, value, got.StatusCode, want)
				}
			}
			switch {
			case q.Schema.Value.Type.Is("integer"):
				try("x", 422)
			case q.Name == "order":
				try("nothing", 400)
			case len(q.Schema.Value.Enum) > 0, strings.HasSuffix(q.Name, "_since"):
				try("nothing", 422)
			case q.Schema.Value.MinLength > 0:
				try("x", 422)
			}
			if least := q.Schema.Value.Min; least != nil {
				try(fmt.Sprint(*least-1), 422)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d parameters are described", checked)
	}
}

// Keys that are said to be needed are: a good body without one is refused.
func TestDescriptionNeeds(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	doc, _, err := routes.Described(present.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	routes.EachJSON(t, func(r routes.Route, name, good, wrong string) {
		schema := doc.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method).RequestBody.Value.Content.Get("application/json").Schema.Value
		var body map[string]any
		if err := json.Unmarshal([]byte(good), &body); err != nil {
			t.Fatal(err)
		}
		if err := schema.VisitJSON(body); err != nil {
			t.Errorf("%s: a good body is none by the document: %v", name, err)
		}
		var needed []string
		for _, all := range schema.AllOf {
			needed = append(needed, all.Value.Required...)
		}
		for _, key := range needed {
			left := map[string]any{}
			for k, v := range body {
				if k != key {
					left[k] = v
				}
			}
			b, err := json.Marshal(left)
			if err != nil {
				t.Fatal(err)
			}
			status := 422
			if strings.HasPrefix(r.Path, "/stats/") {
				status = 400 // as stated
			}
			s.Ada.Send(r.Method, s.At(r), string(b)).Refuses(status, key)
		}
	})
}
