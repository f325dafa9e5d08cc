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

		byArticleLink    = func(e handlers.Endpoint) handlers.Endpoint { return handlers.Linked("articles", e) }
		byCollectionLink = func(e handlers.Endpoint) handlers.Endpoint { return handlers.Linked("collections", e) }
	)
	return []route{
		// 4.2 Public articles
		{"GET", "/v2/articles", Public, handlers.PublicList(h.PublicArticleList)},
		{"POST", "/v2/articles/search", Public, handlers.PlainBody(h.PublicArticleSearch)},
		{"GET", "/v2/articles/:id", Public, PublicRead(h.PublicArticleRead).OfItems()},
		{"GET", "/v2/articles/:id/versions", Public, PublicRead(h.PublicVersionList)},
		{"GET", "/v2/articles/:id/versions/:version", Public, PublicRead(h.PublicVersionRead)},
		{"GET", "/v2/articles/:id/versions/:version/embargo", Public, PublicRead(h.PublicEmbargoRead)},
		{"GET", "/v2/articles/:id/versions/:version/confidentiality", Public, PublicRead(h.PublicConfidentialityRead)},
		{"GET", "/v2/articles/:id/files", Either, handlers.LetIn(h.PublicFileList, handlers.FilesLetIn)},
		{"GET", "/v2/articles/:id/files/:file_id", Either, handlers.LetIn(h.PublicFileRead, handlers.FileLetIn)},

		// 4.3 Own articles
		{"GET", "/v2/account/articles", Account, Read(h.ArticleList)},
		{"POST", "/v2/account/articles/search", Account, handlers.PlainRequired(h.Articles.Search)},
		{"POST", "/v2/account/articles", Account, handlers.WriteBody(h.ArticleCreate)},
		{"GET", "/v2/account/articles/:id", Account, byArticleLink(Read(h.ArticleRead))},
		{"PUT", "/v2/account/articles/:id", Account, handlers.WriteBody(h.ArticleReplace).Ahead(handlers.FilesHeld)},
		{"PATCH", "/v2/account/articles/:id", Account, handlers.WriteBody(h.ArticleChange).Ahead(handlers.FilesHeld)},
		{"DELETE", "/v2/account/articles/:id", Account, Write(h.ArticleDelete).Ahead(handlers.FilesOfDraft)},
		{"POST", "/v2/account/articles/:id/publish", Account, Write(h.ArticlePublish).Ahead(handlers.FilesToPublish)},
		{"POST", "/v2/account/articles/:id/reserve_doi", Account, Write(h.Articles.DOIReserve)},
		{"POST", "/v2/account/articles/:id/reserve_handle", Account, Write(h.Articles.HandleReserve)},
		{"POST", "/v2/account/articles/:id/resource", Account, handlers.WriteBody(h.Articles.ResourceWrite)},
		{"GET", "/v2/account/articles/:id/versions/:version_id", Account, Read(h.VersionRead)},
		{"PUT", "/v2/account/articles/:id/versions/:version_id", Account, handlers.WriteBody(h.VersionReplace)},
		{"PATCH", "/v2/account/articles/:id/versions/:version_id", Account, handlers.WriteBody(h.VersionChange)},
		{"PUT", "/v2/account/articles/:id/versions/:version_id/update_thumb", Account, handlers.WriteBody(h.ThumbUpdate)},

		// 4.4 Sub-resources of own articles
		{"GET", "/v2/account/articles/:id/authors", Account, byArticleLink(Read(h.Articles.AuthorsRead))},
		{"POST", "/v2/account/articles/:id/authors", Account, handlers.WriteAfter(h.Articles.StoreAuthors, h.Articles.AuthorsAdd)},
		{"PUT", "/v2/account/articles/:id/authors", Account, handlers.WriteAfter(h.Articles.StoreAuthors, h.Articles.AuthorsReplace)},
		{"DELETE", "/v2/account/articles/:id/authors/:author_id", Account, Write(h.Articles.AuthorDelete)},
		{"GET", "/v2/account/articles/:id/categories", Account, byArticleLink(Read(h.Articles.CategoriesRead))},
		{"POST", "/v2/account/articles/:id/categories", Account, handlers.WriteBody(h.Articles.CategoriesAdd)},
		{"PUT", "/v2/account/articles/:id/categories", Account, handlers.WriteBody(h.Articles.CategoriesReplace)},
		{"DELETE", "/v2/account/articles/:id/categories/:category_id", Account, Write(h.Articles.CategoryDelete)},
		{"GET", "/v2/account/articles/:id/files", Account, byArticleLink(Read(h.FileList))},
		{"POST", "/v2/account/articles/:id/files", Account, handlers.WriteBody(h.FileCreate).Announcing()},
		{"GET", "/v2/account/articles/:id/files/:file_id", Account, byArticleLink(Read(h.FileRead))},
		{"POST", "/v2/account/articles/:id/files/:file_id", Account, Plain(h.FileComplete)},
		{"DELETE", "/v2/account/articles/:id/files/:file_id", Account, Write(h.FileDelete)},
		{"GET", "/v2/account/articles/:id/confidentiality", Account, Read(h.ConfidentialityRead)},
		{"PUT", "/v2/account/articles/:id/confidentiality", Account, handlers.WriteBody(h.ConfidentialityUpdate)},
		{"DELETE", "/v2/account/articles/:id/confidentiality", Account, Write(h.ConfidentialityDelete)},
		{"GET", "/v2/account/articles/:id/private_links", Account, Read(h.Articles.LinksRead)},
		{"POST", "/v2/account/articles/:id/private_links", Account, handlers.WriteOptional(h.Articles.LinkAdd)},
		{"GET", "/v2/account/articles/:id/private_links/:link_id", Account, Read(h.Articles.LinkRead)},
		{"PUT", "/v2/account/articles/:id/private_links/:link_id", Account, handlers.WriteOptional(h.Articles.LinkChange)},
		{"DELETE", "/v2/account/articles/:id/private_links/:link_id", Account, Write(h.Articles.LinkDelete)},

		// 4.4 Upload and download subsystems
		{"GET", "/upload/:token", Upload, Plain(h.UploadRead)},
		{"GET", "/upload/:token/:part", Upload, Plain(h.UploadPartRead)},
		{"PUT", "/upload/:token/:part", Upload, Stream(h.UploadPartWrite)},
		{"DELETE", "/upload/:token/:part", Upload, Plain(h.UploadPartDelete)},
		{"GET", "/files/:file_id", Either, Plain(h.FileDownload)},
		{"GET", "/ndownloader/files/:file_id", Either, Plain(h.FileDownload)},
		{"GET", "/files/:file_id/preview/:preview_id/thumb.png", Either, Plain(h.ThumbRead)},
		{"GET", "/ndownloader/files/:file_id/preview/:preview_id/thumb.png", Either, Plain(h.ThumbRead)},

		// 4.5 Embargo
		{"GET", "/v2/account/articles/:id/embargo", Account, Read(h.EmbargoRead)},
		{"PUT", "/v2/account/articles/:id/embargo", Account, handlers.WriteBody(h.EmbargoUpdate).Ahead(handlers.FilesHeld)},
		{"DELETE", "/v2/account/articles/:id/embargo", Account, Write(h.EmbargoDelete).Ahead(handlers.FilesHeld)},

		// 4.6 Projects
		{"GET", "/v2/projects", Public, handlers.PublicList(h.PublicProjectList)},
		{"POST", "/v2/projects/search", Public, handlers.PlainBody(h.PublicProjectSearch)},
		{"GET", "/v2/projects/:id", Public, PublicRead(h.PublicProjectRead)},
		{"GET", "/v2/projects/:id/articles", Public, PublicRead(h.PublicProjectArticles)},
		{"GET", "/v2/account/projects", Account, Read(h.ProjectList)},
		{"POST", "/v2/account/projects/search", Account, handlers.PlainBody(h.ProjectSearch)},
		{"POST", "/v2/account/projects", Account, handlers.WriteBody(h.ProjectCreate)},
		{"GET", "/v2/account/projects/:id", Account, Read(h.ProjectRead)},
		{"PUT", "/v2/account/projects/:id", Account, handlers.WriteBody(h.ProjectUpdate).When(handlers.OwnsProject)},
		{"PATCH", "/v2/account/projects/:id", Account, handlers.WriteBody(h.ProjectUpdate).When(handlers.OwnsProject)},
		{"POST", "/v2/account/projects/:id/publish", Account, Write(h.ProjectPublish).When(handlers.OwnsProject)},
		{"DELETE", "/v2/account/projects/:id", Account, Write(h.ProjectDelete).When(handlers.DeletesProject)},
		{"GET", "/v2/account/projects/:id/articles", Account, Read(h.ProjectArticles)},
		{"GET", "/v2/account/projects/:id/articles/:article_id", Account, Read(h.ProjectArticleRead)},
		{"POST", "/v2/account/projects/:id/articles", Account, handlers.WriteBody(h.ProjectArticleCreate).When(handlers.WorksInProject)},
		{"DELETE", "/v2/account/projects/:id/articles/:article_id", Account, Write(h.ProjectArticleDelete).When(handlers.RemovesProjectArticle)},
		{"GET", "/v2/account/projects/:id/articles/:article_id/files", Account, Read(h.ProjectFiles)},
		{"GET", "/v2/account/projects/:id/articles/:article_id/files/:file_id", Account, Read(h.ProjectFileRead)},
		{"GET", "/v2/account/projects/:id/collaborators", Account, Read(h.ProjectMembers)},
		{"POST", "/v2/account/projects/:id/collaborators", Account, handlers.WriteBody(h.ProjectInvite).When(handlers.OwnsProject)},
		{"DELETE", "/v2/account/projects/:id/collaborators/:user_id", Account, Write(h.ProjectMemberDelete).When(handlers.OwnsProject)},
		{"POST", "/v2/account/projects/:id/leave", Account, Write(h.ProjectLeave)},
		{"GET", "/v2/account/projects/:id/notes", Account, Read(h.NoteList)},
		{"GET", "/v2/account/projects/:id/notes/:note_id", Account, Read(h.NoteRead)},
		{"POST", "/v2/account/projects/:id/notes", Account, handlers.WriteBody(h.NoteCreate).When(handlers.WorksInProject)},
		{"PUT", "/v2/account/projects/:id/notes/:note_id", Account, handlers.WriteBody(h.NoteUpdate).When(handlers.ChangesNote)},
		{"DELETE", "/v2/account/projects/:id/notes/:note_id", Account, Write(h.NoteDelete).When(handlers.ChangesNote)},

		// 4.7 Collections
		{"GET", "/v2/collections", Public, handlers.PublicList(h.PublicCollectionList)},
		{"POST", "/v2/collections/search", Public, handlers.PlainBody(h.PublicCollectionSearch)},
		{"GET", "/v2/collections/:id", Public, PublicRead(h.PublicCollectionRead)},
		{"GET", "/v2/collections/:id/articles", Public, PublicRead(h.PublicCollectionArticles)},
		{"GET", "/v2/collections/:id/versions", Public, PublicRead(h.PublicCollectionVersions)},
		{"GET", "/v2/collections/:id/versions/:version", Public, PublicRead(h.PublicCollectionVersion)},
		{"GET", "/v2/account/collections", Account, Read(h.CollectionList)},
		{"POST", "/v2/account/collections/search", Account, handlers.PlainBody(h.Collections.Search)},
		{"POST", "/v2/account/collections", Account, handlers.WriteBody(h.CollectionCreate)},
		{"GET", "/v2/account/collections/:id", Account, byCollectionLink(Read(h.CollectionRead))},
		{"PUT", "/v2/account/collections/:id", Account, byCollectionLink(handlers.WriteBody(h.CollectionChange))},
		{"PATCH", "/v2/account/collections/:id", Account, byCollectionLink(handlers.WriteBody(h.CollectionChange))},
		{"DELETE", "/v2/account/collections/:id", Account, Write(h.CollectionDelete)},
		{"POST", "/v2/account/collections/:id/reserve_doi", Account, Write(h.Collections.DOIReserve)},
		{"POST", "/v2/account/collections/:id/reserve_handle", Account, Write(h.Collections.HandleReserve)},
		{"POST", "/v2/account/collections/:id/resource", Account, handlers.WriteBody(h.Collections.ResourceWrite)},
		{"POST", "/v2/account/collections/:id/publish", Account, Write(h.CollectionPublish)},
		{"GET", "/v2/account/collections/:id/authors", Account, byCollectionLink(Read(h.Collections.AuthorsRead))},
		{"POST", "/v2/account/collections/:id/authors", Account, byCollectionLink(handlers.WriteAfter(h.Collections.StoreAuthors, h.Collections.AuthorsAdd))},
		{"PUT", "/v2/account/collections/:id/authors", Account, byCollectionLink(handlers.WriteAfter(h.Collections.StoreAuthors, h.Collections.AuthorsReplace))},
		{"DELETE", "/v2/account/collections/:id/authors/:author_id", Account, byCollectionLink(Write(h.Collections.AuthorDelete))},
		{"GET", "/v2/account/collections/:id/categories", Account, byCollectionLink(Read(h.Collections.CategoriesRead))},
		{"POST", "/v2/account/collections/:id/categories", Account, byCollectionLink(handlers.WriteBody(h.Collections.CategoriesAdd))},
		{"PUT", "/v2/account/collections/:id/categories", Account, byCollectionLink(handlers.WriteBody(h.Collections.CategoriesReplace))},
		{"DELETE", "/v2/account/collections/:id/categories/:category_id", Account, byCollectionLink(Write(h.Collections.CategoryDelete))},
		{"GET", "/v2/account/collections/:id/articles", Account, byCollectionLink(Read(h.CollectionArticles))},
		{"POST", "/v2/account/collections/:id/articles", Account, byCollectionLink(handlers.WriteBody(h.CollectionArticlesAdd))},
		{"PUT", "/v2/account/collections/:id/articles", Account, byCollectionLink(handlers.WriteBody(h.CollectionArticlesReplace))},
		{"DELETE", "/v2/account/collections/:id/articles/:article_id", Account, byCollectionLink(Write(h.CollectionArticleDelete))},
		{"GET", "/v2/account/collections/:id/private_links", Account, Read(h.Collections.LinksRead)},
		{"POST", "/v2/account/collections/:id/private_links", Account, handlers.WriteOptional(h.Collections.LinkAdd)},
		{"GET", "/v2/account/collections/:id/private_links/:link_id", Account, Read(h.Collections.LinkRead)},
		{"PUT", "/v2/account/collections/:id/private_links/:link_id", Account, handlers.WriteOptional(h.Collections.LinkChange)},
		{"DELETE", "/v2/account/collections/:id/private_links/:link_id", Account, Write(h.Collections.LinkDelete)},

		// 4.8 Institution
		{"GET", "/v2/account/institution", Account, Read(h.InstitutionRead)},
		{"GET", "/v2/account/institution/articles", Account, Read(h.InstitutionArticles)},
		{"GET", "/v2/account/institution/groups", Account, Read(h.InstitutionGroups)},

		// 4.8 Licenses and categories
		{"GET", "/v2/licenses", Public, Plain(h.Licenses)},
		{"GET", "/v2/account/licenses", Account, Read(h.LicensesOwn)},
		{"GET", "/v2/categories", Public, Plain(h.CategoriesAll)},
		{"GET", "/v2/account/categories", Account, Read(h.CategoriesOwn)},

		// Beyond the specification
		{"GET", "/v2/account", Account, Read(h.AccountRead)},
		{"GET", "/v2/item_types", Public, Plain(h.ItemTypes)},
		{"POST", "/v2/account/authors/search", Account, handlers.PlainBody(h.PersonSearch)},
		{"GET", "/v2/account/authors/:author_id", Account, Read(h.PersonRead)},
		{"POST", "/v2/account/funding/search", Account, handlers.PlainBody(h.FundingSearch)},
		{"GET", "/v2/account/institution/accounts", Account, Read(h.AccountList)},
		{"POST", "/v2/account/institution/accounts", Account, handlers.WriteBody(h.AccountCreate)},
		{"POST", "/v2/account/institution/accounts/search", Account, handlers.PlainBody(h.AccountSearch)},
		{"GET", "/v2/account/institution/accounts/:account_id", Account, Read(h.InstitutionAccountRead)},
		{"PUT", "/v2/account/institution/accounts/:account_id", Account, handlers.WriteBody(h.AccountChange).When(handlers.ChangesAccount)},
		{"GET", "/v2/account/institution/users/:account_id", Account, Read(h.UserRead)},
		{"GET", "/v2/account/institution/roles", Account, Read(h.RoleList)},
		{"GET", "/v2/account/institution/roles/:account_id", Account, Read(h.RolesRead)},
		{"POST", "/v2/account/institution/roles/:account_id", Account, handlers.WriteBody(h.RolesAdd)},
		{"DELETE", "/v2/account/institution/roles/:account_id/:group_id/:role_id", Account, Write(h.RoleDelete)},
		{"GET", "/v2/account/institution/custom_fields", Account, Read(h.FieldList)},
		{"POST", "/v2/account/institution/custom_fields/:custom_field_id/items/upload", Account, handlers.WithFile("external_file", h.FieldItemsUpload)},
		{"GET", "/v2/institutions/:institution_string_id/articles/filter-by", Public, PublicRead(h.PublicResourceFiles)},
		{"GET", "/v2/account/groups/:group_id/metadata/item", Account, Read(h.GroupFieldList)},
		{"POST", "/v2/institution/hrfeed/upload", Account, handlers.WithFile("hrfeed", h.FeedUpload)},
		{"PUT", "/v2/account/profile", Account, handlers.WriteBody(h.ProfileUpdate)},
		{"GET", "/v2/account/articles/export", Account, Read(h.ReportList)},
		{"POST", "/v2/account/articles/export", Account, Write(h.ReportCreate)},
		{"GET", "/v2/account/reports/:report_id", Account, Plain(h.ReportRead)},
		{"POST", "/v2/account/profile/:user_id/picture", Account, handlers.WithFile("profile_picture", h.PictureUpload)},
		{"GET", "/v2/profiles/:user_id/picture", Either, Plain(h.PictureRead)},
		{"GET", "/v2/account/institution/embargo_options", Account, Read(h.EmbargoOptionList)},
		{"GET", "/v2/account/institution/groups/:group_id/embargo_options", Account, Read(h.GroupEmbargoOptionList)},
		{"GET", "/v2/account/institution/reviews", Account, Read(h.ReviewList)},
		{"GET", "/v2/account/institution/review/:review_id", Account, Read(h.ReviewRead)},
		{"GET", "/v2/account/institution/review/:review_id/comments", Account, Read(h.CommentList)},
		{"POST", "/v2/account/institution/review/:review_id/comments", Account, handlers.WriteBody(h.CommentAdd).Ahead(handlers.FilesToApprove)},
		{"GET", "/v2/openapi.json", Public, Plain(h.OpenAPI)},
		{"GET", "/v2/docs", Public, Plain(h.DocsPage)},
		{"GET", "/v2/articles/:id/versions/:version/files", Either, handlers.LetIn(h.PublicVersionFiles, handlers.FilesLetIn)},
		{"POST", "/v2/account/articles/:id/unpublish", Account, handlers.WriteBody(h.ArticleUnpublish).On(h.ToUnpublish).Ahead(handlers.FilesToWithdraw)},
		{"POST", "/v2/account/collections/:id/unpublish", Account, handlers.WriteBody(h.CollectionUnpublish).On(h.ToUnpublishCollection)},
		{"POST", "/v2/account/projects/:id/unpublish", Account, handlers.WriteBody(h.ProjectUnpublish).On(h.ToUnpublishProject)},
		{"GET", "/v2/articles/:id/download", Either, Plain(h.PublicDownload)},
		{"GET", "/v2/articles/:id/versions/:version/download", Either, Plain(h.PublicVersionDownload)},
		{"GET", "/v2/account/articles/:id/download", Account, Read(h.ArticleDownload)},
		{"GET", "/v2/file/download/:file_id", Public, Plain(h.PublicFileDownload)},
		{"GET", "/articles/:first", Either, Plain(h.LinkDownload)},
		{"GET", "/articles/:first/:second/:third", Either, Plain(h.RootDownload)},
		{"GET", "/healthz", Public, Plain(h.Health)},
		{"GET", "/readyz", Public, Plain(h.Ready)},
	}
}

