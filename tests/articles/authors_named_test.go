package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// An author is stored as its source names it, is shown in parts, and a name that is a guess says so.
func TestAuthorsNamed(t *testing.T) {
	for _, kind := range []string{"articles", "collections"} {
		t.Run(kind, func(t *testing.T) {
			s := world.Start(t)
			at := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/"+kind, `{"title": "Named"}`).Is(201).Header.Get("Location"), s.URL)
			for sent, want := range map[string]string{
				`{"name": "Lind, Maja"}`:                        "Maja Lind|Maja|Lind|person|Maja|Lind|<nil>|<nil>|false|<nil>|[]",
				`{"name": "Hoek, Piet van den"}`:                "Piet van den Hoek|Piet|van den Hoek|person|Piet|Hoek|van den|<nil>|false|<nil>|[]",
				`{"name": "Reed, Ann, Jr."}`:                    "Ann Reed Jr.|Ann|Reed|person|Ann|Reed|<nil>|Jr.|false|<nil>|[]",
				`{"name": "Maja Lind"}`:                         "Maja Lind|Maja|Lind|person|Maja|Lind|<nil>|<nil>|true|<nil>|[]",
				`{"name": "{Reef Watch}", "orcid_id": ""}`:      "Reef Watch|<nil>|<nil>|organisation|<nil>|<nil>|<nil>|<nil>|false|<nil>|[]",
				`{"first_name": "Ana", "last_name": "de Ruiz"}`: "Ana de Ruiz|Ana|de Ruiz|person|Ana|de Ruiz|<nil>|<nil>|false|<nil>|[]",
				`{"given_name": "Ana", "family_name": "Ruiz", "name_particle": "de", "name_suffix": "II"}`:                                   "Ana de Ruiz II|Ana|de Ruiz|person|Ana|Ruiz|de|II|false|<nil>|[]",
				`{"name": "Tide Office", "kind": "organization", "ror_id": "05dxps055"}`:                                                     "Tide Office|<nil>|<nil>|organisation|<nil>|<nil>|<nil>|<nil>|false|https://ror.org/05dxps055|[]",
				`{"name": "Lind, Maja", "affiliations": [{"name": "Tide Office", "ror_id": "https://ror.org/05dxps055"}, {"name": "Reef"}]}`: "Maja Lind|Maja|Lind|person|Maja|Lind|<nil>|<nil>|false|<nil>|[map[name:Tide Office ror_id:https://ror.org/05dxps055] map[name:Reef ror_id:<nil>]]",
			} {
				s.Ada.Send("PUT", at+"/authors", `{"authors": [`+sent+`]}`).Is(205)
				a := s.Ada.Get(at + "/authors").Is(200).List()[0]
				var got []string
				for _, key := range []string{"full_name", "first_name", "last_name", "kind", "given_name", "family_name", "name_particle", "name_suffix", "is_guessed", "ror_id", "affiliations"} {
					got = append(got, fmt.Sprint(a[key]))
				}
				if g := strings.Join(got, "|"); g != want {
					t.Errorf("%s:\n got %s\nwant %s", sent, g, want)
				}
			}
			before := string(s.Ada.Get(at + "/authors").Is(200).Bytes)
			for sent, why := range map[string]string{
				`{"name": "A", "kind": "ship"}`:                                                              `authors must give the kind "person" or "organisation"`,
				`{"name": "A", "kind": "organisation", "ror_id": "05dxps056"}`:                               "authors must give ROR IDs such as https://ror.org/05dxps055, with their check digits",
				`{"name": "A", "affiliations": [{"ror_id": "05dxps055"}]}`:                                   "authors must give affiliations with names of at most 255 characters",
				`{"name": "A", "affiliations": [{"name": "B", "ror_id": "x"}]}`:                              "authors must give ROR IDs such as https://ror.org/05dxps055, with their check digits",
				`{"name": "A", "affiliations": [` + strings.Repeat(`{"name": "B"},`, 10) + `{"name": "B"}]}`: "authors must give at most 10 affiliations each",
				`{"last_name": "A", "name_suffix": "` + strings.Repeat("I", 51) + `"}`:                       "authors must give name_particle and name_suffix of at most 50 characters",
				`{"name_particle": "van"}`:                                                                   "authors must give every person an id or a name",
			} {
				s.Ada.Send("PUT", at+"/authors", `{"authors": [`+sent+`]}`).Refuses(422, why)
			}
			if after := string(s.Ada.Get(at + "/authors").Is(200).Bytes); after != before {
				t.Errorf("a refused body changed the authors: %s", after)
			}
			if kind == "collections" {
				return
			}
			r := s.Ada.Send("PATCH", at, `{"authors": [{"name": "Lind, Maja", "ror_id": "05dxps055", "kinds": 1, "affiliations": [{"name": "B", "city": "C"}]}, {"name": "R", "kind": "organisation", "orcid_id": "0000-0002-1825-0097"}, {"given_name": "A", "first_name": "B", "last_name": "C"}]}`).Is(205)
			if got, want := fmt.Sprint(warnings(r)), `["authors[0].ror_id" was ignored: a person has none; its affiliations may have some Unknown key "authors[0].kinds" was ignored `+
				`Unknown key "authors[0].affiliations[0].city" was ignored "authors[1].orcid_id" was ignored: an organisation has none "authors[2].first_name" was ignored: given_name and family_name count]`; got != want {
				t.Errorf("warnings:\n got %s\nwant %s", got, want)
			}
		})
	}
}
