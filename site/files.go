package site

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/record"
)

// listing is a folder of an item: the folders and files in it, and the way back up.
type listing struct {
	*Words
	Path     []choice // from all files down to this folder
	Folders  []folderRow
	Files    []fileRow
	Count    string // of all files of the item
	Previous string
	Next     string
	Page     int
}

type folderRow struct{ Name, URL, Files, Size string }

type fileRow struct {
	*Words
	Name, Size, MD5, SHA256 string
	Download                string // address, "" where it is not offered
	View                    string // address at which a browser shows it, "" for none
	Elsewhere               bool
}

// filesOfPage is how many files of a folder a page shows.
const filesOfPage = 200

// listing shows a folder of an item. A page has one folder, so that one of many files stays short,
// though all files of the item are read for it.
func (s *Site) listing(c *handlers.Call, tx *bucket.PublicTx, doc *present.ArticleComplete, page string) (l listing, err error) {
	l.Words, l.Page = s.frame(c).Words, 1
	version, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: doc.ID, B: int64(doc.Version)})
	if err != nil {
		return l, err
	}
	folder, _ := c.Query.Find("folder")
	folder = strings.Trim(folder, "/")
	if n, ok := c.Query.Find("files"); ok {
		if l.Page, err = strconv.Atoi(n); err != nil || l.Page < 1 {
			return l, record.ErrNotFound
		}
	}
	var here []*record.PublicFile
	below := map[string]*struct{ files, size int64 }{}
	total := 0
	for f, err := range items.FilesOf(tx, version) {
		if err != nil {
			return l, err
		}
		total++
		at := strings.Trim(f.Folder, "/")
		if at == folder {
			here = append(here, f)
			continue
		}
		rest, inside := at, true
		if folder != "" {
			rest, inside = strings.CutPrefix(at, folder+"/")
		}
		if !inside {
			continue
		}
		name, _, _ := strings.Cut(rest, "/")
		if below[name] == nil {
			below[name] = new(struct{ files, size int64 })
		}
		below[name].files++
		below[name].size += f.Size
	}
	if folder != "" && len(here) == 0 && len(below) == 0 {
		return l, record.ErrNotFound
	}
	l.Words.fill(&l, folder, page, total)
	for name, sum := range below {
		l.Folders = append(l.Folders, folderRow{name, folderURL(page, joined(folder, name), 1), l.Words.Count(int(sum.files), l.OneFile, l.ManyFiles), l.Bytes(sum.size)})
	}
	slices.SortFunc(l.Folders, func(a, b folderRow) int { return strings.Compare(a.Name, b.Name) })
	slices.SortStableFunc(here, func(a, b *record.PublicFile) int { return strings.Compare(a.Name, b.Name) })
	from := min((l.Page-1)*filesOfPage, len(here))
	to := min(from+filesOfPage, len(here))
	if l.Page > 1 {
		l.Previous = folderURL(page, folder, l.Page-1)
	}
	if to < len(here) {
		l.Next = folderURL(page, folder, l.Page+1)
	}
	for _, f := range here[from:to] {
		l.Files = append(l.Files, s.fileRow(l.Words, doc, f))
	}
	return l, nil
}

// fill sets what does not depend on single files.
func (w *Words) fill(l *listing, folder, page string, total int) {
	l.Count = w.Count(total, w.OneFile, w.ManyFiles)
	if folder == "" {
		return
	}
	l.Path = []choice{{Words: w.AllFolders, URL: page}}
	at := ""
	for part := range strings.SplitSeq(folder, "/") {
		at = joined(at, part)
		l.Path = append(l.Path, choice{part, folderURL(page, at, 1), at == folder})
	}
}

func joined(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}

func folderURL(page, folder string, n int) string {
	q := url.Values{}
	if folder != "" {
		q.Set("folder", folder)
	}
	if n > 1 {
		q.Set("files", strconv.Itoa(n))
	}
	if len(q) == 0 {
		return page
	}
	return page + "?" + q.Encode()
}

// viewed are the types that a browser shows in place when it is asked to.
var viewed = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "text/plain": true}

func (s *Site) fileRow(w *Words, doc *present.ArticleComplete, f *record.PublicFile) fileRow {
	row := fileRow{Words: w, Name: f.Name, Size: w.Bytes(f.Size), MD5: f.MD5, SHA256: f.SHA256}
	switch {
	case f.Link != "":
		row.Size, row.Download, row.Elsewhere = w.LinkedFile, web(f.Link), true
	case !doc.DownloadDisabled:
		row.Download = "/files/" + strconv.FormatInt(f.ID, 10)
		if plain, _, _ := strings.Cut(f.MIME, ";"); viewed[plain] {
			row.View = row.Download + "?inline=true"
		}
	}
	return row
}
