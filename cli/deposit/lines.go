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

// Line is one line of a file of articles, for who brings them to a store without the API.
type Line struct {
	Number  int   // from 1
	End     int64 // where the next line begins, in bytes
	Key     string
	ID      string // the key, or the hash and how many equal lines stand before it
	Hash    string // SHA-256 of the line without the white space around it, hex
	Body    []byte // of the article, with the authors that a body may hold
	More    []json.RawMessage
	Files   []File
	Publish bool
	Err     error // why the line cannot be read
}

// File is a file of a line: a regular one, or a link.
type File struct {
	Label      string // as the line says it, for messages
	Path, Name string
	Size       int64 // in bytes
	Link       string
	Folder     string
}

// Lines reads articles line by line and leaves blank lines out. Paths of files are
// relative to dir. Besides the line it is at, it keeps a few bytes of each line without a
// key. An error ends it.
func Lines(r io.Reader, dir string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		equal := map[string]int{}
		in := bufio.NewReaderSize(r, 1<<16)
		end := int64(0)
		for number := 1; ; number++ {
			text, size, err := readLine(in)
			if err != nil && err != io.EOF && !errors.Is(err, errLongLine) {
				yield(Line{}, fmt.Errorf("cannot read line %d: %w", number, err))
				return
			}
			end += size
			if number == 1 {
				text = bytes.TrimPrefix(text, []byte("\ufeff"))
			}
			if len(bytes.TrimSpace(text)) > 0 {
				ln := read(text, dir)
				ln.Number, ln.End = number, end
				if errors.Is(err, errLongLine) {
					ln.Err = errLongLine
				}
				if ln.Key != "" {
					ln.ID = "key:" + ln.Key
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
func read(text []byte, dir string) Line {
	it, err := parseItem(text, dir)
	ln := Line{Key: it.key, Hash: hashOf(text), Body: it.body, Publish: it.publish, Err: err}
	if len(it.authors) > bodyAuthors {
		ln.More = it.authors[bodyAuthors:]
	}
	for _, f := range it.files {
		ln.Files = append(ln.Files, File{f.label, f.path, f.name(), f.size, f.link, f.folder})
	}
	return ln
}
