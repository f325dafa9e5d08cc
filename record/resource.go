package record

import "unicode/utf8"

// ResourceBody is the publication that an item belongs to. All of it is optional; what is not
// sent is blank.
type ResourceBody struct {
	ID      *string `json:"id"`
	Title   *string `json:"title"`
	DOI     *string `json:"doi"`
	Link    *string `json:"link"`
	Status  *string `json:"status"`
	Version *int64  `json:"version"`
}

// Check refuses texts that are too long and a version below 0 (422).
func (b *ResourceBody) Check() error {
	for _, f := range []struct {
		name string
		text *string
		most int // characters
		rule string
	}{
		{"id", b.ID, 255, "must have at most 255 characters"},
		{"title", b.Title, 1000, "must have at most 1000 characters"},
		{"doi", b.DOI, 255, "must have at most 255 characters"},
		{"link", b.Link, 255, "must have at most 255 characters"},
		{"status", b.Status, 100, "must have at most 100 characters"},
	} {
		if f.text != nil && utf8.RuneCountInString(*f.text) > f.most {
			return Wrong(f.name, f.rule)
		}
	}
	if b.Version != nil && *b.Version < 0 {
		return Wrong("version", "must not be negative")
	}
	return checkSchemes("link", sent(b.Link))
}

// Apply makes the body the resource of an item. It must follow Check.
func (b *ResourceBody) Apply(m *Metadata) {
	m.ResourceID, m.ResourceTitle, m.ResourceDOI = sent(b.ID), sent(b.Title), sent(b.DOI)
	m.ResourceLink, m.ResourceStatus, m.ResourceVersion = sent(b.Link), sent(b.Status), sent(b.Version)
}

// sent is a value of a body, blank when it was not sent.
func sent[T any](v *T) (value T) {
	set(&value, v)
	return value
}
