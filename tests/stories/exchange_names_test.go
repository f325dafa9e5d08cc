package stories

import (
	"fmt"
	"testing"

	"alcove/tests/routes"
)

// Which test is named for an answer: the one that is named already as long as it sees the answer,
// else the one that is most about the operation; never one that walks through all routes for a
// success, and none at all when none saw it.
func TestWitnessNames(t *testing.T) {
	w := &exchanges{seen: map[routes.Exchange]int{
		{Test: "TestAbout", Method: "GET", Pattern: "/x", Status: 200, Message: ""}:               3,
		{Test: "TestBeside", Method: "GET", Pattern: "/x", Status: 200, Message: ""}:              1,
		{Test: "TestBeside", Method: "GET", Pattern: "/y", Status: 200, Message: ""}:              9,
		{Test: "TestBeside", Method: "GET", Pattern: "/x", Status: 404, Message: "Gone X is not"}: 1,
		{Test: "TestWalk", Method: "GET", Pattern: "/x", Status: 200, Message: ""}:                1,
		{Test: "TestWalk", Method: "GET", Pattern: "/x", Status: 403, Message: "Role No"}:         1,
	}}
	for n := range maxShown {
		w.seen[routes.Exchange{Test: "TestWalk", Method: "GET", Pattern: fmt.Sprint("/", n), Status: 200, Message: ""}] = 1
	}
	x := operation{method: "GET", pattern: "/x"}
	for _, c := range []struct {
		answer      answer
		named, want string
	}{
		{answer{status: 200}, "", "TestAbout"},
		{answer{status: 200}, "TestBeside", "TestBeside"},
		{answer{status: 200}, "TestWalk", "TestAbout"},
		{answer{status: 200}, "TestElse", "TestAbout"},
		{answer{status: 404, message: "X is not"}, "TestAbout", "TestBeside"},
		{answer{status: 404, message: "Y is not"}, "TestBeside", ""},
		{answer{status: 403, message: "No"}, "", "TestWalk"},
		{answer{status: 422, message: "No"}, "TestWalk", ""},
	} {
		if got, _ := w.who(x, c.answer, c.named); got != c.want {
			t.Errorf("for %v, with %q named, %q is named, want %q", c.answer, c.named, got, c.want)
		}
	}
	if _, instead := w.who(x, answer{status: 404, message: "Y is not"}, ""); instead != `, but ["Gone X is not"]` {
		t.Errorf("instead is %q", instead)
	}
}
