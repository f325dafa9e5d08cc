package people

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/auth"
	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/cli/operate"
	"alcove/record"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// GET /v2/account/institution: name and domain are the configured ones; an
// account of another institution, or of none, is told nothing of it.
func TestInstitutionRead(t *testing.T) {
	s, _ := stage.NewInstitution(t)
	s.Enter()
	if got := string(s.Ben.Get("/v2/account/institution").Is(200).Bytes); got != `{"id": 1, "name": "Vell College", "domain": "vell.example"}` {
		t.Errorf("the institution is %s", got)
	}
	s.Anon.Get("/v2/account/institution").Refuses(401, "")
	for _, id := range []int64{0, 2} {
		s.Account(s.Ben.ID(), func(a *record.Account) { a.InstitutionID = id })
		s.Ben.Get("/v2/account/institution").Refuses(404, "Institution not found")
	}
	plain := world.StartWithin(t)
	if got := string(plain.Ada.Get("/v2/account/institution").Is(200).Bytes); got != `{"id": 1, "name": "Alcove", "domain": null}` {
		t.Errorf("without settings the institution is %s", got)
	}
}

// GET /v2/account/institution/groups: those assigned and inherited; the whole
// tree for administrators of the institution; [] for all others, reviewers too.
func TestInstitutionGroups(t *testing.T) {
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	s.Role(cyd, 3, "reviewer")
	for who, want := range map[string]struct {
		world.Client
		ids string
	}{"Ada": {s.Ada, "1 2"}, "Ben": {s.Ben, ""}, "Cyd": {cyd, ""}, "Root": {s.Root, "1 2 3"}} {
		if got := want.Get("/v2/account/institution/groups").Shown(); got != want.ids {
			t.Errorf("%s administers %q, want %q", who, got, want.ids)
		}
	}
	g := s.Ada.Get("/v2/account/institution/groups").List()[1]
	if g["name"] != "Limnology" || g["parent_id"] != 1.0 || g["resource_id"] != nil || g["association_criteria"] != nil || g["upload_access"] != "All Users" || len(g) != 6 {
		t.Errorf("a group is %v", g)
	}
	deep := int64(2)
	for n := range 30 {
		deep = s.Group(fmt.Sprintf("Below %d", n), deep)
	}
	if got := s.Ada.Get("/v2/account/institution/groups").List(); len(got) != 32 {
		t.Errorf("Ada administers %d groups of the deep tree, want 32", len(got))
	}
	// An administrator of another institution sees nothing of this one (security.md A12).
	s.Account(s.Root.ID(), func(a *record.Account) { a.InstitutionID = 2 })
	for _, path := range []string{"groups", "articles", "accounts"} {
		if got := s.Root.Get("/v2/account/institution/" + path).Shown(); strings.Contains(strings.Replace(got, fmt.Sprint(s.Root.ID()), "", 1), " ") || path != "accounts" && got != "" {
			t.Errorf("an administrator of another institution sees the %s %s", path, got)
		}
	}
	s.Root.Get(fmt.Sprintf("/v2/account/institution/accounts/%d", s.Ben.ID())).Refuses(404, "Account not found")
}

