package site

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"

	"alcove/handlers/endpoint"
)

//go:embed assets
var assetFiles embed.FS

// asset is a file that pages refer to. Its address names its content, so that browsers keep it
// for good and yet never show an old one.
type asset struct {
	name, kind, sum string
	content         []byte
}

func (a *asset) address() string { return "/assets/" + a.name + "?v=" + a.sum }

var assets = func() map[string]*asset {
	all := map[string]*asset{}
	for name, kind := range map[string]string{
		"site.css": "text/css; charset=utf-8", "site.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
		"edit.js": "text/javascript; charset=utf-8", "upload.js": "text/javascript; charset=utf-8", "passkey.js": "text/javascript; charset=utf-8", "md5.js": "text/javascript; charset=utf-8", "try.js": "text/javascript; charset=utf-8",
	} {
		content, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			panic(err) // it is in the program
		}
		sum := sha256.Sum256(content)
		all[name] = &asset{name, kind, hex.EncodeToString(sum[:8]), content}
	}
	return all
}()

// Address is that of a file that pages refer to.
func Address(name string) string { return assets[name].address() }

// Asset is the endpoint of a file that pages refer to.
func (s *Site) Asset(name string) endpoint.Endpoint {
	a := assets[name]
	return endpoint.Plain(func(c *endpoint.Call) (endpoint.Reply, error) { return a.reply(c), nil })
}

func (a *asset) reply(c *endpoint.Call) endpoint.Reply {
	r := endpoint.Reply{Raw: a.content, Type: a.kind, Tag: `"` + a.sum + `"`}
	if v, _ := c.Query.Find("v"); v == a.sum {
		r.Header = http.Header{"Cache-Control": {"public, max-age=31536000, immutable"}}
	}
	return r
}
