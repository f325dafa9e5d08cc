// Package stage has the servers that tests begin with: one with one of everything, others with items and people in a
// known state.
package stage

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/config"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/world"
)

// Stage is a server with one of everything that the routes can name.
type Stage struct {
	*world.Server
	IDs        map[string]string // parts of the paths of Ada's draft
	Public     map[string]string // of her public article
	Project    map[string]string // of her public project
	Collection map[string]string // of her collection, which is public too
}

// New gives Ada a draft with an author, a category, a linked file and an open
// upload, and a public article with a file.
func New(t testing.TB, change ...func(*config.Config)) *Stage {
	t.Helper()
	s := world.StartWithin(t, append([]func(*config.Config){Branded(t)}, change...)...)
	// Ada administers the institution, so that no route is closed to her; Ben is ordinary.
	s.Account(s.Ada.ID(), func(a *record.Account) { a.Admin = true })
	group := s.Group("A group", 0)
	s.Role(s.Ben, group, "reviewer")
	field := s.Field(record.Field{GroupID: group, Name: "A list", Type: record.FieldLargeList, Options: []string{"one"}})
	s.Ada.Form(fmt.Sprintf("/v2/account/profile/%d/picture", s.Ada.UserID()), "profile_picture", string(disk.OnePixel)).Is(200)
	id := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	draft := s.Ada.Article(`{"title": "A draft", "categories": [37], "authors": [{"name": "Draft Author"}]}`)
	_, upload := s.Ada.Begin(draft, "open.bin", []byte("hello"))
	linked, _ := s.Ada.BeginAs(draft, `{"link": "https://example.org/data"}`)
	author := fmt.Sprint(int64(s.Ada.Get(draft + "/authors").List()[0]["id"].(float64)))
	public := s.Ada.Article(`{"title": "A public item", "categories": [37], "authors": [{"name": "Public Author"}]}`)
	file := s.Ada.Upload(public, "a.png", disk.OnePixel)
	s.Ada.Previews(file, "preview_available")
	s.Ada.Do("POST", public+"/publish", nil).Is(201)
	col := strings.TrimPrefix(s.Ada.Send("POST", "/v2/account/collections", `{"title": "A collection", "categories": [37],
		"authors": [{"name": "Collecting Author"}], "articles": [`+id(public)+`]}`).Is(201).Header.Get("Location"), s.URL)
	s.Ada.Do("POST", col+"/publish", nil).Is(201)
	collector := fmt.Sprint(int64(s.Ada.Get(col + "/authors").List()[0]["id"].(float64)))
	report := s.Report(s.Ada, world.Day(1, 0))
	s.Alter(func(tx *bucket.Tx) error { // of the draft, as if it had been handed in
		v := &record.ArticleVersion{ArticleID: 1, Metadata: record.NewMetadata(), Version: 1}
		r := &record.Review{ID: 1, ArticleID: 1, AccountID: s.Ada.ID(), InstitutionID: 1, Version: 1, Request: 1, Status: record.ReviewClosed, Created: tx.Now(), Modified: tx.Now()}
		if err := working.Submissions.Put(tx, r.ID, v); err != nil {
			return err
		}
		return working.Reviews.Put(tx, r.ID, r)
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
			disk.WriteFile(t, filepath.Join(dir, name+".md"), []byte("# "+name+"\n\nA text.\n"))
		}
		c.SiteAccent, c.SiteLogo, c.SiteEmbed = "#0b5c66", filepath.Join(dir, "logo.png"), true
		disk.WriteFile(t, c.SiteLogo, disk.OnePixel)
	}
}

// At is the path of a route with the ids of the stage.
func (s *Stage) At(r routes.Route) string {
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
	if page, is := routes.PagePath(r.Path, s.titles(r.Path), ids[":id"]); is {
		return page
	}
	return routes.FillPath(r.Path, ids)
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

// newProjectStage gives Ada a public project with a draft that has a linked file, a note
// and an invitation, and returns the parts of its paths.
func newProjectStage(s *world.Server) map[string]string {
	s.T.Helper()
	at := s.Ada.Project("A staged project")
	inside, own := s.Ada.InProject(at, `{"title": "A draft in a project"}`)
	link, _ := s.Ada.BeginAs(own, `{"link": "https://example.org/staged"}`)
	note := s.Ada.Send("POST", at+"/notes", `{"text": "A staged note"}`).Is(201).Header.Get("Location")
	s.Ada.Send("POST", at+"/collaborators", `{"email": "staged@example.org", "role_name": "viewer"}`).Is(201)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	number := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	user := s.Ada.Get(at + "/collaborators").List()[1]["user_id"].(float64)
	return map[string]string{
		":id": number(at), ":article_id": number(inside), ":file_id": number(link), ":note_id": number(note), ":user_id": fmt.Sprint(int64(user)),
	}
}
