package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/record"
	"alcove/tests/stage"
)

// People change their own profile, and administrators that of the accounts that they look after.
// Names and ORCID iD are those of the account; what was not sent stays.
func TestProfileUpdate(t *testing.T) {
	t.Parallel()
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	const at = "/v2/account/profile"
	got := s.Ben.Send("PUT", at, `{"first_name": "Benjamin", "orcid": "https://orcid.org/0000-0002-1825-0097", "job_title": "Limnologist", "bio": "B",
		"fields_of_interest_by_source_id": ["none"], "personal_profiles": [{"label": "", "url": "https://example.org/b"}], "shoe_size": 44}`).Is(200).Object()
	if got["code"] != 200.0 || got["message"] != "OK" || len(got["warnings"].([]any)) != 2 {
		t.Errorf("%v", got)
	}
	if ben := s.Ben.Get("/v2/account").Object(); ben["first_name"] != "Benjamin" || ben["last_name"] != "Tester" || ben["orcid_id"] != "0000-0002-1825-0097" {
		t.Errorf("%v", ben)
	}
	ben := int64(s.Ben.Get("/v2/account").Object()["user_id"].(float64))
	read := func() map[string]any { return s.Ben.Get(fmt.Sprintf("/v2/account/authors/%d", ben)).Is(200).Object() }
	if p := read(); p["full_name"] != "Benjamin Tester" || p["job_title"] != "Limnologist" {
		t.Errorf("%v", p)
	}
	mine := fmt.Sprintf("%s?user_id=%d", at, ben)
	s.Ben.Send("PUT", mine, `{"location": "Lund"}`).Is(200)
	s.Ada.Send("PUT", mine, `{"job_title": "Head"}`).Is(200)
	s.Account(s.Ben.ID(), func(a *record.Account) { a.InstitutionUserID = "b 7" })
	s.Root.Send("PUT", at+"?institution_user_id=b+7", `{"last_name": "Tested"}`).Is(200)
	if p := read(); p["full_name"] != "Benjamin Tested" || p["job_title"] != "Head" || p["orcid_id"] != "0000-0002-1825-0097" {
		t.Errorf("%v", p)
	}
	before := fmt.Sprint(read())
	cyd.Send("PUT", mine, `{"job_title": "x"}`).Refuses(403, "Only administrators may do this")
	s.Root.Send("PUT", at+"?user_id=9999", `{"job_title": "x"}`).Refuses(404, "Account not found")
	s.Root.Send("PUT", at+"?institution_user_id=", `{"job_title": "x"}`).Refuses(404, "Account not found")
	s.Role(cyd, 3, "administrator")
	cyd.Send("PUT", mine, `{"job_title": "x"}`).Refuses(404, "Account not found")
	root := int64(s.Root.Get("/v2/account").Object()["user_id"].(float64))
	s.Account(s.Root.ID(), func(a *record.Account) { a.GroupID = 2 })
	s.Ada.Send("PUT", fmt.Sprintf("%s?user_id=%d", at, root), `{"job_title": "x"}`).Refuses(403, "")
	s.Anon.Send("PUT", at, `{}`).Refuses(401, "Missing OAuth token")
	for body, want := range map[string]string{
		`{"last_name": " "}`: "last_name", `{"orcid": "1"}`: "orcid", `{"facebook": "javascript:a"}`: "facebook", `{"x": "ftp://example.org"}`: "x",
		`{"bio": "` + strings.Repeat("x", 5001) + `"}`: "bio", `{"fields_of_interest": [999999]}`: "fields_of_interest",
		`{"personal_profiles": [{"label": "no address"}]}`:                                          "personal_profiles[0].url",
		`{"personal_profiles": [` + strings.Repeat(`{"url": "https://e.org"},`, 10) + `{}]}`:        "personal_profiles",
		`{"first_name": "` + strings.Repeat("x", 250) + `"}`:                                        "last_name",
		`{"fields_of_interest": [` + strings.Repeat("37,", 100) + `37]}`:                            "fields_of_interest",
		`{"personal_profiles": [{"label": "` + strings.Repeat("x", 256) + `", "url": "http://e"}]}`: "label",
	} {
		s.Ben.Send("PUT", at, body).Refuses(422, want)
	}
	s.Ben.Send("PUT", at, `{`).Refuses(400, "not valid JSON")
	if after := fmt.Sprint(read()); after != before {
		t.Errorf("%s, was %s", after, before)
	}
}
