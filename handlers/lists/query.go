// Package lists says what lists have: it reads what a request asks for, decides along which index
// of the store the items are found, and yields those of a page in their order. It reads the store,
// and knows nothing of HTTP.
//
// A list of public items is found by one of four plans (plan.go): a scan of an ordered index; the
// identifiers that a filter names; a matchOrder, which is a scan past what a search does not match;
// and a sort of a few known items, with which the others end as soon as that is cheaper.
package lists

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"alcove/record"
)

// MinSearch is how many characters of search_for public searches need.
const MinSearch = 3

// Query is the query string of a request, without secrets. Names of single come once; of others,
// which nothing reads, the first counts. There are a few names, so a list of them costs less than
// a map.
type Query []parameter

type parameter struct{ name, value string }

// single are the parameters that some route reads. A client that sends one of them twice is
// refused with 400: proxies and servers differ in which of two they take. Those about pages are
// Complete's to refuse, with 422.
var single = []string{
	"article_id", "confirm", "count", "doi", "dry_run", "email", "end_date", "filename", "folder_path", "format", "group", "group_id", "handle", "id_gte", "id_lte", "impersonate", "inline",
	"institution", "institution_user_id", "is_active", "item_type", "modified_since", "name", "order", "order_direction", "project_id",
	"published_since", "resource_doi", "resource_id", "roles", "search_for", "start_date", "status", "storage", "sub_item", "sub_item_id", "user_id",
}

var (
	errQuery     error = record.Bad("InvalidQuery", "The query string is not valid")
	errQueryText error = record.Bad("InvalidQuery", "The query string is not valid UTF-8")
)

// Repeated is the refusal of a parameter that was sent more than once.
func Repeated(name string) error {
	return record.Bad("InvalidQuery", name+" was sent more than once")
}

// ReadQuery reads a query string, application/x-www-form-urlencoded.
func ReadQuery(raw string) (Query, error) {
	if raw == "" {
		return nil, nil
	}
	var q Query
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
		q = append(q, parameter{name, value})
	}
	if len(q) < 2 {
		return q, nil
	}
	for _, name := range single {
		if q.repeats(name) {
			return nil, Repeated(name)
		}
	}
	return q, nil
}

// Find is the value of a name.
func (q Query) Find(name string) (value string, ok bool) {
	for i := range q {
		if q[i].name == name {
			return q[i].value, true
		}
	}
	return "", false
}

// repeats reports whether a name comes more than once.
func (q Query) repeats(name string) bool {
	n := 0
	for i := range q {
		if q[i].name == name {
			n++
		}
	}
	return n > 1
}

// With is a query string that says the same, but for the value of a name.
func (q Query) With(name, value string) string {
	var b strings.Builder
	for _, p := range q {
		if p.name != name {
			b.WriteString(url.QueryEscape(p.name) + "=" + url.QueryEscape(p.value) + "&")
		}
	}
	return b.String() + name + "=" + value
}

// Integer is a whole number of the query; nil when it was not sent.
func (q Query) Integer(name string) (*int64, error) {
	text, ok := q.Find(name)
	if !ok {
		return nil, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, record.Wrong(name, "must be an integer")
	}
	return &n, nil
}

// Text sets a text that a body did not have.
func (q Query) Text(name string, to **string) {
	if text, ok := q.Find(name); ok && *to == nil {
		*to = new(text)
	}
}

// Number sets a whole number that a body did not have.
func (q Query) Number(name string, to **int64) (err error) {
	if *to == nil {
		*to, err = q.Integer(name)
	}
	return err
}
