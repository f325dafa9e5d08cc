package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The rules of an article body that need nothing but the body.
func TestArticleBodyCheck(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	people := func(n int) string {
		return `[` + strings.TrimSuffix(strings.Repeat(`{"name":"A"},`, n), ",") + `]`
	}
	tests := []struct{ body, field string }{ // no field: accepted
		{`{}`, ""},
		{`{"title":"abc"}`, ""}, {`{"title":"日本語"}`, ""}, {`{"title":"` + long(100_000) + `"}`, ""},
		{`{"title":"ab"}`, "title"}, {`{"title":""}`, "title"}, {`{"title":null}`, "title"}, {`{"title":" a b "}`, ""},
		{`{"title":"  ab  "}`, "title"}, {`{"title":"\u00a0\u00a0\u00a0"}`, "title"}, {`{"title":"é é"}`, ""},
		{`{"funding":"` + long(2000) + `"}`, ""}, {`{"funding":"` + long(2001) + `"}`, "funding"}, {`{"funding":null}`, ""},
		{`{"defined_type":"dataset"}`, ""}, {`{"defined_type":"fileset"}`, ""}, {`{"defined_type":null}`, ""}, {`{"defined_type":""}`, ""},
		{`{"defined_type":"nothing"}`, "defined_type"}, {`{"defined_type":"3"}`, "defined_type"},
		{`{"license":1}`, ""}, {`{"license":0}`, ""}, {`{"license":null}`, ""}, {`{"license":99}`, "license"}, {`{"license":-1}`, "license"},
		{`{"authors":` + people(10) + `}`, ""}, {`{"authors":` + people(11) + `}`, "authors"}, {`{"authors":null}`, ""}, {`{"authors":[]}`, ""},
		{`{"authors":[{}]}`, "authors"}, {`{"authors":[{"id":0}]}`, "authors"}, {`{"authors":[{"id":0,"name":"A"}]}`, ""},
		{`{"authors":[{"name":" \t"}]}`, "authors"}, {`{"authors":[{"first_name":" ","last_name":null}]}`, "authors"},
		{`{"authors":[{"email":"a@example.org","orcid_id":"0000-0002-1825-0097"}]}`, "authors"},
		{`{"authors":[{"last_name":"B"}]}`, ""}, {`{"authors":[{"first_name":"A"}]}`, ""},
		{`{"authors":[{"name":"` + long(255) + `"}]}`, ""}, {`{"authors":[{"name":"` + long(256) + `"}]}`, "authors"},
		{`{"authors":[{"first_name":"` + long(128) + `","last_name":"` + long(127) + `"}]}`, "authors"},
		{`{"authors":[{"name":"A","first_name":"` + long(256) + `"}]}`, "authors"},
		{`{"authors":[{"name":"A","last_name":"` + long(256) + `"}]}`, "authors"},
		{`{"authors":[{"id":5,"name":"` + long(256) + `"}]}`, ""},
		{`{"custom_fields_list":[{"name":"a"},{"name":"a"}]}`, ""}, {`{"custom_fields_list":[{"value":"x"}]}`, "custom_fields_list"},
		{`{"custom_fields_list":[{"name":""}]}`, "custom_fields_list"}, {`{"custom_fields_list":null}`, ""},
	}
	for _, test := range tests {
		err := mustBind[ArticleBody](t, test.body).Check()
		if test.field == "" {
			if err != nil {
				t.Errorf("%.80s: %v", test.body, err)
			}
			continue
		}
		refusal(t, test.body[:min(80, len(test.body))], err, Invalid, "InvalidValue")
		if e, ok := err.(*Error); ok && e.Data["field"] != test.field {
			t.Errorf("%.80s: %v", test.body, e.Data)
		}
	}
	if mustBind[ArticleBody](t, `{}`).RequireTitle() == nil || mustBind[ArticleBody](t, `{"title":"abc"}`).RequireTitle() != nil {
		t.Error("RequireTitle")
	}
}

// Keys that regular users may not set are found; blank values are no attempt.
func TestNeedsRights(t *testing.T) {
	for body, want := range map[string]string{
		`{}`: "", `{"title":"abc"}`: "", `{"doi":"10.1/x"}`: "doi", `{"doi":""}`: "", `{"doi":null}`: "",
		`{"resource_doi":"10.1/x"}`: "resource_doi", `{"resource_title":"x"}`: "resource_title", `{"doi":"","resource_title":" "}`: "resource_title",
	} {
		if field, ok := mustBind[ArticleBody](t, body).NeedsRights(); field != want || ok != (want != "") {
			t.Errorf("%s needs rights for %q", body, field)
		}
	}
}

