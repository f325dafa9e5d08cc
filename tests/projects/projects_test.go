package projects

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/bucket/users"
	"alcove/bucket/working"
	"alcove/config"
	"alcove/record"
	"alcove/tests/world"
)

// A project is made, changed, published and read; it has no versions, so a public one shows every
// change at once.
func TestProjectLife(t *testing.T) {
	s := world.Start(t)
	r := s.Ada.Send("POST", "/v2/account/projects", `{"title": "Rivers & seas", "description": "<p>Æ</p>", "funding": "Grant 7", "custom_fields": {"Depth": 1.50}}`).Is(201)
	at := r.Header.Get("Location")
	if want := `{"entity_id": 1, "location": "` + s.URL + `/v2/account/projects/1"}`; string(r.Bytes) != want || at != s.URL+"/v2/account/projects/1" {
		t.Errorf("create answered %s, Location %s", r.Bytes, at)
	}
	own := s.Ada.Get(at).Is(200).Object()
	for key, want := range map[string]any{
		"id": 1.0, "title": "Rivers & seas", "description": "<p>Æ</p>", "funding": "Grant 7", "url": at, "role": "Owner", "storage": "individual",
		"published_date": nil, "figshare_url": nil, "group_id": nil, "account_id": 1.0, "quota": 0.0, "used_quota": 0.0, "used_quota_private": 0.0, "used_quota_public": 0.0,
	} {
		if got, ok := own[key]; !ok || got != want {
			t.Errorf("own %s is %v (present: %v), want %v", key, got, ok, want)
		}
	}
	if got := fmt.Sprint(own["collaborators"]); got != fmt.Sprintf("[map[name:Ada Tester role_name:Owner user_id:%d]]", s.Ada.UserID()) {
		t.Errorf("collaborators %s", got)
	}
	if body := s.Ada.Get(at).Bytes; !bytes.Contains(body, []byte(`"value": 1.50`)) || !bytes.Contains(body, []byte(`"funding_list": []`)) {
		t.Errorf("detail %s", body)
	}
	s.Anon.Get("/v2/projects/1").Refuses(404, "Project not found")
	if got := s.Anon.Get("/v2/projects").Shown() + s.Anon.Do("POST", "/v2/projects/search", nil).Shown(); got != "" {
		t.Errorf("a private project is listed: %s", got)
	}

	r = s.Ada.Send("PUT", at, `{"description": "New"}`).Is(205)
	if r.Header.Get("Location") != at {
		t.Errorf("PUT: Location %q", r.Header.Get("Location"))
	}
	s.Ada.Send("PATCH", at, `{"title": "Rivers", "group_id": 9}`).Is(205)
	if own = s.Ada.Get(at).Object(); own["title"] != "Rivers" || own["description"] != "New" || own["funding"] != "Grant 7" || own["group_id"] != nil {
		t.Errorf("after the updates: %v", own)
	}

	r = s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if string(r.Bytes) != `{"message": "Project 1 has been published"}` || r.Header.Get("Location") != s.URL+"/v2/projects/1" {
		t.Errorf("publish answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
	}
	public := s.Anon.Get("/v2/projects/1").Is(200)
	for key, want := range map[string]any{
		"title": "Rivers", "url": s.URL + "/v2/projects/1", "figshare_url": s.URL + "/projects/Rivers/1", "description": "New", "funding": "Grant 7",
	} {
		if got := public.Object()[key]; got != want {
			t.Errorf("public %s is %v, want %v", key, got, want)
		}
	}
	for _, key := range []string{"account_id", "role", "storage", "quota", "group_id"} {
		if _, leaked := public.Object()[key]; leaked {
			t.Errorf("the public form has %s", key)
		}
	}
	since := s.Ada.Get(at).Object()["published_date"]
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Send("PUT", at, `{"title": "Rivers once more"}`).Is(205)
	if got := s.Anon.Get("/v2/projects/1").Object(); got["title"] != "Rivers once more" || got["published_date"] != since {
		t.Errorf("after an update: %v", got)
	}
	s.Ada.Do("DELETE", at, nil).Refuses(403, "public")

	for path, want := range map[string]string{
		"/v2/projects":           "id title url created_date published_date modified_date",
		"/v2/account/projects":   "role storage id title url created_date published_date modified_date",
		"/v2/projects/1":         "description funding funding_list collaborators figshare_url custom_fields id title url created_date published_date modified_date",
		"/v2/account/projects/1": "account_id group_id quota used_quota used_quota_private used_quota_public description funding funding_list collaborators figshare_url custom_fields role storage id title url created_date published_date modified_date",
	} {
		if got := strings.Join(topKeys(t, s.Ada.Get(path).Is(200).Bytes), " "); got != want {
			t.Errorf("%s has the keys %s", path, got)
		}
	}
}

// topKeys are the keys of an object, or of the first object of a list, in order.
func topKeys(t *testing.T, body []byte) (keys []string) {
	t.Helper()
	depth, inString, start := 0, false, 0
	base := 1
	if bytes.HasPrefix(body, []byte("[")) {
		base = 2
	}
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			if inString = !inString; inString {
				start = i + 1
			} else if depth == base && i+1 < len(body) && body[i+1] == ':' {
				keys = append(keys, string(body[start:i]))
			}
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < base {
				return keys
			}
		}
	}
	return keys
}

