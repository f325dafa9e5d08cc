package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"alcove/tests/world"
)

const registry = "../../../shared/data/open-data-registry.jsonl"

var (
	localLink = regexp.MustCompile(`(?:href|src)="(/[^"]*)"`)
	linked    = regexp.MustCompile(`(?s)<script type="application/ld\+json">(.*?)</script>`)
)

// The page of every real record is valid HTML, says what it is to machines, and every link in it that stays here
// leads somewhere. make check-site takes all of them, make check one in thirty.
func TestPagesOfRealRecords(t *testing.T) {
	f, err := os.Open(registry)
	if err != nil {
		t.Skip("the real records are not beside the repository: ", err)
	}
	defer f.Close()
	t.Parallel()
	s := world.Start(t)
	var bodies []string
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8<<20)
	for n := 0; lines.Scan(); n++ {
		if *vnu == "" && n%30 != 0 {
			continue
		}
		var r struct {
			Title, Description, Documentation, Citation string
			Tags                                        []string
			ManagedBy                                   string `json:"managed_by"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, world.AsJSON(map[string]any{"title": r.Title, "description": r.Description, "tags": r.Tags, "defined_type": "dataset", "categories": []int{37},
			"authors": []map[string]string{{"name": r.ManagedBy[:min(len(r.ManagedBy), 200)]}}, "funding": r.Citation, "custom_fields": map[string]string{"Documentation": r.Documentation}}))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	dir, seen := t.TempDir(), sync.Map{}
	var workers sync.WaitGroup
	next := make(chan string)
	for range 4 {
		workers.Go(func() {
			for body := range next {
				r := s.Ada.Send("POST", "/v2/account/articles", body)
				if r.StatusCode != 201 {
					t.Errorf("%d: %s\n%s", r.StatusCode, r.Bytes, body)
					continue
				}
				id := r.Object()["entity_id"]
				s.Ada.Send("POST", fmt.Sprintf("/v2/account/articles/%v/publish", id), "")
				at, ok := s.Anon.Get(fmt.Sprintf("/v2/articles/%v", id)).Object()["url_public_html"].(string)
				if !ok {
					t.Errorf("%s has no page", body)
					continue
				}
				walk(t, s, &seen, filepath.Join(dir, fmt.Sprintf("%v.html", id)), strings.TrimPrefix(at, s.URL))
			}
		})
	}
	for _, body := range bodies {
		next <- body
	}
	close(next)
	workers.Wait()
	if *vnu != "" {
		validate(t, dir)
	}
	count := 0
	seen.Range(func(any, any) bool { count++; return true })
	t.Logf("%d pages, %d links", len(bodies), count)
	if count < len(bodies) {
		t.Errorf("%d links in %d pages", count, len(bodies))
	}
}

// walk opens a page, writes it to a file, reads what it tells machines, and follows the links in it that
// no other page had.
func walk(t *testing.T, s *world.Server, seen *sync.Map, file, at string) {
	r := s.Anon.Get(at, "Accept", "text/html")
	if r.StatusCode != 200 {
		t.Errorf("%s answers %d", at, r.StatusCode)
		return
	}
	if err := os.WriteFile(file, r.Bytes, 0o644); err != nil {
		t.Error(err)
	}
	text := string(r.Bytes)
	var about struct {
		Context     string `json:"@context"`
		Type        string `json:"@type"`
		Name        string
		Description string
		URL         string
		License     string
		Creator     []struct{ Name string }
		Published   string `json:"datePublished"`
	}
	m := linked.FindStringSubmatch(text)
	if m == nil {
		t.Errorf("%s has no JSON-LD", at)
		return
	}
	if err := json.Unmarshal([]byte(m[1]), &about); err != nil {
		t.Errorf("%s: %v: %s", at, err, m[1])
	}
	if !strings.HasPrefix(about.Context, "https://schema.org") || about.Type != "Dataset" || about.Name == "" || about.Description == "" || len(about.Creator) == 0 || about.License == "" || about.Published == "" {
		t.Errorf("%s says of itself %s", at, m[1])
	}
	for _, l := range localLink.FindAllStringSubmatch(text, -1) {
		to := html.UnescapeString(l[1])
		if _, before := seen.LoadOrStore(to, true); before {
			continue
		}
		for range 3 { // a link may lead on
			r := s.Anon.Get(to, "Accept", "text/html")
			if r.StatusCode == http.StatusFound || r.StatusCode == http.StatusMovedPermanently {
				to = strings.TrimPrefix(r.Header.Get("Location"), s.URL)
				continue
			}
			if r.StatusCode != 200 {
				t.Errorf("%s leads to %s, which answers %d", at, to, r.StatusCode)
			}
			break
		}
	}
}