// Apply writes what was sent and leaves the rest; null writes the blank or the default.
func TestArticleBodyApply(t *testing.T) {
	full := func() Metadata {
		return Metadata{
			Title: "T", Description: "D", Type: 7, Tags: []string{"a"}, References: []string{"https://r.example"},
			Categories: []int64{5}, CustomFields: []CustomField{{"n", json.RawMessage(`1`)}}, Funding: "F", License: 2,
			DOI: "10.1/x", ResourceDOI: "10.1/y", ResourceTitle: "R", MetadataOnly: true, MetadataReason: "M",
			Handle: "H", GroupID: 1, ProjectID: 2, InstitutionID: 3, DownloadDisabled: true,
		}
	}
	tests := []struct {
		body   string
		change func(*Metadata)
	}{
		{`{}`, func(*Metadata) {}},
		{`{"zzz":1,"authors":[],"categories":[9]}`, func(*Metadata) {}}, // these are the handler's
		{`{"title":" New\n"}`, func(m *Metadata) { m.Title = " New\n" }},
		{`{"description":"<p>x</p>"}`, func(m *Metadata) { m.Description = "<p>x</p>" }},
		{`{"description":null}`, func(m *Metadata) { m.Description = "" }},
		{`{"tags":["b","b"]}`, func(m *Metadata) { m.Tags = []string{"b", "b"} }},
		{`{"keywords":["k"]}`, func(m *Metadata) { m.Tags = []string{"k"} }},
		{`{"keywords":["k"],"tags":["t"]}`, func(m *Metadata) { m.Tags = []string{"t"} }},
		{`{"tags":[]}`, func(m *Metadata) { m.Tags = []string{} }},
		{`{"tags":null}`, func(m *Metadata) { m.Tags = []string{} }},
		{`{"references":null}`, func(m *Metadata) { m.References = []string{} }},
		{`{"references":["x"]}`, func(m *Metadata) { m.References = []string{"x"} }},
		{`{"custom_fields":null}`, func(m *Metadata) { m.CustomFields = []CustomField{} }},
		{`{"custom_fields":{}}`, func(m *Metadata) { m.CustomFields = []CustomField{} }},
		{`{"custom_fields":{"z":"1","a":"2"}}`, func(m *Metadata) {
			m.CustomFields = []CustomField{{"z", json.RawMessage(`"1"`)}, {"a", json.RawMessage(`"2"`)}}
		}},
		{`{"custom_fields":{"z":"1"},"custom_fields_list":[{"name":"y","value":"2"}]}`, func(m *Metadata) {
			m.CustomFields = []CustomField{{"y", json.RawMessage(`"2"`)}}
		}},
		{`{"custom_fields_list":null}`, func(m *Metadata) { m.CustomFields = []CustomField{} }},
		{`{"defined_type":"code"}`, func(m *Metadata) { m.Type = 9 }},
		{`{"defined_type":null}`, func(m *Metadata) { m.Type = DefaultType }},
		{`{"license":7}`, func(m *Metadata) { m.License = 7 }},
		{`{"license":null}`, func(m *Metadata) { m.License = DefaultLicense }},
		{`{"license":0}`, func(m *Metadata) { m.License = DefaultLicense }},
		{`{"funding":null,"doi":null,"resource_doi":null,"resource_title":null,"metadata_reason":null,"is_metadata_record":null}`,
			func(m *Metadata) {
				m.Funding, m.ResourceDOI, m.ResourceTitle, m.MetadataReason = "", "", "", "" // the DOI stays, and a truth has no blank
			}},
		{`{"funding":"f","doi":"d","resource_doi":"e","resource_title":"g","metadata_reason":"h","is_metadata_record":false}`,
			func(m *Metadata) {
				m.Funding, m.DOI, m.ResourceDOI, m.ResourceTitle, m.MetadataReason, m.MetadataOnly = "f", "d", "e", "g", "h", false
			}},
	}
	for _, test := range tests {
		b, _, err := bindBody[ArticleBody](t, test.body)
		if err != nil {
			t.Fatal(err)
		}
		got, want := full(), full()
		b.Apply(&got)
		if test.change(&want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", test.body, got, want)
		}
	}
	m := NewMetadata()
	if b, _ := json.Marshal(m); strings.Contains(string(b), "null") || m.Type != 3 || m.License != 1 {
		t.Errorf("new metadata: %s", b)
	}
}

