// Package formats writes a published item in the forms in which others cite and describe it:
// citation texts, files for reference managers, and what pages tell crawlers. It is pure: a page
// fills an Item, and each form is a function of it.
package formats

import (
	"strings"
	"time"
)

// Item is a version of an article or of a collection, as anyone may see it.
type Item struct {
	Kind        string // "article" or "collection"
	ID          int64
	Version     int    // 0 where it is not to be named
	Type        string // name of the item type, such as "journal contribution"
	Title       string
	Authors     []Author
	Published   time.Time // zero for none, as all that follow
	First       time.Time // when its first version was
	Accepted    time.Time // by a publisher
	Modified    time.Time
	EmbargoEnd  time.Time
	DOI         string // the one to cite; empty until it is registered
	ConceptDOI  string // that of all versions, without an address
	Handle      string
	URL         string // of the landing page
	Image       string // URL of a picture for previews
	Package     string // URL of a zip with an RO-Crate that has its files, empty where there is none
	Publisher   string
	Site        string // URL of the repository
	License     string
	LicenseURL  string
	Keywords    []string
	Categories  []Category
	Grants      []Grant
	Related     []Related
	Description string // plain text
	Access      Access
	Files       []File // as many as are to be named: the page bounds them
	Count       int    // of all files
	Size        int64  // of all files, bytes
}

// Access is who gets the files of an item.
type Access int

// Open is the zero value.
const (
	Open         Access = iota
	Embargoed           // until a day
	Restricted          // some, or for good none
	MetadataOnly        // there are none
)

// Category is a subject of ANZSRC's fields of research, 2020.
type Category struct{ Title, Code string }

// Grant is what paid for the item. Of many only the title is known.
type Grant struct{ Title, Funder, Code, URL string }

// Related is another output. Relation and Type are of DataCite's lists.
type Related struct {
	Identifier string // a DOI is bare
	Type       string // empty for text that identifies nothing
	Relation   string
	Title      string
	URL        string // that it leads to, empty for none
}

// Author is a person by parts, or an organisation, or a person whose name has no parts, by Full. Full is not read when there
// is a family name.
type Author struct {
	Family, Given, Full string
	Particle            string // that Family begins with
	Suffix              string
	Organisation        bool
	Guessed             bool   // the parts are a guess, and nothing says that it is a person
	ORCID               string // without an address
	ROR                 string // address, of an organisation
	Affiliations        []Affiliation
}

// Affiliation is an organisation that an author belongs to.
type Affiliation struct {
	Name string
	ROR  string // address
}

// File is a file of the item.
type File struct {
	Name, URL, MD5, MIME string
	Size                 int64 // bytes
}

// Format is a line of the table: a form that can be copied, downloaded, negotiated or harvested.
type Format struct {
	Name      string // in addresses
	Label     string // on pages, which do not offer a form without one
	Media     string
	Extension string // behind the name of the item, in the name of the file
	Profile   string // URI of what it conforms to, where the media type says too little
	Prefix    string // in OAI-PMH, empty where it is not harvested
	Schema    string // URL of the XML schema of the prefix
	Space     string // XML namespace of the prefix
	Aliases   string // other media types that ask for it, with spaces between
	write     func(*Item) string
}

// Write is the item in this form. No text of the item can end the field that it stands in.
func (f Format) Write(it Item) string {
	if f.XML() {
		return xmlHead + f.Element(it)
	}
	if f.Citation() {
		return plain(f.write(it.clean()))
	}
	return f.write(it.clean())
}

// HTML is a citation in HTML that can stand in a paragraph, and nothing for any other form. Italics are those of
// the style, the identifier is a link, and no text of the item can become an element or an attribute.
func (f Format) HTML(it Item) string {
	if !f.Citation() {
		return ""
	}
	return inHTML(f.write(it.clean()))
}

// Element is the root element of a form in XML, to stand in another one.
func (f Format) Element(it Item) string { return f.write(it.clean()) }

// XML reports whether the form is XML.
func (f Format) XML() bool { return strings.HasSuffix(f.Media, "xml") }

// MediaType is the value of a Content-Type header.
func (f Format) MediaType() string {
	if f.Profile != "" && f.Media == ldJSON {
		return f.Media + `; profile="` + f.Profile + `"`
	}
	return f.Media
}

// Citation reports whether the form is a line of text in a style.
func (f Format) Citation() bool { return f.Media == utf8Text }

var utf8Text = "text/plain; charset=utf-8"

