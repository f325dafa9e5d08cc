package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func bindBody[B any](t *testing.T, body string) (*B, []string, error) {
	t.Helper()
	b, err := ReadBody([]byte(body), false)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	to := new(B)
	warnings, err := b.Bind(to)
	return to, warnings, err
}

func mustBind[B any](t *testing.T, body string) *B {
	t.Helper()
	to, _, err := bindBody[B](t, body)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return to
}

// Values of the wrong type are refused (422) with the name of the field, and nothing is
// turned into another type.
func TestBindTypes(t *testing.T) {
	tests := []struct{ body, field string }{ // no field: accepted
		{`{"license":5}`, ""}, {`{"license":0}`, ""}, {`{"license":-5}`, ""},
		{`{"license":9007199254740993}`, ""}, {`{"license":9223372036854775807}`, ""}, {`{"license":-9223372036854775808}`, ""},
		{`{"license":9223372036854775808}`, "license"}, {`{"license":-9223372036854775809}`, "license"},
		{`{"license":1e0}`, "license"}, {`{"license":1E2}`, "license"}, {`{"license":1.0}`, "license"}, {`{"license":-0}`, "license"},
		{`{"license":0.5}`, "license"}, {`{"license":1e999}`, "license"}, {`{"license":"5"}`, "license"}, {`{"license":true}`, "license"},
		{`{"license":[5]}`, "license"}, {`{"license":{}}`, "license"}, {`{"license":` + strings.Repeat("9", 1000) + `}`, "license"},
		{`{"title":true}`, "title"}, {`{"title":5}`, "title"}, {`{"title":["x"]}`, "title"}, {`{"title":{}}`, "title"}, {`{"title":"true"}`, ""},
		{`{"is_metadata_record":true}`, ""}, {`{"is_metadata_record":"true"}`, "is_metadata_record"},
		{`{"is_metadata_record":1}`, "is_metadata_record"}, {`{"is_metadata_record":[]}`, "is_metadata_record"},
		{`{"tags":[]}`, ""}, {`{"tags":["a","a",""]}`, ""}, {`{"tags":"a"}`, "tags"}, {`{"tags":{}}`, "tags"}, {`{"tags":5}`, "tags"},
		{`{"tags":["a",1]}`, "tags[1]"}, {`{"tags":["a","b",null]}`, "tags[2]"}, {`{"tags":[["a"]]}`, "tags[0]"},
		{`{"categories":[1,2]}`, ""}, {`{"categories":["1"]}`, "categories[0]"}, {`{"categories":[1,null]}`, "categories[1]"},
		{`{"categories":[1.0]}`, "categories[0]"}, {`{"categories":1}`, "categories"},
		{`{"authors":[{"id":1},{"name":"A"}]}`, ""}, {`{"authors":[{}]}`, ""}, {`{"authors":[{"id":null,"name":"A"}]}`, ""},
		{`{"authors":[null]}`, "authors[0]"}, {`{"authors":["A"]}`, "authors[0]"}, {`{"authors":[1]}`, "authors[0]"},
		{`{"authors":{"name":"A"}}`, "authors"}, {`{"authors":[{"name":"A"},{"id":"1"}]}`, "authors[1].id"},
		{`{"authors":[{"first_name":1}]}`, "authors[0].first_name"}, {`{"authors":[{"zzz":1,"name":"A"}]}`, ""},
		{`{"custom_fields":{"a":"x","b":1.50,"c":true,"d":null,"e":[],"f":["x",2,false]}}`, ""},
		{`{"custom_fields":[]}`, "custom_fields"}, {`{"custom_fields":"x"}`, "custom_fields"},
		{`{"custom_fields":{"a":{}}}`, "custom_fields"}, {`{"custom_fields":{"a":[[]]}}`, "custom_fields"},
		{`{"custom_fields":{"a":[{}]}}`, "custom_fields"}, {`{"custom_fields":{"a":["x",null]}}`, "custom_fields"},
		{`{"custom_fields_list":[{"name":"a","value":"x"},{"name":"b"}]}`, ""}, {`{"custom_fields_list":{}}`, "custom_fields_list"},
		{`{"custom_fields_list":[null]}`, "custom_fields_list[0]"}, {`{"custom_fields_list":[{"name":1}]}`, "custom_fields_list[0].name"},
		{`{"custom_fields_list":[{"name":null}]}`, "custom_fields_list[0].name"},
		{`{"custom_fields_list":[{"name":"a","value":{}}]}`, "custom_fields_list[0].value"},
		{`{"custom_fields_list":[{"name":"a","value":[null]}]}`, "custom_fields_list[0].value"},
	}
	for _, test := range tests {
		_, _, err := bindBody[ArticleBody](t, test.body)
		if test.field == "" {
			if err != nil {
				t.Errorf("%.80s: %v", test.body, err)
			}
			continue
		}
		refusal(t, test.body, err, Invalid, "InvalidValue")
		if e, ok := err.(*Error); ok && (e.Data["field"] != test.field || !strings.HasPrefix(e.Message, test.field+" must ")) {
			t.Errorf("%.80s: %q, %v", test.body, e.Message, e.Data)
		}
	}
}