// The keys that the body of a project must and may hold.
func TestProjectBodyRules(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Project("Base project")
	for _, c := range []struct {
		method, body string
		status       int
		message      string
	}{
		{"POST", `{}`, 422, "title is required"},
		{"POST", `{"title": null}`, 422, "title"},
		{"POST", `{"title": "ab"}`, 422, "at least 3"},
		{"POST", `{"title": "` + strings.Repeat("é", 501) + `"}`, 422, "at most 500"},
		{"POST", `{"title": "` + strings.Repeat("é", 500) + `"}`, 201, ""},
		{"POST", `{"title": "abc", "funding": "` + strings.Repeat("é", 2000) + `"}`, 201, ""},
		{"POST", `{"title": "abc", "funding": "` + strings.Repeat("é", 2001) + `"}`, 422, "funding"},
		{"POST", `{"title": "abc", "group_id": 0}`, 201, ""},
		{"POST", `{"title": "abc", "group_id": null}`, 201, ""},
		{"POST", `{"title": "abc", "group_id": 7}`, 403, "group"},
		{"POST", `{"title": "abc", "group_id": -1}`, 403, "group"},
		{"POST", `{"title": "abc", "group_id": "7"}`, 422, "group_id must be an integer"},
		{"POST", `{"title": "abc", "custom_fields_list": [{"name": "", "value": "x"}]}`, 422, "custom_fields_list"},
		{"PUT", `{"title": "ab"}`, 422, "title"},
		{"PUT", `{"title": null}`, 422, "title"},
		{"PATCH", `{"funding": 7}`, 422, "funding must be a string"},
		{"PUT", `{"description": null, "funding": null}`, 205, ""},
		{"PUT", `{}`, 205, ""},
	} {
		path := at
		if c.method == "POST" {
			path = "/v2/account/projects"
		}
		if r := s.Ada.Send(c.method, path, c.body); c.status < 300 {
			r.Is(c.status)
		} else {
			r.Refuses(c.status, c.message)
		}
	}
	if own := s.Ada.Get(at).Object(); own["title"] != "Base project" || own["description"] != nil || own["funding"] != nil {
		t.Errorf("blanks are %v", own)
	}
}

