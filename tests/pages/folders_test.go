package pages

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"alcove/tests/world"
)

var (
	rowName = regexp.MustCompile(`<th scope="row">([^<]+)`)
	folders = regexp.MustCompile(`<tr class="folder"><th scope="row"><a href="([^"]+)#files">([^<]+)/</a></th><td class="size">[^<]*</td><td class="actions">(\d*)`)
	more    = regexp.MustCompile(`<a rel="next" href="([^"]+)#files">`)
)

// walkFolder follows all links of a folder and of those in it, and tells the files by their paths.
func walkFolder(t *testing.T, c world.Client, at, path string) (files []string) {
	t.Helper()
	counted := 0
	for next := at; next != ""; {
		text := page(t, c, next, 200)
		for _, f := range rowName.FindAllStringSubmatch(text, -1) {
			files = append(files, path+f[1])
		}
		for _, f := range folders.FindAllStringSubmatch(text, -1) {
			inside := walkFolder(t, c, html.UnescapeString(f[1]), path+f[2]+"/")
			if fmt.Sprint(len(inside)) != f[3] {
				t.Errorf("%s%s is said to have %s files, and has %d", path, f[2], f[3], len(inside))
			}
			files = append(files, inside...)
		}
		next = ""
		if m := more.FindStringSubmatch(text); m != nil {
			next = html.UnescapeString(m[1])
		}
		if counted++; counted > 50 {
			t.Fatalf("%s does not end", at)
		}
	}
	return files
}

// Every file of a version is found by its folders, once, in parts that each have an address; those
// of other versions are not.
func TestFoldersOfPage(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Many files", "authors": [{"name": "Ada Lovelace"}]}`)
	places := map[string]int{"": 250, "a": 3, "a/b": 2, "a/b/c": 1, "a-b": 2, "a b": 1, "ä & <ö>": 2}
	for n := range 210 {
		places[fmt.Sprintf("many/%03d", n)] = 1
	}
	var want []string
	gone := ""
	add := func(folder, name string) string {
		link := "https://example.org/" + name
		r := s.Ada.Send("POST", made+"/files", fmt.Sprintf(`{"link": %q, "folder_path": %q}`, link, folder)).Is(201)
		return strings.TrimPrefix(r.Header.Get("Location"), s.URL)
	}
	for folder, n := range places {
		for i := range n {
			name := fmt.Sprintf("f%03d", i/2) // two of each name
			at := add(folder, name)
			if folder == "a/b/c" {
				gone = at
			}
			if folder != "" {
				name = html.EscapeString(folder) + "/" + name
			}
			want = append(want, name)
		}
	}
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at := pageOf(s, world.LastNumber(t, made))
	check := func(at string, want []string) {
		t.Helper()
		got := walkFolder(t, s.Anon, at, "")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%d files, not %d: %q", len(got), len(want), got)
		}
	}
	check(at, want)
	s.Ada.Do("DELETE", gone, nil).Is(204)
	add("new", "last")
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	check(at+"/1", slices.Clone(want))
	check(at, append(slices.DeleteFunc(want, func(f string) bool { return f == "a/b/c/f000" }), "new/last"))
	for _, none := range []string{"folder=a/b/c", "folder=many/0", "from=x", "from=0", "from=999999", "folder=many&from=zzz/", "folder=a%00", "from=%00/"} {
		if r := s.Anon.Get(at+"?"+none, "Accept", browser); r.StatusCode != 404 {
			t.Errorf("%s answers %d", none, r.StatusCode)
		}
	}
}
