package main

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"alcove/handlers"
)

// route is a line of the table.
type route handlers.Route

// routes is the table of contents: every address that the server answers, who may call
// it, and what it does to the store, in the order of the specification.
func routes(h *handlers.API) []route {
	const (
		Public  = handlers.Public
		Account = handlers.Account
		Either  = handlers.Either
		Upload  = handlers.Upload
	)
	var (
		PublicRead = handlers.PublicRead
		Read       = handlers.Read
		Write      = handlers.Write
		Plain      = handlers.Plain
		Stream     = handlers.Stream
	)
	return []route{
		// 4.2 Public articles
		{"GET", "/v2/articles", Public, PublicRead(h.PublicArticleList)},
		{"POST", "/v2/articles/search", Public, handlers.PlainBody(h.PublicArticleSearch)},
		{"GET", "/v2/articles/:id", Public, PublicRead(h.PublicArticleRead)},
		{"GET", "/v2/articles/:id/versions", Public, PublicRead(h.PublicVersionList)},
		{"GET", "/v2/articles/:id/versions/:version", Public, PublicRead(h.PublicVersionRead)},
		{"GET", "/v2/articles/:id/versions/:version/embargo", Public, PublicRead(h.PublicEmbargoRead)},
		{"GET", "/v2/articles/:id/versions/:version/confidentiality", Public, PublicRead(h.PublicConfidentialityRead)},
		{"GET", "/v2/articles/:id/files", Public, PublicRead(h.PublicFileList)},
		{"GET", "/v2/articles/:id/files/:file_id", Public, PublicRead(h.PublicFileRead)},

		// 4.3 Own articles
		{"GET", "/v2/account/articles", Account, Read(h.ArticleList)},
		{"POST", "/v2/account/articles", Account, handlers.WriteBody(h.ArticleCreate)},
		{"GET", "/v2/account/articles/:id", Account, Read(h.ArticleRead)},
		{"PUT", "/v2/account/articles/:id", Account, handlers.WriteBody(h.ArticleReplace)},
		{"PATCH", "/v2/account/articles/:id", Account, handlers.WriteBody(h.ArticleChange)},
		{"DELETE", "/v2/account/articles/:id", Account, Write(h.ArticleDelete)},
		{"POST", "/v2/account/articles/:id/publish", Account, Plain(h.ArticlePublish)},

		// 4.4 Sub-resources of own articles
		{"GET", "/v2/account/articles/:id/authors", Account, Read(h.Articles.AuthorsRead)},
		{"POST", "/v2/account/articles/:id/authors", Account, handlers.WriteBody(h.Articles.AuthorsAdd)},
		{"PUT", "/v2/account/articles/:id/authors", Account, handlers.WriteBody(h.Articles.AuthorsReplace)},
		{"DELETE", "/v2/account/articles/:id/authors/:author_id", Account, Write(h.Articles.AuthorDelete)},
		{"GET", "/v2/account/articles/:id/categories", Account, Read(h.Articles.CategoriesRead)},
		{"POST", "/v2/account/articles/:id/categories", Account, handlers.WriteBody(h.Articles.CategoriesAdd)},
		{"PUT", "/v2/account/articles/:id/categories", Account, handlers.WriteBody(h.Articles.CategoriesReplace)},
		{"DELETE", "/v2/account/articles/:id/categories/:category_id", Account, Write(h.Articles.CategoryDelete)},
		{"GET", "/v2/account/articles/:id/files", Account, Read(h.FileList)},
		{"POST", "/v2/account/articles/:id/files", Account, handlers.WriteBody(h.FileCreate)},
		{"GET", "/v2/account/articles/:id/files/:file_id", Account, Read(h.FileRead)},
		{"POST", "/v2/account/articles/:id/files/:file_id", Account, Plain(h.FileComplete)},
		{"DELETE", "/v2/account/articles/:id/files/:file_id", Account, Write(h.FileDelete)},

		// 4.4 Upload and download subsystems
		{"GET", "/upload/:token", Upload, Plain(h.UploadRead)},
		{"GET", "/upload/:token/:part", Upload, Plain(h.UploadPartRead)},
		{"PUT", "/upload/:token/:part", Upload, Stream(h.UploadPartWrite)},
		{"DELETE", "/upload/:token/:part", Upload, Plain(h.UploadPartDelete)},
		{"GET", "/files/:file_id", Either, Plain(h.FileDownload)},
		{"GET", "/ndownloader/files/:file_id", Either, Plain(h.FileDownload)},

		// 4.7 Collections
		{"GET", "/v2/collections", Public, PublicRead(h.PublicCollectionList)},
		{"GET", "/v2/collections/:id", Public, PublicRead(h.PublicCollectionRead)},
		{"GET", "/v2/collections/:id/articles", Public, PublicRead(h.PublicCollectionArticles)},
		{"GET", "/v2/collections/:id/versions", Public, PublicRead(h.PublicCollectionVersions)},
		{"GET", "/v2/collections/:id/versions/:version", Public, PublicRead(h.PublicCollectionVersion)},
		{"GET", "/v2/account/collections", Account, Read(h.CollectionList)},
		{"POST", "/v2/account/collections", Account, handlers.WriteBody(h.CollectionCreate)},
		{"GET", "/v2/account/collections/:id", Account, Read(h.CollectionRead)},
		{"PUT", "/v2/account/collections/:id", Account, handlers.WriteBody(h.CollectionChange)},
		{"PATCH", "/v2/account/collections/:id", Account, handlers.WriteBody(h.CollectionChange)},
		{"DELETE", "/v2/account/collections/:id", Account, Write(h.CollectionDelete)},
		{"POST", "/v2/account/collections/:id/publish", Account, Write(h.CollectionPublish)},
		{"GET", "/v2/account/collections/:id/authors", Account, Read(h.Collections.AuthorsRead)},
		{"POST", "/v2/account/collections/:id/authors", Account, handlers.WriteBody(h.Collections.AuthorsAdd)},
		{"PUT", "/v2/account/collections/:id/authors", Account, handlers.WriteBody(h.Collections.AuthorsReplace)},
		{"DELETE", "/v2/account/collections/:id/authors/:author_id", Account, Write(h.Collections.AuthorDelete)},
		{"GET", "/v2/account/collections/:id/categories", Account, Read(h.Collections.CategoriesRead)},
		{"POST", "/v2/account/collections/:id/categories", Account, handlers.WriteBody(h.Collections.CategoriesAdd)},
		{"PUT", "/v2/account/collections/:id/categories", Account, handlers.WriteBody(h.Collections.CategoriesReplace)},
		{"DELETE", "/v2/account/collections/:id/categories/:category_id", Account, Write(h.Collections.CategoryDelete)},
		{"GET", "/v2/account/collections/:id/articles", Account, Read(h.CollectionArticles)},
		{"POST", "/v2/account/collections/:id/articles", Account, handlers.WriteBody(h.CollectionArticlesAdd)},
		{"PUT", "/v2/account/collections/:id/articles", Account, handlers.WriteBody(h.CollectionArticlesReplace)},
		{"DELETE", "/v2/account/collections/:id/articles/:article_id", Account, Write(h.CollectionArticleDelete)},

		// 4.8 Licenses and categories
		{"GET", "/v2/licenses", Public, PublicRead(h.Licenses)},
		{"GET", "/v2/account/licenses", Account, Read(h.LicensesOwn)},
		{"GET", "/v2/categories", Public, PublicRead(h.CategoriesAll)},
		{"GET", "/v2/account/categories", Account, Read(h.CategoriesOwn)},

		// Beyond the specification
		{"GET", "/v2/account", Account, Read(h.AccountRead)},
		{"GET", "/healthz", Public, Plain(h.Health)},
		{"GET", "/readyz", Public, Plain(h.Ready)},
	}
}

