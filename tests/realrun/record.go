package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
)

// entry is one record of the registry file.
type entry struct {
	Slug            string            `json:"slug"`
	Title           string            `json:"title"`
	Description     string            `json:"description"`
	Tags            []string          `json:"tags"`
	License         string            `json:"license"`
	ManagedBy       string            `json:"managed_by"`
	Documentation   string            `json:"documentation"`
	UpdateFrequency string            `json:"update_frequency"`
	Citation        string            `json:"citation"`
	Resources       []json.RawMessage `json:"resources"`
	Related         []struct {
		URL string `json:"url"`
	} `json:"related"`

	text []byte // the line as it stands in the file
}

// readEntries reads the first limit records of a file of JSON lines, all of them
// if limit is 0.
func readEntries(path string, limit int) ([]entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the records: %w", err)
	}
	defer f.Close()
	var list []entry
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() && (limit == 0 || len(list) < limit) {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s, record %d: %w", path, len(list)+1, err)
		}
		e.text = append([]byte(nil), lines.Bytes()...)
		list = append(list, e)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return list, nil
}

// article is the body that a record becomes.
type article struct {
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Tags        []string          `json:"tags"`
	References  []string          `json:"references"`
	Authors     []author          `json:"authors"`
	Type        string            `json:"defined_type"`
	License     int               `json:"license,omitzero"` // 0: the server's default
	Custom      map[string]string `json:"custom_fields"`
}

type author struct {
	Name string `json:"name"`
}

const (
	maxTitle  = 1000 // characters
	maxAuthor = 255  // characters
)

// convert turns a record into an article. The description stays as it is; what
// has no field of its own becomes a custom field. Licences are those that the
// server offers.
func convert(e entry, offered map[int]bool) article {
	a := article{
		Title:       cut(e.Title, maxTitle),
		Description: e.Description,
		Tags:        unique(e.Tags),
		References:  references(e),
		Authors:     []author{{authorName(e.ManagedBy)}},
		Type:        "dataset",
		Custom:      map[string]string{"slug": e.Slug},
	}
	if id := licence(e.License); offered[id] {
		a.License = id
	}
	for name, value := range map[string]string{
		"update_frequency": e.UpdateFrequency,
		"license":          e.License,
		"citation":         e.Citation,
		"managed_by":       e.ManagedBy,
		"documentation":    e.Documentation,
	} {
		if value != "" {
			a.Custom[name] = value
		}
	}
	if len(e.Resources) > 0 {
		a.Custom["resources"] = fmt.Sprintf("%d", len(e.Resources))
	}
	return a
}

// address finds the web addresses in plain text, markdown and HTML.
var address = regexp.MustCompile(`https?://[^\s<>()\[\]"'` + "`" + `]+`)

// references are the web addresses in the documentation and of related works,
// each once.
func references(e entry) []string {
	list := address.FindAllString(e.Documentation, -1)
	for _, r := range e.Related {
		list = append(list, strings.TrimSpace(r.URL))
	}
	var good []string
	for _, ref := range list {
		ref = strings.TrimRight(ref, ".,;:")
		u, err := url.Parse(ref)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			good = append(good, ref)
		}
	}
	return unique(good)
}

// unique drops what occurred before; the result is never nil.
func unique(list []string) []string {
	seen := map[string]bool{}
	kept := []string{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			kept = append(kept, s)
		}
	}
	return kept
}

// cut returns the first n characters of s.
func cut(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

var (
	link  = regexp.MustCompile(`\[([^\[\]]*)\]\s?\([^()\s]*\)`)
	tag   = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
	marks = regexp.MustCompile("\\*{1,2}([^*]+)\\*{1,2}|`([^`]+)`")
)

// plain takes the markdown out of a short text: of links it keeps the words, of
// emphasis and code the inside, of HTML tags nothing. Brackets that are not a
// whole link stay as they are.
func plain(markdown string) string {
	s := link.ReplaceAllString(markdown, "$1")
	s = tag.ReplaceAllString(s, "")
	s = marks.ReplaceAllString(s, "$1$2")
	return strings.Join(strings.Fields(s), " ")
}

// authorName is the manager of a record, as the name of an author.
func authorName(managedBy string) string {
	name := strings.TrimSpace(cut(plain(managedBy), maxAuthor))
	if name == "" {
		return "Unknown"
	}
	return name
}
