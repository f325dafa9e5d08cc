package site

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/formats"
	"alcove/handlers"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/record"
	"alcove/record/catalogue"
)

// cited is a citation in a style.
type cited struct{ Name, Label, Text string }

// exported is a form of the item to download.
type exported struct{ Label, URL string }

// head is what machines read in the head of the page of an item.
type head struct {
	Tags        []formats.Tag
	JSONAddress string
	Exports     []alternate
	Data        template.JS // schema.org, in which <, > and & are escaped
}

type alternate struct{ Media, URL string }

// describedFiles is how many files the description of an item for machines names.
const describedFiles = 100

// described is an article as its citations and descriptions take it. A DOI of the prefix that is
// reserved for tests leads nowhere, and is not cited.
func (s *Site) described(kind string, doc *present.ArticleComplete, address string) formats.Item {
	of, _ := catalogue.ItemTypeByID(doc.DefinedType)
	it := formats.Item{
		Kind: kind, ID: doc.ID, Version: doc.Version, Type: of.Name, Title: plainTitle(text(doc.Title)),
		Published: moment(doc.PublishedDate), Modified: moment(doc.Modified), Handle: text(doc.Handle), URL: address,
		Image: text(doc.Thumb), Publisher: s.name(), License: doc.License.Name, LicenseURL: web(doc.License.URL),
		Keywords: doc.Tags, References: doc.References, Description: short(plain(text(doc.Description)), 5000),
		Withheld: doc.IsEmbargoed || doc.IsConfidential,
	}
	if doi := text(doc.DOI); resolver(doi) != "" {
		it.DOI = doi
	}
	for _, a := range doc.Authors {
		it.Authors = append(it.Authors, formats.Author{Family: text(a.LastName), Given: text(a.FirstName), Full: a.FullName, ORCID: strings.TrimPrefix(text(a.ORCID), "https://orcid.org/")})
	}
	for _, k := range doc.Categories {
		it.Categories = append(it.Categories, k.Title)
	}
	for _, g := range doc.FundingList {
		it.Funding = append(it.Funding, g.Title)
	}
	for i, f := range doc.Files {
		if i == describedFiles || doc.DownloadDisabled {
			break
		}
		it.Files = append(it.Files, formats.File{Name: f.Name, URL: f.DownloadURL, MD5: text(f.ComputedMD5), MIME: text(f.MIME), Size: f.Size})
	}
	return it
}

// moment is a date of the API, zero for none.
func moment(stamp *string) time.Time {
	t, err := time.Parse(time.RFC3339, text(stamp))
	if err != nil {
		t, _ = time.Parse(time.DateOnly, text(stamp))
	}
	return t
}

// describe fills the citations of the page of an item, and what machines read in its head.
func (s *Site) describe(v *item, it formats.Item) {
	h := &head{Tags: formats.Meta(it), JSONAddress: v.API}
	for _, f := range formats.All() {
		address := fmt.Sprintf("/export/%ss/%d/%d/%s", it.Kind, it.ID, it.Version, f.Name)
		switch {
		case f.Name == "schemaorg":
			h.Data = template.JS(strings.TrimSpace(f.Write(it)))
			fallthrough
		case !strings.HasPrefix(f.Media, "text/plain"):
			v.Exports = append(v.Exports, exported{f.Label, address})
			h.Exports = append(h.Exports, alternate{f.Media, s.api.Settings.SiteURL + address})
		default:
			v.Citations = append(v.Citations, cited{f.Name, f.Label, f.Write(it)})
		}
	}
	v.Head = h
}

// ArticleExport is a public version of an article in a form that others read.
func (s *Site) ArticleExport(c *handlers.Call, tx *bucket.PublicTx) (handlers.Reply, error) {
	answer, err := s.api.PublicVersionRead(c, tx)
	if err != nil {
		return handlers.Reply{}, unknown(err)
	}
	var doc present.ArticleComplete
	if err := json.Unmarshal(answer.Raw, &doc); err != nil {
		return handlers.Reply{}, err
	}
	return s.export(c, s.described("article", &doc, s.absolute(&doc)))
}

// CollectionExport is the same of a collection.
func (s *Site) CollectionExport(c *handlers.Call, tx *bucket.PublicTx) (handlers.Reply, error) {
	doc, _, err := s.collectionDocument(c, tx, true)
	if err != nil {
		return handlers.Reply{}, unknown(err)
	}
	return s.export(c, s.described("collection", &doc, s.absolute(&doc)))
}

// absolute is the address of the page of a version.
func (s *Site) absolute(doc *present.ArticleComplete) string {
	return fmt.Sprintf("%s/%d", doc.URLPublicHTML, doc.Version)
}

func (s *Site) export(c *handlers.Call, it formats.Item) (handlers.Reply, error) {
	f, known := formats.ByName(c.Text("format"))
	if !known {
		return handlers.Reply{}, record.ErrNotFound
	}
	name := fmt.Sprintf("%s-%d-v%d%s", it.Kind, it.ID, it.Version, f.Extension)
	return handlers.Reply{
		Raw: []byte(f.Write(it)), Type: f.Media, Modified: it.Modified,
		Header: http.Header{"Content-Disposition": {"attachment; " + wire.FileName(name)}},
	}, nil
}
