package handlers

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"alcove/record"
)

// query is the query string of a request, without secrets: of a name that comes twice the
// first counts. There are a few names, so a list of them costs less than a map.
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

// readQuery reads a query string (specification 1: application/x-www-form-urlencoded) into
// a room.
func readQuery(raw string, room query) (query, error) {
	if raw == "" {
		return nil, nil
	}
	q, text := room[:0], true
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, bad := url.QueryUnescape(name)
		value, worse := url.QueryUnescape(value)
		if bad != nil || worse != nil || strings.Contains(part, ";") {
			return nil, cmp.Or(q.valid(text), errQuery)
		}
		text = text && utf8.ValidString(value)
		q = append(q, pair{name, value})
	}
	return q, q.valid(text)
}

var errQuery error = record.Bad("InvalidQuery", "The query string is not valid")

// valid refuses values that are no text, unless another of that name counts. text says
// that there are none.
func (q query) valid(text bool) error {
	if text {
		return nil
	}
	seen := map[string]bool{}
	for _, p := range q {
		if !seen[p.name] && !utf8.ValidString(p.value) {
			return record.Bad("InvalidQuery", "The query string is not valid UTF-8")
		}
		seen[p.name] = true
	}
	return nil
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
	errTooFar = &record.Error{Kind: record.Invalid, Code: "MaxPageReached", Message: record.ErrMaxPage.Message}

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
		return record.Wrong("X-Cursor", "is for public lists and searches")
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
