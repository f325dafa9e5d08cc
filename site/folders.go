package site

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/record"
	"alcove/record/markup"
)

// index is a folder of an item in plain HTML, for programs that follow links.
type index struct {
	*Words
	Language  string
	Name      string // of the folder, with the title of the item
	Canonical string // the page of the item
	Icon      string
	Style     string
	Up        string // address of the folder above, of the item's page for the first
	Rows      []indexRow
	Next      string
}

type indexRow struct {
	Name, Size string
	URL        string // "" where it is not offered
}

// filesOfIndex is how many folders and files a page of an index shows.
const filesOfIndex = 1000

// Folder is what stands below the page of a public article at /files: the folders and files of the
// article under the names that they have there, so that a program that follows links gets all of
// them in their folders.
func (s *Site) Folder(c *endpoint.Call) (endpoint.Reply, error) {
	if strings.ContainsRune(c.Text("path"), 0) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	names := strings.Split(c.Text("fourth")+strings.TrimSuffix(c.Text("path"), "/"), "/") // which begins with a slash
	if at := slices.IndexFunc(names, func(n string) bool { return n == "export" || n == "linkset" }); at == 0 || at == 1 && names[0] != "files" {
		return s.beside(c, names)
	}
	if names[0] != "files" {
		if len(names) < 2 || names[1] != "files" || !c.Named("version", names[0]) {
			return endpoint.Reply{}, record.ErrNotFound
		}
		names = names[1:]
	}
	if !isType(c.Text("first")) || !c.Named("id", c.Text("third")) {
		return endpoint.Reply{}, record.ErrNotFound
	}
	var r endpoint.Reply
	var file int64
	err := s.api.DB.ViewPublic(func(tx *bucket.PublicTx) (err error) {
		r, file, err = s.folder(c, tx, names[1:])
		return err
	})
	if err == nil && file != 0 {
		c.Named("file_id", strconv.FormatInt(file, 10))
		return s.api.PublicFileDownload(c)
	}
	if err != nil {
		return s.orWithdrawn(c, record.KindArticle, Unknown(err))
	}
	return r, nil
}

// folder is the page of a folder, or the id of the file that has the name.
func (s *Site) folder(c *endpoint.Call, tx *bucket.PublicTx, names []string) (r endpoint.Reply, file int64, err error) {
	doc, err := s.api.PublicDocument(tx, c.ID("id"))
	if err != nil {
		return r, 0, err
	}
	page, number := s.Local(doc.URLPublicHTML), int64(doc.Version)
	root := page
	if n := c.ID("version"); n != 0 {
		number, root = n, page+"/"+strconv.FormatInt(n, 10)
	}
	version, err := published.ArticleVersions.Get(tx, bucket.Pair{A: doc.ID, B: number})
	if err != nil || version.HidesFiles() && len(names) > 0 {
		return r, 0, record.ErrNotFound
	}
	folder := strings.Join(names, "/")
	here := root + "/files/" + escaped(folder)
	if r, elsewhere := s.led(c, strings.TrimSuffix(here, "/")); elsewhere {
		return r, 0, nil
	}
	if at := c.Address(); len(names) > 0 && !strings.HasSuffix(at.Path, "/") {
		only, _ := c.Query.Find("file")
		if file = items.FileAt(tx, version, strings.Join(names[:len(names)-1], "/"), names[len(names)-1], only); file != 0 {
			return r, file, nil
		}
	}
	from, err := rowOf(c)
	if err != nil {
		return r, 0, record.ErrNotFound
	}
	part, err := items.ReadFolder(tx, version, folder, from, filesOfIndex)
	if err != nil {
		return r, 0, err
	}
	if folder != "" {
		here += "/"
	}
	code := LanguageOf(c)
	v := index{Words: byLanguage[code], Language: code, Icon: Address("icon.svg"), Style: Address("site.css"), Name: markup.Title(Text(doc.Title)).String() + "/" + folder, Canonical: s.api.Settings.SiteURL + page, Up: root}
	if folder != "" {
		v.Up = root + "/files/"
		if above := strings.Join(names[:len(names)-1], "/"); above != "" {
			v.Up += escaped(above) + "/"
		}
	}
	for _, f := range part.Folders {
		v.Rows = append(v.Rows, indexRow{Name: f.Name + "/", URL: here + url.PathEscape(f.Name) + "/"})
	}
	named := map[string]bool{}
	for i, f := range part.Files {
		row := indexRow{Name: f.Name, Size: v.Bytes(f.Size), URL: here + url.PathEscape(f.Name)}
		switch {
		case f.Link != "":
			row.Size, row.URL = v.LinkedFile, Web(f.Link)
		case version.DownloadDisabled || doc.DownloadDisabled:
			row.URL = ""
		case named[f.Name] || from.File != 0 && (i == 0 || len(version.FileOrder) > 0): // files of one name stand together unless they were ordered
			row.URL += "?file=" + strconv.FormatInt(f.ID, 10)
		}
		named[f.Name] = true
		v.Rows = append(v.Rows, row)
	}
	if part.Next != (items.Row{}) {
		v.Next = folderURL(here, "", part.Next)
	}
	b, err := templates.execute("folder", v)
	r = endpoint.Reply{Raw: b, Type: htmlType, Header: s.header(c), Public: true, Modified: version.Modified}
	if head, ok := published.ArticleFacts.Facts(tx, doc.ID); ok && head.Modified.After(r.Modified) {
		r.Modified = head.Modified // whether files are offered is the newest version's to say
	}
	return r, 0, err
}

// escaped is a path of folders for an address.
func escaped(folder string) string {
	names := strings.Split(folder, "/")
	for i := range names {
		names[i] = url.PathEscape(names[i])
	}
	return strings.Join(names, "/")
}
