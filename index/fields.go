package index

import (
	"encoding/binary"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"

	"alcove/record"
	"alcove/record/catalogue"
	"alcove/record/markup"
)

// schema is raised when documents change their meaning in a way that fingerprint does
// not see: indexes made before are then built again.
const schema = 7

const (
	maxText      = 1 << 20 // bytes of a field that are split into words
	maxValues    = 5000    // values of one field of whole values
	maxSpellings = 2000    // new words that one kind of text adds to fSpelling
	maxVersions  = 200     // versions whose DOI with .vN is known
)

// Fields of words. A word without a field is looked for in the first three.
const (
	fTitle         = "title"
	fDescription   = "description"
	fMore          = "more" // everything else that describes an item, one value after another
	fAuthor        = "author"
	fCategory      = "category"
	fReferences    = "references"
	fResourceTitle = "resource_title"
	fTagWords      = "tag_words"    // tags and names as words, for the order of relevance: no search asks for
	fPeople        = "people_words" // them, because more has them too
)

// Fields of whole values, compared for equality.
const (
	fKind        = "kind"    // what sort of item it is: the name of its kind
	fAccount     = "account" // who has it, in the private index; no search text reaches it
	fTag         = "tag"
	fCategoryID  = "category_id"
	fBranch      = "category_branch" // ids of its categories and of all above them
	fORCID       = "orcid"
	fDOI         = "doi"
	fResourceDOI = "resource_doi"
	fItemType    = "item_type" // id
	fLicense     = "license"   // id
	fExtension   = "extension" // without the dot
	fInstitution = "institution"
	fGroup       = "group"
	fProject     = "project"
	fSpelling    = "spelling"     // words of its title, tags, categories, names and the beginning of its description, as they are written
	fSuggestTag  = "suggest_tag"  // its tags, as Suggestions has them
	fSuggestName = "suggest_name" // its names, as Suggestions has them
	fYear        = "year"         // of publication
	fPublished   = "published"    // the day, its month and its year: 2024-05-17, 2024-05, 2024
)

var everywhere = []string{fTitle, fDescription, fMore}

// forms says how fields of words are split.
var forms = map[string]form{
	fTitle: text, fDescription: text, fMore: text, fAuthor: names,
	fCategory: text, fReferences: text, fResourceTitle: text, fTagWords: text, fPeople: text,
}

// key names an item in an index.
type key struct {
	kind byte
	id   int64
}

// doc is the key of the item's document: the kind, and the id, big endian.
func (k key) doc() string {
	return string(binary.BigEndian.AppendUint64([]byte{k.kind}, uint64(k.id)))
}

// doc makes the document of an item. An item whose record cannot be read gets one that
// only exists, so that the number of documents is the number of items.
func (it *item) doc() *document {
	b := builder{doc: newDocument(it.key.doc())}
	b.exact(fKind, it.name)
	for _, account := range it.owners {
		b.number(fAccount, account)
	}
	if it.text == nil {
		return b.doc
	}
	c := it.text
	b.singles(c)
	b.words(fTitle, markup.Title(cut(c.Title, maxText)).String())
	b.words(fDescription, cut(markup.Description(c.Description).String(), maxText))

	var titles []string
	for _, id := range c.Categories {
		b.exact(fCategoryID, strconv.FormatInt(id, 10))
		if c, ok := catalogue.CategoryByID(id); ok {
			titles = append(titles, c.Title)
			for _, above := range strings.Split(strings.Trim(c.Path, "/"), "/") {
				b.exact(fBranch, above)
			}
		}
	}
	b.words(fCategory, titles...)
	b.more(titles...)

	var people, full []string
	for _, a := range c.authors {
		full = append(full, a.FullName)
		people = append(people, a.FullName)
		if a.LastName != "" && a.FirstName != "" {
			people = append(people, a.LastName+" "+a.FirstName)
		}
		b.exact(fORCID, bareORCID(a.ORCID))
		b.more(a.FullName, a.ORCID)
	}
	b.words(fAuthor, people...)
	b.words(fPeople, full...)

	for _, t := range c.Tags {
		b.exact(fTag, exact(t))
	}
	b.words(fTagWords, c.Tags...)
	b.more(c.Tags...)
	if it.owners == nil { // only public items are suggested
		b.spell(c.Title, c.Description)
		b.spell(titles...)
		b.spell(full...)
		b.spell(c.Tags...)
		b.suggestNames(full)
		b.suggestTags(c.Tags)
	}

	related := materials(c.Metadata)
	b.words(fReferences, related...)
	b.more(related...)
	b.more(c.FundingList...)
	for _, f := range c.files {
		if e := path.Ext(f); len(e) > 1 {
			b.exact(fExtension, exact(e[1:]))
		}
	}
	b.more(c.files...)
	for _, f := range c.CustomFields {
		b.more(values(f.Value)...)
	}
	b.words(fMore, b.rest...)
	return b.doc
}

