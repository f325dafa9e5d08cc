package handlers

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/handlers/accounts"
	"alcove/handlers/endpoint"
	"alcove/handlers/items"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// FileList lists the files of an own article's working copy. A private link shows those that are whole,
// as readers would see them.
func (a *API) FileList(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if c.ByLink(&art.Working) {
		return workingFiles(c, tx, art, true, func(f *record.File) present.PublicFile { return a.Settings.PublicFile(f.Public(f.Created)) })
	}
	return workingFiles(c, tx, art, false, func(f *record.File) present.PrivateFile { return a.privateFile(c, f) })
}

// privateFile is a file as the caller may see it.
func (a *API) privateFile(c *endpoint.Call, f *record.File) present.PrivateFile {
	hideUploads(c.Scope(), f)
	return a.Settings.PrivateFile(f)
}

// hideUploads blanks the upload tokens of files for a scope that may not upload.
func hideUploads(scope record.Scope, files ...*record.File) {
	if scope.Opens(record.ScopeUpload) {
		return
	}
	for _, f := range files {
		f.Token = ""
	}
}

// workingFiles lists files of a working copy: all, or only those that are whole.
func workingFiles[S any](c *endpoint.Call, tx *bucket.Tx, art *record.Article, whole bool, show func(*record.File) S) (endpoint.Reply, error) {
	q, err := lists.WorkingFiles(c.ListRequest(), art.ID)
	if err != nil {
		return endpoint.Reply{}, err
	}
	last := int64(0)
	list, err := lists.Show(q.Working(tx, art, whole), func(f *record.File) S {
		last = f.ID
		return show(f)
	})
	return endpoint.Reply{Body: list, Modified: c.Changed, Cursor: q.Cursor(last)}, err
}

// publicFiles checks what is asked of the files of the public version of the path. Without a version in the
// path it is that of the latest one, and goes on in the one after when that is published meanwhile.
func publicFiles(c *endpoint.Call, article int64) (*lists.FileQuery, error) {
	if version, ok := c.HasID("version"); ok {
		return lists.NewFileQuery(c.ListRequest(), "version", article, version)
	}
	return lists.NewFileQuery(c.ListRequest(), "public", article)
}

// FileCreate registers a link, or starts the upload of a file. Its reply holds the
// location and nothing else, as public clients expect.
func (a *API) FileCreate(c *endpoint.Call, tx *bucket.Tx, body *record.FileBody) (endpoint.Reply, error) {
	art, err := c.OwnArticle(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := body.Check(); err != nil {
		return endpoint.Reply{}, err
	}
	f := &record.File{}
	if body.Apply(f); !f.Linked() {
		f.Token = uuid.NewString()
	}
	if err := a.Items.AddFile(tx, art, f, unreservedBytes(c, tx)); err != nil {
		return endpoint.Reply{}, err
	}
	if err := items.PutArticle(tx, art); err != nil {
		return endpoint.Reply{}, err
	}
	at := a.Settings.API("/account/articles/%d/files/%d", art.ID, f.ID)
	return endpoint.Reply{Status: 201, Location: at, Body: present.Location{Location: at}}, nil
}

// FileRead is a file of an own article; it holds the upload address as long as the
// upload is open.
func (a *API) FileRead(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, f, err := c.OwnFile(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if !c.ByLink(&art.Working) {
		return endpoint.Reply{Body: a.privateFile(c, f), Modified: f.Modified}, nil
	}
	if !f.Finished() {
		return endpoint.Reply{}, record.ErrFileNotFound
	}
	return endpoint.Reply{Body: a.Settings.PublicFile(f.Public(f.Created)), Modified: f.Modified}, nil
}

// FileDelete takes a file out of the working copy. Public versions keep it.
func (a *API) FileDelete(c *endpoint.Call, tx *bucket.Tx) (endpoint.Reply, error) {
	art, f, err := c.OwnFile(tx)
	if err != nil {
		return endpoint.Reply{}, err
	}
	if err := items.DetachFile(tx, art, f); err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Status: 204, After: func() { a.Jobs.DropStaged(f) }}, nil
}

// resourceQuery is what a list of articles by resource and file is asked for; both are needed.
type resourceQuery struct {
	lists.Paging
	ResourceID *string `json:"resource_id"`
	Filename   *string `json:"filename"`
}

// PublicResourceFiles lists the public articles of an institution whose latest version belongs to
// a resource and has a file of a name, by id.
func (a *API) PublicResourceFiles(c *endpoint.Call, tx *bucket.PublicTx) (endpoint.Reply, error) {
	in := c.Text("institution_string_id")
	if in != strconv.Itoa(accounts.InstitutionID) && (a.People.Institution.Domain == "" || !strings.EqualFold(in, a.People.Institution.Domain)) {
		return endpoint.Reply{}, record.ErrInstitutionUnknown
	}
	w, err := c.Page(lists.PublicItems)
	if err != nil {
		return endpoint.Reply{}, err
	}
	resource, _ := c.Query.Find("resource_id")
	name, _ := c.Query.Find("filename")
	switch {
	case resource == "":
		return endpoint.Reply{}, record.Wrong("resource_id", "is required")
	case name == "":
		return endpoint.Reply{}, record.Wrong("filename", "is required")
	}
	having := func(yield func(bucket.Pair, error) bool) {
		for hit := range published.VersionsByResource.Ascending(tx, bucket.SortKey(resource)) {
			has, err := showsFile(tx, hit.Key, name)
			if (has || err != nil) && !yield(hit.Key, err) {
				return
			}
		}
	}
	list := []json.RawMessage{}
	for version, err := range lists.PageOf(w, having) {
		if err != nil {
			return endpoint.Reply{}, err
		}
		doc, err := a.Items.ArticleDocs.List(tx, version)
		if err != nil {
			return endpoint.Reply{}, err
		}
		list = append(list, slices.Clone(doc.List))
	}
	return endpoint.Reply{Body: list, Modified: c.Changed}, nil
}

// showsFile reports whether a version is the one that readers get, and shows a file of a name.
// A version without a file of that name is known without reading a record.
func showsFile(tx *bucket.PublicTx, key bucket.Pair, name string) (bool, error) {
	head, public := published.ArticleFacts.Facts(tx, key.A)
	if !public || head.Version != key.B {
		return false, nil
	}
	for hit := range files.PublicFilesByName.Ascending(tx, bucket.SortKey(key.A, name)) {
		if files.InVersion(hit.Value, int(key.B)) {
			v, err := published.ArticleVersions.Get(tx, key)
			return err == nil && !v.HidesFiles(), err
		}
	}
	return false, nil
}
