package own

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"alcove/bucket"
	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/record/markup"
	"alcove/site"
)

// projectNotes are the notes of a project, or one of them with its form.
type projectNotes struct {
	*projectPage
	List     []projectNote
	One      *projectNote
	Text     site.Control
	Page     int
	Previous string
	Next     string
}

type projectNote struct {
	ID      int64
	URL     string
	By      string
	Text    template.HTML
	Cut     bool // there is more of it
	Made    site.Day
	Changed site.Day
	Changes bool // by the person
}

const notesOnPage = 20

// ProjectNotes lists the notes of a project, the newest first.
func (s *Pages) ProjectNotes(c *endpoint.Call) (endpoint.Reply, error) {
	return s.projectNotes(c, http.StatusOK, "", "")
}

func (s *Pages) projectNotes(c *endpoint.Call, status int, written, wrong string) (endpoint.Reply, error) {
	p, err := s.projectOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	page, err := pageOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := projectNotes{projectPage: p, Page: page}
	v.noteForm(written, wrong, status)
	var list []present.ProjectNote
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		r, err := s.api.NoteList(c.Asking(fmt.Sprintf("page=%d&page_size=%d", page, notesOnPage)), tx)
		list, _ = r.Body.([]present.ProjectNote)
		return err
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	for _, n := range list {
		one := v.note(&n, n.Abstract)
		one.Cut = strings.HasSuffix(n.Abstract, "…")
		v.List = append(v.List, one)
	}
	if page > 1 {
		v.Previous = fmt.Sprintf("%s/notes?page=%d", p.Base, page-1)
	}
	if len(list) == notesOnPage && page < maxMine {
		v.Next = fmt.Sprintf("%s/notes?page=%d", p.Base, page+1)
	}
	p.Frame.Main = v
	return s.formPage(c, "projectnotes", status, p.Frame)
}

func (v *projectNotes) note(n *present.ProjectNote, text string) projectNote {
	one := projectNote{ID: n.ID, URL: fmt.Sprintf("%s/notes/%d", v.Base, n.ID), By: n.UserName, Text: markup.Description(text).HTML()}
	if n.CreatedDate != nil {
		one.Made = v.ReadDay(*n.CreatedDate)
	}
	if n.ModifiedDate != nil && n.CreatedDate != nil && *n.ModifiedDate != *n.CreatedDate {
		one.Changed = v.ReadDay(*n.ModifiedDate)
	}
	return one
}

// noteForm is the field of a note.
func (v *projectNotes) noteForm(written, wrong string, status int) {
	v.Text = site.Control{Name: "text", Kind: "area", Rows: 5, Label: v.OwnProject.NoteText, Value: written, Error: wrong}
	if wrong != "" {
		v.Fields = []site.Field{{Name: "text", Error: wrong}}
	}
	if status != http.StatusOK {
		v.Done = ""
	}
}

// AddNote writes a note into a project.
func (s *Pages) AddNote(c *endpoint.Call) (endpoint.Reply, error) {
	written := strings.TrimSpace(unified(c.Field("text")))
	_, err := s.api.Change(c, nil, "", nil, worksIn, handlers.With(s.api.NoteCreate, object(map[string]any{"text": written})))
	if refused := site.Refusal(err); refused != nil && refused.Class == record.Invalid {
		return s.projectNotes(c, http.StatusUnprocessableEntity, written, site.WordsOf(c).OwnProject.NoteShort)
	}
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	return done(fmt.Sprintf("%s/%d/notes", own[2], c.ID("id")), "noted"), nil
}

// ProjectNote is a note with its whole text, and for those who may change it its form.
func (s *Pages) ProjectNote(c *endpoint.Call) (endpoint.Reply, error) {
	return s.projectNote(c, http.StatusOK, nil, "", "")
}

func (s *Pages) projectNote(c *endpoint.Call, status int, written *string, wrong, said string) (endpoint.Reply, error) {
	p, err := s.projectOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := projectNotes{projectPage: p}
	var doc present.ProjectNotePrivate
	may := false
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		r, err := s.api.NoteRead(c, tx)
		doc, _ = r.Body.(present.ProjectNotePrivate)
		may = handlers.ChangesNote(c, tx) == nil
		return err
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	one := v.note(&doc.ProjectNote, doc.Text)
	one.Changes = may
	if written == nil {
		written = &doc.Text
	}
	v.One, v.Tag = &one, noteTag(&doc)
	v.noteForm(*written, wrong, status)
	if v.Said = said; said != "" && *written != doc.Text {
		v.Text.Theirs, v.Text.Take, v.Text.TheirsKey = strings.Replace(p.Edit.TheirValue, "%s", doc.Text, 1), p.Edit.TakeTheirs, "text"
	}
	p.Frame.Title = p.OwnProject.NoteOf + " " + one.By
	p.Frame.Main = v
	return s.formPage(c, "projectnotes", status, p.Frame)
}

// noteTag tells one text of a note from another.
func noteTag(doc *present.ProjectNotePrivate) string { return site.Sum(doc.Text) }

