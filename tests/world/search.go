package world

import (
	"fmt"
	"strings"
)

// Find searches with search_for in the body.
func (c Client) Find(words string) string {
	c.Server.T.Helper()
	return c.Send("POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": %s, "limit": 100}`, Quoted(words))).Shown()
}

// Mine searches own items and gives the ids that are shown.
func (c Client) Mine(search, body string) string {
	c.Server.T.Helper()
	return c.Send("POST", search, body).Is(200).Shown()
}

// Wrote makes an own item and gives its address.
func (c Client) Wrote(make, body string) string {
	c.Server.T.Helper()
	return strings.TrimPrefix(c.Send("POST", make, body).Is(201).Header.Get("Location"), c.Server.URL)
}

// IndexWhole reports whether neither index is failing or being built.
func (s *Server) IndexWhole() bool {
	figures, sum := s.Scrape(), 0.0
	for _, name := range []string{"public", "private"} {
		sum += figures[`alcove_index_rebuilding{index="`+name+`"}`] + figures[`alcove_index_failing{index="`+name+`"}`]
	}
	return sum == 0
}
