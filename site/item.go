package site

import (
	"encoding/json"
	"errors"
	"html/template"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
	"alcove/record/markup"
)

type item struct {
	*Frame
	Head        *head  // nil of a project
	Preview     string // that it is one, "" where it is not
	Form        string // address of the form that a preview is of
	Heading     template.HTML
	Kind        string
	Number      int // of the version
	Newest      Choice
	Old         bool // there is a newer version
	State       State
	Reason      template.HTML // of the embargo
	People      []Link
	Date        Day
	Changed     Day
	DOI         Link
	Description template.HTML
	HasFiles    bool // it consists of files
	Listing     listing
	Glance      *glance // at one of its files, nil for none
	DownloadAll string  // address of the archive, "" for none
	Total       string  // size of all files
	Off         string  // why there is nothing to download, "" where there is
	Citations   []cited
	Styles      []exported // of more citations
	Exports     []exported
	Members     []card // of a collection or project, of which a page is shown
	Parts       bool   // it consists of members, not of files
	Page        int
	Previous    string
	Next        string
	Licence     Link
	Subjects    []Link
	Tags        []Choice
	Grants      []Link
	Cited       []Link
	Near        []Link
	Publication Link
	Custom      []customField
	All         []Choice // versions, the newest first
	numbers     []int    // of them, the lowest first
	API         string
	Script      scripts
	Share       *shared  // nil where nothing counts it
	PartOf      []Link   // collections
	PartOfMore  string   // how many more there are
	CitedBy     []Link   // items here
	CitedMore   string   // how many more there are
	Used        string   // how often it was seen and downloaded
	Charts      []chart  // of it
	Changes     *changes // since the version before, where they were asked for
	Compare     string   // address of the page with them, "" for none
	page        string   // its address
	telling     *record.PublicFile
}

// Link is a text that may lead somewhere.
type Link struct{ Text, URL string }

type customField struct {
	Name   string
	Values []value
}

// value is a value of a custom field, which may be an address.
type value struct {
	HTML template.HTML
	URL  string
}

// Article is the page of a public article, at the address that the API calls url_public_html, with a
// version behind it for any but the newest. Another slug leads to the right one. Archives of
// versions, and addresses that items had elsewhere, are of the same form.
func (s *Site) Article(c *endpoint.Call) (endpoint.Reply, error) {
	if !isType(c.Text("first")) || !c.Named("id", c.Text("third")) {
		if c.Text("fourth") != "" {
			return endpoint.Reply{}, record.ErrNotFound
		}
		return s.api.RootDownload(c)
	}
	if at := c.Text("fourth"); at == "files" || at == "linkset" {
		return s.Folder(c)
	}
	if err := c.PacePage(); err != nil {
		return endpoint.Reply{}, err
	}
	if v := c.Text("fourth"); v != "" && !c.Named("version", v) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	moved, err := s.api.Moved(c)
	if err != nil || moved != "" {
		return endpoint.Reply{}, errors.Join(err, record.ErrNotFound) // the adapter leads to where it is now
	}
	var v *item
	var r endpoint.Reply
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		v, r, err = s.article(c, tx)
		return err
	})
	if err != nil {
		return s.orWithdrawn(c, record.KindArticle, Unknown(err))
	}
	if v == nil {
		return r, nil
	}
	v.Glance = s.glance(c, v.Words, v.telling)
	return s.shown(c, v, v.page, r)
}

// Unknown is the refusal of an address at which there is no page: one for all items that readers do
// not know, whatever the reason.
func Unknown(err error) error {
	if refused := new(record.Error); errors.As(err, &refused) && refused.Class == record.NotFound {
		return record.ErrNotFound
	}
	return err
}

func isType(name string) bool {
	for _, t := range catalogue.ItemTypes() {
		if t.URLName == name {
			return true
		}
	}
	return false
}

// ShortArticle leads browsers from /articles/{id} to the page of a public article. For others, and
// with a private link, the address is that of an archive.
func (s *Site) ShortArticle(c *endpoint.Call) (endpoint.Reply, error) {
	r, refused := s.api.LinkDownload(c)
	if !errors.Is(refused, record.ErrNotFound) || !c.Browser() || c.Credentials() || !c.Named("id", c.Text("first")) {
		return r, refused
	}
	err := s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		doc, err := s.api.PublicDocument(tx, c.ID("id"))
		r = endpoint.Reply{Status: 302, Location: s.Local(doc.URLPublicHTML)}
		return err
	})
	if err != nil {
		return s.orWithdrawn(c, record.KindArticle, Unknown(err))
	}
	return r, nil
}

