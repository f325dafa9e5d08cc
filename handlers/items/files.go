package items

import (
	"iter"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/users"
	"alcove/record"
	"alcove/uploads"
)

// AddFile stores a new file of a working copy, if no limit is against it, and counts it.
// left is how many bytes the disk has left for it. The caller stores the article.
func (s *Service) AddFile(tx *bucket.Tx, art *record.Article, f *record.File, left int64) error {
	account, err := users.Accounts.Get(tx, art.AccountID)
	if err != nil {
		return err
	}
	if err := s.Admits(account, art, f); err != nil {
		return err
	}
	if f.Size > max(left, 0) {
		return record.ErrDiskTooSmall
	}
	if f.ID, err = files.Files.NextID(tx); err != nil {
		return err
	}
	f.ArticleID, f.AccountID, f.Created, f.Modified = art.ID, art.AccountID, tx.Now(), tx.Now()
	if err := files.Files.Put(tx, f.ID, f); err != nil {
		return err
	}
	CountFile(account, art, f)
	if f.Size > 0 {
		return users.Accounts.Put(tx, account.ID, account)
	}
	return nil
}

// CountFile counts a new file of a working copy.
func CountFile(account *record.Account, art *record.Article, f *record.File) {
	art.Files++
	art.Size += f.Size
	if f.Linked() {
		art.Links++
	}
	account.UsedPrivate += f.Size
}

// Admits refuses a file that breaks a limit, before a byte of it travels.
func (s *Service) Admits(account *record.Account, art *record.Article, f *record.File) error {
	if art.MetadataOnly {
		return record.ErrMetadataRecord
	}
	if n := s.Room().FilesPerArticle; n > 0 && art.Files >= n {
		return record.ErrTooManyFiles.With("files_per_article", n)
	}
	limit := s.MaxFile(account)
	if limit == 0 || limit > uploads.MaxSize {
		limit = uploads.MaxSize
	}
	if f.Size > limit {
		return record.ErrFileTooLarge.With("maximum_file_size", limit)
	}
	return s.Fits(account, f.Size, record.ErrQuota)
}

// MaxFile is the largest file an account may upload in bytes, 0 for no limit.
func (s *Service) MaxFile(account *record.Account) int64 {
	q, limit := s.Quota(account), s.Room().MaxFileSize
	if limit == 0 || q > 0 && q < limit {
		return q
	}
	return limit
}

// DetachFile takes a file out of a working copy.
func DetachFile(tx *bucket.Tx, art *record.Article, f *record.File) error {
	if err := removeFiles(tx, f); err != nil {
		return err
	}
	if art.Thumb.File == f.ID {
		art.Thumb.File, _ = files.Previewed.First(tx, bucket.SortKey(art.ID))
	}
	art.Files--
	art.Size -= f.Size
	if f.Linked() {
		art.Links--
	}
	return PutArticle(tx, art)
}

