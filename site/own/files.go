package own

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// ownFiles is the page of the files of an own article.
type ownFiles struct {
	*site.Frame
	site.Form
	ID       int64
	Item     site.Link // where the article is edited
	Address  string
	Linking  []site.Field      // of a file that stays elsewhere
	Bad      map[string]string // what is wrong with fields, by name
	Total    string
	Folders  []ownFolder
	Named    []string // folders
	Seen     int64    // how often files were moved or ordered
	Into     string   // as it was written
	Page     int
	Previous string // addresses, "" for none
	Next     string
	Several  bool   // there is something to order
	Script   string // of the page
	Worker   string // address of the script that computes MD5s
	Texts    string // for the script, as JSON
	Part     int64  // bytes of a part of an upload
	Closed   string // why no file can be added, "" where it can
}

type ownFolder struct {
	Name    string // "" for the files in no folder
	Renamed string // as it was written
	Number  int    // on the page
	Files   []ownFile
}

type ownFile struct {
	*site.Words
	ID        int64
	Name      string
	Path      string // with its folder
	Chosen    bool
	Size, MD5 string
	State     string
	Kind      string // of the state: "stored", "open" or "failed"
	URL       string // of its bytes, "" where there are none yet
}

// ownFilesOfPage is how many files a page of own files shows.
const ownFilesOfPage = 200

// Files is the page of the files of an own article: what is there, and how more come.
func (s *Pages) Files(c *endpoint.Call) (endpoint.Reply, error) {
	w := &site.WordsOf(c).Uploads
	return s.filesPage(c, http.StatusOK, map[string]string{}, site.Form{Done: map[string]string{"deleted": w.Deleted, "linked": w.Linked, "uploaded": w.Uploaded, "moved": w.Moved, "ordered": w.Ordered, "renamed": w.Renamed}[site.Asked(c, "done")]})
}

// ChangeFiles deletes a file of an own article, or adds one that stays elsewhere.
func (s *Pages) ChangeFiles(c *endpoint.Call) (endpoint.Reply, error) {
	w := &site.WordsOf(c).Uploads
	at := s.filesAddress(c)
	if id := c.Field("delete"); id != "" {
		err := s.api.RemoveFile(c, id)
		var refused *record.Error
		if errors.As(err, &refused) && refused.Class == record.Conflict {
			return s.filesPage(c, http.StatusConflict, map[string]string{}, site.Form{Said: w.InUse})
		}
		return endpoint.Reply{Status: http.StatusSeeOther, Location: at + "?done=deleted"}, err
	}
	written := map[string]string{"link": strings.TrimSpace(c.Field("link")), "folder": strings.TrimSpace(c.Field("folder"))}
	if written["link"] == "" {
		return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Fields: []site.Field{{Name: "link", Error: w.LinkMissing}}})
	}
	err := s.api.LinkFile(c, written["link"], written["folder"])
	var refused *record.Error
	if errors.As(err, &refused) && refused.Class == record.Invalid {
		switch refused.Data["field"] {
		case "link":
			return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Fields: []site.Field{{Name: "link", Error: w.LinkBad}}})
		case "folder_path":
			return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Fields: []site.Field{{Name: "folder", Error: w.FolderBad}}})
		}
		return s.filesPage(c, http.StatusUnprocessableEntity, written, site.Form{Said: site.WordsOf(c).Refused(refused)})
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: at + "?done=linked"}, err
}

// UploadFile takes a file from a browser without a script.
func (s *Pages) UploadFile(c *endpoint.Call) (endpoint.Reply, error) {
	err := s.api.FormUpload(c)
	var refused *record.Error
	if errors.As(err, &refused) && (refused.Class == record.Invalid || refused.Class == record.Unreadable) {
		said := site.WordsOf(c).Refused(refused)
		if errors.Is(err, handlers.ErrFormFile) {
			said = site.WordsOf(c).Uploads.FileMissing
		}
		return s.filesPage(c, http.StatusUnprocessableEntity, map[string]string{}, site.Form{Said: said})
	}
	return endpoint.Reply{Status: http.StatusSeeOther, Location: s.filesAddress(c) + "?done=uploaded"}, err
}

func (s *Pages) filesAddress(c *endpoint.Call) string {
	return "/account/articles/" + strconv.FormatInt(c.ID("id"), 10) + "/files"
}

