package main

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"alcove/handlers"
	"alcove/record"
)

func (s *server) field(f record.Field) int64 {
	s.t.Helper()
	id, err := handlers.AddField(context.Background(), s.DB(), f)
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// newFields has a mandatory field in the first faculty, and four more in the department.
func newFields(t *testing.T) (s *server, cyd client) {
	t.Helper()
	s, cyd = newInstitution(t)
	s.field(record.Field{GroupID: 2, Name: "Note", Type: record.FieldText, MinLength: 2, MaxLength: 5, Placeholder: "A few words"})
	s.field(record.Field{GroupID: 1, Name: "Lake", Type: record.FieldDropdown, Mandatory: true, Options: []string{"Ämari", "Bled"}})
	s.field(record.Field{GroupID: 2, Name: "Tools", Type: record.FieldLargeList, Multiple: true, Options: []string{"net", "rod"}})
	s.field(record.Field{GroupID: 2, Name: "Page", Type: record.FieldURL})
	s.field(record.Field{GroupID: 2, Name: "Contact", Type: record.FieldEmail})
	s.field(record.Field{GroupID: 2, Name: "Day", Type: record.FieldDate})
	s.field(record.Field{GroupID: 3, Name: "Canvas", Type: record.FieldText})
	return s, cyd
}

// GET …/institution/custom_fields: the fields of the caller's group and of the groups above it,
// or of a group in which the caller has a role.
func TestFieldList(t *testing.T) {
	t.Parallel()
	s, cyd := newFields(t)
	const at = "/v2/account/institution/custom_fields"
	s.Anon.get(at).refuses(401, "")
	for _, c := range []struct {
		who         client
		query, want string
	}{
		{s.Ben, "", "2 1 3 4 5 6"}, {s.Ben, "?group_id=2", "2 1 3 4 5 6"}, {s.Ben, "?group_id=1", "2"}, {s.Ada, "", ""}, {s.Ada, "?group_id=2", "2 1 3 4 5 6"},
		{s.Root, "?group_id=3", "7"}, {cyd, "", "7"},
	} {
		if got := c.who.get(at + c.query).shown(); got != c.want {
			t.Errorf("%s lists %q, want %q", c.query, got, c.want)
		}
	}
	for _, id := range []int{3, 99, 0, -1} {
		s.Ben.get(fmt.Sprintf("%s?group_id=%d", at, id)).refuses(403, "nothing to do with that group")
	}
	cyd.get(at+"?group_id=x").refuses(422, "group_id")
	want := `[{"id": 2, "name": "Lake", "is_mandatory": true, "field_type": "dropdown", "settings": {"validations": {"min_length": null, "max_length": null}, "placeholder": null, "options": ["Ämari", "Bled"], "is_multiple": false}, "order": 1}, ` +
		`{"id": 1, "name": "Note", "is_mandatory": false, "field_type": "text", "settings": {"validations": {"min_length": 2, "max_length": 5}, "placeholder": "A few words", "options": [], "is_multiple": false}, "order": 2}, `
	if got := string(s.Ben.get(at).body); !strings.HasPrefix(got, want) {
		t.Errorf("the fields are %s", got)
	}
	s.account(cyd.id(), func(a *record.Account) { a.InstitutionID = 2 })
	cyd.get(at).refuses(404, "Institution not found")
}

// The rules of a group's definitions for the custom fields of its items.
func TestFieldValues(t *testing.T) {
	t.Parallel()
	s, cyd := newFields(t)
	at := s.Ben.article(`{"title": "A lake"}`)
	col := strings.TrimPrefix(s.Ben.send("POST", "/v2/account/collections", `{"title": "Lakes"}`).is(201).Header.Get("Location"), s.URL)
	before := s.DB().Sequence()
	for value, message := range map[string]string{
		`"Lake": "Como"`: "custom_fields.Lake must be one of the options", `"Lake": ["Bled", "Ämari"]`: "takes one value", `"Lake": 7`: "must be a string or a list",
		`"Lake": "bled"`: "options", `"Note": "x"`: "at least 2", `"Note": "äöüäöü"`: "at most 5", `"Note": true`: "string", `"Note": [1]`: "string",
		`"Tools": ["net", "gun"]`: "options", `"Page": "lake.example"`: "http", `"Page": "ftp://lake.example"`: "http", `"Page": "javascript:alert(1)"`: "http",
		`"Contact": "Ada <ada@example.org>"`: "e-mail", `"Contact": ["ada@example.org", "x"]`: "e-mail", `"Day": "2020-02-30"`: "YYYY-MM-DD", `"Day": "1.2.2020"`: "YYYY-MM-DD",
	} {
		for _, path := range []string{at, col} {
			s.Ben.send("PATCH", path, `{"custom_fields": {`+value+`}}`).refuses(422, message)
		}
	}
	s.Ben.send("PATCH", at, `{"custom_fields_list": [{"name": "Lake", "value": "Como"}]}`).refuses(422, "Lake")
	s.Ben.send("POST", "/v2/account/articles", `{"title": "A lake", "custom_fields": {"Lake": "Como"}}`).refuses(422, "Lake")
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
	for _, blank := range []string{`"Lake": ""`, `"Lake": null`, `"Day": " "`, `"Tools": []`, `"Note": ["ok"]`, `"Page": ["https://a.example", "http://b.example/x"]`} {
		s.Ben.send("PATCH", at, `{"custom_fields": {`+blank+`}}`).is(205)
	}
	r := s.Ben.send("PATCH", at, `{"custom_fields": {"Free": 1.50, "Tools": ["rod", "net"], "Lake": "Bled"}}`).is(205)
	if !strings.Contains(string(r.body), `not defined in the group: Free"`) {
		t.Errorf("a field that is not defined: %s", r.body)
	}
	want := `"custom_fields": [{"name": "Lake", "value": "Bled", "is_mandatory": true, "field_type": "dropdown", "settings": {"validations": {"min_length": null, "max_length": null}, "placeholder": null, "options": ["Ämari", "Bled"], "is_multiple": false}, "order": 1}, ` +
		`{"name": "Tools", "value": ["rod", "net"], "is_mandatory": false, "field_type": "dropdown_large_list", "settings": {"validations": {"min_length": null, "max_length": null}, "placeholder": null, "options": ["net", "rod"], "is_multiple": true}, "order": 3}, ` +
		`{"name": "Free", "value": 1.50, "is_mandatory": false, "field_type": "text", "settings": {}, "order": 7}]`
	if got := string(s.Ben.get(at).is(200).body); !strings.Contains(got, want) {
		t.Errorf("the item shows %s", got)
	}
	// Without definitions everything stays as it is sent.
	free := s.Root.article(`{"title": "Free", "custom_fields": {"Lake": "Como"}}`)
	if got := string(s.Root.get(free).body); !strings.Contains(got, `"custom_fields": [{"name": "Lake", "value": "Como", "is_mandatory": false, "field_type": "text", "settings": {}, "order": 1}]`) {
		t.Errorf("a free field is %s", got)
	}
	cyd.article(`{"title": "Elsewhere", "custom_fields": {"Lake": "Como"}}`)
}

// A mandatory field is asked for when an item is published; a public version keeps the
// definitions it was published under.
func TestFieldMandatory(t *testing.T) {
	t.Parallel()
	s, _ := newFields(t)
	at := s.Ben.article(`{"title": "A lake", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ben.do("POST", at+"/publish", nil).refuses(400, "Missing mandatory field for publication - Lake")
	s.Ben.send("PATCH", at, `{"custom_fields": {"Lake": [" "]}}`).is(205)
	s.Ben.do("POST", at+"/publish", nil).refuses(400, "Lake")
	s.Ben.send("PATCH", at, `{"custom_fields": {"Lake": "Bled", "Day": "2020-02-29"}}`).is(205)
	s.Ben.do("POST", at+"/publish", nil).is(201)
	s.Ben.send("PATCH", at+"/versions/1", `{"custom_fields": {}}`).refuses(400, "Lake")
	s.Ben.send("PATCH", at+"/versions/1", `{"custom_fields": {"Lake": "Como"}}`).refuses(422, "Lake")

	col := strings.TrimPrefix(s.Ben.send("POST", "/v2/account/collections", `{"title": "Lakes", "authors": [{"name": "Grace Hopper"}]}`).is(201).Header.Get("Location"), s.URL)
	s.Ben.do("POST", col+"/publish", nil).refuses(428, "Collection has no Lake")
	s.Ben.send("PATCH", col, `{"custom_fields": {"Lake": "Bled"}}`).is(205)
	s.Ben.do("POST", col+"/publish", nil).is(201)

	before := string(s.Anon.get("/v2/articles/1").is(200).body)
	if !strings.Contains(before, `"field_type": "date"`) || !strings.Contains(before, `"field_type": "dropdown"`) {
		t.Errorf("public: %s", before)
	}
	for id := int64(1); id <= 6; id++ {
		if err := handlers.RemoveField(context.Background(), s.DB(), id); err != nil {
			t.Fatal(err)
		}
	}
	s.restart()
	if got := string(s.Anon.get("/v2/articles/1").is(200).body); !strings.Contains(got, `"field_type": "dropdown"`) {
		t.Errorf("without the definitions: %s", got)
	}
	if got := string(s.Ben.get(at).body); !strings.Contains(got, `"name": "Lake", "value": "Bled", "is_mandatory": false, "field_type": "text"`) {
		t.Errorf("the working copy keeps %s", got)
	}
}

// Definitions that say nothing, or what cannot be.
func TestFieldDefinitions(t *testing.T) {
	t.Parallel()
	s, _ := newFields(t)
	long := strings.Repeat("x", 256)
	for _, f := range []record.Field{
		{GroupID: 1, Name: " ", Type: "text"}, {GroupID: 1, Name: long, Type: "text"}, {GroupID: 1, Name: "A", Type: "number"}, {GroupID: 1, Name: "A", Type: "dropdown"},
		{GroupID: 1, Name: "A", Type: "text", Options: []string{"a"}}, {GroupID: 1, Name: "A", Type: "dropdown", Options: []string{"a", "a"}},
		{GroupID: 1, Name: "A", Type: "dropdown", Options: []string{""}}, {GroupID: 1, Name: "A", Type: "text", MinLength: 3, MaxLength: 2}, {GroupID: 1, Name: "A", Type: "text", Multiple: true},
		{GroupID: 1, Name: "A", Type: "text", MinLength: -1}, {GroupID: 9, Name: "A", Type: "text"}, {GroupID: 1, Name: "Lake", Type: "text"},
	} {
		if _, err := handlers.AddField(context.Background(), s.DB(), f); err == nil {
			t.Errorf("%.80v was stored", f)
		}
	}
	// The nearer definition of a name holds.
	s.field(record.Field{GroupID: 2, Name: "Lake", Type: record.FieldText})
	s.Ben.article(`{"title": "A lake", "custom_fields": {"Lake": "Como"}}`)
	s.account(s.Ben.id(), func(a *record.Account) { a.GroupID = 0 })
	if err := handlers.RemoveGroup(context.Background(), s.DB(), 3); err == nil {
		t.Error("a group with an account was removed")
	}
}
