package articles

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// versionFiles are the names of the files in a public version's detail.
func versionFiles(s *world.Server, article int64, version int) string {
	s.T.Helper()
	var detail struct {
		Files []map[string]any `json:"files"`
	}
	s.Anon.Get(fmt.Sprintf("/v2/articles/%d/versions/%d", article, version)).Is(200).Into(&detail)
	return world.FileNames(detail.Files)
}

// A public version keeps its files whatever happens to the working copy (security.md C10, C11,
// F21).
func TestPublishedFilesStay(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Files of versions", "authors": [{"name": "Grace Hopper"}]}`)
	one := s.Ada.Upload(at, "one", []byte("first"))
	two := s.Ada.Upload(at, "two", []byte("second"))
	if f := s.Ada.Get(one).Object(); f["is_attached_to_public_version"] != false {
		t.Errorf("a draft's file %v", f)
	}
	s.Anon.Get("/v2/articles/1/files").Refuses(404, "Article with specified ID does not exist")
	s.Anon.Get("/v2/articles/1/files/1").Refuses(404, "Article with specified ID does not exist")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, file := range []string{one, two} {
		if f := s.Ada.Get(file).Object(); f["is_attached_to_public_version"] != true || f["status"] != "available" {
			t.Errorf("a published file %v", f)
		}
	}
	v1 := s.Anon.Get("/v2/articles/1/versions/1").Is(200)
	list := s.Anon.Get("/v2/articles/1/files").Is(200)
	if f := s.Anon.Get("/v2/articles/1/files/1").Is(200); !strings.HasPrefix(string(list.Bytes), "["+string(f.Bytes)+", ") ||
		!strings.HasPrefix(string(f.Bytes), fmt.Sprintf(`{"id": 1, "name": "one", "size": 5, "is_link_only": false, "download_url": "%s/files/1", "supplied_md5": "`, s.URL)) {
		t.Errorf("a public file %s in %s", f.Bytes, list.Bytes)
	}
	if got := s.Ada.FileQuota(); got != "0+11=11" {
		t.Errorf("used %s after publication", got)
	}

	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Upload(at, "three", []byte("third"))
	s.Ada.Get(one).Refuses(404, "File not found")
	s.Ada.Do("POST", one, nil).Refuses(404, "File not found")
	s.Ada.Do("DELETE", one, nil).Refuses(404, "File not found")
	if got := world.FileNames(s.Ada.Get(at + "/files").List()); got != "two three" {
		t.Errorf("the draft has %s", got)
	}
	if own := s.Ada.Get(at).Object(); own["size"] != 11.0 {
		t.Errorf("the draft's size is %v", own["size"])
	}
	if got := s.Anon.Get("/v2/articles/1/files"); string(got.Bytes) != string(list.Bytes) {
		t.Errorf("deleting from the draft changed the public list: %s", got.Bytes)
	}
	s.Anon.Get("/v2/articles/1/files/3").Refuses(404, "File not found")
	s.Anon.Get("/files/3").Refuses(404, "File not found")
	s.Ada.Get("/files/3").Is(200)

	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, restarted := range []bool{false, true} {
		if got := world.FileNames(s.Anon.Get("/v2/articles/1/files").List()); got != "two three" {
			t.Errorf("version 2 lists %s", got)
		}
		if got := versionFiles(s, 1, 1) + ", " + versionFiles(s, 1, 2); got != "one two, two three" {
			t.Errorf("restarted %v: the versions have %s", restarted, got)
		}
		if got := s.Anon.Get("/v2/articles/1/files/1").Is(200).Object(); got["name"] != "one" { // of version 1, which is public
			t.Errorf("the file of version 1 is %v", got)
		}
		for id, want := range map[int]string{1: "first", 2: "second", 3: "third"} {
			for _, c := range []world.Client{s.Anon, s.Ada, s.Ben} {
				if got := c.Get(fmt.Sprint("/files/", id)).Is(200); string(got.Bytes) != want {
					t.Errorf("file %d has %q", id, got.Bytes)
				}
			}
		}
		if !restarted {
			if again := s.Anon.Get("/v2/articles/1/versions/1"); string(again.Bytes) != string(v1.Bytes) {
				t.Error("version 1 changed")
			}
			s.Restart() // under another address: everything is rendered again
		}
	}
	if got := s.Ada.FileQuota(); got != "0+16=16" {
		t.Errorf("used %s in the end", got)
	}
	// Removing and publishing again is no second removal, and a file never comes back.
	s.Ada.Do("DELETE", at+"/files/2", nil).Is(204)
	s.Ada.Do("DELETE", at+"/files/3", nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 2) + "," + versionFiles(s, 1, 3) + "," + versionFiles(s, 1, 4); got != "two three,," {
		t.Errorf("the versions have %s", got)
	}
	if got := s.Anon.Get("/v2/articles/1").Object(); got["size"] != 0.0 || string(s.Anon.Get("/v2/articles/1/files").Bytes) != "[]" {
		t.Errorf("without files: %v", got)
	}
}