// removeFiles removes the records of files, or marks those that public versions, the held one
// or the submitted one have.
func removeFiles(tx *bucket.Tx, list ...*record.File) error {
	var gone []*record.File
	for _, f := range list {
		if f.Added == 0 && !f.Held && f.Submitted == record.NotSubmitted {
			gone = append(gone, f)
			continue
		}
		f.Dropped, f.Modified = true, tx.Now()
		if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	return deleteFiles(tx, gone...)
}

// deleteFiles removes the records of files that no version has.
func deleteFiles(tx *bucket.Tx, list ...*record.File) error {
	sizes := map[int64]int64{} // by account
	for _, f := range list {
		if err := ClearParts(tx, f.ID); err != nil {
			return err
		}
		if err := files.Files.Delete(tx, f.ID); err != nil {
			return err
		}
		sizes[f.AccountID] += f.Size
	}
	for id, size := range sizes {
		if size == 0 {
			continue
		}
		account, err := users.Accounts.Get(tx, id)
		if err != nil {
			return err
		}
		account.UsedPrivate -= size
		if err := users.Accounts.Put(tx, account.ID, account); err != nil {
			return err
		}
	}
	return nil
}

// ClearParts forgets which parts of an upload are on the disk.
func ClearParts(tx *bucket.Tx, file int64) error {
	var keys []bucket.Pair
	for row, err := range files.Parts.All(tx, bucket.Prefix(file)) {
		if err != nil {
			return err
		}
		keys = append(keys, row.Key)
	}
	for _, k := range keys {
		if err := files.Parts.Delete(tx, k); err != nil {
			return err
		}
	}
	return nil
}

// releaseFiles stores files that a publication does not wait for any more. Those that were
// never public, and that nothing else waits for or has, go.
func releaseFiles(tx *bucket.Tx, list []*record.File) error {
	var gone []*record.File
	for _, f := range list {
		if f.Added == 0 && f.Dropped && !f.Held && f.Submitted == record.NotSubmitted {
			gone = append(gone, f)
		} else if err := files.Files.PutDeferred(tx, f.ID, f); err != nil {
			return err
		}
	}
	return deleteFiles(tx, gone...)
}

// indexedFiles loads the files of an article that an index has.
func indexedFiles(tx *bucket.Tx, in *bucket.Index[int64], article int64) ([]*record.File, error) {
	var list []*record.File
	for hit := range in.Ascending(tx, bucket.SortKey(article)) {
		f, err := files.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// putPublished stores a file that a public version adds or removes, and what readers
// know of it as soon as one of its versions shows its files.
func putPublished(tx *bucket.Tx, f *record.File) error {
	if err := files.Files.PutDeferred(tx, f.ID, f); err != nil || f.Hidden {
		return err
	}
	shown := tx.Now()
	if files.PublicFiles.Has(tx, f.ID) {
		old, err := files.PublicFiles.Get(tx, f.ID)
		if err != nil {
			return err
		}
		shown = old.Published
	}
	return files.PublicFiles.PutDeferred(tx, f.ID, f.Public(shown))
}

// showFiles makes the files of a public version public that were in no version that
// shows its files, unless this one does not either.
func showFiles(tx *bucket.Tx, v *record.ArticleVersion) error {
	if v.HidesFiles() {
		return nil
	}
	hidden, err := indexedFiles(tx, files.Hidden, v.ArticleID)
	if err != nil {
		return err
	}
	for _, f := range hidden {
		if !f.In(v.Version) {
			continue
		}
		f.Hidden = false
		if err := putPublished(tx, f); err != nil {
			return err
		}
	}
	return nil
}

// publishFiles makes the files of a version public that is about to appear: those that it adds or
// removes, and those that no version has shown until now.
func publishFiles(tx *bucket.Tx, art *record.Article, v *record.ArticleVersion, changed []*record.File) error {
	shown := int64(0)
	for _, f := range changed {
		if f.Added == 0 {
			f.Added, f.Hidden = v.Version, v.HidesFiles()
			shown += f.Size
		} else {
			f.Removed = v.Version
		}
		f.Held, f.Modified = false, tx.Now()
		if err := putPublished(tx, f); err != nil {
			return err
		}
	}
	if err := showFiles(tx, v); err != nil {
		return err
	}
	if err := pickThumb(tx, v); err != nil || shown == 0 {
		return err
	}
	account, err := users.Accounts.Get(tx, art.AccountID)
	if err != nil {
		return err
	}
	account.UsedPrivate -= shown
	account.UsedPublic += shown
	return users.Accounts.Put(tx, account.ID, account)
}

// unpublishedFiles are the files that the next version adds or removes; a file that is
// not whole is the refusal that names it.
func unpublishedFiles(tx *bucket.Tx, article int64) ([]*record.File, error) {
	files, err := indexedFiles(tx, files.ToPublish, article)
	for _, f := range files {
		if f.Added == 0 && !f.Finished() {
			return nil, record.UnfinishedFile(f)
		}
	}
	return files, err
}

// pickThumb gives a version that is about to appear the first of its files with a thumbnail, as
// they are now. If none of the first hundred is its own, what it was frozen with stays.
func pickThumb(tx *bucket.Tx, v *record.ArticleVersion) error {
	looks := 0
	for hit := range files.Previewed.Ascending(tx, bucket.SortKey(v.ArticleID)) {
		f, err := files.Files.Get(tx, hit.Key)
		if err != nil {
			return err
		}
		if f.In(v.Version) {
			v.Thumb = record.Thumb{File: f.ID}
			return nil
		}
		if looks++; looks == 100 {
			break
		}
	}
	return nil
}

// PublicFiles loads files of a public version, in their order, behind the place of
// one. A file between that and the window costs an entry of the index for each file, and in a version whose
// files a person has ordered every file does.
func PublicFiles(tx bucket.Reader, v *record.ArticleVersion, behind int64, skip, take int) ([]*record.PublicFile, error) {
	var files []*record.PublicFile
	for f, err := range filesFrom(tx, v, behind, skip) {
		if err != nil {
			return nil, err
		}
		if files = append(files, f); len(files) == take {
			break
		}
	}
	return files, nil
}

// FilesOf yields the files of a public version, in their order, and stops
// after the first error: none when an embargo hides them, also those that readers see in
// another version.
func FilesOf(tx bucket.Reader, v *record.ArticleVersion) iter.Seq2[*record.PublicFile, error] {
	return filesFrom(tx, v, 0, 0)
}

func filesFrom(tx bucket.Reader, v *record.ArticleVersion, behind int64, skip int) iter.Seq2[*record.PublicFile, error] {
	return func(yield func(*record.PublicFile, error) bool) {
		if v.HidesFiles() {
			return
		}
		at := 0
		made := func(behind int64) iter.Seq[bucket.Hit[int64]] {
			return files.PublicFilesByArticle.Behind(tx, bucket.SortKey(v.ArticleID), behind)
		}
		for hit := range files.Arranged(v.FileOrder, behind, made) {
			if !files.InVersion(hit.Value, v.Version) {
				continue
			}
			if at++; at <= skip {
				continue
			}
			if f, err := files.PublicFiles.Get(tx, hit.Key); !yield(f, err) || err != nil {
				return
			}
		}
	}
}
