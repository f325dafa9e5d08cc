package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// Pages have a rate of their own: what comes too fast is told to wait, on a page; the API, styles and
// the plain folders go on.
func TestPageRate(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.PageRate, c.PageBurst = 1, 20 })
	_, at := published(s, `{"title": "One", "authors": [{"name": "Ada Lovelace"}]}`, "one.csv")
	refused := 0
	for range 60 {
		if r := s.Anon.Get(at, "Accept", browser); r.StatusCode == 429 {
			refused++
			if r.Header.Get("Retry-After") != "1" || r.Header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("the refusal has %v", r.Header)
			}
		} else {
			r.Is(200)
		}
	}
	if refused < 30 {
		t.Errorf("of 60 pages %d were refused", refused)
	}
	holds(t, page(t, s.Anon, "/", 429), "Too many requests", "Try again", `href=""`)
	page(t, s.Anon, "/nothing", 429)
	for range 60 {
		s.Anon.Get("/v2/articles").Is(200)
		s.Anon.Get(at + "/files/one.csv").Is(200)
		s.Anon.Get("/assets/site.css").Is(200)
	}
}

// Refusals that people meet are pages that help.
func TestErrorPagesOfFiles(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	made := s.Ada.Article(`{"title": "One", "authors": [{"name": "Ada Lovelace"}], "download_disabled": true}`)
	file := s.Ada.Upload(made, "one.csv", []byte("one"))
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	holds(t, page(t, s.Anon, fmt.Sprintf("/files/%d", world.LastNumber(t, file)), 403), "Not allowed", "The server says", `action="/search"`)
	holds(t, page(t, s.Anon, "/files/x", 400), "This address cannot be read")

	s.Harmed = "a file is gone from the disk"
	made = s.Ada.Article(`{"title": "Two", "authors": [{"name": "Ada Lovelace"}]}`)
	file = s.Ada.Upload(made, "two.csv", []byte("two"))
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	blobs, err := filepath.Glob(filepath.Join(s.Cfg.Data, "blobs", "*", "*"))
	if err != nil || len(blobs) == 0 {
		t.Fatal(blobs, err)
	}
	for _, b := range blobs {
		if err := os.RemoveAll(b); err != nil {
			t.Fatal(err)
		}
	}
	text := page(t, world.Client{Server: s.Quiet()}, fmt.Sprintf("/files/%d", world.LastNumber(t, file)), 500)
	holds(t, text, "Something failed here", "Request: <code>", "Try again")
	lacks(t, text, s.Cfg.Data, "blob", "searchbox large")
}
