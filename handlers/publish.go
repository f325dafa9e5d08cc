package handlers

import (
	"context"
	"errors"
	"strconv"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// checkPatience bounds how long a publication waits for integrity checks under way
// (decision 13).
const checkPatience = 30 * time.Second

// ArticlePublish makes a new public version of an own article (specification 3 and 4.3).
func (a *API) ArticlePublish(c *Call) (Reply, error) {
	if err := a.awaitChecks(c); err != nil {
		return Reply{}, err
	}
	return c.write(func(c *Call, tx *bucket.Tx) (Reply, error) {
		art, err := c.ownArticle(tx)
		if err != nil {
			return Reply{}, err
		}
		if err := a.publish(tx, art); err != nil {
			return Reply{}, err
		}
		at := a.Settings.API("/articles/%d", art.ID)
		return Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
	})
}

// awaitChecks waits, outside any transaction, until no file of the article is being
// checked any more, or patience ends.
func (a *API) awaitChecks(c *Call) error {
	ctx, cancel := context.WithTimeout(c.Context, checkPatience)
	defer cancel()
	for {
		changed := a.DB.Changed()
		checking := false
		err := a.DB.View(func(tx *bucket.Tx) error {
			art, err := c.ownArticle(tx)
			if err != nil {
				return err
			}
			for hit := range bucket.FilesToPublish.Ascending(tx, bucket.SortKey(art.ID)) {
				f, err := bucket.Files.Get(tx, hit.Key)
				if err != nil {
					return err
				}
				if f.Status == record.FileChecking || f.Status == record.FileMoving {
					checking = true
					return nil
				}
			}
			return nil
		})
		if err != nil || !checking {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil // publish names the file
		}
	}
}

// publish checks everything, then freezes the working copy as the next version. Its
// cost grows with what changed, not with the number of files.
func (a *API) publish(tx *bucket.Tx, art *record.Article) error {
	if len(art.Authors) == 0 {
		return record.ErrMissingAuthors
	}
	if art.Title == "" {
		return record.ErrMissingTitle
	}
	changed, err := unpublishedFiles(tx, art.ID)
	if err != nil {
		return err
	}
	authors, err := people(tx, art.Authors)
	if err != nil {
		return err
	}
	account, err := bucket.Accounts.Get(tx, art.AccountID)
	if err != nil {
		return err
	}
	now := tx.Now()
	art.Version++
	art.Published, art.Modified = &now, now
	if art.First == nil {
		art.First = &now
	}
	if art.DOI == "" {
		art.DOI = a.Limits.DOIPrefix + "." + strconv.FormatInt(art.ID, 10)
	}
	for _, f := range changed {
		if f.Added == 0 {
			f.Added = art.Version
			account.UsedPrivate -= f.Size
			account.UsedPublic += f.Size
		} else {
			f.Removed = art.Version
		}
		f.Modified = now
		if err := bucket.Files.Put(tx, f.ID, f); err != nil {
			return err
		}
		added := now
		if old, err := bucket.PublicFiles.Get(tx, f.ID); err == nil {
			added = old.Published
		}
		if err := bucket.PublicFiles.Put(tx, f.ID, f.Public(added)); err != nil {
			return err
		}
	}
	for i := range authors {
		if authors[i].Public {
			continue
		}
		authors[i].Public = true
		if err := bucket.People.Put(tx, authors[i].ID, &authors[i]); err != nil {
			return err
		}
	}
	if len(changed) > 0 {
		if err := bucket.Accounts.Put(tx, account.ID, account); err != nil {
			return err
		}
	}
	if err := bucket.Articles.Put(tx, art.ID, art); err != nil {
		return err
	}
	v := &record.ArticleVersion{
		ArticleID: art.ID, Version: art.Version, Metadata: art.Metadata, Authors: authors,
		Size: art.Size, Files: art.Files, Links: art.Links, First: *art.First, Published: now, Modified: now,
	}
	return a.freeze(tx, v)
}

// unpublishedFiles are the files that the next version adds or removes; a file that is
// not whole is the refusal that names it.
func unpublishedFiles(tx *bucket.Tx, article int64) ([]*record.File, error) {
	var files []*record.File
	for hit := range bucket.FilesToPublish.Ascending(tx, bucket.SortKey(article)) {
		f, err := bucket.Files.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if f.Added == 0 && !f.Finished() {
			return nil, record.UnfinishedFile(f)
		}
		files = append(files, f)
	}
	return files, nil
}

// freeze stores a public version with its documents and makes it the latest.
func (a *API) freeze(tx *bucket.Tx, v *record.ArticleVersion) error {
	if err := bucket.ArticleVersions.Put(tx, versionKey(v), v); err != nil {
		return err
	}
	head := &record.PublicArticle{
		ID: v.ArticleID, Latest: v.Version, Type: v.Type, GroupID: v.GroupID, InstitutionID: v.InstitutionID,
		ProjectID: v.ProjectID, First: v.First, Published: v.Published, Modified: v.Modified,
	}
	if err := bucket.PublicArticles.Put(tx, v.ArticleID, head); err != nil {
		return err
	}
	return a.storeDoc(tx, v)
}

func versionKey(v *record.ArticleVersion) bucket.Pair {
	return bucket.Pair{A: v.ArticleID, B: int64(v.Version)}
}

// storeDoc renders a public version and stores what it is served as.
func (a *API) storeDoc(tx *bucket.Tx, v *record.ArticleVersion) error {
	doc, err := a.render(tx, v)
	if err != nil {
		return err
	}
	return bucket.ArticleDocs.Put(tx, versionKey(v), doc)
}

func (a *API) render(tx bucket.Reader, v *record.ArticleVersion) (bucket.Doc, error) {
	files, err := publicFiles(tx, v.ArticleID, v.Version, window{0, a.Settings.FilesInDetail})
	if err != nil {
		return bucket.Doc{}, err
	}
	list, err := present.Encode(a.Settings.PublicArticle(v))
	if err != nil {
		return bucket.Doc{}, err
	}
	full, err := present.Encode(a.Settings.PublicDetail(v, files))
	if err != nil {
		return bucket.Doc{}, err
	}
	return bucket.Doc{Settings: a.settings, List: list, Full: full}, nil
}

// doc is the document of a public version as it is served: the stored one, or one
// rendered now when the settings have changed since or the stored one is damaged. Its
// bytes are a copy.
func (a *API) doc(tx bucket.Reader, key bucket.Pair, full bool) ([]byte, error) {
	get := bucket.ArticleDocs.List
	if full {
		get = bucket.ArticleDocs.Get
	}
	doc, err := get(tx, key)
	var damaged *bucket.DamagedError
	switch {
	case errors.As(err, &damaged): // the record can say it again
		a.Log.Error("a stored document is damaged", "error", err)
	case err != nil && !errors.Is(err, bucket.ErrNotFound):
		return nil, err
	}
	if err != nil || doc.Settings != a.settings {
		v, err := bucket.ArticleVersions.Get(tx, key)
		if err != nil {
			return nil, err
		}
		if doc, err = a.render(tx, v); err != nil {
			return nil, err
		}
	}
	if full {
		return append([]byte(nil), doc.Full...), nil
	}
	return append([]byte(nil), doc.List...), nil
}

// renderStale renders the documents anew that were stored under other settings, a few
// at a time. It ends when all are up to date, or with its context.
func (a *API) renderStale(ctx context.Context) {
	const few = 50
	from := bucket.Pair{}
	for n := 0; ctx.Err() == nil; {
		var stale []bucket.Pair
		err := a.DB.View(func(tx *bucket.Tx) error {
			stale = bucket.ArticleDocs.Stale(tx, from, a.settings, few)
			return nil
		})
		if err == nil && len(stale) > 0 {
			err = a.DB.Update(ctx, 0, func(tx *bucket.Tx) error {
				for _, key := range stale {
					v, err := bucket.ArticleVersions.Get(tx, key)
					if errors.Is(err, bucket.ErrNotFound) {
						err = bucket.ArticleDocs.Delete(tx, key)
					} else if err == nil {
						err = a.storeDoc(tx, v)
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil {
			a.Log.Error("cannot render stored documents anew", "error", err)
			return
		}
		if len(stale) == 0 {
			if n > 0 {
				a.Log.Info("rendered stored documents anew", "documents", n)
			}
			return
		}
		n += len(stale)
		from = stale[len(stale)-1]
	}
}
