package apidoc

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type base struct {
	ID    int64   `json:"id"`
	Title *string `json:"title"`
	Kind  string  `json:"kind"`
}

type generic[T any] struct {
	Items []T            `json:"items"`
	By    map[string]int `json:"by"`
	base
}

type leaf struct {
	Any   any        `json:"any"`
	Maybe *leaf      `json:"maybe"`
	Texts *[]string  `json:"texts"`
	Empty []struct{} `json:"empty"`
	None  string     `json:"-"`
}

type whole struct {
	Kind int64 `json:"kind"` // before the one of base, which is deeper
	generic[leaf]
	On bool `json:"on"`
}

// The keys of a schema are those of encoding/json, in the same order, all of them
// required in answers and none in bodies.
func TestSchemaKeys(t *testing.T) {
	for _, v := range []any{whole{}, leaf{}, generic[whole]{}, base{}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		d := json.NewDecoder(strings.NewReader(string(b)))
		d.Token()
		for d.More() {
			key, err := d.Token()
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, key.(string))
			var skip json.RawMessage
			if err := d.Decode(&skip); err != nil {
				t.Fatal(err)
			}
		}
		for _, answer := range []bool{true, false} {
			s := schemas{used: map[string]bool{}}
			out := s.object(reflect.TypeOf(v), answer)
			var got []string
			for _, p := range out.Properties {
				got = append(got, p.Name)
			}
			if !slices.Equal(got, want) || answer && !slices.Equal(out.Required, want) || !answer && out.Required != nil {
				t.Errorf("%T: keys %v, required %v, want %v", v, got, out.Required, want)
			}
		}
	}
}

// Types become what JSON makes of them; what was said of a key wins.
func TestSchemaForms(t *testing.T) {
	s := schemas{used: map[string]bool{}, fields: map[string]Schema{
		"apidoc.base.kind":  {Enum: []any{"a", "b"}},
		"apidoc.base.title": {Enum: []any{"c"}, MaxLength: 3, Description: "A title"},
		"apidoc.leaf.any":   {Type: Types{"string", "null"}},
		"apidoc.generic.by": {Description: "By name"},
	}}
	ref := s.of(reflect.TypeFor[[]whole](), true)
	got := map[string]string{}
	for _, c := range s.named {
		for _, p := range c.Schema.Properties {
			b, err := json.Marshal(p.Schema)
			if err != nil {
				t.Fatal(err)
			}
			got[c.Name+"."+p.Name] = string(b)
		}
	}
	for key, want := range map[string]string{
		"Whole.id":    `{"type":"integer","format":"int64"}`,
		"Whole.kind":  `{"type":"integer","format":"int64"}`,
		"Whole.title": `{"description":"A title","anyOf":[{"type":"string","enum":["c"],"maxLength":3},{"type":"null"}]}`,
		"Whole.items": `{"type":"array","items":{"$ref":"#/components/schemas/Leaf"}}`,
		"Whole.by":    `{"type":"object","description":"By name","additionalProperties":{"type":"integer"}}`,
		"Leaf.any":    `{"type":["string","null"]}`,
		"Leaf.maybe":  `{"anyOf":[{"$ref":"#/components/schemas/Leaf"},{"type":"null"}]}`,
		"Leaf.texts":  `{"type":["array","null"],"items":{"type":"string"}}`,
		"Leaf.empty":  `{"type":"array","items":{"type":"object"}}`,
	} {
		if got[key] != want {
			t.Errorf("%s is %s, want %s", key, got[key], want)
		}
	}
	if ref.Items.Ref != "#/components/schemas/Whole" {
		t.Errorf("%+v", ref)
	}
	if s.used["apidoc.base.kind"] {
		t.Error("the deeper kind counts")
	}
}

// Types that cannot be described are refused: other types, structs without keys of which nothing
// is said, and words about keys that there are not.
func TestDescribeRefuses(t *testing.T) {
	type silent struct{ N int }
	of := func(typ reflect.Type, fields map[string]Schema) API {
		return API{Refusal: reflect.TypeFor[base](), Fields: fields, Groups: []Group{{"G", []Operation{
			{Method: "GET", Path: "/v2/a/:id", Answers: []Answer{{Status: 200, Type: typ}}},
		}}}}
	}
	for _, c := range []struct {
		api  API
		want string
	}{
		{of(reflect.TypeFor[chan int](), nil), "cannot describe a chan int"},
		{of(reflect.TypeFor[[]byte](), nil), "cannot describe a []uint8"},
		{of(reflect.TypeFor[silent](), nil), "cannot describe apidoc.silent"},
		{of(reflect.TypeFor[time.Time](), nil), "cannot describe time.Time"},
		{of(reflect.TypeFor[base](), map[string]Schema{"apidoc.base.name": {}}), "cannot describe apidoc.base.name"},
		{API{Refusal: reflect.TypeFor[base](), Groups: []Group{{"G", []Operation{
			{Method: "GET", Path: "/v2/a/b"}, {Method: "GET", Path: "/v2/a/:b"},
		}}}}, "get_a_b names two operations"},
	} {
		if _, err := Describe(c.api); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	d, err := Describe(of(reflect.TypeFor[silent](), map[string]Schema{"apidoc.silent": {Values: &Schema{Type: Types{"integer"}}}}))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := d.OpenAPI()
	if err != nil || !strings.Contains(string(doc), `"Silent":{"type":"object","additionalProperties":{"type":"integer"}}`) {
		t.Errorf("%v %s", err, doc)
	}
	page, err := d.Page("doc.json")
	if err != nil || !strings.Contains(string(page), `<article id="object-Silent">`) || !strings.Contains(string(page), "Map to integer.") {
		t.Errorf("%v %s", err, page)
	}
}
