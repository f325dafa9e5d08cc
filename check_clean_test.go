package main

import (
	"fmt"
	"strings"
	"testing"
)

// Publishing, withdrawing and deleting leave nothing that a check calls damaged.
func TestCheckAfterDeletions(t *testing.T) {
	t.Parallel()
	s := start(t)
	for n := range 2 {
		at := s.Ada.article(fmt.Sprintf(`{"title": "Item %d", "authors": [{"name": "A B"}], "references": ["https://doi.org/10.5072/alcove.1"]}`, n))
		s.Ada.upload(at, "data.bin", []byte(strings.Repeat("x", n+1)))
		s.Ada.do("POST", at+"/publish", nil).is(201)
		if n == 0 {
			s.Ada.upload(at, "more.bin", []byte("more"))
			s.Ada.do("POST", at+"/publish", nil).is(201)
		}
		s.Ada.send("POST", at+"/unpublish", `{"reason": "Withdrawn"}`).is(204)
		if n == 1 {
			s.Ada.upload(at, "later.bin", []byte("later"))
			s.Ada.do("POST", at+"/publish", nil).is(201)
			s.Ada.send("POST", at+"/unpublish", `{"reason": "Withdrawn"}`).is(204)
		}
		s.Ada.do("DELETE", at, nil).is(204)
	}
	if r, status := s.checked(); status != 0 || r.Found != 0 {
		t.Errorf("%d: %+v", status, r.Problems)
	}
}
