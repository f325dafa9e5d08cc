package files

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// fileTag is the entity tag of a file, and its date once the second of its last change is over:
// within it the server tells the second before.
func fileTag(s *world.Server, path string) (tag, date string) {
	for {
		asked := time.Now().Truncate(time.Second)
		h := s.Anon.Get(path).Is(200).Header
		modified, err := http.ParseTime(h.Get("Last-Modified"))
		if err != nil {
			s.T.Fatal(err)
		}
		if asked.Sub(modified) >= 2*time.Second {
			return h.Get("ETag"), h.Get("Last-Modified")
		}
		runtime.Gosched()
	}
}

// Which callers get the bytes of a file, with which headers (security.md C04, F14, G03, G06). The
// others get the answer for an unknown id.
func TestDownloadAccess(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Private and public", "authors": [{"name": "Grace Hopper"}]}`)
	data := []byte("id,value\n1,é\n")
	s.Ada.Upload(at, "a.csv", data)
	s.Ada.Begin(at, "unfinished", data)
	const absent = 999999
	for _, c := range []struct {
		what      string
		who       world.Client
		query     string
		headers   []string
		privately string // Cache-Control for the owner; other callers get nothing
	}{
		{"nobody", s.Anon, "", nil, ""},
		{"another account", s.Ben, "", nil, ""},
		{"another account's query token", s.Anon, "?token=" + s.Ben.Token, nil, ""},
		{"an unknown token", world.Client{Server: s, Token: "alcove_unknown"}, "", nil, ""},
		{"an unknown query token", s.Anon, "?token=x", nil, ""},
		{"an unknown access token", s.Anon, "?access_token=x", nil, ""},
		{"an administrator", s.Root, "", nil, ""},
		{"a range of another's", s.Ben, "", []string{"Range", "bytes=0-0"}, ""},
		{"a condition of another's", s.Ben, "", []string{"If-None-Match", fmt.Sprintf(`"%x"`, sha256.Sum256(data))}, ""},
		{"the owner", s.Ada, "", nil, "private, no-cache"},
		{"the owner's query token", s.Anon, "?token=" + s.Ada.Token, nil, "private, no-store"},
		{"the owner's access token", s.Anon, "?access_token=" + s.Ada.Token, nil, "private, no-store"},
		{"the owner twice", s.Ada, "?token=" + s.Ada.Token, nil, "private, no-store"},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			for _, base := range []string{"/files", "/ndownloader/files"} {
				path := func(id int) string { return fmt.Sprint(base, "/", id, c.query) }
				unknown := c.who.Do(method, path(absent), nil, c.headers...).Is(404).Whole()
				if got := c.who.Do(method, path(2), nil, c.headers...).Whole(); got != unknown {
					t.Errorf("%s: %s of an unfinished file\n%s\nof none\n%s", c.what, method, got, unknown)
				}
				r := c.who.Do(method, path(1), nil, c.headers...)
				if c.privately == "" {
					if got := r.Whole(); got != unknown {
						t.Errorf("%s: %s of a private file\n%s\nof none\n%s", c.what, method, got, unknown)
					}
					continue
				}
				r.Is(200)
				if got := r.Header.Get("Cache-Control"); got != c.privately || r.Header.Get("Referrer-Policy") != "no-referrer" {
					t.Errorf("%s: Cache-Control %q", c.what, got)
				}
				if method == "GET" && !bytes.Equal(r.Bytes, data) || r.Header.Get("Content-Length") != fmt.Sprint(len(data)) {
					t.Errorf("%s: other bytes", c.what)
				}
			}
		}
	}
	s.Anon.Get("/files/999999").Refuses(404, "File not found")
	for _, id := range []string{"0", "-1", "01", "1.0", "x", "9223372036854775808"} {
		s.Anon.Get("/files/"+id).Refuses(400, "")
	}
	s.Ada.Do("DELETE", at+"/files/2", nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, who := range []world.Client{s.Anon, s.Ben, {Server: s, Token: "alcove_unknown"}} {
		r := who.Get("/files/1").Is(200)
		if !bytes.Equal(r.Bytes, data) || r.Header.Get("Cache-Control") != "public, no-cache" || r.Header.Get("Content-Type") != "text/csv" {
			t.Errorf("the public file: %v", r.Header)
		}
	}
	// Files that a browser might run are bytes to it.
	for name, text := range map[string]string{
		"page.html": "<!DOCTYPE html><script>alert(1)</script>", "picture.svg": `<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`,
		"data.xml": `<?xml version="1.0"?><x/>`, "page.xhtml": `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`,
		"app.js": "#!/usr/bin/node\nalert(1)", "picture.png": "<html><body onload=alert(1)>", "a.mhtml": "MIME-Version: 1.0\nContent-Type: multipart/related\n\n<html>",
	} {
		r := s.Anon.Get(s.Ada.PublicFile(name, []byte(text))).Is(200)
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		if kind != "application/octet-stream" && kind != "text/plain" ||
			!strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment; ") || r.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "sandbox;") || r.Header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%s is sent with %v", name, r.Header)
		}
	}
}

