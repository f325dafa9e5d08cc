package site

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"alcove/blobs/archive"
	"alcove/handlers/present"
)

// scripts are lines that download the files of a version, by what runs them.
type scripts []scriptLines

type scriptLines struct{ Name, Label, Text string }

// newScripts returns the lines that download the files of a version into a folder named by item and version, as its archive
// names them. Names of files appear in no line as their depositor wrote them: a single one has its archive-safe name,
// quoted; more come as the archive.
func newScripts(v *item, doc *present.ArticleComplete) scripts {
	if len(doc.Files) == 0 || doc.DownloadDisabled || doc.HasLinkedFile {
		return nil
	}
	dir := fmt.Sprintf("article-%d-v%d", doc.ID, doc.Version)
	if f := doc.Files[0]; len(doc.Files) == 1 {
		entry := []archive.Entry{{Name: doc.FolderStructure[strconv.FormatInt(f.ID, 10)] + "/" + f.Name}}
		archive.Rename(entry)
		at, name := strconv.Quote(f.DownloadURL), dir+"/"+entry[0].Name
		parent, to := strconv.Quote(path.Dir(name)), strconv.Quote(name)
		return scripts{
			{"curl", "curl", "curl -fL --create-dirs -o " + shellQuoted(name) + " " + shellQuoted(f.DownloadURL)},
			{"python", "Python", "import os, urllib.request\n\nos.makedirs(" + parent + ", exist_ok=True)\nurllib.request.urlretrieve(" + at + ", " + to + ")"},
			{"r", "R", "options(timeout = 3600)\ndir.create(" + parent + ", recursive = TRUE, showWarnings = FALSE)\ndownload.file(" + at + ", " + to + `, mode = "wb")`},
		}
	}
	base, _, _ := strings.Cut(v.API, "/v2/")
	zip := fmt.Sprintf("%s/v2/articles/%d/versions/%d/download", base, doc.ID, doc.Version)
	at, to, name := strconv.Quote(zip), strconv.Quote(dir), strconv.Quote(dir+".zip")
	return scripts{
		{"curl", "curl", "curl -fL -C - -o " + dir + ".zip " + shellQuoted(zip)},
		{"python", "Python", "import urllib.request, zipfile\n\nurllib.request.urlretrieve(" + at + ", " + name + ")\nzipfile.ZipFile(" + name + ").extractall(" + to + ")"},
		{"r", "R", "options(timeout = 3600)\ndownload.file(" + at + ", " + name + `, mode = "wb")` + "\nunzip(" + name + ", exdir = " + to + ")"},
	}
}

// shellQuoted returns text as one word of a POSIX shell.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// ViewsAndDownloads is how often an item was seen and downloaded, in words.
func (w *Words) ViewsAndDownloads(views, downloads int64) string {
	return w.Count(int(views), w.ViewsOne, w.ViewsMany) + ", " + w.Count(int(downloads), w.DownloadsOne, w.DownloadsMany)
}
