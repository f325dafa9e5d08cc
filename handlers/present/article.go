package present

import (
	"strconv"
	"time"

	"alcove/record"
	"alcove/record/catalogue"
)

// head are the keys that every form of an article ends with.
type head struct {
	ID              int64    `json:"id"`
	Title           *string  `json:"title"`
	DOI             *string  `json:"doi"`
	Handle          *string  `json:"handle"`
	URL             string   `json:"url"`
	PublishedDate   *string  `json:"published_date"`
	Thumb           *string  `json:"thumb"`
	DefinedType     int64    `json:"defined_type"`
	DefinedTypeName string   `json:"defined_type_name"`
	GroupID         *int64   `json:"group_id"`
	URLPrivateAPI   string   `json:"url_private_api"`
	URLPublicAPI    string   `json:"url_public_api"`
	URLPrivateHTML  string   `json:"url_private_html"`
	URLPublicHTML   string   `json:"url_public_html"`
	Timeline        Timeline `json:"timeline"`
	ResourceTitle   *string  `json:"resource_title"`
	ResourceDOI     *string  `json:"resource_doi"`
}

type dates struct {
	Created  *string `json:"created_date"`
	Modified *string `json:"modified_date"`
}

// Timeline has the dates of an item's steps. The keys of steps that were not taken are null, or,
// in a sparse one, left out, as the public service does.
type Timeline struct {
	Posted               *string `json:"posted"`
	FirstOnline          *string `json:"firstOnline"`
	Revision             *string `json:"revision"`
	Submission           *string `json:"submission"`
	PublisherPublication *string `json:"publisherPublication"`
	PublisherAcceptance  *string `json:"publisherAcceptance"`

	sparse bool
}

// MarshalJSON writes the steps in their order. They are dates, so nothing in them is escaped.
func (t Timeline) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 256), '{')
	for _, step := range [...]struct {
		name string
		at   *string
	}{
		{"posted", t.Posted}, {"firstOnline", t.FirstOnline}, {"revision", t.Revision}, {"submission", t.Submission},
		{"publisherPublication", t.PublisherPublication}, {"publisherAcceptance", t.PublisherAcceptance},
	} {
		if step.at == nil && t.sparse {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, step.name), ':')
		if step.at == nil {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendQuote(b, *step.at)
		}
	}
	return append(b, '}'), nil
}

// Article is an article in a list.
type Article struct {
	head
	dates
}

// metadata are the keys that the complete forms add to the head.
type metadata[F any] struct {
	Files            []F               `json:"files"`
	FolderStructure  map[string]string `json:"folder_structure"`
	Authors          []Author          `json:"authors"`
	CustomFields     []CustomField     `json:"custom_fields"`
	FigshareURL      string            `json:"figshare_url"`
	DownloadDisabled bool              `json:"download_disabled"`
	Description      *string           `json:"description"`
	Funding          *string           `json:"funding"`
	FundingList      []Funding         `json:"funding_list"`
	Version          int               `json:"version"`
	Status           string            `json:"status"`
	Size             int64             `json:"size"`
	dates
	IsPublic           bool              `json:"is_public"`
	IsConfidential     bool              `json:"is_confidential"`
	IsMetadataRecord   bool              `json:"is_metadata_record"`
	ConfidentialReason *string           `json:"confidential_reason"`
	MetadataReason     *string           `json:"metadata_reason"`
	License            License           `json:"license"`
	Tags               []string          `json:"tags"`
	Keywords           []string          `json:"keywords"`
	Categories         []Category        `json:"categories"`
	References         []string          `json:"references"`
	HasLinkedFile      bool              `json:"has_linked_file"`
	Citation           string            `json:"citation"`
	RelatedMaterials   []RelatedMaterial `json:"related_materials"`
	IsEmbargoed        bool              `json:"is_embargoed"`
	EmbargoDate        *string           `json:"embargo_date"`
	EmbargoType        *string           `json:"embargo_type"`
	EmbargoTitle       *string           `json:"embargo_title"`
	EmbargoReason      *string           `json:"embargo_reason"`
	EmbargoOptions     []EmbargoOption   `json:"embargo_options"`
	head
}

// ArticleComplete is the public detail of an article.
type ArticleComplete struct{ metadata[PublicFile] }

