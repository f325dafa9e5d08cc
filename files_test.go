package main

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"mime"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alcove/config"
)

// fileJSON is a body that starts the upload of data.
func fileJSON(name string, data []byte) string {
	sum := md5.Sum(data)
	b, err := json.Marshal(map[string]any{"name": name, "size": len(data), "md5": hex.EncodeToString(sum[:])})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// fileNames are the names of files in a list, in its order.
func fileNames(list []map[string]any) string {
	var names []string
	for _, f := range list {
		names = append(names, f["name"].(string))
	}
	return strings.Join(names, " ")
}

// fileQuota is what an account uses: in private copies, in public versions, and together.
func (c client) fileQuota() string {
	a := c.get("/v2/account").is(200).object()
	return fmt.Sprint(a["used_quota_private"], "+", a["used_quota_public"], "=", a["used_quota"])
}

// fileDisk lists what lies in a folder of the data directory, folders left out.
func (s *server) fileDisk(folder string) (names []string) {
	s.t.Helper()
	root := filepath.Join(s.cfg.Data, folder)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(root, path)
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return names
}

// Public scripts read these replies as text.
func TestFileReplies(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Raw text"}`)
	data := random(625, 7)
	r := s.Ada.send("POST", strings.Replace(at, "/v2/", "/v2//", 1)+"/files/", fileJSON("data.csv", data),
		"Content-Type", "application/x-www-form-urlencoded").is(201)
	location := s.URL + at + "/files/1"
	if string(r.body) != `{"location": "`+location+`"}` || r.Header.Get("Location") != location {
		t.Errorf("create answered %s, Location %s", r.body, r.Header.Get("Location"))
	}
	f := s.Ada.get(location).is(200)
	token, _ := f.object()["upload_token"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(token) {
		t.Errorf("the upload token %q is not a random UUID", token)
	}
	sum := md5.Sum(data)
	want := fmt.Sprintf(`{"upload_token": "%s", "upload_url": "%s/upload/%s", "status": "created", `+
		`"preview_state": "preview_not_available", "viewer_type": null, "is_attached_to_public_version": false, `+
		`"id": 1, "name": "data.csv", "size": 625, "is_link_only": false, "download_url": "%s/files/1", `+
		`"supplied_md5": "%x", "computed_md5": null, "mimetype": null, "failure_reason": null}`, token, s.URL, token, s.URL, sum)
	if string(f.body) != want {
		t.Errorf("file %s\nwant %s", f.body, want)
	}
	upload := "/upload/" + token
	info := s.Anon.get(upload).is(200)
	if want := fmt.Sprintf(`{"token":"%s","md5":"%x","size":625,"name":"1/data.csv","status":"PENDING",`+
		`"parts":[{"partNo":1,"startOffset":0,"endOffset":624,"status":"PENDING","locked":false}]}`, token, sum); string(info.body) != want {
		t.Errorf("upload %s\nwant %s", info.body, want)
	}
	if r := s.Anon.do("PUT", upload+"/1", strings.NewReader(string(data))).is(200); string(r.body) != "OK" {
		t.Errorf("a part answered %q", r.body)
	}
	if got, want := string(s.Anon.get(upload+"/1").is(200).body), `{"partNo":1,"startOffset":0,"endOffset":624,"status":"COMPLETE","locked":false}`; got != want {
		t.Errorf("part %s", got)
	}
	if r := s.Ada.do("POST", location, nil).is(202); r.Header.Get("Location") != location {
		t.Errorf("completing answered Location %q", r.Header.Get("Location"))
	}
	done := s.Ada.until(location, "available")
	if done["upload_url"] != nil || done["upload_token"] != token || done["computed_md5"] != hex.EncodeToString(sum[:]) || done["mimetype"] == nil {
		t.Errorf("available: %v", done)
	}
	if got := s.Anon.get(upload).is(200).object(); got["status"] != "COMPLETED" || fmt.Sprint(got["parts"]) !=
		"[map[endOffset:624 locked:false partNo:1 startOffset:0 status:COMPLETE]]" {
		t.Errorf("upload afterwards: %v", got)
	}
	// The id of another account's article, or of none, leads to no file.
	other := s.Ada.article(`{"title": "Another item"}`)
	s.Ada.get(other+"/files/1").refuses(404, "File not found")
	s.Ada.do("POST", other+"/files/1", nil).refuses(404, "File not found")
	s.Ada.do("DELETE", other+"/files/1", nil).refuses(404, "File not found")
	for _, method := range []string{"GET", "POST", "DELETE"} {
		s.Ben.do(method, at+"/files/1", nil).refuses(404, "Article not found")
		s.Ada.do(method, at+"/files/2", nil).refuses(404, "File not found")
	}
	s.Ben.send("POST", at+"/files", `{"size": "x"}`).refuses(404, "Article not found")
}

// The bodies that start a file and those that do not (security.md F15).
func TestFileBodies(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.MaxFileSize, c.AccountQuota = 0, 0 })
	at := s.Ada.article(`{"title": "Bodies of files"}`)
	long := strings.Repeat("n", 5000)
	for _, c := range []struct {
		body, message string
		status        int
	}{
		{`{"size": 1}`, "name is required", 422},
		{`{"name": "", "size": 1}`, "name is required", 422},
		{`{"name": "a"}`, "size is required", 422},
		{`{"name": "a", "size": -1}`, "size must not be negative", 422},
		{`{"name": "a", "size": 1.5}`, "size must be an integer", 422},
		{`{"name": "a", "size": "1"}`, "size must be an integer", 422},
		{`{"name": "a", "size": 1125899906842625}`, "larger than this server accepts", 422},
		{`{"name": "a", "size": 9223372036854775807}`, "larger than this server accepts", 422},
		{`{"name": "a", "size": 9223372036854775808}`, "size", 422},
		{`{"name": "a", "size": 1, "md5": "d41d8cd9"}`, "md5 must have 32", 422},
		{`{"name": "a", "size": 1, "md5": "zzzz8cd98f00b204e9800998ecf8427e"}`, "md5", 422},
		{`{"name": "` + long + `", "size": 1}`, "name must have at most", 422},
		{`{"link": "https://example.org/x", "name": "` + long + `"}`, "name must have at most", 422},
		{`{"link": "https://example.org/x", "name": "x"}`, "name goes with an upload", 422},
		{`{"link": "https://example.org/x", "size": 1}`, "size goes with an upload", 422},
		{`{"link": "https://example.org/x", "md5": "d41d8cd98f00b204e9800998ecf8427e"}`, "md5 goes with an upload", 422},
		{`{"name": "a\u0000b", "size": 1}`, "null character", 400},
		{`{"name": "a", "size": 1, "folder_path": "a/../b"}`, "folder_path", 422},
		{`{"link": 7}`, "link must be a string", 422},
		{`{"name": "a", "size": 0, "md5": ""}`, "", 201},
		{`{"name": "a", "size": 1, "md5": "D41D8CD98F00B204E9800998ECF8427E", "folder_path": "a/b"}`, "", 201},
	} {
		if r := s.Ada.send("POST", at+"/files", c.body); c.status < 400 {
			r.is(c.status)
		} else {
			r.refuses(c.status, c.message)
		}
	}
	files := s.Ada.get(at + "/files").list()
	if len(files) != 2 || files[1]["supplied_md5"] != "d41d8cd98f00b204e9800998ecf8427e" {
		t.Errorf("files %v", files)
	}
}

