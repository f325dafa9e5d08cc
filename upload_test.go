package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/config"
)

const partSize = 10 << 20

// put sends a part whole.
func (s *server) put(upload string, n int, data []byte) *reply {
	s.t.Helper()
	return s.Anon.do("PUT", fmt.Sprint(upload, "/", n), bytes.NewReader(data))
}

// partStates are the states of all parts in short: C or P, and L behind it when locked.
func (s *server) partStates(upload string) (states string) {
	s.t.Helper()
	for _, p := range s.parts(upload) {
		states += p.Status[:1]
		if p.Locked {
			states += "L"
		}
	}
	return states
}

// awaitParts waits until all parts of an upload are in certain states.
func (s *server) awaitParts(upload, states string) {
	s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for got := ""; got != states; got = s.partStates(upload) {
		if time.Now().After(deadline) {
			s.t.Fatalf("the parts are %s, want %s", got, states)
		}
		runtime.Gosched()
	}
}

// heldPart is a part whose body is still open.
type heldPart struct {
	*io.PipeWriter
	done chan int // the status in the end, 0 for a broken connection
}

// hold begins to send a part and leaves the body open.
func (s *server) hold(upload string, n int, first []byte) *heldPart {
	s.t.Helper()
	r, w := io.Pipe()
	h := &heldPart{w, make(chan int, 1)}
	req, err := http.NewRequest("PUT", fmt.Sprint(upload, "/", n), r)
	if err != nil {
		s.t.Fatal(err)
	}
	go func() {
		res, err := noRedirects.Do(req)
		if err != nil {
			h.done <- 0
			return
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		h.done <- res.StatusCode
	}()
	if _, err := w.Write(first); err != nil {
		s.t.Fatal(err)
	}
	return h
}

// Where parts begin and end, and that announcing takes no space (security.md F15).
func TestUploadPlan(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.AccountQuota, c.DiskReserve = 0, -1<<50 }) // any disk is large enough
	at := s.Ada.article(`{"title": "Plans"}`)
	for _, c := range []struct {
		size int64
		ends string
	}{
		{0, "[]"}, {1, "[0]"}, {partSize - 1, "[10485758]"}, {partSize, "[10485759]"}, {partSize + 1, "[10485759 10485760]"},
		{23561500, "[10485759 20971519 23561499]"},
	} {
		_, upload := s.Ada.beginAs(at, fmt.Sprintf(`{"name": "a/b.bin", "size": %d}`, c.size))
		ends, next := []int64{}, int64(0)
		for i, p := range s.parts(upload) {
			if p.No != i+1 || p.Start != next || p.Status != "PENDING" || p.Locked {
				t.Errorf("size %d: part %+v", c.size, p)
			}
			next = p.End + 1
			ends = append(ends, p.End)
		}
		if got := fmt.Sprint(ends); got != c.ends || next != c.size {
			t.Errorf("size %d: parts end at %s, want %s", c.size, got, c.ends)
		}
		if raw := string(s.Anon.get(upload).body); c.size == 0 && !strings.HasSuffix(raw, `"status":"PENDING","parts":[]}`) {
			t.Errorf("an empty file has parts: %s", raw)
		}
		for _, n := range []string{"4", "999999999999999999"} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				s.Anon.do(method, upload+"/"+n, strings.NewReader("x")).refuses(404, "Upload or part not found")
			}
		}
		for _, n := range []string{"0", "-1", "01", "1e0", "x"} {
			s.Anon.get(upload+"/"+n).refuses(400, "")
		}
	}
	file, upload := s.Ada.beginAs(at, `{"name": "sparse", "size": 107374182401}`)
	if n := len(s.parts(upload)); n != 10241 {
		t.Errorf("100 GiB and a byte have %d parts", n)
	}
	s.Ada.send("POST", at+"/files", `{"name": "sparse", "size": 1099511627776}`).is(201)
	r := s.Ada.do("POST", file, nil).refuses(400, "parts are missing")
	if missing := r.object()["data"].(map[string]any)["missing_parts"].([]any); len(missing) != 100 || missing[99] != 100.0 {
		t.Errorf("what is missing: %v", missing)
	}
	if left := s.fileDisk("uploads"); len(left) > 0 {
		t.Errorf("without a byte there is %v", left)
	}
	// A part of a token, or another spelling of it, opens nothing.
	token := upload[strings.LastIndexByte(upload, '/')+1:]
	for _, guess := range []string{token[:35], token[:1], token + "0", strings.ToUpper(token), "{" + token + "}", "%00", token + "%00", "..%2f" + token} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.Anon.do(method, s.URL+"/upload/"+guess+"/1", strings.NewReader("x")).refuses(404, "")
		}
		s.Anon.get(s.URL+"/upload/"+guess).refuses(404, "")
	}
}

