package handlers

import (
	"github.com/google/uuid"

	"alcove/bucket"
	"alcove/handlers/items"
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
	return a.workingFileList(c, tx, art, func([]*record.File) {})
}

// linkedFileList lists the files that a private link shows: those that are whole, as readers
// would see them.
func (a *API) linkedFileList(c *Call, tx *bucket.Tx, art *record.Article) (Reply, error) {
	p, err := c.workingFilePage(art.ID)
	if err != nil {
		return Reply{}, err
	}
	files, err := p.files(tx, art.ID, true)
	if err != nil {
		return Reply{}, err
	}
	list, last := []present.PublicFile{}, int64(0)
	for _, f := range files {
		list, last = append(list, a.Settings.PublicFile(f.Public(f.Created))), f.ID
	}
	return Reply{Body: list, Modified: c.changed, Cursor: p.cursor(last)}, nil
}

// files loads the files of a page, all or only those that are whole.
func (p *filePage) files(tx *bucket.Tx, article int64, whole bool) ([]*record.File, error) {
	switch {
	case !p.order.made():
		return p.arrange(tx, article, whole)
	case whole:
		return wholeFiles(tx, article, p.behind, p.window)
	}
	return workingFiles(tx, article, p.behind, p.window)
}

// wholeFiles is workingFiles of those that are whole.
func wholeFiles(tx *bucket.Tx, article, behind int64, w window) ([]*record.File, error) {
	var files []*record.File
	at := 0
	for hit := range bucket.FilesByArticle.Behind(tx, bucket.SortKey(article), behind) {
		if len(files) == w.take {
			break
		}
		f, err := bucket.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if !f.Finished() {
			continue
		}
		if at++; at > w.skip {
			files = append(files, f)
		}
	}
	return files, nil
}

// workingFileList lists the files of a working copy, as they are after hide.
func (a *API) workingFileList(c *Call, tx *bucket.Tx, art *record.Article, hide func([]*record.File)) (Reply, error) {
	p, err := c.workingFilePage(art.ID)
	if err != nil {
		return Reply{}, err
	}
	files, err := p.files(tx, art.ID, false)
	if err != nil {
		return Reply{}, err
	}
	hide(files)
	list, last := []present.PrivateFile{}, int64(0)
	for _, f := range files {
		list, last = append(list, a.Settings.PrivateFile(f)), f.ID
	}
	return Reply{Body: list, Modified: c.changed, Cursor: p.cursor(last)}, nil
}

// workingFiles loads files of a working copy, in the order they were made, behind the place of one.
func workingFiles(tx *bucket.Tx, article, behind int64, w window) ([]*record.File, error) {
	var files []*record.File
	at := 0
	for hit := range bucket.FilesByArticle.Behind(tx, bucket.SortKey(article), behind) {
		if len(files) == w.take {
			break
		}
		if at++; at <= w.skip {
			continue
		}
		f, err := bucket.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
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
