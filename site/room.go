package site

import (
	"io/fs"
	"net/http"
	"time"

	"alcove/handlers"
	"alcove/record"
)

// Rooms of pages below this package make pages of these: a frame and a form that their views embed, parts of forms,
// and templates of their own between the layout and the parts of all pages. Their words stand in the catalogue here.
type (
	Frame   = frame
	Form    = form
	Control = control
	Field   = field
	Option  = offered
	Link    = link
	Choice  = choice
	Day     = day
)

// NewViews are the templates in the folder views of some files.
func NewViews(files fs.FS) Views { return newViews(files) }

// Frame begins a page for a call.
func (s *Site) Frame(c *handlers.Call) *Frame { return s.frame(c) }

// Page is the reply with a page of a room. It may have a form, is kept by no cache and found by no search engine.
func (s *Site) Page(c *handlers.Call, views Views, view string, status int, f *Frame) (handlers.Reply, error) {
	f.Hidden = true
	page, err := views.execute(view, f)
	if err != nil {
		return handlers.Reply{}, err
	}
	return s.formReply(c, status, page), nil
}

// Onward leads to another page after a form was taken.
func Onward(path string) handlers.Reply {
	return handlers.Reply{Status: http.StatusSeeOther, Location: path}
}

// Asked is a value of the query of a call.
func Asked(c *handlers.Call, name string) string { return asks(c, name) }

// Refusal is an error that is an answer to the caller, nil for any other.
func Refusal(err error) *record.Error { return refusal(err) }

// Moment is a day with its time.
func (w *Words) Moment(t time.Time) Day { return w.moment(t) }

// NameOf is what a person is called on pages.
func NameOf(a *record.Account) string { return nameOf(a) }

// Unprintable is what a line of text may not have.
func Unprintable(r rune) bool { return unprintable(r) }

// Unshown is what a text of several lines may not have.
func Unshown(r rune) bool { return forbidden(r) }
