package docs

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each page of the folder is in the program, but the one on tests.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, f := range files {
		if f != "testing.md" {
			want = append(want, strings.TrimSuffix(f, ".md"))
		}
	}
	for _, p := range Pages() {
		got = append(got, p.Name)
		if p.Title == "" || len(p.Text) < 100 {
			t.Errorf("%s has no title or no text", p.Name)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("in the program are %q, want %q", got, want)
	}
}
