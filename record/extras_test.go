package record

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The refusals of the extras of a body, and their bounds.
func TestExtrasCheck(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, c := range []struct{ body, message string }{ // no message: accepted
		{`{"related_materials":[]}`, ""}, {`{"related_materials":null}`, ""}, {`{"related_materials":[{"identifier":"x"}]}`, ""},
		{`{"related_materials":[{}]}`, "an identifier, or the id"}, {`{"related_materials":[{"identifier":""}]}`, "an identifier"},
		{`{"related_materials":[{"id":0,"identifier":null}]}`, "an identifier"}, {`{"related_materials":[{"id":5}]}`, ""},
		{`{"related_materials":[{"identifier":"x","relation":"Likes"}]}`, "known relation"}, {`{"related_materials":[{"identifier":"x","relation":"references"}]}`, "known relation"},
		{`{"related_materials":[{"identifier":"x","identifier_type":"doi"}]}`, "known identifier_type"}, {`{"related_materials":[{"identifier":"x","relation":"","identifier_type":null}]}`, ""},
		{`{"related_materials":[{"identifier":"x","link":7,"colour":1}]}`, ""},
		{`{"related_materials":[{"identifier":"` + long(2000) + `"}]}`, ""}, {`{"related_materials":[{"identifier":"` + long(2001) + `"}]}`, "at most 2000"},
		{`{"related_materials":[{"identifier":"x","title":"` + long(1000) + `"}]}`, ""}, {`{"related_materials":[{"identifier":"x","title":"` + long(1001) + `"}]}`, "at most 1000"},
		{`{"funding_list":[{"id":5},{"title":"T"}]}`, ""}, {`{"funding_list":[{}]}`, "an id or a title"}, {`{"funding_list":[{"title":"  "}]}`, "an id or a title"},
		{`{"funding_list":[{"id":5,"title":"T"}]}`, "not both"}, {fmt.Sprintf(`{"funding_list":[{"id":%d,"title":" T "}]}`, FundingID("T")), ""},
		{`{"funding_list":[{"title":"` + long(2000) + `"}]}`, ""}, {`{"funding_list":[{"title":"` + long(2001) + `"}]}`, "at most 2000"},
		{`{"timeline":{}}`, ""}, {`{"timeline":null}`, ""}, {`{"timeline":{"firstOnline":null,"publisherAcceptance":""}}`, ""},
		{`{"timeline":{"firstOnline":"2015-12-31","publisherPublication":"2015-12-31T01:02:03Z","publisherAcceptance":"2015-12-31 01:02:03"}}`, ""},
		{`{"timeline":{"firstOnline":"2015-02-30"}}`, "timeline.firstOnline"}, {`{"timeline":{"publisherPublication":"soon"}}`, "timeline.publisherPublication"},
		{`{"timeline":{"publisherAcceptance":"31.12.2015"}}`, "timeline.publisherAcceptance"}, {`{"timeline":{"posted":7}}`, ""},
		{`{"handle":"1/` + long(253) + `"}`, ""}, {`{"handle":"1/` + long(254) + `"}`, "at most 255"},
	} {
		for _, b := range []interface{ Check() error }{mustBind[ArticleBody](t, c.body), mustBind[CollectionBody](t, c.body)} {
			err := b.Check()
			if (err == nil) != (c.message == "") || err != nil && !strings.Contains(err.Error(), c.message) {
				t.Errorf("%T %.80s: %v, want %q", b, c.body, err, c.message)
			}
		}
	}
	for body, field := range map[string]string{
		`{"related_materials":{}}`: "related_materials", `{"related_materials":["x"]}`: "related_materials[0]", `{"related_materials":[{"is_linkout":1}]}`: "related_materials[0].is_linkout",
		`{"related_materials":[{"id":"1"}]}`: "related_materials[0].id", `{"funding_list":["x"]}`: "funding_list[0]", `{"funding_list":[{"id":1.5}]}`: "funding_list[0].id",
		`{"timeline":[]}`: "timeline", `{"timeline":"2015"}`: "timeline", `{"timeline":{"firstOnline":2015}}`: "timeline.firstOnline",
		`{"categories_by_source_id":[30]}`: "categories_by_source_id[0]", `{"categories_by_source_id":"30"}`: "categories_by_source_id",
		`{"group_id":"1"}`: "group_id", `{"handle":1}`: "handle",
	} {
		for _, to := range []any{&ArticleBody{}, &CollectionBody{}, &VersionBody{}} {
			b, err := ReadBody([]byte(body), false)
			if err != nil {
				t.Fatal(err)
			}
			_, err = b.Bind(to)
			if e, ok := err.(*Error); !ok || e.Class != Invalid || e.Data["field"] != field {
				t.Errorf("%T %s: %v", to, body, err)
			}
		}
	}
}

