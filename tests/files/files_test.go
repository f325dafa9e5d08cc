package files

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"regexp"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
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

// Public scripts read these replies as text.
func TestFileReplies(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Raw text"}`)
	data := disk.Random(625, 7)
	r := s.Ada.Send("POST", strings.Replace(at, "/v2/", "/v2//", 1)+"/files/", fileJSON("data.csv", data),
		"Content-Type", "application/x-www-form-urlencoded").Is(201)
	location := s.URL + at + "/files/1"
	if string(r.Bytes) != `{"location": "`+location+`"}` || r.Header.Get("Location") != location {
		t.Errorf("create answered %s, Location %s", r.Bytes, r.Header.Get("Location"))
	}
	f := s.Ada.Get(location).Is(200)
	token, _ := f.Object()["upload_token"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(token) {
		t.Errorf("the upload token %q is not a random UUID", token)
	}
	sum := md5.Sum(data)
	want := fmt.Sprintf(`{"upload_token": "%s", "upload_url": "%s/upload/%s", "status": "created", `+
		`"preview_state": "preview_not_available", "viewer_type": null, "is_attached_to_public_version": false, `+
		`"id": 1, "name": "data.csv", "size": 625, "is_link_only": false, "download_url": "%s/files/1", `+
		`"supplied_md5": "%x", "computed_md5": null, "mimetype": null, "failure_reason": null, "folder_path": null}`, token, s.URL, token, s.URL, sum)
	if string(f.Bytes) != want {
		t.Errorf("file %s\nwant %s", f.Bytes, want)
	}
	upload := "/upload/" + token
	info := s.Anon.Get(upload).Is(200)
	if want := fmt.Sprintf(`{"token":"%s","md5":"%x","size":625,"name":"1/data.csv","status":"PENDING",`+
		`"parts":[{"partNo":1,"startOffset":0,"endOffset":624,"status":"PENDING","locked":false}]}`, token, sum); string(info.Bytes) != want {
		t.Errorf("upload %s\nwant %s", info.Bytes, want)
	}
	if r := s.Anon.Do("PUT", upload+"/1", strings.NewReader(string(data))).Is(200); string(r.Bytes) != "OK" {
		t.Errorf("a part answered %q", r.Bytes)
	}
	if got, want := string(s.Anon.Get(upload+"/1").Is(200).Bytes), `{"partNo":1,"startOffset":0,"endOffset":624,"status":"COMPLETE","locked":false}`; got != want {
		t.Errorf("part %s", got)
	}
	if r := s.Ada.Do("POST", location, nil).Is(202); r.Header.Get("Location") != location {
		t.Errorf("completing answered Location %q", r.Header.Get("Location"))
	}
	done := s.Ada.Until(location, "available")
	if done["upload_url"] != nil || done["upload_token"] != token || done["computed_md5"] != hex.EncodeToString(sum[:]) || done["mimetype"] == nil {
		t.Errorf("available: %v", done)
	}
	if got := s.Anon.Get(upload).Is(200).Object(); got["status"] != "COMPLETED" || fmt.Sprint(got["parts"]) !=
		"[map[endOffset:624 locked:false partNo:1 startOffset:0 status:COMPLETE]]" {
		t.Errorf("upload afterwards: %v", got)
	}
	// The id of another account's article, or of none, leads to no file.
	other := s.Ada.Article(`{"title": "Another item"}`)
	s.Ada.Get(other+"/files/1").Refuses(404, "File not found")
	s.Ada.Do("POST", other+"/files/1", nil).Refuses(404, "File not found")
	s.Ada.Do("DELETE", other+"/files/1", nil).Refuses(404, "File not found")
	for _, method := range []string{"GET", "POST", "DELETE"} {
		s.Ben.Do(method, at+"/files/1", nil).Refuses(404, "Article not found")
		s.Ada.Do(method, at+"/files/2", nil).Refuses(404, "File not found")
	}
	s.Ben.Send("POST", at+"/files", `{"size": "x"}`).Refuses(404, "Article not found")
}

// The bodies that start a file and those that do not (security.md F15).
func TestFileBodies(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MaxFileSize, c.AccountQuota = 0, 0 })
	at := s.Ada.Article(`{"title": "Bodies of files"}`)
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
		if r := s.Ada.Send("POST", at+"/files", c.body); c.status < 400 {
			r.Is(c.status)
		} else {
			r.Refuses(c.status, c.message)
		}
	}
	files := s.Ada.Get(at + "/files").List()
	if len(files) != 2 || files[1]["supplied_md5"] != "d41d8cd98f00b204e9800998ecf8427e" {
		t.Errorf("files %v", files)
	}
}

// A name is a label (security.md F12, G03, E25). It comes back as it was sent, and no name on the
// disk is made of it.
func TestFileNameIsALabel(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Names"}`)
	for i, name := range []string{
		"../../x", "/abs", `a\..\b`, `C:\x`, ".", "..", "a\nb", "a\r\nSet-Cookie: x=1", `say "hi"; x=y`, "100%.txt", "%41.txt",
		"smile 😀.csv", "re\u0301sume\u0301.pdf", "r\u00e9sum\u00e9.pdf", "\u202egpj.exe", "CON", "a/b", "'q'", "a+b c.txt",
		strings.Repeat("é", 2048), strings.Repeat("n", 255), " ", "index.html", "x;filename=y", "\x7f",
	} {
		file, upload := s.Ada.BeginAs(at, fileJSON(name, []byte{byte(i)}))
		if got := s.Ada.Get(file).Object()["name"]; got != name {
			t.Errorf("name %q came back as %q", name, got)
		}
		if got := s.Anon.Get(upload).Object()["name"].(string); got != fmt.Sprint(i+1, "/", strings.ReplaceAll(name, "/", "")) {
			t.Errorf("name %q at the upload service is %q", name, got)
		}
		s.Anon.Do("PUT", upload+"/1", strings.NewReader(string([]byte{byte(i)}))).Is(200)
		s.Ada.Do("POST", file, nil).Is(202)
		s.Ada.Until(file, "available")
		header := s.Ada.Get(fmt.Sprintf("/files/%d", i+1)).Is(200).Header.Get("Content-Disposition")
		kind, params, err := mime.ParseMediaType(header)
		sent := name
		if len(name) > 1000 { // the head of an answer is bounded: a long name arrives as one that a file system takes
			sent = name[:min(len(name), len(params["filename"]))]
			if len(sent) < 250 || len(sent) > 255 {
				t.Errorf("a name of %d bytes arrives with %d", len(name), len(sent))
			}
		}
		if err != nil || kind != "attachment" || params["filename"] != sent {
			t.Errorf("name %q: Content-Disposition %.200q says %q, %v", name, header, params["filename"], err)
		}
		plain, _, _ := strings.Cut(header, "; filename*=")
		if strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r > '~' || r == '/' || r == '\\' }) {
			t.Errorf("name %q: the plain form %q has more than a name in ASCII", name, plain)
		}
	}
	for _, name := range s.FileDisk("blobs") {
		if !regexp.MustCompile(`^[0-9a-f]{2}/[0-9a-f]{62}$`).MatchString(name) {
			t.Errorf("on the disk there is %q", name)
		}
	}
	if left := s.FileDisk("uploads"); len(left) > 0 {
		t.Errorf("uploads left %q", left)
	}
}
