package site

import (
	"net/http"

	"alcove/handlers/endpoint"
)

// Rooms of pages below this package make pages of what is exported here: a frame and a form that their views embed,
// parts of forms, and templates of their own between the layout and the parts of all pages. Their words stand in the
// catalogue of this room.

// Onward leads to another page after a form was taken.
func Onward(path string) endpoint.Reply {
	return endpoint.Reply{Status: http.StatusSeeOther, Location: path}
}
