package files

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
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
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/bucket/working"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

func encoded(encode func(io.Writer) error) []byte {
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// thumbOf is the address of a file's thumbnail.
func thumbOf(s *world.Server, file string) string {
	id := world.LastNumber(s.T, file)
	return fmt.Sprintf("%s/files/%d/preview/%d/thumb.png", s.URL, id, id)
}

// shows waits until an item shows a thumbnail, nil for none.
func shows(c world.Client, path string, want any) {
	c.Server.T.Helper()
	var got any
	c.Server.Eventually(fmt.Sprint(path, " shows ", want), func() bool {
		got = c.Get(path).Is(200).Object()["thumb"]
		return got == want
	})
}

// Every format has a thumbnail; other files, and too large pictures, have a state that says so
// (security.md F25). The content decides, not the name.
func TestThumbFormats(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	paint := disk.Painted(1000, 500, color.NRGBA{200, 30, 30, 255})
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
		{"named.txt", disk.Picture(20, 30, color.Black), "preview_available", 20, 30},
		{"text.png", []byte("this is no picture"), "preview_not_supported", 0, 0},
		{"bomb.png", disk.PNGBomb(), "preview_error", 0, 0},
		{"cut.png", disk.Picture(300, 300, color.Black)[:100], "preview_error", 0, 0},
		{"data.csv", []byte("a,b\n1,2\n"), "preview_not_supported", 0, 0},
		{"empty.png", nil, "preview_not_supported", 0, 0},
	} {
		file := s.Ada.Upload(at, c.name, c.data)
		f := s.Ada.Previews(file, c.state)
		thumb := s.Ada.Get(thumbOf(s, file))
		if c.state != "preview_available" {
			thumb.Refuses(404, "File not found")
			if f["viewer_type"] != nil {
				t.Errorf("%s: viewer_type %v", c.name, f["viewer_type"])
			}
			continue
		}
		if f["viewer_type"] != "image" {
			t.Errorf("%s: viewer_type %v", c.name, f["viewer_type"])
		}
		img, err := png.Decode(bytes.NewReader(thumb.Is(200).Bytes))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if b := img.Bounds(); b.Dx() != c.w || b.Dy() != c.h {
			t.Errorf("%s: %v, want %d×%d", c.name, b, c.w, c.h)
		}
	}
	open, _ := s.Ada.Begin(at, "open.png", disk.OnePixel)
	linked, _ := s.Ada.BeginAs(at, `{"link": "https://example.org/a.png"}`)
	s.Ada.Previews(open, "preview_not_available")
	s.Ada.Previews(linked, "preview_not_supported")
	s.Ada.Get(thumbOf(s, open)).Refuses(404, "File not found")
	s.Ada.Get(thumbOf(s, linked)).Refuses(404, "File not found")
}

