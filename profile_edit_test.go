package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/record"
)

// People change their own profile, and administrators that of the accounts that they look after.
// Names and ORCID iD are those of the account; what was not sent stays.
func TestProfileUpdate(t *testing.T) {
	t.Parallel()
	s, cyd := newInstitution(t)
	const at = "/v2/account/profile"
	got := s.Ben.send("PUT", at, `{"first_name": "Benjamin", "orcid": "https://orcid.org/0000-0002-1825-0097", "job_title": "Limnologist", "bio": "B",
		"fields_of_interest_by_source_id": ["none"], "personal_profiles": [{"label": "", "url": "https://example.org/b"}], "shoe_size": 44}`).is(200).object()
	if got["code"] != 200.0 || got["message"] != "OK" || len(got["warnings"].([]any)) != 2 {
		t.Errorf("%v", got)
	}
	if ben := s.Ben.get("/v2/account").object(); ben["first_name"] != "Benjamin" || ben["last_name"] != "Tester" || ben["orcid_id"] != "0000-0002-1825-0097" {
		t.Errorf("%v", ben)
	}
	ben := int64(s.Ben.get("/v2/account").object()["user_id"].(float64))
	read := func() map[string]any { return s.Ben.get(fmt.Sprintf("/v2/account/authors/%d", ben)).is(200).object() }
	if p := read(); p["full_name"] != "Benjamin Tester" || p["job_title"] != "Limnologist" {
		t.Errorf("%v", p)
	}
	mine := fmt.Sprintf("%s?user_id=%d", at, ben)
	s.Ben.send("PUT", mine, `{"location": "Lund"}`).is(200)
	s.Ada.send("PUT", mine, `{"job_title": "Head"}`).is(200)
	s.account(s.Ben.id(), func(a *record.Account) { a.InstitutionUserID = "b 7" })
	s.Root.send("PUT", at+"?institution_user_id=b+7", `{"last_name": "Tested"}`).is(200)
	if p := read(); p["full_name"] != "Benjamin Tested" || p["job_title"] != "Head" || p["orcid_id"] != "0000-0002-1825-0097" {
		t.Errorf("%v", p)
	}
	before := fmt.Sprint(read())
	cyd.send("PUT", mine, `{"job_title": "x"}`).refuses(403, "Only administrators may do this")
	s.Root.send("PUT", at+"?user_id=9999", `{"job_title": "x"}`).refuses(404, "Account not found")
	s.Root.send("PUT", at+"?institution_user_id=", `{"job_title": "x"}`).refuses(404, "Account not found")
	s.role(cyd, 3, "administrator")
	cyd.send("PUT", mine, `{"job_title": "x"}`).refuses(404, "Account not found")
	root := int64(s.Root.get("/v2/account").object()["user_id"].(float64))
	s.account(s.Root.id(), func(a *record.Account) { a.GroupID = 2 })
	s.Ada.send("PUT", fmt.Sprintf("%s?user_id=%d", at, root), `{"job_title": "x"}`).refuses(403, "")
	s.Anon.send("PUT", at, `{}`).refuses(401, "Missing OAuth token")
	for body, want := range map[string]string{
		`{"last_name": " "}`: "last_name", `{"orcid": "1"}`: "orcid", `{"facebook": "javascript:a"}`: "facebook", `{"x": "ftp://example.org"}`: "x",
		`{"bio": "` + strings.Repeat("x", 5001) + `"}`: "bio", `{"fields_of_interest": [999999]}`: "fields_of_interest",
		`{"personal_profiles": [{"label": "no address"}]}`:                                          "personal_profiles[0].url",
		`{"personal_profiles": [` + strings.Repeat(`{"url": "https://e.org"},`, 10) + `{}]}`:        "personal_profiles",
		`{"first_name": "` + strings.Repeat("x", 250) + `"}`:                                        "last_name",
		`{"fields_of_interest": [` + strings.Repeat("37,", 100) + `37]}`:                            "fields_of_interest",
		`{"personal_profiles": [{"label": "` + strings.Repeat("x", 256) + `", "url": "http://e"}]}`: "label",
	} {
		s.Ben.send("PUT", at, body).refuses(422, want)
	}
	s.Ben.send("PUT", at, `{`).refuses(400, "not valid JSON")
	if after := fmt.Sprint(read()); after != before {
		t.Errorf("%s, was %s", after, before)
	}
}
