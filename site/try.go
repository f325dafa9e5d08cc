package site

import (
	"net/http"
	"net/url"
	"strings"

	"alcove/handlers/apidoc"
	"alcove/handlers/endpoint"
	"alcove/record"
)

// tryPage lets a person try a call of the API with the session, and shows the line for a shell.
type tryPage struct {
	*Frame
	Groups  []callGroup // to choose from
	Call    *apidoc.Call
	Fields  []tryField
	Changes bool   // the call is no mere reading
	Base    string // address of the API
	Curl    string // before anything was filled in
	DocsAt  string
}

type callGroup struct {
	Name  string
	Calls []Option
}

type tryField struct {
	apidoc.CallParameter
	ID string
}

// TryPage is the page; the call is that of the query, or the list of own articles.
func (s *Site) TryPage(c *endpoint.Call) (endpoint.Reply, error) {
	calls, err := s.api.Calls()
	if err != nil {
		return endpoint.Reply{}, err
	}
	id := Asked(c, "call")
	if id == "" {
		id = "get_account_articles"
	}
	f := s.Frame(c)
	v := tryPage{Frame: f, Base: s.api.Settings.BaseURL, DocsAt: "/v2/docs#" + id}
	for i := range calls {
		one := &calls[i]
		if n := len(v.Groups); n == 0 || v.Groups[n-1].Name != one.Group {
			v.Groups = append(v.Groups, callGroup{Name: one.Group})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Calls = append(g.Calls, Option{Value: one.ID, Words: one.Method + " " + braced(one.Path), Chosen: one.ID == id})
		if one.ID == id {
			v.Call = one
		}
	}
	if v.Call == nil {
		return endpoint.Reply{}, record.ErrNotFound
	}
	for _, p := range v.Call.Parameters {
		v.Fields = append(v.Fields, tryField{p, p.In + "-" + p.Name})
	}
	v.Changes = v.Call.Method != http.MethodGet && !strings.HasSuffix(v.Call.Path, "/search")
	v.Curl = curlLine(v.Base, v.Call)
	f.Title, f.Module = f.Words.Try.Title, Address("try.js")
	f.Main = v
	return s.Page(c, templates, "try", http.StatusOK, f)
}

// braced is the path of a call with {name} for parts that vary.
func braced(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			parts[i] = "{" + name + "}"
		}
	}
	return strings.Join(parts, "/")
}

// curlLine is the call for a shell, with the token in a variable. The script of the page makes the same of
// what is filled in.
func curlLine(base string, call *apidoc.Call) string {
	line := []string{"curl"}
	if call.Method != http.MethodGet {
		line = append(line, "-X", call.Method)
	}
	line = append(line, `-H "Authorization: token $TOKEN"`)
	switch {
	case call.Bytes:
		line = append(line, "--data-binary @FILE")
	case call.Body != "":
		line = append(line, "-H 'Content-Type: application/json'", "-d "+quoted(call.Body))
	}
	at, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return strings.Join(append(line, quoted(at.Scheme+"://"+at.Host+braced(call.Path))), " ")
}

// quoted is a text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
