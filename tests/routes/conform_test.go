package routes

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// The documents see what is wrong: a key too many, one that is missing, a wrong type, and
// a status that is not told.
func TestConformanceSees(t *testing.T) {
	c, err := Conforming()
	if err != nil {
		t.Fatal(err)
	}
	if c.Public == nil {
		t.Log(PublicDocument + " is not there: answers are held against our own document only")
	}
	var r route
	for _, line := range All() {
		if line.Method == "GET" && line.Path == "/v2/licenses" {
			r = line
		}
	}
	for n, a := range []struct {
		status int
		body   string
		want   string
	}{
		{200, `[{"value": 1, "name": "A", "url": "b"}]`, ""},
		{200, `[{"value": 1, "name": "A"}]`, `/*/url required`},
		{200, `[{"value": 1, "name": "A", "url": "b", "more": 1}]`, `"more" is unsupported`},
		{200, `[{"value": "1", "name": "A", "url": "b"}]`, "/*/value type"},
		{200, `{}`, "type"},
		{201, `[]`, "no such status"},
		{422, `{"message": "a", "code": "b", "data": {}}`, "no such status"},
		{400, `{"message": "a", "code": "b"}`, "/data required"},
	} {
		res := &http.Response{StatusCode: a.status, Header: http.Header{"Content-Type": {"application/json"}}}
		got := strings.Join(c.differs(t.Name()+strconv.Itoa(n), r, &http.Request{Method: "GET"}, res, []byte(a.body)), "\n")
		if (got == "") != (a.want == "") || !strings.Contains(got, a.want) {
			t.Errorf("%d %s: %q, want %q", a.status, a.body, got, a.want)
		}
	}
}
