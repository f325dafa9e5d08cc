package projects

import (
	"fmt"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// Readers of the files of an article in a project get their bytes at every address, also where
// public downloads are off; no others do, and a removed member is answered like a stranger.
func TestProjectBytes(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	vera := s.Person("Vera", false)
	at := s.Ada.Project("Shared measurements")
	s.Ada.Invite(at, s.Ben, "collaborator")
	s.Ada.Invite(at, vera, "viewer")
	_, own := s.Ben.InProject(at, `{"title": "Measured by Ben", "authors": [{"name": "Ben Author"}]}`)
	file := s.Ben.Upload(own, "one.png", disk.OnePixel)
	s.Ben.Previews(file, "preview_available")
	s.Ben.Begin(own, "open.bin", []byte("not yet"))
	id, fid := world.LastNumber(t, own), world.LastNumber(t, file)
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
	check := func(when string, outside world.Client) {
		t.Helper()
		for _, path := range working {
			for name, who := range map[string]world.Client{"the owner of the project": s.Ada, "its viewer": vera, "the owner of the article": s.Ben} {
				if r := who.Get(path); r.StatusCode != 200 || len(r.Bytes) == 0 {
					t.Errorf("%s: %s by %s: %d %.200s", when, path, name, r.StatusCode, r.Bytes)
				}
			}
			for _, method := range []string{"GET", "HEAD"} {
				got, unknown := outside.Do(method, path, nil), outside.Do(method, none(path), nil)
				if got.StatusCode != 404 || got.Whole() != unknown.Whole() {
					t.Errorf("%s: %s %s by somebody else: %s, unknown %s", when, method, path, got.Whole(), unknown.Whole())
				}
			}
		}
	}
	check("a draft", s.Root)
	for _, query := range []string{"?token=", "?access_token="} {
		if r := s.Anon.Get(working[0] + query + s.Ada.Token).Is(200); string(r.Bytes) != string(disk.OnePixel) {
			t.Errorf("%s answered %q", query, r.Bytes)
		}
	}
	s.Ben.Embargo(own, "file", "2999-01-01")
	s.Ben.Do("DELETE", fmt.Sprintf("%s/files/%d", own, fid+1), nil).Is(204)
	s.Ben.Do("POST", own+"/publish", nil).Is(201)
	check("files under embargo", s.Root)

	// Downloads are off for readers, not for the people working on it.
	s.Ben.Do("DELETE", own+"/embargo", nil).Is(204)
	s.Ben.Send("PATCH", own, `{"download_disabled": true}`).Is(205)
	s.Ben.Do("POST", own+"/publish", nil).Is(201)
	for _, path := range working {
		s.Ada.Get(path).Is(200)
		vera.Get(path).Is(200)
	}
	s.Root.Get(working[0]).Is(403)
	s.Root.Get(working[2]).Is(403)

	// A former member is a stranger, also when only invited; a file taken off the working copy is
	// gone for members.
	s.Ben.Send("POST", own+"/unpublish", world.WhyWithdrawn).Is(204)
	s.Ada.Do("DELETE", at+"/collaborators/"+fmt.Sprint(vera.UserID()), nil).Is(204)
	for _, path := range working {
		got, unknown := vera.Get(path), vera.Get(none(path))
		if got.StatusCode != 404 || got.Whole() != unknown.Whole() {
			t.Errorf("%s by a former member: %s", path, got.Whole())
		}
	}
	s.Ada.Get(working[0]).Is(200)
	s.Ben.Do("DELETE", file, nil).Is(204)
	s.Ada.Get(working[0]).Is(404)
}
