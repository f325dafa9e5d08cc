package deposit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// bodyAuthors is how many authors an article body may hold (docs/reference/api.md#limits);
// further ones go through the authors endpoint, as many at a time.
const bodyAuthors = 10

// item is one line, understood.
type item struct {
	key     string // the depositor's own id, "" when absent
	title   string
	body    []byte            // what is sent to create the item
	authors []json.RawMessage // all of them, when there are more than the body may hold
	files   []localFile
	publish bool

	project     int64           // to create it in, 0 for none
	embargo     *embargo        // nil for none
	reason      json.RawMessage // why its files are confidential, nil when they are not
	resource    json.RawMessage // the publication that it belongs to, nil for none
	links       []json.RawMessage
	collections []int64 // to put it into

	collection bool         // it is one, with these articles
	articles   []itemMember // nil when it does not say

	moved    []byte // what it brings along from another repository, nil for nothing
	versions []itemVersion
}

// itemVersion is a public version that an item brings along.
type itemVersion struct {
	which    []byte       // its number and dates
	body     []byte       // what differs from the item
	embargo  []byte       // body of its embargo, nil for that of the item
	files    []localFile  // nil for those of the item
	articles []itemMember // of a collection; nil for those of the item
}

// itemMember is an article of a collection: its id here, or a name.
type itemMember struct {
	id   int64 // 0 for a name
	name string
}

// moves reports whether the item brings along what only an operator can say.
func (it item) moves() bool { return it.moved != nil || it.versions != nil }

// localFile is a file to upload, or a link to one that stays elsewhere.
type localFile struct {
	label  string // as the line says it, for messages
	path   string // in the folder of the lines
	folder string // folder_path in the article, "" for none
	called string // name in the article, "" for that of the path
	size   int64  // in bytes
	link   string // instead of path and size
}

// name is the label that the server gets.
func (f localFile) name() string {
	if f.called != "" {
		return f.called
	}
	return filepath.Base(f.path)
}

// linked reports whether one of the files stays elsewhere.
func (it item) linked() bool {
	return slices.ContainsFunc(it.files, func(f localFile) bool { return f.link != "" })
}

// parseItem reads a line, and refuses whatever can be refused before anything is sent.
// Values of the article body are kept byte for byte and in their order. The key is
// returned with most errors, so that messages can name it.
func parseItem(text []byte, in Files) (item, error) {
	if !utf8.Valid(text) {
		return item{}, errors.New("the line is not valid UTF-8")
	}
	fields, err := members(text)
	if err != nil {
		return item{}, err
	}
	var it item
	for _, f := range fields {
		if f.name == "kind" {
			if it.collection = string(f.value) == `"collection"`; !it.collection && string(f.value) != `"article"` {
				return item{}, errors.New(`"kind" is neither "article" nor "collection"`)
			}
		}
	}
	var firstErr error
	fail := func(err error) {
		if firstErr == nil {
			firstErr = err
		}
	}
	var body, hidden, moved []member
	for _, f := range fields {
		if err := known(f, it.collection); err != nil {
			fail(err)
			continue
		}
		switch keysOf(it.collection)[f.name] {
		case inLine:
			if err := it.set(f, in); err != nil {
				fail(err)
			}
			continue
		case inEmbargo:
			hidden = append(hidden, f)
			continue
		case inMove:
			if f.name != "versions" {
				moved = append(moved, f)
			} else if it.versions, err = parseVersions(f.value, in, it.collection); err != nil {
				fail(err)
			}
			continue
		}
		switch f.name {
		case "title":
			if unquote(f.value, &it.title) != nil {
				fail(errors.New(`"title" is not a string`))
			}
		case "authors":
			if all, ok := elements(f.value); ok && len(all) > bodyAuthors {
				it.authors = all
				f.value = joinArray(all[:bodyAuthors])
			}
		}
		body = append(body, f)
	}
	if it.body = joinObject(body); moved != nil {
		it.moved = joinObject(moved)
	}
	if err := it.hide(hidden); err != nil {
		fail(err)
	}
	if strings.TrimSpace(it.title) == "" {
		fail(errors.New("the title is missing"))
	}
	return it, firstErr
}

