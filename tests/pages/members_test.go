package pages

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strings"
	"testing"

	"alcove/tests/world"
)

// entry is a member of a ZIP, with all that its directory says of it.
type entry struct {
	name          string
	method, flags uint16
	packed        []byte
	size          uint64 // 0 for that of the bytes before they were packed
	crc           uint32
}

func inflating(name string, content []byte) entry {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write(content)
	w.Close()
	return entry{name, zip.Deflate, 0, b.Bytes(), uint64(len(content)), crc32.ChecksumIEEE(content)}
}

func zipOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		w, err := z.CreateRaw(&zip.FileHeader{Name: e.name, Method: e.method, Flags: e.flags, CRC32: e.crc, CompressedSize64: uint64(len(e.packed)), UncompressedSize64: e.size})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(e.packed); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// taken is what a client gets that reads to the end.
func taken(t *testing.T, c world.Client, at string) ([]byte, error) {
	t.Helper()
	r, err := http.Get(c.Server.URL + at)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

// A member of a ZIP or TAR is downloaded by itself, by those who may have the archive, and never runs
// under this origin.
func TestMembers(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	long := bytes.Repeat([]byte("rain and snow, "), 100_000)
	html := []byte("<script>alert(1)</script>")
	stored := entry{"../../page.html", zip.Store, 0, html, uint64(len(html)), crc32.ChecksumIEEE(html)}
	packed := zipOf(t, entry{name: "folder/", method: zip.Store}, inflating("folder/ä b.txt", long), stored, entry{name: "empty", method: zip.Store})

	made := s.Ada.Article(`{"title": "Packed", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	at := fmt.Sprintf("/files/%d/view", world.LastNumber(t, s.Ada.Upload(made, "all.zip", packed)))
	s.Anon.Get(at + "?member=2").Is(404)
	link := s.Ada.Link(made, `{}`)
	holds(t, page(t, s.Anon, at+"?private_link="+link, 200), fmt.Sprintf(`<a href="%s?private_link=%s&amp;member=2">folder/ä b.txt</a>`, at, link))
	if r := s.Anon.Get(at + "?member=2&private_link=" + link).Is(200); !bytes.Equal(r.Bytes, long) || r.Header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("by a link: %d bytes, %v", len(r.Bytes), r.Header)
	}
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	before := s.Anon.Get(fmt.Sprintf("/v2/articles/%d", world.LastNumber(t, made))).Is(200)
	holds(t, page(t, s.Anon, at, 200), `href="`+at+`?member=3">../../page.html</a>`, `href="`+at+`?member=4">empty</a>`)
	r := s.Anon.Get(at+"?member=3&inline=true", "Range", "bytes=0-1").Is(200)
	for name, want := range map[string]string{
		"Content-Type": "application/octet-stream", "Content-Disposition": `attachment; filename="page.html"`, "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'", "Content-Length": fmt.Sprint(len(html)), "Accept-Ranges": "none",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if !bytes.Equal(r.Bytes, html) {
		t.Errorf("it is %q", r.Bytes)
	}
	s.Anon.Get(at+"?member=3", "If-None-Match", r.Header.Get("ETag")).Is(304)
	if head := s.Anon.Do("HEAD", at+"?member=2", nil).Is(200); head.Header.Get("Content-Length") != fmt.Sprint(len(long)) || head.Header.Get("ETag") == r.Header.Get("ETag") {
		t.Errorf("HEAD: %v", head.Header)
	}
	if r := s.Anon.Get(at + "?member=4").Is(200); len(r.Bytes) != 0 {
		t.Errorf("the empty one is %q", r.Bytes)
	}
	for _, none := range []string{"0", "1", "5", "-1", "x", "99999999999999999999", "2;3"} {
		if r := s.Anon.Get(at + "?member=" + none); r.StatusCode != 404 && r.StatusCode != 400 {
			t.Errorf("member %s answers %d", none, r.StatusCode)
		}
	}
	s.Soon("downloads are not counted", func() bool {
		return fmt.Sprint(before.Object()["downloads"]) == fmt.Sprint(s.Anon.Get(fmt.Sprintf("/v2/articles/%d", world.LastNumber(t, made))).Is(200).Object()["downloads"])
	})

	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, kind := range map[string]byte{"only.html": tar.TypeReg} {
		if err := w.WriteHeader(&tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}); err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: strings.Repeat("long/", 40) + name, Typeflag: kind, Size: int64(len(html)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		w.Write(html)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	at = s.Ada.PublicFile("all.tar", b.Bytes()) + "/view"
	holds(t, page(t, s.Anon, at, 200), `href="`+at+`?member=2">long/`)
	if r := s.Anon.Get(at + "?member=2").Is(200); !bytes.Equal(r.Bytes, html) || r.Header.Get("Content-Disposition") != `attachment; filename="only.html"` {
		t.Errorf("of a TAR: %q, %v", r.Bytes, r.Header)
	}
	s.Anon.Get(at + "?member=1").Is(404)
	s.Anon.Get(at + "?member=3").Is(404)
	s.Anon.Get(s.Ada.PublicFile("a.csv", []byte("a,b\n")) + "/view?member=1").Is(404)
}

// Nothing wrong comes to its end, and what promises too much is not begun.
func TestMembersThatLie(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	text := bytes.Repeat([]byte("snow"), 50_000)
	changed := func(change func(*entry)) entry {
		e := inflating("member.txt", text)
		change(&e)
		return e
	}
	for name, e := range map[string]entry{
		"checksum": changed(func(e *entry) { e.crc++ }), "more than said": changed(func(e *entry) { e.size = 1000; e.crc = crc32.ChecksumIEEE(text[:1000]) }),
		"less than said": changed(func(e *entry) { e.size++ }), "cut": changed(func(e *entry) { e.packed = e.packed[:len(e.packed)-9] }),
		"stored, more": {"member.txt", zip.Store, 0, text, 1000, crc32.ChecksumIEEE(text[:1000])}, "stored, wrong": {"member.txt", zip.Store, 0, text, uint64(len(text)), 1},
		"stored, less": {"member.txt", zip.Store, 0, text, uint64(len(text)) + 1, 1}, "small, wrong": {"member.txt", zip.Store, 0, text[:4], 4, 1},
	} {
		at := s.Ada.PublicFile("all.zip", zipOf(t, e)) + "/view?member=1"
		if got, err := taken(t, s.Anon, at); err == nil {
			t.Errorf("%s: %d bytes came to their end", name, len(got))
		}
	}
	for name, e := range map[string]entry{
		"encrypted": changed(func(e *entry) { e.flags = 1 }), "other method": changed(func(e *entry) { e.method = 12 }), "bomb": changed(func(e *entry) { e.size = 4_000_000_000 }),
		"large form": changed(func(e *entry) { e.size = 1 << 33 }),
	} {
		file := s.Ada.PublicFile("all.zip", zipOf(t, e))
		lacks(t, page(t, s.Anon, file+"/view", 200), "?member=")
		if r := s.Anon.Get(file + "/view?member=1"); r.StatusCode != 404 {
			t.Errorf("%s: %d", name, r.StatusCode)
		}
	}
	// Members that lie over one another are each what they are; one that lies behind the end is none.
	over := zipOf(t, inflating("a.txt", text), inflating("b.txt", text))
	second := bytes.LastIndex(over, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(over[second+42:], 0)
	at := s.Ada.PublicFile("over.zip", over) + "/view"
	if got, err := taken(t, s.Anon, at+"?member=2"); err != nil || !bytes.Equal(got, text) {
		t.Errorf("over another: %d bytes, %v", len(got), err)
	}
	binary.LittleEndian.PutUint32(over[second+42:], 0x7fffffff)
	s.Anon.Get(s.Ada.PublicFile("behind.zip", over) + "/view?member=2").Is(404)
}
