package files

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"alcove/handlers/endpoint"
	"alcove/tests/routes"
	"alcove/tests/stage"
)

// A parameter that is sent twice is refused wherever it is described, also when both values are
// the same: which of them counts would otherwise be a matter of the proxy in front. Which
// parameters there are is told by the server's own description.
func TestRepeatedParameters(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	described := map[string][]string{}
	doc := s.Anon.Get("/v2/openapi.json").Is(200).Object()
	shared := doc["components"].(map[string]any)["parameters"].(map[string]any)
	for path, methods := range doc["paths"].(map[string]any) {
		for method, op := range methods.(map[string]any) {
			o, ok := op.(map[string]any)
			if !ok {
				continue
			}
			params, _ := o["parameters"].([]any)
			for _, p := range params {
				param := p.(map[string]any)
				if ref, ok := param["$ref"].(string); ok {
					param = shared[ref[strings.LastIndexByte(ref, '/')+1:]].(map[string]any)
				}
				if param["in"] == "query" {
					key := strings.ToUpper(method) + " " + bareParams.ReplaceAllString(path, "{}")
					described[key] = append(described[key], param["name"].(string))
				}
			}
		}
	}
	before, tried := s.Sequence(), map[string]bool{}
	for _, r := range routes.All() {
		if strings.HasPrefix(r.Path, "/mirror/") { // nothing is mirrored: 404 comes first
			continue
		}
		at := s.At(r)
		for _, name := range described[r.Method+" "+colonParams.ReplaceAllString(r.Path, "{}")] {
			tried[name] = true
			twice := at + "?" + name + "=1&" + strings.Replace(url.QueryEscape(name), "e", "%65", 1) + "=1"
			switch name {
			case "page", "page_size", "limit", "offset":
				s.Ada.Do(r.Method, twice, strings.NewReader("{}")).Refuses(422, name+" was sent more than once")
			default:
				s.Ada.Do(r.Method, twice, nil).Refuses(400, name+" was sent more than once")
			}
		}
		if r.Access == endpoint.Session {
			continue // a session alone counts
		}
		if r.Access == endpoint.Account {
			s.Anon.Do(r.Method, at+"?impersonate=1&impersonate=1", nil).Is(401)
		}
		for _, name := range []string{"access_token", "token", "private_link"} {
			s.Anon.Do(r.Method, at+"?"+name+"="+s.Ada.Token+"&"+name+"="+s.Ada.Token, nil).Refuses(400, name+" was sent more than once")
			s.Anon.Do(r.Method, at+"?"+name+"=&"+name+"=", nil).Refuses(400, name+" was sent more than once")
		}
	}
	for _, name := range []string{"order", "impersonate", "page", "search_for", "folder_path", "inline", "doi"} {
		if !tried[name] {
			t.Errorf("%s was not tried", name)
		}
	}
	if s.Sequence() != before {
		t.Error("a refused request changed the store")
	}
}

var (
	colonParams = regexp.MustCompile(`:[a-z_]+`)
	bareParams  = regexp.MustCompile(`\{[a-z_]+\}`)
)

// A token may stand in the header, in access_token and, for downloads, in token. Where two of
// them disagree neither counts; where they agree they are one.
func TestTokensDisagree(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	ada, ben := s.Ada.Token, s.Ben.Token
	for _, r := range routes.All() {
		if r.Access == endpoint.Upload || r.Access == endpoint.Session {
			continue // the address is the credential, or a cookie
		}
		at := s.At(r)
		s.Ben.Do(r.Method, at+"?access_token="+ada, nil).Refuses(400, "more than one token")
		s.Ben.Do(r.Method, at+"?token="+ada, nil).Refuses(400, "more than one token")
		s.Anon.Do(r.Method, at+"?token="+ada+"&access_token="+ben, nil).Refuses(400, "more than one token")
		s.Anon.Do(r.Method, at, nil, "Authorization", "token "+ada, "Authorization", "token "+ben).Refuses(400, "more than one token")
	}
	s.Ada.Get("/v2/account?access_token=" + ada).Is(200)
	s.Ada.Get("/v2/account?token=" + ada).Is(200)
	s.Anon.Get("/v2/account?token=" + ada).Is(401)
	file := s.Ada.Upload(s.Ada.Article(`{"title": "Not public"}`), "a.txt", []byte("bytes"))
	at := "/files/" + file[strings.LastIndexByte(file, '/')+1:]
	s.Anon.Get(at + "?token=" + ada + "&access_token=" + ada).Is(200)
	s.Anon.Get(at + "?token=" + ada + "&access_token=" + ben).Is(400)
}
