package crash

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// Publishing, withdrawing and deleting leave nothing that a check calls damaged.
func TestCheckAfterDeletions(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for n := range 2 {
		at := s.Ada.Article(fmt.Sprintf(`{"title": "Item %d", "authors": [{"name": "A B"}], "references": ["https://doi.org/10.5072/alcove.1"]}`, n))
		s.Ada.Upload(at, "data.bin", []byte(strings.Repeat("x", n+1)))
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		if n == 0 {
			s.Ada.Upload(at, "more.bin", []byte("more"))
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
		}
		s.Ada.Send("POST", at+"/unpublish", `{"reason": "Withdrawn"}`).Is(204)
		if n == 1 {
			s.Ada.Upload(at, "later.bin", []byte("later"))
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
			s.Ada.Send("POST", at+"/unpublish", `{"reason": "Withdrawn"}`).Is(204)
		}
		s.Ada.Do("DELETE", at, nil).Is(204)
	}
	if r, status := s.Checked(); status != 0 || r.Found != 0 {
		t.Errorf("%d: %+v", status, r.Problems)
	}
}
