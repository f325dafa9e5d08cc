// Package samples holds the items that `alcove demo` fills a new repository
// with. They are made to look at and to try things on: many kinds of file, of
// item and of name. All of it is invented or computed here and says so; no
// person, place or measurement in it is real, only the works it refers to are.
//
// Nothing is kept on disk. Short texts are embedded from the folder files;
// tables, pictures, sound and grids are computed when they are asked for, from
// fixed seeds. One build of the program therefore gives the same bytes every
// time, on every machine of one kind. Another release of Go may compress the
// pictures differently, and another processor may round a last digit the other
// way.
package samples

import (
	"embed"
	"slices"
)

// Item is one item to create. Every field is what the API takes on write.
type Item struct {
	// Title has 3 characters at least.
	Title string
	// Description is HTML, at most 20,000 characters.
	Description string
	Tags        []string
	References  []string
	// CategoryIDs are ids of record/catalogue.
	CategoryIDs []int64
	// DefinedType is the name of an item type of record/catalogue.
	DefinedType string
	// LicenseID is the value of a public licence of record/catalogue.
	LicenseID int64
	// Authors are the full names of at least one and at most ten invented
	// people, in order.
	Authors      []string
	Funding      string
	CustomFields []Field
	// Files may be empty. No two of an item have both folder and name in common.
	Files []File
	// Owner says which of the two demo accounts the item belongs to, 0 or 1.
	Owner int
	// Publish is false for an item that is to stay a draft.
	Publish bool
	// Embargo, if there is one, is set before publishing.
	Embargo *Embargo
	// SecondVersion, if there is one, is what to change after publishing, before
	// publishing again.
	SecondVersion *Revision
}

// Embargo withholds the files of an item for a time.
type Embargo struct {
	// Days is how long from now, at least 2.
	Days   int
	Title  string
	Reason string
}

// Field is one custom field of an item.
type Field struct{ Name, Value string }

// File is one file of an item.
type File struct {
	// Name is the file's name for people, in UTF-8, without slashes.
	Name string
	// FolderPath is the folder inside the item, with slashes between its parts
	// and none around them; "" is the top.
	FolderPath string
	// Data makes the bytes afresh: between none and MaxFileSize of them. They
	// are the caller's own, and it is kind to drop them before asking for the
	// next file.
	Data func() ([]byte, error)
}

// MaxFileSize is the size in bytes of the largest file of any item, and the
// only large one.
const MaxFileSize = randomBytes

// Revision is how the second version of an item differs from the first. Keys that are not named
// here stay as they were.
type Revision struct {
	Title       string
	Description string
	// Removes are names of files of the first version that the second does
	// without.
	Removes []string
	// Files are added.
	Files []File
}

// Items returns the sample items in the order in which they are to be created.
// Each call makes new ones.
func Items() []Item {
	return slices.Concat(
		pondItems(),
		pondTools(),
		island(),
		pictures(),
		numbers(),
		sound(),
		museum(),
		languages(),
		writings(),
	)
}

//go:embed files
var files embed.FS

// fixed is the data of a file that is embedded as it stands.
func fixed(name string) func() ([]byte, error) {
	return func() ([]byte, error) { return files.ReadFile("files/" + name) }
}

// text is the data of a file that is short enough to stand in the code.
func text(s string) func() ([]byte, error) {
	return func() ([]byte, error) { return []byte(s), nil }
}