// Integers arrive to the last digit.
func TestBindIntegers(t *testing.T) {
	for _, n := range []int64{0, 1, -1, 1<<53 + 1, 1<<63 - 1, -1 << 63} {
		if got := *mustBind[FileBody](t, fmt.Sprintf(`{"size":%d}`, n)).Size; got != n {
			t.Errorf("%d arrives as %d", n, got)
		}
	}
}

// Null sets every field to its blank value, but of a truth, which has none and is named in the
// warnings. A key that is not sent stays nil.
func TestBindNull(t *testing.T) {
	for _, to := range []any{&ArticleBody{}, &CollectionBody{}, &ProjectBody{}, &VersionBody{}, &FileBody{}, &MaterialRef{}} {
		v := reflect.ValueOf(to).Elem()
		var keys []string
		fields := slices.DeleteFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return f.Anonymous })
		for _, f := range fields {
			keys = append(keys, fmt.Sprintf("%q:null", f.Tag.Get("json")))
		}
		b, err := ReadBody([]byte("{"+strings.Join(keys, ",")+"}"), false)
		if err != nil {
			t.Fatal(err)
		}
		warnings, err := b.Bind(to)
		if err != nil {
			t.Errorf("%T: %v, %v", to, warnings, err)
		}
		truths := 0
		for _, field := range fields {
			if field.Type == reflect.TypeFor[*bool]() {
				if truths++; !v.FieldByIndex(field.Index).IsNil() {
					t.Errorf("%T.%s was set by null", to, field.Name)
				}
				continue
			}
			if f := v.FieldByIndex(field.Index); f.Kind() != reflect.Pointer || f.IsNil() || !f.Elem().IsZero() {
				t.Errorf("%T.%s is not blank after null", to, field.Name)
			}
		}
		if len(warnings) != truths {
			t.Errorf("%T: %q, want %d warnings", to, warnings, truths)
		}
		fresh := reflect.New(v.Type())
		empty, _ := ReadBody([]byte(`{"zzz":1}`), false)
		if _, err := empty.Bind(fresh.Interface()); err != nil || !fresh.Elem().IsZero() {
			t.Errorf("%T: an unknown key set a field: %v", to, err)
		}
	}
}

// Keys that are unknown or in another case are ignored and named, up to a bound.
func TestBindWarnings(t *testing.T) {
	b, warnings, err := bindBody[ArticleBody](t, `{"Title":"x","title ":"x","TITLE":1,"ﬁle":{"a":1},"impersonate":5,"title":"abc","":0}`)
	want := []string{`"Title"`, `"title "`, `"TITLE"`, `"ﬁle"`, `"impersonate"`, `""`}
	if err != nil || *b.Title != "abc" || len(warnings) != len(want) {
		t.Fatalf("%v, %v, %v", b.Title, warnings, err)
	}
	for i, w := range want {
		if warnings[i] != "Unknown key "+w+" was ignored" {
			t.Errorf("warning %d: %s", i, warnings[i])
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, `"%s%d":1,`, strings.Repeat("é", 500), i)
	}
	_, warnings, err = bindBody[ArticleBody](t, `{"a":1,`+strings.TrimSuffix(many.String(), ",")+`}`)
	if err != nil || len(warnings) != maxWarnings {
		t.Fatalf("%d warnings, %v", len(warnings), err)
	}
	for _, w := range warnings {
		if n := len([]rune(w)); n > 100 {
			t.Errorf("a warning of %d characters", n)
		}
	}
	if _, warnings, _ := bindBody[ArticleBody](t, `{"authors":[{"nmae":"A","name":"B"}]}`); len(warnings) != 1 || warnings[0] != `Unknown key "authors[0].nmae" was ignored` {
		t.Errorf("keys of authors: %v", warnings)
	}
}

