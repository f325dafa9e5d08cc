package site

import (
	"net/http"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/formats"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/record"
)

// Pages of items tell machines where things are by typed links (FAIR Signposting), and are given in other forms to
// clients that prefer them.

// These bound the files and the collections that a linkset names.
const (
	linkedFiles       = 10_000
	linkedCollections = 1000
)

// links returns the typed links of the page of an item, which is in some collections. asked tells that it is the page
// of one version.
func (s *Site) links(it formats.Item, asked bool, within []Link) []formats.Link {
	if !asked && it.DOI != "" {
		it.DOI = it.ConceptDOI // the page of the newest version is that of all
	}
	links := formats.Signs(it, func(f formats.Format) string { return s.api.Settings.SiteURL + exportPath(it, f) })
	for _, c := range within {
		links = append(links, formats.Link{Rel: "collection", URL: s.api.Settings.SiteURL + c.URL, Type: "text/html"})
	}
	return links
}

// signs returns the typed links of the page of an item, its linksets too.
func (s *Site) signs(it formats.Item, asked bool, within []Link) []formats.Link {
	links := s.links(it, asked, within)
	for _, t := range []string{formats.LinksetJSON, formats.LinksetText} {
		links = append(links, formats.Link{Rel: "linkset", URL: s.untitled(it) + "/linkset", Type: t})
	}
	return links
}

// untitled returns the address of the page of an item without its title, which can take 1,440 bytes.
func (s *Site) untitled(it formats.Item) string {
	title := 2
	if it.Kind == "article" {
		title = 3
	}
	path := strings.Split(s.Local(it.URL), "/")
	path[title] = "_"
	return s.api.Settings.SiteURL + strings.Join(path, "/")
}

// negotiated answers in the form that the client prefers to a page, and reports whether there is one.
func (s *Site) negotiated(c *endpoint.Call, tx *bucket.PublicTx, it formats.Item, asked bool, answer endpoint.Reply) (r endpoint.Reply, other bool, err error) {
	chosen, ok := formats.Negotiate(strings.Join(c.Header.Values("Accept"), ","))
	switch {
	case !ok:
		return r, true, record.ErrNotAcceptable
	case chosen.Page:
		return r, false, nil
	case chosen.Linkset != "":
		if r, err = s.linkset(tx, it, asked, chosen.Linkset); err != nil {
			return r, true, err
		}
	default:
		r = inForm(it, chosen.Format)
		r.Header["Link"] = []string{formats.Header(s.signs(it, asked, nil))}
	}
	r.Modified, r.Public = answer.Modified, c.Person() == nil
	r.Header["Vary"] = []string{"Accept"}
	return r, true, nil
}

func (s *Site) linkset(tx *bucket.PublicTx, it formats.Item, asked bool, media string) (endpoint.Reply, error) {
	var within []Link
	if it.Kind == "article" {
		first, _, err := handlers.PartOf(tx, it.ID, linkedCollections)
		if err != nil {
			return endpoint.Reply{}, err
		}
		for _, c := range first {
			within = append(within, Link{URL: c.Path})
		}
	}
	links := s.links(it, asked, within)
	return endpoint.Reply{Raw: []byte(formats.Linkset(it.URL, links, media)), Type: media, Header: http.Header{}}, nil
}

// beside is what stands beside the page of an article: …/export/{format} and …/linkset, with a version in front of
// them or without. A title that the item does not have any more leads there as well.
func (s *Site) beside(c *endpoint.Call, names []string) (endpoint.Reply, error) {
	if !isType(c.Text("first")) || !c.Named("id", c.Text("third")) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	return s.besideItem(c, names, record.KindArticle)
}

// BesideCollection is the same of a collection: /collections/{title}/{id}/linkset, and so on.
func (s *Site) BesideCollection(c *endpoint.Call) (endpoint.Reply, error) {
	if !c.Named("id", c.Text("second")) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	return s.besideItem(c, strings.Split(c.Text("third")+strings.TrimSuffix(c.Text("path"), "/"), "/"), record.KindCollection)
}

func (s *Site) besideItem(c *endpoint.Call, names []string, kind int64) (r endpoint.Reply, err error) {
	asked := names[0] != "export" && names[0] != "linkset"
	if asked {
		if !c.Named("version", names[0]) {
			return r, record.ErrNotFound
		}
		names = names[1:]
	}
	export := len(names) == 2 && names[0] == "export"
	if !export && (len(names) != 1 || names[0] != "linkset") {
		return r, record.ErrNotFound
	}
	err = s.api.DB.ViewPublic(func(tx *bucket.PublicTx) error {
		read := s.articleItem
		if kind == record.KindCollection {
			read = s.collectionItem
		}
		it, answer, err := read(c, tx, asked)
		if err != nil {
			return err
		}
		if export {
			c.Named("format", names[1])
			r, err = s.export(c, it)
			return err
		}
		if !asked {
			it.URL = it.URL[:strings.LastIndexByte(it.URL, '/')]
		}
		if kind == record.KindArticle && len(it.Files) > 0 {
			if it.Files, err = s.allFiles(tx, it); err != nil {
				return err
			}
		}
		media := formats.LinksetJSON
		if strings.HasPrefix(strings.ToLower(c.Header.Get("Accept")), formats.LinksetText) && !strings.HasPrefix(strings.ToLower(c.Header.Get("Accept")), formats.LinksetJSON) {
			media = formats.LinksetText
		}
		if r, err = s.linkset(tx, it, asked, media); err != nil {
			return err
		}
		r.Modified, r.Header["Vary"] = answer.Modified, []string{"Accept"}
		return nil
	})
	if err != nil {
		return s.orWithdrawn(c, kind, Unknown(err))
	}
	return r, nil
}

// allFiles are the files of an article that offers them, for its linkset.
func (s *Site) allFiles(tx *bucket.PublicTx, it formats.Item) (list []formats.File, err error) {
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: it.ID, B: int64(it.Version)})
	if err != nil {
		return nil, err
	}
	files, err := items.PublicFiles(tx, v, 0, 0, linkedFiles)
	for _, f := range files {
		shown := s.api.Settings.PublicFile(f)
		list = append(list, formats.File{Name: shown.Name, URL: shown.DownloadURL, MIME: Text(shown.MIME), Size: shown.Size})
	}
	return list, err
}