// ChangeNote gives a note another text, or deletes it.
func (s *Pages) ChangeNote(c *endpoint.Call) (endpoint.Reply, error) {
	w := site.WordsOf(c)
	written := strings.TrimSpace(unified(c.Field("text")))
	list := fmt.Sprintf("%s/%d/notes", own[2], c.ID("id"))
	var stale bool
	same := func(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) { // notes have no entity tag of their own
		if err := handlers.ChangesNote(c, tx); err != nil {
			return endpoint.Reply{}, err
		}
		r, err := s.api.NoteRead(c, tx)
		if doc, _ := r.Body.(present.ProjectNotePrivate); err == nil && noteTag(&doc) != c.Field("tag") {
			stale, err = true, record.ErrStale
		}
		return r, err
	}
	step, said := handlers.With(s.api.NoteUpdate, object(map[string]any{"text": written})), "note-changed"
	if c.Field("do") == "delete" {
		step, said = s.api.NoteDelete, "note-deleted"
	} else if slices.Contains(c.Fields("theirs"), "text") {
		return done(list, "kept"), nil
	}
	_, err := s.api.Change(c, nil, "", nil, same, step)
	switch refused := site.Refusal(err); {
	case stale:
		return s.projectNote(c, site.StaleStatus(c), &written, "", w.Edit.Stale)
	case refused != nil && refused.Class == record.Invalid:
		return s.projectNote(c, http.StatusUnprocessableEntity, &written, w.OwnProject.NoteShort, "")
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	}
	return done(list, said), nil
}

// projectItem is an item of a project as all its members read it.
type projectItem struct {
	*projectPage
	Item    string
	People  string
	About   template.HTML
	Facts   []fact
	Files   []projectFile
	More    string // of the files, "" for all
	Address string // of the page
	Form    string // address of the form, "" for those who do not own the item
	Deletes bool
}

type projectFile struct {
	Name, Size, URL string
}

// projectFiles is how many files of an item in a project a page shows.
const projectFiles = 200

// ProjectItem shows an item of a project to its members.
func (s *Pages) ProjectItem(c *endpoint.Call) (endpoint.Reply, error) {
	return s.projectItem(c, http.StatusOK, "")
}

func (s *Pages) projectItem(c *endpoint.Call, status int, said string) (endpoint.Reply, error) {
	p, err := s.projectOf(c)
	if err != nil {
		return endpoint.Reply{}, err
	}
	v := projectItem{projectPage: p, Address: c.Address().Path}
	var doc present.ArticlePrivate
	err = s.api.DB.View(func(tx *bucket.Tx) error {
		r, err := s.api.ProjectArticleRead(c, tx)
		if err != nil {
			return err
		}
		doc, _ = r.Body.(present.ArticlePrivate)
		v.Deletes = doc.PublishedDate == nil && handlers.RemovesProjectArticle(c, tx) == nil
		if _, _, _, err := s.api.OwnDocument(c.WithID("id", doc.ID), tx); err == nil {
			v.Form = fmt.Sprintf("/account/articles/%d/edit", doc.ID)
		}
		return nil
	})
	if err != nil {
		return endpoint.Reply{}, site.Unknown(err)
	}
	if v.Item = markup.Title(site.Text(doc.Title)).String(); v.Item == "" {
		v.Item = p.Untitled
	}
	var people []string
	for _, a := range doc.Authors {
		people = append(people, a.FullName)
	}
	v.People, v.About = strings.Join(people, ", "), markup.Description(site.Text(doc.Description)).HTML()
	if len(doc.Tags) > 0 {
		v.Facts = append(v.Facts, fact{p.Keywords, doc.Tags})
	}
	if doc.License.Name != "" {
		v.Facts = append(v.Facts, fact{p.License, []string{doc.License.Name}})
	}
	if doi := site.Text(doc.DOI); doi != "" {
		v.Facts = append(v.Facts, fact{p.Words.DOI, []string{doi}})
	}
	for i, f := range doc.Files {
		if i == projectFiles {
			v.More = strings.Replace(p.OwnProject.MoreFiles, "%d", strconv.Itoa(projectFiles), 1)
			break
		}
		one := projectFile{Name: f.Name, Size: p.Bytes(f.Size)}
		if folder := strings.Trim(site.Text(f.Folder), "/"); folder != "" {
			one.Name = folder + "/" + one.Name
		}
		if f.Status == string(record.FileAvailable) || f.IsLinkOnly {
			one.URL = s.site.Local(f.DownloadURL)
		}
		v.Files = append(v.Files, one)
	}
	v.States = []site.State{{Kind: "draft", Words: p.Mine.Draft}}
	if doc.PublishedDate != nil {
		v.States = []site.State{{Kind: "public", Words: p.Mine.Public}}
	}
	if v.Said = said; status != http.StatusOK {
		v.Done = ""
	}
	p.Frame.Title, p.Frame.Main = v.Item, v
	return s.formPage(c, "projectitem", status, p.Frame)
}

// DeleteProjectItem deletes a draft in a project.
func (s *Pages) DeleteProjectItem(c *endpoint.Call) (endpoint.Reply, error) {
	if c.Field("do") != "delete" {
		if _, err := s.projectOf(c); err != nil {
			return endpoint.Reply{}, err
		}
		return s.projectItem(c, http.StatusUnprocessableEntity, site.WordsOf(c).OwnProject.NothingAsked)
	}
	_, err := s.api.Change(c, nil, "", nil, s.api.ProjectArticleDelete)
	switch refused := site.Refusal(err); {
	case refused != nil && (refused.Class == record.Forbidden && refused.Code != record.ErrProjectRole.Code || refused.Class == record.Conflict):
		return s.projectItem(c, http.StatusUnprocessableEntity, site.WordsOf(c).Refused(refused))
	case err != nil:
		return endpoint.Reply{}, site.Unknown(err)
	}
	return done(fmt.Sprintf("%s/%d", own[2], c.ID("id")), "item-deleted"), nil
}
