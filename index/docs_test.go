package index

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/record"
)

// The table of docs/search.md is true: each example is asked among the items that its
// row, and every other row, gives as found and as not found.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "search.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(page), "| you write |")
	if !ok {
		t.Fatal("docs/search.md has no table of examples")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	dir := t.TempDir()
	db := openStore(t, dir)
	ix := openIndex(t, dir, db)
	ids := map[string]int64{}
	idsIn := func(cell string) (list []int64) {
		for _, text := range strings.Split(cell, ";") {
			if text = strings.TrimSpace(text); text == "" {
				continue
			}
			if ids[text] == 0 {
				ids[text] = int64(len(ids) + 1)
				example(t, db, ids[text], text)
			}
			list = append(list, ids[text])
		}
		return list
	}
	type row struct {
		query      string
		found, not []int64
	}
	var rows []row
	for _, line := range strings.Split(table, "\n")[2:] {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		query := strings.Trim(strings.TrimSpace(cells[0]), "`")
		if len(cells) != 4 || query == "" {
			t.Fatalf("a row is not four cells: %s", line)
		}
		r := row{query, idsIn(cells[2]), idsIn(cells[3])}
		if len(r.found) == 0 {
			t.Errorf("%s has no example", query)
		}
		rows = append(rows, r)
	}
	if len(rows) < 15 {
		t.Fatalf("%d rows", len(rows))
	}
	wait(t, ix, db)
	for _, r := range rows {
		got := find(t, ix, r.query)
		for text, id := range ids {
			if slices.Contains(r.found, id) && !slices.Contains(got, id) {
				t.Errorf("%s does not find %q", r.query, text)
			}
			if slices.Contains(r.not, id) && slices.Contains(got, id) {
				t.Errorf("%s finds %q", r.query, text)
			}
		}
	}
	for text := range ids {
		what, _, _ := strings.Cut(text, " ")
		if slices.Contains([]string{"tag", "author", "file", "doi", "published"}, what) {
			continue
		}
		if got := find(t, ix, `"`+text+`"`); !slices.Contains(got, ids[text]) {
			t.Errorf("%q does not find itself", text)
		}
	}
}

// example publishes an item of the documentation: with that title, or with what is named
// by the first word.
func example(t *testing.T, db *bucket.DB, id int64, text string) {
	t.Helper()
	m, at := title("untitled"), publishedAt
	var authors []record.Person
	var files []string
	what, value, _ := strings.Cut(text, " ")
	switch what {
	case "tag":
		m.Tags = []string{value}
	case "author":
		authors = []record.Person{{FullName: value}}
	case "file":
		files = []string{value}
	case "doi":
		m.DOI = value
	case "published":
		var err error
		if at, err = time.Parse(time.DateOnly, value); err != nil {
			t.Fatal(err)
		}
	default:
		m.Title = text
	}
	change(t, db, func(tx *bucket.Tx) error {
		if err := put(tx, id, m, authors, files...); err != nil {
			return err
		}
		p, err := published.Articles.Get(tx, id)
		if err != nil {
			return err
		}
		p.Published = at
		return published.Articles.Put(tx, id, p)
	})
}