// Parts in any order and at once, from clients of every habit, over restarts; only missing parts
// are sent again (security.md F17).
func TestUploadInAnyOrder(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Any order"}`)
	data := random(23561500, 11)
	for _, restarts := range []bool{false, true} {
		file, upload := s.Ada.begin(at, "data.bin", data)
		parts := s.parts(upload)
		rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		if restarts {
			path, states := strings.TrimPrefix(upload, s.URL), []byte("PPP")
			for _, p := range parts {
				s.put(path, p.No, data[p.Start:p.End+1]).is(200)
				states[p.No-1] = 'C'
				s.restart()
				if got := s.partStates(path); got != string(states) {
					t.Fatalf("after a restart the parts are %s, want %s", got, states)
				}
			}
		} else {
			var wait sync.WaitGroup
			for i, p := range parts {
				wait.Go(func() {
					var body io.Reader = bytes.NewReader(data[p.Start : p.End+1])
					if i == 0 {
						body = io.MultiReader(body) // of unknown length: chunked
					}
					req, _ := http.NewRequest("PUT", fmt.Sprint(upload, "/", p.No), body)
					req.Header.Set("Content-Type", []string{"", "multipart/form-data", "application/json"}[i])
					req.Header.Set("Authorization", []string{"", "token wrong", "token " + s.Ada.token}[i])
					res, err := noRedirects.Do(req)
					if err != nil {
						t.Error(err)
						return
					}
					defer res.Body.Close()
					if b, _ := io.ReadAll(res.Body); res.StatusCode != 200 || string(b) != "OK" {
						t.Errorf("part %d answered %d %q", p.No, res.StatusCode, b)
					}
				})
			}
			wait.Wait()
		}
		s.Ada.do("POST", file, nil).is(202)
		if restarts {
			s.restart() // while the bytes are being checked
		}
		f := s.Ada.until(file, "available")
		if f["computed_md5"] != f["supplied_md5"] {
			t.Errorf("the md5 is %v, want %v", f["computed_md5"], f["supplied_md5"])
		}
		if got := s.Ada.get(fmt.Sprint("/files/", lastNumber(t, file))).is(200); !bytes.Equal(got.body, data) {
			t.Error("other bytes came back")
		} else if kind := got.Header.Get("Content-Type"); kind != "application/octet-stream" { // whatever the parts said
			t.Errorf("the file is sent as %s", kind)
		}
	}
	if left := s.fileDisk("uploads"); len(left) > 0 {
		t.Errorf("uploads left %v", left)
	}
}

