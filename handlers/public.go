package handlers

import (
	"errors"
	"strings"
	"time"

	"alcove/bucket"
	"alcove/handlers/present"
	"alcove/record"
)

// PublicArticleList lists public articles (specification 4.2).
func (a *API) PublicArticleList(c *Call, tx *bucket.PublicTx) (Reply, error) {
	f, err := c.articleFilter(ArticleSearch{})
	if err != nil {
		return Reply{}, err
	}
	if f.Paging, err = c.paging(Paging{}); err != nil {
		return Reply{}, err
	}
	w, err := f.Paging.window(publicItems)
	if err != nil {
		return Reply{}, err
	}
	items, err := a.walkPublic(tx, f, w, nil)
	if err != nil {
		return Reply{}, err
	}
	for i := range items {
		items[i].doc = items[i].list
	}
	return listReply(items, c.changed), nil
}

// publicItem is a public article on a page: its stored list form, and what a search
// adds to it.
type publicItem struct {
	list, doc []byte
	project   int64
}

func listReply(items []publicItem, modified time.Time) Reply {
	docs := make([][]byte, len(items))
	for i, it := range items {
		docs[i] = it.doc
	}
	return Reply{Raw: present.Joined(docs), Modified: modified}
}

// walkPublic collects a page of public articles by publication that pass the filter
// and, when ids is not nil, are among them.
func (a *API) walkPublic(tx bucket.Reader, f *filter, w window, ids idSet) ([]publicItem, error) {
	walk := bucket.PublicByPublished.Descending
	if f.ascending {
		walk = bucket.PublicByPublished.Ascending
	}
	items, passed, met := []publicItem{}, 0, 0
	for hit := range walk(tx, nil) {
		if ids != nil {
			if met == ids.Len() {
				break
			}
			if !ids.Contains(hit.Key) {
				continue
			}
			met++
		}
		key := bucket.Pair{A: hit.Key, B: bucket.IndexedVersion(hit.Value)}
		ok, err := f.passes(tx, key)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if passed++; passed <= w.skip {
			continue
		}
		it := publicItem{}
		if it.list, err = a.doc(tx, key, false); err != nil {
			return nil, err
		}
		if ids != nil || f.search {
			head, err := bucket.PublicArticles.Get(tx, hit.Key)
			if err != nil {
				return nil, err
			}
			it.project = head.ProjectID
		}
		if items = append(items, it); len(items) == w.take {
			break
		}
	}
	return items, nil
}

// idSet is what a search matched.
type idSet interface {
	Len() int
	Contains(int64) bool
}

// PublicArticleRead is the latest public version of an article (specification 4.2).
func (a *API) PublicArticleRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := publicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return Reply{}, err
	}
	doc, err := a.doc(tx, bucket.Pair{A: head.ID, B: int64(head.Latest)}, true)
	return Reply{Raw: doc, Modified: head.Modified}, err
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
	return Reply{Body: a.Settings.ArticleVersions(head.ID, head.Latest), Modified: head.Modified}, nil
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
	doc, err := a.doc(tx, versionKey(v), true)
	return Reply{Raw: doc, Modified: v.Modified}, err
}

// PublicEmbargoRead is the embargo of a public version. A version can be public without
// one only, until embargoes can be set.
func (a *API) PublicEmbargoRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrEntityVersion)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.NoEmbargo(), Modified: v.Modified}, nil
}

// PublicConfidentialityRead is the deprecated confidentiality of a public version.
func (a *API) PublicConfidentialityRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	v, err := c.publicVersion(tx, record.ErrNoVersion)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.NotConfidential(), Modified: v.Modified}, nil
}

// PublicFileList lists the files of the latest public version.
func (a *API) PublicFileList(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := publicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return Reply{}, err
	}
	w, err := c.page(fileLists)
	if err != nil {
		return Reply{}, err
	}
	files, err := publicFiles(tx, head.ID, head.Latest, w)
	if err != nil {
		return Reply{}, err
	}
	list := []present.PublicFile{}
	for _, f := range files {
		list = append(list, a.Settings.PublicFile(f))
	}
	return Reply{Body: list, Modified: head.Modified}, nil
}

// PublicFileRead is one file of the latest public version.
func (a *API) PublicFileRead(c *Call, tx *bucket.PublicTx) (Reply, error) {
	head, err := publicHead(tx, c.ID("id"), record.ErrArticleUnknown)
	if err != nil {
		return Reply{}, err
	}
	f, err := bucket.PublicFiles.Get(tx, c.ID("file_id"))
	if errors.Is(err, bucket.ErrNotFound) || err == nil && (f.ArticleID != head.ID || !f.In(head.Latest)) {
		return Reply{}, record.ErrFileNotFound
	}
	if err != nil {
		return Reply{}, err
	}
	return Reply{Body: a.Settings.PublicFile(f), Modified: head.Modified}, nil
}

// publicFiles loads files of a public version, in the order they were made.
func publicFiles(tx bucket.Reader, article int64, version int, w window) ([]*record.PublicFile, error) {
	var files []*record.PublicFile
	at := 0
	for hit := range bucket.PublicFilesByArticle.Ascending(tx, bucket.SortKey(article)) {
		if len(files) == w.take {
			break
		}
		f, err := bucket.PublicFiles.Get(tx, hit.Key)
		if err != nil {
			return nil, err
		}
		if !f.In(version) {
			continue
		}
		if at++; at > w.skip {
			files = append(files, f)
		}
	}
	return files, nil
}

// bareDOI is a DOI without the address of a resolver and in lower case, so that all
// spellings of one compare equal (api-facts 19). A version at its end stays.
func bareDOI(doi string) string {
	doi = strings.ToLower(strings.TrimSpace(doi))
	for _, front := range []string{"https://", "http://", "doi.org/", "dx.doi.org/", "www.doi.org/", "doi:"} {
		doi = strings.TrimPrefix(doi, front)
	}
	return doi
}