// The address of a thumbnail is in every form of an item, and serves the callers that get the
// file, with all headers that a cache needs.
func TestThumbServed(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", world.LastNumber(t, at))
	s.Ada.Upload(at, "a.txt", []byte("first"))
	first := s.Ada.Upload(at, "b.png", disk.Picture(10, 10, color.Black))
	s.Ada.Previews(first, "preview_available")
	thumb := thumbOf(s, first)
	second := s.Ada.Upload(at, "c.png", disk.Picture(20, 20, color.Black))
	s.Ada.Previews(second, "preview_available")
	shows(s.Ada, at, thumb)
	if got := s.Ada.Get("/v2/account/articles").List()[0]["thumb"]; got != thumb {
		t.Errorf("the own list shows %v", got)
	}
	own := s.Ada.Get(thumb).Is(200)
	if cc := own.Header.Get("Cache-Control"); cc != "private, no-cache" {
		t.Errorf("a private one has Cache-Control %q", cc)
	}
	link := s.Ada.Link(at, "")
	unknown := s.Anon.Get("/files/987654/preview/987654/thumb.png").Refuses(404, "File not found")
	for _, who := range []world.Client{s.Anon, s.Ben, s.Root} {
		r := who.Get(thumb)
		if !bytes.Equal(r.Bytes, unknown.Bytes) || r.StatusCode != 404 {
			t.Errorf("a stranger got %d %s", r.StatusCode, r.Bytes)
		}
		world.SameHeaders(t, "a private thumbnail", r.Header, unknown.Header)
	}
	s.Anon.Get(thumb + "?private_link=" + link).Is(200)
	s.Anon.Get(thumb + "?private_link=" + strings.Repeat("0", 32)).Is(404)
	s.Anon.Get(thumb + "?token=" + s.Ada.Token).Is(200)

	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, path := range []string{public, public + "/versions/1", at, at + "/versions/1"} {
		if got := s.Ada.Get(path).Object()["thumb"]; got != thumb {
			t.Errorf("%s shows %v", path, got)
		}
	}
	if got := s.Anon.Get("/v2/articles").List()[0]["thumb"]; got != thumb {
		t.Errorf("the list shows %v", got)
	}
	r := s.Anon.Get(thumb).Is(200)
	for name, want := range map[string]string{
		"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Cache-Control": "public, no-cache", "ETag": own.Header.Get("ETag"),
		"Cross-Origin-Resource-Policy": "cross-origin",
		"Content-Length":               fmt.Sprint(len(r.Bytes)), "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	s.Anon.Get(thumb, "If-None-Match", r.Header.Get("ETag")).Is(304)
	s.Anon.Do("HEAD", thumb, nil).Is(200)
	if other := s.Anon.Get(strings.Replace(thumb, "/files/", "/ndownloader/files/", 1)).Is(200); !bytes.Equal(other.Bytes, r.Bytes) {
		t.Error("the two addresses differ")
	}
	id := world.LastNumber(t, first)
	for _, path := range []string{fmt.Sprintf("/files/%d/preview/%d/thumb.png", id, id+1), fmt.Sprintf("/files/%d/preview/%d/thumb.png", id-1, id-1)} {
		s.Anon.Get(path).Refuses(404, "File not found")
	}
	s.Anon.Get(fmt.Sprintf("/files/%d/preview/x/thumb.png", id)).Refuses(400, "")
	s.Anon.Get(fmt.Sprintf("/files/%d/preview/%d/big.png", id, id)).Is(404)

	// The working copy goes on; its next picture stands for it when the first is deleted.
	s.Ada.Do("DELETE", first, nil).Is(204)
	shows(s.Ada, at, thumbOf(s, second))
	shows(s.Anon, public, thumb)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shows(s.Anon, public, thumbOf(s, second))
	shows(s.Anon, public+"/versions/1", thumb)
	s.Anon.Get(thumb).Is(200)
	s.Ada.Do("DELETE", second, nil).Is(204)
	shows(s.Ada, at, nil)

	// Where downloads are switched off, a thumbnail is one.
	s.Ada.Send("PATCH", at+"/versions/2", `{"download_disabled": true}`).Is(205)
	shows(s.Anon, public, nil)
	s.Anon.Get(thumbOf(s, second)).Is(403)
	s.Ada.Get(thumbOf(s, second)).Is(200)
}

// update_thumb: 205 with the Location of the version, with and without the slash; 404 and 422.
func TestThumbUpdate(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", world.LastNumber(t, at))
	one, two := s.Ada.Upload(at, "a.png", disk.OnePixel), s.Ada.Upload(at, "b.png", disk.Picture(2, 2, color.Black))
	text, bad := s.Ada.Upload(at, "c.txt", []byte("hello")), s.Ada.Upload(at, "d.png", disk.PNGBomb())
	s.Ada.Previews(bad, "preview_error")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	late := s.Ada.Upload(at, "e.png", disk.Picture(3, 3, color.Black))
	s.Ada.Previews(late, "preview_available")
	other := s.Ben.Article(`{"title": "Ben's"}`)
	foreign := s.Ben.Upload(other, "secretname.png", disk.Picture(4, 4, color.Black))
	s.Ben.Previews(foreign, "preview_available")
	choose := func(file string) string { return fmt.Sprintf(`{"file_id": %d}`, world.LastNumber(t, file)) }

	here := s.URL + at + "/versions/1"
	for _, c := range []struct{ slash, file string }{{"", two}, {"/", one}, {"//", two}} {
		r := s.Ada.Send("PUT", at+"/versions/1/update_thumb"+c.slash, choose(c.file)).Is(205)
		if r.Header.Get("Location") != here || string(r.Bytes) != `{"location": "`+here+`", "warnings": []}` {
			t.Errorf("%q answered %s, Location %s", c.slash, r.Bytes, r.Header.Get("Location"))
		}
		for _, path := range []string{public, public + "/versions/1", at + "/versions/1"} {
			if got := s.Ada.Get(path).Object()["thumb"]; got != thumbOf(s, c.file) {
				t.Errorf("%s shows %v", path, got)
			}
		}
		if got := s.Anon.Get("/v2/articles").List()[0]["thumb"]; got != thumbOf(s, c.file) {
			t.Errorf("the list shows %v", got)
		}
	}
	shows(s.Ada, at, thumbOf(s, one)) // the working copy is as it was
	r := s.Ada.Send("PUT", at+"/versions/1/update_thumb", `{"file_id": `+fmt.Sprint(world.LastNumber(t, two))+`, "colour": 1}`).Is(205)
	if !strings.Contains(string(r.Bytes), "colour") {
		t.Errorf("no warning: %s", r.Bytes)
	}

	draft := s.Ada.Article(`{"title": "A draft"}`)
	before, doc := s.Sequence(), s.Anon.Get(public).Bytes
	for _, c := range []struct {
		who        world.Client
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
		r := c.who.Send("PUT", c.path+"/update_thumb", c.body).Refuses(c.status, c.message)
		if strings.Contains(string(r.Bytes), "secretname") {
			t.Errorf("%s tells a name: %s", c.body, r.Bytes)
		}
	}
	if s.Sequence() != before || !bytes.Equal(doc, s.Anon.Get(public).Bytes) {
		t.Error("a refusal changed something")
	}

	// The chosen thumbnail stays through a restart and other changes; the next version begins
	// again.
	s.Cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	s.Restart()
	shows(s.Anon, public, thumbOf(s, two))
	s.Ada.Send("PATCH", at+"/versions/1", `{"title": "Other title"}`).Is(205)
	shows(s.Anon, public, thumbOf(s, two))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shows(s.Anon, public, thumbOf(s, one))
	shows(s.Anon, public+"/versions/1", thumbOf(s, two))
}

// No answer tells of a thumbnail under an embargo; afterwards it is there (security.md C06).
func TestThumbEmbargo(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", world.LastNumber(t, at))
	file := s.Ada.Upload(at, "a.png", disk.OnePixel)
	s.Ada.Previews(file, "preview_available")
	thumb := thumbOf(s, file)
	unknown := s.Anon.Get("/files/987654/preview/987654/thumb.png").Is(404)
	hidden := func(what string) {
		t.Helper()
		for _, who := range []world.Client{s.Anon, s.Ben} {
			r := who.Get(thumb)
			if r.StatusCode != 404 || !bytes.Equal(r.Bytes, unknown.Bytes) {
				t.Errorf("%s: %d %s", what, r.StatusCode, r.Bytes)
			}
			world.SameHeaders(t, what, r.Header, unknown.Header)
		}
		s.Leaks("thumb.png")
	}

	// A whole article that waits, then an embargo on its files, then none.
	text, _ := world.InSeconds(3600)
	s.Ada.Embargo(at, "article", text)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	hidden("the article is held")
	s.Ada.Embargo(at, "file", "0")
	hidden("the files are under embargo")
	if got := s.Anon.Get(public).Is(200).Object()["thumb"]; got != nil {
		t.Errorf("the article shows %v", got)
	}
	shows(s.Ada, at, thumb)
	s.Ada.Get(thumb).Is(200)
	s.Alter(func(tx *bucket.Tx) error { // published long since, so that a change would show
		id := world.LastNumber(t, at)
		err := world.AlterPublic(tx, id, func(h *record.PublicArticle, v *record.ArticleVersion) {
			h.Modified, v.Modified = world.Day(1, 0), world.Day(1, 0)
		})
		return errors.Join(err, published.ArticleDocs.Delete(tx, bucket.Pair{A: id, B: 1}))
	})
	seen := s.Anon.Get(public)
	s.Ada.Send("PUT", at+"/versions/1/update_thumb", fmt.Sprintf(`{"file_id": %d}`, world.LastNumber(t, file))).Is(205)
	if again := s.Anon.Get(public); !bytes.Equal(again.Bytes, seen.Bytes) || again.Header.Get("ETag") != seen.Header.Get("ETag") {
		t.Errorf("choosing a hidden thumbnail shows:\n%s\n%s", seen.Bytes, again.Bytes)
	}
	hidden("a hidden thumbnail was chosen")

	// A picture that comes into view later is not seen while it is made either.
	late := s.Ada.Upload(at, "b.png", disk.Picture(2, 2, color.Black))
	s.Ada.Previews(late, "preview_available")
	hidden("another picture is there")
	soon, _ := world.InSeconds(2)
	s.Ada.Embargo(at, "file", soon)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Eventually("the embargo has ended", func() bool { return s.Anon.Get(thumb).StatusCode == 200 })
	shows(s.Anon, public, thumb)
	s.Anon.Get(thumbOf(s, late)).Is(200)
	if got := s.Anon.Get(public + "/versions/1").Object()["thumb"]; got != nil {
		t.Errorf("version 1, whose files stay hidden, shows %v", got)
	}

	// A new embargo hides it in the new version; the old one keeps what was public.
	s.Ada.Embargo(at, "file", "0")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shows(s.Anon, public, nil)
	shows(s.Anon, public+"/versions/2", thumb)
}

// alterFile changes the record of a file behind the server's back.
func alterFile(s *world.Server, file string, change func(*record.File)) {
	s.T.Helper()
	s.Alter(func(tx *bucket.Tx) error {
		f, err := files.Files.Get(tx, world.LastNumber(s.T, file))
		if err != nil {
			return err
		}
		change(f)
		return files.Files.Put(tx, f.ID, f)
	})
}

// Issue 5, deliver 5: what is due is made after a restart, also for versions that are public long
// since; a thumbnail that was deleted is made again; one that ended the process twice is given up.
func TestThumbsSurvive(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "Pictures", "authors": [{"name": "A Name"}]}`)
	public := fmt.Sprint("/v2/articles/", world.LastNumber(t, at))
	one, two := s.Ada.Upload(at, "a.png", disk.Picture(900, 900, color.Black)), s.Ada.Upload(at, "b.png", disk.Picture(3, 3, color.Black))
	fatal := s.Ada.Upload(at, "c.png", disk.Picture(4, 4, color.Black))
	for _, f := range []string{one, two, fatal} {
		s.Ada.Previews(f, "preview_available")
	}
	for range 25 { // more than one transaction takes
		s.Ada.Do("POST", at+"/publish", nil).Is(201)
	}
	want := s.Anon.Get(thumbOf(s, one)).Is(200)
	digest := ""
	alterFile(s, fatal, func(f *record.File) { digest = f.SHA256 })

	// As if the server had ended before it came to any of them, and twice over the last.
	s.Cfg.Listen = strings.TrimPrefix(s.URL, "http://")
	id := world.LastNumber(t, at)
	s.Alter(func(tx *bucket.Tx) error {
		for _, file := range []string{one, two, fatal} {
			f, err := files.Files.Get(tx, world.LastNumber(t, file))
			if err != nil {
				return err
			}
			f.Preview = ""
			if err := files.Files.Put(tx, f.ID, f); err != nil {
				return err
			}
			if err := files.PublicFiles.Put(tx, f.ID, f.Public(f.Modified)); err != nil {
				return err
			}
		}
		art, err := working.Articles.Get(tx, id)
		if err != nil {
			return err
		}
		art.Thumb = record.Thumb{}
		if err := working.Articles.Put(tx, id, art); err != nil {
			return err
		}
		for n := int64(1); n <= 25; n++ {
			key := bucket.Pair{A: id, B: n}
			v, err := published.ArticleVersions.Get(tx, key)
			if err != nil {
				return err
			}
			v.Thumb = record.Thumb{}
			if err := published.ArticleVersions.Put(tx, key, v); err != nil {
				return err
			}
			if err := published.ArticleDocs.Delete(tx, key); err != nil {
				return err
			}
		}
		return nil
	})
	s.Stop()
	dir := filepath.Join(s.Cfg.Data, "thumbs")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "begun"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "begun", digest), []byte(".."), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Boot()
	s.Ada.Previews(one, "preview_available")
	s.Ada.Previews(two, "preview_available")
	s.Ada.Previews(fatal, "preview_error")
	s.Anon.Get(thumbOf(s, fatal)).Refuses(404, "File not found")
	for n := 1; n <= 25; n++ {
		shows(s.Anon, fmt.Sprint(public, "/versions/", n), thumbOf(s, one))
	}
	shows(s.Anon, public, thumbOf(s, one))
	shows(s.Ada, at, thumbOf(s, one))

	// Deleted while it runs.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if again := s.Anon.Get(thumbOf(s, one)).Is(200); !bytes.Equal(again.Bytes, want.Bytes) || again.Header.Get("ETag") != want.Header.Get("ETag") {
		t.Error("the thumbnail that was made again is another")
	}

	// A picture published before its thumbnail is made: the version is shown again, and tells so.
	stale := s.Anon.Get(public).Is(200)
	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Do("DELETE", two, nil).Is(204)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	shows(s.Anon, public, nil)
	late := s.Ada.Upload(at, "late.png", disk.Picture(5, 5, color.Black))
	s.Ada.Do("POST", at+"/publish", nil).Is(201) // which waits for nothing
	shows(s.Anon, public, thumbOf(s, late))
	s.Anon.Get(public, "If-None-Match", stale.Header.Get("ETag")).Is(200)

	// A deleted file leaves no thumbnail behind, at the latest after the next start.
	draft := s.Ada.Article(`{"title": "A draft"}`)
	gone := s.Ada.Upload(draft, "gone.png", disk.Picture(6, 6, color.Black))
	s.Ada.Previews(gone, "preview_available")
	alterFile(s, gone, func(f *record.File) { digest = f.SHA256 })
	s.Ada.Do("DELETE", draft, nil).Is(204)
	s.Ada.Get(thumbOf(s, gone)).Refuses(404, "File not found")
	s.Restart()
	place := filepath.Join(dir, digest[:2], digest[2:]+".png")
	deadline := time.Now().Add(20 * time.Second)
	for {
		if _, err := os.Stat(place); err != nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the thumbnail of a deleted file is still there")
		}
		s.Anon.Get("/healthz")
	}
}
