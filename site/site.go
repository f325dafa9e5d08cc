// Package site has the pages that people open. A page is a line of the route table like any call
// of the API, and shows what the API answers to the same caller: it decodes those answers, and
// reads nothing beside them.
//
//	site.go      rendering, the frame of all pages
//	language.go  the language of a page, whose texts are in words
//	assets.go    the style sheet and the script, which are addressed by their content
//	views/       layout.html is the frame, parts.html what several pages have
package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"alcove/handlers"
	"alcove/handlers/described"
	"alcove/handlers/endpoint"
	"alcove/handlers/people"
	"alcove/record"
	"alcove/site/preview/library"
	"alcove/site/words"
)

// Site renders the pages of a repository.
type Site struct {
	api       *handlers.API
	libraries library.Maker
	off       sync.Once  // of saying that these have no processes
	sitemaps  sync.Mutex // of the page of the sitemap that is being made
	branded   atomic.Pointer[branding]
}

// New are the pages over an API.
func New(api *handlers.API) *Site {
	return &Site{api: api}
}

// Policy is the Content-Security-Policy of pages: everything comes from this server, and no script
// or style stands in a page itself.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// Frame is what the layout of every page shows.
type Frame struct {
	*Words
	Language  string
	Languages []languageLink
	Site      string // name of the repository
	Title     string // of the page, in plain text; "" for the home page
	About     string // in a sentence, for those who share or index the page
	Canonical string // the address of the page, "" for none
	Feed      string // address of the same as a feed, "" for none
	Search    string // in the search box
	OwnBox    bool   // the page has a search box itself
	Hidden    bool   // from search engines
	Script    string
	Module    string // address of a script of this page alone, "" for none
	Style     string
	Icon      string
	Brand     *branding
	Own       []Link // texts of the operator
	Banner    string // of the administrators, "" for none
	Person    string // who is signed in, "" for none
	SignIn    string // address of the page to sign in, "" for no such link
	Head      any    // of an item: what machines read
	Main      any    // of the page
}

type languageLink struct {
	Code, Name, URL string
	Chosen          bool
}

//go:embed views
var views embed.FS

// Views are templates of pages by name, each with the layout and the shared parts.
type Views func() map[string]*template.Template

// templates are the pages of this package.
var templates = NewViews(views)

// NewViews are the pages in the folder views of some files.
func NewViews(files fs.FS) Views {
	return sync.OnceValue(func() map[string]*template.Template {
		all := map[string]*template.Template{}
		shared := template.Must(template.New("").Funcs(functions).ParseFS(views, "views/layout.html", "views/parts.html"))
		pages, err := fs.Glob(files, "views/*.html")
		if err != nil {
			panic(err) // the pattern cannot be read
		}
		for _, page := range pages {
			name := strings.TrimSuffix(path.Base(page), ".html")
			if name == "layout" || name == "parts" {
				continue
			}
			t := template.Must(template.Must(shared.Clone()).ParseFS(files, page))
			all[name] = t.Lookup("layout").Option("missingkey=error")
		}
		return all
	})
}

// functions are what templates may call. They say nothing by themselves: words come from Words.
var functions = template.FuncMap{
	"say": fmt.Sprintf,
	"inc": func(n int) int { return n + 1 },
	"og":  func(name string) bool { return strings.HasPrefix(name, "og:") },
}

