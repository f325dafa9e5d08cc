package files

import (
	"fmt"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// Metadata counts against the quota of the owner: what an item has beyond 16 KiB, with that of its
// public versions. Nothing of an item that does not fit is stored, and what is shortened or removed
// no longer counts.
func TestMetadataCountsAgainstQuota(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.AccountQuota = 100_000 })
	used := func() int { return int(s.Ada.Get("/v2/account").Object()["used_quota"].(float64)) }
	body := func(n int) string {
		return fmt.Sprintf(`{"title": "Of long metadata", "authors": [{"name": "A B"}], "description": %q}`, strings.Repeat("x", n))
	}
	for _, kind := range []string{"articles", "collections"} {
		t.Run(kind, func(t *testing.T) {
			path := "/v2/account/" + kind
			s.Ada.Send("POST", path, body(15_000)).Is(201)
			if n := used(); n != 0 {
				t.Errorf("short metadata counts %d", n)
			}
			at := s.Ada.Send("POST", path, body(56_384)).Is(201).Header.Get("Location")
			first := used()
			if first < 40_000 || first > 41_000 {
				t.Errorf("56,384 characters count %d", first)
			}
			items := func() int { return len(s.Ada.Get(path).List()) }
			before := items()
			s.Ada.Send("POST", path, body(90_000)).Refuses(422, "quota of the account")
			s.Ada.Send("PATCH", at, `{"references": `+world.JSONList(5000, `"https://example.org/#"`)+`}`).Refuses(422, "quota of the account")
			s.Ada.Send("PUT", at+"/authors", `{"authors": `+world.JSONList(400, `{"name": "Author N#"}`)+`}`).Refuses(422, "quota of the account")
			if items() != before || used() != first || len(s.Ada.Get(at).Object()["references"].([]any)) != 0 {
				t.Errorf("a refused change left %d items, %d bytes", items(), used())
			}
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
			if n := used(); n != 2*first {
				t.Errorf("with a public version %d, want %d", n, 2*first)
			}
			s.Ada.Send("PATCH", at, `{"title": "Once more"}`).Is(205)
			s.Ada.Do("POST", at+"/publish", nil).Refuses(422, "quota of the account")
			s.Ada.Send("PATCH", at, `{"description": "short"}`).Is(205)
			if n := used(); n != first {
				t.Errorf("shortened %d, want %d", n, first)
			}
			if kind == "articles" {
				s.Ada.Send("PATCH", at+"/versions/1", `{"description": "short"}`).Is(205)
				if n := used(); n != 0 {
					t.Errorf("with a shortened version %d", n)
				}
				s.Ada.Send("POST", at+"/unpublish", `{"reason": "no longer"}`)
			}
			s.Ada.Do("DELETE", at, nil).Is(204)
			if n := used(); n != 0 {
				t.Errorf("removed %d", n)
			}
		})
	}
}
