package world

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/config"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// Stage is a server with one of everything that the routes can name.
type Stage struct {
	*Server
	IDs        map[string]string // parts of the paths of Ada's draft
	Public     map[string]string // of her public article
	Project    map[string]string // of her public project
	Collection map[string]string // of her collection, which is public too
}

// NewStage gives Ada a draft with an author, a category, a linked file and an open
// upload, and a public article with a file.
func NewStage(t testing.TB, change ...func(*config.Config)) *Stage {
	t.Helper()
	s := StartWithin(t, append([]func(*config.Config){Branded(t)}, change...)...)
	// Ada administers the institution, so that no route is closed to her; Ben is ordinary.
	s.Account(s.Ada.ID(), func(a *record.Account) { a.Admin = true })
	group := s.Group("A group", 0)
	s.Role(s.Ben, group, "reviewer")
	field := s.Field(record.Field{GroupID: group, Name: "A list", Type: record.FieldLargeList, Options: []string{"one"}})
	s.Ada.Form(fmt.Sprintf("/v2/account/profile/%d/picture", s.Ada.UserID()), "profile_picture", string(OnePixel)).Is(200)
	id := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	draft := s.Ada.Article(`{"title": "A draft", "categories": [37], "authors": [{"name": "Draft Author"}]}`)
	_, upload := s.Ada.Begin(draft, "open.bin", []byte("hello"))
	linked, _ := s.Ada.BeginAs(draft, `{"link": "https://example.org/data"}`)
	author := fmt.Sprint(int64(s.Ada.Get(draft + "/authors").List()[0]["id"].(float64)))
	public := s.Ada.Article(`{"title": "A public item", "categories": [37], "authors": [{"name": "Public Author"}]}`)
	file := s.Ada.Upload(public, "a.png", OnePixel)
	s.Ada.Previews(file, "preview_available")
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "A collection", "categories": [37],
		"authors": [{"name": "Collecting Author"}], "articles": [`+id(public)+`]}`).Is(201).Header.Get("Location"), s.URL)
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	collector := fmt.Sprint(int64(s.Ada.Get(col + "/authors").List()[0]["id"].(float64)))
	report := s.Report(s.Ada, Day(1, 0))
	s.Alter(func(tx *bucket.Tx) error { // of the draft, as if it had been handed in
		v := &record.ArticleVersion{ArticleID: 1, Metadata: record.NewMetadata(), Version: 1}
		r := &record.Review{ID: 1, ArticleID: 1, AccountID: s.Ada.ID(), InstitutionID: 1, Version: 1, Request: 1, Status: record.ReviewClosed, Created: tx.Now(), Modified: tx.Now()}
		if err := bucket.Submissions.Put(tx, r.ID, v); err != nil {
			return err
		}
		return bucket.Reviews.Put(tx, r.ID, r)
	})
	return &Stage{s,
		map[string]string{":id": id(draft), ":review_id": "1", ":file_id": id(linked), ":author_id": author, ":category_id": "37", ":token": id(upload), ":part": "1", ":link_id": s.Ada.Link(draft, ""), ":account_id": "2", ":group_id": "1", ":role_id": "2", ":custom_field_id": fmt.Sprint(field), ":user_id": fmt.Sprint(s.Ada.UserID()), ":report_id": fmt.Sprint(report)},
		map[string]string{":id": id(public), ":file_id": id(file), ":preview_id": id(file), ":version": "1", ":version_id": "1", ":first": id(public), ":second": "versions", ":third": "1", ":token": s.Ada.Link(public, "")},
		newProjectStage(s),
		map[string]string{":id": id(col), ":author_id": collector, ":category_id": "37", ":article_id": id(public), ":version": "1", ":link_id": s.Ada.Link(col, "")},
	}
}

// Branded writes what an operator may put onto the pages into the data directory.
func Branded(t testing.TB) func(*config.Config) {
	return func(c *config.Config) {
		dir := filepath.Join(c.Data, "pages")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range endpoint.OwnPages {
			WriteFile(t, filepath.Join(dir, name+".md"), []byte("# "+name+"\n\nA text.\n"))
		}
		c.SiteAccent, c.SiteLogo, c.SiteEmbed = "#0b5c66", filepath.Join(dir, "logo.png"), true
		WriteFile(t, c.SiteLogo, OnePixel)
	}
}

func AllRoutes() []route { return routes(&handlers.API{}) }

// At is the path of a route with the ids of the stage.
func (s *Stage) At(r route) string {
	ids := s.IDs
	if strings.HasPrefix(r.Path, "/s/") || strings.HasPrefix(r.Path, "/export/articles") || strings.HasPrefix(r.Path, "/embed/articles") || strings.HasPrefix(r.Path, "/doi") || strings.HasPrefix(strings.TrimPrefix(r.Path, "/v2"), "/articles") || strings.Contains(r.Path, "/download") || strings.HasSuffix(r.Path, "articles/:id/unpublish") || strings.Contains(r.Path, ":version_id") || strings.Contains(r.Path, "/files/:file_id") && r.Access == endpoint.Either {
		ids = s.Public
	}
	if strings.HasPrefix(r.Path, "/sitemap/") {
		ids = map[string]string{":name": "pages.xml.gz"}
	}
	if strings.Contains(r.Path, "/collections") {
		ids = s.Collection
	}
	if strings.Contains(r.Path, "/projects") {
		ids = s.Project
	}
	if page, is := PagePath(r.Path, s.titles(r.Path), ids[":id"]); is {
		return page
	}
	return FillPath(r.Path, ids)
}

// titles are the titles of what is staged, as the addresses of pages have them.
func (s *Stage) titles(pattern string) string {
	switch {
	case strings.HasPrefix(pattern, "/collections"):
		return "A_collection"
	case strings.HasPrefix(pattern, "/projects"):
		return "A_staged_project"
	}
	return "A_public_item"
}

// PagePath is the path of a page of an item, of its first version where the pattern has one, or of its
// statistics, and reports whether the pattern is that of such a page.
func PagePath(pattern, title, id string) (string, bool) {
	if id == "" {
		id = "1"
	}
	switch pattern {
	case "/articles/:first/:second/:third/:fourth":
		return "/articles/dataset/" + title + "/" + id + "/1", true
	case "/articles/:first/:second/:third/:fourth/*path":
		return "/articles/dataset/" + title + "/" + id + "/1/files", true
	case "/collections/:first/:second/:third/*path":
		return "/collections/" + title + "/" + id + "/1/linkset", true
	case "/collections/:first", "/projects/:first":
		return strings.Replace(pattern, ":first", id, 1), true
	case "/collections/:first/:second", "/projects/:first/:second", "/collections/:first/:second/:third":
		return strings.NewReplacer(":first", title, ":second", id, ":third", "1").Replace(pattern), true
	case "/stats/total/:first/:second":
		return "/stats/total/article/" + id, true
	case "/stats/total/:first/:second/:third":
		return "/stats/total/views/article/" + id, true
	case "/stats/timeline/:first/:second/:third/:fourth", "/stats/breakdown/:first/:second/:third/:fourth":
		return strings.NewReplacer(":first", "day", ":second", "views", ":third", "article", ":fourth", id).Replace(pattern), true
	case "/stats/top/:first/:second":
		return "/stats/top/views/article", true
	case "/doi/*doi":
		return "/doi/10.5072/alcove." + id, true
	case "/export/articles/:id/:version/:format", "/export/collections/:id/:version/:format":
		return strings.NewReplacer(":id", id, ":version", "1", ":format", "ris").Replace(pattern), true
	}
	return "", false
}

// AsksForMore reports whether a GET of an address alone is refused: it must be asked for something
// (422), as a browser does, with a link that an operator made or of a repository that is mirrored (404), or by a person who is signed in (401).
func (r route) AsksForMore() bool {
	return strings.HasSuffix(r.Path, "/filter-by") || r.Path == "/s/:token" || r.Path == "/one-time/:token" || strings.HasPrefix(r.Path, "/mirror/") || strings.HasPrefix(r.Path, "/sign-in/with/") || strings.HasPrefix(r.Path, "/sign-in/back/") || r.Access == endpoint.Session
}

func FillPath(pattern string, ids map[string]string) string {
	parts := strings.Split(pattern, "/")
	for i, p := range parts {
		if strings.HasPrefix(p, ":") {
			if parts[i] = ids[p]; parts[i] == "" {
				parts[i] = "1"
			}
		}
	}
	return strings.Join(parts, "/")
}

// SendRaw sends text on a connection of its own and returns what comes back until the
// server closes it.
func (s *Server) SendRaw(text string) string {
	s.T.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		s.T.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	go io.WriteString(conn, text) // ends at the latest with the connection
	b, err := io.ReadAll(conn)
	if err != nil && len(b) == 0 {
		s.T.Errorf("no answer to %.60q: %v", text, err)
	}
	return string(b)
}

// SameHeaders compares headers but for those that differ from request to request. The
// date of a change is told as a second earlier while its second is not over.
func SameHeaders(t *testing.T, what string, a, b http.Header) {
	t.Helper()
	for _, pair := range [][2]http.Header{{a, b}, {b, a}} {
		for k, v := range pair[0] {
			if k == "Date" || k == "X-Request-Id" || k == "Last-Modified" && pair[1].Get(k) != "" {
				continue
			}
			if !slices.Equal(v, pair[1][k]) {
				t.Errorf("%s: header %s is %q and %q", what, k, v, pair[1][k])
			}
		}
	}
}

// FormRoutes are the forms of pages of an item, each with a good one; those of other pages are tried without.
var FormRoutes = map[string]string{
	"POST /account/reviews/:review_id":        "type=comment&text=Good",
	"POST /account/reviews/:review_id/assign": "do=take",
	"POST /account/articles/:id/edit":         "do=rows&title=Written",
	"POST /account/collections/:id/edit":      "do=rows&title=Written",
}

// JSONRoutes are the routes with a JSON body: one that is good, and one that is JSON with
// a value of the wrong type. A route that takes none is in NoJSON.
var JSONRoutes = map[string]struct{ Good, Wrong string }{
	"POST /v2/account/authors/search":                        {`{}`, `{"is_active": 1}`},
	"PUT /v2/account/profile":                                {`{"job_title": "Limnologist"}`, `{"job_title": 7}`},
	"POST /v2/account/funding/search":                        {`{}`, `{"search_for": 7}`},
	"POST /v2/account/institution/accounts":                  {`{"email": "fresh@example.org", "last_name": "New"}`, `{"email": 7}`},
	"POST /v2/account/institution/accounts/search":           {`{}`, `{"is_active": true}`},
	"PUT /v2/account/institution/accounts/:account_id":       {`{"is_active": true}`, `{"is_active": 1}`},
	"POST /v2/account/institution/roles/:account_id":         {`{"1": [2]}`, `{"1": "2"}`},
	"POST /v2/articles/search":                               {`{}`, `{"page": "x"}`},
	"POST /v2/account/articles/search":                       {`{}`, `{"page": "x"}`},
	"POST /v2/account/collections/search":                    {`{}`, `{"page": "x"}`},
	"POST /v2/collections/search":                            {`{}`, `{"page": "x"}`},
	"POST /v2/account/articles":                              {`{"title": "A title"}`, `{"title": 7}`},
	"PUT /v2/account/articles/:id":                           {`{"title": "A title"}`, `{"title": ["x"]}`},
	"PATCH /v2/account/articles/:id":                         {`{}`, `{"tags": "x"}`},
	"POST /v2/account/articles/:id/authors":                  {`{"authors": [{"name": "A Name"}]}`, `{"authors": [7]}`},
	"PUT /v2/account/articles/:id/authors":                   {`{"authors": [{"name": "A Name"}]}`, `{"authors": {}}`},
	"POST /v2/account/articles/:id/categories":               {`{"categories": [37]}`, `{"categories": ["37"]}`},
	"PUT /v2/account/articles/:id/categories":                {`{"categories": [37]}`, `{"categories": [37.0]}`},
	"PUT /v2/account/articles/:id/embargo":                   {`{"is_embargoed": true, "embargo_type": "file", "embargo_date": "0"}`, `{"is_embargoed": "true"}`},
	"PUT /v2/account/articles/:id/confidentiality":           {`{"reason": "Private"}`, `{"reason": 7}`},
	"POST /v2/account/articles/:id/unpublish":                {`{"reason": "Withdrawn"}`, `{"reason": 7}`},
	"POST /v2/account/collections/:id/unpublish":             {`{"reason": "Withdrawn"}`, `{"reason": 7}`},
	"POST /v2/account/projects/:id/unpublish":                {`{"reason": "Withdrawn"}`, `{"reason": 7}`},
	"POST /v2/account/articles/:id/resource":                 {`{"version": 1}`, `{"version": "1"}`},
	"PUT /v2/account/articles/:id/versions/:version_id":      {`{"title": "A title"}`, `{"title": 7}`},
	"PATCH /v2/account/articles/:id/versions/:version_id":    {`{}`, `{"tags": "x"}`},
	"POST /v2/account/articles/:id/private_links":            {`{"expires_date": "2099-01-02"}`, `{"expires_date": 7}`},
	"PUT /v2/account/articles/:id/private_links/:link_id":    {`{}`, `{"expires_date": 7}`},
	"POST /v2/account/collections/:id/resource":              {`{"version": 1}`, `{"version": "1"}`},
	"POST /v2/account/collections/:id/private_links":         {`{"read_only": false}`, `{"read_only": 7}`},
	"PUT /v2/account/collections/:id/private_links/:link_id": {`{}`, `{"read_only": 7}`},
	"POST /v2/account/collections":                           {`{"title": "A title"}`, `{"title": 7}`},
	"PUT /v2/account/collections/:id":                        {`{"title": "A title"}`, `{"title": 7}`},
	"PATCH /v2/account/collections/:id":                      {`{}`, `{"articles": ["x"]}`},
	"POST /v2/account/collections/:id/authors":               {`{"authors": [{"name": "A Name"}]}`, `{"authors": [7]}`},
	"PUT /v2/account/collections/:id/authors":                {`{"authors": [{"name": "A Name"}]}`, `{"authors": {}}`},
	"POST /v2/account/collections/:id/categories":            {`{"categories": [37]}`, `{"categories": ["37"]}`},
	"PUT /v2/account/collections/:id/categories":             {`{"categories": [37]}`, `{"categories": [37.0]}`},
	"POST /v2/account/collections/:id/articles":              {`{"articles": []}`, `{"articles": [true]}`},
	"PUT /v2/account/collections/:id/articles":               {`{"articles": []}`, `{"articles": {}}`},
	"POST /v2/account/articles/:id/files":                    {`{"link": "https://example.org"}`, `{"name": "a", "size": "1"}`},

	"POST /v2/account/institution/review/:review_id/comments": {`{"text": "A word"}`, `{"text": 7}`},

	"POST /stats/count/articles":                  {`{"groups": [{"id": 1}]}`, `{"groups": 1}`},
	"POST /v2/projects/search":                    {`{}`, `{"page": "x"}`},
	"POST /v2/account/projects/search":            {`{}`, `{"status": "1"}`},
	"POST /v2/account/projects":                   {`{"title": "A title"}`, `{"title": 7}`},
	"PUT /v2/account/projects/:id":                {`{"title": "A title"}`, `{"title": ["x"]}`},
	"PATCH /v2/account/projects/:id":              {`{}`, `{"funding": 7}`},
	"POST /v2/account/projects/:id/articles":      {`{"title": "A title"}`, `{"title": 7}`},
	"POST /v2/account/projects/:id/collaborators": {`{"email": "x@example.org", "role_name": "viewer"}`, `{"role_name": 7}`},
	"POST /v2/account/projects/:id/notes":         {`{"text": "A text"}`, `{"text": 7}`},
	"PUT /v2/account/projects/:id/notes/:note_id": {`{"text": "A text"}`, `{"text": []}`},

	"PUT /v2/account/articles/:id/versions/:version_id/update_thumb": {`{"file_id": 3}`, `{"file_id": "3"}`}, // the picture of the stage
}

var NoJSON = map[string]bool{
	"POST /v2/account/articles/:id/reserve_doi":                                true,
	"POST /v2/account/articles/:id/reserve_handle":                             true,
	"POST /v2/account/collections/:id/reserve_doi":                             true,
	"POST /v2/account/collections/:id/reserve_handle":                          true,
	"POST /v2/account/projects/:id/publish":                                    true,
	"POST /v2/account/projects/:id/leave":                                      true,
	"POST /v2/account/collections/:id/publish":                                 true,
	"POST /v2/account/articles/:id/publish":                                    true,
	"POST /v2/account/articles/:id/files/:file_id":                             true,
	"PUT /upload/:token/:part":                                                 true,
	"POST /v2/institution/hrfeed/upload":                                       true, // a form
	"POST /v2/account/institution/custom_fields/:custom_field_id/items/upload": true,
	"POST /v2/account/profile/:user_id/picture":                                true,
	"POST /v2/account/articles/export":                                         true,
	"POST /v2/token":                                                           true, // a form, or JSON with refusals of its own
	"POST /v2/oai":                                                             true, // a form
	"POST /v2/token/revoke":                                                    true,
}

// EachJSON calls fn for every route with a JSON body, and fails when the tables above
// forget one.
func EachJSON(t *testing.T, fn func(r route, name, good, wrong string)) {
	t.Helper()
	for _, r := range AllRoutes() {
		name := r.Method + " " + r.Path
		b, ok := JSONRoutes[name]
		if ok {
			fn(r, name, b.Good, b.Wrong)
		} else if (r.Method == "POST" || r.Method == "PUT" || r.Method == "PATCH") && !NoJSON[name] && !r.About.IsPage() {
			t.Errorf("%s is in no table of this test", name)
		}
	}
}

// Day is a time on one of the first days of 2020.
func Day(n, hour int) time.Time { return time.Date(2020, 1, n, hour, 0, 0, 0, time.UTC) }

// NewFixture publishes twelve articles of Root. Those whose ids leave the same remainder
// by three were published at the same moment: 1 4 7 10, then 2 5 8 11, then 3 6 9 12.
func NewFixture(t *testing.T) *Server {
	t.Helper()
	s := StartWithin(t)
	for n := 1; n <= 12; n++ {
		kind := map[bool]string{true: "thesis", false: "dataset"}[n%4 == 0]
		at := s.Root.Article(fmt.Sprintf(`{"title": "Item %d", "defined_type": %q, "authors": [{"name": "A B"}], "resource_doi": "10.9999/R%d"}`, n, kind, n%2))
		s.Root.Do("POST", at+"/publish", nil).Is(201)
	}
	s.Alter(func(tx *bucket.Tx) error {
		for n := int64(1); n <= 12; n++ {
			err := AlterPublic(tx, n, func(h *record.PublicArticle, v *record.ArticleVersion) {
				h.Published = Day(1+int(n+2)%3, 0)
				h.Modified = Day(10, int(n))
				h.GroupID = n % 5
				h.ProjectID = n % 2 * 77
				v.Handle = fmt.Sprintf("20.500/h%d", n)
			})
			if err != nil {
				return err
			}
		}
		if err := bucket.Projects.Put(tx, 77, &record.Project{ID: 77, AccountID: s.Root.ID(), Title: "A shelf", Created: Day(1, 0), Modified: Day(1, 0)}); err != nil {
			return err
		}
		return bucket.PublicProjects.Put(tx, 77, &record.PublicProject{ID: 77, Title: "A shelf", Published: Day(1, 0), Created: Day(1, 0), Modified: Day(1, 0)})
	})
	return s
}

func (s *Server) Alter(fn func(tx *bucket.Tx) error) {
	s.T.Helper()
	if err := s.DB().Update(context.Background(), 0, fn); err != nil {
		s.T.Fatal(err)
	}
}

func AlterPublic(tx *bucket.Tx, id int64, change func(*record.PublicArticle, *record.ArticleVersion)) error {
	h, err := bucket.PublicArticles.Get(tx, id)
	if err != nil {
		return err
	}
	key := bucket.Pair{A: id, B: int64(h.Latest)}
	v, err := bucket.ArticleVersions.Get(tx, key)
	if err != nil {
		return err
	}
	change(h, v)
	if err := bucket.PublicArticles.Put(tx, id, h); err != nil {
		return err
	}
	return bucket.ArticleVersions.Put(tx, key, v)
}
