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
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/document"
	api "github.com/blevesearch/bleve_index_api"
)

// schema is raised when documents change their meaning in a way that fingerprint does
// not see: indexes made before are then built again.
const schema = 1

const (
	maxText     = 1 << 20 // bytes of a field that are split into words
	maxValues   = 5000    // values of an exact field
	maxVersions = 200     // versions whose DOI with .vN is known
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
)

// Fields of whole values, compared for equality.
const (
	fAll         = "all" // every document has the value all
	fTag         = "tag"
	fCategoryID  = "category_id"
	fORCID       = "orcid"
	fDOI         = "doi"
	fResourceDOI = "resource_doi"
	fItemType    = "item_type" // id
	fLicense     = "license"   // id
	fExtension   = "extension" // without the dot
	fInstitution = "institution"
	fGroup       = "group"
	fProject     = "project"
	fPublished   = "published" // the day, its month and its year: 2024-05-17, 2024-05, 2024
)

var everywhere = []string{fTitle, fDescription, fMore}

// forms says how fields of words are split.
var forms = map[string]form{
	fTitle: text, fDescription: text, fMore: text, fAuthor: names,
	fCategory: text, fReferences: text, fResourceTitle: text,
}

// Positions are kept in every field of words, because a phrase may be asked of any. The
// offsets that highlighting would need are not.
const (
	wordOptions  = api.IndexField | api.IncludeTermVectors
	exactOptions = api.IndexField | api.SkipFreqNorm
)

// item is a public article as it is read from the store.
type item struct {
	id      int64
	gone    bool // no longer public
	public  *record.PublicArticle
	version *record.ArticleVersion // nil when its record is damaged
	files   []string               // names in the latest version
}

// size is about how many bytes of text the item brings.
func (it *item) size() int {
	n := 256
	if it.version != nil {
		n += min(len(it.version.Title), maxText) + min(len(it.version.Description), maxText)
	}
	for _, f := range it.files {
		n += len(f)
	}
	return n
}

// docKey is the key of a document: the id, big endian.
func docKey(id int64) string {
	return string(binary.BigEndian.AppendUint64(nil, uint64(id)))
}

// doc makes the document of an item. An item whose record cannot be read gets one that
// only exists, so that the number of documents is the number of public articles.
func (it *item) doc() *document.Document {
	b := builder{doc: document.NewDocument(docKey(it.id))}
	b.exact(fAll, fAll)
	if it.version == nil {
		return b.doc
	}
	v, p := it.version, it.public
	b.words(fTitle, plain(cut(v.Title, maxText)))
	b.words(fDescription, plain(cut(v.Description, maxText)))

	var people []string
	for _, a := range v.Authors {
		people = append(people, a.FullName)
		if a.LastName != "" && a.FirstName != "" {
			people = append(people, a.LastName+" "+a.FirstName)
		}
		b.exact(fORCID, bareORCID(a.ORCID))
		b.more(a.FullName, a.ORCID)
	}
	b.words(fAuthor, people...)

	for _, t := range v.Tags {
		b.exact(fTag, exact(t))
	}
	b.more(v.Tags...)

	var titles []string
	for _, id := range v.Categories {
		b.exact(fCategoryID, strconv.FormatInt(id, 10))
		if c, ok := catalogue.CategoryByID(id); ok {
			titles = append(titles, c.Title)
		}
	}
	b.words(fCategory, titles...)
	b.more(titles...)

	b.words(fReferences, v.References...)
	b.words(fResourceTitle, v.ResourceTitle)
	b.more(v.References...)
	b.more(v.ResourceTitle, v.ResourceDOI, v.Handle, v.Funding)
	b.exact(fResourceDOI, bareDOI(v.ResourceDOI))
	if v.DOI != "" {
		b.exact(fDOI, bareDOI(v.DOI))
		for n := 1; n <= min(p.Latest, maxVersions); n++ {
			b.exact(fDOI, bareDOI(v.DOI)+".v"+strconv.Itoa(n))
		}
		b.more(v.DOI + ".v" + strconv.Itoa(p.Latest))
	}
	for _, f := range it.files {
		if e := path.Ext(f); len(e) > 1 {
			b.exact(fExtension, exact(e[1:]))
		}
	}
	b.more(it.files...)
	for _, c := range v.CustomFields {
		b.more(values(c.Value)...)
	}

	b.exact(fItemType, strconv.FormatInt(v.Type, 10))
	if t, ok := catalogue.ItemTypeByID(v.Type); ok {
		b.more(t.Name)
	}
	b.exact(fLicense, strconv.FormatInt(v.License, 10))
	if l, ok := catalogue.LicenseByValue(v.License); ok {
		b.more(l.Name)
	}
	b.number(fInstitution, v.InstitutionID)
	b.number(fGroup, v.GroupID)
	b.number(fProject, v.ProjectID)
	day := p.Published.UTC().Format(time.DateOnly)
	for _, n := range []int{4, 7, 10} {
		b.exact(fPublished, day[:n])
	}
	b.words(fMore, b.rest...)
	return b.doc
}

type builder struct {
	doc  *document.Document
	rest []string
	seen map[[2]string]bool
}

func (b *builder) more(values ...string) { b.rest = append(b.rest, values...) }

// words adds a field of words, up to maxText bytes of it.
func (b *builder) words(field string, values ...string) {
	s := cut(strings.Join(values, valueEnd), maxText)
	if s == "" {
		return
	}
	b.doc.AddField(document.NewTextFieldCustom(field, nil, []byte(s), wordOptions, analyzer{forms[field]}))
}

// exact adds a value to a field of whole values, once, up to maxValues of them in all.
func (b *builder) exact(field, value string) {
	value = cut(value, maxTerm)
	if value == "" || b.seen[[2]string{field, value}] || len(b.seen) >= maxValues {
		return
	}
	if b.seen == nil {
		b.seen = map[[2]string]bool{}
	}
	b.seen[[2]string{field, value}] = true
	b.doc.AddField(document.NewTextFieldCustom(field, nil, []byte(value), exactOptions, nil))
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
			out = append(out, plain(e))
		case json.Number:
			out = append(out, e.String())
		}
	}
	return out
}

// analyzer is how Bleve sees split. It runs on goroutines that are not ours, where a
// panic would end the process, so a text that breaks it is left out of the index.
type analyzer struct{ form form }

func (a analyzer) Analyze(b []byte) (stream analysis.TokenStream) {
	defer func() {
		if recover() != nil {
			stream = nil
		}
	}()
	tokens := split(string(b), a.form)
	all := make([]analysis.Token, len(tokens))
	stream = make(analysis.TokenStream, len(tokens))
	for i, t := range tokens {
		all[i] = analysis.Token{Term: []byte(t.term), Position: t.pos}
		stream[i] = &all[i]
	}
	return stream
}