// singles adds the fields that have one value, or a few that describe the item as a whole. They come first, so
// that long lists never displace them.
func (b *builder) singles(c *content) {
	if c.typed {
		b.types(c)
	}
	b.number(fInstitution, c.InstitutionID)
	b.number(fGroup, c.GroupID)
	b.number(fProject, c.ProjectID)
	if !c.published.IsZero() {
		day := c.published.UTC().Format(time.DateOnly)
		b.exact(fYear, day[:4])
		for _, n := range []int{4, 7, 10} {
			b.exact(fPublished, day[:n])
		}
	}
	b.exact(fResourceDOI, record.BareDOI(c.ResourceDOI))
	b.identifiers(c)
	b.words(fResourceTitle, c.ResourceTitle)
	b.more(c.ResourceTitle, c.ResourceDOI, c.Handle, c.Funding)
}

// materials are the words of the related materials: what and where they are.
func materials(m *record.Metadata) (words []string) {
	for _, r := range m.Materials() {
		words = append(words, r.Identifier)
		if link := r.Link(); link != r.Identifier && link != "" {
			words = append(words, link)
		}
		if r.Title != "" {
			words = append(words, r.Title)
		}
	}
	return words
}

// identifiers adds the DOI, and with the versions there are.
func (b *builder) identifiers(c *content) {
	if c.DOI == "" {
		return
	}
	b.exact(fDOI, record.BareDOI(c.DOI))
	for n := 1; n <= min(c.version, maxVersions); n++ {
		b.exact(fDOI, record.BareDOI(c.DOI)+".v"+strconv.Itoa(n))
	}
	if c.VersionDOI != "" {
		b.exact(fDOI, record.BareDOI(c.VersionDOI))
	}
	b.more(c.PublicDOI(max(c.version, 1)))
}

// types adds the item type and the licence.
func (b *builder) types(c *content) {
	b.exact(fItemType, strconv.FormatInt(c.Type, 10))
	if t, ok := catalogue.ItemTypeByID(c.Type); ok {
		b.more(t.Name)
	}
	b.exact(fLicense, strconv.FormatInt(c.License, 10))
	if l, ok := catalogue.LicenseByValue(c.License); ok {
		b.more(l.Name)
	}
}

type builder struct {
	doc  *document
	rest []string
}

func (b *builder) more(values ...string) { b.rest = append(b.rest, values...) }

// words adds a field of words, up to maxText bytes of it.
func (b *builder) words(name string, values ...string) {
	s := cut(strings.Join(values, valueEnd), maxText)
	if s == "" {
		return
	}
	b.doc.fields = append(b.doc.fields, &field{name: name, options: wordOptions, value: []byte(s)})
}

// exact adds a value to a field of whole values, once. Each field takes maxValues of them, however many others have.
func (b *builder) exact(name, value string) { b.exactUpTo(maxValues, name, value) }

// exactUpTo is exact with another bound on the values of the field.
func (b *builder) exactUpTo(most int, name, value string) {
	value = cut(value, maxTerm)
	if value == "" {
		return
	}
	if f := b.doc.field(name); f.length < most && f.terms[value] == nil {
		f.terms[value] = uncounted
		f.length++
	}
}

func (b *builder) number(field string, n int64) {
	if n != 0 {
		b.exact(field, strconv.FormatInt(n, 10))
	}
}

// values are the strings and numbers of a custom field's value.
func values(raw json.RawMessage) []string {
	var v any
	d := json.NewDecoder(strings.NewReader(cut(string(raw), maxText)))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var out []string
	for _, e := range list {
		switch e := e.(type) {
		case string:
			out = append(out, markup.Title(e).String())
		case json.Number:
			out = append(out, e.String())
		}
	}
	return out
}
