package main

import (
	"fmt"
	"testing"
)

// Readers of the files of an article in a project get their bytes at every address, also where
// public downloads are off; no others do, and a removed member is answered like a stranger.
func TestProjectBytes(t *testing.T) {
	t.Parallel()
	s := start(t)
	vera := s.person("Vera", false)
	at := s.Ada.project("Shared measurements")
	s.Ada.invite(at, s.Ben, "collaborator")
	s.Ada.invite(at, vera, "viewer")
	_, own := s.Ben.inProject(at, `{"title": "Measured by Ben", "authors": [{"name": "Ben Author"}]}`)
	file := s.Ben.upload(own, "one.png", onePixel)
	s.Ben.previews(file, "preview_available")
	s.Ben.begin(own, "open.bin", []byte("not yet"))
	id, fid := lastNumber(t, own), lastNumber(t, file)
	working := []string{
		fmt.Sprint("/files/", fid), fmt.Sprint("/ndownloader/files/", fid), fmt.Sprintf("/files/%d/preview/%[1]d/thumb.png", fid),
		own + "/download", fmt.Sprint("/articles/", id),
	}
	none := func(path string) string {
		return map[string]string{
			working[0]: "/files/987654", working[1]: "/ndownloader/files/987654", working[2]: "/files/987654/preview/987654/thumb.png",
			working[3]: "/v2/account/articles/987654/download", working[4]: "/articles/987654",
		}[path]
	}
	check := func(when string, outside client) {
		t.Helper()
		for _, path := range working {
			for name, who := range map[string]client{"the owner of the project": s.Ada, "its viewer": vera, "the owner of the article": s.Ben} {
				if r := who.get(path); r.StatusCode != 200 || len(r.body) == 0 {
					t.Errorf("%s: %s by %s: %d %.200s", when, path, name, r.StatusCode, r.body)
				}
			}
			for _, method := range []string{"GET", "HEAD"} {
				got, unknown := outside.do(method, path, nil), outside.do(method, none(path), nil)
				if got.StatusCode != 404 || got.whole() != unknown.whole() {
					t.Errorf("%s: %s %s by somebody else: %s, unknown %s", when, method, path, got.whole(), unknown.whole())
				}
			}
		}
	}
	check("a draft", s.Root)
	for _, query := range []string{"?token=", "?access_token="} {
		if r := s.Anon.get(working[0] + query + s.Ada.token).is(200); string(r.body) != string(onePixel) {
			t.Errorf("%s answered %q", query, r.body)
		}
	}
	s.Ben.embargo(own, "file", "2999-01-01")
	s.Ben.do("DELETE", fmt.Sprintf("%s/files/%d", own, fid+1), nil).is(204)
	s.Ben.do("POST", own+"/publish", nil).is(201)
	check("files under embargo", s.Root)

	// Downloads are off for readers, not for the people working on it.
	s.Ben.do("DELETE", own+"/embargo", nil).is(204)
	s.Ben.send("PATCH", own, `{"download_disabled": true}`).is(205)
	s.Ben.do("POST", own+"/publish", nil).is(201)
	for _, path := range working {
		s.Ada.get(path).is(200)
		vera.get(path).is(200)
	}
	s.Root.get(working[0]).is(403)
	s.Root.get(working[2]).is(403)

	// A former member is a stranger, also when only invited; a file taken off the working copy is
	// gone for members.
	s.Ben.send("POST", own+"/unpublish", whyWithdrawn).is(204)
	s.Ada.do("DELETE", at+"/collaborators/"+fmt.Sprint(vera.userID()), nil).is(204)
	for _, path := range working {
		got, unknown := vera.get(path), vera.get(none(path))
		if got.StatusCode != 404 || got.whole() != unknown.whole() {
			t.Errorf("%s by a former member: %s", path, got.whole())
		}
	}
	s.Ada.get(working[0]).is(200)
	s.Ben.do("DELETE", file, nil).is(204)
	s.Ada.get(working[0]).is(404)
}
