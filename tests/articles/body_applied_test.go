package articles

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// said are values of documented keys, and how an answer shows that one was applied. Without a text
// of its own the value is shown as it is.
var said = map[string]struct {
	value any
	shown string
}{
	"title": {value: "Marked title"}, "description": {value: "Marked description"}, "tags": {[]string{"marked tag"}, "marked tag"}, "keywords": {[]string{"marked keyword"}, "marked keyword"},
	"references": {[]string{"https://example.org/marked"}, "https://example.org/marked"}, "categories": {[]int{38}, `"id": 38`}, "categories_by_source_id": {[]string{"300202"}, `"source_id": "300202"`},
	"authors": {[]any{map[string]any{"name": "Marked Author"}}, "Marked Author"}, "authors.name": {value: "Marked Name"}, "authors.first_name": {value: "Markedfirst"},
	"authors.last_name": {value: "Markedlast"}, "authors.orcid_id": {value: "0000-0002-1825-0097"}, "authors.email": {value: "marked@example.org"}, "authors.id": {1, `"id": 1`}, "authors.kind": {"organisation", `"kind": "organisation"`},
	"custom_fields": {map[string]any{"Marked field": "x"}, "Marked field"}, "custom_fields_list": {[]any{map[string]any{"name": "Marked listed", "value": "x"}}, "Marked listed"},
	"custom_fields_list.name": {value: "Marked deep"}, "custom_fields_list.value": {value: "Marked value"},
	"defined_type": {"thesis", `"defined_type_name": "thesis"`}, "funding": {value: "Marked funding"}, "license": {2, `"value": 2`}, "doi": {value: "10.5072/marked.1"}, "handle": {value: "20.500/marked1"},
	"resource_doi": {value: "10.9999/marked"}, "resource_title": {value: "Marked resource"}, "resource_link": {value: "https://example.org/markedlink"}, "resource_id": {value: "markedid"},
	"resource_version": {71, `"resource_version": 71`}, "is_metadata_record": {true, `"is_metadata_record": true`}, "metadata_reason": {value: "Marked reason"}, "download_disabled": {true, `"download_disabled": true`},
	"funding_list": {[]any{map[string]any{"title": "Marked grant"}}, "Marked grant"}, "funding_list.title": {value: "Marked deep grant"}, "funding_list.id": {value: 7}, "group_id": {1, `"group_id": 1`},
	"related_materials":    {[]any{map[string]any{"identifier": "https://example.org/markedmaterial"}}, "https://example.org/markedmaterial"},
	"related_materials.id": {value: 7}, "related_materials.identifier": {value: "https://example.org/markedother"}, "related_materials.identifier_type": {"URN", `"URN"`},
	"related_materials.relation": {value: "IsCitedBy"}, "related_materials.title": {value: "Marked material"}, "related_materials.is_linkout": {true, `"is_linkout": true`},
	"timeline": {map[string]any{"firstOnline": "2001-02-03"}, "2001-02-03"}, "timeline.firstOnline": {value: "2002-02-03"}, "timeline.publisherPublication": {value: "2003-02-03"}, "timeline.publisherAcceptance": {value: "2004-02-03"},
	"id": {value: "markedresource"}, "link": {value: "https://example.org/markedfile"}, "status": {value: "markedstatus"}, "version": {72, "72"},
	"folder_path": {value: "marked/folder"}, "expires_date": {"2098-03-04", "2098-03-04"}, "read_only": {true, `"read_only": true`}, "reason": {value: "Marked why"}, "text": {value: "Marked text"}, "type": {"closed", `"closed"`},
	"embargo_title": {value: "Marked embargo"}, "embargo_reason": {value: "Marked because"}, "embargo_date": {"2097-03-04", "2097-03-04"}, "embargo_type": {"file", `"embargo_type": "file"`}, "is_embargoed": {true, `"is_embargoed": true`},
	"embargo_options": {[]any{map[string]any{"id": 1}}, `"logged_in"`}, "embargo_options.id": {1, `"logged_in"`}, "embargo_options.group_ids": {[]int{1}, `"group_ids": [1]`},
	"role_name": {"collaborator", "Collaborator"}, "email": {value: "markedmail@example.org"}, "comment": {value: "Marked comment"}, "user_id": {2, `"user_id": 2`},
	"job_title": {value: "Marked job"}, "orcid": {value: "0000-0002-1694-233X"}, "first_name": {value: "Markedfirst"}, "last_name": {value: "Markedlast"}, "institution_user_id": {value: "markeduser"}, "symplectic_user_id": {value: "markedsymplectic"}, "quota": {73, `"quota": 73`}, "is_active": {true, "1"},
	"articles": {[]int{2}, `"id": 2,`}, "md5": {value: strings.Repeat("0", 32)}, "name": {value: "marked.csv"}, "size": {value: 74},
}

