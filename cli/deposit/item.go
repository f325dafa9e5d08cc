package deposit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// bodyAuthors is how many authors an article body may hold (specification
// section 8); the others go through the authors endpoint, as many at a time.
const bodyAuthors = 10

// item is one line, understood.
type item struct {
	key     string // the depositor's own id, "" when absent
	title   string
	body    []byte            // what is sent to create the article
	authors []json.RawMessage // all of them, when there are more than the body may hold
	files   []localFile
	publish bool
}

// localFile is a file to upload, or a link to one that stays elsewhere.
type localFile struct {
	label  string // as the line says it, for messages
	path   string // as the system opens it
	folder string // folder_path in the article, "" for none
	size   int64  // in bytes
	link   string // instead of path and size
}

// name is the label that the server gets.
func (f localFile) name() string { return filepath.Base(f.path) }

// links reports whether one of the files stays elsewhere.
func (it item) links() bool {
	return slices.ContainsFunc(it.files, func(f localFile) bool { return f.link != "" })
}

// parseItem reads a line whose file paths are relative to dir. Values of the
// article body are kept byte for byte and in their order. The key is returned
// with most errors, so that messages can name it.
func parseItem(text []byte, dir string) (item, error) {
	if !utf8.Valid(text) {
		return item{}, errors.New("the line is not valid UTF-8")
	}
	fields, err := members(text)
	if err != nil {
		return item{}, err
	}
	var it item
	var firstErr error
	fail := func(err error) {
		if firstErr == nil {
			firstErr = err
		}
	}
	var body []member
	for _, f := range fields {
		switch f.name {
		case "key":
			if unquote(f.value, &it.key) != nil || it.key == "" {
				fail(errors.New(`"key" is not a string with at least one character`))
			}
			continue
		case "publish":
			if json.Unmarshal(f.value, &it.publish) != nil {
				fail(errors.New(`"publish" is not true or false`))
			}
			continue
		case "files":
			if it.files, err = parseFiles(f.value, dir); err != nil {
				fail(err)
			}
			continue
		case "title":
			if unquote(f.value, &it.title) != nil {
				fail(errors.New(`"title" is not a string`))
			}
		case "authors":
			if all, ok := elements(f.value); ok && len(all) > bodyAuthors {
				it.authors = all
				f.value = joinArray(all[:bodyAuthors])
			}
		default:
			for _, own := range []string{"key", "publish", "files", "title", "authors"} {
				if strings.EqualFold(f.name, own) {
					fail(fmt.Errorf("%q must be written %q", f.name, own))
				}
			}
		}
		body = append(body, f)
	}
	it.body = joinObject(body)
	if strings.TrimSpace(it.title) == "" {
		fail(errors.New("the title is missing"))
	}
	return it, firstErr
}

// parseFiles reads the member "files": a list of paths, or of objects with "path"
// or "link", and "folder_path". Every file must be there and be a regular file.
func parseFiles(value json.RawMessage, dir string) ([]localFile, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		return nil, errors.New(`"files" is not a list`)
	}
	var files []localFile
	for _, raw := range list {
		var f struct {
			Path   string `json:"path"`
			Link   string `json:"link"`
			Folder string `json:"folder_path"`
		}
		if json.Unmarshal(raw, &f.Path) != nil {
			dec := json.NewDecoder(bytes.NewReader(raw))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&f); err != nil {
				return nil, fmt.Errorf(`an element of "files" is neither a path nor {"path" or "link", "folder_path"}: %s`, clean(string(raw)))
			}
		}
		if f.Link != "" && f.Path == "" {
			files = append(files, localFile{label: f.Link, folder: f.Folder, link: f.Link})
			continue
		}
		if f.Link != "" {
			return nil, fmt.Errorf("a file has both the path %q and a link", f.Path)
		}
		if f.Path == "" {
			return nil, errors.New(`an element of "files" has no path`)
		}
		path := filepath.FromSlash(f.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			return nil, fmt.Errorf("there is no file %q", f.Path)
		case err != nil:
			return nil, fmt.Errorf("cannot read the file %q: %w", f.Path, err)
		case info.IsDir():
			return nil, fmt.Errorf("%q is a folder, not a file", f.Path)
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("%q is not a regular file", f.Path)
		}
		files = append(files, localFile{label: f.Path, path: path, folder: f.Folder, size: info.Size()})
	}
	return files, nil
}