// newRouter serves the route table, and lets the API describe itself by it.
func newRouter(h *handlers.API) http.Handler {
	table := routes(h)
	h.Describe(forHandlers(table))
	return newMux(h, table)
}

func forHandlers(table []route) []handlers.Route {
	var out []handlers.Route
	for _, r := range table {
		out = append(out, handlers.Route(r))
	}
	return out
}

// mux finds the route of a request. httprouter 1.3 cannot hold a fixed path beside a
// parameter, so paths without parameters are looked up in a map first; httprouter only
// matches the others, with its redirects and automatic answers off.
type mux struct {
	api   *handlers.API
	fixed map[string]map[string]*handlers.Route // path → method → route
	tree  *httprouter.Router
	state map[*handlers.Route]*handlers.Route
	match func(*http.Request, []handlers.Param) handlers.Match // find, made once
}

// found carries a match out of httprouter's Lookup, which only hands back a handler.
type found struct {
	http.ResponseWriter
	route *handlers.Route
}

func newMux(h *handlers.API, table []route) *mux {
	m := &mux{api: h, fixed: map[string]map[string]*handlers.Route{}, tree: httprouter.New(),
		state: map[*handlers.Route]*handlers.Route{}}
	m.match = m.find
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
// one with a parameter: no article has the id "search". The parameters go to a room.
func (m *mux) lookup(method, path string, room []handlers.Param) (*handlers.Route, []handlers.Param) {
	if byMethod, ok := m.fixed[path]; ok {
		return byMethod[method], nil
	}
	handle, params, _ := m.tree.Lookup(method, path)
	if handle == nil {
		return nil, nil
	}
	values := room[:0]
	for _, p := range params {
		if p.Value == "" {
			return nil, nil
		}
		values = append(values, handlers.Param{Name: p.Key, Value: p.Value})
	}
	f := &found{}
	handle(f, nil, nil)
	return f.route, values
}

var methods = []string{"DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"}

// find matches a request. Double slashes count as one and a trailing slash for nothing
// (decision 22); nothing is ever redirected. A slash that is written %2F does not
// separate anything, and no address holds one.
func (m *mux) find(r *http.Request, room []handlers.Param) handlers.Match {
	if strings.Contains(strings.ToLower(r.URL.RawPath), "%2f") {
		return handlers.Match{}
	}
	path := tidy(r.URL.Path)
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	if route, params := m.lookup(method, path, room); route != nil {
		return handlers.Match{Route: route, State: m.state[route], Params: params}
	}
	var allow []string
	for _, other := range methods {
		if other == http.MethodHead {
			if slices.Contains(allow, http.MethodGet) {
				allow = append(allow, other)
			}
		} else if route, _ := m.lookup(other, path, room); route != nil {
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

func (m *mux) ServeHTTP(w http.ResponseWriter, r *http.Request) { m.api.Serve(w, r, m.match) }
