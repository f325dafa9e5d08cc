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