// Materials and references are two views of one list.
func TestMaterials(t *testing.T) {
	m := NewMetadata()
	apply := func(body string) {
		t.Helper()
		b := mustBind[ArticleBody](t, body)
		if err := b.Check(); err != nil {
			t.Fatal(err)
		}
		b.Apply(&m)
	}
	see := func(references, materials string) {
		t.Helper()
		var text []string
		for _, r := range m.Materials() {
			text = append(text, r.Relation+" "+r.Type+" "+r.Identifier+" "+r.Title)
		}
		if got := strings.Join(m.References, "|"); got != references {
			t.Errorf("references %s, want %s", got, references)
		}
		if got := strings.Join(text, "|"); got != materials {
			t.Errorf("materials %s, want %s", got, materials)
		}
	}
	apply(`{"references":["https://a","https://b","https://a"]}`)
	see("https://a|https://b|https://a", "References URL https://a |References URL https://b |References URL https://a ")
	if len(m.Related) != 0 {
		t.Errorf("references alone are kept twice: %v", m.Related)
	}
	apply(`{"references":["https://lost"],"related_materials":[{"identifier":"10.1234/x","identifier_type":"DOI","title":"X"},{"identifier":"https://c","relation":"Cites"},{"identifier":"1234-5678","identifier_type":"ISSN"},
		{"identifier":"https://c","relation":"Cites","is_linkout":true}]}`)
	see("https://doi.org/10.1234/x", "References DOI 10.1234/x X|Cites URL https://c |References ISSN 1234-5678 ")
	apply(`{"references":["https://new","https://doi.org/10.1234/x"]}`)
	see("https://new|https://doi.org/10.1234/x", "Cites URL https://c |References ISSN 1234-5678 |References URL https://new |References DOI 10.1234/x X")
	apply(`{"references":null}`)
	see("", "Cites URL https://c |References ISSN 1234-5678 ")
	apply(`{"related_materials":null}`)
	see("", "")
	var old Metadata // a record from before
	if err := json.Unmarshal([]byte(`{"title":"T","references":["https://old"]}`), &old); err != nil {
		t.Fatal(err)
	}
	m = old
	see("https://old", "References URL https://old ")
}

// Where identifiers lead.
func TestMaterialLink(t *testing.T) {
	for in, want := range map[string]string{
		"DOI 10.1234/x": "https://doi.org/10.1234/x", "DOI doi:10.1234/x": "https://doi.org/10.1234/x", "DOI https://doi.org/10.1234/x": "https://doi.org/10.1234/x",
		"Handle 1234/5": "https://hdl.handle.net/1234/5", "arXiv arXiv:2101.1": "https://arxiv.org/abs/2101.1", "ARK ark:/1/2": "https://n2t.net/ark:/1/2",
		"PMID 77": "https://pubmed.ncbi.nlm.nih.gov/77", "URL example.org": "", "URL 10.1234/x": "https://doi.org/10.1234/x", "URL ftp://x/y": "ftp://x/y", "URL javascript:x": "", "URL mailto:a@b": "", "URL https://x": "https://x", "ISBN 978": "", "ISBN http://x": "http://x",
		"w3id a/b": "https://w3id.org/a/b", "PURL http://purl.org/x": "http://purl.org/x", "bibcode 2020A": "https://ui.adsabs.harvard.edu/abs/2020A", "LSID urn:lsid:x": "",
	} {
		kind, id, _ := strings.Cut(in, " ")
		if got := (&RelatedMaterial{Identifier: id, Type: kind}).Link(); got != want {
			t.Errorf("%s leads to %q, want %q", in, got, want)
		}
	}
	seen := map[int64]bool{}
	for _, r := range []RelatedMaterial{{Identifier: "a"}, {Title: "a"}, {Relation: "a"}, {Type: "a"}, {}} {
		if id := r.ID(); seen[id] || id <= 0 || id > 1<<48 {
			t.Errorf("%+v has the id %d", r, id)
		} else {
			seen[id] = true
		}
	}
}