// A person has the name that was sent, and first and last names where they can be told.
func TestNewPerson(t *testing.T) {
	for body, want := range map[string][3]string{
		`{"name":"John Doe"}`:                                     {"John Doe", "John", "Doe"},
		`{"name":"A. Person"}`:                                    {"A. Person", "A.", "Person"},
		`{"name":"Maria del Carmen  Ruiz"}`:                       {"Maria del Carmen  Ruiz", "Maria del Carmen", "Ruiz"},
		`{"name":"Plato"}`:                                        {"Plato", "", "Plato"},
		`{"name":" Plato "}`:                                      {" Plato ", "", "Plato"},
		`{"name":" John Doe\n"}`:                                  {" John Doe\n", "John", "Doe"},
		`{"name":"王小明"}`:                                          {"王小明", "", "王小明"},
		`{"first_name":"John","last_name":"Doe"}`:                 {"John Doe", "John", "Doe"},
		`{"first_name":"John"}`:                                   {"John", "John", ""},
		`{"last_name":"Doe"}`:                                     {"Doe", "", "Doe"},
		`{"name":"J. Doe","first_name":"John","last_name":"Doe"}`: {"J. Doe", "John", "Doe"},
		`{"name":"John Doe","first_name":"","last_name":null}`:    {"John Doe", "John", "Doe"},
		`{"name":"","first_name":"John","last_name":"Doe"}`:       {"John Doe", "John", "Doe"},
		`{"name":null,"first_name":" John ","last_name":" Doe "}`: {"John Doe", " John ", " Doe "},
		`{"name":"John Doe","email":"j@example.org","orcid_id":"https://orcid.org/0000-0002-1825-0097"}`: {"John Doe", "John", "Doe"},
	} {
		ref := mustBind[AuthorRef](t, body)
		p := ref.NewPerson(9)
		if got := [3]string{p.FullName, p.FirstName, p.LastName}; got != want || p.CreatedBy != 9 || p.ID != 0 || p.AccountID != 0 || p.Public {
			t.Errorf("%s is %+v, want %q", body, p, want)
		}
		if want := map[bool]string{true: "0000-0002-1825-0097"}[ref.ORCID != nil]; p.ORCID != want {
			t.Errorf("%s has the ORCID %q", body, p.ORCID)
		}
	}
}

// The bodies of authors and categories must say something.
func TestSmallBodies(t *testing.T) {
	for body, ok := range map[string]bool{
		`{"authors":[]}`: true, `{"authors":[{"id":1}]}`: true, `{"authors":null}`: false, `{"authors":[{"id":null}]}`: false,
		`{}`: false, `{"Authors":[]}`: false,
		`{"authors":[` + strings.TrimSuffix(strings.Repeat(`{"id":3},`, 500), ",") + `]}`: true,
	} {
		b, _, err := bindBody[AuthorsBody](t, body)
		if err == nil {
			err = b.Check()
		}
		if (err == nil) != ok {
			t.Errorf("%.80s: %v", body, err)
		}
	}
	for body, ok := range map[string]bool{
		`{"categories":[]}`: true, `{"categories":[1,1]}`: true, `{"categories":null}`: false, `{}`: false, `{"CATEGORIES":[1]}`: false,
	} {
		b, _, err := bindBody[CategoriesBody](t, body)
		if err == nil {
			err = b.Check()
		}
		if (err == nil) != ok {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Refusals carry their facts, and adding one leaves the promised error as it is.
func TestErrors(t *testing.T) {
	first := Bad("C", "M").With("a", 1)
	second := first.With("b", 2)
	if fmt.Sprint(first.Data) != "map[a:1]" || fmt.Sprint(second.Data) != "map[a:1 b:2]" || second.Error() != "M" {
		t.Errorf("%v, %v", first.Data, second.Data)
	}
	if third := second.With("a", 3); fmt.Sprint(third.Data) != "map[a:3 b:2]" {
		t.Errorf("the later fact does not win: %v", third.Data)
	}
	if e := ErrArticleNotOwn.With("id", 1); ErrArticleNotOwn.Data != nil || e.Class != NotFound || e.Code != ErrArticleNotOwn.Code {
		t.Errorf("%+v, %+v", e, ErrArticleNotOwn)
	}
	if e := Refused("C", "M"); e.Class != Forbidden || e.Code != "C" {
		t.Errorf("%+v", e)
	}
	if got := shorten("日本語", 2); got != "日本…" || shorten("日本語", 3) != "日本語" {
		t.Error(got)
	}
}
