package site

import (
	"encoding/json"
	"errors"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/catalogue"
)

type item struct {
	*frame
	Heading     template.HTML
	Kind        string
	Number      int // of the version
	Newest      choice
	Old         bool // there is a newer version
	State       state
	Reason      string // of the embargo
	People      []link
	Date        day
	Changed     day
	DOI         link
	Description prose
	Listing     listing
	DownloadAll string // address of the archive, "" for none
	Total       string // size of all files
	Off         string // why there is nothing to download, "" where there is
	Citation    string
	Licence     link
	Subjects    []string
	Tags        []choice
	Grants      []link
	Cited       []link
	Near        []link
	Publication link
	Custom      []customField
	All         []choice // versions, the newest first
	API         string
}

// link is a text that may lead somewhere.
type link struct{ Text, URL string }

type customField struct {
	Name   string
	Values []link
}

// Article is the page of a public article, at the address that the API calls url_public_html, with a
// version behind it for any but the newest. Another slug leads to the right one. Archives of
// versions, and addresses that items had elsewhere, are of the same form.
func (s *Site) Article(c *handlers.Call) (handlers.Reply, error) {
	if !isType(c.Text("first")) || !c.Named("id", c.Text("third")) {
		if c.Text("fourth") != "" {
			return handlers.Reply{}, record.ErrNotFound
		}
		return s.api.RootDownload(c)
	}
	if v := c.Text("fourth"); v != "" && !c.Named("version", v) {
		return handlers.Reply{}, record.ErrNotFound
	}
	moved, err := s.api.Moved(c)
	if err != nil || moved != "" {
		return handlers.Reply{}, errors.Join(err, record.ErrNotFound) // the adapter leads to where it is now
	}
	var r handlers.Reply
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		r, err = s.article(c, tx)
		return err
	})
	return r, unknown(err)
}

// unknown is the refusal of an address at which there is no page: one for all items that readers do
// not know, whatever the reason.
func unknown(err error) error {
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
func (s *Site) ShortArticle(c *handlers.Call) (handlers.Reply, error) {
	r, refused := s.api.LinkDownload(c)
	if !errors.Is(refused, record.ErrNotFound) || !c.Browser() || c.Credentials() || !c.Named("id", c.Text("first")) {
		return r, refused
	}
	err := s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		doc, err := s.api.PublicDocument(tx, c.ID("id"))
		r = handlers.Reply{Status: 302, Location: s.local(doc.URLPublicHTML)}
		return err
	})
	return r, unknown(err)
}

func (s *Site) article(c *handlers.Call, tx *bucket.PublicTx) (handlers.Reply, error) {
	read, asked := s.api.PublicArticleRead, c.Text("fourth") != ""
	if asked {
		read = s.api.PublicVersionRead
	}
	answer, err := read(c, tx)
	if err != nil {
		return handlers.Reply{}, err
	}
	var doc present.ArticleComplete
	if err := json.Unmarshal(answer.Raw, &doc); err != nil {
		return handlers.Reply{}, err
	}
	newest := s.local(doc.URLPublicHTML)
	page := newest
	if asked {
		page += "/" + strconv.Itoa(doc.Version)
		latest, err := s.api.PublicDocument(tx, doc.ID)
		if err != nil {
			return handlers.Reply{}, err
		}
		newest = s.local(latest.URLPublicHTML)
	}
	if pathOf(c) != decoded(page) {
		if at := c.Address(); at.RawQuery != "" {
			page += "?" + at.RawQuery
		}
		return handlers.Reply{Status: 302, Location: page, Public: true}, nil
	}
	v, err := s.item(c, tx, &doc, newest)
	if err != nil {
		return handlers.Reply{}, err
	}
	if v.Listing, err = s.listing(c, tx, &doc, page); err != nil {
		return handlers.Reply{}, err
	}
	v.Canonical = s.api.Settings.SiteURL + page
	v.Head = s.head(v, &doc)
	v.Main = v
	r, err := s.render(c, "item", v.frame)
	r.Modified, r.Count = answer.Modified, answer.Count
	return r, err
}

