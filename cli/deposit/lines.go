package deposit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// Line is one line of a file of items, for loaders that bring them to a store without the API.
type Line struct {
	Number  int   // from 1
	End     int64 // where the next line begins, in bytes
	Key     string
	ID      string // the key, or the hash and how many equal lines stand before it
	Hash    string // SHA-256 of the line without the white space around it, hex
	Body    []byte // of the item, with the authors that a body may hold
	More    []json.RawMessage
	Files   []File
	Publish bool

	Collection bool     // it is one, not an article
	Articles   []Member // of the collection

	Project      int64             // to make it in, 0 for none
	Embargo      []byte            // body of the embargo, nil for none
	Confidential []byte            // body of the confidentiality, nil for none
	Resource     []byte            // body of the resource, nil for none
	Links        []json.RawMessage // bodies of private links
	Collections  []int64           // to put it into
	Moved        []byte            // what it brings along from another repository, nil for nothing
	Versions     []Version         // the oldest first

	Err error // why the line cannot be read
}

// Version is a public version that an item brings along.
type Version struct {
	Which    []byte   // body of its number and dates
	Body     []byte   // what differs from the item
	Embargo  []byte   // body of its embargo, nil for that of the item
	Files    []File   // nil for those of the item
	Articles []Member // of a collection; nil for those of the item
}

// Member is an article of a collection: its id in the repository, or a name.
type Member struct {
	ID   int64 // 0 for a name
	Name string
	Line string // the ID of a line whose key is the name
}

// File is a file of a line: a regular one, or a link.
type File struct {
	Label      string // as the line says it, for messages
	Path, Name string // Path is for Folder.Open
	Size       int64  // in bytes
	Link       string
	Folder     string
}

// Lines reads articles line by line and leaves blank lines out.
// Besides the line it is at, it keeps a few bytes of each line without a
// key. An error ends it.
func Lines(r io.Reader, in Files) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		equal := map[string]int{}
		from := bufio.NewReaderSize(r, 1<<16)
		end := int64(0)
		for number := 1; ; number++ {
			text, size, err := readLine(from)
			if err != nil && err != io.EOF && !errors.Is(err, errLongLine) {
				yield(Line{}, fmt.Errorf("cannot read line %d: %w", number, err))
				return
			}
			end += size
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\ufeff"))
			}
			if len(bytes.TrimSpace(text)) > 0 {
				ln := read(text, in)
				ln.Number, ln.End = number, end
				if errors.Is(err, errLongLine) {
					ln.Err = errLongLine
				}
				if ln.Key != "" {
					ln.ID = keyedID(ln.Key)
				} else {
					short := ln.Hash[:32]
					ln.ID = fmt.Sprintf("hash:%s:%d", ln.Hash, equal[short])
					equal[short]++
				}
				if !yield(ln, nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// read understands one line.
func read(text []byte, in Files) Line {
	it, err := parseItem(text, in)
	ln := Line{
		Key: it.key, Hash: hashOf(text), Body: it.body, Publish: it.publish, Err: err,
		Project: it.project, Confidential: it.reason, Resource: it.resource, Links: it.links, Collections: it.collections,
	}
	if it.embargo != nil {
		ln.Embargo = it.embargo.body
	}
	if len(it.authors) > bodyAuthors {
		ln.More = it.authors[bodyAuthors:]
	}
	ln.Collection, ln.Articles = it.collection, membersOf(it.articles)
	ln.Moved, ln.Files = it.moved, filesOf(it.files)
	for _, v := range it.versions {
		ln.Versions = append(ln.Versions, Version{v.which, v.body, v.embargo, filesOf(v.files), membersOf(v.articles)})
	}
	return ln
}

// keyedID is the ID of the line with a key.
func keyedID(key string) string { return "key:" + key }

func membersOf(list []itemMember) (members []Member) {
	if list != nil {
		members = []Member{}
	}
	for _, m := range list {
		members = append(members, Member{m.id, m.name, keyedID(m.name)})
	}
	return members
}

func filesOf(list []localFile) (files []File) {
	if list != nil {
		files = []File{}
	}
	for _, f := range list {
		files = append(files, File{f.label, f.path, f.name(), f.size, f.link, f.folder})
	}
	return files
}
