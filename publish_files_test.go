package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// versionFiles are the names of the files in a public version's detail.
func (s *server) versionFiles(article int64, version int) string {
	s.t.Helper()
	var detail struct {
		Files []map[string]any `json:"files"`
	}
	s.Anon.get(fmt.Sprintf("/v2/articles/%d/versions/%d", article, version)).is(200).into(&detail)
	return fileNames(detail.Files)
}

// A public version keeps its files whatever happens to the working copy (security.md C10, C11,
// F21).
func TestPublishedFilesStay(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Files of versions", "authors": [{"name": "Grace Hopper"}]}`)
	one := s.Ada.upload(at, "one", []byte("first"))
	two := s.Ada.upload(at, "two", []byte("second"))
	if f := s.Ada.get(one).object(); f["is_attached_to_public_version"] != false {
		t.Errorf("a draft's file %v", f)
	}
	s.Anon.get("/v2/articles/1/files").refuses(404, "Article with specified ID does not exist")
	s.Anon.get("/v2/articles/1/files/1").refuses(404, "Article with specified ID does not exist")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	for _, file := range []string{one, two} {
		if f := s.Ada.get(file).object(); f["is_attached_to_public_version"] != true || f["status"] != "available" {
			t.Errorf("a published file %v", f)
		}
	}
	v1 := s.Anon.get("/v2/articles/1/versions/1").is(200)
	list := s.Anon.get("/v2/articles/1/files").is(200)
	if f := s.Anon.get("/v2/articles/1/files/1").is(200); !strings.HasPrefix(string(list.body), "["+string(f.body)+", ") ||
		!strings.HasPrefix(string(f.body), fmt.Sprintf(`{"id": 1, "name": "one", "size": 5, "is_link_only": false, "download_url": "%s/files/1", "supplied_md5": "`, s.URL)) {
		t.Errorf("a public file %s in %s", f.body, list.body)
	}
	if got := s.Ada.fileQuota(); got != "0+11=11" {
		t.Errorf("used %s after publication", got)
	}

	s.Ada.do("DELETE", one, nil).is(204)
	s.Ada.upload(at, "three", []byte("third"))
	s.Ada.get(one).refuses(404, "File not found")
	s.Ada.do("POST", one, nil).refuses(404, "File not found")
	s.Ada.do("DELETE", one, nil).refuses(404, "File not found")
	if got := fileNames(s.Ada.get(at + "/files").list()); got != "two three" {
		t.Errorf("the draft has %s", got)
	}
	if own := s.Ada.get(at).object(); own["size"] != 11.0 {
		t.Errorf("the draft's size is %v", own["size"])
	}
	if got := s.Anon.get("/v2/articles/1/files"); string(got.body) != string(list.body) {
		t.Errorf("deleting from the draft changed the public list: %s", got.body)
	}
	s.Anon.get("/v2/articles/1/files/3").refuses(404, "File not found")
	s.Anon.get("/files/3").refuses(404, "File not found")
	s.Ada.get("/files/3").is(200)

	s.Ada.do("POST", at+"/publish", nil).is(201)
	for _, restarted := range []bool{false, true} {
		if got := fileNames(s.Anon.get("/v2/articles/1/files").list()); got != "two three" {
			t.Errorf("version 2 lists %s", got)
		}
		if got := s.versionFiles(1, 1) + ", " + s.versionFiles(1, 2); got != "one two, two three" {
			t.Errorf("restarted %v: the versions have %s", restarted, got)
		}
		if got := s.Anon.get("/v2/articles/1/files/1").is(200).object(); got["name"] != "one" { // of version 1, which is public
			t.Errorf("the file of version 1 is %v", got)
		}
		for id, want := range map[int]string{1: "first", 2: "second", 3: "third"} {
			for _, c := range []client{s.Anon, s.Ada, s.Ben} {
				if got := c.get(fmt.Sprint("/files/", id)).is(200); string(got.body) != want {
					t.Errorf("file %d has %q", id, got.body)
				}
			}
		}
		if !restarted {
			if again := s.Anon.get("/v2/articles/1/versions/1"); string(again.body) != string(v1.body) {
				t.Error("version 1 changed")
			}
			s.restart() // under another address: everything is rendered anew
		}
	}
	if got := s.Ada.fileQuota(); got != "0+16=16" {
		t.Errorf("used %s in the end", got)
	}
	// Removing and publishing again is no second removal, and a file never comes back.
	s.Ada.do("DELETE", at+"/files/2", nil).is(204)
	s.Ada.do("DELETE", at+"/files/3", nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 2) + "," + s.versionFiles(1, 3) + "," + s.versionFiles(1, 4); got != "two three,," {
		t.Errorf("the versions have %s", got)
	}
	if got := s.Anon.get("/v2/articles/1").object(); got["size"] != 0.0 || string(s.Anon.get("/v2/articles/1/files").body) != "[]" {
		t.Errorf("without files: %v", got)
	}
}

