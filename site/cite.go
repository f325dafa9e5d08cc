package site

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"alcove/bucket"
	"alcove/formats"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/record"
)

// cited is a citation in a style.
type cited struct{ Name, Label, Text string }

// shownStyles is how many citations stand on the page of an item. It links to those in the other styles.
const shownStyles = 5

// exported is a form of the item to download.
type exported struct{ Label, URL string }

// head is what machines read in the head of the page of an item.
type head struct {
	Tags        []formats.Tag
	JSONAddress string
	Links       []formats.Link
	Data        template.JS // schema.org, in which <, > and & are escaped
}

// describe fills the citations of the page of an item, and what machines read in its head: its typed links among them.
func (s *Site) describe(v *item, it formats.Item, links []formats.Link) {
	v.DOI.URL = resolver(it.DOI)
	h := &head{Tags: formats.Meta(it), JSONAddress: v.API, Links: links}
	for _, f := range formats.All() {
		address := exportPath(it, f)
		switch {
		case f.Label == "": // pages do not offer it
		case f.Name == "schemaorg":
			h.Data = template.JS(strings.TrimSpace(f.Write(it)))
			fallthrough
		case !f.Citation():
			v.Exports = append(v.Exports, exported{f.Label, address})
		case len(v.Citations) == shownStyles:
			v.Styles = append(v.Styles, exported{f.Label, address + inHTML})
		default:
			v.Citations = append(v.Citations, cited{f.Name, f.Label, f.Write(it)})
		}
	}
	if it.Package != "" {
		v.Exports = append(v.Exports, exported{"BagIt", strings.TrimPrefix(it.Package, s.api.Settings.SiteURL)})
	}
	v.Head = h
}

// exportPath is where a form of a version stands. It has no title in it, so that it stays.
func exportPath(it formats.Item, f formats.Format) string {
	return fmt.Sprintf("/export/%ss/%d/%d/%s", it.Kind, it.ID, it.Version, f.Name)
}

// ArticleExport is a public version of an article in a form that others read.
func (s *Site) ArticleExport(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	it, answer, err := s.articleItem(c, tx, true)
	if err != nil {
		return endpoint.Reply{}, err
	}
	r, err := s.export(c, it)
	r.Count = answer.Count.Described()
	return r, err
}

// CollectionExport is the same of a collection.
func (s *Site) CollectionExport(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	it, answer, err := s.collectionItem(c, tx, true)
	if err != nil {
		return endpoint.Reply{}, err
	}
	r, err := s.export(c, it)
	r.Count = answer.Count.Described()
	return r, err
}

// articleItem describes the version of the address where asked, else the one that readers get.
func (s *Site) articleItem(c *endpoint.Call, tx *bucket.PublicTx, asked bool) (it formats.Item, answer endpoint.Reply, err error) {
	read := s.api.PublicArticleRead
	if asked {
		read = s.api.PublicVersionRead
	}
	var doc present.ArticleComplete
	if answer, err = read(c, tx); err == nil {
		err = json.Unmarshal(answer.Raw, &doc)
	}
	return described.Item(s.api.Settings, "article", &doc, s.absolute(&doc), s.api.Items.LeadsIn(tx)), answer, Unknown(err)
}

// collectionItem is the same of a collection.
func (s *Site) collectionItem(c *endpoint.Call, tx *bucket.PublicTx, asked bool) (it formats.Item, answer endpoint.Reply, err error) {
	doc, answer, err := s.collectionDocument(c, tx, asked)
	return described.Item(s.api.Settings, "collection", &doc, s.absolute(&doc), s.api.Items.LeadsIn(tx)), answer, Unknown(err)
}

// absolute is the address of the page of a version.
func (s *Site) absolute(doc *present.ArticleComplete) string {
	return fmt.Sprintf("%s/%d", doc.URLPublicHTML, doc.Version)
}

func (s *Site) export(c *endpoint.Call, it formats.Item) (endpoint.Reply, error) {
	name, cited := strings.CutSuffix(c.Text("format"), inHTML)
	f, known := formats.ByName(name)
	if !known || cited && !f.Citation() {
		return endpoint.Reply{}, record.ErrNotFound
	}
	if cited {
		return citation(it, f)
	}
	r := inForm(it, f)
	file := fmt.Sprintf("%s-%d-v%d%s", it.Kind, it.ID, it.Version, f.Extension)
	r.Header["Content-Disposition"] = []string{"attachment; " + wire.FileName(file)}
	return r, nil
}

// inHTML stands behind the name of a style in the address of a citation in HTML.
const inHTML = ".html"

// citation is the page of a citation in HTML, to be copied with its italics and its link. It has nothing else, so
// that it may stand under the policy of answers that are not pages.
func citation(it formats.Item, f formats.Format) (endpoint.Reply, error) {
	page, err := templates.execute("citation", struct {
		Style, Title string
		Text         template.HTML // which has escaped the texts of the item
	}{f.Label, it.Title, template.HTML(f.HTML(it))})
	return endpoint.Reply{Raw: page, Type: htmlType, Modified: it.Modified, Header: describes(it)}, err
}

// inForm is an item in a form, with a link to its page.
func inForm(it formats.Item, f formats.Format) endpoint.Reply {
	return endpoint.Reply{Raw: []byte(f.Write(it)), Type: f.MediaType(), Modified: it.Modified, Header: describes(it)}
}

// describes is the link from a form of an item to its page.
func describes(it formats.Item) http.Header {
	return http.Header{"Link": {formats.Header([]formats.Link{{Rel: "describes", URL: it.URL, Type: "text/html"}})}}
}