// The callers that may delete a project, and the fate of its articles.
func TestProjectDelete(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Project("Individual")
	s.Ada.Invite(at, s.Ben, "collaborator")
	inside, own := s.Ada.InProject(at, `{"title": "Ada's draft"}`)
	_, bens := s.Ben.InProject(at, `{"title": "Ben's draft", "authors": [{"name": "Ben B"}]}`)
	file := s.Ada.Upload(own, "a.txt", []byte("hello"))
	s.Ada.Send("POST", at+"/notes", `{"text": "A note"}`).Is(201)
	s.Ben.Do("DELETE", at, nil).Refuses(403, "role")
	s.Root.Do("DELETE", at, nil).Refuses(404, "Project not found")

	s.Ben.Do("POST", bens+"/publish", nil).Is(201)
	s.Ada.Do("DELETE", at, nil).Refuses(403, "public articles")
	s.Ada.Get(inside).Is(200)

	gone := s.Ada.Project("To be deleted")
	s.Ada.Invite(gone, s.Ben, "collaborator")
	gone1, own1 := s.Ada.InProject(gone, `{"title": "Stays with Ada"}`)
	_, own2 := s.Ben.InProject(gone, `{"title": "Stays with Ben"}`)
	note := s.Ada.Send("POST", gone+"/notes", `{"text": "A note"}`).Is(201).Header.Get("Location")
	s.Ada.Do("DELETE", gone, nil).Is(204)
	for _, path := range []string{gone, gone1, note, gone + "/notes", gone + "/articles", gone + "/collaborators"} {
		s.Ada.Get(path).Refuses(404, "Project not found")
		s.Ben.Get(path).Refuses(404, "Project not found")
	}
	s.Ada.Do("DELETE", gone, nil).Refuses(404, "Project not found")
	s.Ada.Get(own1).Is(200)
	s.Ben.Get(own2).Is(200)
	if got := s.Ada.Get("/v2/account/projects").Shown(); got != "1" {
		t.Errorf("own list %s", got)
	}

	// A group project takes its articles and their files with it.
	group := s.Ada.Project("Group project")
	s.Ada.Invite(group, s.Ben, "collaborator")
	s.Alter(func(tx *bucket.Tx) error {
		p, err := working.Projects.Get(tx, world.LastNumber(t, group))
		if err != nil {
			return err
		}
		p.GroupID = 5
		return working.Projects.Put(tx, p.ID, p)
	})
	_, grouped := s.Ben.InProject(group, `{"title": "Goes with it"}`)
	lost := s.Ben.Upload(grouped, "b.txt", []byte("12345"))
	_, open := s.Ben.Begin(grouped, "c.txt", []byte("123"))
	if used := s.Ben.Get("/v2/account").Object()["used_quota"]; used != 8.0 {
		t.Errorf("Ben uses %v", used)
	}
	s.Ada.Do("DELETE", group, nil).Is(204)
	s.Ben.Get(grouped).Refuses(404, "Article not found")
	s.Ben.Get(lost).Refuses(404, "")
	s.Anon.Get(open).Refuses(404, "")
	if used := s.Ben.Get("/v2/account").Object()["used_quota"]; used != 0.0 {
		t.Errorf("Ben uses %v after the deletion", used)
	}
	s.Ada.Get(file).Is(200)
}

