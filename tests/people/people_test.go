package people

import (
	"fmt"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/record"
	"alcove/tests/world"
)

// newCrowd has people of all kinds: 1 to 3 are profiles of Ada, Ben and Root, 4 and 5
// are named in a draft of Ada's, 6 in a public item of hers, 7 in a draft of Ben's.
func newCrowd(t *testing.T) *world.Server {
	t.Helper()
	s := world.StartWithin(t)
	s.Ada.Article(`{"title": "A draft", "authors": [{"first_name": "Zoë", "last_name": "Müller-Lüdenscheidt", "orcid_id": "0000-0002-1825-0097"}, {"name": "Ada O'Brien"}]}`)
	at := s.Ada.Article(`{"title": "Public", "authors": [{"name": "Grace Hopper", "email": "grace@navy.example"}]}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ben.Article(`{"title": "Ben's draft", "authors": [{"name": "Gracious Canary"}]}`)
	return s
}

// POST /v2/account/authors/search: people with a profile, of public items, and named by the
// caller; no others, with any filter.
func TestPeopleSearch(t *testing.T) {
	s := newCrowd(t)
	const at = "/v2/account/authors/search"
	s.Group("Sciences", 0)
	s.Group("Limnology", 1)
	s.Account(s.Ben.ID(), func(a *record.Account) { a.GroupID = 2 })
	s.Anon.Send("POST", at, `{}`).Refuses(401, "")
	for _, c := range []struct {
		who        world.Client
		body, want string
	}{
		{s.Ada, ``, "1 2 3 4 5 6"}, {s.Ada, `{}`, "1 2 3 4 5 6"}, {s.Ben, `{}`, "1 2 3 6 7"}, {s.Root, `{"search_for": null}`, "1 2 3 6"},
		{s.Ada, `{"search_for": "gra"}`, "6"}, {s.Ben, `{"search_for": "GRAC"}`, "6 7"}, {s.Root, `{"search_for": "canary"}`, ""}, {s.Ada, `{"search_for": "hopper grace"}`, "6"},
		{s.Ada, `{"search_for": "muller"}`, "4"}, {s.Ada, `{"search_for": "Zoe Müller"}`, "4"}, {s.Ada, `{"search_for": "zoe hopper"}`, ""}, {s.Ada, `{"search_for": "obrien"}`, "5"},
		{s.Ada, `{"search_for": "ada"}`, "1 5"}, {s.Ada, `{"search_for": "0000-0002-1825"}`, "4"}, {s.Ben, `{"search_for": "0000-0002-1825"}`, ""},
		{s.Ada, `{"orcid": "https://orcid.org/0000-0002-1825-0097"}`, "4"}, {s.Ada, `{"orcid": "0000-0002-1825"}`, ""}, {s.Ben, `{"orcid": "0000-0002-1825-0097"}`, ""},
		{s.Ada, `{"search_for": "opper"}`, ""}, {s.Ada, `{"search_for": "ben@example.org"}`, ""}, {s.Ada, `{"search_for": "navy.example"}`, ""}, {s.Ada, `{"search_for": "***"}`, "1 2 3 4 5 6"},
		{s.Ada, `{"is_active": true}`, "1 2 3"}, {s.Ada, `{"is_active": false}`, "4 5 6"}, {s.Ada, `{"is_public": true}`, "6"}, {s.Ada, `{"is_public": false}`, "1 2 3 4 5"},
		{s.Ada, `{"institution_id": 1}`, "1 2 3"}, {s.Ada, `{"institution_id": 2}`, ""}, {s.Ada, `{"group_id": 2}`, "2"}, {s.Ada, `{"group_id": 1}`, "2"}, {s.Ada, `{"group_id": 9}`, ""},
		{s.Ada, `{"page": 2, "page_size": 4}`, "5 6"}, {s.Ada, `{"limit": 2, "offset": 1}`, "2 3"}, {s.Ada, `{"order": "published_date"}`, "1 2 3 4 5 6"},
	} {
		if got := c.who.Send("POST", at, c.body).Shown(); got != c.want {
			t.Errorf("%s finds %q, want %q", c.body, got, c.want)
		}
	}
	for _, body := range []string{`{"search_for": "ab"}`, `{"search_for": "  a  "}`, `{"search_for": 7}`, `{"is_active": 1}`, `{"group_id": "1"}`, `{"limit": 0}`, `{"page": 1, "limit": 1}`, `{"offset": 5001}`,
		`{"search_for": "` + strings.Repeat("x", 2000) + `"}`} {
		s.Ada.Send("POST", at, body).Refuses(422, "")
	}
	all := s.Ada.Send("POST", at, `{}`)
	if strings.Contains(string(all.Bytes), "@") {
		t.Errorf("threat C20: an e-mail address is told: %s", all.Bytes)
	}
	want := `{"id": 2, "full_name": "Ben Tester", "first_name": "Ben", "last_name": "Tester", "is_active": true, "url_name": "Ben_Tester", "orcid_id": null, "kind": "person", "given_name": "Ben", "family_name": "Tester", "name_particle": null, "name_suffix": null, "is_guessed": false, "ror_id": null, "affiliations": [], "institution_id": 1, "group_id": 2, "is_public": 0, "job_title": null}`
	if got := string(s.Root.Get("/v2/account/authors/2").Is(200).Bytes); got != want {
		t.Errorf("Ben is %s", got)
	}
}

// GET /v2/account/authors/{author_id}: a person that may not be named is unknown.
func TestPeopleRead(t *testing.T) {
	s := newCrowd(t)
	unknown := s.Ben.Get("/v2/account/authors/99").Refuses(404, "Author not found")
	for id, who := range map[int]map[*world.Client]bool{
		4: {&s.Ada: true, &s.Ben: false, &s.Root: false}, 7: {&s.Ada: false, &s.Ben: true, &s.Root: false}, 6: {&s.Ada: true, &s.Ben: true}, 1: {&s.Ben: true},
	} {
		for c, may := range who {
			r := c.Get(fmt.Sprintf("/v2/account/authors/%d", id))
			if may {
				r.Is(200)
			} else if string(r.Bytes) != string(unknown.Bytes) || r.StatusCode != 404 {
				t.Errorf("person %d answers %d %s", id, r.StatusCode, r.Bytes)
			}
		}
	}
	grace := s.Ben.Get("/v2/account/authors/6").Object()
	if grace["is_public"] != 1.0 || grace["is_active"] != false || grace["url_name"] != "_" || grace["institution_id"] != nil || len(grace) != 19 {
		t.Errorf("Grace Hopper is %v", grace)
	}
	// A person named in public is found by every account from then on.
	s.Alter(func(tx *bucket.Tx) error {
		p, err := users.People.Get(tx, 7)
		if err == nil {
			p.Public = true
			err = users.People.Put(tx, 7, p)
		}
		return err
	})
	if got := s.Ada.Send("POST", "/v2/account/authors/search", `{"search_for": "canary"}`).Shown(); got != "7" {
		t.Errorf("a person who has become public is found as %q", got)
	}
}

// POST /v2/account/funding/search: grants that the caller has written itself.
func TestFundingSearch(t *testing.T) {
	s := world.Start(t)
	const at = "/v2/account/funding/search"
	s.Anon.Send("POST", at, `{}`).Refuses(401, "")
	for _, funding := range []string{"Vell Trust, grant 12", "", " Société de Limnologie ", "Vell Trust, grant 12"} {
		s.Ada.Article(fmt.Sprintf(`{"title": "Funded", "funding": %q}`, funding))
	}
	for body, want := range map[string]string{
		``: "Vell Trust, grant 12|Société de Limnologie", `{"search_for": "trust"}`: "Vell Trust, grant 12", `{"search_for": "societe"}`: "Société de Limnologie",
		`{"search_for": "trust limno"}`: "", `{"search_for": "12 vell"}`: "Vell Trust, grant 12",
	} {
		var titles []string
		for _, f := range s.Ada.Send("POST", at, body).Is(200).List() {
			titles = append(titles, f["title"].(string))
			if f["id"].(float64) <= 0 || f["is_user_defined"] != 1.0 || f["funder_name"] != nil || len(f) != 6 {
				t.Errorf("a grant is %v", f)
			}
		}
		if got := strings.Join(titles, "|"); got != want {
			t.Errorf("%s finds %q, want %q", body, got, want)
		}
	}
	if got := string(s.Ben.Send("POST", at, `{}`).Is(200).Bytes); got != "[]" {
		t.Errorf("Ben finds %s", got)
	}
	s.Ada.Send("POST", at, `{"search_for": "ab"}`).Refuses(422, "at least 3")
}