// The values of custom fields are stored and come back byte for byte, and in their order.
func TestCustomFieldsToTheByte(t *testing.T) {
	values := []string{
		`""`, `"x"`, `" a  b "`, `"\u00e9"`, `"é"`, `"\ud83d\ude00"`, `"<b>&amp;</b>"`, `"\/"`, `"a\\\"b, c: d"`, "\"\u2028\u2029\"", `"\n"`,
		`0`, `-0`, `1.0`, `1.50`, `1e5`, `1E+05`, `123456789012345678901234567890`, `true`, `false`, `null`,
		`[]`, `["a"]`, `["a","b"]`, `[" a , b ","\\","\"",1.0,true]`, `["\\\" ]"," "]`,
	}
	var object, list strings.Builder
	for i, v := range values {
		loose := strings.NewReplacer("[", "[ \t", "]", "\r\n ]").Replace(v)
		if strings.Contains(v, `]"`) || v[0] != '[' {
			loose = v
		}
		fmt.Fprintf(&object, `"f%d": %s ,`, i, loose)
		fmt.Fprintf(&list, `{"value":%s,"name":"f%d"},`, loose, i)
	}
	for _, body := range []string{
		`{"custom_fields":{` + strings.TrimSuffix(object.String(), ",") + `}}`,
		`{"custom_fields_list":[` + strings.TrimSuffix(list.String(), ",") + `],"custom_fields":{"lost":"x"}}`,
	} {
		b := mustBind[ArticleBody](t, body)
		m := NewMetadata()
		b.Apply(&m)
		for i, f := range m.CustomFields {
			if string(f.Value) != values[i] {
				t.Errorf("%s is applied as %s", values[i], f.Value)
			}
		}
		var stored bytes.Buffer // as the store keeps records
		e := json.NewEncoder(&stored)
		e.SetEscapeHTML(false)
		if err := e.Encode(m); err != nil {
			t.Fatal(err)
		}
		var back Metadata
		if err := json.Unmarshal(stored.Bytes(), &back); err != nil {
			t.Fatal(err)
		}
		if len(back.CustomFields) != len(values) {
			t.Fatalf("%d fields of %d", len(back.CustomFields), len(values))
		}
		for i, f := range back.CustomFields {
			if f.Name != fmt.Sprintf("f%d", i) || string(f.Value) != values[i] {
				t.Errorf("%s comes back as %s: %s", values[i], f.Name, f.Value)
			}
		}
	}
	m := NewMetadata()
	mustBind[ArticleBody](t, `{"custom_fields_list":[{"name":"a"}]}`).Apply(&m)
	if b, err := json.Marshal(m.CustomFields); err != nil || string(b) != `[{"name":"a","value":null}]` {
		t.Errorf("a field without a value is %s, %v", b, err)
	}
}

// The keys of an embedded struct stand among those of the outer one: they are known,
// bound, and named by themselves when they are wrong.
func TestBindEmbedded(t *testing.T) {
	type Shown struct {
		Page *int64 `json:"page"`
	}
	var got struct {
		Shown
		Name *string `json:"name"`
	}
	body, err := ReadBody([]byte(`{"page": 3, "name": "x", "other": 1, "": 2}`), false)
	if err != nil {
		t.Fatal(err)
	}
	warnings, err := body.Bind(&got)
	if err != nil || got.Page == nil || *got.Page != 3 || got.Name == nil || *got.Name != "x" || len(warnings) != 2 {
		t.Errorf("%+v, warnings %q, error %v", got, warnings, err)
	}
	body, err = ReadBody([]byte(`{"page": "3"}`), false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = body.Bind(&got); err == nil || err.Error() != "page must be an integer" {
		t.Errorf("error %v", err)
	}
}

// A key that needs a value is refused when it is null, as if it were missing.
func TestBindNullRefused(t *testing.T) {
	for body, to := range map[string]any{
		`{"authors":null}`: &AuthorsBody{}, `{"categories":null}`: &CategoriesBody{}, `{"articles":null}`: &ArticlesBody{},
		`{"is_embargoed":null}`: &EmbargoBody{},
	} {
		b, err := ReadBody([]byte(body), false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Bind(to); err == nil || !strings.HasSuffix(err.Error(), " is required") {
			t.Errorf("%s: %v", body, err)
		}
	}
}
