package endpoint

import (
	"net/http"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/handlers/lists"
	"alcove/record"
)

const CursorHeader = "X-Cursor"

// ListRequest is what a call asks of a list.
func (c *Call) ListRequest() *lists.Request {
	return &lists.Request{Query: c.Query, Cursor: c.Header.Get(CursorHeader), Sealer: c.Server.cursors, Warn: c.Warn}
}

// Page is the window of a GET list that has no cursors.
func (c *Call) Page(b lists.Bounds) (lists.Window, error) {
	if err := c.NoCursor(); err != nil {
		return lists.Window{}, err
	}
	return lists.Paging{}.Window(c.Query, b)
}

// NoCursor refuses a cursor where there are none: a client that was shown the first page
// for it would never come to the end.
func (c *Call) NoCursor() error {
	if c.Header.Get(CursorHeader) != "" {
		return record.Wrong(CursorHeader, "is not taken by this list")
	}
	return nil
}

// PublicList answers a GET list of public items.
func (c *Call) PublicList(l *lists.Public) (r Reply, err error) {
	q, err := l.Query(c.ListRequest(), lists.ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	err = c.Server.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = c.ListPage(tx, q, false)
		return err
	})
	return r, err
}

// nextPage is a link to the page behind a full one (RFC 8288), which may be empty; "" where pages end. A client with
// a cursor goes on by the cursor of the answer.
func (c *Call) nextPage(w lists.Window, b lists.Bounds) string {
	if c.Method == http.MethodPost || c.Header.Get(CursorHeader) != "" {
		return ""
	}
	name := "page"
	for _, byOffset := range []string{"limit", "offset"} {
		if _, asked := c.Query.Find(byOffset); asked {
			name = "offset"
		}
	}
	next, ok := w.Next(b, name == "offset")
	if !ok {
		return ""
	}
	return "<" + c.Server.Settings.BaseURL + c.Pattern + "?" + c.Query.With(name, strconv.Itoa(next)) + `>; rel="next"`
}

// ListPage is a page of public items, with the project of each where that is wanted, and with the
// cursor of the next page.
func (c *Call) ListPage(tx bucket.Reader, q *lists.PublicQuery, projects bool) (Reply, error) {
	none := ""
	if c.Server.Settings.Figshare {
		none = "0"
	}
	out := lists.NewWriter(GetBuffer(), q.Take, none)
	last, err := q.Write(tx, out, projects)
	if err != nil {
		return Reply{}, err
	}
	text, sum := out.End()
	c.Buffer = text
	r := Reply{Raw: text, Tag: TagOf(sum), Modified: c.Changed, Cursor: q.Cursor(last)}
	if next := c.nextPage(q.Window, q.Bounds); next != "" && out.Len() == q.Take {
		r.Header = http.Header{"Link": {next}}
	}
	if q.ByCount() {
		r.Modified = time.Time{} // counts move without a change of anything that is dated
	}
	return r, nil
}

// orderRefused refuses any order of a list that has one of its own: an order that is ignored
// misleads.
func (c *Call) orderRefused(r *Route) error {
	if _, asked := c.Query.Find("order"); asked && r.About.Unordered(c.Server.Queries) {
		return record.ErrBadOrder
	}
	return nil
}