// The articles of a project (security.md C14, A09). Its members read all of them there and
// nowhere else; readers see what is public.
func TestProjectArticles(t *testing.T) {
	s := world.Start(t)
	at := s.Ada.Project("With articles")
	s.Ada.Invite(at, s.Ben, "collaborator")
	s.Ada.Invite(at, s.Root, "viewer")
	r := s.Ada.Send("POST", at+"/articles", `{"title": "Canary draft", "license": "2", "authors": [{"name": "A B"}]}`).Is(201)
	inside := strings.TrimPrefix(r.Header.Get("Location"), s.URL)
	if inside != at+"/articles/1" || string(r.Bytes) != `{"location": "`+s.URL+inside+`", "warnings": []}` {
		t.Errorf("create answered %s, Location %s", r.Bytes, inside)
	}
	draft := "/v2/account/articles/1"
	file := s.Ada.Upload(draft, "a.txt", []byte("hello"))
	open, upload := s.Ada.Begin(draft, "open.txt", []byte("hello"))
	files := inside + "/files"
	if upload == "" {
		t.Fatal("no upload address")
	}
	for _, who := range []world.Client{s.Ada, s.Ben, s.Root} {
		d := who.Get(inside).Is(200).Object()
		if d["title"] != "Canary draft" || d["url"] != s.URL+inside || d["account_id"] != 1.0 || d["license"].(map[string]any)["value"] != 2.0 {
			t.Errorf("detail %v", d)
		}
		l := who.Get(at + "/articles").Is(200).List()
		if len(l) != 1 || l[0]["url"] != s.URL+inside {
			t.Errorf("list %v", l)
		}
		if got := who.Get(files).Shown(); got != "1 2" {
			t.Errorf("files %s", got)
		}
		who.Get(files + "/1").Is(200)
		for _, path := range []string{inside, files, files + "/2"} {
			token := upload[strings.LastIndexByte(upload, '/')+1:]
			if has := bytes.Contains(who.Get(path).Is(200).Bytes, []byte(token)); has != (who == s.Ada) {
				t.Errorf("%s shows the upload token: %v", path, has)
			}
		}
	}
	s.Ada.Do("DELETE", open, nil).Is(204)
	for _, path := range []string{draft, draft + "/files", file} {
		s.Ben.Get(path).Refuses(404, "Article not found")
	}
	for _, path := range []string{at + "/articles/2", at + "/articles/2/files", at + "/articles/2/files/1"} {
		s.Ada.Get(path).Refuses(404, "Article not found")
	}
	s.Ada.Get(files+"/99").Refuses(404, "File not found")
	elsewhere := s.Ada.Article(`{"title": "In no project"}`)
	s.Ada.Get(at+"/articles/"+fmt.Sprint(world.LastNumber(t, elsewhere))).Refuses(404, "Article not found")
	s.Ada.Get(files+"?page=1&limit=1").Refuses(422, "either page")

	for body, status := range map[string]int{
		`{"title": "String", "license": "1"}`: 201, `{"title": "Number", "license": 1}`: 201, `{"title": "Blank", "license": ""}`: 201, `{"title": "Null", "license": null}`: 201,
		`{"title": "Name", "license": "CC BY"}`: 422, `{"title": "Space", "license": " 1"}`: 422, `{"title": "Float", "license": "1.0"}`: 422, `{"title": "None such", "license": "999"}`: 422,
		`{"title": "Long", "funding": "` + strings.Repeat("x", 2001) + `"}`: 422, `{"description": "no title"}`: 422, `{"title": "Publisher", "resource_doi": "10.1/x"}`: 403,
	} {
		if got := s.Ben.Send("POST", at+"/articles", body); got.StatusCode != status {
			t.Errorf("%.60s answered %d %s", body, got.StatusCode, got.Bytes)
		}
	}
	s.Ada.Send("PATCH", draft, `{"license": "1"}`).Refuses(422, "license must be an integer")

	// Public articles, in a private project and in a public one.
	s.Ada.Do("POST", draft+"/publish", nil).Is(201)
	s.Anon.Get(at + "/articles").Is(401)
	public := "/v2/projects/1"
	s.Anon.Get(public+"/articles").Refuses(404, "Project not found")
	second, secondOwn := s.Ben.InProject(at, `{"title": "Second", "authors": [{"name": "B B"}]}`)
	s.Ben.Do("POST", secondOwn+"/publish", nil).Is(201)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := s.Anon.Get(public + "/articles").Shown(); got != fmt.Sprintf("%d 1", world.LastNumber(t, second)) {
		t.Errorf("public articles %s", got)
	}
	if got := s.Anon.Get(public + "/articles?page=2&page_size=1").Shown(); got != "1" {
		t.Errorf("second page %s", got)
	}
	if got := s.Anon.Get(public + "/articles?limit=1&offset=1").Shown(); got != "1" {
		t.Errorf("by offset %s", got)
	}
	s.Anon.Get(public+"/articles?offset=5001").Refuses(422, "Max page reached")
	s.Ada.Send("PATCH", draft, `{"title": "Canary rewrite"}`).Is(205)
	for _, path := range []string{public, public + "/articles", "/v2/projects", "/v2/articles"} {
		if body := s.Anon.Get(path).Is(200).Bytes; bytes.Contains(body, []byte("rewrite")) || bytes.Contains(body, []byte("String")) {
			t.Errorf("%s shows what is private: %s", path, body)
		}
	}
	if got := s.Anon.Send("POST", "/v2/articles/search", `{"project_id": 1}`).List(); len(got) != 2 || got[0]["project_id"] != 1.0 {
		t.Errorf("search by project: %v", got)
	}

	// Deleting: drafts only, by their owner or the owner of the project.
	s.Ada.Do("DELETE", inside, nil).Refuses(403, "public")
	mine, _ := s.Ben.InProject(at, `{"title": "Ben's to delete"}`)
	adas, adasOwn := s.Ada.InProject(at, `{"title": "Ada's to delete"}`)
	s.Root.Do("DELETE", mine, nil).Refuses(403, "role")
	s.Ben.Do("DELETE", adas, nil).Refuses(403, "role")
	s.Ben.Do("DELETE", mine, nil).Is(204)
	s.Ben.Do("DELETE", mine, nil).Refuses(404, "Article not found")
	s.Ada.Get(adas).Is(200)
	another, anotherOwn := s.Ben.InProject(at, `{"title": "Ada may delete it"}`)
	s.Ada.Do("DELETE", another, nil).Is(204)
	s.Ben.Get(anotherOwn).Refuses(404, "Article not found")
	s.Ada.Do("DELETE", adasOwn, nil).Is(204)
	s.Ada.Get(adas).Refuses(404, "Article not found")
}

