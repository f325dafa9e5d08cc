package main

import (
	"fmt"
	"strings"
	"testing"

	"alcove/config"
)

// Metadata counts against the quota of the owner: what an item has beyond 16 KiB, with that of its
// public versions. Nothing of an item that does not fit is stored, and what is shortened or removed
// no longer counts.
func TestMetadataCountsAgainstQuota(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.AccountQuota = 100_000 })
	used := func() int { return int(s.Ada.get("/v2/account").object()["used_quota"].(float64)) }
	body := func(n int) string {
		return fmt.Sprintf(`{"title": "Of long metadata", "authors": [{"name": "A B"}], "description": %q}`, strings.Repeat("x", n))
	}
	for _, kind := range []string{"articles", "collections"} {
		t.Run(kind, func(t *testing.T) {
			path := "/v2/account/" + kind
			s.Ada.send("POST", path, body(15_000)).is(201)
			if n := used(); n != 0 {
				t.Errorf("short metadata counts %d", n)
			}
			at := s.Ada.send("POST", path, body(56_384)).is(201).Header.Get("Location")
			first := used()
			if first < 40_000 || first > 41_000 {
				t.Errorf("56,384 characters count %d", first)
			}
			items := func() int { return len(s.Ada.get(path).list()) }
			before := items()
			s.Ada.send("POST", path, body(90_000)).refuses(422, "quota of the account")
			s.Ada.send("PATCH", at, `{"references": `+entries(5000, `"https://example.org/#"`)+`}`).refuses(422, "quota of the account")
			s.Ada.send("PUT", at+"/authors", `{"authors": `+entries(400, `{"name": "Author N#"}`)+`}`).refuses(422, "quota of the account")
			if items() != before || used() != first || len(s.Ada.get(at).object()["references"].([]any)) != 0 {
				t.Errorf("a refused change left %d items, %d bytes", items(), used())
			}
			s.Ada.do("POST", at+"/publish", nil).is(201)
			if n := used(); n != 2*first {
				t.Errorf("with a public version %d, want %d", n, 2*first)
			}
			s.Ada.send("PATCH", at, `{"title": "Once more"}`).is(205)
			s.Ada.do("POST", at+"/publish", nil).refuses(422, "quota of the account")
			s.Ada.send("PATCH", at, `{"description": "short"}`).is(205)
			if n := used(); n != first {
				t.Errorf("shortened %d, want %d", n, first)
			}
			if kind == "articles" {
				s.Ada.send("PATCH", at+"/versions/1", `{"description": "short"}`).is(205)
				if n := used(); n != 0 {
					t.Errorf("with a shortened version %d", n)
				}
				s.Ada.send("POST", at+"/unpublish", `{"reason": "no longer"}`)
			}
			s.Ada.do("DELETE", at, nil).is(204)
			if n := used(); n != 0 {
				t.Errorf("removed %d", n)
			}
		})
	}
}
