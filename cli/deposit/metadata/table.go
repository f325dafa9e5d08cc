package metadata

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// columns are those of a table, with what they are in the body.
var columns = map[string]string{
	"folder": "", "title": "title", "description": "description", "authors": "authors", "keywords": "keywords", "categories": "categories",
	"license": "license", "licence": "license", "type": "defined_type", "funding": "funding", "references": "references",
	"embargo_until": "", "embargo_reason": "embargo_reason", "group_id": "group_id",
}

// Row is what a table says of a folder: the row whose column "folder" has its name, or its path beside the table.
// It is nil where there is none.
func Row(path, folder string) (*Found, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	f, err := row(string(text), filepath.Dir(path), folder)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if f != nil {
		f.Source = path
	}
	return f, nil
}

func row(text, dir, folder string) (*Found, error) {
	r := csv.NewReader(strings.NewReader(text))
	first, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(first, ",") {
		for _, c := range ";\t" { // as spreadsheets of some countries write them
			if strings.ContainsRune(first, c) {
				r.Comma = c
			}
		}
	}
	head, err := r.Read()
	if err == io.EOF {
		return nil, errors.New("it is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("bad CSV: %w", err)
	}
	at := -1
	for i, name := range head {
		head[i] = strings.ToLower(strings.TrimSpace(name))
		if _, ok := columns[head[i]]; !ok {
			return nil, fmt.Errorf("there is no column %q; there are %s", name, strings.Join(slices.Sorted(maps.Keys(columns)), ", "))
		}
		if slices.Contains(head[:i], head[i]) {
			return nil, fmt.Errorf("the column %q stands twice", name)
		}
		if head[i] == "folder" {
			at = i
		}
	}
	if at < 0 {
		return nil, errors.New(`it has no column "folder"`)
	}
	var found *Found
	line := 0
	for {
		cells, err := r.Read()
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("bad CSV: %w", err)
		}
		if !names(cells[at], dir, folder) {
			continue
		}
		now, _ := r.FieldPos(at)
		if found != nil {
			return nil, fmt.Errorf("the folder %q stands on line %d and again on line %d", cells[at], line, now)
		}
		line = now
		if found, err = cellsOf(head, cells); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// names tells whether a cell stands for a folder.
func names(cell, dir, folder string) bool {
	cell = filepath.Clean(filepath.FromSlash(strings.TrimSpace(cell)))
	if cell == "." {
		return false
	}
	if !filepath.IsAbs(cell) {
		cell = filepath.Join(dir, cell)
	}
	a, err1 := filepath.Abs(cell)
	b, err2 := filepath.Abs(folder)
	return err1 == nil && err2 == nil && a == b
}

func cellsOf(head, cells []string) (*Found, error) {
	f := &Found{Body: map[string]any{}}
	for i, name := range head {
		value := strings.TrimSpace(cells[i])
		if value == "" {
			continue
		}
		key := columns[name]
		switch name {
		case "folder":
		case "description":
			f.set(key, Paragraphs(value))
		case "keywords", "categories", "references":
			f.set(key, parts(value))
		case "authors":
			var authors []map[string]any
			for _, text := range parts(value) {
				a, err := Author(text)
				if err != nil {
					return nil, err
				}
				authors = append(authors, a)
			}
			f.set(key, authors)
		case "embargo_until":
			f.set("is_embargoed", true)
			f.set("embargo_type", "file")
			f.set("embargo_date", value)
		case "group_id":
			id, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("%q is not the id of a group", value)
			}
			f.set(key, id)
		default:
			f.set(key, value)
		}
	}
	return f, nil
}

// parts are the values of a cell, with semicolons between them.
func parts(cell string) (list []string) {
	for _, p := range strings.FieldsFunc(cell, func(r rune) bool { return r == ';' || r == '\n' }) {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, p)
		}
	}
	return list
}