// ArticleSummary is what lists of pages show of a public article, read from its detail: most of that is
// not decoded.
type ArticleSummary struct {
	ID             int64      `json:"id"`
	Title          *string    `json:"title"`
	DOI            *string    `json:"doi"`
	DefinedType    int64      `json:"defined_type"`
	URLPublicHTML  string     `json:"url_public_html"`
	PublishedDate  *string    `json:"published_date"`
	Modified       *string    `json:"modified_date"`
	Description    *string    `json:"description"`
	Authors        []Author   `json:"authors"`
	Thumb          *string    `json:"thumb"`
	Files          []struct{} `json:"files"` // as many as the detail names
	Size           int64      `json:"size"`
	IsConfidential bool       `json:"is_confidential"`
	IsEmbargoed    bool       `json:"is_embargoed"`
	EmbargoDate    *string    `json:"embargo_date"`
}

// ArticlePrivate is the detail of an own article.
type ArticlePrivate struct {
	CurationStatus  *string `json:"curation_status" link:"hides"`
	GroupResourceID *string `json:"group_resource_id" link:"hides"`
	AccountID       int64   `json:"account_id" link:"hides"`
	metadata[PrivateFile]
}

// item is what the working copy and a public version have in common.
type item struct {
	*record.Metadata
	id                int64
	own               bool
	version           int
	size              int64
	links             int
	authors           []record.Person
	first, published  time.Time
	created, modified time.Time
	status            string
	everPublic        bool
	thumb             int64 // file, 0 for none
	leads             Leads
}

func version(v *record.ArticleVersion) item {
	it := item{
		Metadata: &v.Metadata, id: v.ArticleID, version: v.Version, size: v.Size, links: v.Links,
		authors: v.Authors, first: v.First, published: v.Published, created: v.Published,
		modified: v.Modified, status: "public", everPublic: true, thumb: v.Thumb.File,
	}
	if v.HidesFiles() {
		it.size, it.links = 0, 0
	}
	if v.HidesFiles() || v.DownloadDisabled {
		it.thumb = 0
	}
	return it
}

func working(a *record.Article, authors []record.Person) item {
	it := workingItem(&a.Working, authors)
	it.size, it.links, it.thumb = a.Size, a.Links, a.Thumb.File
	return it
}

func workingItem(w *record.Working, authors []record.Person) item {
	it := item{
		Metadata: &w.Metadata, id: w.ID, own: true, version: w.Version, authors: authors,
		created: w.Created, modified: w.Modified, status: w.Status(), everPublic: w.Public(),
	}
	if w.First != nil && w.Published != nil {
		it.first, it.published = *w.First, *w.Published
	}
	return it
}

// PublicArticle is a public version in a list.
func (s Settings) PublicArticle(v *record.ArticleVersion) Article {
	it := version(v)
	return Article{s.head(it), dates{stamp(it.created), stamp(it.modified)}}
}

// OwnArticle is a working copy in a list.
func (s Settings) OwnArticle(a *record.Article) Article {
	it := working(a, nil)
	return Article{s.head(it), dates{stamp(it.created), stamp(it.modified)}}
}

// PublicDetail is a public version with its files, of which it shows as many as it is given.
func (s Settings) PublicDetail(v *record.ArticleVersion, files []*record.PublicFile, leads Leads) ArticleComplete {
	it := version(v)
	it.leads = leads
	return ArticleComplete{describe(s, s.publicFiles(files), it)}
}

// PublicForms are both forms of a public version, whose head is made once.
func (s Settings) PublicForms(v *record.ArticleVersion, files []*record.PublicFile, leads Leads) (Article, ArticleComplete) {
	whole := s.PublicDetail(v, files, leads)
	return Article{whole.head, whole.dates}, whole
}

func (s Settings) publicFiles(files []*record.PublicFile) metadata[PublicFile] {
	m := metadata[PublicFile]{Files: []PublicFile{}, FolderStructure: map[string]string{}}
	for _, f := range files {
		m.Files = append(m.Files, s.PublicFile(f))
		if f.Folder != "" {
			m.FolderStructure[strconv.FormatInt(f.ID, 10)] = f.Folder
		}
	}
	return m
}

// OwnDetail is a working copy with its authors and files. The caller has blanked the tokens of uploads that may not be
// shown.
func (s Settings) OwnDetail(a *record.Article, authors []record.Person, files []*record.File, leads Leads) ArticlePrivate {
	m := metadata[PrivateFile]{Files: []PrivateFile{}, FolderStructure: map[string]string{}}
	for _, f := range files {
		m.Files = append(m.Files, s.PrivateFile(f))
		if f.Folder != "" {
			m.FolderStructure[strconv.FormatInt(f.ID, 10)] = f.Folder
		}
	}
	it := working(a, authors)
	it.leads = leads
	return ArticlePrivate{AccountID: a.AccountID, metadata: describe(s, m, it)}
}

