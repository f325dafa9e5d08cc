package search

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/world"
)

// A search that meets damage is no error: it is answered, whole, when the next index is there.
func TestSearchMeetsDamage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const items = 30
	for n := range items {
		s.Ada.Published(fmt.Sprintf("Glacier number%d", n))
	}
	search := func() int {
		t.Helper()
		return len(strings.Fields(s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "glacier", "limit": 100}`).Shown()))
	}
	if n := search(); n != items {
		t.Fatalf("%d found", n)
	}
	s.Restart() // now everything is in files
	paths, err := filepath.Glob(filepath.Join(s.Cfg.Data, "index", "*", "*.zap"))
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, p := range paths {
		if err := os.Truncate(p, 0); err != nil && !os.IsNotExist(err) { // what was merged meanwhile goes
			t.Fatal(err)
		}
	}
	if n := search(); n != items {
		t.Errorf("%d found in files that were cut off", n)
	}
	own := strings.Fields(s.Ada.Send("POST", "/v2/account/articles/search", `{"search_for": "glacier", "limit": 100}`).Shown())
	if len(own) != items {
		t.Errorf("%d own found in files that were cut off", len(own))
	}
}