// Steps that are sent change; the others stay; null clears.
func TestTimelineApply(t *testing.T) {
	full := Timeline{"2001-01-01", "2002-02-02", "2003-03-03"}
	for body, want := range map[string]Timeline{
		`{}`: full, `{"timeline":{}}`: full, `{"timeline":null}`: {}, `{"timeline":{"firstOnline":null}}`: {"", "2002-02-02", "2003-03-03"},
		`{"timeline":{"publisherPublication":"2010-01-02T03:04:05+02:00","posted":"2020-01-01"}}`: {"2001-01-01", "2010-01-02T01:04:05", "2003-03-03"},
		`{"timeline":{"publisherAcceptance":""}}`:                                                 {"2001-01-01", "2002-02-02", ""},
	} {
		m := Metadata{Timeline: full}
		mustBind[CollectionBody](t, body).Apply(&m)
		if m.Timeline != want {
			t.Errorf("%s: %+v, want %+v", body, m.Timeline, want)
		}
	}
}

// Codes that stand for no category are named, up to a bound; the rest count.
func TestCategoriesByCode(t *testing.T) {
	ids, warnings := CategoriesByCode([]string{"30", "999999", "300204", " 30", "999999", ""})
	if !reflect.DeepEqual(ids, []int64{30, 300204}) || len(warnings) != 3 || !strings.Contains(warnings[0], `"999999"`) {
		t.Errorf("%v, %q", ids, warnings)
	}
	var codes []string
	for i := range 1000 {
		codes = append(codes, fmt.Sprint("x", i))
	}
	if ids, warnings = CategoriesByCode(codes); len(ids) != 0 || len(warnings) != maxWarnings {
		t.Errorf("%d ids, %d warnings", len(ids), len(warnings))
	}
}

// The notes of a version need no title beside them, and are bounded.
func TestVersionNotes(t *testing.T) {
	for body, only := range map[string]bool{
		`{}`: false, `{"title":"abc"}`: false, `{"supplementary_fields":[]}`: true, `{"internal_metadata":{"a":null}}`: true,
		`{"supplementary_fields":[],"title":"abc"}`: false, `{"internal_metadata":{},"funding_list":[]}`: false,
	} {
		if got := mustBind[VersionBody](t, body).OnlyNotes(); got != only {
			t.Errorf("%s: %v", body, got)
		}
	}
	field := `{"name":"a","value":["x"]},`
	for body, ok := range map[string]bool{
		`{"supplementary_fields":[{"name":"a","value":"b"}],"internal_metadata":{"d":null,"e":"x"}}`: true, `{"supplementary_fields":[{"value":"b"}]}`: false,
		`{"supplementary_fields":[` + strings.Repeat(field, 199) + field[:len(field)-1] + `]}`: true,
		`{"supplementary_fields":[` + strings.Repeat(field, 200) + field[:len(field)-1] + `]}`: false,
	} {
		if err := mustBind[VersionBody](t, body).CheckNotes(); (err == nil) != ok {
			t.Errorf("%.80s: %v", body, err)
		}
	}
	v := &ArticleVersion{}
	mustBind[VersionBody](t, `{"supplementary_fields":[{"name":"a","value":"b"}],"internal_metadata":{"d":null}}`).ApplyNotes(v)
	if fmt.Sprintf("%s %s", v.Supplementary, v.Internal) != `[{a "b"}] [{d null}]` {
		t.Errorf("%s %s", v.Supplementary, v.Internal)
	}
}
