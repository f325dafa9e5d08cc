package handlers

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"alcove/record"
)

// query is the query string of a request, without secrets. Names of single come once; of others,
// which nothing reads, the first counts. There are a few names, so a list of them costs less than
// a map.
type query []pair

type pair struct{ name, value string }

// find is the value of a name.
func (q query) find(name string) (value string, ok bool) {
	for i := range q {
		if q[i].name == name {
			return q[i].value, true
		}
	}
	return "", false
}

// single are the parameters that some route reads. A client that sends one of them twice is
// refused with 400: proxies and servers differ in which of two they take. Those about pages are
// paging's to refuse, with 422 (specification 4.1).
var single = []string{
	"article_id", "confirm", "doi", "dry_run", "email", "filename", "folder_path", "group", "group_id", "handle", "id_gte", "id_lte", "impersonate", "inline",
	"institution", "institution_user_id", "is_active", "item_type", "modified_since", "name", "order", "order_direction", "project_id",
	"published_since", "resource_doi", "resource_id", "roles", "search_for", "status", "storage", "user_id",
}

// readQuery reads a query string, application/x-www-form-urlencoded.
func readQuery(raw string) (query, error) {
	if raw == "" {
		return nil, nil
	}
	var q query
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, bad := url.QueryUnescape(name)
		value, worse := url.QueryUnescape(value)
		if bad != nil || worse != nil || strings.Contains(part, ";") {
			return nil, errQuery
		}
		if !utf8.ValidString(value) {
			return nil, errQueryText
		}
		q = append(q, pair{name, value})
	}
	if len(q) < 2 {
		return q, nil
	}
	for _, name := range single {
		if q.repeats(name) {
			return nil, repeated(name)
		}
	}
	return q, nil
}

// repeats reports whether a name comes more than once.
func (q query) repeats(name string) bool {
	n := 0
	for i := range q {
		if q[i].name == name {
			n++
		}
	}
	return n > 1
}

var (
	errQuery     error = record.Bad("InvalidQuery", "The query string is not valid")
	errQueryText error = record.Bad("InvalidQuery", "The query string is not valid UTF-8")
)

// repeated is the refusal of a parameter that was sent more than once.
func repeated(name string) error {
	return record.Bad("InvalidQuery", name+" was sent more than once")
}

// integer is a whole number of the query; nil when it was not sent.
func (q query) integer(name string) (*int64, error) {
	text, ok := q.find(name)
	if !ok {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, record.Wrong(name, "must be an integer")
	}
	return &n, nil
}

// Paging is what a request says about pages (specification 4.1).
type Paging struct {
	Page     *int64 `json:"page"`
	PageSize *int64 `json:"page_size"`
	Limit    *int64 `json:"limit"`
	Offset   *int64 `json:"offset"`
}

// bounds are the limits of a list (specification 4.1 and 8, decisions 8 and 9).
type bounds struct {
	maxPage, maxSize int64
	usual            int64         // items of a page when the request does not say
	tooFar           *record.Error // the answer beyond the maxima
}

var (
	errTooFar = &record.Error{Class: record.Invalid, Code: "MaxPageReached", Message: record.ErrMaxPage.Message}

	publicItems = bounds{5000, 1000, 10, record.ErrMaxPage}
	ownItems    = bounds{100, 1000, 10, record.ErrMaxPage}
	fileLists   = bounds{5000, 1000, 1000, errTooFar}
)

const (
	maxOffset  = 5000
	maxReached = 9000 // items that pages can reach (specification 8)
)

// window is the part of a list that a reply shows.
type window struct{ skip, take int }

// paging merges what the query says into what a body said; the body counts first.
func (c *Call) paging(body Paging) (Paging, error) {
	for _, f := range []struct {
		name string
		to   **int64
	}{{"page", &body.Page}, {"page_size", &body.PageSize}, {"limit", &body.Limit}, {"offset", &body.Offset}} {
		if c.Query.repeats(f.name) {
			return body, record.Wrong(f.name, "was sent more than once")
		}
		if *f.to != nil {
			continue
		}
		n, err := c.Query.integer(f.name)
		if err != nil {
			return body, err
		}
		*f.to = n
	}
	return body, nil
}

// window checks paging against the bounds of a list.
func (p Paging) window(b bounds) (window, error) {
	if (p.Page != nil || p.PageSize != nil) && (p.Limit != nil || p.Offset != nil) {
		return window{}, record.ErrPaginationMix
	}
	page, size, offset := value(p.Page, 1), value(p.PageSize, b.usual), value(p.Offset, 0)
	name := "page_size"
	if p.Limit != nil {
		name, size = "limit", *p.Limit
	}
	switch {
	case page < 1:
		return window{}, record.Wrong("page", "must be at least 1")
	case size < 1 || size > b.maxSize:
		return window{}, record.Wrong(name, "must be from 1 to "+strconv.FormatInt(b.maxSize, 10))
	case offset < 0:
		return window{}, record.Wrong("offset", "must not be negative")
	case page > b.maxPage || offset > maxOffset:
		return window{}, b.tooFar
	}
	skip := (page-1)*size + offset
	if skip+size > maxReached {
		return window{}, b.tooFar
	}
	return window{int(skip), int(size)}, nil
}

func value(p *int64, otherwise int64) int64 {
	if p == nil {
		return otherwise
	}
	return *p
}

// noCursor refuses a cursor where there are none: a client that was shown the first page
// for it would never come to the end.
func (c *Call) noCursor() error {
	if c.Header.Get("X-Cursor") != "" {
		return record.Wrong("X-Cursor", "is not taken by this list")
	}
	return nil
}

// page is the window of a GET list that has no cursors.
func (c *Call) page(b bounds) (window, error) {
	if err := c.noCursor(); err != nil {
		return window{}, err
	}
	p, err := c.paging(Paging{})
	if err != nil {
		return window{}, err
	}
	return p.window(b)
}
