package site

import (
	"strconv"
	"strings"

	"alcove/handlers/present"
)

// scripts are lines that download the files of a version, by what runs them.
type scripts []scriptLines

type scriptLines struct{ Name, Label, Text string }

// newScripts are the lines for a version with files. Those that go from file to file read the list of
// the detail, so that they are left out where it does not have all files.
func newScripts(v *item, doc *present.ArticleComplete, listed int) (list scripts) {
	if len(doc.Files) == 0 || doc.DownloadDisabled || doc.HasLinkedFile {
		return nil
	}
	base, _, _ := strings.Cut(v.API, "/v2/")
	curl := "curl -fLOJ " + doc.Files[0].DownloadURL
	if len(doc.Files) > 1 {
		curl = "curl -fL -C - -o files.zip " + base + "/v2/articles/" + strconv.FormatInt(doc.ID, 10) + "/versions/" + strconv.Itoa(doc.Version) + "/download"
	}
	list = scripts{{"curl", "curl", curl}}
	if len(doc.Files) >= listed {
		return list
	}
	return append(list,
		scriptLines{"python", "Python", `import json, os, urllib.request

item = json.load(urllib.request.urlopen("` + v.API + `"))
for f in item["files"]:
    folder = item["folder_structure"].get(str(f["id"]), "")
    os.makedirs(folder or ".", exist_ok=True)
    urllib.request.urlretrieve(f["download_url"], os.path.join(folder, f["name"]))`},
		scriptLines{"r", "R", `item <- jsonlite::fromJSON("` + v.API + `")
files <- item$files
folder <- vapply(as.character(files$id), function(id) if (is.null(item$folder_structure[[id]])) "." else item$folder_structure[[id]], "")
for (f in unique(folder)) dir.create(f, recursive = TRUE, showWarnings = FALSE)
Map(download.file, files$download_url, file.path(folder, files$name), mode = "wb")`},
	)
}

// ViewsAndDownloads is how often an item was seen and downloaded, in words.
func (w *Words) ViewsAndDownloads(views, downloads int64) string {
	return w.Count(int(views), w.ViewsOne, w.ViewsMany) + ", " + w.Count(int(downloads), w.DownloadsOne, w.DownloadsMany)
}
