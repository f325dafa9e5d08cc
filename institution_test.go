package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/config"
	"alcove/handlers"
	"alcove/record"
)

// id is the account of a client.
func (c client) id() int64 {
	c.s.t.Helper()
	return int64(c.get("/v2/account").is(200).object()["id"].(float64))
}

// account changes an account in the store.
func (s *server) account(id int64, change func(*record.Account)) {
	s.t.Helper()
	s.alter(func(tx *bucket.Tx) error {
		acc, err := bucket.Accounts.Get(tx, id)
		if err != nil {
			return err
		}
		change(acc)
		return bucket.Accounts.Put(tx, id, acc)
	})
}

func (s *server) group(name string, parent int64) int64 {
	s.t.Helper()
	id, err := handlers.StoreGroup(context.Background(), s.DB(), handlers.GroupEdit{Name: &name, ParentID: &parent})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *server) role(c client, group int64, role string) {
	s.t.Helper()
	err := handlers.ChangeRole(context.Background(), s.DB(), handlers.RoleEdit{Account: fmt.Sprint(c.id()), GroupID: group, Role: role})
	if err != nil {
		s.t.Fatal(err)
	}
}

// newInstitution has a faculty (1) with a department (2) in it and another faculty (3).
// Ada administers the first faculty; Ben is in the department, Cyd in the other faculty.
func newInstitution(t *testing.T, change ...func(*config.Config)) (s *server, cyd client) {
	t.Helper()
	s = start(t, append([]func(*config.Config){func(c *config.Config) {
		c.InstitutionName, c.InstitutionDomain = "Vell College", "vell.example"
	}}, change...)...)
	cyd = s.person("Cyd", false)
	faculty := s.group("Sciences", 0)
	department := s.group("Limnology", faculty)
	other := s.group("Arts", 0)
	s.role(s.Ada, faculty, "administrator")
	s.account(s.Ben.id(), func(a *record.Account) { a.GroupID = department })
	s.account(cyd.id(), func(a *record.Account) { a.GroupID = other })
	return s, cyd
}

// GET /v2/account/institution: name and domain are the configured ones; an
// account of another institution, or of none, is told nothing of it.
func TestInstitutionRead(t *testing.T) {
	s, _ := newInstitution(t)
	if got := string(s.Ben.get("/v2/account/institution").is(200).body); got != `{"id": 1, "name": "Vell College", "domain": "vell.example"}` {
		t.Errorf("the institution is %s", got)
	}
	s.Anon.get("/v2/account/institution").refuses(401, "")
	for _, id := range []int64{0, 2} {
		s.account(s.Ben.id(), func(a *record.Account) { a.InstitutionID = id })
		s.Ben.get("/v2/account/institution").refuses(404, "Institution not found")
	}
	plain := start(t)
	if got := string(plain.Ada.get("/v2/account/institution").is(200).body); got != `{"id": 1, "name": "Alcove", "domain": null}` {
		t.Errorf("without settings the institution is %s", got)
	}
}

// GET /v2/account/institution/groups: those assigned and inherited; the whole
// tree for administrators of the institution; [] for all others, reviewers too.
func TestInstitutionGroups(t *testing.T) {
	s, cyd := newInstitution(t)
	s.role(cyd, 3, "reviewer")
	for who, want := range map[string]struct {
		client
		ids string
	}{"Ada": {s.Ada, "1 2"}, "Ben": {s.Ben, ""}, "Cyd": {cyd, ""}, "Root": {s.Root, "1 2 3"}} {
		if got := want.get("/v2/account/institution/groups").shown(); got != want.ids {
			t.Errorf("%s administers %q, want %q", who, got, want.ids)
		}
	}
	g := s.Ada.get("/v2/account/institution/groups").list()[1]
	if g["name"] != "Limnology" || g["parent_id"] != 1.0 || g["resource_id"] != nil || g["association_criteria"] != nil || g["upload_access"] != "All Users" || len(g) != 6 {
		t.Errorf("a group is %v", g)
	}
	deep := int64(2)
	for n := range 30 {
		deep = s.group(fmt.Sprintf("Below %d", n), deep)
	}
	if got := s.Ada.get("/v2/account/institution/groups").list(); len(got) != 32 {
		t.Errorf("Ada administers %d groups of the deep tree, want 32", len(got))
	}
	// An administrator of another institution sees nothing of this one (security.md A12).
	s.account(s.Root.id(), func(a *record.Account) { a.InstitutionID = 2 })
	for _, path := range []string{"groups", "articles", "accounts"} {
		if got := s.Root.get("/v2/account/institution/" + path).shown(); strings.Contains(strings.Replace(got, fmt.Sprint(s.Root.id()), "", 1), " ") || path != "accounts" && got != "" {
			t.Errorf("an administrator of another institution sees the %s %s", path, got)
		}
	}
	s.Root.get(fmt.Sprintf("/v2/account/institution/accounts/%d", s.Ben.id())).refuses(404, "Account not found")
}