// Other sites may show what is public, and embed nothing else: not a draft's file by its owner's
// token, and not the page of documentation.
func TestResourcePolicy(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	policy := func(path string, who world.Client, want string) {
		t.Helper()
		if got := who.Get(path).Header.Get("Cross-Origin-Resource-Policy"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	policy(s.Ada.PublicFile("a.txt", []byte("public")), s.Anon, "cross-origin")
	draft := s.Ada.Upload(s.Ada.Article(`{"title": "Not public"}`), "b.txt", []byte("private"))
	at := "/files/" + draft[strings.LastIndexByte(draft, '/')+1:]
	policy(at, s.Ada, "same-origin")
	policy(at+"?token="+s.Ada.Token, s.Anon, "same-origin")
	policy(at, s.Anon, "same-origin")
	policy("/v2/docs", s.Anon, "same-origin")
	policy("/v2/articles/1/download", s.Anon, "cross-origin")
	policy("/v2/account/articles/2/download", s.Ada, "same-origin")
}

// Ranges (RFC 9110, 13.1.5 and 14; security.md E15, E16).
func TestDownloadRanges(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	data := disk.Random(1000, 17)
	path, empty := s.Ada.PublicFile("a.bin", data), s.Ada.PublicFile("empty", nil)
	tag, date := fileTag(s, path)
	const whole, none = "whole", "none"
	for _, c := range []struct{ ranges, ifRange, want string }{
		{"bytes=0-0", "", "0-0"}, {"bytes=0-999", "", "0-999"}, {"bytes=0-", "", "0-999"}, {"bytes=999-999", "", "999-999"},
		{"bytes=999-", "", "999-999"}, {"bytes=500-599", "", "500-599"}, {"bytes=0-1000", "", "0-999"}, {"bytes=998-5000", "", "998-999"},
		{"bytes=-1", "", "999-999"}, {"bytes=-1000", "", "0-999"}, {"bytes=-1001", "", "0-999"}, {"bytes=-999", "", "1-999"},
		{"bytes=-99999999999999999999999", "", "0-999"}, {"bytes=5-99999999999999999999999", "", "5-999"},
		{"bytes=0-9223372036854775807", "", "0-999"}, {"bytes=0-18446744073709551615", "", "0-999"}, {"bytes=007-008", "", "7-8"},
		{"BYTES=1-2", "", "1-2"}, {"bytes= 1-2", "", "1-2"},
		{"bytes=1000-", "", none}, {"bytes=1000-1000", "", none}, {"bytes=5000-6000", "", none}, {"bytes=-0", "", none}, {"bytes=-000", "", none},
		{"bytes=5-2", "", none}, {"bytes=5000-2", "", none}, {"bytes=99999999999999999999999-", "", none}, {"bytes=9223372036854775807-", "", none},
		{"bytes=9223372036854775807-9223372036854775807", "", none},
		{"bytes=", "", whole}, {"bytes", "", whole}, {"=0-1", "", whole}, {"bytes=-", "", whole}, {"bytes=--1", "", whole}, {"bytes=0--1", "", whole},
		{"bytes=a-b", "", whole}, {"bytes=0x0-0x1", "", whole}, {"bytes=1", "", whole}, {"bytes=+1-2", "", whole}, {"bytes=1-+2", "", whole},
		{"bytes=1 - 2", "", whole}, {"bytes=1.0-2", "", whole}, {"bytes=1e1-20", "", whole}, {"bytes=0-1;x", "", whole}, {"bytes:0-1", "", whole},
		{"items=0-1", "", whole}, {"seconds=1-2", "", whole}, {"none", "", whole}, {"bytes=٠-١", "", whole},
		{"bytes=0-1,", "", "0-1"}, {"bytes=5000-,0-1", "", "0-1"}, {"bytes=0-,0-", "", "0-999"}, {"bytes=, ,-1,\t", "", "999-999"}, {"bytes=,", "", whole},
		{"bytes=" + strings.Repeat("0-0,", 63) + "1-1", "", "0-1"}, {"bytes=" + strings.Repeat("0-0,", 64) + "1-1", "", whole},
		{"bytes=" + strings.Repeat(",", 1000) + "1-1", "", whole}, {"bytes=0-1,x", "", whole}, {"bytes=0-1,-", "", whole}, {"bytes=0-1 5-6", "", whole},
		{"bytes=1000-,2000-3000", "", none}, {"bytes=-0,5-2", "", none}, {"bytes=0-1,items=5-6", "", whole},
		{"bytes=0-1", tag, "0-1"}, {"bytes=0-1", date, "0-1"}, {"bytes=-1", tag, "999-999"}, {"bytes=5000-", tag, none},
		{"bytes=0-1", "W/" + tag, whole}, {"bytes=0-1", `"other"`, whole}, {"bytes=5000-", `"other"`, whole}, {"bytes=0-1", strings.Trim(tag, `"`), whole},
		{"bytes=0-1", "Mon, 01 Jan 2001 00:00:00 GMT", whole}, {"bytes=0-1", "Fri, 01 Jan 2100 00:00:00 GMT", whole},
		{"bytes=0-1", "yesterday", whole}, {"bytes=0-1", tag + ", " + tag, whole}, {"bytes=0-1", "*", whole},
	} {
		headers := []string{"Range", c.ranges}
		if c.ifRange != "" {
			headers = append(headers, "If-Range", c.ifRange)
		}
		r := s.Anon.Get(path, headers...)
		content, length := r.Header.Get("Content-Range"), r.Header.Get("Content-Length")
		switch c.want {
		case whole:
			if r.StatusCode != 200 || content != "" || !bytes.Equal(r.Bytes, data) {
				t.Errorf("%.60s, if %s: %d, Content-Range %q, %d bytes; want the whole file", c.ranges, c.ifRange, r.StatusCode, content, len(r.Bytes))
			}
		case none:
			if r.Refuses(416, ""); content != "bytes */1000" {
				t.Errorf("%s: Content-Range %q", c.ranges, content)
			}
		default:
			var from, to int
			fmt.Sscanf(c.want, "%d-%d", &from, &to)
			if r.StatusCode != 206 || content != "bytes "+c.want+"/1000" || !bytes.Equal(r.Bytes, data[from:to+1]) ||
				length != fmt.Sprint(to+1-from) || r.Header.Get("ETag") != tag {
				t.Errorf("%s, if %s: %d, Content-Range %q, %s bytes; want %s", c.ranges, c.ifRange, r.StatusCode, content, length, c.want)
			}
		}
		if r := s.Anon.Do("HEAD", path, nil, headers...); r.StatusCode != 200 || r.Header.Get("Content-Length") != "1000" || r.Header.Get("Content-Range") != "" {
			t.Errorf("HEAD with %.60s: %d %v", c.ranges, r.StatusCode, r.Header)
		}
	}
	if r := s.Anon.Get(path, "Range", "bytes=0-1", "Range", "bytes=5-6"); r.StatusCode != 200 || len(r.Bytes) != 1000 {
		t.Errorf("two Range lines: %d, %d bytes", r.StatusCode, len(r.Bytes))
	}
	if r := s.Anon.Get(empty).Is(200); len(r.Bytes) != 0 || r.Header.Get("Content-Length") != "0" {
		t.Errorf("the empty file: %v", r.Header)
	}
	for _, ranges := range []string{"bytes=0-", "bytes=0-0", "bytes=-1", "bytes=-0"} {
		if r := s.Anon.Get(empty, "Range", ranges).Refuses(416, ""); r.Header.Get("Content-Range") != "bytes */0" {
			t.Errorf("%s of nothing: %q", ranges, r.Header.Get("Content-Range"))
		}
	}
	seed := uint64(23) // random ranges side by side make the file
	var joined []byte
	for len(joined) < len(data) {
		seed = seed*6364136223846793005 + 1442695040888963407
		to := min(len(joined)+int(seed>>60), len(data)-1)
		joined = append(joined, s.Anon.Get(path, "Range", fmt.Sprintf("bytes=%d-%d", len(joined), to)).Is(206).Bytes...)
	}
	if !bytes.Equal(joined, data) {
		t.Error("the ranges joined are not the file")
	}
}

// Conditions of downloads, and an entity tag that is the file's for ever (security.md E11, E13).
func TestDownloadConditions(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	data := disk.Random(100, 19)
	path := s.Ada.PublicFile("a.bin", data)
	twin := s.Ada.PublicFile("b.bin", disk.Random(100, 20))
	tag, date := fileTag(s, path)
	const past, future = "Mon, 01 Jan 2001 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"
	if tag == s.Anon.Get(twin).Header.Get("ETag") || !strings.HasPrefix(tag, `"`) {
		t.Errorf("the tag %s", tag)
	}
	for _, c := range []struct {
		status  int
		headers []string
	}{
		{304, []string{"If-None-Match", tag}}, {304, []string{"If-None-Match", "W/" + tag}}, {304, []string{"If-None-Match", `"x", ` + tag}},
		{304, []string{"If-None-Match", "*"}}, {304, []string{"If-None-Match", `"x"`, "If-None-Match", tag}}, {200, []string{"If-None-Match", `"x"`}},
		{304, []string{"If-Modified-Since", date}}, {304, []string{"If-Modified-Since", future}}, {200, []string{"If-Modified-Since", past}},
		{200, []string{"If-Modified-Since", "yesterday"}}, {200, []string{"If-None-Match", `"x"`, "If-Modified-Since", future}},
		{304, []string{"If-None-Match", tag, "If-Modified-Since", past}}, {304, []string{"If-None-Match", tag, "Range", "bytes=5000-"}},
		{206, []string{"If-Match", tag, "Range", "bytes=0-1"}}, {200, []string{"If-Match", "*"}}, {412, []string{"If-Match", "W/" + tag}},
		{412, []string{"If-Match", `"x"`}}, {412, []string{"If-Match", `"x"`, "Range", "bytes=0-1"}}, {412, []string{"If-Unmodified-Since", past}}, {200, []string{"If-Unmodified-Since", date}},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			want := c.status
			if method == "HEAD" && want == 206 {
				want = 200
			}
			r := s.Anon.Do(method, path, nil, c.headers...)
			if r.StatusCode != want {
				t.Errorf("%s with %q: %d, want %d", method, c.headers, r.StatusCode, want)
			}
			if want == 304 && (len(r.Bytes) > 0 || r.Header.Get("ETag") != tag || r.Header.Get("Cache-Control") == "" || r.Header.Get("Content-Type") != "") {
				t.Errorf("304 with %v", r.Header)
			}
		}
	}
	s.Restart()
	if again := s.Anon.Get(path).Is(200); again.Header.Get("ETag") != tag || again.Header.Get("Last-Modified") != date {
		t.Errorf("after a restart: %v", again.Header)
	}
	s.Anon.Get(path, "If-None-Match", tag).Is(304)
}
