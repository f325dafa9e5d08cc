package site

import (
	"net/url"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/site/preview"
	"alcove/site/preview/library"
)

// listing is a folder of an item: the folders and files in it, and the way back up.
type listing struct {
	*Words
	Path    []Choice // from all files down to this folder
	Folders []folderRow
	Files   []fileRow
	Count   string // of all files of the item
	First   string // address of the beginning of the folder, "" when this is it
	Next    string
}

type folderRow struct{ Name, URL, Files, Size string }

type fileRow struct {
	*Words
	Name, Size, MD5, SHA256 string
	Download                string // address, "" where it is not offered
	View                    string // address at which a browser shows it, "" for none
	Elsewhere               bool
}

// filesOfPage is how many folders and files of a folder a page shows.
const filesOfPage = 200

// listing shows a part of a folder of an item. It returns the files in it as well.
func (s *Site) listing(c *endpoint.Call, tx *bucket.PublicTx, w *Words, doc *present.ArticleComplete, page string) (l listing, files []*record.PublicFile, err error) {
	l.Words = w
	version, err := published.ArticleVersions.Get(tx, bucket.Pair{A: doc.ID, B: int64(doc.Version)})
	if err != nil {
		return l, nil, err
	}
	folder, _ := c.Query.Find("folder")
	folder = strings.Trim(folder, "/")
	from, err := rowOf(c)
	if err != nil || strings.ContainsRune(folder, 0) {
		return l, nil, record.ErrNotFound
	}
	part, err := items.ReadFolder(tx, version, folder, from, filesOfPage)
	if err != nil {
		return l, nil, err
	}
	l.Words.fill(&l, folder, page, version.Files)
	for _, f := range part.Folders {
		row := folderRow{Name: f.Name, URL: folderURL(page, Joined(folder, f.Name), items.Row{})}
		if f.Files >= 0 {
			row.Files, row.Size = l.Words.Count(int(f.Files), l.OneFile, l.ManyFiles), l.Bytes(f.Size)
		}
		l.Folders = append(l.Folders, row)
	}
	for _, f := range part.Files {
		l.Files = append(l.Files, s.fileRow(l.Words, doc, f))
	}
	if from != (items.Row{}) {
		l.First = folderURL(page, folder, items.Row{})
	}
	if part.Next != (items.Row{}) {
		l.Next = folderURL(page, folder, part.Next)
	}
	return l, part.Files, nil
}

// rowOf is where the part of a folder begins that a request asks for: at a file, by its id, or at a
// folder, by its name with a slash behind it.
func rowOf(c *endpoint.Call) (items.Row, error) {
	from, asked := c.Query.Find("from")
	if name, folder := strings.CutSuffix(from, "/"); folder && name != "" && !strings.ContainsRune(name, 0) {
		return items.Row{Folder: name}, nil
	}
	if !asked {
		return items.Row{}, nil
	}
	id, err := strconv.ParseInt(from, 10, 64)
	if err == nil && id < 1 {
		err = record.ErrNotFound
	}
	return items.Row{File: id}, err
}

// fill sets what does not depend on single files.
func (w *Words) fill(l *listing, folder, page string, total int) {
	l.Count = w.Count(total, w.OneFile, w.ManyFiles)
	if folder == "" {
		return
	}
	l.Path = []Choice{{Words: w.AllFolders, URL: page}}
	at := ""
	for part := range strings.SplitSeq(folder, "/") {
		at = Joined(at, part)
		l.Path = append(l.Path, Choice{part, folderURL(page, at, items.Row{}), at == folder})
	}
}

// Joined is a name in a folder, "" for that of no folder.
func Joined(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func folderURL(page, folder string, from items.Row) string {
	q := url.Values{}
	if folder != "" {
		q.Set("folder", folder)
	}
	if from.Folder != "" {
		q.Set("from", from.Folder+"/")
	} else if from.File != 0 {
		q.Set("from", strconv.FormatInt(from.File, 10))
	}
	if len(q) == 0 {
		return page
	}
	return page + "?" + q.Encode()
}

func (s *Site) fileRow(w *Words, doc *present.ArticleComplete, f *record.PublicFile) fileRow {
	row := fileRow{Words: w, Name: f.Name, Size: w.Bytes(f.Size), MD5: f.MD5, SHA256: f.SHA256}
	switch {
	case f.Link != "":
		row.Size, row.Download, row.Elsewhere = w.LinkedFile, Web(f.Link), true
	case !doc.DownloadDisabled:
		row.Download = "/files/" + strconv.FormatInt(f.ID, 10)
		if preview.Possible(f.Name, f.MIME, f.Size) || f.Size > 0 && library.Reads(f.Name) || f.Preview == record.PreviewMade {
			row.View = row.Download + "/view"
		}
	}
	return row
}
