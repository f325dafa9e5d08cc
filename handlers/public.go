package handlers

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/present"
	"alcove/jobs"
	"alcove/record"
)

// PublicArticleList lists public articles.
func (a *API) PublicArticleList(c *endpoint.Call) (endpoint.Reply, error) {
	return c.PublicList(a.publicArticles)
}

// PublicArticleRead is the latest public version of an article.
func (a *API) PublicArticleRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	id := c.ID("id")
	if doc, ok := a.Items.ArticleDocs.Newest(tx, id); ok {
		r := fullForm(c, doc)
		r.Count = jobs.View(record.KindArticle, id)
		return r, nil
	}
	head, ok := published.ArticleFacts.Facts(tx, id)
	if !ok {
		return endpoint.Reply{}, record.ErrArticleUnknown
	}
	doc, err := a.Items.ArticleDocs.Full(tx, bucket.Pair{A: id, B: head.Version})
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := fullForm(c, doc)
	r.Modified, r.Count = head.Modified, jobs.View(record.KindArticle, id)
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
		head, ok := published.ArticleFacts.Facts(tx, id)
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
func fullForm(c *endpoint.Call, doc bucket.Doc) endpoint.Reply {
	c.Buffer = append(endpoint.GetBuffer(), doc.Full...)
	return endpoint.Reply{Raw: c.Buffer, Tag: endpoint.TagOf(doc.FullSum), Modified: doc.Modified}
}

// PublicVersionList lists the public versions of an article.
func (a *API) PublicVersionList(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := endpoint.PublicHead(tx, c.ID("id"), record.ErrEntityArticle)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list := slices.DeleteFunc(a.Settings.ArticleVersions(head.ID, head.Oldest, head.Latest), func(v present.ArticleVersion) bool { return head.Skipped.Has(v.Version) })
	return endpoint.Reply{Body: list, Modified: head.Modified}, nil
}

// publicVersion is the public version that the path names.
func publicVersion(c *endpoint.Call, tx bucket.Reader, absent *record.Error) (*record.ArticleVersion, error) {
	if _, err := endpoint.PublicHead(tx, c.ID("id"), absent); err != nil {
		return nil, err
	}
	v, err := published.ArticleVersions.Get(tx, bucket.Pair{A: c.ID("id"), B: c.ID("version")})
	if errors.Is(err, bucket.ErrNotFound) {
		return nil, absent
	}
	return v, err
}

// PublicVersionRead is one public version of an article.
func (a *API) PublicVersionRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	v, err := publicVersion(c, tx, record.ErrEntityVersion)
	if err != nil {
		return endpoint.Reply{}, err
	}
	doc, err := a.Items.ArticleDocs.Full(tx, items.VersionKey(v))
	if err != nil {
		return endpoint.Reply{}, err
	}
	r := fullForm(c, doc)
	r.Modified, r.Count = v.Modified, jobs.View(record.KindArticle, v.ArticleID)
	return r, err
}

// PublicFileList lists the files of the latest public version.
func (a *API) PublicFileList(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := endpoint.PublicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return endpoint.Reply{}, err
	}
	latest, err := published.ArticleVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.publicFileList(c, tx, latest, head.Modified)
}

// PublicVersionFiles lists the files of a public version.
func (a *API) PublicVersionFiles(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	v, err := publicVersion(c, tx, record.ErrEntityVersion)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return a.publicFileList(c, tx, v, v.Modified)
}

func (a *API) publicFileList(c *endpoint.Call, tx bucket.Reader, v *record.ArticleVersion, modified time.Time) (endpoint.Reply, error) {
	q, err := publicFiles(c, v.ArticleID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	files, err := items.PublicFiles(tx, v, q.Behind, q.Skip, q.Take)
	if err != nil {
		return endpoint.Reply{}, err
	}
	list, last := []present.PublicFile{}, int64(0)
	for _, f := range files {
		list, last = append(list, a.Settings.PublicFile(f)), f.ID
	}
	return endpoint.Reply{Body: list, Modified: modified, Cursor: q.Cursor(last)}, nil
}

// PublicFileRead is one file of the latest public version.
func (a *API) PublicFileRead(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	head, err := endpoint.PublicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return endpoint.Reply{}, err
	}
	latest, err := published.ArticleVersions.Get(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)})
	if err != nil {
		return endpoint.Reply{}, err
	}
	f, err := files.PublicFiles.Get(tx, c.ID("file_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.ArticleID != head.ID || f.In(head.Latest) && latest.HidesFiles() || !f.In(head.Latest) && head.DownloadDisabled) {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Body: a.Settings.PublicFile(f), Modified: head.Modified}, nil
}