// LinkedDetail is a working copy as a private link shows it: with the keys of the public detail,
// and the files that it is given.
func (s Settings) LinkedDetail(a *record.Article, authors []record.Person, files []*record.PublicFile, leads Leads) ArticleComplete {
	it := working(a, authors)
	it.leads = leads
	if a.DownloadDisabled {
		it.thumb = 0
	}
	return ArticleComplete{describe(s, s.publicFiles(files), it)}
}

// Anonymous is the form without the id of the article and the addresses that have it, and without
// the citation, as an anonymous link shows it. All else that tells who made it was never loaded.
func (a ArticleComplete) Anonymous() ArticleComplete {
	a.ID, a.URL, a.URLPrivateAPI, a.URLPublicAPI, a.URLPrivateHTML, a.URLPublicHTML, a.FigshareURL, a.Citation = 0, "", "", "", "", "", "", ""
	return a
}

func (s Settings) head(it item) head {
	t, _ := catalogue.ItemTypeByID(it.Type)
	h := head{
		ID: it.id, Title: s.text(it.Title), DOI: s.text(it.DOI), Handle: s.text(it.Handle),
		URL: s.API("/articles/%d", it.id), PublishedDate: stamp(it.published), Thumb: s.thumb(it.thumb),
		DefinedType: it.Type, DefinedTypeName: t.Name, GroupID: s.id(it.GroupID),
		URLPrivateAPI:  s.API("/account/articles/%d", it.id),
		URLPublicAPI:   s.API("/articles/%d", it.id),
		URLPrivateHTML: s.SiteURL + "/account/articles/" + strconv.FormatInt(it.id, 10),
		URLPublicHTML:  s.landing(it, t),
		ResourceTitle:  s.text(it.ResourceTitle), ResourceDOI: s.text(it.ResourceDOI),
	}
	if it.own {
		h.URL = h.URLPrivateAPI
	} else if it.DOI != "" {
		h.DOI = s.text(it.PublicDOI(it.version))
	}
	h.Timeline = s.timeline(it)
	return h
}

// timeline is what happened here, with what was told of the item before and elsewhere.
func (s Settings) timeline(it item) (t Timeline) {
	t.sparse = s.Figshare
	if it.everPublic {
		t.Posted, t.FirstOnline = bare(it.published), bare(it.first)
		if it.version > 1 {
			t.Revision = bare(it.published)
		}
	}
	if told := it.Metadata.Timeline.FirstOnline; told != "" {
		t.FirstOnline = &told
	}
	t.PublisherPublication, t.PublisherAcceptance = nullable(it.Metadata.Timeline.Publication), nullable(it.Metadata.Timeline.Acceptance)
	return t
}

func describe[F any](s Settings, m metadata[F], it item) metadata[F] {
	m.head = s.head(it)
	m.Authors = s.Authors(it.authors)
	m.CustomFields = s.customFields(it.CustomFields, it.Defined)
	m.FigshareURL = m.head.URLPublicHTML
	m.DownloadDisabled = it.DownloadDisabled
	m.Description, m.Funding, m.FundingList = s.text(it.Description), s.text(it.Funding), s.fundings(it.FundingList)
	m.Version, m.Status, m.Size = it.version, it.status, it.size
	m.dates = dates{stamp(it.created), stamp(it.modified)}
	m.IsPublic = it.everPublic
	m.IsMetadataRecord, m.MetadataReason = it.MetadataOnly, s.text(it.MetadataReason)
	secret := s.Confidentiality(&it.Embargo)
	m.IsConfidential, m.ConfidentialReason = secret.IsConfidential, secret.Reason
	m.License = license(it.License)
	m.Tags, m.Keywords, m.References = list(it.Tags), list(it.Tags), list(it.References)
	m.Categories = Categories(it.Categories)
	m.HasLinkedFile = it.links > 0
	m.Citation = s.citation(it)
	m.RelatedMaterials = s.relatedMaterials(it.Metadata)
	e := s.Embargo(&it.Embargo)
	m.IsEmbargoed, m.EmbargoDate, m.EmbargoType = e.IsEmbargoed, e.Date, e.Type
	m.EmbargoTitle, m.EmbargoReason, m.EmbargoOptions = e.Title, e.Reason, e.Options
	return m
}
