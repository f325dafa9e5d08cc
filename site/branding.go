package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"strings"

	"alcove/handlers/endpoint"
	"alcove/record"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
)

// branding is what an operator shows on every page, ready to be shown.
type branding struct {
	of          *endpoint.Branding
	Text        string
	Style, Logo string // addresses, "" for none
	Links       []endpoint.FooterLink
	assets      map[string]*asset
	pages       map[string]map[string]ownPage // by name and language
	named       []string                      // those that there are, in their order
}

// ownPage is a text of the operator.
type ownPage struct {
	heading string
	text    template.HTML
}

// brand is what holds now. It is made ready by the first page that shows it.
func (s *Site) brand() *branding {
	now := s.api.Branding()
	made := s.branded.Load()
	if made == nil || made.of != now {
		made = newBranding(now)
		s.branded.Store(made)
	}
	return made
}

func newBranding(b *endpoint.Branding) *branding {
	v := &branding{of: b, Text: b.Text, Links: b.Links, assets: map[string]*asset{}, pages: map[string]map[string]ownPage{}}
	if b.Accent != "" {
		v.Style = v.add("brand.css", "text/css; charset=utf-8", fmt.Appendf(nil,
			":root{--accent:%s;--on-accent:#ffffff}\n@media (prefers-color-scheme: dark){:root{--accent:%s;--on-accent:#0c1416}}\n", b.Accent, b.AccentDark))
	}
	if b.Logo != nil {
		v.Logo = v.add("logo", b.LogoType, b.Logo)
	}
	for _, name := range endpoint.OwnPages {
		for language, text := range b.Pages[name] {
			if v.pages[name] == nil {
				v.pages[name] = map[string]ownPage{}
				v.named = append(v.named, name)
			}
			v.pages[name][language] = newOwnPage(text)
		}
	}
	return v
}

func (v *branding) add(name, kind string, content []byte) string {
	sum := sha256.Sum256(content)
	a := &asset{name, kind, hex.EncodeToString(sum[:8]), content}
	v.assets[name] = a
	return a.address()
}

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM))

// newOwnPage reads a text in Markdown, of which the first line may be the heading. HTML in it is left out.
func newOwnPage(text string) (p ownPage) {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if first, rest, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
		p.heading, text = strings.TrimSpace(strings.Trim(first, "# ")), rest
	}
	var b bytes.Buffer
	if err := markdown.Convert([]byte(text), &b); err != nil {
		return p // it writes to memory
	}
	p.text = template.HTML(ownTags.Sanitize(b.String()))
	return p
}

type ownView struct {
	*Frame
	Heading string
	Text    template.HTML
}

// Own is the endpoint of a page of the operator, by its name.
func (s *Site) Own(name string) endpoint.Endpoint {
	return endpoint.Plain(func(c *endpoint.Call) (endpoint.Reply, error) {
		f := s.Frame(c)
		p, there := s.brand().pages[name][f.Language]
		if !there {
			p, there = s.brand().pages[name][""]
		}
		if !there {
			for _, p = range s.brand().pages[name] { // in the only language that it has
				there = true
			}
		}
		if !there {
			return endpoint.Reply{}, record.ErrNotFound
		}
		heading := p.heading
		if heading == "" {
			heading = f.OwnPages[name]
		}
		f.Title, f.Canonical, f.Main = heading, s.api.Settings.SiteURL+"/"+name, ownView{f, heading, p.text}
		return s.render(c, "own", f)
	})
}

// Brand is the endpoint of a file of the operator that pages refer to.
func (s *Site) Brand(name string) endpoint.Endpoint {
	return endpoint.Plain(func(c *endpoint.Call) (endpoint.Reply, error) {
		a := s.brand().assets[name]
		if a == nil {
			return endpoint.Reply{}, record.ErrNotFound
		}
		return a.reply(c), nil
	})
}
