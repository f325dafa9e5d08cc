package files

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
	"alcove/tests/disk"
	"alcove/tests/world"
)

// partStates are the states of all parts in short: C or P, and L behind it when locked.
func partStates(s *world.Server, upload string) (states string) {
	s.T.Helper()
	for _, p := range s.Parts(upload) {
		states += p.Status[:1]
		if p.Locked {
			states += "L"
		}
	}
	return states
}

// awaitParts waits until all parts of an upload are in certain states.
func awaitParts(s *world.Server, upload, states string) {
	s.T.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for got := ""; got != states; got = partStates(s, upload) {
		if time.Now().After(deadline) {
			s.T.Fatalf("the parts are %s, want %s", got, states)
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
func hold(s *world.Server, upload string, n int, first []byte) *heldPart {
	s.T.Helper()
	r, w := io.Pipe()
	h := &heldPart{w, make(chan int, 1)}
	req, err := http.NewRequest("PUT", fmt.Sprint(upload, "/", n), r)
	if err != nil {
		s.T.Fatal(err)
	}
	go func() {
		res, err := world.NoRedirects.Do(req)
		if err != nil {
			h.done <- 0
			return
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		h.done <- res.StatusCode
	}()
	if _, err := w.Write(first); err != nil {
		s.T.Fatal(err)
	}
	return h
}

// Where parts begin and end, and that announcing takes no space (security.md F15).
func TestUploadPlan(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.AccountQuota, c.DiskReserve = 0, -1<<50 }) // any disk is large enough
	at := s.Ada.Article(`{"title": "Plans"}`)
	for _, c := range []struct {
		size int64
		ends string
	}{
		{0, "[]"}, {1, "[0]"}, {world.PartSize - 1, "[10485758]"}, {world.PartSize, "[10485759]"}, {world.PartSize + 1, "[10485759 10485760]"},
		{23561500, "[10485759 20971519 23561499]"},
	} {
		_, upload := s.Ada.BeginAs(at, fmt.Sprintf(`{"name": "a/b.bin", "size": %d}`, c.size))
		ends, next := []int64{}, int64(0)
		for i, p := range s.Parts(upload) {
			if p.No != i+1 || p.Start != next || p.Status != "PENDING" || p.Locked {
				t.Errorf("size %d: part %+v", c.size, p)
			}
			next = p.End + 1
			ends = append(ends, p.End)
		}
		if got := fmt.Sprint(ends); got != c.ends || next != c.size {
			t.Errorf("size %d: parts end at %s, want %s", c.size, got, c.ends)
		}
		if raw := string(s.Anon.Get(upload).Bytes); c.size == 0 && !strings.HasSuffix(raw, `"status":"PENDING","parts":[]}`) {
			t.Errorf("an empty file has parts: %s", raw)
		}
		for _, n := range []string{"4", "999999999999999999"} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				s.Anon.Do(method, upload+"/"+n, strings.NewReader("x")).Refuses(404, "Upload or part not found")
			}
		}
		for _, n := range []string{"0", "-1", "01", "1e0", "x"} {
			s.Anon.Get(upload+"/"+n).Refuses(400, "")
		}
	}
	file, upload := s.Ada.BeginAs(at, `{"name": "sparse", "size": 107374182401}`)
	if n := len(s.Parts(upload)); n != 10241 {
		t.Errorf("100 GiB and a byte have %d parts", n)
	}
	s.Ada.Send("POST", at+"/files", `{"name": "sparse", "size": 1099511627776}`).Is(201)
	r := s.Ada.Do("POST", file, nil).Refuses(400, "parts are missing")
	if missing := r.Object()["data"].(map[string]any)["missing_parts"].([]any); len(missing) != 100 || missing[99] != 100.0 {
		t.Errorf("what is missing: %v", missing)
	}
	if left := s.FileDisk("uploads"); len(left) > 0 {
		t.Errorf("without a byte there is %v", left)
	}
	// A part of a token, or another spelling of it, opens nothing.
	token := upload[strings.LastIndexByte(upload, '/')+1:]
	for _, guess := range []string{token[:35], token[:1], token + "0", strings.ToUpper(token), "{" + token + "}", "%00", token + "%00", "..%2f" + token} {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			s.Anon.Do(method, s.URL+"/upload/"+guess+"/1", strings.NewReader("x")).Refuses(404, "")
		}
		s.Anon.Get(s.URL+"/upload/"+guess).Refuses(404, "")
	}
}

