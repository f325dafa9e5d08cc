package formats

import "strings"

// Tag is a meta element of a page. Names that begin with "og:" stand in the attribute property,
// the others in name. Content is plain text.
type Tag struct{ Name, Content string }

// Meta are the tags that Google Scholar and previews of links read.
func Meta(from Item) []Tag {
	it := from.clean()
	tags := []Tag{}
	put := func(name, content string) {
		if content != "" {
			tags = append(tags, Tag{name, content})
		}
	}
	put("citation_title", it.Title)
	for _, a := range it.Authors {
		put("citation_author", a.entry())
	}
	if !it.Published.IsZero() {
		put("citation_publication_date", it.Published.UTC().Format("2006/01/02"))
	}
	put("citation_doi", it.DOI)
	put("citation_publisher", it.Publisher)
	put("citation_abstract_html_url", it.URL)
	for _, f := range it.Files {
		if f.MIME == "application/pdf" && f.URL != "" {
			put("citation_pdf_url", f.URL)
			break
		}
	}
	k := it.kind()
	switch k.bibtex {
	case "phdthesis":
		put("citation_dissertation_institution", it.Publisher)
	case "techreport":
		put("citation_technical_report_institution", it.Publisher)
	}
	put("citation_keywords", strings.Join(it.Keywords, "; "))
	put("DC.title", it.Title)
	for _, a := range it.Authors {
		put("DC.creator", a.entry())
	}
	put("DC.date", day(it.Published))
	put("DC.publisher", it.Publisher)
	put("DC.identifier", it.where())
	put("DC.type", capital(it.typeName()))
	put("DC.rights", it.LicenseURL)
	put("og:type", "website")
	put("og:title", it.Title)
	put("og:url", it.URL)
	put("og:site_name", it.Publisher)
	put("og:description", short(it.Description, 200))
	put("og:image", it.Image)
	return tags
}

// short is at most the first n characters.
func short(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return s
}
