package files

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// ranged takes an answer with several ranges apart: "from-to" of each, which must be the bytes of
// data, with the type of the file.
func ranged(r *world.Reply, data []byte, kind string) string {
	r.T.Helper()
	r.Is(206)
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/byteranges" || r.Header.Get("Content-Range") != "" || r.Header.Get("Content-Length") != fmt.Sprint(len(r.Bytes)) {
		r.T.Fatalf("%s: %v, %d bytes", r.Request.Header.Get("Range"), r.Header, len(r.Bytes))
	}
	var got []string
	for in := multipart.NewReader(bytes.NewReader(r.Bytes), params["boundary"]); ; {
		p, err := in.NextRawPart()
		if err == io.EOF {
			return strings.Join(got, " ")
		}
		if err != nil {
			r.T.Fatal(err)
		}
		b, err := io.ReadAll(p)
		if err != nil {
			r.T.Fatal(err)
		}
		var from, to, size int
		if n, _ := fmt.Sscanf(p.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size); n != 3 || size != len(data) ||
			!bytes.Equal(b, data[from:to+1]) || p.Header.Get("Content-Type") != kind || len(p.Header) != 2 {
			r.T.Errorf("%s: a part with %v has %d bytes", r.Request.Header.Get("Range"), p.Header, len(b))
		}
		got = append(got, fmt.Sprintf("%d-%d", from, to))
	}
}

// RFC 9110, 14.2 and 15.3.7.2: several ranges, of files and of archives. None gets more bytes than
// there are, and what conditions say goes first.
func TestDownloadSeveralRanges(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	data := disk.Random(1000, 41)
	path := s.Ada.PublicFile("a.bin", data)
	tag, date := fileTag(s, path)
	zip := fmt.Sprintf("/v2/articles/%d/download", 1)
	packed := s.Anon.Get(zip).Is(200)
	for _, c := range []struct{ ranges, want string }{
		{"0-1,5-6", "0-1 5-6"}, {"5-6,0-1", "5-6 0-1"}, {"0-0,999-999", "0-0 999-999"}, {"0-0,-1", "0-0 999-999"}, {"-1,0-0", "999-999 0-0"},
		{"0-1, 5-6", "0-1 5-6"}, {" 0-1\t,\t5-6 ", "0-1 5-6"}, {",0-1,,5-6,", "0-1 5-6"}, {"0-1,5000-6000,5-6", "0-1 5-6"}, {"0-1,7-2,5-6", "0-1 5-6"},
		{"0-1,5-99999999999999999999", "0-1 5-999"}, {"0-1,998-", "0-1 998-999"}, {"0-9,5-14,20-21", "0-14 20-21"}, {"20-21,5-14,0-9", "0-14 20-21"},
		{"0-1,2-3,10-11", "0-3 10-11"}, {"0-1,3-4", "0-1 3-4"}, {"0-1,0-1,3-3", "0-1 3-3"}, {"-5,-10,0-0", "0-0 990-999"}, {"10-11,0-1,-1,20-21", "10-11 0-1 999-999 20-21"},
		{strings.Repeat("0-9,", 62) + "20-29,40-49", "0-9 20-29 40-49"},
	} {
		r := s.Anon.Get(path, "Range", "bytes="+c.ranges)
		if got := ranged(r, data, "application/octet-stream"); got != c.want {
			t.Errorf("%s gets %s, want %s", c.ranges, got, c.want)
		}
		for name, want := range map[string]string{"ETag": tag, "Last-Modified": date, "Cache-Control": "public, no-cache", "X-Content-Type-Options": "nosniff", "Accept-Ranges": "bytes"} {
			if r.Header.Get(name) != want {
				t.Errorf("%s: %s is %q", c.ranges, name, r.Header.Get(name))
			}
		}
		if !strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment;") || !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "sandbox;") {
			t.Errorf("%s: %v", c.ranges, r.Header)
		}
	}
	size := len(packed.Bytes)
	if got := ranged(s.Anon.Get(zip, "Range", "bytes=0-3,100-199,-22"), packed.Bytes, "application/zip"); got != fmt.Sprintf("0-3 100-199 %d-%d", size-22, size-1) {
		t.Errorf("of an archive: %s", got)
	}
	const both = "bytes=0-1,5-6"
	for _, c := range []struct {
		status  int
		headers []string
	}{
		{206, []string{"If-Range", tag}}, {206, []string{"If-Range", date}}, {200, []string{"If-Range", "W/" + tag}}, {200, []string{"If-Range", `"x"`}},
		{200, []string{"If-Range", tag, "If-Range", tag}}, {206, []string{"If-Match", tag}}, {412, []string{"If-Match", `"x"`}}, {304, []string{"If-None-Match", tag}},
		{206, []string{"If-None-Match", `"x"`}}, {304, []string{"If-Modified-Since", date}}, {412, []string{"If-Unmodified-Since", "Mon, 01 Jan 2001 00:00:00 GMT"}},
		{412, []string{"If-Match", `"x"`, "If-Range", tag}}, {206, []string{"If-Unmodified-Since", date, "If-Range", tag}}, {304, []string{"If-Range", tag, "If-None-Match", tag}},
	} {
		r := s.Anon.Get(path, append([]string{"Range", both}, c.headers...)...)
		if r.StatusCode != c.status {
			t.Errorf("%q: %d, want %d", c.headers, r.StatusCode, c.status)
		}
		if c.status == 206 {
			ranged(r, data, "application/octet-stream")
		}
	}
	if r := s.Anon.Do("HEAD", path, nil, "Range", both).Is(200); r.Header.Get("Content-Length") != "1000" {
		t.Errorf("HEAD: %v", r.Header)
	}
	empty := s.Ada.PublicFile("empty", nil)
	s.Anon.Get(empty, "Range", both).Is(416)
	page := s.Ada.PublicFile("page.html", []byte("<script>alert(1)</script>"))
	if got := ranged(s.Anon.Get(page, "Range", both), []byte("<script>alert(1)</script>"), "application/octet-stream"); got != "0-1 5-6" {
		t.Errorf("of a page: %s", got)
	}
	a, b := s.Anon.Get(path, "Range", both), s.Anon.Get(path, "Range", both)
	if a.Header.Get("Content-Type") == b.Header.Get("Content-Type") {
		t.Error("the boundary can be foreseen")
	}
}