// GET /v2/account/institution/articles: its readers, contents, order and filters.
func TestInstitutionArticles(t *testing.T) {
	s, cyd := newInstitution(t)
	const at = "/v2/account/institution/articles"
	s.Anon.get(at).refuses(401, "")
	for _, who := range []client{s.Ben, cyd} {
		who.get(at).refuses(403, "Only administrators")
		who.get(at+"?page=x").refuses(403, "")
	}
	s.Ben.article(`{"title": "Draft of Ben"}`)                                                                       // 1, group 2
	s.Ben.published("Public of Ben")                                                                                 // 2, group 2
	cyd.article(`{"title": "Draft of Cyd"}`)                                                                         // 3, group 3
	private := s.Root.article(`{"title": "Private of Root", "defined_type": "thesis", "resource_doi": "10.9999/R"}`) // 4, no group
	s.Root.send("PATCH", private, `{}`).is(205)
	cyd.published("Public of Cyd") // 5, group 3
	s.alter(func(tx *bucket.Tx) error {
		for id := int64(1); id <= 5; id++ {
			art, err := bucket.Articles.Get(tx, id)
			if err != nil {
				return err
			}
			art.Modified = day(10-int(id), 0)
			if art.Published != nil {
				p := day(int(id), 0)
				art.Published = &p
			}
			if err := bucket.Articles.Put(tx, id, art); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		who   client
		query string
		want  string
	}{
		{s.Root, "", "5 2 4 3 1"}, {s.Root, "order_direction=asc", "1 3 4 2 5"}, {s.Root, "order=published_date&order_direction=desc", "5 2 4 3 1"},
		{s.Root, "order=modified_date", "1 2 3 4 5"}, {s.Root, "order=modified_date&order_direction=asc", "5 4 3 2 1"},
		{s.Root, "page=2&page_size=2", "4 3"}, {s.Root, "limit=2&offset=3", "3 1"}, {s.Root, "page=3&page_size=3", ""},
		{s.Root, "status=1", "3 1"}, {s.Root, "status=2", "4"}, {s.Root, "status=3", "5 2"},
		{s.Root, "published_since=2020-01-05", "5"}, {s.Root, "published_since=2020-01-02", "5 2"}, {s.Root, "published_since=2020-01-02T00:00:01Z", "5"},
		{s.Root, "modified_since=2020-01-08", "2 1"}, {s.Root, "item_type=8", "4"}, {s.Root, "item_type=4", "5 2 3 1"}, {s.Root, "item_type=77", ""},
		{s.Root, "resource_doi=https://doi.org/10.9999/r", "4"}, {s.Root, "resource_doi=10.9999/x", ""},
		{s.Root, "group=2", "2 1"}, {s.Root, "group=3&status=3", "5"}, {s.Root, "group=0", "4"}, {s.Root, "group=99", ""},
		{s.Ada, "", "2 1"}, {s.Ada, "group=2", "2 1"}, {s.Ada, "group=3", ""}, {s.Ada, "group=0", ""}, {s.Ada, "limit=1&offset=1", "1"},
	} {
		if got := c.who.get(at + "?" + c.query).shown(); got != c.want {
			t.Errorf("%s shows %q, want %q", c.query, got, c.want)
		}
	}
	for query, status := range map[string]int{
		"order=created_date": 400, "order=": 400, "order_direction=up": 422, "published_since=x": 422, "modified_since=2020-13-01": 422, "status=0": 422, "status=4": 422,
		"status=x": 422, "item_type=x": 422, "group=x": 422, "page=0": 422, "page=1&limit=1": 422, "page_size=1001": 422, "page=5001": 400, "offset=5001": 400,
	} {
		s.Root.get(at+"?"+query).refuses(status, "")
	}
	first := s.Root.get(at + "?status=1&limit=1").list()[0]
	if first["url_private_api"] != s.URL+"/v2/account/articles/3" || first["published_date"] != nil {
		t.Errorf("an article of the list is %v", first)
	}
	s.Root.get("/v2/account/articles/1").refuses(404, "Article not found") // the list gives no more rights
}

// GET /v2/item_types: the list of all types is public.
func TestItemTypes(t *testing.T) {
	s := start(t)
	list := s.Anon.get("/v2/item_types?group_id=0").is(200).list()
	if len(list) < 25 || list[2]["name"] != "dataset" || list[2]["is_selectable"] != true || len(list[0]) != 7 {
		t.Errorf("%d types: %v", len(list), list[2])
	}
	for _, group := range []string{"abc", "-1", "1.5", "99999999999999999999"} {
		s.Anon.get("/v2/item_types?group_id="+group).refuses(422, "group_id")
	}
	if got := s.Anon.get("/v2/openapi.json").object()["info"].(map[string]any)["version"]; got != "2.0.0" { // the stated version
		t.Errorf("the description has the version %v", got)
	}
}

// GET and POST …/institution/accounts(/search): which accounts are listed, by which filters, to
// which callers; no other caller learns an e-mail address (security.md C20).
func TestAccountList(t *testing.T) {
	s, cyd := newInstitution(t)
	const at = "/v2/account/institution/accounts"
	s.account(cyd.id(), func(a *record.Account) { a.Disabled, a.InstitutionUserID = true, "U7" })
	for _, path := range []string{at, at + "/1", at + "/99", "/v2/account/institution/users/1", "/v2/account/institution/roles", "/v2/account/institution/roles/1"} {
		s.Anon.get(path).refuses(401, "")
		no := s.Ben.get(path).refuses(403, "Only administrators")
		if strings.Contains(string(no.body), "@") {
			t.Errorf("%s tells %s", path, no.body)
		}
	}
	s.Ben.send("POST", at+"/search", `{}`).refuses(403, "")
	s.Ben.send("POST", at+"/search", `{"is_active": "x"}`).refuses(403, "")
	for _, c := range []struct {
		who         client
		query, want string
	}{
		{s.Root, "", "1 2 3 4"}, {s.Root, "is_active=1", "1 2 3"}, {s.Root, "is_active=0", "4"}, {s.Root, "institution_user_id=U7", "4"},
		{s.Root, "institution_user_id=u7", ""}, {s.Root, "email=BEN@example.org", "2"}, {s.Root, "email=ben", ""}, {s.Root, "id_gte=2&id_lte=3", "2 3"},
		{s.Root, "page=2&page_size=3", "4"}, {s.Root, "limit=1&offset=1", "2"}, {s.Ada, "", "2"}, {s.Ada, "email=cyd@example.org", ""},
	} {
		if got := c.who.get(at + "?" + c.query).shown(); got != c.want {
			t.Errorf("%s lists %q, want %q", c.query, got, c.want)
		}
		body := asBody(c.query)
		if got := c.who.send("POST", at+"/search", body).shown(); got != c.want {
			t.Errorf("%s finds %q, want %q", body, got, c.want)
		}
	}
	for words, want := range map[string]string{"Cyd": "4", "tester BEN": "2", "example.org": "1 2 3 4", "nobody": "", "ester": "1 2 3 4"} {
		if got := s.Root.send("POST", at+"/search", fmt.Sprintf(`{"search_for": %q}`, words)).shown(); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
	for query, status := range map[string]int{"is_active=2": 422, "is_active=true": 422, "id_lte=x": 422, "page=0": 422, "page=5001": 422, "limit=1&page=1": 422} {
		s.Root.get(at+"?"+query).refuses(status, "")
	}
	s.Root.send("POST", at+"/search", `{"search_for": "ab"}`).refuses(422, "at least 3")
	short := s.Root.get(at + "?id_gte=4").list()[0]
	if short["email"] != "cyd@example.org" || short["active"] != 0.0 || short["institution_user_id"] != "U7" || short["user_id"] == nil || len(short) != 12 {
		t.Errorf("an account of the list is %v", short)
	}
}

// POST, GET and PUT …/institution/accounts, GET …/users: making, reading
// and changing accounts.
func TestAccountChange(t *testing.T) {
	s, cyd := newInstitution(t)
	const at = "/v2/account/institution/accounts"
	r := s.Root.send("POST", at, `{"email": " dee@example.org ", "first_name": "Dee", "last_name": "Vell", "group_id": 2, "institution_user_id": "D1", "quota": 5, "is_active": true}`).is(201)
	if string(r.body) != `{"account_id": 5}` || r.Header.Get("Location") != s.URL+at+"/5" {
		t.Errorf("created: %s, %s", r.body, r.Header.Get("Location"))
	}
	dee := s.Root.get(at + "/5").is(200).object()
	if dee["email"] != "dee@example.org" || dee["group_id"] != 2.0 || dee["quota"] != 5.0 || dee["active"] != 1.0 || dee["institution_user_id"] != "D1" || dee["institution_id"] != 1.0 {
		t.Errorf("the account is %v", dee)
	}
	user := s.Ada.get("/v2/account/institution/users/5").is(200).object()
	if user["id"] != dee["user_id"] || user["name"] != "Dee Vell" || user["url_name"] != "Dee_Vell" || user["is_active"] != true || user["is_public"] != false || len(user) != 9 {
		t.Errorf("the user is %v", user)
	}
	before := s.DB().Sequence()
	for body, field := range map[string]string{
		`{}`: "email", `{"email": "x@example.org"}`: "last_name", `{"email": "nonsense", "last_name": "X"}`: "email", `{"email": "A <a@example.org>", "last_name": "X"}`: "email",
		`{"email": "x@example.org", "last_name": " "}`: "last_name", `{"email": "DEE@example.org", "last_name": "X"}`: "belongs to another account",
		`{"email": "x@example.org", "last_name": "` + strings.Repeat("x", 256) + `"}`: "last_name", `{"email": "x@example.org", "last_name": "X", "institution_user_id": "` + strings.Repeat("x", 51) + `"}`: "institution_user_id",
		`{"email": "` + strings.Repeat("x", 145) + `@a.org", "last_name": "X"}`: "email", `{"email": "x@example.org", "last_name": "X", "quota": -1}`: "quota",
		`{"email": "x@example.org", "last_name": "X", "is_active": 1}`: "is_active", `{"email": "x@example.org", "last_name": "X", "group_id": "2"}`: "group_id",
		`{"email": "x@example.org", "first_name": "` + strings.Repeat("x", 200) + `", "last_name": "` + strings.Repeat("x", 100) + `"}`: "together",
	} {
		s.Root.send("POST", at, body).refuses(422, field)
	}
	for _, group := range []int{3, 0, 99, -1} { // not Ada's, or none at all
		s.Ada.send("POST", at, fmt.Sprintf(`{"email": "x@example.org", "last_name": "X", "group_id": %d}`, group)).refuses(403, "does not administer that group")
	}
	s.Ben.send("POST", at, `{"email": 7}`).refuses(403, "")
	for _, id := range []int64{s.Root.id(), cyd.id(), 99} {
		one := s.Ada.get(fmt.Sprintf("%s/%d", at, id)).refuses(404, "Account not found")
		if two := s.Ada.get(at + "/4242"); string(two.body) != string(one.body) {
			t.Errorf("somebody else's account answers %s, an unknown one %s", one.body, two.body)
		}
		s.Ada.send("PUT", fmt.Sprintf("%s/%d", at, id), `{"is_active": false}`).refuses(404, "")
		s.Ada.get(fmt.Sprintf("/v2/account/institution/users/%d", id)).refuses(404, "")
	}
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
	ben := fmt.Sprintf("%s/%d", at, s.Ben.id())
	s.Ada.send("PUT", ben, `{"group_id": 3}`).refuses(403, "")
	s.Ada.send("PUT", ben, `{"group_id": 0}`).refuses(403, "")
	s.account(s.Root.id(), func(a *record.Account) { a.GroupID = 1 })
	s.Ada.send("PUT", fmt.Sprintf("%s/%d", at, s.Root.id()), `{"is_active": false}`).refuses(403, "administers more")
	s.Ada.send("PUT", fmt.Sprintf("%s/%d", at, s.Root.id()), `{"is_active": "x"}`).refuses(403, "administers more")
	s.Root.send("PUT", fmt.Sprintf("%s/%d", at, s.Root.id()), `{"is_active": false}`).refuses(403, "disable the account in use")
	s.account(cyd.id(), func(a *record.Account) { a.GroupID = 2 })
	s.role(cyd, 3, "administrator")
	s.Ada.send("PUT", fmt.Sprintf("%s/%d", at, cyd.id()), `{"is_active": false}`).refuses(403, "administers more")
	r = s.Ada.send("PUT", ben, `{"group_id": 1, "is_active": false}`).is(205)
	if r.Header.Get("Location") != s.URL+ben {
		t.Errorf("Location %s", r.Header.Get("Location"))
	}
	// A disabled account is out at the next request.
	s.Ben.get("/v2/account").refuses(401, "")
	if got := s.Root.get(ben).object(); got["active"] != 0.0 || got["group_id"] != 1.0 {
		t.Errorf("after the change: %v", got)
	}
	s.Root.send("PUT", ben, `{"is_active": true}`).is(205)
	s.Ben.get("/v2/account").is(200)
	s.Root.send("PUT", ben, `{"group_id": 0}`).is(205)
	s.Ada.get(ben).refuses(404, "")
}

// …/institution/roles: the catalogue, and granting and taking away.
func TestRoles(t *testing.T) {
	s, cyd := newInstitution(t)
	const at = "/v2/account/institution/roles"
	if got := s.Ada.get(at).is(200).list(); len(got) != 2 || got[0]["name"] != "Administrator" || got[0]["category"] != "group" || len(got[0]) != 4 {
		t.Errorf("the catalogue is %v", got)
	}
	ben := fmt.Sprintf("%s/%d", at, s.Ben.id())
	if got := string(s.Ada.get(ben).is(200).body); got != `{}` {
		t.Errorf("Ben begins with %s", got)
	}
	before := s.DB().Sequence()
	for body, status := range map[string]int{
		`{}`: 422, `{"x": [1]}`: 422, `{"01": [1]}`: 422, `{"-1": [1]}`: 422, `{"1": 1}`: 422, `{"1": []}`: 422, `{"1": [9]}`: 422, `{"1": ["1"]}`: 422, `{"1": [1.0]}`: 422,
		`{"1": null}`: 422, `{"3": [1]}`: 403, `{"99": [1]}`: 403, `{"1": [1], "3": [1]}`: 403,
	} {
		s.Ada.send("POST", ben, body).refuses(status, "")
	}
	s.Ben.send("POST", ben, `{"1": [1]}`).refuses(403, "")
	s.Ada.send("POST", fmt.Sprintf("%s/%d", at, cyd.id()), `{"1": [1]}`).refuses(404, "Account not found")
	if s.DB().Sequence() != before {
		t.Error("a refusal changed the store")
	}
	if r := s.Ada.send("POST", ben, `{"2": [2, 1, 2], "1": [2]}`).is(201); r.Header.Get("Location") != s.URL+ben {
		t.Errorf("Location %s", r.Header.Get("Location"))
	}
	s.Ada.send("POST", ben, `{"2": [1]}`).is(201)
	want := `{"1": [{"category": "group", "id": 2, "name": "Reviewer"}], "2": [{"category": "group", "id": 1, "name": "Administrator"}, {"category": "group", "id": 2, "name": "Reviewer"}]}`
	if got := string(s.Ada.get(ben).body); got != want {
		t.Errorf("the roles are %s", got)
	}
	if got := s.Ben.get("/v2/account/institution/groups").shown(); got != "2" {
		t.Errorf("Ben administers %q", got)
	}
	s.Root.send("POST", ben, `{"3": [1]}`).is(201)
	if got := string(s.Ada.get(ben).body); got != want {
		t.Errorf("Ada sees the roles %s of groups that are not hers", got)
	}
	for _, path := range []string{"/3/1", "/99/1", "/1/1", "/2/9"} {
		s.Ada.do("DELETE", ben+path, nil).refuses(404, "Role not found")
	}
	s.Ada.do("DELETE", ben+"/2/1", nil).is(204)
	s.Ada.do("DELETE", ben+"/2/1", nil).refuses(404, "")
	s.Ada.do("DELETE", ben+"/2/2", nil).is(204)
	s.Root.do("DELETE", ben+"/3/1", nil).is(204)
	if got := string(s.Root.get(ben).body); got != `{"1": [{"category": "group", "id": 2, "name": "Reviewer"}]}` {
		t.Errorf("left: %s", got)
	}
	s.Ben.get("/v2/account/institution/articles").refuses(403, "")
}

// Groups form a tree: none is put below itself, and none with something in it is removed.
func TestGroupTree(t *testing.T) {
	s, _ := newInstitution(t)
	ctx := context.Background()
	change := func(id, parent int64) error {
		_, err := handlers.StoreGroup(ctx, s.DB(), handlers.GroupEdit{ID: id, ParentID: &parent})
		return err
	}
	for _, c := range [][2]int64{{1, 1}, {1, 2}, {1, 99}, {99, 0}, {2, -1}} {
		if change(c[0], c[1]) == nil {
			t.Errorf("group %d was put below %d", c[0], c[1])
		}
	}
	if err := change(2, 3); err != nil {
		t.Error(err)
	}
	if got := s.Ada.get("/v2/account/institution/groups").shown(); got != "1" {
		t.Errorf("after the department has moved Ada administers %q", got)
	}
	s.Ben.article(`{"title": "In the department"}`)
	remove := func(id int64) string {
		if err := handlers.RemoveGroup(ctx, s.DB(), id); err != nil {
			return err.Error()
		}
		return ""
	}
	for id, want := range map[int64]string{3: "groups below it", 2: "accounts", 99: "cannot find"} {
		if got := remove(id); !strings.Contains(got, want) {
			t.Errorf("removing group %d: %q, want %q", id, got, want)
		}
	}
	s.account(s.Ben.id(), func(a *record.Account) { a.GroupID = 0 })
	if got := remove(2); !strings.Contains(got, "articles") {
		t.Errorf("removing a group with articles: %q", got)
	}
	if got := remove(1); got != "" {
		t.Error(got)
	}
	s.Ada.get("/v2/account/institution/accounts").refuses(403, "") // the role went with the group
	blank := " "
	if _, err := handlers.StoreGroup(ctx, s.DB(), handlers.GroupEdit{Name: &blank}); err == nil {
		t.Error("a group without a name was stored")
	}
}

// Ending an account or a token takes effect on the next request, without a restart (security.md
// B11).
func TestAccountEnds(t *testing.T) {
	s := start(t)
	ctx := context.Background()
	edit := func(e handlers.AccountEdit) {
		t.Helper()
		e.Account = "ben@example.org"
		if _, err := handlers.ChangeAccount(ctx, s.DB(), e); err != nil {
			t.Fatal(err)
		}
	}
	past, never, yes, no := time.Now().Add(-time.Minute), time.Time{}, true, false
	for _, end := range []struct{ out, in handlers.AccountEdit }{
		{handlers.AccountEdit{Disabled: &yes}, handlers.AccountEdit{Disabled: &no}}, {handlers.AccountEdit{Expires: &past}, handlers.AccountEdit{Expires: &never}},
	} {
		s.Ben.get("/v2/account").is(200)
		edit(end.out)
		s.Ben.get("/v2/account").refuses(401, "")
		edit(end.in)
	}
	second, err := handlers.AddToken(ctx, s.DB(), "ben@example.org", "second")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := handlers.ListTokens(s.DB(), "ben@example.org")
	if err != nil || len(lines) != 2 {
		t.Fatal(lines, err)
	}
	i := slices.IndexFunc(lines, func(l handlers.TokenLine) bool { return l.Name == "second" })
	if strings.Contains(second, lines[i].ID) || !strings.HasPrefix(handlers.TokenKey(second), lines[i].ID) {
		t.Errorf("the id of a token is %s", lines[i].ID)
	}
	other := client{s, second}
	other.get("/v2/account").is(200)
	if n, err := handlers.RevokeTokens(ctx, s.DB(), handlers.TokenEnd{Account: "ben@example.org", ID: lines[i].ID}); n != 1 || err != nil {
		t.Error(n, err)
	}
	other.get("/v2/account").refuses(401, "")
	s.Ben.get("/v2/account").is(200)
	if n, err := handlers.RevokeTokens(ctx, s.DB(), handlers.TokenEnd{Account: "ben@example.org"}); n != 1 || err != nil {
		t.Error(n, err)
	}
	s.Ben.get("/v2/account").refuses(401, "")
	s.Ada.get("/v2/account").is(200)
}
