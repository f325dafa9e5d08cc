package handlers

import (
	"github.com/google/uuid"

	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// FileList lists the files of an own article's working copy. A private link shows those that are whole,
// as readers would see them.
func (a *API) FileList(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if c.ByLink(&art.Working) {
		return workingFiles(c, tx, art, true, func(f *record.File) present.PublicFile { return a.Settings.PublicFile(f.Public(f.Created)) })
	}
	return workingFiles(c, tx, art, false, a.Settings.PrivateFile)
}

// workingFiles lists files of a working copy: all, or only those that are whole.
func workingFiles[S any](c *Call, tx *bucket.Tx, art *record.Article, whole bool, show func(*record.File) S) (Reply, error) {
	q, err := lists.WorkingFiles(c.listRequest(), art.ID)
	if err != nil {
		return Reply{}, err
	}
	last := int64(0)
	list, err := lists.Show(q.Working(tx, art.ID, whole), func(f *record.File) S {
		last = f.ID
		return show(f)
	})
	return Reply{Body: list, Modified: c.changed, Cursor: q.Cursor(last)}, err
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

// dropStaged deletes what was uploaded of files whose records are gone. The rest, where
// that fails, is found and deleted later by the sweep of abandoned uploads.
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
