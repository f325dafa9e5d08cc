package present

import (
	"strconv"

	"alcove/record"
)

// Collection is a collection in a list.
type Collection struct {
	ID            int64    `json:"id"`
	Title         *string  `json:"title"`
	DOI           *string  `json:"doi"`
	Handle        *string  `json:"handle"`
	URL           string   `json:"url"`
	PublishedDate *string  `json:"published_date"`
	Timeline      Timeline `json:"timeline"`
}

// CollectionComplete is the public detail of a collection.
type CollectionComplete struct {
	Collection
	Funding          []Funding         `json:"funding"`
	ResourceID       *string           `json:"resource_id"`
	ResourceDOI      *string           `json:"resource_doi"`
	ResourceTitle    *string           `json:"resource_title"`
	ResourceLink     *string           `json:"resource_link"`
	ResourceVersion  int64             `json:"resource_version"`
	Version          int               `json:"version"`
	Description      *string           `json:"description"`
	Categories       []Category        `json:"categories"`
	References       []string          `json:"references"`
	RelatedMaterials []RelatedMaterial `json:"related_materials"`
	Tags             []string          `json:"tags"`
	Keywords         []string          `json:"keywords"`
	Authors          []Author          `json:"authors"`
	InstitutionID    *int64            `json:"institution_id"`
	GroupID          *int64            `json:"group_id"`
	ArticlesCount    int               `json:"articles_count"`
	Public           bool              `json:"public"`
	Citation         string            `json:"citation"`
	GroupResourceID  *string           `json:"group_resource_id"`
	CustomFields     []CustomField     `json:"custom_fields"`
	dates
}

// CollectionPrivate is the detail of an own collection.
type CollectionPrivate struct {
	CollectionComplete
	AccountID int64 `json:"account_id" link:"hides"`
}

// CollectionVersion is a public version in the list of versions: today's clients read
// version, older ones id.
type CollectionVersion struct {
	ID      int       `json:"id"`
	Version int       `json:"version"`
	URL     string    `json:"url"`
	Funding []Funding `json:"funding"`
}

func collectionVersion(v *record.CollectionVersion) item {
	return item{
		Metadata: &v.Metadata, id: v.CollectionID, version: v.Version, authors: v.Authors, first: v.First,
		published: v.Published, created: v.Published, modified: v.Modified, status: "public", everPublic: true,
	}
}

// PublicCollection is a public version in a list.
func (s Settings) PublicCollection(v *record.CollectionVersion) Collection {
	return s.collection(collectionVersion(v))
}

// CollectionDetail is a public version in full, of whose articles some are shown.
func (s Settings) CollectionDetail(v *record.CollectionVersion, articles int, leads Leads) CollectionComplete {
	return s.collectionDetail(collectionVersion(v), articles, leads)
}

// OwnCollection is a working copy in a list.
func (s Settings) OwnCollection(c *record.Collection) Collection {
	return s.collection(workingItem(&c.Working, nil))
}

// OwnCollectionDetail is a working copy with its authors and how many articles its list shows.
func (s Settings) OwnCollectionDetail(c *record.Collection, authors []record.Person, articles int, leads Leads) CollectionPrivate {
	return CollectionPrivate{s.collectionDetail(workingItem(&c.Working, authors), articles, leads), c.AccountID}
}

// LinkedCollection is a working copy as a private link shows it: with the keys of the public
// detail.
func (s Settings) LinkedCollection(c *record.Collection, authors []record.Person, articles int, leads Leads) CollectionComplete {
	return s.collectionDetail(workingItem(&c.Working, authors), articles, leads)
}

// Anonymous is ArticleComplete.Anonymous of a collection.
func (c CollectionComplete) Anonymous() CollectionComplete {
	c.ID, c.URL, c.Citation = 0, "", ""
	return c
}

func (s Settings) collection(it item) Collection {
	c := Collection{
		ID: it.id, Title: s.text(it.Title), DOI: s.text(it.DOI), Handle: s.text(it.Handle),
		URL: s.API("/collections/%d", it.id), PublishedDate: stamp(it.published), Timeline: s.timeline(it),
	}
	if it.own {
		c.URL = s.API("/account/collections/%d", it.id)
	} else if it.DOI != "" {
		c.DOI = s.text(it.PublicDOI(it.version))
	}
	return c
}

func (s Settings) collectionDetail(it item, articles int, leads Leads) CollectionComplete {
	it.leads = leads
	return CollectionComplete{
		Collection: s.collection(it), Funding: s.fundings(it.GrantTitles()),
		ResourceID: s.text(it.ResourceID), ResourceDOI: s.text(it.ResourceDOI), ResourceTitle: s.text(it.ResourceTitle),
		ResourceLink: s.text(it.ResourceLink), ResourceVersion: it.ResourceVersion,
		Version: it.version, Description: s.text(it.Description), Categories: Categories(it.Categories),
		References: list(it.References), RelatedMaterials: s.relatedMaterials(it.Metadata), Tags: list(it.Tags),
		Keywords: list(it.Tags), Authors: s.Authors(it.authors), InstitutionID: s.id(it.InstitutionID),
		GroupID: s.id(it.GroupID), ArticlesCount: articles, Public: it.everPublic,
		Citation:     s.cite(it, "Collection", s.SiteURL+"/collections/"+it.slug()+"/"+strconv.FormatInt(it.id, 10)),
		CustomFields: s.customFields(it.CustomFields, it.Defined), dates: dates{stamp(it.created), stamp(it.modified)},
	}
}

// CollectionVersions are the versions from 1 to the latest, with the titles of the grants of
// each that names some.
func (s Settings) CollectionVersions(id int64, latest int, grants map[int][]string) []CollectionVersion {
	out := []CollectionVersion{}
	for v := 1; v <= latest; v++ {
		out = append(out, CollectionVersion{v, v, s.API("/collections/%d/versions/%d", id, v), s.fundings(grants[v])})
	}
	return out
}
