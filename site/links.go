package site

import (
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
)

// linked is what a private link shows of an item.
type linked struct {
	*item
	Until     Day  // when the link ends
	Anonymous bool // who made the item is withheld
	Members   bool // the item is a collection
	Items     []card
	First     string // address of the beginning of the list, "" when this is it
	Next      string
}

// Link is the page that a private link opens for people: /s/{token}. Programs use its token at the
// addresses of the API, so this one has nothing for them. A link that has ended, or never was, is
// no address.
func (s *Site) Link(c *endpoint.Call) (r endpoint.Reply, err error) {
	if !c.Browser() {
		return r, record.ErrNotFound
	}
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		l, err := s.api.OpenLink(c, tx)
		if err != nil {
			return err
		}
		f := s.Frame(c)
		v := &linked{item: &item{Frame: f}, Until: f.ReadDay(l.Expires.Format("2006-01-02")), Anonymous: l.Anonymous}
		if l.Kind == "collections" {
			err = s.linkedCollection(v, c, l, tx)
		} else {
			err = s.linkedArticle(v, c, l, tx)
		}
		if err != nil {
			return err
		}
		f.Hidden, f.Main = true, v
		r, err = s.render(c, "link", f)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, Unknown(err)
	}
	r.Header["X-Robots-Tag"] = []string{"noindex"}
	r.Public = false
	return r, nil
}

func (s *Site) linkedArticle(v *linked, c *endpoint.Call, l *handlers.LinkedItem, tx *bucket.Tx) error {
	answer, err := s.api.ArticleRead(l.Call, tx)
	if err != nil {
		return err
	}
	doc, ok := answer.Body.(present.ArticleComplete)
	if !ok {
		return record.ErrNotFound
	}
	s.describeLinked(v, &doc)
	page := "/s/" + c.Text("token")
	list, err := s.api.FileList(l.Asking("page_size="+strconv.Itoa(filesOfPage), Asked(c, "from")), tx)
	if err != nil {
		return record.ErrNotFound // of another link, or no place in a list
	}
	shown, _ := list.Body.([]present.PublicFile)
	v.Listing.Words = v.Words
	for i := range shown {
		stored, err := files.Files.Get(tx, shown[i].ID)
		if err != nil {
			return err
		}
		row := s.fileRow(v.Words, &doc, stored.Public(stored.Created))
		row.Name = strings.TrimPrefix(Joined(strings.Trim(stored.Folder, "/"), row.Name), "/")
		for _, address := range []*string{&row.Download, &row.View} {
			if strings.HasPrefix(*address, "/files/") {
				*address += map[bool]string{true: "&", false: "?"}[strings.Contains(*address, "?")] + "private_link=" + c.Text("token")
			}
		}
		v.Listing.Files = append(v.Listing.Files, row)
	}
	if Asked(c, "from") != "" {
		v.Listing.First = page
	}
	if len(shown) == filesOfPage {
		v.Listing.Next = page + "?from=" + url.QueryEscape(list.Cursor)
	}
	switch {
	case doc.IsMetadataRecord:
		v.Off = strings.TrimSpace(strings.Replace(v.MetadataOnly, "%s", markup.Description(Text(doc.MetadataReason)).String(), 1))
	case len(shown) == 0 && v.Listing.First == "":
		v.Off = v.NoFiles
	case doc.DownloadDisabled:
		v.Off = v.DownloadOff
	case doc.Size > 0 || !doc.HasLinkedFile: // some lie here
		v.DownloadAll, v.Total = page+"/download", v.Bytes(doc.Size)
	}
	return nil
}

func (s *Site) linkedCollection(v *linked, c *endpoint.Call, l *handlers.LinkedItem, tx *bucket.Tx) error {
	answer, err := s.api.CollectionRead(l.Call, tx)
	if err != nil {
		return err
	}
	col, ok := answer.Body.(present.CollectionComplete)
	if !ok {
		return record.ErrNotFound
	}
	var doc present.ArticleComplete // of which a collection has a part
	doc.Title, doc.Description, doc.Authors, doc.Categories, doc.Tags, doc.DOI = col.Title, col.Description, col.Authors, col.Categories, col.Tags, col.DOI
	doc.FundingList, doc.References, doc.RelatedMaterials, doc.CustomFields = col.Funding, col.References, col.RelatedMaterials, col.CustomFields
	doc.ResourceTitle, doc.ResourceDOI = col.ResourceTitle, col.ResourceDOI
	s.describeLinked(v, &doc)
	v.Kind, v.Members = v.Collection, !l.Anonymous
	n := 1
	if from := Asked(c, "from"); from != "" {
		if n, err = strconv.Atoi(from); err != nil || n < 2 || n > maxPage {
			return record.ErrNotFound
		}
	}
	page := "/s/" + c.Text("token")
	members, err := s.api.CollectionArticles(l.Asking("page_size="+strconv.Itoa(pageSize)+"&page="+strconv.Itoa(n), ""), tx)
	if err != nil {
		return err
	}
	if v.Items, err = s.cards(tx, v.Words, members); err != nil {
		return err
	}
	if n > 1 {
		v.First = page
	}
	if col.ArticlesCount > n*pageSize && n < maxPage {
		v.Next = page + "?from=" + strconv.Itoa(n+1)
	}
	return nil
}

// describeLinked is what the pages of both kinds have.
func (s *Site) describeLinked(v *linked, doc *present.ArticleComplete) {
	v.Title, v.Heading, v.Kind = markup.Title(Text(doc.Title)).String(), markup.Title(Text(doc.Title)).HTML(), v.Types[doc.DefinedType]
	if v.Heading == "" {
		v.Heading = template.HTML(template.HTMLEscapeString(v.Untitled))
	}
	v.Changed, v.Description = v.ReadDay(Text(doc.Modified)), markup.Description(Text(doc.Description)).HTML()
	v.Licence = Link{doc.License.Name, Web(doc.License.URL)}
	for _, a := range doc.Authors {
		v.People = append(v.People, Link{a.FullName, orcid(Text(a.ORCID))})
	}
	if doi := Text(doc.DOI); doi != "" {
		v.DOI = Link{Text: doi} // that of a working copy leads nowhere yet
	}
	s.relations(v.item, doc)
}

// LinkDownload is the archive of the article that a private link opens: /s/{token}/download.
func (s *Site) LinkDownload(c *endpoint.Call) (endpoint.Reply, error) {
	r, err := s.api.LinkArchive(c)
	if err != nil {
		return r, Unknown(err)
	}
	r.Header = map[string][]string{"X-Robots-Tag": {"noindex"}}
	return r, nil
}
