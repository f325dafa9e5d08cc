package handlers

import (
	"github.com/google/uuid"

	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// FileList lists the files of an own article's working copy (specification 4.4).
func (a *API) FileList(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if c.ByLink(&art.Working) {
		return a.linkedFileList(c, tx, art)
	}
	return a.workingFileList(c, tx, art, func(...*record.File) {})
}

// linkedFileList lists the files that a private link shows: those that are whole, as readers
// would see them.
func (a *API) linkedFileList(c *Call, tx *bucket.Tx, art *record.Article) (Reply, error) {
	q, err := lists.WorkingFiles(c.listRequest(), art.ID)
	if err != nil {
		return Reply{}, err
	}
	list, last := []present.PublicFile{}, int64(0)
	for f, err := range q.Working(tx, art.ID, true) {
		if err != nil {
			return Reply{}, err
		}
		list, last = append(list, a.Settings.PublicFile(f.Public(f.Created))), f.ID
	}
	return Reply{Body: list, Modified: c.changed, Cursor: q.Cursor(last)}, nil
}

// workingFileList lists the files of a working copy, each as it is after hide.
func (a *API) workingFileList(c *Call, tx *bucket.Tx, art *record.Article, hide func(...*record.File)) (Reply, error) {
	q, err := lists.WorkingFiles(c.listRequest(), art.ID)
	if err != nil {
		return Reply{}, err
	}
	list, last := []present.PrivateFile{}, int64(0)
	for f, err := range q.Working(tx, art.ID, false) {
		if err != nil {
			return Reply{}, err
		}
		hide(f)
		list, last = append(list, a.Settings.PrivateFile(f)), f.ID
	}
	return Reply{Body: list, Modified: c.changed, Cursor: q.Cursor(last)}, nil
}

// publicFiles checks what is asked of the files of the public version of the path. Without a version in the
// path it is that of the latest one, and goes on in the one after when that is published meanwhile.
func (c *Call) publicFiles(article int64) (*lists.FileQuery, error) {
	if version, ok := c.ids.find("version"); ok {
		return lists.NewFileQuery(c.listRequest(), "version", article, version)
	}
	return lists.NewFileQuery(c.listRequest(), "public", article)
}

// FileCreate registers a link, or starts the upload of a file. Its reply holds the
// location and nothing else, as public clients expect.
func (a *API) FileCreate(c *Call, tx *bucket.Tx, body *record.FileBody) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := body.Check(); err != nil {
		return Reply{}, err
	}
	f := &record.File{}
	if body.Apply(f); !f.Linked() {
		f.Token = uuid.NewString()
	}
	if err := a.Items.AddFile(tx, art, f, c.unreservedBytes(tx)); err != nil {
		return Reply{}, err
	}
	if err := items.PutArticle(tx, art); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/files/%d", art.ID, f.ID)
	return Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

// FileRead is a file of an own article; it holds the upload address as long as the
// upload is open.
func (a *API) FileRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, f, err := c.ownFile(tx)
	if err != nil {
		return Reply{}, err
	}
	if !c.ByLink(&art.Working) {
		return Reply{Body: a.Settings.PrivateFile(f), Modified: f.Modified}, nil
	}
	if !f.Finished() {
		return Reply{}, record.ErrFileNotFound
	}
	return Reply{Body: a.Settings.PublicFile(f.Public(f.Created)), Modified: f.Modified}, nil
}

// FileDelete takes a file out of the working copy. Public versions keep it.
func (a *API) FileDelete(c *Call, tx *bucket.Tx) (Reply, error) {
	art, f, err := c.ownFile(tx)
	if err != nil {
		return Reply{}, err
	}
	if err := items.DetachFile(tx, art, f); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204, After: func() { a.dropStaged(f) }}, nil
}

// dropStaged deletes what was uploaded of files whose records are gone. What cannot be
// deleted now is found and deleted later by the sweep of abandoned uploads.
func (a *API) dropStaged(files ...*record.File) {
	for _, f := range files {
		if f.Token == "" || f.Added > 0 {
			continue
		}
		if err := a.Uploads.Remove(f.Token); err != nil {
			a.Log.Warn("cannot delete an upload", "file", f.ID, "error", err)
		}
	}
}
