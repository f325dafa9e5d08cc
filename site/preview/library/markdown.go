package library

import (
	"bytes"
	"html/template"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"alcove/site/preview"
)

const (
	markdownBytes = 256 << 10 // of a text that is read as Markdown; of a longer one the beginning
	htmlBytes     = 512 << 10 // of what comes of it
)

// markdown shows a text as it is meant. HTML in it is left out, and so are pictures, which may lie on
// other servers: their descriptions stand in their places.
func markdown(f preview.File) (*preview.Preview, error) {
	b, cut, err := preview.Head(f, markdownBytes)
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(b, 0) >= 0 {
		return nil, preview.ErrBroken
	}
	page, err := proseOf(b, 1)
	if err != nil || page == "" || len(page) > htmlBytes {
		return preview.Plain(f)
	}
	return &preview.Preview{HTML: page, Cut: cut}, nil
}

// proseOf is the HTML of a text in Markdown, whose headings go some levels down.
func proseOf(source []byte, down int) (template.HTML, error) {
	source = bytes.ToValidUTF8(source, []byte("\uFFFD"))
	convert := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(lower(down), 100))),
		goldmark.WithRendererOptions(html.WithXHTML(), renderer.WithNodeRenderers(util.Prioritized(described{}, 100))),
	)
	var out bytes.Buffer
	if err := convert.Convert(source, &out); err != nil {
		return "", err
	}
	return template.HTML(bytes.TrimSpace(sanitised.SanitizeBytes(out.Bytes()))), nil
}

// lower sets headings below those of the page.
type lower int

func (l lower) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which has no errors
		if h, ok := n.(*ast.Heading); ok && entering {
			h.Level = min(h.Level+int(l), 6)
		}
		return ast.WalkContinue, nil
	})
}

// described renders pictures as their descriptions.
type described struct{}

func (described) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindImage, func(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) { return ast.WalkContinue, nil })
}

// sanitised is what may stand on a page of what others wrote. Addresses lead to other servers, or stay
// out: those that mean a file beside this one have no place here.
var sanitised = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "i", "em", "b", "strong", "u", "s", "del", "sub", "sup", "small", "blockquote", "pre", "code", "kbd",
		"ul", "ol", "li", "dl", "dt", "dd", "h2", "h3", "h4", "h5", "h6", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	return p
}()
