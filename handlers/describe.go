package handlers

import (
	"encoding/json"
	"net/http"
	"reflect"
	"sync"

	"alcove/handlers/apidoc"
	"alcove/handlers/lists"
	"alcove/handlers/present"
	"alcove/record"
)

// institutionQuery is what a list of an institution's articles can be asked for.
type institutionQuery struct {
	lists.ArticleSearch
	Status *int64 `json:"status"`
}

// Queries of single lists.
type (
	fieldQuery struct {
		GroupID *int64 `json:"group_id"`
	}
	reviewQuery struct {
		lists.Paging
		fieldQuery
		ArticleID *int64  `json:"article_id"`
		Status    *string `json:"status"`
	}
	archiveQuery struct {
		Folder *string `json:"folder_path"`
	}
	versionArchiveQuery struct {
		archiveQuery
		Format *string `json:"format"`
	}
	fileQuery struct {
		Inline *bool `json:"inline"`
	}
	fileListQuery struct { // of a working copy
		lists.Paging
		Order          *string `json:"order"`
		OrderDirection *string `json:"order_direction"`
		Name           *string `json:"name"`
		Status         *string `json:"status"`
	}
)

// queries are the structs that query strings fill, to which the description of the API refers
// by name.
var queries = []reflect.Type{
	reflect.TypeFor[lists.Paging](), reflect.TypeFor[lists.ArticleSearch](), reflect.TypeFor[lists.OwnSearch](), reflect.TypeFor[lists.ProjectSearch](),
	reflect.TypeFor[AccountSearch](), reflect.TypeFor[institutionQuery](), reflect.TypeFor[reviewQuery](), reflect.TypeFor[fieldQuery](),
	reflect.TypeFor[archiveQuery](), reflect.TypeFor[versionArchiveQuery](), reflect.TypeFor[fileQuery](), reflect.TypeFor[fileListQuery](), reflect.TypeFor[feedQuery](),
	reflect.TypeFor[profileQuery](), reflect.TypeFor[resourceQuery](), reflect.TypeFor[statsQuery](), reflect.TypeFor[topQuery](),
}

// orderRefused refuses any order of a list that has one of its own: an order that is ignored
// misleads.
func (c *Call) orderRefused(r *Route) error {
	if _, asked := c.Query.Find("order"); asked && r.About.Unordered(queries) {
		return record.ErrBadOrder
	}
	return nil
}

// apiDocuments are the description of the API for machines and for people.
type apiDocuments struct {
	openAPI, page       []byte
	openAPITag, pageTag string
	calls               []apidoc.Call
}

// Describe makes the API describe itself by its route table, when it is first asked to.
func (a *API) Describe(table []Route) {
	a.apiDocuments = sync.OnceValues(func() (docs apiDocuments, err error) {
		d, err := Description(a.Settings, a.Limits.Lists, table)
		if err != nil {
			return docs, err
		}
		document, err := d.OpenAPI()
		if err != nil {
			return docs, err
		}
		if docs.openAPI, err = present.Encode(json.RawMessage(document)); err != nil {
			return docs, err
		}
		docs.calls = d.Calls()
		docs.page, err = d.Page("openapi.json")
		docs.openAPITag, docs.pageTag = etag(docs.openAPI), etag(docs.page)
		return docs, err
	})
}

// OpenAPI is the description of the API as an OpenAPI 3.1 document.
func (a *API) OpenAPI(*Call) (Reply, error) {
	docs, err := a.apiDocuments()
	return Reply{Raw: docs.openAPI, Tag: docs.openAPITag}, err
}

// Calls are the operations of the API that a person can try.
func (a *API) Calls() ([]apidoc.Call, error) {
	docs, err := a.apiDocuments()
	return docs.calls, err
}

// DocsPage is the description of the API as a page for people.
func (a *API) DocsPage(*Call) (Reply, error) {
	docs, err := a.apiDocuments()
	header := http.Header{"Content-Security-Policy": {apidoc.PagePolicy}}
	return Reply{Raw: docs.page, Tag: docs.pageTag, Type: "text/html; charset=utf-8", Header: header}, err
}

// Description describes the routes of a table.
func Description(s present.Settings, lists record.Lists, table []Route) (*apidoc.Description, error) {
	repo := apidoc.Repository{Settings: s, Lists: lists, Texts: textParams, Queries: queries}
	for i := range table {
		r := &table[i]
		if r.About.IsPage() {
			continue
		}
		e := &r.Endpoint
		repo.Routes = append(repo.Routes, apidoc.Route{
			Method: r.Method, Path: r.Path, Access: r.Access, Takes: e.takes, Fields: e.fields, Optional: e.body == optionalBody,
			Bytes: e.body == streamBody, File: e.file, Linked: e.linked != "", Reads: e.Reads(), About: r.About,
		})
	}
	return apidoc.Of(repo)
}