const (
	ldJSON     = "application/ld+json"
	oaiNS      = "http://www.openarchives.org/OAI/2.0/oai_dc/"
	oaiSchema  = "http://www.openarchives.org/OAI/2.0/oai_dc.xsd"
	kernelNS   = "http://datacite.org/schema/kernel-4"
	kernelXSD  = "http://schema.datacite.org/meta/kernel-4.7/metadata.xsd"
	wrapperNS  = "http://schema.datacite.org/oai/oai-1.1/"
	wrapperXSD = "http://schema.datacite.org/oai/oai-1.1/oai.xsd"
	rdfNS      = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rdfXSD     = "http://www.openarchives.org/OAI/2.0/rdf.xsd"
	croissant1 = "http://mlcommons.org/croissant/1.1"
	roCrate    = "https://w3id.org/ro/crate"
)

// The first form of a media type is for clients that ask for no profile.
var all = []Format{
	{Name: "apa", Label: "APA", Media: utf8Text, Extension: ".txt", write: apa},
	{Name: "chicago", Label: "Chicago", Media: utf8Text, Extension: ".txt", write: chicago},
	{Name: "harvard", Label: "Harvard", Media: utf8Text, Extension: ".txt", write: harvard},
	{Name: "vancouver", Label: "Vancouver", Media: utf8Text, Extension: ".txt", write: vancouver},
	{Name: "ieee", Label: "IEEE", Media: utf8Text, Extension: ".txt", write: ieee},
	{Name: "mla", Label: "MLA", Media: utf8Text, Extension: ".txt", write: mla},
	{Name: "ama", Label: "AMA", Media: utf8Text, Extension: ".txt", write: ama},
	{Name: "acs", Label: "ACS", Media: utf8Text, Extension: ".txt", write: acs},
	{Name: "nature", Label: "Nature", Media: utf8Text, Extension: ".txt", write: nature},
	{Name: "science", Label: "Science", Media: utf8Text, Extension: ".txt", write: science},
	{Name: "cell", Label: "Cell", Media: utf8Text, Extension: ".txt", write: cell},
	{Name: "iso690", Label: "ISO 690", Media: utf8Text, Extension: ".txt", write: iso690},
	{Name: "bibtex", Label: "BibTeX", Media: "application/x-bibtex", Extension: ".bib", write: bibtex},
	{Name: "ris", Label: "RIS", Media: "application/x-research-info-systems", Extension: ".ris", write: ris},
	{Name: "endnote", Label: "EndNote", Media: "application/x-endnote-refer", Extension: ".enw", write: endnote},
	{Name: "csl", Label: "CSL-JSON", Media: "application/vnd.citationstyles.csl+json", Extension: ".json", write: csl},
	{Name: "cff", Label: "CITATION.cff", Media: "application/yaml", Extension: ".cff", Aliases: "text/yaml", write: citationCFF},
	{Name: "datacite-xml", Label: "DataCite XML", Media: "application/vnd.datacite.datacite+xml", Extension: "-datacite.xml", Profile: kernelNS, Prefix: "datacite", Schema: kernelXSD, Space: kernelNS, Aliases: "application/xml text/xml", write: dataciteXML},
	{Name: "datacite-json", Label: "DataCite JSON", Media: "application/vnd.datacite.datacite+json", Extension: "-datacite.json", Profile: kernelNS, write: dataciteJSON},
	{Name: "dublin-core", Label: "Dublin Core", Media: "application/x-dc+xml", Extension: "-dc.xml", Prefix: "oai_dc", Schema: oaiSchema, Space: oaiNS, write: dublinCore},
	{Name: "oai-datacite", Media: "application/xml", Extension: "-oai-datacite.xml", Profile: wrapperNS, Prefix: "oai_datacite", Schema: wrapperXSD, Space: wrapperNS, write: oaiDatacite},
	{Name: "dcat", Label: "DCAT", Media: "application/rdf+xml", Extension: "-dcat.rdf", Profile: "http://www.w3.org/ns/dcat", Prefix: "dcat", Schema: rdfXSD, Space: rdfNS, Aliases: "application/dcat+xml", write: dcat},
	{Name: "schemaorg", Label: "schema.org", Media: ldJSON, Extension: ".jsonld", Profile: "https://schema.org/", Aliases: "application/vnd.schemaorg.ld+json", write: schemaOrg},
	{Name: "croissant", Label: "Croissant", Media: ldJSON, Extension: "-croissant.json", Profile: croissant1, write: croissant},
	{Name: "ro-crate", Label: "RO-Crate", Media: ldJSON, Extension: "-ro-crate-metadata.json", Profile: roCrate, write: crate},
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

// ByPrefix is the form that is harvested under a prefix.
func ByPrefix(prefix string) (Format, bool) {
	for _, f := range all {
		if f.Prefix == prefix && prefix != "" {
			return f, true
		}
	}
	return Format{}, false
}