// A name is a label (security.md F12, G03, E25). It comes back as it was sent, and no name on the
// disk is made of it.
func TestFileNameIsALabel(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Names"}`)
	for i, name := range []string{
		"../../x", "/abs", `a\..\b`, `C:\x`, ".", "..", "a\nb", "a\r\nSet-Cookie: x=1", `say "hi"; x=y`, "100%.txt", "%41.txt",
		"smile 😀.csv", "re\u0301sume\u0301.pdf", "r\u00e9sum\u00e9.pdf", "\u202egpj.exe", "CON", "a/b", "'q'", "a+b c.txt",
		strings.Repeat("é", 2048), strings.Repeat("n", 255), " ", "index.html", "x;filename=y", "\x7f",
	} {
		file, upload := s.Ada.beginAs(at, fileJSON(name, []byte{byte(i)}))
		if got := s.Ada.get(file).object()["name"]; got != name {
			t.Errorf("name %q came back as %q", name, got)
		}
		if got := s.Anon.get(upload).object()["name"].(string); got != fmt.Sprint(i+1, "/", strings.ReplaceAll(name, "/", "")) {
			t.Errorf("name %q at the upload service is %q", name, got)
		}
		s.Anon.do("PUT", upload+"/1", strings.NewReader(string([]byte{byte(i)}))).is(200)
		s.Ada.do("POST", file, nil).is(202)
		s.Ada.until(file, "available")
		header := s.Ada.get(fmt.Sprintf("/files/%d", i+1)).is(200).Header.Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" || params["filename"] != name {
			t.Errorf("name %q: Content-Disposition %.200q says %q, %v", name, header, params["filename"], err)
		}
		plain, _, _ := strings.Cut(header, "; filename*=")
		if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r > '~' || r == '/' || r == '\\' }) {
			t.Errorf("name %q: the plain form %q has more than a name in ASCII", name, plain)
		}
	}
	for _, name := range s.fileDisk("blobs") {
		if !regexp.MustCompile(`^[0-9a-f]{2}/[0-9a-f]{62}$`).MatchString(name) {
			t.Errorf("on the disk there is %q", name)
		}
	}
	if left := s.fileDisk("uploads"); len(left) > 0 {
		t.Errorf("uploads left %q", left)
	}
}