// Bodies that do not fit their part change nothing but that part, and a part may be sent and
// deleted until the upload is complete (security.md F04, F06, F09, F10, F26).
func TestUploadParts(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Parts"}`)
	data := random(partSize+1, 3)
	file, upload := s.Ada.begin(at, "a.bin", data)
	s.put(upload, 2, []byte{^data[partSize]}).is(200)
	for _, c := range []struct {
		body    string
		chunked bool
		message string
	}{
		{"", false, "shorter"}, {"", true, "shorter"}, {"12", false, "longer"}, {"12", true, "longer"},
	} {
		var body io.Reader = strings.NewReader(c.body)
		if c.chunked {
			body = io.MultiReader(body)
		}
		s.Anon.do("PUT", upload+"/2", body).refuses(400, c.message)
		if states := s.partStates(upload); c.chunked && states != "PP" || states[:1] != "P" {
			t.Errorf("after %q (chunked: %v) the parts are %s", c.body, c.chunked, states)
		}
		s.put(upload, 2, []byte{^data[partSize]}).is(200)
	}
	_, other := s.Ada.begin(at, "b.bin", data) // the parts of another file with the same plan
	s.put(other, 1, data[:partSize]).is(200)
	if got := s.partStates(upload) + " " + s.partStates(other); got != "PC CP" {
		t.Errorf("after a part of another file the parts are %s", got)
	}
	s.put(upload, 1, data[:partSize-1]).refuses(400, "shorter")
	s.put(upload, 1, data).refuses(400, "longer")
	r := s.Ada.do("POST", file, nil).refuses(400, "parts are missing")
	if !strings.Contains(string(r.body), `"missing_parts": [1]`) {
		t.Errorf("what is missing: %s", r.body)
	}

	// The connection breaks in the middle of the part.
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "PUT %s/1 HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", strings.TrimPrefix(upload, s.URL), partSize, data[:1<<20])
	s.awaitParts(upload, "PLC")
	conn.Close()
	s.awaitParts(upload, "PC")
	s.put(upload, 1, data[:partSize]).is(200)

	// A done part is replaced, deleted, sent again.
	s.put(upload, 2, data[partSize:]).is(200)
	if r := s.Anon.do("DELETE", upload+"/2", nil).is(200); len(r.body) != 0 {
		t.Errorf("DELETE answered %q", r.body)
	}
	s.Ada.do("POST", file, nil).refuses(400, "parts are missing")
	if got := s.partStates(upload); got != "CP" {
		t.Errorf("after a refused completion the parts are %s", got)
	}
	s.put(upload, 2, data[partSize:]).is(200)
	s.Ada.do("POST", file, nil).is(202)
	s.Ada.do("POST", file, nil).is(202)
	s.Ada.until(file, "available")
	s.Ada.do("POST", file, nil).is(202)
	s.put(upload, 2, []byte{0}).refuses(409, "takes no more changes")
	s.Anon.do("DELETE", upload+"/2", nil).refuses(409, "takes no more changes")
	if got := s.Ada.get("/files/1").is(200); !bytes.Equal(got.body, data) {
		t.Error("other bytes came back")
	}
	// The token ends with the file.
	s.Ada.do("DELETE", file, nil).is(204)
	s.Anon.get(upload).refuses(404, "")
	s.put(upload, 1, data[:partSize]).refuses(404, "")
	s.Ada.get(file).refuses(404, "File not found")
}

// A part that is being written is locked, the others are not.
func TestUploadLock(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Locks"}`)
	data := random(partSize+2, 5)
	file, upload := s.Ada.begin(at, "a.bin", data)
	held := s.hold(upload, 2, data[partSize:partSize+1])
	s.awaitParts(upload, "PPL")
	s.put(upload, 2, data[partSize:]).refuses(409, "being written")
	s.Anon.do("DELETE", upload+"/2", nil).refuses(409, "being written")
	s.put(upload, 1, data[:partSize]).is(200)
	s.Ada.do("POST", file, nil).refuses(400, "parts are missing")
	held.Write(data[partSize+1:])
	held.Close()
	if status := <-held.done; status != 200 {
		t.Fatalf("the held part ended with %d", status)
	}
	// A complete part that is being overwritten does not count.
	again := s.hold(upload, 2, []byte{1})
	s.awaitParts(upload, "CPL")
	s.Ada.do("POST", file, nil).refuses(400, "parts are missing")
	again.CloseWithError(io.ErrUnexpectedEOF)
	if status := <-again.done; status != 0 {
		t.Errorf("a broken body was answered with %d", status)
	}
	s.awaitParts(upload, "CP")
	s.put(upload, 2, data[partSize:]).is(200)
	s.Ada.do("POST", file, nil).is(202)
	s.Ada.until(file, "available")
}
