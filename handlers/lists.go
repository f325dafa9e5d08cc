package handlers

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/record"
)

const cursorHeader = "X-Cursor"

// listRequest is what a call asks of a list.
func (c *Call) listRequest() *lists.Request {
	return &lists.Request{Query: c.Query, Cursor: c.Header.Get(cursorHeader), Sealer: c.API.cursors, Warn: c.warn}
}

// page is the window of a GET list that has no cursors.
func (c *Call) page(b lists.Bounds) (lists.Window, error) {
	if err := c.noCursor(); err != nil {
		return lists.Window{}, err
	}
	return lists.Paging{}.Window(c.Query, b)
}

// noCursor refuses a cursor where there are none: a client that was shown the first page
// for it would never come to the end.
func (c *Call) noCursor() error {
	if c.Header.Get(cursorHeader) != "" {
		return record.Wrong(cursorHeader, "is not taken by this list")
	}
	return nil
}

// publicList answers a GET list of public items.
func (c *Call) publicList(l *lists.Public) (r Reply, err error) {
	q, err := l.Query(c.listRequest(), lists.ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	err = c.API.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = c.listPage(tx, q, false)
		return err
	})
	return r, err
}

// nextPage is a link to the page behind a full one (RFC 8288), which may be empty; "" where pages end. A client with
// a cursor goes on by the cursor of the answer.
func (c *Call) nextPage(w lists.Window, b lists.Bounds) string {
	query, err := url.ParseQuery(c.request.URL.RawQuery)
	if err != nil || c.Method == http.MethodPost || c.Header.Get(cursorHeader) != "" {
		return ""
	}
	name := "page"
	if query.Has("limit") || query.Has("offset") {
		name = "offset"
	}
	next, ok := w.Next(b, name == "offset")
	if !ok {
		return ""
	}
	query.Set(name, strconv.Itoa(next))
	return "<" + c.API.Settings.BaseURL + c.Pattern + "?" + query.Encode() + `>; rel="next"`
}

// listPage is a page of public items, with the project of each where that is wanted, and with the
// cursor of the next page.
func (c *Call) listPage(tx bucket.Reader, q *lists.PublicQuery, projects bool) (Reply, error) {
	none := ""
	if c.API.Settings.Figshare {
		none = "0"
	}
	out := lists.NewWriter(getBuffer(), q.Take, none)
	last, err := q.Write(tx, out, projects)
	if err != nil {
		return Reply{}, err
	}
	text, sum := out.End()
	c.buffer = text
	r := Reply{Raw: text, Tag: tagOf(sum), Modified: c.changed, Cursor: q.Cursor(last)}
	if next := c.nextPage(q.Window, q.Bounds); next != "" && out.Len() == q.Take {
		r.Header = http.Header{"Link": {next}}
	}
	if q.ByCount() {
		r.Modified = time.Time{} // counts move without a change of anything that is dated
	}
	return r, nil
}