// filesPage is the page with what was written into its form, and the mistakes in it.
func (s *Pages) filesPage(c *endpoint.Call, status int, written map[string]string, said site.Form) (endpoint.Reply, error) {
	page, _ := strconv.Atoi(site.Asked(c, "page"))
	own, err := s.api.OwnFiles(c, page, ownFilesOfPage)
	if err != nil {
		return endpoint.Reply{}, err
	}
	art := own.Article
	f := s.site.Frame(c)
	w := &f.Uploads
	texts, err := json.Marshal(w)
	if err != nil {
		return endpoint.Reply{}, err
	}
	title := markup.Title(art.Title).String()
	if title == "" {
		title = f.Untitled
	}
	f.Title, f.Module = w.Title+" – "+title, site.Address("upload.js")
	v := ownFiles{
		Frame: f, Form: said, ID: art.ID, Address: s.filesAddress(c), Total: f.Count(art.Files, f.OneFile, f.ManyFiles) + ", " + f.Bytes(art.Size),
		Item: site.Link{Text: title, URL: "/account/articles/" + strconv.FormatInt(art.ID, 10) + "/edit"}, Worker: site.Address("md5.js"), Texts: string(texts), Part: handlers.PartSize,
	}
	if art.MetadataOnly {
		v.Closed = w.MetadataOnly
	}
	wrong := map[string]string{"into": "", "name": ""}
	for _, one := range said.Fields {
		wrong[one.Name] = one.Error
	}
	v.Bad, v.Linking = wrong, []site.Field{
		{Name: "link", Type: "url", Label: w.LinkLabel, Help: w.LinkHelp, Value: written["link"], Most: 8192, Complete: "off", Error: wrong["link"]},
		{Name: "folder", Type: "text", Label: w.FolderLabel, Help: w.FolderHelp, Value: written["folder"], Most: 4096, Complete: "off", Error: wrong["folder"], Optional: true},
	}
	v.Page, v.Seen, v.Several, v.Named, v.Into = own.Page, art.Arranged, art.Files > 1, own.Folders, written["into"]
	if own.Page > 1 {
		v.Previous = v.pageAddress(own.Page - 1)
	}
	if own.Page < own.Pages {
		v.Next = v.pageAddress(own.Page + 1)
	}
	v.fill(own.Files, c, written)
	f.Main = v
	return s.formPage(c, "files", status, f)
}

func (v *ownFiles) pageAddress(page int) string {
	if page == 1 {
		return v.Address
	}
	return v.Address + "?page=" + strconv.Itoa(page)
}

// fill shows files by folder, with what was chosen of them.
func (v *ownFiles) fill(files []handlers.OwnFile, c *endpoint.Call, written map[string]string) {
	chosen := map[string]bool{}
	for _, some := range c.Fields("file") {
		for id := range strings.FieldsSeq(some) {
			chosen[id] = true
		}
	}
	for i, file := range files {
		if i == 0 || file.Folder != files[i-1].Folder {
			v.Folders = append(v.Folders, ownFolder{Name: file.Folder, Renamed: file.Folder, Number: len(v.Folders)})
		}
		in := &v.Folders[len(v.Folders)-1]
		if written["from"] == in.Name && in.Name != "" {
			in.Renamed = written["name"]
		}
		row := v.row(file)
		row.Chosen = chosen[strconv.FormatInt(file.ID, 10)]
		in.Files = append(in.Files, row)
	}
}

func (v *ownFiles) row(file handlers.OwnFile) ownFile {
	w := &v.Uploads
	row := ownFile{Words: v.Words, ID: file.ID, Name: file.Name, Path: site.Joined(file.Folder, file.Name), Size: v.Bytes(file.Size), MD5: file.MD5, Kind: "open"}
	if row.MD5 == "" {
		row.MD5 = file.SuppliedMD5
	}
	switch {
	case file.Linked():
		row.Size, row.State, row.Kind, row.URL = v.LinkedFile, w.Elsewhere, "stored", site.Web(file.Link)
	case file.Finished():
		row.State, row.Kind, row.URL = w.Stored, "stored", site.Download(file.ID)
	case file.Status == record.FileFailed:
		row.State, row.Kind = strings.Replace(w.Failed, "%s", file.Failure, 1), "failed"
	case file.BeingChecked():
		row.State = w.Checking
	case file.Missing < 0:
		row.State = w.PartsMissing
	case file.Missing == 0:
		row.State = w.NotCompleted
	default:
		row.State = strings.NewReplacer("%1", v.Number(file.Missing), "%2", v.Number(file.Parts)).Replace(w.SomeMissing)
	}
	return row
}
