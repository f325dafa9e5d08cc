package articles

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"alcove/handlers/present"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// warnings are those of an answer: its header has all of them, and a body that has a place for
// them the same.
func warnings(r *world.Reply) (list []string) {
	r.T.Helper()
	if text := r.Header.Get("X-Warnings"); text != "" {
		if err := json.Unmarshal([]byte(text), &list); err != nil || !isASCII(text) {
			r.T.Errorf("X-Warnings is %q: %v", text, err)
		}
	}
	var body struct{ Warnings *[]string }
	if json.Unmarshal(r.Bytes, &body) == nil && body.Warnings != nil && !slices.Equal(*body.Warnings, list) {
		r.T.Errorf("the body warns of %q, the header of %q", *body.Warnings, list)
	}
	return list
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// warnsOf reports whether a warning names a key.
func warnsOf(r *world.Reply, key string) bool {
	return slices.ContainsFunc(warnings(r), func(w string) bool { return strings.Contains(w, fmt.Sprintf("%q", key)) })
}

// objectsIn are good values of keys whose objects have keys of their own.
var objectsIn = map[string]any{
	"authors": []any{map[string]any{"name": "A B"}}, "custom_fields_list": []any{map[string]any{"name": "A field", "value": "x"}},
	"funding_list": []any{map[string]any{"title": "A grant"}}, "related_materials": []any{map[string]any{"identifier": "https://example.org/1"}},
	"timeline": map[string]any{"firstOnline": "2020-01-02"}, "supplementary_fields": []any{map[string]any{"name": "A field", "value": "x"}},
	"personal_profiles": []any{map[string]any{"label": "A group", "url": "https://example.org/group"}},
	"embargo_options":   []any{map[string]any{"id": 1}},
	"groups":            []any{map[string]any{"id": 1}},
}

// bodyKeys are the keys that a body may have by the description, those below as "authors.name".
func bodyKeys(schema *openapi3.SchemaRef) (keys []string) {
	for _, part := range append(slices.Clone(schema.Value.AllOf), schema.Value.AnyOf...) {
		keys = append(keys, bodyKeys(part)...)
	}
	for name, p := range schema.Value.Properties {
		keys = append(keys, name)
		below := p
		if p.Value.Items != nil {
			below = p.Value.Items
		}
		for _, key := range bodyKeys(below) {
			keys = append(keys, name+"."+key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// with is a good body with one more key, which may stand in an object below it.
func with(t *testing.T, good, key string, value any) string {
	t.Helper()
	body := map[string]any{}
	if err := json.Unmarshal([]byte(good), &body); err != nil {
		t.Fatal(err)
	}
	outer, inner, below := strings.Cut(key, ".")
	if !below {
		body[outer] = value
	} else {
		b, _ := json.Marshal(objectsIn[outer])
		var holder any
		if json.Unmarshal(b, &holder); holder == nil {
			t.Fatalf("no object for %s", key)
		}
		object, ok := holder.(map[string]any)
		if !ok {
			object = holder.([]any)[0].(map[string]any)
		}
		object[inner] = value
		body[outer] = holder
	}
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// eachBody calls fn with every route that takes a JSON body, its keys by the description, and a
// stage that no other route has spoilt.
func eachBody(t *testing.T, fn func(s *stage.Stage, r routes.Route, good string, keys []string)) {
	doc, _, err := routes.Described(present.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s := stage.New(t)
	routes.EachJSON(t, func(r routes.Route, name, good, _ string) {
		if strings.HasSuffix(name, "/roles/:account_id") {
			return // its keys are ids of groups; other keys are refused
		}
		on := s
		if strings.HasSuffix(name, "/unpublish") {
			on = stage.New(t)
		}
		fn(on, r, good, bodyKeys(doc.Paths.Value(routes.Template(r.Path)).GetOperation(r.Method).RequestBody.Value.Content.Get("application/json").Schema))
	})
}

// A key that no operation knows is named in the warnings of the answer, wherever in the body it
// stands.
func TestUnknownKeysAreNamed(t *testing.T) {
	t.Parallel()
	deep := 0
	eachBody(t, func(s *stage.Stage, r routes.Route, good string, keys []string) {
		outers := map[string]bool{}
		for _, key := range keys {
			if outer, _, below := strings.Cut(key, "."); below {
				outers[outer] = true
			}
		}
		const unknown = "zz ünknown😀"
		for outer := range outers {
			deep++
			key := outer + "." + unknown
			if _, list := objectsIn[outer].([]any); list {
				key = outer + "[0]." + unknown
			}
			if got := s.Ada.Send(r.Method, s.At(r), with(t, good, outer+"."+unknown, 1)); got.StatusCode > 299 || !warnsOf(got, key) {
				t.Errorf("%s %s answered %d with the warnings %q, want one of %s: %.200s", r.Method, r.Path, got.StatusCode, warnings(got), key, got.Bytes)
			}
		}
		if got := s.Ada.Send(r.Method, s.At(r), with(t, good, unknown, 1)); got.StatusCode > 299 || !warnsOf(got, unknown) {
			t.Errorf("%s %s answered %d with the warnings %q, want one of %s: %.200s", r.Method, r.Path, got.StatusCode, warnings(got), unknown, got.Bytes)
		}
	})
	if deep < 40 {
		t.Errorf("only %d objects were found in bodies", deep)
	}
	s := stage.New(t)
	for name := range routes.NoJSON {
		method, path, _ := strings.Cut(name, " ")
		if r := (routes.Route{Method: method, Path: path}); method == http.MethodPost && !strings.Contains(path, "/files/") && !strings.HasSuffix(path, "/leave") && !strings.HasSuffix(path, "/upload") && !strings.HasSuffix(path, "/picture") && !strings.HasPrefix(path, "/v2/token") && path != "/v2/oai" {
			at := s.At(r)
			if path == "/v2/account/articles/:id/publish" { // the draft has an upload under way
				at = routes.FillPath(path, s.Public)
			}
			if got := s.Ada.Send(method, at, `{"zz": 1}`); got.StatusCode > 299 || !warnsOf(got, "zz") {
				t.Errorf("%s answered %d with the warnings %q, and takes no body", name, got.StatusCode, warnings(got))
			}
		}
	}
}
