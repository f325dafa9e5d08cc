package main_test

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// Whatever Range and If-Range say, the bytes sent are those that the answer's headers name (RFC
// 9110, 14; security.md D24).
func FuzzDownload(f *testing.F) {
	data, path := disk.Random(70_000, 7), ""
	z := newFuzzed(f, func(s *stage.Stage) {
		at := s.Ada.Article(`{"title": "With a file", "authors": [{"name": "Grace Hopper"}]}`)
		path = "/files/" + fmt.Sprint(world.LastNumber(f, s.Ada.Upload(at, "a \"file\".bin", data)))
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	})
	for i, seed := range []string{"bytes=0-0", "bytes=-1", "bytes=0-", "bytes=10-19,5-12,60000-", "bytes=70000-", "bytes=5-2", "bytes=0-0,2-2,4-4", "items=1-2", "bytes=,", "Bytes = 1-2", "bytes=99999999999999999999-", "bytes=-99999999999999999999"} {
		f.Add(seed, []string{"", `"x"`, "W/\"a\"", "Mon, 02 Jan 2006 15:04:05 GMT", "Fri, 31 Dec 2100 00:00:00 GMT"}[i%5], i%4 == 3)
	}
	f.Fuzz(func(t *testing.T, ranges, condition string, head bool) {
		if strings.ContainsAny(ranges+condition, "\r\n") {
			return
		}
		a := rawRequest{Method: map[bool]string{true: "HEAD", false: "GET"}[head], Target: path, Headers: "Range: " + ranges}
		if condition != "" {
			a.Headers += "\nIf-Range: " + condition
		}
		w := z.Send(t, a)
		if w == nil {
			return
		}
		if n, err := strconv.Atoi(w.Header().Get("Content-Length")); !head && (err != nil || n != w.Body.Len()) {
			t.Fatalf("%v: %d bytes announced, %d sent", a, n, w.Body.Len())
		}
		if kind, params, err := mime.ParseMediaType(w.Header().Get("Content-Disposition")); w.Code < 400 && (err != nil || kind != "attachment" || params["filename"] != "a \"file\".bin") {
			t.Fatalf("%v: Content-Disposition %v %v", a, params, err)
		}
		switch {
		case head && (w.Code != 200 || w.Body.Len() > 0):
			t.Fatalf("%v: %d with %d bytes", a, w.Code, w.Body.Len())
		case head:
		case w.Code == 200:
			if !bytes.Equal(w.Body.Bytes(), data) {
				t.Fatalf("%v: 200 with other bytes", a)
			}
		case w.Code == 416:
			if got := w.Header().Get("Content-Range"); got != "bytes */70000" {
				t.Fatalf("%v: 416 with Content-Range %q", a, got)
			}
		case w.Code == 206:
			partsAre(t, a, w, data)
		default:
			t.Fatalf("%v: answered %d", a, w.Code)
		}
	})
}

// partsAre checks that a 206 has the bytes that it says it has.
func partsAre(t *testing.T, a rawRequest, w *httptest.ResponseRecorder, data []byte) {
	t.Helper()
	piece := func(where string, got []byte) {
		var from, to, size int
		if n, err := fmt.Sscanf(where, "bytes %d-%d/%d", &from, &to, &size); n != 3 || err != nil || size != len(data) || from > to || to >= size || !bytes.Equal(got, data[from:to+1]) {
			t.Fatalf("%v: %q with %d bytes, %v", a, where, len(got), err)
		}
	}
	kind, params, err := mime.ParseMediaType(w.Header().Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "multipart/byteranges" {
		piece(w.Header().Get("Content-Range"), w.Body.Bytes())
		return
	}
	parts, n := multipart.NewReader(w.Body, params["boundary"]), 0
	for ; ; n++ {
		p, err := parts.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v: part %d: %v", a, n, err)
		}
		got, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		piece(p.Header.Get("Content-Range"), got)
	}
	if n < 2 {
		t.Fatalf("%v: a multipart of %d parts", a, n)
	}
}

// A token that is not the one of an upload opens nothing, a number that is no part of the layout
// names nothing, and a part is complete only with as many bytes as it has (security.md D24).
func FuzzUploadPath(f *testing.F) {
	z := newFuzzed(f, nil)
	for _, method := range []string{"GET", "PUT", "DELETE", "POST"} {
		for _, tail := range []string{"{upload}/1", "{upload}", "{upload}/0", "{upload}/01", "{upload}/2", "{upload}/1/", "{upload}//1", "{upload}x/1", "x/1", "{upload}/%31", "{upload}/-1", "{upload}/18446744073709551617"} {
			f.Add(method, tail, "", []byte("hello"))
		}
	}
	f.Add("PUT", "{upload}/1", "Content-Length: 5", []byte("hello, and more"))
	f.Add("PUT", "{upload}/1", "Transfer-Encoding: chunked", []byte("5\r\nhello\r\n0\r\n\r\n"))
	f.Add("PUT", "{upload}/1", "Content-Range: bytes 0-4/5\nContent-MD5: XUFAKrxLKna5cZ2REBfFkg==", []byte("hellO"))
	f.Fuzz(func(t *testing.T, method, tail, headers string, body []byte) {
		a := rawRequest{Method: method, Target: "/upload/" + tail, Headers: headers, Body: body, Who: 0}
		w := z.Send(t, a)
		r := z.Request(a)
		if w == nil || w.Code >= 300 || method == "OPTIONS" || r == nil {
			return
		}
		path := routes.Tidy(r.URL.Path)
		if rest, ok := strings.CutPrefix(path, "/upload/"); ok && rest != z.IDs[":token"] && rest != z.IDs[":token"]+"/1" {
			t.Fatalf("%v: answered %d %s", a, w.Code, w.Body)
		}
		if method == "PUT" {
			got, err := io.ReadAll(io.LimitReader(r.Body, 100))
			if err != nil || len(got) != len("hello") {
				t.Fatalf("%v: took %q, %v", a, got, err)
			}
		}
	})
}