// Pages, orders and filters of the articles of a project.
func TestProjectArticleLists(t *testing.T) {
	s := world.StartWithin(t)
	at := s.Ada.Project("With many")
	for n := 1; n <= 6; n++ {
		_, own := s.Ada.InProject(at, fmt.Sprintf(`{"title": "Item %d", "defined_type": %q, "authors": [{"name": "A B"}]}`, n, []string{"dataset", "thesis"}[n%2]))
		if n%3 == 0 {
			s.Ada.Do("POST", own+"/publish", nil).Is(201)
		}
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 6; n++ {
			art, err := working.Articles.Get(tx, n)
			if err != nil {
				return err
			}
			art.Modified = world.Day(10-int(n), 0)
			if art.Published != nil {
				p := world.Day(int(n), 0)
				art.Published = &p
			}
			if err := working.Articles.Put(tx, n, art); err != nil {
				return err
			}
		}
		return nil
	})
	for query, want := range map[string]string{
		"": "6 5 4 3 2 1", "order_direction=asc": "1 2 3 4 5 6", "page=2&page_size=4": "2 1", "limit=2&offset=1": "5 4", "offset=9": "",
		"order=modified_date": "1 2 3 4 5 6", "order=modified_date&order_direction=asc&limit=2": "6 5", "order=published_date&limit=2": "6 3",
		"order=published_date&limit=2&offset=1": "3 5", "item_type=8": "5 3 1", "modified_since=2020-01-08": "2 1", "published_since=2020-01-04": "6",
		"item_type=8&limit=1&offset=1": "3",
	} {
		if got := s.Ada.Get(at + "/articles?" + query).Shown(); got != want {
			t.Errorf("?%s shows %q, want %q", query, got, want)
		}
	}
	s.Ada.Get(at+"/articles?order=views").Refuses(400, "Invalid value received for order")
	s.Ada.Get(at+"/articles?item_type=x").Refuses(422, "item_type")
	s.Ada.Get(at+"/articles?page=5001").Refuses(422, "Max page reached")
}

// projectFixture makes projects of Ada: 1 private, 2 to 4 public, of which 4 is a group's;
// and 5, Ben's, in which she is a collaborator, and 6, Ben's and public, a viewer.
func projectFixture(t *testing.T) *world.Server {
	s := world.StartWithin(t, func(*config.Config) {})
	for n, title := range []string{"Private canary", "Ocean currents", "Ocean salinity", "Desert winds"} {
		at := s.Ada.Project(title)
		if n > 0 {
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
		}
	}
	for n, title := range []string{"Shared canary", "Shared rivers"} {
		at := s.Ben.Project(title)
		s.Ben.Invite(at, s.Ada, []string{"collaborator", "viewer"}[n])
		if n == 1 {
			s.Ben.Do("POST", at+"/publish", nil).Is(201)
		}
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 6; n++ {
			p, err := working.Projects.Get(tx, n)
			if err != nil {
				return err
			}
			p.Modified = world.Day(20-int(n), 0)
			if n == 4 {
				p.GroupID = 3
			}
			if p.Published != nil {
				d := world.Day(int(n), 0)
				p.Published = &d
				if err := published.Projects.Put(tx, n, p.Public([]record.PublicMember{})); err != nil {
					return err
				}
			}
			if err := working.Projects.Put(tx, n, p); err != nil {
				return err
			}
		}
		return nil
	})
	return s
}