// Publication waits for checks, and refuses incomplete files without changing anything
// (security.md F04, F05).
func TestPublishNeedsWholeFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Not yet whole", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Upload(at, "whole", []byte("whole"))
	long := strings.Repeat("é", 2000)
	part, upload := s.Ada.Begin(at, long, disk.Random(1<<20, 31))
	r := s.Ada.Do("POST", at+"/publish", nil).Refuses(400, "has not been uploaded completely")
	if e := r.Object(); e["data"].(map[string]any)["file_id"] != 2.0 || len(r.Bytes) > 1000 || !strings.Contains(e["message"].(string), long[:400]) {
		t.Errorf("the refusal %.500s, %d bytes", r.Bytes, len(r.Bytes))
	}
	if own := s.Ada.Get(at).Object(); own["version"] != 0.0 || own["doi"] != nil || own["published_date"] != nil {
		t.Errorf("a refused publication changed %v", own)
	}
	s.Anon.Get("/v2/articles/1").Refuses(404, "")
	s.Anon.Get("/files/1").Refuses(404, "")
	s.Put(upload, 1, disk.Random(1<<20, 31)).Is(200)
	s.Ada.Do("POST", at+"/publish", nil).Refuses(400, "has not been uploaded completely")
	s.Ada.Do("POST", part, nil).Is(202)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 1); got != "whole "+long {
		t.Errorf("version 1 has %.50s", got)
	}

	// Many checks are under way, one of which will fail.
	var files []string
	for i := range 6 {
		data := disk.Random(4<<20, uint64(i+1))
		file, upload := s.Ada.Begin(at, fmt.Sprint("n", i), data)
		if i == 3 {
			data[0]++
		}
		s.Put(upload, 1, data).Is(200)
		files = append(files, file)
	}
	for _, f := range files {
		s.Ada.Do("POST", f, nil).Is(202)
	}
	s.Ada.Do("POST", at+"/publish", nil).Refuses(400, "File n3 failed its integrity check")
	if v := s.Anon.Get("/v2/articles/1").Object()["version"]; v != 1.0 {
		t.Errorf("the version is %v", v)
	}
	s.Ada.Do("DELETE", files[3], nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if got := versionFiles(s, 1, 2); got != "whole "+long+" n0 n1 n2 n4 n5" {
		t.Errorf("version 2 has %.50s", got)
	}
	if left := s.FileDisk("uploads"); len(left) > 0 {
		t.Errorf("uploads left %v", left)
	}
}

// Publication, completion, deletion and late parts at once (security.md J03). Every version that
// came of it has whole files only, and its documents agree.
func TestPublishRaces(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "All at once", "authors": [{"name": "Grace Hopper"}]}`)
	call := func(method, path, body string) {
		req, _ := http.NewRequest(method, s.URL+path, strings.NewReader(body))
		req.Header.Set("Authorization", "token "+s.Ada.Token)
		res, err := world.NoRedirects.Do(req)
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
		file, upload := s.Ada.Begin(at, fmt.Sprint("n", round), []byte("data"))
		path := strings.TrimPrefix(upload, s.URL) + "/1"
		s.Put(upload, 1, []byte("data")).Is(200)
		var wait sync.WaitGroup
		wait.Go(func() { call("POST", file, "") })
		wait.Go(func() { call("POST", at+"/publish", "") })
		wait.Go(func() { call("PUT", path, "data") })
		wait.Go(func() { call("DELETE", path, "") })
		if round%3 == 2 {
			wait.Go(func() { call("DELETE", file, "") })
		}
		wait.Wait()
		if r := s.Ada.Get(file); r.StatusCode == 200 && r.Object()["status"] != "available" {
			if r.Object()["status"] == "created" { // a part was deleted before the completion
				s.Put(upload, 1, []byte("data")).Is(200)
				s.Ada.Do("POST", file, nil).Is(202)
			}
			s.Ada.Until(file, "available")
		}
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
		now := int(s.Ada.Get(at).Object()["version"].(float64))
		if now != version+1 && now != version+2 {
			t.Errorf("version %d follows %d", now, version)
		}
		version = now
		public := world.FileNames(s.Anon.Get("/v2/articles/1/files").List())
		if own := world.FileNames(s.Ada.Get(at + "/files").List()); own != public || public != versionFiles(s, 1, version) {
			t.Errorf("the draft has %s, the public list %s, the document %s", own, public, versionFiles(s, 1, version))
		}
	}
	for v := 1; v <= version; v++ {
		var detail struct {
			Files []struct {
				ID  int    `json:"id"`
				MD5 string `json:"computed_md5"`
			} `json:"files"`
		}
		s.Anon.Get(fmt.Sprint("/v2/articles/1/versions/", v)).Is(200).Into(&detail)
		for _, f := range detail.Files {
			if got := s.Anon.Get(fmt.Sprint("/files/", f.ID)).Is(200); string(got.Bytes) != "data" || f.MD5 == "" {
				t.Errorf("version %d has a file %+v with %q", v, f, got.Bytes)
			}
		}
	}
	used := s.Ada.Get("/v2/account").Object()
	if used["used_quota_private"] != 0.0 {
		t.Errorf("used %v", used)
	}
}