// Publication waits for checks, and refuses incomplete files without changing anything
// (security.md F04, F05).
func TestPublishNeedsWholeFiles(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Not yet whole", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.upload(at, "whole", []byte("whole"))
	long := strings.Repeat("é", 2000)
	part, upload := s.Ada.begin(at, long, random(1<<20, 31))
	r := s.Ada.do("POST", at+"/publish", nil).refuses(400, "has not been uploaded completely")
	if e := r.object(); e["data"].(map[string]any)["file_id"] != 2.0 || len(r.body) > 1000 || !strings.Contains(e["message"].(string), long[:400]) {
		t.Errorf("the refusal %.500s, %d bytes", r.body, len(r.body))
	}
	if own := s.Ada.get(at).object(); own["version"] != 0.0 || own["doi"] != nil || own["published_date"] != nil {
		t.Errorf("a refused publication changed %v", own)
	}
	s.Anon.get("/v2/articles/1").refuses(404, "")
	s.Anon.get("/files/1").refuses(404, "")
	s.put(upload, 1, random(1<<20, 31)).is(200)
	s.Ada.do("POST", at+"/publish", nil).refuses(400, "has not been uploaded completely")
	s.Ada.do("POST", part, nil).is(202)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 1); got != "whole "+long {
		t.Errorf("version 1 has %.50s", got)
	}

	// Many checks are under way, one of which will fail.
	var files []string
	for i := range 6 {
		data := random(4<<20, uint64(i+1))
		file, upload := s.Ada.begin(at, fmt.Sprint("n", i), data)
		if i == 3 {
			data[0]++
		}
		s.put(upload, 1, data).is(200)
		files = append(files, file)
	}
	for _, f := range files {
		s.Ada.do("POST", f, nil).is(202)
	}
	s.Ada.do("POST", at+"/publish", nil).refuses(400, "File n3 failed its integrity check")
	if v := s.Anon.get("/v2/articles/1").object()["version"]; v != 1.0 {
		t.Errorf("the version is %v", v)
	}
	s.Ada.do("DELETE", files[3], nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	if got := s.versionFiles(1, 2); got != "whole "+long+" n0 n1 n2 n4 n5" {
		t.Errorf("version 2 has %.50s", got)
	}
	if left := s.fileDisk("uploads"); len(left) > 0 {
		t.Errorf("uploads left %v", left)
	}
}

// Publication, completion, deletion and late parts at once (security.md J03). Every version that
// came of it has whole files only, and its documents agree.
func TestPublishRaces(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "All at once", "authors": [{"name": "Grace Hopper"}]}`)
	call := func(method, path, body string) {
		req, _ := http.NewRequest(method, s.URL+path, strings.NewReader(body))
		req.Header.Set("Authorization", "token "+s.Ada.token)
		res, err := noRedirects.Do(req)
		if err != nil {
			t.Error(err)
			return
		}
		res.Body.Close()
		if res.StatusCode >= 500 {
			t.Errorf("%s %s answered %d", method, path, res.StatusCode)
		}
	}
	version := 0
	for round := range 12 {
		file, upload := s.Ada.begin(at, fmt.Sprint("n", round), []byte("data"))
		path := strings.TrimPrefix(upload, s.URL) + "/1"
		s.put(upload, 1, []byte("data")).is(200)
		var wait sync.WaitGroup
		wait.Go(func() { call("POST", file, "") })
		wait.Go(func() { call("POST", at+"/publish", "") })
		wait.Go(func() { call("PUT", path, "data") })
		wait.Go(func() { call("DELETE", path, "") })
		if round%3 == 2 {
			wait.Go(func() { call("DELETE", file, "") })
		}
		wait.Wait()
		if r := s.Ada.get(file); r.StatusCode == 200 && r.object()["status"] != "available" {
			if r.object()["status"] == "created" { // a part was deleted before the completion
				s.put(upload, 1, []byte("data")).is(200)
				s.Ada.do("POST", file, nil).is(202)
			}
			s.Ada.until(file, "available")
		}
		s.Ada.do("POST", at+"/publish", nil).is(201)
		now := int(s.Ada.get(at).object()["version"].(float64))
		if now != version+1 && now != version+2 {
			t.Errorf("version %d follows %d", now, version)
		}
		version = now
		public := fileNames(s.Anon.get("/v2/articles/1/files").list())
		if own := fileNames(s.Ada.get(at + "/files").list()); own != public || public != s.versionFiles(1, version) {
			t.Errorf("the draft has %s, the public list %s, the document %s", own, public, s.versionFiles(1, version))
		}
	}
	for v := 1; v <= version; v++ {
		var detail struct {
			Files []struct {
				ID  int    `json:"id"`
				MD5 string `json:"computed_md5"`
			} `json:"files"`
		}
		s.Anon.get(fmt.Sprint("/v2/articles/1/versions/", v)).is(200).into(&detail)
		for _, f := range detail.Files {
			if got := s.Anon.get(fmt.Sprint("/files/", f.ID)).is(200); string(got.body) != "data" || f.MD5 == "" {
				t.Errorf("version %d has a file %+v with %q", v, f, got.body)
			}
		}
	}
	used := s.Ada.get("/v2/account").object()
	if used["used_quota_private"] != 0.0 {
		t.Errorf("used %v", used)
	}
}