// set takes a key that is not sent as it stands.
func (it *item) set(f member, in Files) (err error) {
	switch f.name {
	case "key":
		if unquote(f.value, &it.key) != nil || it.key == "" {
			return errors.New(`"key" is not a string with at least one character`)
		}
	case "publish":
		if string(f.value) == "null" || json.Unmarshal(f.value, &it.publish) != nil {
			return errors.New(`"publish" is not true or false`)
		}
	case "files":
		it.files, err = parseFiles(f.value, in)
	case "articles":
		it.articles, err = parseArticles(f.value)
	case "project_id":
		if string(f.value) != "null" && (json.Unmarshal(f.value, &it.project) != nil || it.project < 1) {
			return errors.New(`"project_id" is not the id of a project`)
		}
	case "collections":
		if json.Unmarshal(f.value, &it.collections) != nil || slices.ContainsFunc(it.collections, func(id int64) bool { return id < 1 }) {
			return errors.New(`"collections" is not a list of ids of collections`)
		}
	case "resource":
		if f.value[0] != '{' {
			return errors.New(`"resource" is not an object`)
		}
		it.resource = f.value
	case "private_links":
		list, ok := elements(f.value)
		if !ok || slices.ContainsFunc(list, func(l json.RawMessage) bool { return l[0] != '{' }) {
			return errors.New(`"private_links" is not a list of objects`)
		}
		it.links = list
	}
	return err
}

// parseFiles reads the member "files": a list of paths, or of objects with "path"
// or "link", "name" and "folder_path". Every file must be there and be a regular file. Without
// "folder_path" a file keeps the folder that it stands in.
func parseFiles(value json.RawMessage, in Files) ([]localFile, error) {
	list, ok := elements(value)
	if !ok {
		return nil, errors.New(`"files" is not a list`)
	}
	var files []localFile
	there := map[[2]string]bool{} // folder and name
	for _, raw := range list {
		f, err := parseFile(raw, in)
		if err != nil {
			return nil, err
		}
		if f.link == "" {
			place := [2]string{strings.Trim(path.Clean("/"+f.folder), "/"), f.name()}
			if there[place] {
				return nil, fmt.Errorf("two files would be %q in the folder %q of the article", place[1], place[0])
			}
			there[place] = true
		}
		files = append(files, f)
	}
	return files, nil
}

func parseFile(raw json.RawMessage, in Files) (localFile, error) {
	var f struct {
		Path   string  `json:"path"`
		Link   string  `json:"link"`
		Name   string  `json:"name"`
		Folder *string `json:"folder_path"`
	}
	if json.Unmarshal(raw, &f.Path) != nil {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&f); err != nil {
			return localFile{}, fmt.Errorf(`an element of "files" is neither a path nor {"path" or "link", "name", "folder_path"}: %s`, clean(string(raw)))
		}
	}
	folder := ""
	switch {
	case f.Folder != nil:
		folder = *f.Folder
	case f.Path != "":
		folder = in.FolderOf(f.Path)
	}
	switch {
	case f.Link != "" && f.Path != "":
		return localFile{}, fmt.Errorf("a file has both the path %q and a link", f.Path)
	case f.Link != "" && f.Name != "":
		return localFile{}, fmt.Errorf("a link has a name, and goes by its address: %q", f.Name)
	case f.Link != "":
		return localFile{label: f.Link, folder: folder, link: f.Link}, nil
	case f.Path == "":
		return localFile{}, errors.New(`an element of "files" has no path`)
	}
	size, err := in.Size(f.Path)
	if err != nil {
		return localFile{}, fmt.Errorf("file %q: %w", f.Path, err)
	}
	return localFile{label: f.Path, path: f.Path, folder: folder, called: f.Name, size: size}, nil
}
