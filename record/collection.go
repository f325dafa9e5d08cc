package record

import (
	"fmt"
	"time"
	"unicode/utf8"
)

// Collection is the working copy of a collection of articles. Only its owner sees it.
type Collection struct {
	Working
	Articles []int64 `json:"articles"` // in the order they were added
}

// CollectionVersion is a published version of a collection: it never changes by itself.
type CollectionVersion struct {
	CollectionID int64 `json:"collection_id"`
	Version      int   `json:"version"`
	Metadata
	Authors   []Person  `json:"authors"`  // as they were named when it was published
	Articles  []int64   `json:"articles"` // those in it; readers see the public ones
	First     time.Time `json:"first_published"`
	Published time.Time `json:"published"`
	Modified  time.Time `json:"modified"`

	Agreement *Agreement `json:"agreement,omitempty"` // as that of an article
}

// PublicCollection says which version of a collection readers get.
type PublicCollection struct {
	ID            int64     `json:"id"`
	Latest        int       `json:"latest"`
	GroupID       int64     `json:"group_id"`
	InstitutionID int64     `json:"institution_id"`
	First         time.Time `json:"first_published"`
	Published     time.Time `json:"published"`
	Modified      time.Time `json:"modified"`

	Skipped Skipped `json:"skipped,omitempty"`
	Oldest  int     `json:"oldest,omitempty"` // version that readers get, 0 for the first

	Changed    time.Time `json:"changed,omitzero"`     // when what readers see of it changed here
	Categories []int64   `json:"categories,omitempty"` // of the latest version

	Foreign bool `json:"foreign,omitempty"` // it has an Origin
}

// maxArticles is how many ids one request may put into a collection.
const maxArticles = 10

// CollectionBody is the body of a collection create or update. A nil field was not sent; null
// sends the blank value.
type CollectionBody struct {
	Title            *string        `json:"title"`
	Description      *string        `json:"description"`
	Articles         *[]int64       `json:"articles"`
	Authors          *[]AuthorRef   `json:"authors"`
	Categories       *[]int64       `json:"categories"`
	Tags             *[]string      `json:"tags"`
	Keywords         *[]string      `json:"keywords"`
	References       *[]string      `json:"references"`
	ResourceID       *string        `json:"resource_id"`
	ResourceDOI      *string        `json:"resource_doi"`
	ResourceLink     *string        `json:"resource_link"`
	ResourceTitle    *string        `json:"resource_title"`
	ResourceVersion  *int64         `json:"resource_version"`
	CustomFields     *CustomFields  `json:"custom_fields"`
	CustomFieldsList *[]customField `json:"custom_fields_list"`
	Funding          *string        `json:"funding"`
	DOI              *string        `json:"doi"`
	Extras
}

// described is the part of the body that articles have too.
func (b *CollectionBody) described() *ArticleBody {
	return &ArticleBody{
		Title: b.Title, Description: b.Description, Tags: b.Tags, Keywords: b.Keywords, References: b.References,
		CustomFields: b.CustomFields, CustomFieldsList: b.CustomFieldsList,
		ResourceDOI: b.ResourceDOI, ResourceTitle: b.ResourceTitle, Funding: b.Funding, DOI: b.DOI, Extras: b.Extras,
	}
}

// Common is the part of the body that articles have too, with its people.
func (b *CollectionBody) Common() *ArticleBody {
	d := b.described()
	d.Authors, d.Categories = b.Authors, b.Categories
	return d
}

// Set gives the body other authors and another DOI.
func (b *CollectionBody) Set(authors *[]AuthorRef, doi *string) { b.Authors, b.DOI = authors, doi }

// Check refuses values that break a rule (422). It looks at nothing but the body.
func (b *CollectionBody) Check() error {
	if err := b.described().Check(); err != nil {
		return err
	}
	if b.Authors != nil {
		if err := CheckAuthors(*b.Authors); err != nil {
			return err
		}
	}
	if b.Articles != nil && len(*b.Articles) > maxArticles {
		return Wrong("articles", "may hold at most 10 ids")
	}
	if err := checkSchemes("resource_link", sent(b.ResourceLink)); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		text *string
		most int
	}{{"resource_id", b.ResourceID, 255}, {"resource_link", b.ResourceLink, 255}, {"resource_title", b.ResourceTitle, 1000}} {
		if f.text != nil && utf8.RuneCountInString(*f.text) > f.most {
			return Wrong(f.name, "is too long")
		}
	}
	return nil
}

// RequireTitle refuses a body without a title.
func (b *CollectionBody) RequireTitle() error { return b.described().RequireTitle() }

// NeedsRights reports a field that only administrators may set.
func (b *CollectionBody) NeedsRights() (field string, ok bool) {
	if b.ResourceID != nil && *b.ResourceID != "" {
		return "resource_id", true
	}
	if b.ResourceLink != nil && *b.ResourceLink != "" {
		return "resource_link", true
	}
	if b.ResourceVersion != nil && *b.ResourceVersion != 0 {
		return "resource_version", true
	}
	return b.described().NeedsRights()
}

// Apply writes what was sent to the metadata. Authors, categories and articles need the
// store and are the handler's. It must follow Check.
func (b *CollectionBody) Apply(m *Metadata) {
	b.described().Apply(m)
	set(&m.ResourceID, b.ResourceID)
	set(&m.ResourceLink, b.ResourceLink)
	set(&m.ResourceVersion, b.ResourceVersion)
}

// WarnMembers is said of a collection that is published with so many articles that only their
// owners can read.
func WarnMembers(n int) string {
	return fmt.Sprintf("%d of the articles are not public, and the public version of the collection does not have them", n)
}

// ArticlesBody is the body of the endpoints that put articles into a collection.
type ArticlesBody struct {
	Articles *[]int64 `json:"articles" null:"refused"`
}

// Check refuses a body without articles or with too many.
func (b *ArticlesBody) Check() error {
	switch {
	case b.Articles == nil:
		return Wrong("articles", "is required")
	case len(*b.Articles) > maxArticles:
		return Wrong("articles", "may hold at most 10 ids")
	}
	return nil
}
