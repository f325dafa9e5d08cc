package fetch

import (
	"encoding/json"
	"fmt"
)

// Item is a public item of another repository with its public versions, the oldest first.
type Item struct {
	Collection bool
	Name       string // its id there, fit for the name of a file
	Origin     string // its address there, which names it here
	DOI        string // of all versions together; "" for that of the newest, without a version at its end
	Versions   []Version
	Members    []Member        // articles of a collection
	Listed     json.RawMessage // the versions as figshare lists them, nil elsewhere
	Notes      []string        // what was not taken, for the person who asked
}

// Version is a public version of an item.
type Version struct {
	Number   int64
	Document json.RawMessage // as the repository has it
	Export   string          // address of it in the format of DataCite, "" where the repository has none
	Files    []File
	Withheld bool // its files are, by an embargo

	fields
}

// Describe reads what the document of a version says.
func (v *Version) Describe() error {
	if err := json.Unmarshal(v.Document, &v.fields); err != nil {
		return fmt.Errorf("the document of a version is not the JSON that was expected: %w", err)
	}
	return nil
}

// File is a file of a version.
type File struct {
	ID     string // the same in all versions that have the same file
	Name   string
	Folder string
	Link   string // where it is, of one that is only a link
	URL    string // where its bytes are
	Size   int64
	Sum    string // checksum in hex; its length tells the algorithm (sums.go)

	Document json.RawMessage // as figshare lists it, nil elsewhere
}

// Member is an article of a collection.
type Member struct {
	ID     int64
	Origin string
	DOI    string
}

// Kind is what the item is called in names of files and in messages.
func (it *Item) Kind() string { return kindName(it.Collection) }

func kindName(collection bool) string {
	if collection {
		return "collection"
	}
	return "article"
}

// Latest is the newest version.
func (it *Item) Latest() *Version { return &it.Versions[len(it.Versions)-1] }
