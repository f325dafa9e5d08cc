package lists

import (
	"errors"
	"strings"
	"testing"

	"alcove/record"
)

// Of a name that comes twice the first counts; what is no query string, or no text, is
// refused by what is wrong first.
func TestReadQuery(t *testing.T) {
	const wrong, text = "The query string is not valid", "The query string is not valid UTF-8"
	for _, c := range []struct{ raw, name, value, message string }{
		{"", "a", "-", ""},
		{"a=1&b=2", "b", "2", ""},
		{"a=1&a=2", "a", "1", ""},
		{"&&a=1&", "a", "1", ""},
		{"a", "a", "", ""},
		{"%61=%20+x", "a", "  x", ""},
		{"a=b=c", "a", "b=c", ""},
		{"a=1&b=2&c=3&d=4&e=5&f=6", "f", "6", ""},
		{"a=1;b=2", "", "", wrong},
		{"a=%zz", "", "", wrong},
		{"%=1", "", "", wrong},
		{"a=%ff", "", "", text},
		{"a=1&a=%ff", "", "", text},
		{"order=views&order=views", "", "", "order was sent more than once"},
		{"order=views&page=1&%6Frder=", "", "", "order was sent more than once"},
		{"order=views&page=1&page=1", "order", "views", ""}, // paging refuses it
		{"a=%ff&a=1", "", "", text},
		{"a=%ff&b=%z", "", "", text},
		{"a=1&a=%ff&b=%z", "", "", text},
		{"b=%z&a=%ff", "", "", wrong},
	} {
		q, err := ReadQuery(c.raw)
		if c.message != "" {
			var refused *record.Error
			if !errors.As(err, &refused) || refused.Message != c.message || refused.Class != record.Unreadable {
				t.Errorf("%q is refused with %v, want %q", c.raw, err, c.message)
			}
			continue
		}
		value, ok := q.Find(c.name)
		if !ok {
			value = "-"
		}
		if err != nil || value != c.value {
			t.Errorf("%q has %q for %q (%v), want %q", c.raw, value, c.name, err, c.value)
		}
	}
	if _, err := ReadQuery(strings.Repeat("a=%ff&", 20_000)); err == nil {
		t.Error("what is no text is let through")
	}
}