// The own list and search with storage, roles, status, dates, orders.
func TestProjectOwnLists(t *testing.T) {
	s := projectFixture(t)
	for query, want := range map[string]string{
		"": "6 5 4 3 2 1", "order_direction=asc": "1 2 3 4 5 6", "storage=group": "4", "storage=individual": "6 5 3 2 1", "roles=owner": "4 3 2 1", "roles=collaborator": "5",
		"roles=viewer": "6", "roles=viewer,collaborator": "6 5", "roles=owner,viewer": "6 4 3 2 1", "roles=owner,collaborator,viewer": "6 5 4 3 2 1", "roles=owner,owner": "4 3 2 1",
		"order=published_date": "6 4 3 2 5 1", "order=published_date&order_direction=asc": "1 5 2 3 4 6", "order=modified_date": "1 2 3 4 5 6", "order=created_date": "6 5 4 3 2 1",
		"page=2&page_size=2": "4 3", "limit=2&offset=1": "5 4", "roles=owner&storage=group": "4", "order=modified_date&page=2&page_size=4": "5 6",
		"published_since=2020-01-03": "6 4 3", "modified_since=2020-01-17": "3 2 1", "status=1": "6 4 3 2", "status=0": "5 1", "group=3": "4", "institution=1&limit=1": "6", "institution=2": "",
	} {
		if got := s.Ada.Get("/v2/account/projects?" + query).Shown(); got != want {
			t.Errorf("list ?%s shows %q, want %q", query, got, want)
		}
		if got := s.Ada.Do("POST", "/v2/account/projects/search?"+query, nil).Shown(); got != want {
			t.Errorf("search ?%s shows %q, want %q", query, got, want)
		}
		if got := s.Ada.Send("POST", "/v2/account/projects/search", world.AsBody(query)).Shown(); got != want {
			t.Errorf("search %s shows %q, want %q", world.AsBody(query), got, want)
		}
	}
	for query, status := range map[string]int{
		"order=views": 400, "order=": 400, "order_direction=up": 422, "storage=Group": 422, "storage=": 422, "roles=": 422, "roles=owner,": 422, "roles=Owner": 422, "roles=owner, viewer": 422,
		"roles=boss": 422, "status=2": 422, "status=public": 422, "published_since=soon": 422, "page=101&page_size=1": 422, "page=1&limit=1": 422, "offset=5001": 422, "page_size=1001": 422,
	} {
		s.Ada.Get("/v2/account/projects?"+strings.ReplaceAll(query, " ", "%20")).Refuses(status, "")
		s.Ada.Send("POST", "/v2/account/projects/search", world.AsBody(query)).Refuses(status, "")
	}
	s.Ada.Get("/v2/account/projects?page_size=1000").Is(200)
	s.Ada.Send("POST", "/v2/account/projects/search", `{"page_size": 101}`).Refuses(422, "page_size")
	for words, want := range map[string]string{
		"ocean": "3 2", "OCEAN canary": "5 3 2 1", "canary": "5 1", "winds of": "4", "oceans": "3 2", "oceanography": "", "ocean\\\" AND": "3 2", "shared": "6 5",
	} {
		if got := s.Ada.Send("POST", "/v2/account/projects/search", `{"search_for": "`+words+`"}`).Shown(); got != want {
			t.Errorf("search for %q shows %q, want %q", words, got, want)
		}
	}
	if got := s.Ada.Send("POST", "/v2/account/projects/search", `{"search_for": "canary", "roles": "collaborator", "status": 0, "storage": "individual"}`).Shown(); got != "5" {
		t.Errorf("words and filters show %q", got)
	}
	s.Ada.Send("POST", "/v2/account/projects/search", `{"search_for": "abc"}`).Refuses(422, "at least 4")
	s.Anon.Send("POST", "/v2/account/projects/search", `{}`).Refuses(401, "")
	if got := s.Ben.Get("/v2/account/projects").Shown(); got != "6 5" {
		t.Errorf("Ben's list %s", got)
	}
	for _, o := range s.Ada.Get("/v2/account/projects").List() {
		if want := map[float64]string{5: "Collaborator", 6: "Viewer"}[o["id"].(float64)]; want != "" && o["role"] != want {
			t.Errorf("role %v in %v", o["role"], o["id"])
		}
	}
}