// GET /v2/account/institution/articles: its readers, contents, order and filters.
func TestInstitutionArticles(t *testing.T) {
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	const at = "/v2/account/institution/articles"
	s.Anon.Get(at).Refuses(401, "")
	for _, who := range []world.Client{s.Ben, cyd} {
		who.Get(at).Refuses(403, "Only administrators")
		who.Get(at+"?page=x").Refuses(403, "")
	}
	s.Ben.Article(`{"title": "Draft of Ben"}`)                                                                       // 1, group 2
	s.Ben.Published("Public of Ben")                                                                                 // 2, group 2
	cyd.Article(`{"title": "Draft of Cyd"}`)                                                                         // 3, group 3
	private := s.Root.Article(`{"title": "Private of Root", "defined_type": "thesis", "resource_doi": "10.9999/R"}`) // 4, no group
	s.Root.Send("PATCH", private, `{}`).Is(205)
	cyd.Published("Public of Cyd") // 5, group 3
	s.Alter(func(tx *bucket.Tx) error {
		for id := int64(1); id <= 5; id++ {
			art, err := working.Articles.Get(tx, id)
			if err != nil {
				return err
			}
			art.Modified = world.Day(10-int(id), 0)
			if art.Published != nil {
				p := world.Day(int(id), 0)
				art.Published = &p
			}
			if err := working.Articles.Put(tx, id, art); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		who   world.Client
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
		if got := c.who.Get(at + "?" + c.query).Shown(); got != c.want {
			t.Errorf("%s shows %q, want %q", c.query, got, c.want)
		}
	}
	for query, status := range map[string]int{
		"order=created_date": 400, "order=": 400, "order_direction=up": 422, "published_since=x": 422, "modified_since=2020-13-01": 422, "status=0": 422, "status=4": 422,
		"status=x": 422, "item_type=x": 422, "group=x": 422, "page=0": 422, "page=1&limit=1": 422, "page_size=1001": 422, "page=5001": 400, "offset=5001": 400,
	} {
		s.Root.Get(at+"?"+query).Refuses(status, "")
	}
	first := s.Root.Get(at + "?status=1&limit=1").List()[0]
	if first["url_private_api"] != s.URL+"/v2/account/articles/3" || first["published_date"] != nil {
		t.Errorf("an article of the list is %v", first)
	}
	s.Root.Get("/v2/account/articles/1").Refuses(404, "Article not found") // the list gives no more rights
}

// GET /v2/item_types: the list of all types is public.
func TestItemTypes(t *testing.T) {
	s := world.Start(t)
	list := s.Anon.Get("/v2/item_types?group_id=0").Is(200).List()
	if len(list) < 25 || list[2]["name"] != "dataset" || list[2]["is_selectable"] != true || len(list[0]) != 7 {
		t.Errorf("%d types: %v", len(list), list[2])
	}
	for _, group := range []string{"abc", "-1", "1.5", "99999999999999999999"} {
		s.Anon.Get("/v2/item_types?group_id="+group).Refuses(422, "group_id")
	}
	if got := s.Anon.Get("/v2/openapi.json").Object()["info"].(map[string]any)["version"]; got != "2.0.0" { // the stated version
		t.Errorf("the description has the version %v", got)
	}
}

// GET and POST …/institution/accounts(/search): which accounts are listed, by which filters, to
// which callers; no other caller learns an e-mail address (security.md C20).
func TestAccountList(t *testing.T) {
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	const at = "/v2/account/institution/accounts"
	s.Account(cyd.ID(), func(a *record.Account) { a.Disabled, a.InstitutionUserID = true, "U7" })
	for _, path := range []string{at, at + "/1", at + "/99", "/v2/account/institution/users/1", "/v2/account/institution/roles", "/v2/account/institution/roles/1"} {
		s.Anon.Get(path).Refuses(401, "")
		no := s.Ben.Get(path).Refuses(403, "Only administrators")
		if strings.Contains(string(no.Bytes), "@") {
			t.Errorf("%s tells %s", path, no.Bytes)
		}
	}
	s.Ben.Send("POST", at+"/search", `{}`).Refuses(403, "")
	s.Ben.Send("POST", at+"/search", `{"is_active": "x"}`).Refuses(403, "")
	for _, c := range []struct {
		who         world.Client
		query, want string
	}{
		{s.Root, "", "1 2 3 4"}, {s.Root, "is_active=1", "1 2 3"}, {s.Root, "is_active=0", "4"}, {s.Root, "institution_user_id=U7", "4"},
		{s.Root, "institution_user_id=u7", ""}, {s.Root, "email=BEN@example.org", "2"}, {s.Root, "email=ben", ""}, {s.Root, "id_gte=2&id_lte=3", "2 3"},
		{s.Root, "page=2&page_size=3", "4"}, {s.Root, "limit=1&offset=1", "2"}, {s.Ada, "", "2"}, {s.Ada, "email=cyd@example.org", ""},
	} {
		if got := c.who.Get(at + "?" + c.query).Shown(); got != c.want {
			t.Errorf("%s lists %q, want %q", c.query, got, c.want)
		}
		body := world.AsBody(c.query)
		if got := c.who.Send("POST", at+"/search", body).Shown(); got != c.want {
			t.Errorf("%s finds %q, want %q", body, got, c.want)
		}
	}
	for words, want := range map[string]string{"Cyd": "4", "tester BEN": "2", "example.org": "1 2 3 4", "nobody": "", "ester": "1 2 3 4"} {
		if got := s.Root.Send("POST", at+"/search", fmt.Sprintf(`{"search_for": %q}`, words)).Shown(); got != want {
			t.Errorf("%q finds %q, want %q", words, got, want)
		}
	}
	for query, status := range map[string]int{"is_active=2": 422, "is_active=true": 422, "id_lte=x": 422, "page=0": 422, "page=5001": 422, "limit=1&page=1": 422} {
		s.Root.Get(at+"?"+query).Refuses(status, "")
	}
	s.Root.Send("POST", at+"/search", `{"search_for": "ab"}`).Refuses(422, "at least 3")
	short := s.Root.Get(at + "?id_gte=4").List()[0]
	if short["email"] != "cyd@example.org" || short["active"] != 0.0 || short["institution_user_id"] != "U7" || short["user_id"] == nil || len(short) != 12 {
		t.Errorf("an account of the list is %v", short)
	}
}

// POST, GET and PUT …/institution/accounts, GET …/users: making, reading
// and changing accounts.
func TestAccountChange(t *testing.T) {
	s, cyd := stage.NewInstitution(t)
	s.Enter()
	const at = "/v2/account/institution/accounts"
	r := s.Root.Send("POST", at, `{"email": " dee@example.org ", "first_name": "Dee", "last_name": "Vell", "group_id": 2, "institution_user_id": "D1", "quota": 5, "is_active": true}`).Is(201)
	if string(r.Bytes) != `{"account_id": 5}` || r.Header.Get("Location") != s.URL+at+"/5" {
		t.Errorf("created: %s, %s", r.Bytes, r.Header.Get("Location"))
	}
	dee := s.Root.Get(at + "/5").Is(200).Object()
	if dee["email"] != "dee@example.org" || dee["group_id"] != 2.0 || dee["quota"] != 5.0 || dee["active"] != 1.0 || dee["institution_user_id"] != "D1" || dee["institution_id"] != 1.0 {
		t.Errorf("the account is %v", dee)
	}
	user := s.Ada.Get("/v2/account/institution/users/5").Is(200).Object()
	if user["id"] != dee["user_id"] || user["name"] != "Dee Vell" || user["url_name"] != "Dee_Vell" || user["is_active"] != true || user["is_public"] != false || len(user) != 9 {
		t.Errorf("the user is %v", user)
	}
	before := s.Sequence()
	for body, field := range map[string]string{
		`{}`: "email", `{"email": "x@example.org"}`: "last_name", `{"email": "nonsense", "last_name": "X"}`: "email", `{"email": "A <a@example.org>", "last_name": "X"}`: "email",
		`{"email": "x@example.org", "last_name": " "}`: "last_name", `{"email": "DEE@example.org", "last_name": "X"}`: "belongs to another account",
		`{"email": "x@example.org", "last_name": "` + strings.Repeat("x", 256) + `"}`: "last_name", `{"email": "x@example.org", "last_name": "X", "institution_user_id": "` + strings.Repeat("x", 51) + `"}`: "institution_user_id",
		`{"email": "` + strings.Repeat("x", 145) + `@a.org", "last_name": "X"}`: "email", `{"email": "x@example.org", "last_name": "X", "quota": -1}`: "quota",
		`{"email": "x@example.org", "last_name": "X", "is_active": 1}`: "is_active", `{"email": "x@example.org", "last_name": "X", "group_id": "2"}`: "group_id",
		`{"email": "x@example.org", "first_name": "` + strings.Repeat("x", 200) + `", "last_name": "` + strings.Repeat("x", 100) + `"}`: "together",
	} {
		s.Root.Send("POST", at, body).Refuses(422, field)
	}
	for _, group := range []int{3, 0, 99, -1} { // not Ada's, or none at all
		s.Ada.Send("POST", at, fmt.Sprintf(`{"email": "x@example.org", "last_name": "X", "group_id": %d}`, group)).Refuses(403, "does not administer that group")
	}
	s.Ben.Send("POST", at, `{"email": 7}`).Refuses(403, "")
	for _, id := range []int64{s.Root.ID(), cyd.ID(), 99} {
		one := s.Ada.Get(fmt.Sprintf("%s/%d", at, id)).Refuses(404, "Account not found")
		if two := s.Ada.Get(at + "/4242"); string(two.Bytes) != string(one.Bytes) {
			t.Errorf("somebody else's account answers %s, an unknown one %s", one.Bytes, two.Bytes)
		}
		s.Ada.Send("PUT", fmt.Sprintf("%s/%d", at, id), `{"is_active": false}`).Refuses(404, "")
		s.Ada.Get(fmt.Sprintf("/v2/account/institution/users/%d", id)).Refuses(404, "")
	}
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	ben := fmt.Sprintf("%s/%d", at, s.Ben.ID())
	s.Ada.Send("PUT", ben, `{"group_id": 3}`).Refuses(403, "")
	s.Ada.Send("PUT", ben, `{"group_id": 0}`).Refuses(403, "")
	s.Account(s.Root.ID(), func(a *record.Account) { a.GroupID = 1 })
	s.Ada.Send("PUT", fmt.Sprintf("%s/%d", at, s.Root.ID()), `{"is_active": false}`).Refuses(403, "administers more")
	s.Ada.Send("PUT", fmt.Sprintf("%s/%d", at, s.Root.ID()), `{"is_active": "x"}`).Refuses(403, "administers more")
	s.Root.Send("PUT", fmt.Sprintf("%s/%d", at, s.Root.ID()), `{"is_active": false}`).Refuses(403, "disable the account in use")
	s.Account(cyd.ID(), func(a *record.Account) { a.GroupID = 2 })
	s.Role(cyd, 3, "administrator")
	s.Ada.Send("PUT", fmt.Sprintf("%s/%d", at, cyd.ID()), `{"is_active": false}`).Refuses(403, "administers more")
	r = s.Ada.Send("PUT", ben, `{"group_id": 1, "is_active": false}`).Is(205)
	if r.Header.Get("Location") != s.URL+ben {
		t.Errorf("Location %s", r.Header.Get("Location"))
	}
	// A disabled account is out at the next request.
	s.Ben.Get("/v2/account").Refuses(401, "")
	if got := s.Root.Get(ben).Object(); got["active"] != 0.0 || got["group_id"] != 1.0 {
		t.Errorf("after the change: %v", got)
	}
	s.Root.Send("PUT", ben, `{"is_active": true}`).Is(205)
	s.Ben.Get("/v2/account").Is(200)
	s.Root.Send("PUT", ben, `{"group_id": 0}`).Is(205)
	s.Ada.Get(ben).Refuses(404, "")
}

// …/institution/roles: the catalogue, and granting and taking away.
func TestRoles(t *testing.T) {
	s, cyd := stage.NewInstitution(t)
	const at = "/v2/account/institution/roles"
	if got := s.Ada.Get(at).Is(200).List(); len(got) != 2 || got[0]["name"] != "Administrator" || got[0]["category"] != "group" || len(got[0]) != 4 {
		t.Errorf("the catalogue is %v", got)
	}
	ben := fmt.Sprintf("%s/%d", at, s.Ben.ID())
	if got := string(s.Ada.Get(ben).Is(200).Bytes); got != `{}` {
		t.Errorf("Ben begins with %s", got)
	}
	before := s.Sequence()
	for body, status := range map[string]int{
		`{}`: 422, `{"x": [1]}`: 422, `{"01": [1]}`: 422, `{"-1": [1]}`: 422, `{"1": 1}`: 422, `{"1": []}`: 422, `{"1": [9]}`: 422, `{"1": ["1"]}`: 422, `{"1": [1.0]}`: 422,
		`{"1": null}`: 422, `{"3": [1]}`: 403, `{"99": [1]}`: 403, `{"1": [1], "3": [1]}`: 403,
	} {
		s.Ada.Send("POST", ben, body).Refuses(status, "")
	}
	s.Ben.Send("POST", ben, `{"1": [1]}`).Refuses(403, "")
	s.Ada.Send("POST", fmt.Sprintf("%s/%d", at, cyd.ID()), `{"1": [1]}`).Refuses(404, "Account not found")
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
	if r := s.Ada.Send("POST", ben, `{"2": [2, 1, 2], "1": [2]}`).Is(201); r.Header.Get("Location") != s.URL+ben {
		t.Errorf("Location %s", r.Header.Get("Location"))
	}
	s.Ada.Send("POST", ben, `{"2": [1]}`).Is(201)
	want := `{"1": [{"category": "group", "id": 2, "name": "Reviewer"}], "2": [{"category": "group", "id": 1, "name": "Administrator"}, {"category": "group", "id": 2, "name": "Reviewer"}]}`
	if got := string(s.Ada.Get(ben).Bytes); got != want {
		t.Errorf("the roles are %s", got)
	}
	if got := s.Ben.Get("/v2/account/institution/groups").Shown(); got != "2" {
		t.Errorf("Ben administers %q", got)
	}
	s.Root.Send("POST", ben, `{"3": [1]}`).Is(201)
	if got := string(s.Ada.Get(ben).Bytes); got != want {
		t.Errorf("Ada sees the roles %s of groups that are not hers", got)
	}
	for _, path := range []string{"/3/1", "/99/1", "/1/1", "/2/9"} {
		s.Ada.Do("DELETE", ben+path, nil).Refuses(404, "Role not found")
	}
	s.Ada.Do("DELETE", ben+"/2/1", nil).Is(204)
	s.Ada.Do("DELETE", ben+"/2/1", nil).Refuses(404, "")
	s.Ada.Do("DELETE", ben+"/2/2", nil).Is(204)
	s.Root.Do("DELETE", ben+"/3/1", nil).Is(204)
	if got := string(s.Root.Get(ben).Bytes); got != `{"1": [{"category": "group", "id": 2, "name": "Reviewer"}]}` {
		t.Errorf("left: %s", got)
	}
	s.Ben.Get("/v2/account/institution/articles").Refuses(403, "")
}

// Groups form a tree: none is put below itself, and none with something in it is removed.
func TestGroupTree(t *testing.T) {
	s, _ := stage.NewInstitution(t)
	s.Enter()
	ctx := context.Background()
	change := func(id, parent int64) error {
		_, err := operate.StoreGroup(ctx, s.DB(), operate.GroupEdit{ID: id, ParentID: &parent})
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
	if got := s.Ada.Get("/v2/account/institution/groups").Shown(); got != "1" {
		t.Errorf("after the department has moved Ada administers %q", got)
	}
	s.Ben.Article(`{"title": "In the department"}`)
	remove := func(id int64) string {
		if err := operate.RemoveGroup(ctx, s.DB(), id); err != nil {
			return err.Error()
		}
		return ""
	}
	for id, want := range map[int64]string{3: "groups below it", 2: "accounts", 99: "cannot find"} {
		if got := remove(id); !strings.Contains(got, want) {
			t.Errorf("removing group %d: %q, want %q", id, got, want)
		}
	}
	s.Account(s.Ben.ID(), func(a *record.Account) { a.GroupID = 0 })
	if got := remove(2); !strings.Contains(got, "articles") {
		t.Errorf("removing a group with articles: %q", got)
	}
	if got := remove(1); got != "" {
		t.Error(got)
	}
	s.Ada.Get("/v2/account/institution/accounts").Refuses(403, "") // the role went with the group
	blank := " "
	if _, err := operate.StoreGroup(ctx, s.DB(), operate.GroupEdit{Name: &blank}); err == nil {
		t.Error("a group without a name was stored")
	}
}

// Ending an account or a token takes effect on the next request, without a restart (security.md
// B11).
func TestAccountEnds(t *testing.T) {
	s := world.StartWithin(t)
	ctx := context.Background()
	edit := func(e operate.AccountEdit) {
		t.Helper()
		e.Account = "ben@example.org"
		if _, err := operate.ChangeAccount(ctx, s.DB(), e, false); err != nil {
			t.Fatal(err)
		}
	}
	past, never, yes, no := time.Now().Add(-time.Minute), time.Time{}, true, false
	for _, end := range []struct{ out, in operate.AccountEdit }{
		{operate.AccountEdit{Disabled: &yes}, operate.AccountEdit{Disabled: &no}}, {operate.AccountEdit{Expires: &past}, operate.AccountEdit{Expires: &never}},
	} {
		s.Ben.Get("/v2/account").Is(200)
		edit(end.out)
		s.Ben.Get("/v2/account").Refuses(401, "")
		edit(end.in)
	}
	second, err := operate.AddToken(ctx, s.DB(), "ben@example.org", "second")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := operate.ListTokens(s.DB(), "ben@example.org")
	if err != nil || len(lines) != 2 {
		t.Fatal(lines, err)
	}
	i := slices.IndexFunc(lines, func(l operate.TokenLine) bool { return l.Name == "second" })
	if strings.Contains(second, lines[i].ID) || !strings.HasPrefix(auth.TokenKey(second), lines[i].ID) {
		t.Errorf("the id of a token is %s", lines[i].ID)
	}
	other := world.Client{Server: s, Token: second}
	other.Get("/v2/account").Is(200)
	if n, err := operate.RevokeTokens(ctx, s.DB(), operate.TokenEnd{Account: "ben@example.org", ID: lines[i].ID}); n != 1 || err != nil {
		t.Error(n, err)
	}
	other.Get("/v2/account").Refuses(401, "")
	s.Ben.Get("/v2/account").Is(200)
	if n, err := operate.RevokeTokens(ctx, s.DB(), operate.TokenEnd{Account: "ben@example.org"}); n != 1 || err != nil {
		t.Error(n, err)
	}
	s.Ben.Get("/v2/account").Refuses(401, "")
	s.Ada.Get("/v2/account").Is(200)
}
