package browser

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
)

var lighthouse = flag.String("lighthouse", "", "the command lighthouse; make check-site gets it")

// Home, search and the page of an item have the marks that Lighthouse gives at most, and at least 98
// for speed; each is the middle one of five. A search for words is not to be in the indexes of search
// machines, for which Lighthouse takes marks.
func TestLighthouse(t *testing.T) { // by itself: it measures
	if *lighthouse == "" {
		t.Skip("make check-site has lighthouse")
	}
	s := newScene(t)
	for _, p := range []place{{name: "home", at: "/"}, {name: "search", at: "/search"}, {name: "search-words", at: "/search?q=snow"}, {name: "item", at: s.item}} {
		t.Run(p.name, func(t *testing.T) {
			marks := map[string][]float64{}
			for range 5 {
				run := exec.Command(*lighthouse, s.URL+p.at, "--quiet", "--output=json", "--only-categories=performance,accessibility,best-practices,seo",
					"--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-quic --disable-background-networking --disable-component-update")
				run.Env = append(os.Environ(), "CHROME_PATH=/usr/bin/chromium")
				run.Stderr = os.Stderr
				said, err := run.Output()
				if err != nil {
					t.Fatal(err)
				}
				var report struct {
					Categories map[string]struct{ Score float64 }
					Audits     map[string]struct {
						Title   string
						Score   *float64
						Details json.RawMessage
					}
				}
				if err := json.Unmarshal(said, &report); err != nil {
					t.Fatal(err)
				}
				for name, c := range report.Categories {
					marks[name] = append(marks[name], 100*c.Score)
				}
				for name, a := range report.Audits {
					if a.Score != nil && *a.Score < 0.9 {
						t.Logf("%s: %s: %s %.2f %s", p.name, name, a.Title, *a.Score, snippet.FindAllString(string(a.Details), 5))
					}
				}
			}
			if len(marks) != 4 {
				t.Fatalf("%s: marks for %v", p.name, marks)
			}
			for name, list := range marks {
				slices.Sort(list)
				t.Logf("%s: %s %.0f", p.name, name, list[len(list)/2])
				least := 99.9
				switch {
				case name == "performance":
					least = 97.9
				case name == "seo" && p.name == "search-words":
					least = 0
				}
				if list[len(list)/2] < least {
					t.Errorf("%s: %s %v", p.name, name, list)
				}
			}
		})
	}
}

var snippet = regexp.MustCompile(`"snippet": *"(?:[^"\\]|\\.)*"`)
