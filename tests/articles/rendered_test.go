package articles

import (
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// A repository that is called by another address says the new one from its first answer on, and has its stored
// documents rendered again soon afterwards, by itself.
func TestRenderedAgain(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.BaseURL = "https://old.example.org" })
	s.URL = "http://" + s.Address()
	at := s.Ada.Article(`{"title": "Moves", "description": "d", "tags": ["t"], "categories": [37], "license": 1, "defined_type": "dataset", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Do("POST", s.URL+strings.TrimPrefix(at, "https://old.example.org")+"/publish", nil).Is(201)
	s.Stop()
	s.Cfg.BaseURL = "https://new.example.org"
	s.Boot()
	s.URL = "http://" + s.Address()
	for _, path := range []string{"/v2/articles", "/v2/articles/1"} {
		if text := string(s.Anon.Get(path).Is(200).Bytes); !strings.Contains(text, "https://new.example.org/") || strings.Contains(text, "old.example.org") {
			t.Errorf("%s says %s", path, text)
		}
	}
	s.Eventually("the documents are rendered again", func() bool {
		return strings.Contains(s.Logs.String(), `msg="rendered stored documents again" documents=1`)
	})
}