// unseen are documented keys that are kept and that no answer shows, or those that another test shows.
var unseen = map[string]string{
	"supplementary_fields": "kept with the version", "supplementary_fields.name": "kept", "supplementary_fields.value": "kept", "internal_metadata": "kept",
	"file_id": "TestThumbUpdate", "type": "TestReviewApproved: what the stage has to review is decided", "comment": "kept with the invitation",
	"/v2/account/articles/:id/resource id": "TestOwnSearchOrdersAndFilters finds it", "/v2/account/articles/:id/resource link": "kept",
	"/v2/account/articles/:id/resource version": "kept", "/v2/account/articles/:id/resource status": "kept", "/v2/account/collections/:id/resource status": "kept",
	"location": "kept with the profile", "bio": "kept", "facebook": "kept", "x": "kept", "linkedin": "kept", "personal_profiles": "kept",
	"personal_profiles.label": "kept", "personal_profiles.url": "kept", "fields_of_interest": "kept", "fields_of_interest_by_source_id": "kept",
}

// Each documented key of a body that changes something is applied, or the answer names it in its
// warnings, or refuses it by its name.
func TestDocumentedKeysAreApplied(t *testing.T) {
	t.Parallel()
	seen := 0
	eachBody(t, func(s *stage.Stage, r routes.Route, good string, keys []string) {
		if strings.HasSuffix(r.Path, "/search") || strings.HasSuffix(r.Path, "/unpublish") || strings.HasPrefix(r.Path, "/stats/") {
			return
		}
		for _, key := range keys {
			say, known := said[key]
			if unseen[key] != "" || unseen[r.Path+" "+key] != "" {
				continue
			}
			if !known {
				say.value = "Marked " + key // of a key that takes any text
			}
			body := with(t, good, key, say.value)
			body = strings.Replace(body, `"fresh@`, `"fresh.`+key+`@`, 1) // an address has one account
			got := s.Ada.Send(r.Method, s.At(r), body)
			last := key[strings.LastIndexByte(key, '.')+1:]
			outer, _, _ := strings.Cut(key, ".")
			named := slices.ContainsFunc(warnings(got), func(w string) bool { return strings.Contains(w, last+`"`) })
			if got.StatusCode > 299 && strings.Contains(string(got.Bytes), outer) || named {
				continue
			}
			shown := say.shown
			if shown == "" {
				shown = fmt.Sprint(say.value)
			}
			if seen++; got.StatusCode > 299 || !strings.Contains(readBack(s, r, got), shown) {
				t.Errorf("%s %s %s answered %d and does not show %s: %.300s", r.Method, r.Path, body, got.StatusCode, shown, got.Bytes)
			}
		}
	})
	if seen < 200 {
		t.Errorf("only %d keys were applied", seen)
	}
}

// readBack is what reads show of what a write has changed: its answer, the address that this names,
// and those above.
func readBack(s *stage.Stage, r routes.Route, got *world.Reply) string {
	text := string(got.Bytes)
	at := strings.TrimPrefix(got.Header.Get("Location"), s.URL)
	if strings.HasSuffix(r.Path, "/profile") {
		at = fmt.Sprintf("/v2/account/authors/%d", s.Ada.UserID())
	}
	for _, path := range []string{at, s.At(r)} {
		for i := 0; i < 3 && strings.Count(path, "/") > 2; i++ {
			if read := s.Ada.Get(path); read.StatusCode == 200 {
				text += string(read.Bytes)
			}
			if strings.Contains(path, "/collections/") {
				text += string(s.Ada.Get(path + "/articles").Bytes)
			}
			path = path[:strings.LastIndexByte(path, '/')]
		}
	}
	return text
}

var wrongType = regexp.MustCompile(`must be (a string|an integer|true or false|a list)"`)

// Each documented key of a search changes what is found, is refused where it asks for what there
// is not, or is named in the warnings.
func TestDocumentedKeysOfSearches(t *testing.T) {
	t.Parallel()
	tried := 0
	eachBody(t, func(s *stage.Stage, r routes.Route, good string, keys []string) {
		if !strings.HasSuffix(r.Path, "/search") {
			return
		}
		s.Ada.Send("PATCH", routes.FillPath("/v2/account/articles/:id", s.IDs), `{"funding": "A grant to be found"}`).Is(205)
		all := string(s.Ada.Send(r.Method, s.At(r), good).Is(200).Bytes)
		for _, key := range keys {
			tried++
			told := false
			for _, value := range []any{"zznothing", 987654, 0, true, false} {
				got := s.Ada.Send(r.Method, s.At(r), with(t, good, key, value))
				ofType := got.StatusCode < 300 || !wrongType.MatchString(string(got.Bytes))
				told = told || ofType && (got.StatusCode > 299 || string(got.Bytes) != all || warnsOf(got, key))
			}
			if !told {
				t.Errorf("%s %s: %s has no effect and no warning", r.Method, r.Path, key)
			}
		}
	})
	if tried < 80 {
		t.Errorf("only %d keys were tried", tried)
	}
}
