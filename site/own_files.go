package site

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"alcove/handlers"
	"alcove/record"
)

// ownFiles is the page of the files of an own article.
type ownFiles struct {
	*frame
	form
	ID          int64
	Item        link // where the article is edited
	Address     string
	Total       string
	Folders     []ownFolder
	First, Next string // addresses, "" for none
	Script      string // of the page
	Worker      string // address of the script that computes MD5s
	Texts       string // for the script, as JSON
	Part        int64  // bytes of a part of an upload
	Closed      string // why no file can be added, "" where it can
}

type ownFolder struct {
	Name  string // "" for the files in no folder
	Files []ownFile
}

type ownFile struct {
	*Words
	ID        int64
	Name      string
	Size, MD5 string
	State     string
	Kind      string // of the state: "stored", "open" or "failed"
	URL       string // of its bytes, "" where there are none yet
}

// ownFilesOfPage is how many files a page of own files shows.
const ownFilesOfPage = 200

// Files is the page of the files of an own article: what is there, and how more come.
func (s *Site) Files(c *handlers.Call) (handlers.Reply, error) {
	w := &WordsOf(c).Uploads
	return s.filesPage(c, http.StatusOK, map[string]string{}, form{Done: map[string]string{"deleted": w.Deleted, "linked": w.Linked, "uploaded": w.Uploaded}[asks(c, "done")]})
}

// ChangeFiles deletes a file of an own article, or adds one that stays elsewhere.
func (s *Site) ChangeFiles(c *handlers.Call) (handlers.Reply, error) {
	w := &WordsOf(c).Uploads
	at := s.filesAddress(c)
	if id := c.Field("delete"); id != "" {
		err := s.api.RemoveFile(c, id)
		var refused *record.Error
		if errors.As(err, &refused) && refused.Class == record.Conflict {
			return s.filesPage(c, http.StatusConflict, map[string]string{}, form{Said: w.InUse})
		}
		return handlers.Reply{Status: http.StatusSeeOther, Location: at + "?done=deleted"}, err
	}
	written := map[string]string{"link": strings.TrimSpace(c.Field("link")), "folder": strings.TrimSpace(c.Field("folder"))}
	if written["link"] == "" {
		return s.filesPage(c, http.StatusUnprocessableEntity, written, form{Fields: []field{{Name: "link", Error: w.LinkMissing}}})
	}
	err := s.api.LinkFile(c, written["link"], written["folder"])
	var refused *record.Error
	if errors.As(err, &refused) && refused.Class == record.Invalid {
		switch refused.Data["field"] {
		case "link":
			return s.filesPage(c, http.StatusUnprocessableEntity, written, form{Fields: []field{{Name: "link", Error: w.LinkBad}}})
		case "folder_path":
			return s.filesPage(c, http.StatusUnprocessableEntity, written, form{Fields: []field{{Name: "folder", Error: w.FolderBad}}})
		}
		return s.filesPage(c, http.StatusUnprocessableEntity, written, form{Said: WordsOf(c).refused(refused)})
	}
	return handlers.Reply{Status: http.StatusSeeOther, Location: at + "?done=linked"}, err
}

// UploadFile takes a file from a browser without a script.
func (s *Site) UploadFile(c *handlers.Call) (handlers.Reply, error) {
	err := s.api.FormUpload(c)
	var refused *record.Error
	if errors.As(err, &refused) && (refused.Class == record.Invalid || refused.Class == record.Unreadable) {
		said := WordsOf(c).refused(refused)
		if errors.Is(err, handlers.ErrFormFile) {
			said = WordsOf(c).Uploads.FileMissing
		}
		return s.filesPage(c, http.StatusUnprocessableEntity, map[string]string{}, form{Said: said})
	}
	return handlers.Reply{Status: http.StatusSeeOther, Location: s.filesAddress(c) + "?done=uploaded"}, err
}

func (s *Site) filesAddress(c *handlers.Call) string {
	return "/account/articles/" + strconv.FormatInt(c.ID("id"), 10) + "/files"
}

// filesPage is the page with what was written into its form, and the mistakes in it.
func (s *Site) filesPage(c *handlers.Call, status int, written map[string]string, said form) (handlers.Reply, error) {
	behind, err := strconv.ParseInt(asks(c, "behind"), 10, 64)
	if err != nil || behind < 0 {
		behind = 0
	}
	art, files, more, err := s.api.OwnFiles(c, behind, ownFilesOfPage)
	if err != nil {
		return handlers.Reply{}, err
	}
	f := s.frame(c)
	w := &f.Uploads
	texts, err := json.Marshal(w)
	if err != nil {
		return handlers.Reply{}, err
	}
	title := plainTitle(art.Title)
	if title == "" {
		title = f.Untitled
	}
	f.Title, f.Module = w.Title+" – "+title, assets["upload.js"].address()
	v := ownFiles{
		frame: f, form: said, ID: art.ID, Address: s.filesAddress(c), Total: f.Count(art.Files, f.OneFile, f.ManyFiles) + ", " + f.Bytes(art.Size),
		Item: link{title, "/account/articles/" + strconv.FormatInt(art.ID, 10) + "/edit"}, Worker: assets["md5.js"].address(), Texts: string(texts), Part: handlers.PartSize,
	}
	if art.MetadataOnly {
		v.Closed = w.MetadataOnly
	}
	wrong := map[string]string{}
	for _, one := range said.Fields {
		wrong[one.Name] = one.Error
	}
	v.Fields = []field{
		{Name: "link", Type: "url", Label: w.LinkLabel, Help: w.LinkHelp, Value: written["link"], Most: 8192, Complete: "off", Error: wrong["link"]},
		{Name: "folder", Type: "text", Label: w.FolderLabel, Help: w.FolderHelp, Value: written["folder"], Most: 4096, Complete: "off", Error: wrong["folder"], Optional: true},
	}
	if behind > 0 {
		v.First = v.Address
	}
	if more {
		v.Next = v.Address + "?behind=" + strconv.FormatInt(files[len(files)-1].ID, 10)
	}
	v.fill(files)
	f.Main = v
	return s.formPage(c, "files", status, f)
}

// fill arranges files by folder and name.
func (v *ownFiles) fill(files []handlers.OwnFile) {
	slices.SortStableFunc(files, func(a, b handlers.OwnFile) int {
		if n := strings.Compare(a.Folder, b.Folder); n != 0 {
			return n
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i, file := range files {
		if i == 0 || file.Folder != files[i-1].Folder {
			v.Folders = append(v.Folders, ownFolder{Name: file.Folder})
		}
		in := &v.Folders[len(v.Folders)-1]
		in.Files = append(in.Files, v.row(file))
	}
}

func (v *ownFiles) row(file handlers.OwnFile) ownFile {
	w := &v.Uploads
	row := ownFile{Words: v.Words, ID: file.ID, Name: file.Name, Size: v.Bytes(file.Size), MD5: file.MD5, Kind: "open"}
	if row.MD5 == "" {
		row.MD5 = file.SuppliedMD5
	}
	switch {
	case file.Linked():
		row.Size, row.State, row.Kind, row.URL = v.LinkedFile, w.Elsewhere, "stored", web(file.Link)
	case file.Finished():
		row.State, row.Kind, row.URL = w.Stored, "stored", download(file.ID)
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