// newRouter serves the route table.
func newRouter(h *handlers.API) http.Handler { return newMux(h, routes(h)) }

// mux finds the route of a request. httprouter 1.3 cannot hold a fixed path beside a
// parameter, so paths without parameters are looked up in a map first; httprouter only
// matches the others, with its redirects and automatic answers off.
type mux struct {
	api   *handlers.API
	fixed map[string]map[string]*handlers.Route // path → method → route
	tree  *httprouter.Router
	state map[*handlers.Route]*handlers.Route
}

// found carries a match out of httprouter's Lookup, which only hands back a handler.
type found struct {
	http.ResponseWriter
	route *handlers.Route
}

func newMux(h *handlers.API, table []route) *mux {
	m := &mux{api: h, fixed: map[string]map[string]*handlers.Route{}, tree: httprouter.New(),
		state: map[*handlers.Route]*handlers.Route{}}
	m.tree.RedirectTrailingSlash, m.tree.RedirectFixedPath = false, false
	m.tree.HandleMethodNotAllowed, m.tree.HandleOPTIONS = false, false
	for i := range table {
		r := (*handlers.Route)(&table[i])
		if !strings.ContainsAny(r.Path, ":*") {
			if m.fixed[r.Path] == nil {
				m.fixed[r.Path] = map[string]*handlers.Route{}
			}
			m.fixed[r.Path][r.Method] = r
		} else {
			m.tree.Handle(r.Method, r.Path, func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
				w.(*found).route = r
			})
		}
		m.state[r] = readAbove(table, r)
	}
	return m
}

// readAbove is the endpoint that tells the state a write acts on: a GET of the same
// address, or of the nearest address above it.
func readAbove(table []route, r *handlers.Route) *handlers.Route {
	for path := r.Path; path != ""; path = path[:strings.LastIndexByte(path, '/')] {
		for i := range table {
			if table[i].Method == http.MethodGet && table[i].Path == path && table[i].Endpoint.Reads() {
				return (*handlers.Route)(&table[i])
			}
		}
	}
	return nil
}

// lookup finds the route of a method and a tidy path. A fixed path is never taken for
// one with a parameter: no article has the id "search".
func (m *mux) lookup(method, path string) (*handlers.Route, map[string]string) {
	if byMethod, ok := m.fixed[path]; ok {
		return byMethod[method], nil
	}
	handle, params, _ := m.tree.Lookup(method, path)
	if handle == nil {
		return nil, nil
	}
	values := map[string]string{}
	for _, p := range params {
		if p.Value == "" {
			return nil, nil
		}
		values[p.Key] = p.Value
	}
	f := &found{}
	handle(f, nil, nil)
	return f.route, values
}

var methods = []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}

// find matches a request. Double slashes count as one and a trailing slash for nothing
// (decision 22); nothing is ever redirected. A slash that is written %2F does not
// separate anything, and no address holds one.
func (m *mux) find(r *http.Request) handlers.Match {
	if strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
		return handlers.Match{}
	}
	path := tidy(r.URL.Path)
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if route, params := m.lookup(method, path); route != nil {
		return handlers.Match{Route: route, State: m.state[route], Params: params}
	}
	var allow []string
	for _, other := range methods {
		if other == http.MethodHead {
			if slices.Contains(allow, http.MethodGet) {
				allow = append(allow, other)
			}
		} else if route, _ := m.lookup(other, path); route != nil {
			allow = append(allow, other)
		}
	}
	if allow != nil {
		allow = append(allow, http.MethodOptions)
	}
	return handlers.Match{Allow: allow}
}

func tidy(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.api.Serve(w, r, m.find) }
