// Package docs has the pages of this folder in the program, which alcove docs prints; not testing.md, as it names what
// the released program must not have.
package docs

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed administration.md architecture.md clients.md compatibility.md dependencies.md durability.md getting-started-institution.md getting-started-laptop.md
//go:embed getting-started-researcher.md glossary.md install.md interoperability.md operations.md performance.md search.md security.md sign-in.md
var files embed.FS

// Page is a page of the documentation.
type Page struct {
	Name  string // of its file, without .md
	Title string // its first heading
	Text  string // Markdown
}

// Pages are all pages, by their names.
func Pages() (list []Page) {
	names, _ := fs.Glob(files, "*.md") // the pattern is right
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			continue // what was listed is there
		}
		p := Page{Name: strings.TrimSuffix(name, ".md"), Text: string(text)}
		for line := range strings.Lines(p.Text) {
			if title, ok := strings.CutPrefix(line, "# "); ok {
				p.Title = strings.TrimSpace(title)
				break
			}
		}
		list = append(list, p)
	}
	return list
}
