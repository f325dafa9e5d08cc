package site

import (
	"strconv"
	"strings"

	"alcove/handlers/present"
)

// head is what machines read in the head of the page of an item: Open Graph for those who share
// it, the tags of Google Scholar, and schema.org.
type head struct {
	Title, About, URL, Site string
	Authors                 []string
	Date, DOI, Publisher    string
	Keywords                []string
	Picture                 string
	JSONAddress             string
	Data                    any
}

// distributed is how many files the description for search engines names.
const distributed = 100

func (s *Site) head(v *item, doc *present.ArticleComplete) *head {
	h := &head{
		Title: v.Title, About: v.About, URL: v.Canonical, Site: v.Site, DOI: text(doc.DOI), Publisher: s.name(),
		Keywords: doc.Tags, Picture: text(doc.Thumb), JSONAddress: v.API,
	}
	for _, a := range doc.Authors {
		h.Authors = append(h.Authors, a.FullName)
	}
	if date := text(doc.PublishedDate); len(date) >= 10 {
		h.Date = strings.ReplaceAll(date[:10], "-", "/")
	}
	h.Data = s.schema(v, doc)
	return h
}

// schemaTypes are the types of schema.org that say more than that something is a work.
var schemaTypes = map[int64]string{1: "ImageObject", 2: "MediaObject", 3: "Dataset", 5: "Poster", 6: "ScholarlyArticle", 7: "PresentationDigitalDocument",
	8: "Thesis", 9: "SoftwareSourceCode", 12: "ScholarlyArticle", 13: "Book", 14: "ScholarlyArticle", 15: "Chapter", 16: "Review", 17: "LearningResource", 18: "Report"}

// schema is the item in the words of schema.org, as the JSON-LD of the page.
func (s *Site) schema(v *item, doc *present.ArticleComplete) map[string]any {
	kind := schemaTypes[doc.DefinedType]
	if kind == "" {
		kind = "CreativeWork"
	}
	data := map[string]any{
		"@context": "https://schema.org/", "@type": kind, "@id": v.Canonical, "url": v.Canonical, "name": v.Title,
		"description": short(plain(text(doc.Description)), 5000), "version": doc.Version,
		"publisher": map[string]any{"@type": "Organization", "name": s.name()}, "isAccessibleForFree": v.State.Words == "",
		"includedInDataCatalog": map[string]any{"@type": "DataCatalog", "name": s.name(), "url": s.api.Settings.SiteURL + "/"},
	}
	for name, value := range map[string]string{
		"datePublished": text(doc.PublishedDate), "dateModified": text(doc.Modified), "license": web(doc.License.URL), "keywords": strings.Join(doc.Tags, ", "),
	} {
		if value != "" {
			data[name] = value
		}
	}
	var creators []any
	for _, a := range doc.Authors {
		person := map[string]any{"@type": "Person", "name": a.FullName}
		if id := orcid(text(a.ORCID)); id != "" {
			person["@id"], person["sameAs"] = id, id
		}
		creators = append(creators, person)
	}
	if creators != nil {
		data["creator"] = creators
	}
	if doi := text(doc.DOI); doi != "" {
		identifier := map[string]any{"@type": "PropertyValue", "propertyID": "https://registry.identifiers.org/registry/doi", "value": "doi:" + doi}
		if v.DOI.URL != "" {
			identifier["url"] = v.DOI.URL
		}
		data["identifier"] = identifier
	}
	var files []any
	for i, f := range doc.Files {
		if i == distributed || doc.DownloadDisabled {
			break
		}
		file := map[string]any{"@type": "DataDownload", "name": f.Name, "contentUrl": f.DownloadURL, "contentSize": strconv.FormatInt(f.Size, 10) + " B"}
		if kind := text(f.MIME); kind != "" {
			file["encodingFormat"] = kind
		}
		files = append(files, file)
	}
	if files != nil {
		data["distribution"] = files
	}
	return data
}
