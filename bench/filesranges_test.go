package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// The bare handler sends the bytes that are asked for, with the header lines it was given and those
// of the range.
func TestBareRanges(t *testing.T) {
	dir := t.TempDir()
	file, header := filepath.Join(dir, "file"), filepath.Join(dir, "header")
	for path, text := range map[string]string{file: "0123456789", header: `{"Etag": ["\"x\""], "Content-Range": ["old"], "Content-Length": ["9"]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, err := newBareRanges(file, header)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		asked  string
		status int
		body   string
		of     string
	}{
		{"bytes=2-4", 206, "234", "bytes 2-4/10"},
		{"bytes=0-0", 206, "0", "bytes 0-0/10"},
		{"bytes=5-10", 400, "no such range\n", ""},
		{"", 400, "no such range\n", ""},
	} {
		w := httptest.NewRecorder()
		q := httptest.NewRequest(http.MethodGet, "/bare", nil)
		q.Header.Set("Range", c.asked)
		b.ServeHTTP(w, q)
		if w.Code != c.status || w.Body.String() != c.body || w.Header().Get("Content-Range") != c.of {
			t.Errorf("%q: %d, %q, %v", c.asked, w.Code, w.Body, w.Header())
		}
		if c.status == 206 && w.Header().Get("ETag") != `"x"` {
			t.Errorf("%q: %v", c.asked, w.Header())
		}
	}
}