// Frame begins a page for a call.
func (s *Site) Frame(c *endpoint.Call) *Frame {
	code := LanguageOf(c)
	f := &Frame{
		Words: byLanguage[code], Language: code, Site: s.Name(),
		Script: Address("site.js"), Style: Address("site.css"), Icon: Address("icon.svg"),
	}
	f.Brand = s.brand()
	f.Banner = s.api.Choices().Banner.Text(code, s.api.DB.Time())
	for _, name := range f.Brand.named {
		f.Own = append(f.Own, Link{f.OwnPages[name], "/" + name})
	}
	page, query := url.URL{Path: PathOf(c)}, url.Values{}
	for _, name := range []string{"q", "author", "kind", "type", "category", "year", "licence", "group", "name", "account", "record", "since", "until", "before", "tag", "more", "written", "sort", "page", "folder", "from", "next", "call", "client_id", "redirect_uri", "response_type", "scope", "state", "code_challenge", "code_challenge_method"} { // that some page reads
		if value := Asked(c, name); value != "" {
			query.Set(name, value)
		}
	}
	if f.SignIn = endpoint.SignInPath; c.Person() != nil {
		f.Person = NameOf(c.Person())
	} else if (c.Method == http.MethodGet || c.Method == http.MethodHead) && !strings.HasPrefix(page.Path, "/s/") && !strings.HasPrefix(page.Path, people.OneTimePath) && page.Path != "/" { // that is a secret
		back := page
		back.RawQuery = query.Encode()
		f.SignIn = endpoint.SignInAt(back.RequestURI())
	}
	for _, l := range words.Languages {
		query.Set("lang", l)
		f.Languages = append(f.Languages, languageLink{l, byLanguage[l].Name, page.EscapedPath() + "?" + query.Encode(), l == code})
	}
	return f
}

func (s *Site) Name() string { return described.Publisher(s.api.Settings) }

// render is the reply with a page.
func (s *Site) render(c *endpoint.Call, view string, f *Frame) (endpoint.Reply, error) {
	page, err := templates.execute(view, f)
	if err != nil {
		return endpoint.Reply{}, err
	}
	return endpoint.Reply{Raw: page, Type: htmlType, Header: s.header(c), Public: c.Person() == nil}, nil
}

const htmlType = "text/html; charset=utf-8"

// executePart renders a piece of a page, which a script puts into one.
func executePart(view, name string, v any) ([]byte, error) {
	var b bytes.Buffer
	if err := templates()[view].ExecuteTemplate(&b, name, v); err != nil {
		return nil, fmt.Errorf("cannot render a part of the page %s: %w", view, err)
	}
	return b.Bytes(), nil
}

// execute renders a page as a whole, so that a fault in it never leaves half a page.
func (v Views) execute(view string, f any) ([]byte, error) {
	b := rendering.Get().(*bytes.Buffer)
	defer rendering.Put(b)
	b.Reset()
	if err := v()[view].Execute(b, f); err != nil {
		return nil, fmt.Errorf("cannot render the page %s: %w", view, err)
	}
	if bytes.ContainsFunc(b.Bytes(), Unshown) {
		return bytes.Map(func(r rune) rune {
			if Unshown(r) {
				return -1
			}
			return r
		}, b.Bytes()), nil
	}
	return bytes.Clone(b.Bytes()), nil
}

// Unshown reports whether HTML may not have a character, wherever it came from: control characters but for white space.
func Unshown(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' }

// rendering are buffers that have grown to the size of a page.
var rendering = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// header are the lines of a page beside those of every answer. A choice of language is kept in a
// cookie, and that answer in no shared cache.
func (s *Site) header(c *endpoint.Call) http.Header {
	h := http.Header{"Content-Security-Policy": {Policy}, "Vary": {"Accept-Language, Cookie"}}
	if code := Asked(c, "lang"); byLanguage[code] != nil {
		h["Set-Cookie"] = []string{KeepLanguage(c, code)}
		h["Cache-Control"] = []string{"private, no-cache"}
	}
	return h
}

// Local is an address of ours without the server, so that pages work under every name that the
// server is reached by; other addresses stay as they are.
func (s *Site) Local(address string) string {
	for _, base := range []string{s.api.Settings.SiteURL, s.api.Settings.DownloadURL, s.api.Settings.BaseURL} {
		if path, ours := strings.CutPrefix(address, base+"/"); ours {
			return "/" + path
		}
	}
	return address
}

// Asked is a value of the query of a request, which the adapter has not read where it refused it.
func Asked(c *endpoint.Call, name string) string {
	at := c.Address()
	return at.Query().Get(name)
}

// PathOf is the path of a request, however many slashes it was written with.
func PathOf(c *endpoint.Call) string {
	at := c.Address()
	at.RawQuery = ""
	return record.RequestedPath(&at)
}

// decoded is an address with its escapes read.
func decoded(address string) string {
	if path, err := url.PathUnescape(address); err == nil {
		return path
	}
	return address
}
