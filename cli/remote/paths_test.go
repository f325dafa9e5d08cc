package remote

import (
	"slices"
	"strings"
	"testing"

	"alcove/cli/fetch"
)

// Names from elsewhere stay below the folder, are files on every system, and none is another's.
func TestPaths(t *testing.T) {
	file := func(p string) fetch.File {
		folder, name, found := p, "", false
		if i := strings.LastIndex(p, "|"); i >= 0 {
			folder, name, found = p[:i], p[i+1:], true
		}
		if !found {
			folder, name = "", p
		}
		return fetch.File{Folder: folder, Name: name}
	}
	for _, tt := range []struct {
		files string // with spaces between; folder|name
		want  string // paths, or what the refusal says after !
	}{
		{"a.csv logs|a.csv logs/deep|rün.txt", "a.csv logs/a.csv logs/deep/rün.txt"},
		{"con.csv2 console.txt", "!device"},
		{"console.txt com10", "console.txt com10"},
		{"../a", "!slash"},
		{"..", "!no name"},
		{"..|a", "!no name"},
		{"a/../..|b", "!no name"},
		{"a//b|c", "!no name"},
		{`a\b`, "!backslash"},
		{"NUL", "!device"},
		{"logs|aux.txt", "!device"},
		{"lpt1|a", "!device"},
		{"a\x1b[2J", "!control characters"},
		{"A.csv a.csv", "!the same in a folder"},
		{"a.csv a.csv", "!the same in a folder"},
		{"\u00fc u\u0308", "!the same in a folder"},
		{"Logs|a logs|b", "!the same on some systems"},
		{"logs logs|b", "!a file and"},
		{"LOGS logs/x|b", "!a file and"},
		{strings.Repeat("n", 256), "!more than 255 bytes"},
		{"a" + partial, "!under way"},
	} {
		var files []fetch.File
		for _, p := range strings.Split(tt.files, " ") {
			files = append(files, file(p))
		}
		got, err := paths(files)
		if refused, ok := strings.CutPrefix(tt.want, "!"); ok {
			if err == nil || !strings.Contains(err.Error(), refused) {
				t.Errorf("%q: %q, %v, want %q", tt.files, got, err, refused)
			}
			continue
		}
		if err != nil || !slices.Equal(got, strings.Split(tt.want, " ")) {
			t.Errorf("%q: %q, %v", tt.files, got, err)
		}
	}
}