// item is what the page of a version shows beside its files.
func (s *Site) item(c *handlers.Call, tx *bucket.PublicTx, doc *present.ArticleComplete, newest string) (*item, error) {
	f := s.frame(c)
	f.Title, f.About = plainTitle(text(doc.Title)), short(plain(text(doc.Description)), 300)
	v := &item{
		frame: f, Heading: inline(text(doc.Title)), Kind: f.Types[doc.DefinedType], Number: doc.Version,
		State: f.state(doc), Date: f.day(text(doc.PublishedDate)), Changed: f.day(text(doc.Modified)),
		Description: newProse(text(doc.Description)), Citation: plainTitle(doc.Citation),
		Licence: link{doc.License.Name, web(doc.License.URL)}, API: s.api.Settings.API("/articles/%d/versions/%d", doc.ID, doc.Version),
	}
	if v.State.Words != "" {
		v.Reason = plain(text(doc.EmbargoReason))
		if doc.IsConfidential {
			v.Reason = plain(text(doc.ConfidentialReason))
		}
	}
	for _, a := range doc.Authors {
		v.People = append(v.People, link{a.FullName, orcid(text(a.ORCID))})
	}
	if doi := text(doc.DOI); doi != "" {
		v.DOI = link{doi, resolver(doi)}
	}
	s.relations(v, doc)
	switch {
	case doc.IsMetadataRecord:
		v.Off = strings.TrimSpace(strings.Replace(f.MetadataOnly, "%s", plain(text(doc.MetadataReason)), 1))
	case v.State.Words != "" && len(doc.Files) == 0:
		v.Off = f.FilesWithheld
	case doc.DownloadDisabled:
		v.Off = f.DownloadOff
	case len(doc.Files) > 1:
		v.DownloadAll, v.Total = "/articles/"+strconv.FormatInt(doc.ID, 10)+"/versions/"+strconv.Itoa(doc.Version), f.Bytes(doc.Size)
	case len(doc.Files) == 0:
		v.Off = f.NoFiles
	}
	list, err := s.api.PublicVersionList(c, tx)
	if err != nil {
		return nil, err
	}
	versions, _ := list.Body.([]present.ArticleVersion)
	for i := len(versions) - 1; i >= 0; i-- {
		n := versions[i].Version
		to := newest
		if i < len(versions)-1 {
			to += "/" + strconv.Itoa(n)
		}
		v.All = append(v.All, choice{strings.Replace(f.Version, "%d", strconv.Itoa(n), 1), to, n == doc.Version})
	}
	if len(v.All) > 0 && !v.All[0].Chosen {
		v.Old, v.Newest = true, choice{strings.Replace(f.NewestVersion, "%d", strconv.Itoa(versions[len(versions)-1].Version), 1), newest, false}
	}
	return v, nil
}

// relations are what an item is about, and what it is related to.
func (s *Site) relations(v *item, doc *present.ArticleComplete) {
	for _, k := range doc.Categories {
		v.Subjects = append(v.Subjects, k.Title)
	}
	for _, t := range doc.Tags {
		v.Tags = append(v.Tags, choice{Words: t, URL: "/search?q=" + url.QueryEscape(":tag: \""+strings.ReplaceAll(t, `"`, "")+`"`)})
	}
	for _, g := range doc.FundingList {
		v.Grants = append(v.Grants, link{g.Title, web(text(g.URL))})
	}
	if len(v.Grants) == 0 && text(doc.Funding) != "" {
		v.Grants = []link{{Text: plain(text(doc.Funding))}}
	}
	for _, r := range doc.References {
		v.Cited = append(v.Cited, link{r, web(r)})
	}
	for _, r := range doc.RelatedMaterials {
		if web(r.Identifier) != "" && contains(v.Cited, r.Identifier) {
			continue
		}
		title := text(r.Title)
		if title == "" {
			title = r.Identifier
		}
		v.Near = append(v.Near, link{title, web(text(r.Link))})
	}
	if title, doi := text(doc.ResourceTitle), text(doc.ResourceDOI); doi != "" {
		if title == "" {
			title = doi
		}
		v.Publication = link{title, resolver(doi)}
	}
	for _, field := range doc.CustomFields {
		if values := fieldValues(field.Value, v.Words); len(values) > 0 {
			v.Custom = append(v.Custom, customField{field.Name, values})
		}
	}
}

func contains(list []link, text string) bool {
	for _, l := range list {
		if l.Text == text {
			return true
		}
	}
	return false
}

// fieldValues are the values of a custom field, of whichever kind.
func fieldValues(raw json.RawMessage, w *Words) (values []link) {
	var one any
	if json.Unmarshal(raw, &one) != nil {
		return nil
	}
	list, several := one.([]any)
	if !several {
		list = []any{one}
	}
	for _, v := range list {
		switch v := v.(type) {
		case string:
			if v != "" {
				values = append(values, link{v, web(v)})
			}
		case float64:
			values = append(values, link{Text: strconv.FormatFloat(v, 'f', -1, 64)})
		case bool:
			values = append(values, link{Text: map[bool]string{true: w.Yes, false: w.No}[v]})
		}
	}
	return values
}

// web is an address on the web, and "" for any other text: only these are made links.
func web(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return address
}

// resolver is the address that a DOI leads from, "" for one of the prefix that is reserved for tests.
func resolver(doi string) string {
	if strings.HasPrefix(doi, "10.5072/") {
		return ""
	}
	return "https://doi.org/" + (&url.URL{Path: doi}).EscapedPath()
}

func orcid(id string) string {
	if id == "" {
		return ""
	}
	return "https://orcid.org/" + url.PathEscape(strings.TrimPrefix(id, "https://orcid.org/"))
}
