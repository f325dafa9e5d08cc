package site

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"alcove/bucket"
	"alcove/formats"
	"alcove/handlers"
	"alcove/handlers/described"
	"alcove/handlers/present"
	"alcove/handlers/wire"
	"alcove/record"
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

// describe fills the citations of the page of an item, and what machines read in its head.
func (s *Site) describe(v *item, it formats.Item) {
	h := &head{Tags: formats.Meta(it), JSONAddress: v.API}
	for _, f := range formats.All() {
		address := exportPath(it, f)
		switch {
		case f.Label == "": // pages do not offer it
			h.Exports = append(h.Exports, alternate{f.Media, s.api.Settings.SiteURL + address})
		case f.Name == "schemaorg":
			h.Data = template.JS(strings.TrimSpace(f.Write(it)))
			fallthrough
		case !f.Citation():
			v.Exports = append(v.Exports, exported{f.Label, address})
			h.Exports = append(h.Exports, alternate{f.Media, s.api.Settings.SiteURL + address})
		default:
			v.Citations = append(v.Citations, cited{f.Name, f.Label, f.Write(it)})
		}
	}
	v.Head = h
}

// exportPath is where a form of a version stands. It has no title in it, so that it stays.
func exportPath(it formats.Item, f formats.Format) string {
	return fmt.Sprintf("/export/%ss/%d/%d/%s", it.Kind, it.ID, it.Version, f.Name)
}

// ArticleExport is a public version of an article in a form that others read.
func (s *Site) ArticleExport(c *handlers.Call, tx *bucket.PublicTx) (handlers.Reply, error) {
	it, _, err := s.articleItem(c, tx, true)
	if err != nil {
		return handlers.Reply{}, err
	}
	return s.export(c, it)
}

// CollectionExport is the same of a collection.
func (s *Site) CollectionExport(c *handlers.Call, tx *bucket.PublicTx) (handlers.Reply, error) {
	it, _, err := s.collectionItem(c, tx, true)
	if err != nil {
		return handlers.Reply{}, err
	}
	return s.export(c, it)
}

// articleItem describes the version of the address where asked, else the one that readers get.
func (s *Site) articleItem(c *handlers.Call, tx *bucket.PublicTx, asked bool) (it formats.Item, answer handlers.Reply, err error) {
	read := s.api.PublicArticleRead
	if asked {
		read = s.api.PublicVersionRead
	}
	var doc present.ArticleComplete
	if answer, err = read(c, tx); err == nil {
		err = json.Unmarshal(answer.Raw, &doc)
	}
	return described.Item(s.api.Settings, "article", &doc, s.absolute(&doc)), answer, unknown(err)
}

// collectionItem is the same of a collection.
func (s *Site) collectionItem(c *handlers.Call, tx *bucket.PublicTx, asked bool) (it formats.Item, answer handlers.Reply, err error) {
	doc, answer, err := s.collectionDocument(c, tx, asked)
	return described.Item(s.api.Settings, "collection", &doc, s.absolute(&doc)), answer, unknown(err)
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
	r := inForm(it, f)
	name := fmt.Sprintf("%s-%d-v%d%s", it.Kind, it.ID, it.Version, f.Extension)
	r.Header["Content-Disposition"] = []string{"attachment; " + wire.FileName(name)}
	return r, nil
}

// inForm is an item in a form, with a link to its page.
func inForm(it formats.Item, f formats.Format) handlers.Reply {
	link := formats.Header([]formats.Link{{Rel: "describes", URL: it.URL, Type: "text/html"}})
	return handlers.Reply{Raw: []byte(f.Write(it)), Type: f.MediaType(), Modified: it.Modified, Header: http.Header{"Link": {link}}}
}
