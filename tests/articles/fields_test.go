package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// newFields has a mandatory field in the first faculty, and four more in the department.
func newFields(t *testing.T) (s *world.Server, cyd world.Client) {
	t.Helper()
	s, cyd = stage.NewInstitution(t)
	s.Field(record.Field{GroupID: 2, Name: "Note", Type: record.FieldText, MinLength: 2, MaxLength: 5, Placeholder: "A few words"})
	s.Field(record.Field{GroupID: 1, Name: "Lake", Type: record.FieldDropdown, Mandatory: true, Options: []string{"Ämari", "Bled"}})
	s.Field(record.Field{GroupID: 2, Name: "Tools", Type: record.FieldLargeList, Multiple: true, Options: []string{"net", "rod"}})
	s.Field(record.Field{GroupID: 2, Name: "Page", Type: record.FieldURL})
	s.Field(record.Field{GroupID: 2, Name: "Contact", Type: record.FieldEmail})
	s.Field(record.Field{GroupID: 2, Name: "Day", Type: record.FieldDate})
	s.Field(record.Field{GroupID: 3, Name: "Canvas", Type: record.FieldText})
	return s, cyd
}

// GET …/institution/custom_fields: the fields of the caller's group and of the groups above it,
// or of a group in which the caller has a role.
func TestFieldList(t *testing.T) {
	t.Parallel()
	s, cyd := newFields(t)
	s.Enter()
	const at = "/v2/account/institution/custom_fields"
	s.Anon.Get(at).Refuses(401, "")
	for _, c := range []struct {
		who         world.Client
		query, want string
	}{
		{s.Ben, "", "2 1 3 4 5 6"}, {s.Ben, "?group_id=2", "2 1 3 4 5 6"}, {s.Ben, "?group_id=1", "2"}, {s.Ada, "", ""}, {s.Ada, "?group_id=2", "2 1 3 4 5 6"},
		{s.Root, "?group_id=3", "7"}, {cyd, "", "7"},
	} {
		if got := c.who.Get(at + c.query).Shown(); got != c.want {
			t.Errorf("%s lists %q, want %q", c.query, got, c.want)
		}
	}
	for _, id := range []int{3, 99, 0, -1} {
		s.Ben.Get(fmt.Sprintf("%s?group_id=%d", at, id)).Refuses(403, "nothing to do with that group")
	}
	cyd.Get(at+"?group_id=x").Refuses(422, "group_id")
	want := `[{"id": 2, "name": "Lake", "is_mandatory": true, "field_type": "dropdown", "settings": {"validations": {"min_length": null, "max_length": null}, "placeholder": null, "options": ["Ämari", "Bled"], "is_multiple": false}, "order": 1}, ` +
		`{"id": 1, "name": "Note", "is_mandatory": false, "field_type": "text", "settings": {"validations": {"min_length": 2, "max_length": 5}, "placeholder": "A few words", "options": [], "is_multiple": false}, "order": 2}, `
	if got := string(s.Ben.Get(at).Bytes); !strings.HasPrefix(got, want) {
		t.Errorf("the fields are %s", got)
	}
	s.Account(cyd.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	cyd.Get(at).Refuses(404, "Institution not found")
}

// The rules of a group's definitions for the custom fields of its items.
func TestFieldValues(t *testing.T) {
	t.Parallel()
	s, cyd := newFields(t)
	at := s.Ben.Article(`{"title": "A lake"}`)
	col := strings.TrimPrefix(s.Ben.Send("POST", "/v2/account/collections", `{"title": "Lakes"}`).Is(201).Header.Get("Location"), s.URL)
	before := s.Sequence()
	for value, message := range map[string]string{
		`"Lake": "Como"`: "custom_fields.Lake must be one of the options", `"Lake": ["Bled", "Ämari"]`: "takes one value", `"Lake": 7`: "must be a string or a list",
		`"Lake": "bled"`: "options", `"Note": "x"`: "at least 2", `"Note": "äöüäöü"`: "at most 5", `"Note": true`: "string", `"Note": [1]`: "string",
		`"Tools": ["net", "gun"]`: "options", `"Page": "lake.example"`: "http", `"Page": "ftp://lake.example"`: "http", `"Page": "javascript:alert(1)"`: "http",
		`"Contact": "Ada <ada@example.org>"`: "e-mail", `"Contact": ["ada@example.org", "x"]`: "e-mail", `"Day": "2020-02-30"`: "YYYY-MM-DD", `"Day": "1.2.2020"`: "YYYY-MM-DD",
	} {
		for _, path := range []string{at, col} {
			s.Ben.Send("PATCH", path, `{"custom_fields": {`+value+`}}`).Refuses(422, message)
		}
	}
	s.Ben.Send("PATCH", at, `{"custom_fields_list": [{"name": "Lake", "value": "Como"}]}`).Refuses(422, "Lake")
	s.Ben.Send("POST", "/v2/account/articles", `{"title": "A lake", "custom_fields": {"Lake": "Como"}}`).Refuses(422, "Lake")
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	for _, blank := range []string{`"Lake": ""`, `"Lake": null`, `"Day": " "`, `"Tools": []`, `"Note": ["ok"]`, `"Page": ["https://a.example", "http://b.example/x"]`} {
		s.Ben.Send("PATCH", at, `{"custom_fields": {`+blank+`}}`).Is(205)
	}
	r := s.Ben.Send("PATCH", at, `{"custom_fields": {"Free": 1.50, "Tools": ["rod", "net"], "Lake": "Bled"}}`).Is(205)
	if !strings.Contains(string(r.Bytes), `not defined in the group: Free"`) {
		t.Errorf("a field that is not defined: %s", r.Bytes)
	}
	want := `"custom_fields": [{"name": "Lake", "value": "Bled", "is_mandatory": true, "field_type": "dropdown", "settings": {"validations": {"min_length": null, "max_length": null}, "placeholder": null, "options": ["Ämari", "Bled"], "is_multiple": false}, "order": 1}, ` +
		`{"name": "Tools", "value": ["rod", "net"], "is_mandatory": false, "field_type": "dropdown_large_list", "settings": {"validations": {"min_length": null, "max_length": null}, "placeholder": null, "options": ["net", "rod"], "is_multiple": true}, "order": 3}, ` +
		`{"name": "Free", "value": 1.50, "is_mandatory": false, "field_type": "text", "settings": {}, "order": 7}]`
	if got := string(s.Ben.Get(at).Is(200).Bytes); !strings.Contains(got, want) {
		t.Errorf("the item shows %s", got)
	}
	// Without definitions everything stays as it is sent.
	free := s.Root.Article(`{"title": "Free", "custom_fields": {"Lake": "Como"}}`)
	if got := string(s.Root.Get(free).Bytes); !strings.Contains(got, `"custom_fields": [{"name": "Lake", "value": "Como", "is_mandatory": false, "field_type": "text", "settings": {}, "order": 1}]`) {
		t.Errorf("a free field is %s", got)
	}
	cyd.Article(`{"title": "Elsewhere", "custom_fields": {"Lake": "Como"}}`)
}

// A mandatory field is asked for when an item is published; a public version keeps the
// definitions it was published under.
func TestFieldMandatory(t *testing.T) {
	t.Parallel()
	s, _ := newFields(t)
	at := s.Ben.Article(`{"title": "A lake", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.Do("POST", at+"/publish", nil).Refuses(400, "Missing mandatory field for publication - Lake")
	s.Ben.Send("PATCH", at, `{"custom_fields": {"Lake": [" "]}}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Refuses(400, "Lake")
	s.Ben.Send("PATCH", at, `{"custom_fields": {"Lake": "Bled", "Day": "2020-02-29"}}`).Is(205)
	s.Ben.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Send("PATCH", at+"/versions/1", `{"custom_fields": {}}`).Refuses(400, "Lake")
	s.Ben.Send("PATCH", at+"/versions/1", `{"custom_fields": {"Lake": "Como"}}`).Refuses(422, "Lake")

	col := strings.TrimPrefix(s.Ben.Send("POST", "/v2/account/collections", `{"title": "Lakes", "authors": [{"name": "Grace Hopper"}]}`).Is(201).Header.Get("Location"), s.URL)
	s.Ben.Do("POST", col+"/publish", nil).Refuses(428, "Collection has no Lake")
	s.Ben.Send("PATCH", col, `{"custom_fields": {"Lake": "Bled"}}`).Is(205)
	s.Ben.Do("POST", col+"/publish", nil).Is(201)

	before := string(s.Anon.Get("/v2/articles/1").Is(200).Bytes)
	if !strings.Contains(before, `"field_type": "date"`) || !strings.Contains(before, `"field_type": "dropdown"`) {
		t.Errorf("public: %s", before)
	}
	for id := int64(1); id <= 6; id++ {
		if err := s.TryOperate("field_end", id, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.Restart()
	if got := string(s.Anon.Get("/v2/articles/1").Is(200).Bytes); !strings.Contains(got, `"field_type": "dropdown"`) {
		t.Errorf("without the definitions: %s", got)
	}
	if got := string(s.Ben.Get(at).Bytes); !strings.Contains(got, `"name": "Lake", "value": "Bled", "is_mandatory": false, "field_type": "text"`) {
		t.Errorf("the working copy keeps %s", got)
	}
}

// Definitions that say nothing, or what cannot be.
func TestFieldDefinitions(t *testing.T) {
	t.Parallel()
	s, _ := newFields(t)
	s.Enter()
	long := strings.Repeat("x", 256)
	for _, f := range []record.Field{
		{GroupID: 1, Name: " ", Type: "text"}, {GroupID: 1, Name: long, Type: "text"}, {GroupID: 1, Name: "A", Type: "number"}, {GroupID: 1, Name: "A", Type: "dropdown"},
		{GroupID: 1, Name: "A", Type: "text", Options: []string{"a"}}, {GroupID: 1, Name: "A", Type: "dropdown", Options: []string{"a", "a"}},
		{GroupID: 1, Name: "A", Type: "dropdown", Options: []string{""}}, {GroupID: 1, Name: "A", Type: "text", MinLength: 3, MaxLength: 2}, {GroupID: 1, Name: "A", Type: "text", Multiple: true},
		{GroupID: 1, Name: "A", Type: "text", MinLength: -1}, {GroupID: 9, Name: "A", Type: "text"}, {GroupID: 1, Name: "Lake", Type: "text"},
	} {
		if err := s.TryOperate("field", f, nil); err == nil {
			t.Errorf("%.80v was stored", f)
		}
	}
	// The nearer definition of a name holds.
	s.Field(record.Field{GroupID: 2, Name: "Lake", Type: record.FieldText})
	s.Ben.Article(`{"title": "A lake", "custom_fields": {"Lake": "Como"}}`)
	s.Account(s.Ben.ID(), func(a *record.Account) { a.GroupID = 0 })
	if err := s.TryOperate("group_end", 3, nil); err == nil {
		t.Error("a group with an account was removed")
	}
}
