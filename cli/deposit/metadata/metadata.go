// Package metadata reads what a file in a folder, or a table beside it, says of the item that the
// folder is. It makes the body of an article of that, and tells what it could not use.
//
// Of several files in a folder the first of Names counts.
package metadata

import (
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The files that are looked for in a folder, and the table beside it.
const (
	AlcoveName   = "alcove.json"
	DataciteName = "datacite.json"
	CFFName      = "CITATION.cff"
	CrateName    = "ro-crate-metadata.json"
	TableName    = "alcove.csv"
)

// Names are the files of a folder, that which counts first in front.
var Names = []string{AlcoveName, DataciteName, CFFName, CrateName}

const maxSize = 16 << 20 // bytes of a file

// Found is what a file says.
type Found struct {
	Source string // the path of the file
	// Body has keys of the body of an article, and of lines of items. A licence is the text or the
	// number that stands in the file, categories are a list of these.
	Body map[string]any
	// Doubts are values for which items have a key, and which are not understood.
	Doubts []string
	// Left are keys of the file for which items have no place, or a value of the repository's own.
	Left []string
}

func (f *Found) doubt(format string, args ...any) {
	f.Doubts = append(f.Doubts, fmt.Sprintf(format, args...))
}

func (f *Found) leave(names ...string) {
	for _, n := range names {
		if !slices.Contains(f.Left, n) {
			f.Left = append(f.Left, n)
		}
	}
}

// set sets a key, unless the value is blank.
func (f *Found) set(key string, value any) {
	switch v := value.(type) {
	case string:
		if strings.TrimSpace(v) == "" {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	case []map[string]any:
		if len(v) == 0 {
			return
		}
	}
	f.Body[key] = value
}

// Read reads a file of metadata. It goes by the name of the file, and by what is in it where the name tells nothing.
func Read(path string) (*Found, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	f := &Found{Source: path, Body: map[string]any{}}
	switch {
	case strings.EqualFold(filepath.Ext(path), ".cff"):
		err = f.citation(text)
	case !strings.EqualFold(filepath.Ext(path), ".json"):
		err = errors.New("it is none of the kinds of metadata that are read: .json, .cff, .csv")
	default:
		err = f.json(text, filepath.Base(path))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	slices.Sort(f.Left)
	return f, nil
}

// load reads a regular file of text.
func load(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the metadata: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case info.Size() > maxSize:
		return nil, fmt.Errorf("%s has more than %d MiB, which no metadata have", path, maxSize>>20)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the metadata: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSize))
	if err != nil {
		return nil, fmt.Errorf("cannot read the metadata %s: %w", path, err)
	}
	if text = []byte(strings.TrimPrefix(string(text), "\ufeff")); !utf8.Valid(text) {
		return nil, fmt.Errorf("%s is not in UTF-8: save it in that encoding", path)
	}
	return text, nil
}

// scalar is a text, a number or a truth value as text.
func scalar(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v), true
	case fmt.Stringer: // a number of JSON, as it is written
		return v.String(), true
	case bool:
		return fmt.Sprint(v), true
	}
	return "", false
}

// text is a text of an object. Another value there is a doubt.
func (f *Found) text(o map[string]any, key string) string {
	v, there := o[key]
	if !there || v == nil {
		return ""
	}
	s, ok := scalar(v)
	if !ok {
		f.doubt("%q is not a text", key)
	}
	return s
}

// list is a list, of which one value may stand alone.
func list(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

// objects are the objects of a list. Other values are doubts.
func (f *Found) objects(o map[string]any, key string) []map[string]any {
	var objects []map[string]any
	for _, v := range list(o[key]) {
		if object, ok := v.(map[string]any); ok {
			objects = append(objects, object)
		} else {
			f.doubt("%q has a value that is not understood", key)
		}
	}
	return objects
}

// texts are the texts of a list.
func (f *Found) texts(o map[string]any, key string) []string {
	var texts []string
	for _, v := range list(o[key]) {
		if s, ok := scalar(v); !ok {
			f.doubt("%q has a value that is not a text", key)
		} else if s != "" && !slices.Contains(texts, s) {
			texts = append(texts, s)
		}
	}
	return texts
}

// rest leaves the keys of an object that are none of those.
func (f *Found) rest(o map[string]any, prefix string, known ...string) {
	for _, key := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(known, key) && o[key] != nil {
			f.leave(prefix + key)
		}
	}
}

var orcidForm = regexp.MustCompile(`(?i)^(?:https?://(?:www\.)?orcid\.org/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dx])/?$`)

// orcid is the iD in a text, without the address in front of it.
func orcid(text string) (string, bool) {
	m := orcidForm.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", false
	}
	id := strings.ToUpper(m[1])
	total := 0
	for _, r := range strings.ReplaceAll(id[:len(id)-1], "-", "") {
		total = (total + int(r-'0')) * 2
	}
	check := "0123456789X"[(12-total%11)%11]
	return id, id[len(id)-1] == check
}

var blankLines = regexp.MustCompile(`\n[ \t]*\n\s*`)

// Paragraphs is a plain text as the description of an item, which is HTML.
func Paragraphs(text string) string {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	if text == "" {
		return ""
	}
	var b strings.Builder
	for _, p := range blankLines.Split(text, -1) {
		b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(strings.TrimSpace(p)), "\n", "<br>") + "</p>")
	}
	return b.String()
}
