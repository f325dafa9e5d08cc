// Package formats writes a published item in the forms in which others cite and describe it:
// citation texts, files for reference managers, and what pages tell crawlers. It is pure: a page
// fills an Item, and each form is a function of it.
package formats

import "time"

// Item is a version of an article or of a collection.
type Item struct {
	Kind        string // "article" or "collection"
	ID          int64
	Version     int    // 0 where it is not to be named
	Type        string // name of the item type, such as "journal contribution"
	Title       string
	Authors     []Author
	Published   time.Time // zero for none
	Modified    time.Time // zero for none
	DOI         string    // the one to cite; empty until it is registered
	Handle      string
	URL         string // of the landing page
	Image       string // URL of a picture for previews
	Publisher   string
	License     string
	LicenseURL  string
	Keywords    []string
	Categories  []string
	Funding     []string
	References  []string
	Description string // plain text
	Withheld    bool   // its files are, for now or for good
	Files       []File // as many as are to be named: the page bounds them
}

// Author is a person by parts, or whatever has one name only in Full: an organisation, or a person
// whose name has no parts. Full is not read when there is a family name.
type Author struct {
	Family, Given, Full string
	ORCID               string // without an address
}

// File is a file of the item.
type File struct {
	Name, URL, MD5, MIME string
	Size                 int64 // bytes
}

// Format is a form that can be copied or downloaded.
type Format struct {
	Name      string // in addresses
	Label     string
	Media     string
	Extension string
	write     func(*Item) string
}

// Write is the item in this form. No text of the item can end the field that it stands in.
func (f Format) Write(it Item) string { return f.write(it.clean()) }

var utf8Text = "text/plain; charset=utf-8"

var all = []Format{
	{"apa", "APA", utf8Text, ".txt", apa},
	{"chicago", "Chicago", utf8Text, ".txt", chicago},
	{"harvard", "Harvard", utf8Text, ".txt", harvard},
	{"vancouver", "Vancouver", utf8Text, ".txt", vancouver},
	{"ieee", "IEEE", utf8Text, ".txt", ieee},
	{"bibtex", "BibTeX", "application/x-bibtex", ".bib", bibtex},
	{"ris", "RIS", "application/x-research-info-systems", ".ris", ris},
	{"csl", "CSL-JSON", "application/vnd.citationstyles.csl+json", ".json", csl},
	{"schemaorg", "schema.org", "application/ld+json", ".jsonld", schemaOrg},
}

// All are the forms in the order in which they are offered. The slice is not to be changed.
func All() []Format { return all }

// ByName is the form of a name.
func ByName(name string) (Format, bool) {
	for _, f := range all {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}
