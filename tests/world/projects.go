package world

import (
	"fmt"
	"strings"
)

// Project makes a project and returns its address below the server's.
func (c Client) Project(title string) string {
	c.Server.T.Helper()
	r := c.Send("POST", "/v2/account/projects", fmt.Sprintf(`{"title": %q}`, title)).Is(201)
	return strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL)
}

// InProject makes an article in a project and returns its address there, and its own.
func (c Client) InProject(project, body string) (inside, own string) {
	c.Server.T.Helper()
	r := c.Send("POST", project+"/articles", body).Is(201)
	inside = strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL)
	return inside, fmt.Sprintf("/v2/account/articles/%d", LastNumber(c.Server.T, inside))
}

func (c Client) UserID() int64 {
	c.Server.T.Helper()
	return int64(c.Get("/v2/account").Is(200).Object()["user_id"].(float64))
}

// Invite makes an account a member of a project.
func (c Client) Invite(project string, who Client, role string) {
	c.Server.T.Helper()
	c.Send("POST", project+"/collaborators", fmt.Sprintf(`{"user_id": %d, "role_name": %q}`, who.UserID(), role)).Is(201)
}

// newProjectStage gives Ada a public project with a draft that has a linked file, a note
// and an invitation, and returns the parts of its paths.
func newProjectStage(s *Server) map[string]string {
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