// Parts in any order and at once, from clients of every habit, over restarts; only missing parts
// are sent again (security.md F17).
func TestUploadInAnyOrder(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Any order"}`)
	data := disk.Random(23561500, 11)
	for _, restarts := range []bool{false, true} {
		file, upload := s.Ada.Begin(at, "data.bin", data)
		parts := s.Parts(upload)
		rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		if restarts {
			path, states := strings.TrimPrefix(upload, s.URL), []byte("PPP")
			for _, p := range parts {
				s.Put(path, p.No, data[p.Start:p.End+1]).Is(200)
				states[p.No-1] = 'C'
				s.Restart()
				if got := partStates(s, path); got != string(states) {
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
					req.Header.Set("Authorization", []string{"", "token wrong", "token " + s.Ada.Token}[i])
					res, err := world.NoRedirects.Do(req)
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
		s.Ada.Do("POST", file, nil).Is(202)
		if restarts {
			s.Restart() // while the bytes are being checked
		}
		f := s.Ada.Until(file, "available")
		if f["computed_md5"] != f["supplied_md5"] {
			t.Errorf("the md5 is %v, want %v", f["computed_md5"], f["supplied_md5"])
		}
		if got := s.Ada.Get(fmt.Sprint("/files/", world.LastNumber(t, file))).Is(200); !bytes.Equal(got.Bytes, data) {
			t.Error("other bytes came back")
		} else if kind := got.Header.Get("Content-Type"); kind != "application/octet-stream" { // whatever the parts said
			t.Errorf("the file is sent as %s", kind)
		}
	}
	if left := s.FileDisk("uploads"); len(left) > 0 {
		t.Errorf("uploads left %v", left)
	}
}

// Bodies that do not fit their part change nothing but that part, and a part may be sent and
// deleted until the upload is complete (security.md F04, F06, F09, F10, F26).
func TestUploadParts(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Parts"}`)
	data := disk.Random(world.PartSize+1, 3)
	file, upload := s.Ada.Begin(at, "a.bin", data)
	s.Put(upload, 2, []byte{^data[world.PartSize]}).Is(200)
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
		s.Anon.Do("PUT", upload+"/2", body).Refuses(400, c.message)
		if states := partStates(s, upload); c.chunked && states != "PP" || states[:1] != "P" {
			t.Errorf("after %q (chunked: %v) the parts are %s", c.body, c.chunked, states)
		}
		s.Put(upload, 2, []byte{^data[world.PartSize]}).Is(200)
	}
	_, other := s.Ada.Begin(at, "b.bin", data) // the parts of another file with the same plan
	s.Put(other, 1, data[:world.PartSize]).Is(200)
	if got := partStates(s, upload) + " " + partStates(s, other); got != "PC CP" {
		t.Errorf("after a part of another file the parts are %s", got)
	}
	s.Put(upload, 1, data[:world.PartSize-1]).Refuses(400, "shorter")
	s.Anon.Do("PUT", upload+"/1", io.MultiReader(bytes.NewReader(data[:world.PartSize-1]))).Refuses(400, "shorter")
	s.Put(upload, 1, data).Refuses(400, "longer")
	r := s.Ada.Do("POST", file, nil).Refuses(400, "parts are missing")
	if !strings.Contains(string(r.Bytes), `"missing_parts": [1]`) {
		t.Errorf("what is missing: %s", r.Bytes)
	}

	// The connection breaks in the middle of the part.
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "PUT %s/1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", strings.TrimPrefix(upload, s.URL), world.PartSize, data[:1<<20])
	awaitParts(s, upload, "PLC")
	conn.Close()
	awaitParts(s, upload, "PC")
	s.Put(upload, 1, data[:world.PartSize]).Is(200)

	// A done part is replaced, deleted, sent again.
	s.Put(upload, 2, data[world.PartSize:]).Is(200)
	if r := s.Anon.Do("DELETE", upload+"/2", nil).Is(200); len(r.Bytes) != 0 {
		t.Errorf("DELETE answered %q", r.Bytes)
	}
	s.Ada.Do("POST", file, nil).Refuses(400, "parts are missing")
	if got := partStates(s, upload); got != "CP" {
		t.Errorf("after a refused completion the parts are %s", got)
	}
	s.Put(upload, 2, data[world.PartSize:]).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "available")
	s.Ada.Do("POST", file, nil).Is(202)
	s.Put(upload, 2, []byte{0}).Refuses(409, "takes no more changes")
	s.Anon.Do("DELETE", upload+"/2", nil).Refuses(409, "takes no more changes")
	if got := s.Ada.Get("/files/1").Is(200); !bytes.Equal(got.Bytes, data) {
		t.Error("other bytes came back")
	}
	// The token ends with the file.
	s.Ada.Do("DELETE", file, nil).Is(204)
	s.Anon.Get(upload).Refuses(404, "")
	s.Put(upload, 1, data[:world.PartSize]).Refuses(404, "")
	s.Ada.Get(file).Refuses(404, "File not found")
}

// A part that is being written is locked, the others are not.
func TestUploadLock(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Locks"}`)
	data := disk.Random(world.PartSize+2, 5)
	file, upload := s.Ada.Begin(at, "a.bin", data)
	held := hold(s, upload, 2, data[world.PartSize:world.PartSize+1])
	awaitParts(s, upload, "PPL")
	s.Put(upload, 2, data[world.PartSize:]).Refuses(409, "being written")
	s.Anon.Do("DELETE", upload+"/2", nil).Refuses(409, "being written")
	s.Put(upload, 1, data[:world.PartSize]).Is(200)
	s.Ada.Do("POST", file, nil).Refuses(400, "parts are missing")
	held.Write(data[world.PartSize+1:])
	held.Close()
	if status := <-held.done; status != 200 {
		t.Fatalf("the held part ended with %d", status)
	}
	// A complete part that is being overwritten does not count.
	again := hold(s, upload, 2, []byte{1})
	awaitParts(s, upload, "CPL")
	s.Ada.Do("POST", file, nil).Refuses(400, "parts are missing")
	again.CloseWithError(io.ErrUnexpectedEOF)
	if status := <-again.done; status != 0 {
		t.Errorf("a broken body was answered with %d", status)
	}
	awaitParts(s, upload, "CP")
	s.Put(upload, 2, data[world.PartSize:]).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "available")
}
