package main

import (
	"fmt"
	"strings"
	"testing"
)

// The answers of addresses without a token, or with an id that is none.
func TestAddressRefusals(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "An article"}`)
	for _, id := range []string{"NAME", "a.txt", "0", "-1", "01", "1e3", "%C3%A9"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			s.Ada.do(method, at+"/files/"+id, nil).refuses(404, "File not found")
		}
		s.Anon.get(at+"/files/"+id).refuses(401, "")
		s.Anon.get("/v2/articles/1/files/"+id).refuses(400, "")
		s.Ada.get("/v2/account/projects/1/articles/1/files/"+id).refuses(400, "")
		s.Ada.get("/v2/account/articles/"+id).refuses(400, "")
	}
	code := func(r *reply) any { return r.refuses(401, "").object()["code"] }
	for _, path := range []string{at, "/v2/account/collections/1?private_link=" + strings.Repeat("0", 32), "/v2/account?access_token="} {
		if got := code(s.Anon.get(path)); got != "OAuthMissingToken" {
			t.Errorf("%s without a token: %v", path, got)
		}
	}
	for _, r := range []*reply{s.Anon.get(at, "Authorization", "token wrong"), s.Anon.get(at + "?access_token=wrong"), s.Anon.get(at, "Authorization", "Basic eDp5")} {
		if got := code(r); got != "OAuthInvalidToken" {
			t.Errorf("with a wrong token: %v", got)
		}
	}
}

// A file that only an older version has is shown below its article exactly as long as it can be
// downloaded without a token.
func TestAddressOfOlderFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "An article", "authors": [{"name": "A B"}]}`)
	other := s.Ada.published("Another one")
	file := s.Ada.upload(at, "old.txt", []byte("old"))
	id := file[strings.LastIndexByte(file, '/')+1:]
	public, bytes := "/v2/articles/1/files/"+id, "/files/"+id
	shown := func(status int) {
		t.Helper()
		s.Anon.get(bytes).is(status)
		if s.Anon.get(public).is(map[bool]int{true: 200, false: 404}[status == 200]); status == 200 {
			if got := s.Anon.get(public).object()["name"]; got != "old.txt" {
				t.Errorf("the file is %v", got)
			}
		}
	}
	shown(404)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	shown(200)
	s.Ada.do("DELETE", file, nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	shown(200)
	s.Anon.get(fmt.Sprintf("/v2/articles/%d/files/%s", other, id)).refuses(404, "File not found")
	if n := len(s.Anon.get("/v2/articles/1/files").list()); n != 0 {
		t.Errorf("the latest version has %d files", n)
	}
	s.Ada.send("PATCH", at, `{"download_disabled": true}`).is(205)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	shown(403)
	s.Ada.send("POST", at+"/unpublish", `{"reason": "Withdrawn"}`).is(204)
	s.Anon.get(public).is(404)
}
