package handlers

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/jobs"
	"alcove/record"
)

// PublicArticleList lists public articles.
func (a *API) PublicArticleList(c *Call) (Reply, error) {
	return c.publicList(a.publicArticles)
}

// PublicArticleRead is the latest public version of an article.
func (a *API) PublicArticleRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	id := c.ID("id")
	if doc, ok := a.Items.ArticleDocs.Newest(tx, id); ok {
		r, err := c.fullForm(doc, nil)
		r.Count = jobs.View(bucket.KindArticle, id)
		return r, err
	}
	head, ok := bucket.PublicFacts.Facts(tx, id)
	if !ok {
		return Reply{}, record.ErrArticleUnknown
	}
	r, err := c.fullForm(a.Items.ArticleDocs.Full(tx, bucket.Pair{A: id, B: head.Version}))
	r.Modified, r.Count = head.Modified, jobs.View(bucket.KindArticle, id)
	return r, err
}

// PublicDocument is what PublicArticleRead answers about an article, for pages that show several.
func (a *API) PublicDocument(tx bucket.Reader, id int64) (out present.ArticleComplete, err error) {
	return out, a.readDocument(tx, id, &out)
}

// PublicSummary is the part of it that lists show.
func (a *API) PublicSummary(tx bucket.Reader, id int64) (out present.ArticleSummary, err error) {
	return out, a.readDocument(tx, id, &out)
}

func (a *API) readDocument(tx bucket.Reader, id int64, out any) (err error) {
	doc, ok := a.Items.ArticleDocs.Newest(tx, id)
	if !ok {
		head, ok := bucket.PublicFacts.Facts(tx, id)
		if !ok {
			return record.ErrArticleUnknown
		}
		if doc, err = a.Items.ArticleDocs.Full(tx, bucket.Pair{A: id, B: head.Version}); err != nil {
			return err
		}
	}
	return json.Unmarshal(doc.Full, out)
}

// PublicVersionDocument is the same of a public version.
func (a *API) PublicVersionDocument(tx *bucket.PublicTx, id int64, version int) (out present.ArticleComplete, err error) {
	doc, err := a.Items.ArticleDocs.Full(tx, bucket.Pair{A: id, B: int64(version)})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(doc.Full, &out)
}

// fullForm answers with the full form of a public version.
func (c *Call) fullForm(doc bucket.Doc, err error) (Reply, error) {
	if err != nil {
		return Reply{}, err
	}
	c.buffer = append(getBuffer(), doc.Full...)
	return Reply{Raw: c.buffer, Tag: tagOf(doc.FullSum), Modified: doc.Modified}, nil
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
	r, err := c.fullForm(a.Items.ArticleDocs.Full(tx, items.VersionKey(v)))
	r.Modified, r.Count = v.Modified, jobs.View(bucket.KindArticle, v.ArticleID)
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

// PublicVersionFiles lists the files of a public version.
func (a *API) PublicVersionFiles(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	return a.publicFileList(c, tx, v, v.Modified)
}

func (a *API) publicFileList(c *Call, tx bucket.Reader, v *record.ArticleVersion, modified time.Time) (Reply, error) {
	q, err := c.publicFiles(v.ArticleID)
	if err != nil {
		return Reply{}, err
	}
	files, err := items.PublicFiles(tx, v, q.Behind, q.Skip, q.Take)
	if err != nil {
		return Reply{}, err
	}
	list, last := []present.PublicFile{}, int64(0)
	for _, f := range files {
		list, last = append(list, a.Settings.PublicFile(f)), f.ID
	}
	return Reply{Body: list, Modified: modified, Cursor: q.Cursor(last)}, nil
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
