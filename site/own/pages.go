// Package own has the pages of what a person works on: its items, collections and projects, and the reviews that it does.
//
//	items.go      the lists; kind.go how articles and collections differ
//	edit.go       the form of an item: controls.go and fields.go make it, draft.go reads it, save.go and merge.go store it
//	arrange.go    files.go: the files of an article
//	publishing.go publishing, withdrawing and deleting; private_links.go
//	batch.go      several items at once: bulk.go by a form, import.go and table.go by a table
//	members.go    the articles of a collection
//	project.go    projects, project_*.go their pages
//	reviews.go    what waits for a reviewer, review.go one of these
package own

import (
	"embed"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/site"
)

// Pages makes the pages.
type Pages struct {
	site *site.Site
	api  *handlers.API
}

// New are the pages over an API, in the frame of its other pages.
func New(api *handlers.API, pages *site.Site) *Pages { return &Pages{pages, api} }

//go:embed views
var files embed.FS

var views = site.NewViews(files)

// formPage is the reply with a page of this room.
func (s *Pages) formPage(c *endpoint.Call, view string, status int, f *site.Frame) (endpoint.Reply, error) {
	return s.site.Page(c, views, view, status, f)
}