// The public list and search (security.md C14).
func TestProjectPublicLists(t *testing.T) {
	s := projectFixture(t)
	for query, want := range map[string]string{
		"": "6 4 3 2", "order_direction=asc": "2 3 4 6", "order=published_date": "6 4 3 2", "institution=1": "6 4 3 2", "institution=2": "", "group=3": "4", "published_since=2020-01-04": "6 4",
		"page=2&page_size=3": "2", "limit=1&offset=1": "4", "item_type=3": "6 4 3 2", "doi=x": "6 4 3 2", "unknown=1": "6 4 3 2",
	} {
		if got := s.Anon.Get("/v2/projects?" + query).Shown(); got != want {
			t.Errorf("list ?%s shows %q, want %q", query, got, want)
		}
		if got := s.Anon.Send("POST", "/v2/projects/search", world.AsBody(query)).Shown(); got != want {
			t.Errorf("search %s shows %q, want %q", world.AsBody(query), got, want)
		}
	}
	for query, status := range map[string]int{
		"order=bogus": 400, "order_direction=x": 422, "page=5001&page_size=1": 422, "offset=5001": 422, "page=10&page_size=1000": 422, "page_size=1001": 422, "page=1&offset=0": 422, "published_since=x": 422, "group=x": 422,
	} {
		s.Anon.Get("/v2/projects?"+query).Refuses(status, "")
		s.Anon.Send("POST", "/v2/projects/search", world.AsBody(query)).Refuses(status, "")
	}
	for words, want := range map[string]string{"ocean": "3 2", "Shared": "6", "canary": "", "ocean winds": "4 3 2", "private": ""} {
		if got := s.Anon.Send("POST", "/v2/projects/search", `{"search_for": "`+words+`"}`).Shown(); got != want {
			t.Errorf("search for %q shows %q, want %q", words, got, want)
		}
	}
	if got := s.Anon.Send("POST", "/v2/projects/search", `{"search_for": "ocean", "page": 2, "page_size": 1}`).Shown(); got != "2" {
		t.Errorf("second page of a search %q", got)
	}
	s.Anon.Send("POST", "/v2/projects/search", `{"search_for": "ab"}`).Refuses(422, "at least 3")
	s.Anon.Send("POST", "/v2/projects/search", `{"search_for": "`+strings.Repeat("a b", 200)+`"}`).Is(200)
}

// A project is deleted while articles are made in it (security.md J08). Whatever the order, no
// article is left in a project that is not there.
func TestProjectDeleteRace(t *testing.T) {
	s := world.StartWithin(t)
	for round := range 8 {
		at := s.Ada.Project(fmt.Sprintf("Round %d", round))
		s.Ada.Invite(at, s.Ben, "collaborator")
		made := make(chan int64, 8)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if r := s.Ben.Send("POST", at+"/articles", `{"title": "In time or not"}`); r.StatusCode == 201 {
					made <- world.LastNumber(t, r.Header.Get("Location"))
				} else if r.StatusCode != 404 {
					t.Errorf("create answered %d", r.StatusCode)
				}
			})
		}
		all.Go(func() { s.Ada.Do("DELETE", at, nil).Is(204) })
		all.Wait()
		close(made)
		for id := range made {
			s.Ben.Get(fmt.Sprintf("/v2/account/articles/%d", id)).Is(200)
			s.Alter(func(tx *bucket.Tx) error {
				if art, err := working.Articles.Get(tx, id); err != nil || art.ProjectID != 0 {
					t.Errorf("article %d: %v, in project %d", id, err, art.ProjectID)
				}
				return nil
			})
		}
	}
}

