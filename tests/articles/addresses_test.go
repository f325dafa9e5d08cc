package articles

import (
	"fmt"
	"strings"
	"testing"

	"alcove/tests/world"
)

// The answers of addresses without a token, or with an id that is none.
func TestAddressRefusals(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "An article"}`)
	for _, id := range []string{"NAME", "a.txt", "0", "-1", "01", "1e3", "%C3%A9"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			s.Ada.Do(method, at+"/files/"+id, nil).Refuses(404, "File not found")
		}
		s.Anon.Get(at+"/files/"+id).Refuses(401, "")
		s.Anon.Get("/v2/articles/1/files/"+id).Refuses(400, "")
		s.Ada.Get("/v2/account/projects/1/articles/1/files/"+id).Refuses(400, "")
		s.Ada.Get("/v2/account/articles/"+id).Refuses(400, "")
	}
	code := func(r *world.Reply) any { return r.Refuses(401, "").Object()["code"] }
	for _, path := range []string{at, "/v2/account/collections/1?private_link=" + strings.Repeat("0", 32), "/v2/account?access_token="} {
		if got := code(s.Anon.Get(path)); got != "OAuthMissingToken" {
			t.Errorf("%s without a token: %v", path, got)
		}
	}
	for _, r := range []*world.Reply{s.Anon.Get(at, "Authorization", "token wrong"), s.Anon.Get(at + "?access_token=wrong"), s.Anon.Get(at, "Authorization", "Basic eDp5")} {
		if got := code(r); got != "OAuthInvalidToken" {
			t.Errorf("with a wrong token: %v", got)
		}
	}
}

// A file that only an older version has is shown below its article exactly as long as it can be
// downloaded without a token.
func TestAddressOfOlderFile(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "An article", "authors": [{"name": "A B"}]}`)
	other := s.Ada.Published("Another one")
	file := s.Ada.Upload(at, "old.txt", []byte("old"))
	id := file[strings.LastIndexByte(file, '/')+1:]
	public, bytes := "/v2/articles/1/files/"+id, "/files/"+id
	shown := func(status int) {
		t.Helper()
		s.Anon.Get(bytes).Is(status)
		if s.Anon.Get(public).Is(map[bool]int{true: 200, false: 404}[status == 200]); status == 200 {
			if got := s.Anon.Get(public).Object()["name"]; got != "old.txt" {
				t.Errorf("the file is %v", got)
			}
		}
	}
	shown(404)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shown(200)
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shown(200)
	s.Anon.Get(fmt.Sprintf("/v2/articles/%d/files/%s", other, id)).Refuses(404, "File not found")
	if n := len(s.Anon.Get("/v2/articles/1/files").List()); n != 0 {
		t.Errorf("the latest version has %d files", n)
	}
	s.Ada.Send("PATCH", at, `{"download_disabled": true}`).Is(205)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shown(403)
	s.Ada.Send("POST", at+"/unpublish", `{"reason": "Withdrawn"}`).Is(204)
	s.Anon.Get(public).Is(404)
}
