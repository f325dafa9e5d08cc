package deposit

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

func (f *file) record(s *server) map[string]any {
	url := any(s.URL + "/upload/" + f.token)
	if f.status == "available" {
		url = nil
	}
	return map[string]any{"id": f.id, "name": f.name, "size": f.size, "status": f.status, "supplied_md5": f.md5,
		"computed_md5": f.computed, "upload_url": url, "status_reason": f.reason, "folder_path": f.folder}
}

func (s *server) listFiles(w http.ResponseWriter, r *http.Request) {
	a, _ := s.find(w, r)
	if a == nil {
		return
	}
	list := []any{}
	for _, f := range a.files {
		list = append(list, f.record(s))
	}
	s.answer(w, 200, list)
}

func (s *server) initiate(w http.ResponseWriter, r *http.Request) {
	a, _ := s.find(w, r)
	if a == nil {
		return
	}
	var body struct {
		Name, MD5 string
		Size      int64
		Folder    string `json:"folder_path"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		s.refuse(w, 400, "bad JSON")
		return
	}
	s.nextID++
	f := &file{id: s.nextID, name: body.Name, md5: body.MD5, size: body.Size, folder: body.Folder, status: "created",
		token: fmt.Sprintf("upload-%d", s.nextID), content: make([]byte, body.Size), done: make([]bool, (body.Size+s.partSize-1)/s.partSize)}
	a.files = append(a.files, f)
	s.uploads[f.token] = f
	s.answer(w, 201, map[string]any{"location": fmt.Sprintf("%s/v2/account/articles/%d/files/%d", s.URL, a.id, f.id)})
}

// file answers with the record; a completed file goes one state on with each look.
func (s *server) file(w http.ResponseWriter, r *http.Request) {
	a, f := s.find(w, r)
	if a == nil {
		return
	}
	s.answer(w, 200, f.record(s))
	switch {
	case f.status == "ic_checking" && s.failing(f.name):
		f.status, f.reason = "failed", "the disk is on fire"
	case f.status == "ic_checking" && f.size > 20:
		f.status = "moving_to_final"
	case f.status == "ic_checking":
		f.status = "available"
	case f.status == "moving_to_final":
		f.status = "available"
	}
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	a, f := s.find(w, r)
	if a == nil {
		return
	}
	for _, done := range f.done {
		if !done {
			s.refuse(w, 400, "parts are missing")
			return
		}
	}
	if f.status != "created" {
		s.refuse(w, 400, "completed already")
		return
	}
	sum := md5.Sum(f.content)
	f.status, f.computed = "ic_checking", hex.EncodeToString(sum[:])
	if s.badMD5(f.name) {
		f.computed = strings.Repeat("0", 32)
	}
	w.WriteHeader(202)
}

func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	a, f := s.find(w, r)
	if a == nil {
		return
	}
	var kept []*file
	for _, x := range a.files {
		if x != f {
			kept = append(kept, x)
		}
	}
	a.files = kept
	w.WriteHeader(204)
}

func (s *server) plan(w http.ResponseWriter, r *http.Request) {
	f := s.uploads[r.PathValue("token")]
	if f == nil {
		w.WriteHeader(404)
		return
	}
	parts := []any{}
	for i, done := range f.done {
		parts = append(parts, map[string]any{"partNo": i + 1, "startOffset": int64(i) * s.partSize,
			"endOffset": min(int64(i+1)*s.partSize, f.size) - 1, "status": map[bool]string{true: "COMPLETE", false: "PENDING"}[done], "locked": false})
	}
	s.answer(w, 200, map[string]any{"token": f.token, "size": f.size, "parts": parts})
}

func (s *server) part(w http.ResponseWriter, r *http.Request) {
	f := s.uploads[r.PathValue("token")]
	n, _ := strconv.Atoi(r.PathValue("n"))
	if f == nil || n < 1 || n > len(f.done) {
		w.WriteHeader(404)
		return
	}
	body, err := io.ReadAll(r.Body)
	start := int64(n-1) * s.partSize
	want := min(start+s.partSize, f.size) - start
	switch {
	case err != nil:
		w.WriteHeader(500)
		return
	case s.lock > 0 || int64(len(body)) != want:
		s.lock--
		w.WriteHeader(409)
		return
	case s.lose > 0:
		s.lose--
	default:
		s.puts++
		copy(f.content[start:], body)
		f.done[n-1] = true
	}
	io.Copy(w, bytes.NewReader([]byte("OK")))
}
