package main

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"alcove/handlers"
)

// A parameter that is sent twice is refused wherever it is described, also when both values are
// the same: which of them counts would otherwise be a matter of the proxy in front. Which
// parameters there are is told by the server's own description.
func TestRepeatedParameters(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	described := map[string][]string{}
	doc := s.Anon.get("/v2/openapi.json").is(200).object()
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
	before, tried := s.DB().Sequence(), map[string]bool{}
	for _, r := range allRoutes() {
		at := s.at(r)
		for _, name := range described[r.Method+" "+colonParams.ReplaceAllString(r.Path, "{}")] {
			tried[name] = true
			twice := at + "?" + name + "=1&" + strings.Replace(url.QueryEscape(name), "e", "%65", 1) + "=1"
			switch name {
			case "page", "page_size", "limit", "offset":
				s.Ada.do(r.Method, twice, strings.NewReader("{}")).refuses(422, name+" was sent more than once")
			default:
				s.Ada.do(r.Method, twice, nil).refuses(400, name+" was sent more than once")
			}
		}
		if r.Access == handlers.Account {
			s.Anon.do(r.Method, at+"?impersonate=1&impersonate=1", nil).is(401)
		}
		for _, name := range []string{"access_token", "token", "private_link"} {
			s.Anon.do(r.Method, at+"?"+name+"="+s.Ada.token+"&"+name+"="+s.Ada.token, nil).refuses(400, name+" was sent more than once")
			s.Anon.do(r.Method, at+"?"+name+"=&"+name+"=", nil).refuses(400, name+" was sent more than once")
		}
	}
	for _, name := range []string{"order", "impersonate", "page", "search_for", "folder_path", "inline", "doi"} {
		if !tried[name] {
			t.Errorf("%s was not tried", name)
		}
	}
	if s.DB().Sequence() != before {
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
	s := newStage(t)
	ada, ben := s.Ada.token, s.Ben.token
	for _, r := range allRoutes() {
		if r.Access == handlers.Upload {
			continue // the address is the credential
		}
		at := s.at(r)
		s.Ben.do(r.Method, at+"?access_token="+ada, nil).refuses(400, "more than one token")
		s.Ben.do(r.Method, at+"?token="+ada, nil).refuses(400, "more than one token")
		s.Anon.do(r.Method, at+"?token="+ada+"&access_token="+ben, nil).refuses(400, "more than one token")
		s.Anon.do(r.Method, at, nil, "Authorization", "token "+ada, "Authorization", "token "+ben).refuses(400, "more than one token")
	}
	s.Ada.get("/v2/account?access_token=" + ada).is(200)
	s.Ada.get("/v2/account?token=" + ada).is(200)
	s.Anon.get("/v2/account?token=" + ada).is(401)
	file := s.Ada.upload(s.Ada.article(`{"title": "Not public"}`), "a.txt", []byte("bytes"))
	at := "/files/" + file[strings.LastIndexByte(file, '/')+1:]
	s.Anon.get(at + "?token=" + ada + "&access_token=" + ada).is(200)
	s.Anon.get(at + "?token=" + ada + "&access_token=" + ben).is(400)
}
