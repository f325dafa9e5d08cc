package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/tiff"

	"alcove/bucket"
	"alcove/record"
)

// onePixel is the smallest picture.
var onePixel = picture(1, 1, color.White)

// picture is a PNG of one colour.
func picture(w, h int, c color.Color) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, painted(w, h, c)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func painted(w, h int, c color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

func encoded(encode func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// previews waits until a file has a state of its preview, and returns the file.
func (c client) previews(file, state string) (f map[string]any) {
	c.s.t.Helper()
	c.s.eventually(file+" has "+state, func() bool {
		f = c.get(file).is(200).object()
		return f["preview_state"] == state
	})
	return f
}

// thumbOf is the address of a file's thumbnail.
func (s *server) thumbOf(file string) string {
	id := lastNumber(s.t, file)
	return fmt.Sprintf("%s/files/%d/preview/%d/thumb.png", s.URL, id, id)
}

// shows waits until an item shows a thumbnail, nil for none.
func (c client) shows(path string, want any) {
	c.s.t.Helper()
	var got any
	c.s.eventually(fmt.Sprint(path, " shows ", want), func() bool {
		got = c.get(path).is(200).object()["thumb"]
		return got == want
	})
}

// Every format has a thumbnail; other files, and too large pictures, have a state that says so
// (security.md F25). The content decides, not the name.
func TestThumbFormats(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	paint := painted(1000, 500, color.NRGBA{200, 30, 30, 255})
	webp, err := hex.DecodeString("524946461a000000574542505650384c0e0000002f3f4042102860010ad0ff020000")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		data  []byte
		state string
		w, h  int
	}{
		{"a.png", encoded(func(w io.Writer) error { return png.Encode(w, paint) }), "preview_available", 640, 320},
		{"b.jpg", encoded(func(w io.Writer) error { return jpeg.Encode(w, paint, nil) }), "preview_available", 640, 320},
		{"c.gif", encoded(func(w io.Writer) error { return gif.Encode(w, paint, nil) }), "preview_available", 640, 320},
		{"d.tiff", encoded(func(w io.Writer) error { return tiff.Encode(w, paint, nil) }), "preview_available", 640, 320},
		{"e.webp", webp, "preview_available", 64, 266},
		{"named.txt", picture(20, 30, color.Black), "preview_available", 20, 30},
		{"text.png", []byte("this is no picture"), "preview_not_supported", 0, 0},
		{"bomb.png", pngBomb(), "preview_error", 0, 0},
		{"cut.png", picture(300, 300, color.Black)[:100], "preview_error", 0, 0},
		{"data.csv", []byte("a,b\n1,2\n"), "preview_not_supported", 0, 0},
		{"empty.png", nil, "preview_not_supported", 0, 0},
	} {
		file := s.Ada.upload(at, c.name, c.data)
		f := s.Ada.previews(file, c.state)
		thumb := s.Ada.get(s.thumbOf(file))
		if c.state != "preview_available" {
			thumb.refuses(404, "File not found")
			if f["viewer_type"] != nil {
				t.Errorf("%s: viewer_type %v", c.name, f["viewer_type"])
			}
			continue
		}
		if f["viewer_type"] != "image" {
			t.Errorf("%s: viewer_type %v", c.name, f["viewer_type"])
		}
		img, err := png.Decode(bytes.NewReader(thumb.is(200).body))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if b := img.Bounds(); b.Dx() != c.w || b.Dy() != c.h {
			t.Errorf("%s: %v, want %d×%d", c.name, b, c.w, c.h)
		}
	}
	open, _ := s.Ada.begin(at, "open.png", onePixel)
	linked, _ := s.Ada.beginAs(at, `{"link": "https://example.org/a.png"}`)
	s.Ada.previews(open, "preview_not_available")
	s.Ada.previews(linked, "preview_not_supported")
	s.Ada.get(s.thumbOf(open)).refuses(404, "File not found")
	s.Ada.get(s.thumbOf(linked)).refuses(404, "File not found")
}

// pngBomb is a PNG that says it has 50,000×50,000 pixels.
func pngBomb() []byte {
	b := bytes.Clone(picture(8, 8, color.Black))
	copy(b[16:], "\x00\x00\xc3\x50\x00\x00\xc3\x50")
	return b
}

// The address of a thumbnail is in every form of an item, and serves the callers that get the
// file, with all headers that a cache needs.
func TestThumbServed(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", lastNumber(t, at))
	s.Ada.upload(at, "a.txt", []byte("first"))
	first := s.Ada.upload(at, "b.png", picture(10, 10, color.Black))
	s.Ada.previews(first, "preview_available")
	thumb := s.thumbOf(first)
	second := s.Ada.upload(at, "c.png", picture(20, 20, color.Black))
	s.Ada.previews(second, "preview_available")
	s.Ada.shows(at, thumb)
	if got := s.Ada.get("/v2/account/articles").list()[0]["thumb"]; got != thumb {
		t.Errorf("the own list shows %v", got)
	}
	own := s.Ada.get(thumb).is(200)
	if cc := own.Header.Get("Cache-Control"); cc != "private, no-cache" {
		t.Errorf("a private one has Cache-Control %q", cc)
	}
	link := s.Ada.link(at, "")
	unknown := s.Anon.get("/files/987654/preview/987654/thumb.png").refuses(404, "File not found")
	for _, who := range []client{s.Anon, s.Ben, s.Root} {
		r := who.get(thumb)
		if !bytes.Equal(r.body, unknown.body) || r.StatusCode != 404 {
			t.Errorf("a stranger got %d %s", r.StatusCode, r.body)
		}
		sameHeaders(t, "a private thumbnail", r.Header, unknown.Header)
	}
	s.Anon.get(thumb + "?private_link=" + link).is(200)
	s.Anon.get(thumb + "?private_link=" + strings.Repeat("0", 32)).is(404)
	s.Anon.get(thumb + "?token=" + s.Ada.token).is(200)

	s.Ada.do("POST", at+"/publish", nil).is(201)
	for _, path := range []string{public, public + "/versions/1", at, at + "/versions/1"} {
		if got := s.Ada.get(path).object()["thumb"]; got != thumb {
			t.Errorf("%s shows %v", path, got)
		}
	}
	if got := s.Anon.get("/v2/articles").list()[0]["thumb"]; got != thumb {
		t.Errorf("the list shows %v", got)
	}
	r := s.Anon.get(thumb).is(200)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache", "ETag": own.Header.Get("ETag"),
		"Cross-Origin-Resource-Policy": "cross-origin",
		"Content-Length":               fmt.Sprint(len(r.body)), "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s.Anon.get(thumb, "If-None-Match", r.Header.Get("ETag")).is(304)
	s.Anon.do("HEAD", thumb, nil).is(200)
	if other := s.Anon.get(strings.Replace(thumb, "/files/", "/ndownloader/files/", 1)).is(200); !bytes.Equal(other.body, r.body) {
		t.Error("the two addresses differ")
	}
	id := lastNumber(t, first)
	for _, path := range []string{fmt.Sprintf("/files/%d/preview/%d/thumb.png", id, id+1), fmt.Sprintf("/files/%d/preview/%d/thumb.png", id-1, id-1)} {
		s.Anon.get(path).refuses(404, "File not found")
	}
	s.Anon.get(fmt.Sprintf("/files/%d/preview/x/thumb.png", id)).refuses(400, "")
	s.Anon.get(fmt.Sprintf("/files/%d/preview/%d/big.png", id, id)).is(404)

	// The working copy goes on; its next picture stands for it when the first is deleted.
	s.Ada.do("DELETE", first, nil).is(204)
	s.Ada.shows(at, s.thumbOf(second))
	s.Anon.shows(public, thumb)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Anon.shows(public, s.thumbOf(second))
	s.Anon.shows(public+"/versions/1", thumb)
	s.Anon.get(thumb).is(200)
	s.Ada.do("DELETE", second, nil).is(204)
	s.Ada.shows(at, nil)

	// Where downloads are switched off, a thumbnail is one.
	s.Ada.send("PATCH", at+"/versions/2", `{"download_disabled": true}`).is(205)
	s.Anon.shows(public, nil)
	s.Anon.get(s.thumbOf(second)).is(403)
	s.Ada.get(s.thumbOf(second)).is(200)
}

// update_thumb: 205 with the Location of the version, with and without the slash; 404 and 422.
func TestThumbUpdate(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", lastNumber(t, at))
	one, two := s.Ada.upload(at, "a.png", onePixel), s.Ada.upload(at, "b.png", picture(2, 2, color.Black))
	text, bad := s.Ada.upload(at, "c.txt", []byte("hello")), s.Ada.upload(at, "d.png", pngBomb())
	s.Ada.previews(bad, "preview_error")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	late := s.Ada.upload(at, "e.png", picture(3, 3, color.Black))
	s.Ada.previews(late, "preview_available")
	other := s.Ben.article(`{"title": "Ben's"}`)
	foreign := s.Ben.upload(other, "secretname.png", picture(4, 4, color.Black))
	s.Ben.previews(foreign, "preview_available")
	choose := func(file string) string { return fmt.Sprintf(`{"file_id": %d}`, lastNumber(t, file)) }

	here := s.URL + at + "/versions/1"
	for _, c := range []struct{ slash, file string }{{"", two}, {"/", one}, {"//", two}} {
		r := s.Ada.send("PUT", at+"/versions/1/update_thumb"+c.slash, choose(c.file)).is(205)
		if r.Header.Get("Location") != here || string(r.body) != `{"location": "`+here+`", "warnings": []}` {
			t.Errorf("%q answered %s, Location %s", c.slash, r.body, r.Header.Get("Location"))
		}
		for _, path := range []string{public, public + "/versions/1", at + "/versions/1"} {
			if got := s.Ada.get(path).object()["thumb"]; got != s.thumbOf(c.file) {
				t.Errorf("%s shows %v", path, got)
			}
		}
		if got := s.Anon.get("/v2/articles").list()[0]["thumb"]; got != s.thumbOf(c.file) {
			t.Errorf("the list shows %v", got)
		}
	}
	s.Ada.shows(at, s.thumbOf(one)) // the working copy is as it was
	r := s.Ada.send("PUT", at+"/versions/1/update_thumb", `{"file_id": `+fmt.Sprint(lastNumber(t, two))+`, "colour": 1}`).is(205)
	if !strings.Contains(string(r.body), "colour") {
		t.Errorf("no warning: %s", r.body)
	}

	draft := s.Ada.article(`{"title": "A draft"}`)
	before, doc := s.DB().Sequence(), s.Anon.get(public).body
	for _, c := range []struct {
		who        client
		path, body string
		status     int
		message    string
	}{
		{s.Anon, at + "/versions/1", choose(one), 401, ""},
		{s.Ben, at + "/versions/1", choose(one), 404, "Article not found"},
		{s.Root, at + "/versions/1", choose(one), 404, "Article not found"},
		{s.Ada, "/v2/account/articles/99999/versions/1", choose(one), 404, "Article not found"},
		{s.Ada, at + "/versions/2", choose(one), 404, "Entity not found: ArticleVersion"},
		{s.Ada, draft + "/versions/1", choose(one), 404, "Entity not found: ArticleVersion"},
		{s.Ada, at + "/versions/1", choose(foreign), 404, "File not found"},
		{s.Ada, at + "/versions/1", choose(late), 404, "File not found"}, // of the working copy only
		{s.Ada, at + "/versions/1", `{"file_id": 999999}`, 404, "File not found"},
		{s.Ada, at + "/versions/1", `{"file_id": 0}`, 422, "file_id is required"},
		{s.Ada, at + "/versions/1", `{"file_id": -1}`, 404, "File not found"},
		{s.Ada, at + "/versions/1", choose(text), 422, "file_id names a file without a thumbnail"},
		{s.Ada, at + "/versions/1", choose(bad), 422, "file_id names a file without a thumbnail"},
		{s.Ada, at + "/versions/1", `{}`, 422, "file_id is required"},
		{s.Ada, at + "/versions/1", `{"file_id": null}`, 422, "file_id is required"},
		{s.Ada, at + "/versions/1", `{"file_id": "1"}`, 422, "file_id"},
		{s.Ada, at + "/versions/1", `{"file_id": 1.5}`, 422, "file_id"},
		{s.Ada, at + "/versions/1", `{"file_id": `, 400, ""},
		{s.Ada, at + "/versions/1", ``, 400, ""},
		{s.Ada, at + "/versions/x", choose(one), 400, ""},
		{s.Ben, at + "/versions/1", `{}`, 404, "Article not found"},
	} {
		r := c.who.send("PUT", c.path+"/update_thumb", c.body).refuses(c.status, c.message)
		if strings.Contains(string(r.body), "secretname") {
			t.Errorf("%s tells a name: %s", c.body, r.body)
		}
	}
	if s.DB().Sequence() != before || !bytes.Equal(doc, s.Anon.get(public).body) {
		t.Error("a refusal changed something")
	}

	// The chosen thumbnail stays through a restart and other changes; the next version begins
	// anew.
	s.cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	s.restart()
	s.Anon.shows(public, s.thumbOf(two))
	s.Ada.send("PATCH", at+"/versions/1", `{"title": "Other title"}`).is(205)
	s.Anon.shows(public, s.thumbOf(two))
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Anon.shows(public, s.thumbOf(one))
	s.Anon.shows(public+"/versions/1", s.thumbOf(two))
}

// No answer tells of a thumbnail under an embargo; afterwards it is there (security.md C06).
func TestThumbEmbargo(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", lastNumber(t, at))
	file := s.Ada.upload(at, "a.png", onePixel)
	s.Ada.previews(file, "preview_available")
	thumb := s.thumbOf(file)
	unknown := s.Anon.get("/files/987654/preview/987654/thumb.png").is(404)
	hidden := func(what string) {
		t.Helper()
		for _, who := range []client{s.Anon, s.Ben} {
			r := who.get(thumb)
			if r.StatusCode != 404 || !bytes.Equal(r.body, unknown.body) {
				t.Errorf("%s: %d %s", what, r.StatusCode, r.body)
			}
			sameHeaders(t, what, r.Header, unknown.Header)
		}
		s.leaks("thumb.png")
	}

	// A whole article that waits, then an embargo on its files, then none.
	text, _ := inSeconds(3600)
	s.Ada.embargo(at, "article", text)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	hidden("the article is held")
	s.Ada.embargo(at, "file", "0")
	hidden("the files are under embargo")
	if got := s.Anon.get(public).is(200).object()["thumb"]; got != nil {
		t.Errorf("the article shows %v", got)
	}
	s.Ada.shows(at, thumb)
	s.Ada.get(thumb).is(200)
	s.alter(func(tx *bucket.Tx) error { // published long since, so that a change would show
		id := lastNumber(t, at)
		err := alterPublic(tx, id, func(h *record.PublicArticle, v *record.ArticleVersion) { h.Modified, v.Modified = day(1, 0), day(1, 0) })
		return errors.Join(err, bucket.ArticleDocs.Delete(tx, bucket.Pair{A: id, B: 1}))
	})
	seen := s.Anon.get(public)
	s.Ada.send("PUT", at+"/versions/1/update_thumb", fmt.Sprintf(`{"file_id": %d}`, lastNumber(t, file))).is(205)
	if again := s.Anon.get(public); !bytes.Equal(again.body, seen.body) || again.Header.Get("ETag") != seen.Header.Get("ETag") {
		t.Errorf("choosing a hidden thumbnail shows:\n%s\n%s", seen.body, again.body)
	}
	hidden("a hidden thumbnail was chosen")

	// A picture that comes into view later is not seen while it is made either.
	late := s.Ada.upload(at, "b.png", picture(2, 2, color.Black))
	s.Ada.previews(late, "preview_available")
	hidden("another picture is there")
	soon, _ := inSeconds(2)
	s.Ada.embargo(at, "file", soon)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.eventually("the embargo has ended", func() bool { return s.Anon.get(thumb).StatusCode == 200 })
	s.Anon.shows(public, thumb)
	s.Anon.get(s.thumbOf(late)).is(200)
	if got := s.Anon.get(public + "/versions/1").object()["thumb"]; got != nil {
		t.Errorf("version 1, whose files stay hidden, shows %v", got)
	}

	// A new embargo hides it in the new version; the old one keeps what was public.
	s.Ada.embargo(at, "file", "0")
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Anon.shows(public, nil)
	s.Anon.shows(public+"/versions/2", thumb)
}

// alterFile changes the record of a file behind the server's back.
func (s *server) alterFile(file string, change func(*record.File)) {
	s.t.Helper()
	s.alter(func(tx *bucket.Tx) error {
		f, err := bucket.Files.Get(tx, lastNumber(s.t, file))
		if err != nil {
			return err
		}
		change(f)
		return bucket.Files.Put(tx, f.ID, f)
	})
}

// Issue 5, deliver 5: what is due is made after a restart, also for versions that are public long
// since; a thumbnail that was deleted is made again; one that ended the process twice is given up.
func TestThumbsSurvive(t *testing.T) {
	t.Parallel()
	s := start(t)
	at := s.Ada.article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", lastNumber(t, at))
	one, two := s.Ada.upload(at, "a.png", picture(900, 900, color.Black)), s.Ada.upload(at, "b.png", picture(3, 3, color.Black))
	fatal := s.Ada.upload(at, "c.png", picture(4, 4, color.Black))
	for _, f := range []string{one, two, fatal} {
		s.Ada.previews(f, "preview_available")
	}
	for range 25 { // more than one transaction takes
		s.Ada.do("POST", at+"/publish", nil).is(201)
	}
	want := s.Anon.get(s.thumbOf(one)).is(200)
	digest := ""
	s.alterFile(fatal, func(f *record.File) { digest = f.SHA256 })

	// As if the server had ended before it came to any of them, and twice over the last.
	s.cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	id := lastNumber(t, at)
	s.alter(func(tx *bucket.Tx) error {
		for _, file := range []string{one, two, fatal} {
			f, err := bucket.Files.Get(tx, lastNumber(t, file))
			if err != nil {
				return err
			}
			f.Preview = ""
			if err := bucket.Files.Put(tx, f.ID, f); err != nil {
				return err
			}
			if err := bucket.PublicFiles.Put(tx, f.ID, f.Public(f.Modified)); err != nil {
				return err
			}
		}
		art, err := bucket.Articles.Get(tx, id)
		if err != nil {
			return err
		}
		art.Thumb = record.Thumb{}
		if err := bucket.Articles.Put(tx, id, art); err != nil {
			return err
		}
		for n := int64(1); n <= 25; n++ {
			key := bucket.Pair{A: id, B: n}
			v, err := bucket.ArticleVersions.Get(tx, key)
			if err != nil {
				return err
			}
			v.Thumb = record.Thumb{}
			if err := bucket.ArticleVersions.Put(tx, key, v); err != nil {
				return err
			}
			if err := bucket.ArticleDocs.Delete(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
	s.Stop()
	dir := filepath.Join(s.cfg.Data, "thumbs")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "begun"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "begun", digest), []byte(".."), 0o600); err != nil {
		t.Fatal(err)
	}
	s.boot()
	s.Ada.previews(one, "preview_available")
	s.Ada.previews(two, "preview_available")
	s.Ada.previews(fatal, "preview_error")
	s.Anon.get(s.thumbOf(fatal)).refuses(404, "File not found")
	for n := 1; n <= 25; n++ {
		s.Anon.shows(fmt.Sprint(public, "/versions/", n), s.thumbOf(one))
	}
	s.Anon.shows(public, s.thumbOf(one))
	s.Ada.shows(at, s.thumbOf(one))

	// Deleted while it runs.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if again := s.Anon.get(s.thumbOf(one)).is(200); !bytes.Equal(again.body, want.body) || again.Header.Get("ETag") != want.Header.Get("ETag") {
		t.Error("the thumbnail that was made again is another")
	}

	// A picture published before its thumbnail is made: the version is shown anew, and tells so.
	stale := s.Anon.get(public).is(200)
	s.Ada.do("DELETE", one, nil).is(204)
	s.Ada.do("DELETE", two, nil).is(204)
	s.Ada.do("POST", at+"/publish", nil).is(201)
	s.Anon.shows(public, nil)
	late := s.Ada.upload(at, "late.png", picture(5, 5, color.Black))
	s.Ada.do("POST", at+"/publish", nil).is(201) // which waits for nothing
	s.Anon.shows(public, s.thumbOf(late))
	s.Anon.get(public, "If-None-Match", stale.Header.Get("ETag")).is(200)

	// A deleted file leaves no thumbnail behind, at the latest after the next start.
	draft := s.Ada.article(`{"title": "A draft"}`)
	gone := s.Ada.upload(draft, "gone.png", picture(6, 6, color.Black))
	s.Ada.previews(gone, "preview_available")
	s.alterFile(gone, func(f *record.File) { digest = f.SHA256 })
	s.Ada.do("DELETE", draft, nil).is(204)
	s.Ada.get(s.thumbOf(gone)).refuses(404, "File not found")
	s.restart()
	place := filepath.Join(dir, digest[:2], digest[2:]+".png")
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := os.Stat(place); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the thumbnail of a deleted file is still there")
		}
		s.Anon.get("/healthz")
	}
}
