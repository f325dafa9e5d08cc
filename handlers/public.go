package handlers

import (
	"errors"
	"iter"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/index"
	"alcove/record"
)

// PublicArticleList lists public articles (specification 4.2).
func (a *API) PublicArticleList(c *Call) (Reply, error) {
	return c.publicList(&a.publicArticles)
}

// idSet is what a search matched.
type idSet interface {
	Len() int // at most
	Contains(int64) bool
	IDs() []int64 // ascending
	InOrder(index.Order) (batches iter.Seq[index.Batch], ok bool)
}

// PublicArticleRead is the latest public version of an article (specification 4.2).
func (a *API) PublicArticleRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	id := c.ID("id")
	if r, ok := a.articleDocs.newest(c, tx, id); ok {
		r.Count = view(bucket.KindArticle, id)
		return r, nil
	}
	head, ok := bucket.PublicFacts.Facts(tx, id)
	if !ok {
		return Reply{}, record.ErrArticleUnknown
	}
	r, err := a.articleDocs.full(c, tx, bucket.Pair{A: id, B: head.Version})
	r.Modified, r.Count = head.Modified, view(bucket.KindArticle, id)
	return r, err
}

// publicHead says which version readers get; absent is the answer where there is none.
func publicHead(tx bucket.Reader, id int64, absent *record.Error) (*record.PublicArticle, error) {
	head, err := bucket.PublicArticles.Get(tx, id)
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, absent
	}
	return head, err
}

// PublicVersionList lists the public versions of an article.
func (a *API) PublicVersionList(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := publicHead(tx, c.ID("id"), record.ErrEntityArticle)
	if err != nil {
		return Reply{}, err
	}
	list := slices.DeleteFunc(a.Settings.ArticleVersions(head.ID, head.Oldest, head.Latest), func(v present.ArticleVersion) bool { return head.Skipped.Has(v.Version) })
	return Reply{Body: list, Modified: head.Modified}, nil
}

// publicVersion is the public version that the path names.
func (c *Call) publicVersion(tx bucket.Reader, absent *record.Error) (*record.ArticleVersion, error) {
	if _, err := publicHead(tx, c.ID("id"), absent); err != nil {
		return nil, err
	}
	v, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: c.ID("id"), B: c.ID("version")})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, absent
	}
	return v, err
}

// PublicVersionRead is one public version of an article.
func (a *API) PublicVersionRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	r, err := a.articleDocs.full(c, tx, versionKey(v))
	r.Modified, r.Count = v.Modified, view(bucket.KindArticle, v.ArticleID)
	return r, err
}

// PublicFileList lists the files of the latest public version.
func (a *API) PublicFileList(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := publicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return Reply{}, err
	}
	latest, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return Reply{}, err
	}
	return a.publicFileList(c, tx, latest, head.Modified)
}

// PublicVersionFiles lists the files of a public version (api-beyond 2).
func (a *API) PublicVersionFiles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	return a.publicFileList(c, tx, v, v.Modified)
}

func (a *API) publicFileList(c *Call, tx bucket.Reader, v *record.ArticleVersion, modified time.Time) (Reply, error) {
	p, err := c.publicFilePage(v.ArticleID)
	if err != nil {
		return Reply{}, err
	}
	files, err := publicFiles(tx, v, p.behind, p.window)
	if err != nil {
		return Reply{}, err
	}
	list, last := []present.PublicFile{}, int64(0)
	for _, f := range files {
		list, last = append(list, a.Settings.PublicFile(f)), f.ID
	}
	return Reply{Body: list, Modified: modified, Cursor: p.cursor(last)}, nil
}

// PublicFileRead is one file of the latest public version.
func (a *API) PublicFileRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := publicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return Reply{}, err
	}
	latest, err := bucket.ArticleVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return Reply{}, err
	}
	f, err := bucket.PublicFiles.Get(tx, c.ID("file_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.ArticleID != head.ID || f.In(head.Latest) && latest.HidesFiles() || !f.In(head.Latest) && head.DownloadDisabled) {
		return Reply{}, record.ErrFileNotFound
	}
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.PublicFile(f), Modified: head.Modified}, nil
}

// publicFiles loads files of a public version, in the order they were made, behind the place of
// one. What comes between that and the window costs an entry of the index for each file.
func publicFiles(tx bucket.Reader, v *record.ArticleVersion, behind int64, w window) ([]*record.PublicFile, error) {
	var files []*record.PublicFile
	for f, err := range filesFrom(tx, v, behind, w.skip) {
		if err != nil {
			return nil, err
		}
		if files = append(files, f); len(files) == w.take {
			break
		}
	}
	return files, nil
}

// filesOf yields the files of a public version, in the order they were made, and stops
// after the first error: none when an embargo hides them, also those that readers see in
// another version.
func filesOf(tx bucket.Reader, v *record.ArticleVersion) iter.Seq2[*record.PublicFile, error] {
	return filesFrom(tx, v, 0, 0)
}

func filesFrom(tx bucket.Reader, v *record.ArticleVersion, behind int64, skip int) iter.Seq2[*record.PublicFile, error] {
	return func(yield func(*record.PublicFile, error) bool) {
		if v.HidesFiles() {
			return
		}
		at := 0
		for hit := range bucket.PublicFilesByArticle.Behind(tx, bucket.SortKey(v.ArticleID), behind) {
			if !bucket.InVersion(hit.Value, v.Version) {
				continue
			}
			if at++; at <= skip {
				continue
			}
			if f, err := bucket.PublicFiles.Get(tx, hit.Key); !yield(f, err) || err != nil {
				return
			}
		}
	}
}
