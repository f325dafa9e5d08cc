package handlers

import (
	"github.com/google/uuid"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
	"alcove/uploads"
)

// FileList lists the files of an own article's working copy (specification 4.4).
func (a *API) FileList(c *Call, tx *bucket.Tx) (Reply, error) {
	art, err := c.ownArticle(tx)
	if err != nil {
		return Reply{}, err
	}
	if c.byLink(&art.Working) {
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
	if err := a.addFile(tx, art, f, c.unreservedBytes(tx)); err != nil {
		return Reply{}, err
	}
	if err := putArticle(tx, art); err != nil {
		return Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/files/%d", art.ID, f.ID)
	return Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

// addFile stores a new file of a working copy, if no limit is against it, and counts it.
// left is how many bytes the disk has left for it. The caller stores the article.
func (a *API) addFile(tx *bucket.Tx, art *record.Article, f *record.File, left int64) error {
	account, err := bucket.Accounts.Get(tx, art.AccountID)
	if err != nil {
		return err
	}
	if err := a.admits(account, art, f); err != nil {
		return err
	}
	if f.Size > max(left, 0) {
		return record.ErrDiskTooSmall
	}
	if f.ID, err = bucket.Files.NextID(tx); err != nil {
		return err
	}
	f.ArticleID, f.AccountID, f.Created, f.Modified = art.ID, art.AccountID, tx.Now(), tx.Now()
	if err := bucket.Files.Put(tx, f.ID, f); err != nil {
		return err
	}
	countFile(account, art, f)
	if f.Size > 0 {
		return bucket.Accounts.Put(tx, account.ID, account)
	}
	return nil
}

// countFile counts a new file of a working copy.
func countFile(account *record.Account, art *record.Article, f *record.File) {
	art.Files++
	art.Size += f.Size
	if f.Linked() {
		art.Links++
	}
	account.UsedPrivate += f.Size
}

// admits refuses a file that breaks a limit, before a byte of it travels.
func (a *API) admits(account *record.Account, art *record.Article, f *record.File) error {
	if art.MetadataOnly {
		return record.ErrMetadataRecord
	}
	if n := a.Limits.FilesPerArticle; n > 0 && art.Files >= n {
		return record.ErrTooManyFiles.With("files_per_article", n)
	}
	limit := a.maxFile(account)
	if limit == 0 || limit > uploads.MaxSize {
		limit = uploads.MaxSize
	}
	if f.Size > limit {
		return record.ErrFileTooLarge.With("maximum_file_size", limit)
	}
	return a.fits(account, f.Size, record.ErrQuota)
}

// maxFile is the largest file an account may upload in bytes, 0 for no limit.
func (a *API) maxFile(account *record.Account) int64 {
	q, limit := a.quota(account), a.Limits.MaxFileSize
	if limit == 0 || q > 0 && q < limit {
		return q
	}
	return limit
}

// FileRead is a file of an own article; it holds the upload address as long as the
// upload is open.
func (a *API) FileRead(c *Call, tx *bucket.Tx) (Reply, error) {
	art, f, err := c.ownFile(tx)
	if err != nil {
		return Reply{}, err
	}
	if !c.byLink(&art.Working) {
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
	if err := detachFile(tx, art, f); err != nil {
		return Reply{}, err
	}
	return Reply{Status: 204, After: func() { a.dropStaged(f) }}, nil
}

// detachFile takes a file out of a working copy.
func detachFile(tx *bucket.Tx, art *record.Article, f *record.File) error {
	if err := removeFiles(tx, f); err != nil {
		return err
	}
	if art.Thumb.File == f.ID {
		art.Thumb.File, _ = bucket.FilesPreviewed.First(tx, bucket.SortKey(art.ID))
	}
	art.Files--
	art.Size -= f.Size
	if f.Linked() {
		art.Links--
	}
	return putArticle(tx, art)
}

// removeFiles removes the records of files, or marks those that public versions, the held one
// or the submitted one have.
func removeFiles(tx *bucket.Tx, files ...*record.File) error {
	var gone []*record.File
	for _, f := range files {
		if f.Added == 0 && !f.Held && f.Submitted == record.NotSubmitted {
			gone = append(gone, f)
			continue
		}
		f.Dropped, f.Modified = true, tx.Now()
		if err := bucket.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	return deleteFiles(tx, gone...)
}

// deleteFiles removes the records of files that no version has.
func deleteFiles(tx *bucket.Tx, files ...*record.File) error {
	sizes := map[int64]int64{} // by account
	for _, f := range files {
		if err := clearParts(tx, f.ID); err != nil {
			return err
		}
		if err := bucket.Files.Delete(tx, f.ID); err != nil {
			return err
		}
		sizes[f.AccountID] += f.Size
	}
	for id, size := range sizes {
		if size == 0 {
			continue
		}
		account, err := bucket.Accounts.Get(tx, id)
		if err != nil {
			return err
		}
		account.UsedPrivate -= size
		if err := bucket.Accounts.Put(tx, account.ID, account); err != nil {
			return err
		}
	}
	return nil
}

// clearParts forgets which parts of an upload are on the disk.
func clearParts(tx *bucket.Tx, file int64) error {
	var keys []bucket.Pair
	for row, err := range bucket.Parts.All(tx, bucket.Prefix(file)) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	for _, k := range keys {
		if err := bucket.Parts.Delete(tx, k); err != nil {
			return err
		}
	}
	return nil
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
