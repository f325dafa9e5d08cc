// Package described fills the neutral description of an item (formats.Item) from what readers get of a public
// version, which is frozen: pages, exports, harvesting and the registration of DOIs have the same, and nothing
// that readers may not see.
package described

import (
	"fmt"
	"strings"
	"time"

	"alcove/formats"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
	"alcove/record/markup"
)

const (
	// mostFiles is how many files a description names.
	mostFiles = 100
	// mostText is how many characters of a description of the item stand in one.
	mostText = 20_000
)

// Publisher is the name of the repository.
func Publisher(s present.Settings) string {
	if s.Publisher != "" {
		return s.Publisher
	}
	return "Alcove"
}

// Item is a public version of an article, or of a collection in the keys of one (Collection), whose page is at an
// address. It has the DOIs of which leads says that they lead to it.
func Item(s present.Settings, kind string, doc *present.ArticleComplete, address string, leads func(doi string) bool) formats.Item {
	of, _ := catalogue.ItemTypeByID(doc.DefinedType)
	it := formats.Item{
		Kind: kind, ID: doc.ID, Version: doc.Version, Type: of.Name, Title: oneLine(text(doc.Title)),
		Published: moment(doc.PublishedDate), Modified: moment(doc.Modified), First: moment(doc.Timeline.FirstOnline),
		Accepted: moment(doc.Timeline.PublisherAcceptance), Handle: text(doc.Handle), URL: address,
		Image: text(doc.Thumb), Publisher: Publisher(s), Site: s.SiteURL + "/", License: doc.License.Name, LicenseURL: doc.License.URL,
		Keywords: doc.Tags, Related: Works(doc), Description: Short(markup.Description(text(doc.Description)).String(), mostText), Size: doc.Size,
	}
	if doi := text(doc.DOI); doi != "" {
		if leads(doi) {
			it.DOI = doi
		}
		if whole := record.ItemDOI(doi); leads(whole) {
			it.ConceptDOI = whole
		}
	}
	for _, a := range doc.Authors {
		it.Authors = append(it.Authors, author(a))
	}
	for _, k := range doc.Categories {
		it.Categories = append(it.Categories, formats.Category{Title: oneLine(k.Title), Code: k.SourceID})
	}
	for _, g := range doc.FundingList {
		it.Grants = append(it.Grants, formats.Grant{Title: oneLine(g.Title), Funder: oneLine(text(g.FunderName)), Code: text(g.GrantCode), URL: text(g.URL)})
	}
	access(&it, doc)
	for i, f := range doc.Files {
		if i == mostFiles || doc.DownloadDisabled {
			break
		}
		it.Files = append(it.Files, formats.File{Name: f.Name, URL: f.DownloadURL, MD5: text(f.ComputedMD5), MIME: text(f.MIME), Size: f.Size})
	}
	it.Count = len(doc.Files)
	if kind == "article" && len(it.Files) > 0 {
		it.Package = fmt.Sprintf("%s/articles/%d/versions/%d?format=bagit", s.SiteURL, doc.ID, doc.Version)
	}
	return it
}

// author is an author as exports write it.
func author(a present.Author) formats.Author {
	out := formats.Author{
		Family: text(a.LastName), Given: text(a.FirstName), Full: a.FullName, Particle: text(a.Particle), Suffix: text(a.Suffix),
		Organisation: a.Kind == record.OrganisationKind, Guessed: a.IsGuessed, ORCID: strings.TrimPrefix(text(a.ORCID), "https://orcid.org/"), ROR: text(a.ROR),
	}
	for _, of := range a.Affiliations {
		out.Affiliations = append(out.Affiliations, formats.Affiliation{Name: of.Name, ROR: text(of.ROR)})
	}
	return out
}

// access says who gets the files. An embargo without a day ends never.
func access(it *formats.Item, doc *present.ArticleComplete) {
	switch end := moment(doc.EmbargoDate); {
	case doc.IsConfidential, doc.IsEmbargoed && end.IsZero(), doc.DownloadDisabled:
		it.Access = formats.Restricted
	case doc.IsEmbargoed:
		it.Access, it.EmbargoEnd = formats.Embargoed, end
	case doc.IsMetadataRecord:
		it.Access = formats.MetadataOnly
	}
}

// Collection has a collection in the keys of an article.
func Collection(s present.Settings, from *present.CollectionComplete) (doc present.ArticleComplete) {
	doc.ID, doc.Title, doc.DOI, doc.Handle, doc.PublishedDate, doc.Modified = from.ID, from.Title, from.DOI, from.Handle, from.PublishedDate, from.Modified
	doc.Version, doc.Description, doc.Categories, doc.Tags, doc.Authors = from.Version, from.Description, from.Categories, from.Tags, from.Authors
	doc.References, doc.RelatedMaterials, doc.FundingList, doc.CustomFields = from.References, from.RelatedMaterials, from.Funding, from.CustomFields
	doc.ResourceDOI, doc.ResourceTitle, doc.GroupID, doc.Timeline = from.ResourceDOI, from.ResourceTitle, from.GroupID, from.Timeline
	doc.URLPublicHTML = s.CollectionPage(from.ID, text(from.Title))
	return doc
}

// moment is a date of the API, zero for none.
func moment(stamp *string) time.Time {
	t, err := time.Parse(time.RFC3339, text(stamp))
	if err == nil {
		return t
	}
	if t, err = time.Parse("2006-01-02T15:04:05", text(stamp)); err != nil {
		t, _ = time.Parse(time.DateOnly, text(stamp))
	}
	return t
}

// oneLine returns the words of a title or name.
func oneLine(text string) string { return markup.Title(text).String() }

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
