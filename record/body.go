package record

import (
	"strings"
	"unicode/utf8"

	"alcove/record/catalogue"
)

// Limits of an article body (docs/reference/api.md#limits).
const (
	minTitle       = 3
	maxFunding     = 2000
	maxBodyAuthors = 10
)

// ArticleBody is the body of an article create or update. A nil field was not sent; null sends
// the blank value.
type ArticleBody struct {
	Title            *string        `json:"title"`
	Description      *string        `json:"description"`
	Tags             *[]string      `json:"tags"`
	Keywords         *[]string      `json:"keywords"`
	References       *[]string      `json:"references"`
	Categories       *[]int64       `json:"categories"`
	Authors          *[]AuthorRef   `json:"authors"`
	CustomFields     *CustomFields  `json:"custom_fields"`
	CustomFieldsList *[]customField `json:"custom_fields_list"`
	DefinedType      *string        `json:"defined_type"`
	Funding          *string        `json:"funding"`
	License          *int64         `json:"license"`
	DOI              *string        `json:"doi"`
	ResourceDOI      *string        `json:"resource_doi"`
	ResourceTitle    *string        `json:"resource_title"`
	MetadataOnly     *bool          `json:"is_metadata_record"`
	MetadataReason   *string        `json:"metadata_reason"`
	DownloadDisabled *bool          `json:"download_disabled"`
	Extras
}

// ItemBody is the body of an article or of a collection: *ArticleBody or *CollectionBody.
type ItemBody interface {
	RequireTitle() error
	NeedsRights() (field string, ok bool)
	Within(l Lists, m *Metadata, authors int) error
	Check() error
	Apply(m *Metadata)
	// Common is what it says that the body of an article can say, too, to be read only.
	Common() *ArticleBody
	// Set gives it other authors and another DOI; nil is not sent.
	Set(authors *[]AuthorRef, doi *string)
}

// Common is the body itself, for code that serves both kinds.
func (b *ArticleBody) Common() *ArticleBody { return b }

// Set gives the body other authors and another DOI.
func (b *ArticleBody) Set(authors *[]AuthorRef, doi *string) { b.Authors, b.DOI = authors, doi }

type customField struct {
	Name  string      `json:"name"`
	Value CustomValue `json:"value"`
}

// Check refuses values that break a rule (422). It looks at nothing but the body.
func (b *ArticleBody) Check() error {
	if b.Title != nil {
		if err := checkTitle(*b.Title); err != nil {
			return err
		}
	}
	if b.Funding != nil && utf8.RuneCountInString(*b.Funding) > maxFunding {
		return Wrong("funding", "must have at most 2000 characters")
	}
	if err := checkSchemes("funding", sent(b.Funding)); err != nil {
		return err
	}
	if b.References != nil {
		if err := checkSchemes("references", *b.References...); err != nil {
			return err
		}
	}
	if b.DefinedType != nil && *b.DefinedType != "" {
		if _, ok := catalogue.ItemTypeByName(*b.DefinedType); !ok {
			return Wrong("defined_type", "is not a type of item")
		}
	}
	if b.License != nil && *b.License != 0 {
		if _, ok := catalogue.LicenseByValue(*b.License); !ok {
			return Wrong("license", "is not the id of a license")
		}
	}
	if b.Authors != nil {
		if len(*b.Authors) > maxBodyAuthors {
			return Wrong("authors", "may hold at most 10 people; add more through the authors of the item")
		}
		if err := CheckAuthors(*b.Authors); err != nil {
			return err
		}
	}
	if b.DOI != nil && *b.DOI != "" {
		if _, ok := ReadDOI(*b.DOI); !ok {
			return Wrong("doi", "must be a DOI such as 10.1234/name")
		}
	}
	if b.CustomFieldsList != nil {
		if err := namedFields("custom_fields_list", *b.CustomFieldsList); err != nil {
			return err
		}
	}
	return b.Extras.check()
}

func checkTitle(title string) error {
	if utf8.RuneCountInString(strings.TrimSpace(title)) < minTitle {
		return Wrong("title", "must have at least 3 characters")
	}
	return nil
}

// RequireTitle refuses a body without a title.
func (b *ArticleBody) RequireTitle() error {
	if b.Title == nil {
		return Wrong("title", "is required")
	}
	return nil
}

// NeedsRights reports a field that only administrators may set (identifiers and the like). Blank
// values are no attempt.
func (b *ArticleBody) NeedsRights() (field string, ok bool) {
	for _, f := range []struct {
		name  string
		value *string
	}{{"doi", b.DOI}, {"handle", b.Handle}, {"resource_doi", b.ResourceDOI}, {"resource_title", b.ResourceTitle}} {
		if f.value != nil && *f.value != "" {
			return f.name, true
		}
	}
	return "", false
}

// Apply writes what was sent to the metadata. Authors and categories need the store and
// are the handler's. It must follow Check.
func (b *ArticleBody) Apply(m *Metadata) {
	set(&m.Title, b.Title)
	set(&m.Description, b.Description)
	setList(&m.Tags, b.Keywords)
	setList(&m.Tags, b.Tags)
	if b.References != nil {
		m.setReferences(*b.References)
	}
	b.Extras.apply(m) // after the references, over which materials win
	set(&m.Funding, b.Funding)
	set(&m.MetadataOnly, b.MetadataOnly)
	set(&m.MetadataReason, b.MetadataReason)
	set(&m.DownloadDisabled, b.DownloadDisabled)
	if b.DOI != nil && *b.DOI != "" { // an identifier that was given out is not taken back
		m.DOI, _ = ReadDOI(*b.DOI)
	}
	set(&m.ResourceDOI, b.ResourceDOI)
	set(&m.ResourceTitle, b.ResourceTitle)
	if b.DefinedType != nil {
		if t, ok := catalogue.ItemTypeByName(*b.DefinedType); ok {
			m.Type = t.ID
		} else {
			m.Type = DefaultType
		}
	}
	if b.License != nil {
		if m.License = *b.License; m.License == 0 {
			m.License = DefaultLicense
		}
	}
	if b.CustomFields != nil {
		m.CustomFields = append([]CustomField{}, *b.CustomFields...)
	}
	if b.CustomFieldsList != nil { // the list wins
		m.CustomFields = listed(*b.CustomFieldsList)
	}
}

// Defaults of a new article (docs/reference/api.md#bodies).
const (
	DefaultType    = 3 // dataset
	DefaultLicense = 1 // CC BY 4.0
)

// NewMetadata is the metadata of an item before anything was said about it.
func NewMetadata() Metadata {
	return Metadata{
		Type: DefaultType, License: DefaultLicense, Tags: []string{}, References: []string{},
		Categories: []int64{}, CustomFields: []CustomField{}, Defined: []Field{},
		Embargo: Embargo{Options: []EmbargoOption{}}, Related: []RelatedMaterial{}, FundingList: []string{},
	}
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

func setList[T any](to *[]T, from *[]T) {
	if from == nil {
		return
	}
	if *to = *from; *to == nil {
		*to = []T{}
	}
}

// CategoriesBody is the body of the category endpoints.
type CategoriesBody struct {
	Categories *[]int64 `json:"categories" null:"refused"`
}

// Check refuses a body without categories.
func (b *CategoriesBody) Check() error {
	if b.Categories == nil {
		return Wrong("categories", "is required")
	}
	return nil
}