// article is what the page of a version shows but for what is in its files, and the answer of the API
// that it shows; or nil, and where the page is.
func (s *Site) article(c *endpoint.Call, tx *bucket.PublicTx) (*item, endpoint.Reply, error) {
	read, asked := s.api.PublicArticleRead, c.Text("fourth") != ""
	if asked {
		read = s.api.PublicVersionRead
	}
	answer, err := read(c, tx)
	if err != nil {
		return nil, answer, err
	}
	var doc present.ArticleComplete
	if err := json.Unmarshal(answer.Raw, &doc); err != nil {
		return nil, answer, err
	}
	newest := s.Local(doc.URLPublicHTML)
	page := newest
	if asked {
		page += "/" + strconv.Itoa(doc.Version)
		latest, err := s.api.PublicDocument(tx, doc.ID)
		if err != nil {
			return nil, answer, err
		}
		newest = s.Local(latest.URLPublicHTML)
	}
	if r, elsewhere := s.led(c, page); elsewhere {
		return nil, r, nil
	}
	it := described.Item(s.api.Settings, "article", &doc, s.api.Settings.SiteURL+page, s.api.Items.LeadsIn(tx))
	if r, other, err := s.negotiated(c, tx, it, asked, answer); other || err != nil {
		return nil, r, err
	}
	v, err := s.item(c, tx, &doc, newest)
	if err != nil {
		return nil, answer, err
	}
	if err := s.compare(c, tx, v, &doc, page); err != nil {
		return nil, answer, err
	}
	if err := errors.Join(citedBy(tx, v, record.KindArticle, doc.ID), partOf(tx, v, doc.ID)); err != nil {
		return nil, answer, err
	}
	var files []*record.PublicFile
	if v.Listing, files, err = s.listing(c, tx, v.Words, &doc, page); err != nil {
		return nil, answer, err
	}
	if v.Listing.Path == nil && v.Listing.First == "" && v.Off == "" {
		v.telling = telling(files)
	}
	s.describe(v, it, s.signs(it, asked, v.PartOf))
	s.sharing(c, v, "articles", doc.ID, page)
	v.page = page
	return v, answer, nil
}

// shown renders the page of an item as an answer of the API is sent.
func (s *Site) shown(c *endpoint.Call, v *item, page string, answer endpoint.Reply) (endpoint.Reply, error) {
	v.Canonical = s.api.Settings.SiteURL + page
	if v.Head != nil {
		v.Frame.Head = v.Head
	}
	v.Frame.Main = v
	r, err := s.render(c, "item", v.Frame)
	r.Modified, r.Count = answer.Modified, answer.Count
	if v.Head != nil {
		r.Header["Link"] = []string{formats.Header(v.Head.Links)}
		r.Header["Vary"] = []string{"Accept, " + r.Header.Get("Vary")}
	}
	return r, err
}

// begin is what the pages of articles, collections and projects show alike.
func (s *Site) begin(c *endpoint.Call, doc *present.ArticleComplete) *item {
	f := s.Frame(c)
	f.Title, f.About = markup.Title(Text(doc.Title)).String(), Short(markup.Description(Text(doc.Description)).String(), 300)
	v := &item{
		Frame: f, Heading: markup.Title(Text(doc.Title)).HTML(), Kind: f.Types[doc.DefinedType], Number: doc.Version,
		State: f.StateOf(doc.IsConfidential, doc.IsEmbargoed, Text(doc.EmbargoDate)), Date: f.ReadDay(Text(doc.PublishedDate)), Changed: f.ReadDay(Text(doc.Modified)),
		Description: markup.Description(Text(doc.Description)).HTML(),
	}
	for _, a := range doc.Authors {
		v.People = append(v.People, Link{a.FullName, orcid(Text(a.ORCID))})
	}
	if doi := Text(doc.DOI); doi != "" {
		v.DOI = Link{Text: doi} // describe links it where it leads here
	}
	s.relations(v, doc)
	return v
}

// terms are the licence of an article, and why there are no files to download.
func (v *item) terms(doc *present.ArticleComplete) {
	v.HasFiles, v.Licence = true, Link{doc.License.Name, Web(doc.License.URL)}
	if v.State.Words != "" {
		v.Reason = markup.Description(Text(doc.EmbargoReason)).HTML()
		if doc.IsConfidential {
			v.Reason = markup.Description(Text(doc.ConfidentialReason)).HTML()
		}
	}
	switch {
	case doc.IsMetadataRecord:
		v.Off = strings.TrimSpace(strings.Replace(v.MetadataOnly, "%s", markup.Description(Text(doc.MetadataReason)).String(), 1))
	case v.State.Words != "" && len(doc.Files) == 0:
		v.Off = v.FilesWithheld
	case doc.DownloadDisabled:
		v.Off = v.DownloadOff
	case len(doc.Files) == 0:
		v.Off = v.NoFiles
	}
}

// item is what the page of a version shows beside its files.
func (s *Site) item(c *endpoint.Call, tx *bucket.PublicTx, doc *present.ArticleComplete, newest string) (*item, error) {
	v := s.begin(c, doc)
	v.API = s.api.Settings.API("/articles/%d/versions/%d", doc.ID, doc.Version)
	v.terms(doc)
	if v.Off == "" && len(doc.Files) > 1 {
		v.DownloadAll, v.Total = "/articles/"+strconv.FormatInt(doc.ID, 10)+"/versions/"+strconv.Itoa(doc.Version), v.Bytes(doc.Size)
	}
	list, err := s.api.PublicVersionList(c, tx)
	if err != nil {
		return nil, err
	}
	var numbers []int
	versions, _ := list.Body.([]present.ArticleVersion)
	for _, version := range versions {
		numbers = append(numbers, version.Version)
	}
	v.versions(numbers, newest)
	v.Script = newScripts(v, doc)
	if facts, ok := published.ArticleFacts.Facts(tx, doc.ID); ok {
		v.Used = v.ViewsAndDownloads(facts.Counts.Views, facts.Counts.Downloads)
		v.Charts = charts(tx, v.Words, bucket.Pair{A: record.KindArticle, B: doc.ID})
	}
	return v, nil
}
