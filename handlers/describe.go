package handlers

import (
	"encoding/json"
	"net/http"
	"reflect"
	"sync"

	"alcove/handlers/apidoc"
	"alcove/handlers/endpoint"
	"alcove/handlers/lists"
	"alcove/handlers/people"
	"alcove/handlers/present"
	"alcove/handlers/reports"
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
	reflect.TypeFor[people.AccountSearch](), reflect.TypeFor[institutionQuery](), reflect.TypeFor[reviewQuery](), reflect.TypeFor[fieldQuery](),
	reflect.TypeFor[archiveQuery](), reflect.TypeFor[versionArchiveQuery](), reflect.TypeFor[fileQuery](), reflect.TypeFor[fileListQuery](), reflect.TypeFor[feedQuery](),
	reflect.TypeFor[people.ProfileQuery](), reflect.TypeFor[resourceQuery](), reflect.TypeFor[reports.StatsQuery](), reflect.TypeFor[reports.TopQuery](),
}

// apiDocuments are the description of the API for machines and for people.
type apiDocuments struct {
	openAPI, page       []byte
	openAPITag, pageTag string
	calls               []apidoc.Call
}

// Describe makes the API describe itself by its route table, when it is first asked to.
func (a *API) Describe(table []endpoint.Route) {
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
		docs.openAPITag, docs.pageTag = endpoint.ETag(docs.openAPI), endpoint.ETag(docs.page)
		return docs, err
	})
}

// OpenAPI is the description of the API as an OpenAPI 3.1 document.
func (a *API) OpenAPI(*endpoint.Call) (endpoint.Reply, error) {
	docs, err := a.apiDocuments()
	return endpoint.Reply{Raw: docs.openAPI, Tag: docs.openAPITag}, err
}

// Calls are the operations of the API that a person can try.
func (a *API) Calls() ([]apidoc.Call, error) {
	docs, err := a.apiDocuments()
	return docs.calls, err
}

// DocsPage is the description of the API as a page for people.
func (a *API) DocsPage(*endpoint.Call) (endpoint.Reply, error) {
	docs, err := a.apiDocuments()
	header := http.Header{"Content-Security-Policy": {apidoc.PagePolicy}}
	return endpoint.Reply{Raw: docs.page, Tag: docs.pageTag, Type: "text/html; charset=utf-8", Header: header}, err
}

// Description describes the routes of a table.
func Description(s present.Settings, lists record.Lists, table []endpoint.Route) (*apidoc.Description, error) {
	repo := apidoc.Repository{Settings: s, Lists: lists, Texts: endpoint.TextParams, Queries: queries}
	for i := range table {
		r := &table[i]
		if r.About.IsPage() {
			continue
		}
		repo.Routes = append(repo.Routes, r.Described())
	}
	return apidoc.Of(repo)
}