// Projects of a group are made by its members and administrators, and deleted by their owner or
// an administrator of the group.
func TestProjectGroups(t *testing.T) {
	s := world.StartWithin(t)
	cleo := s.Person("Cleo", false)
	s.Alter(func(tx *bucket.Tx) error {
		for id, parent := range map[int64]int64{1: 0, 2: 1, 3: 0} {
			if err := users.Groups.Put(tx, id, &record.Group{ID: id, InstitutionID: 1, ParentID: parent, Name: "G"}); err != nil {
				return err
			}
		}
		for email, group := range map[string]int64{"ada@example.org": 2, "ben@example.org": 3} {
			id, _ := users.AccountsByEmail.First(tx, bucket.SortKey(email))
			acc, err := users.Accounts.Get(tx, id)
			if err != nil {
				return err
			}
			acc.GroupID = group
			if err := users.Accounts.Put(tx, id, acc); err != nil {
				return err
			}
		}
		id, _ := users.AccountsByEmail.First(tx, bucket.SortKey("cleo@example.org"))
		return users.Grants.Put(tx, bucket.Pair{A: id, B: 1}, &record.Grant{AccountID: id, GroupID: 1, Roles: []int64{record.RoleAdministrator}})
	})
	create := func(who world.Client, group int) *world.Reply {
		return who.Send("POST", "/v2/account/projects", fmt.Sprintf(`{"title": "Of a group", "group_id": %d}`, group))
	}
	for _, c := range []struct {
		who    world.Client
		group  int
		status int
	}{
		{s.Ada, 2, 201}, {s.Ada, 1, 403}, {s.Ada, 3, 403}, {s.Ada, 9, 403}, {s.Ben, 3, 201}, {s.Ben, 2, 403},
		{cleo, 1, 201}, {cleo, 2, 201}, {cleo, 3, 403}, {s.Root, 3, 201}, {s.Root, 9, 403},
	} {
		if c.status == 403 {
			create(c.who, c.group).Refuses(403, "group")
		} else {
			create(c.who, c.group).Is(201)
		}
	}
	at := create(s.Ada, 2).Is(201).Header.Get("Location")
	if o := s.Ada.Get(at).Object(); o["storage"] != "group" || o["group_id"] != 2.0 {
		t.Errorf("a group project is %v", o)
	}
	none := "/v2/account/projects/987654"
	for _, method := range []string{"GET", "DELETE"} {
		if got, unknown := s.Ben.Do(method, at, nil), s.Ben.Do(method, none, nil); string(got.Bytes) != string(unknown.Bytes) || got.StatusCode != 404 {
			t.Errorf("%s by another group's: %d %s", method, got.StatusCode, got.Bytes)
		}
	}
	cleo.Get(at).Refuses(404, "Project not found") // administering is not reading
	individual := s.Ada.Project("Individual")
	for _, who := range []world.Client{cleo, s.Root} {
		who.Do("DELETE", individual, nil).Refuses(404, "Project not found")
	}
	cleo.Do("DELETE", at, nil).Is(204)
	s.Ada.Get(at).Refuses(404, "Project not found")
	viewed := create(s.Ada, 2).Is(201).Header.Get("Location")
	s.Ada.Invite(viewed, cleo, "viewer")
	s.Ada.Invite(viewed, s.Ben, "viewer")
	s.Ben.Do("DELETE", viewed, nil).Refuses(403, "role")
	cleo.Send("PUT", viewed, `{"title": "Not hers"}`).Refuses(403, "role")
	cleo.Do("DELETE", viewed, nil).Is(204)
	s.Root.Do("DELETE", create(s.Ada, 2).Is(201).Header.Get("Location"), nil).Is(204)
}
