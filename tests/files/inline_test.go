package files

import (
	"image/color"
	"image/gif"
	"image/jpeg"
	"io"
	"mime"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// RFC 6266, 4.2: with ?inline=true a browser shows files that it cannot run, under the policy of
// every download; every other answer is an attachment.
func TestDownloadInline(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	red := disk.Painted(2, 2, color.NRGBA{R: 255, A: 255})
	for _, f := range []struct {
		name  string
		data  []byte
		shown string // the type that a browser shows; empty for none
	}{
		{"rot – 赤.png", disk.Picture(2, 2, color.White), "image/png"},
		{"a.jpg", encoded(func(w io.Writer) error { return jpeg.Encode(w, red, nil) }), "image/jpeg"},
		{"a.gif", encoded(func(w io.Writer) error { return gif.Encode(w, red, nil) }), "image/gif"},
		{"a.webp", []byte("RIFF\x24\x00\x00\x00WEBPVP8L\x17\x00\x00\x00\x2f\x00\x00\x00"), "image/webp"},
		{"read me.txt", []byte("Grüße"), "text/plain; charset=utf-8"},
		{"app.js", []byte("alert(1)"), "text/plain; charset=utf-8"}, // told apart by nothing, and not run as text
		{"page.html", []byte("<!DOCTYPE html><script>alert(1)</script>"), ""},
		{"picture.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), ""},
		{"picture.png", []byte("<html><body onload=alert(1)>"), ""},
		{"a.pdf", []byte("%PDF-1.7\n"), "application/pdf"},
		{"not.pdf", []byte("<html><body onload=alert(1)>"), ""},
		{"late.pdf", []byte("\x00\x01<html><script>alert(1)</script>\n%PDF-1.7\n"), "application/pdf"}, // which readers of PDF take for one, and nothing else may
		{"a.csv", []byte("a,b\n1,2\n"), ""},
		{"a.bin", []byte{0, 1, 2, 3}, ""},
	} {
		path := s.Ada.PublicFile(f.name, f.data)
		for query, asked := range map[string]bool{"": false, "?inline=true": true, "?inline=false": false, "?inline=": false, "?inline=1": false} {
			for _, way := range []string{path, "/ndownloader" + path, "/v2/file/download/" + strings.TrimPrefix(path, "/files/")} {
				r := s.Anon.Get(way + query).Is(200)
				kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition"))
				want := "attachment"
				if asked && f.shown != "" {
					want = "inline"
				}
				if err != nil || kind != want || params["filename"] != f.name || string(r.Bytes) != string(f.data) {
					t.Errorf("%s%s of %s: %v", way, query, f.name, r.Header)
				}
				if got := r.Header.Get("Content-Type"); f.shown != "" && got != f.shown {
					t.Errorf("%s of %s: type %s", way, f.name, got)
				}
				ancestors := "'none'"
				if asked && f.shown == "application/pdf" {
					ancestors = "'self'"
				}
				if r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Content-Security-Policy") != "sandbox; default-src 'none'; frame-ancestors "+ancestors {
					t.Errorf("%s%s of %s may run: %v", way, query, f.name, r.Header)
				}
			}
		}
		ranged := s.Anon.Do("GET", path+"?inline=true", nil, "Range", "bytes=0-0").Is(206)
		if got := ranged.Header.Get("Content-Disposition"); strings.HasPrefix(got, "inline") != (f.shown != "") {
			t.Errorf("a range of %s: %s", f.name, got)
		}
	}
}
