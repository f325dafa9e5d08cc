package site

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
)

// Previewed is the working copy of an article as the public would get it, with its files.
func (s *Site) Previewed(c *endpoint.Call) (doc present.ArticleComplete, files []*record.File, err error) {
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		doc, files, err = s.api.Preview(c, tx)
		return err
	})
	return doc, files, err
}

// Preview is the page of an article as it will be public: made of its working copy.
func (s *Site) Preview(c *endpoint.Call) (endpoint.Reply, error) {
	doc, files, err := s.Previewed(c)
	if err != nil {
		return endpoint.Reply{}, Unknown(err)
	}
	if Text(doc.EmbargoType) == string(record.FileEmbargo) && doc.IsEmbargoed {
		doc.Files, files = nil, nil
	}
	today := time.Now().UTC().Format(time.RFC3339)
	doc.PublishedDate = &today
	v := s.begin(c, &doc)
	v.terms(&doc)
	v.Listing.Words = v.Words
	for _, f := range files {
		row := s.fileRow(v.Words, &doc, f.Public(f.Created))
		row.Name = strings.TrimPrefix(Joined(strings.Trim(f.Folder, "/"), row.Name), "/")
		v.Listing.Files = append(v.Listing.Files, row)
	}
	if len(files) > 0 {
		v.Listing.Count = v.Count(len(files), v.OneFile, v.ManyFiles)
	}
	s.describe(v, described.Item(s.api.Settings, "article", &doc, s.Local(doc.URLPublicHTML), func(string) bool { return false }), nil)
	v.Head, v.Styles, v.Exports = nil, nil, nil // there is no such version yet
	v.Preview, v.Form = v.Edit.PreviewNotice, "/account/articles/"+strconv.FormatInt(doc.ID, 10)+"/edit"
	v.Frame.Title = v.Edit.Preview + ": " + markup.Title(Text(doc.Title)).String()
	v.Frame.Main = v
	return s.Page(c, templates, "item", http.StatusOK, v.Frame)
}
