package files

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/working"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// stowed uploads a file into a folder of an article.
func stowed(c world.Client, article, folder, name string, data []byte) (file string) {
	c.Server.T.Helper()
	file, upload := c.BeginAs(article, fmt.Sprintf(`{"name": %q, "size": %d, "folder_path": %q}`, name, len(data), folder))
	for _, p := range c.Server.Parts(upload) {
		c.Server.Anon.Do("PUT", fmt.Sprintf("%s/%d", upload, p.No), bytes.NewReader(data[p.Start:p.End+1])).Is(200)
	}
	c.Do("POST", file, nil).Is(202)
	c.Until(file, "available")
	return file
}

// unzip reads an archive, sums checked: names and bodies in order.
func unzip(r *world.Reply) string {
	r.T.Helper()
	r.Is(200)
	z, err := zip.NewReader(bytes.NewReader(r.Bytes), int64(len(r.Bytes)))
	if err != nil {
		r.T.Fatalf("%s: %v", r.Request.URL, err)
	}
	var list []string
	for _, f := range z.File {
		in, err := f.Open()
		if err != nil {
			r.T.Fatal(err)
		}
		b, err := io.ReadAll(in)
		if err != nil {
			r.T.Fatalf("%s: %v", f.Name, err)
		}
		list = append(list, f.Name+"="+string(b))
	}
	return strings.Join(list, "|")
}

// All files of an item come as one archive to every caller that may have them, and of each
// version those that it had.
func TestArchiveContents(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Many files", "authors": [{"name": "A B"}]}`)
	one := s.Ada.Upload(at, "a.txt", []byte("one"))
	stowed(s.Ada, at, "data/raw", "日本語.csv", []byte("two"))
	stowed(s.Ada, at, "data", "../../evil.sh", []byte("three"))
	stowed(s.Ada, at, "data/raw", "日本語.csv", []byte("four"))
	stowed(s.Ada, at, "database", "empty", nil)
	s.Ada.BeginAs(at, `{"link": "https://example.org/elsewhere.bin"}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("DELETE", one, nil).Is(204)
	s.Ada.Upload(at, "b.txt", []byte("five"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Upload(at, "later.txt", []byte("six"))
	s.Ada.Begin(at, "unfinished", []byte("no"))

	const shared = "data/raw/日本語.csv=two|data/__/__/evil.sh=three|data/raw/日本語 (1).csv=four|database/empty="
	v1, v2, own := "a.txt=one|"+shared, shared+"|b.txt=five", shared+"|b.txt=five|later.txt=six"
	link := s.Ada.Link(at, "")
	for _, c := range []struct {
		who        world.Client
		path, want string
	}{
		{s.Anon, "/v2/articles/1/download", v2}, {s.Anon, "/v2/articles/1/versions/1/download", v1}, {s.Ben, "/v2/articles/1/versions/2/download", v2},
		{s.Anon, "/articles/1/versions/1", v1}, {s.Ada, "/articles/1/versions/2", v2}, {s.Anon, "/articles/1/versions/2/", v2},
		{s.Ada, at + "/download", own}, {s.Ada, "/articles/1", own}, {s.Anon, "/articles/1?token=" + s.Ada.Token, own},
		{s.Anon, "/articles/1?private_link=" + link, own}, {s.Ben, "/articles/1?private_link=" + link, own},
		{s.Anon, "/v2/articles/1/download?folder_path=data", "data/raw/日本語.csv=two|data/__/__/evil.sh=three|data/raw/日本語 (1).csv=four"},
		{s.Anon, "/v2/articles/1/download?folder_path=/data/raw/", "data/raw/日本語.csv=two|data/raw/日本語 (1).csv=four"},
		{s.Anon, "/articles/1/versions/1?folder_path=database", "database/empty="}, {s.Anon, "/v2/articles/1/versions/1/download?folder_path=", v1},
		{s.Anon, "/articles/1?private_link=" + link + "&folder_path=data%2Fraw", "data/raw/日本語.csv=two|data/raw/日本語 (1).csv=four"},
	} {
		if got := unzip(c.who.Get(c.path)); got != c.want {
			t.Errorf("%s holds %s, want %s", c.path, got, c.want)
		}
	}
	for _, c := range []struct {
		who  world.Client
		path string
		want string
	}{
		{s.Anon, "/v2/articles/1/download?folder_path=none", "no files"}, {s.Anon, "/v2/articles/1/download?folder_path=dat", "no files"}, {s.Anon, "/v2/articles/1/download?folder_path=data/../data", "no files"},
		{s.Anon, "/v2/articles/9/download", "Article with specified ID"}, {s.Anon, "/v2/articles/1/versions/3/download", "ArticleVersion"}, {s.Anon, "/articles/1/versions/3", "ArticleVersion"},
		{s.Ben, at + "/download", "Article not found"}, {s.Ben, "/articles/1", "nothing at this address"}, {s.Anon, "/articles/1", "nothing at this address"},
		{s.Anon, "/articles/9", "nothing at this address"}, {s.Anon, "/articles/1?private_link=" + strings.Repeat("0", 32), "nothing at this address"}, {s.Anon, "/articles/9?private_link=" + link, "nothing at this address"},
		{s.Anon, "/articles/1/version/1", "nothing at this address"}, {s.Anon, "/articles/1/versions/x", "nothing at this address"},
		{s.Anon, "/articles/01/versions/1", "nothing at this address"}, {s.Anon, "/articles/1/versions/0", "nothing at this address"}, {s.Anon, "/articles/x", "nothing at this address"}, {s.Anon, "/articles/1/versions", "nothing at this address"},
	} {
		c.who.Get(c.path).Refuses(404, c.want)
	}
	s.Anon.Get("/articles/dataset/A_title/1").Is(302) // to the page of the item, which has another title
	s.Anon.Get(at + "/download").Is(401)
	s.Anon.Get(at + "/download?private_link=" + link).Is(401)

	public := s.Anon.Get("/v2/articles/1/download")
	for name, want := range map[string]string{
		"Content-Type": "application/zip", "Content-Disposition": `attachment; filename="article-1-v2.zip"`, "Cache-Control": "public, no-cache", "Accept-Ranges": "bytes",
		"Content-Length": fmt.Sprint(len(public.Bytes)),
	} {
		if got := public.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	again := s.Anon.Get("/articles/1/versions/2")
	if !bytes.Equal(again.Bytes, public.Bytes) || again.Header.Get("ETag") != public.Header.Get("ETag") {
		t.Error("the same version has two archives")
	}
	s.Restart()
	if r := s.Anon.Get("/v2/articles/1/download"); !bytes.Equal(r.Bytes, public.Bytes) || r.Header.Get("ETag") != public.Header.Get("ETag") {
		t.Error("a restart changed an archive")
	}
	s.Ada.Send("PATCH", at+"/versions/2", `{"title": "Another title"}`).Is(205)
	if r := s.Anon.Get("/v2/articles/1/download"); !bytes.Equal(r.Bytes, public.Bytes) {
		t.Error("another title changed the archive")
	}
	if r := s.Ada.Get(at + "/download"); r.Header.Get("Cache-Control") != "private, no-cache" || !strings.Contains(r.Header.Get("Content-Disposition"), `"article-1.zip"`) {
		t.Errorf("the own archive: %v", r.Header)
	}
	tags := map[string]string{}
	for _, path := range []string{"/v2/articles/1/versions/1/download", "/v2/articles/1/versions/2/download", "/v2/articles/1/download?folder_path=data", "/v2/articles/1/download?folder_path=data/raw"} {
		tag := s.Anon.Get(path).Header.Get("ETag")
		if tags[tag] != "" {
			t.Errorf("%s and %s share an ETag", path, tags[tag])
		}
		tags[tag] = path
	}
}

// Ranges of archives: a broken transfer goes on, and what is stitched together is the
// whole (RFC 9110, 14.2 and 13.1.5).
func TestArchiveRanges(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "To be continued", "authors": [{"name": "A B"}]}`)
	s.Ada.Upload(at, "big.bin", disk.Random(3<<20, 31))
	for n := range 20 {
		s.Ada.Upload(at, fmt.Sprint("small ", n), disk.Random(1000+n, uint64(n+1)))
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	const path = "/v2/articles/1/download"
	all := s.Anon.Get(path).Is(200)
	size, tag := len(all.Bytes), all.Header.Get("ETag")
	for _, cuts := range [][]int{{1, 2}, {37 * size / 100, 80 * size / 100}, {40, size - 1}, {3 << 20, size - 22}, {size - 2000, size - 100}} {
		var joined []byte
		from := 0
		for _, to := range append(cuts, size) {
			r := s.Anon.Get(path, "Range", fmt.Sprintf("bytes=%d-%d", from, to-1), "If-Range", tag).Is(206)
			if want := fmt.Sprintf("bytes %d-%d/%d", from, to-1, size); r.Header.Get("Content-Range") != want || r.Header.Get("Content-Length") != fmt.Sprint(to-from) {
				t.Errorf("Content-Range %s, want %s", r.Header.Get("Content-Range"), want)
			}
			joined, from = append(joined, r.Bytes...), to
		}
		if !bytes.Equal(joined, all.Bytes) {
			t.Errorf("three ranges cut at %v are not the archive", cuts)
		}
	}
	for _, c := range []struct {
		ranges, ifRange string
		status          int
		from, to        int
	}{
		{"bytes=0-", "", 206, 0, size}, {"bytes=-22", "", 206, size - 22, size}, {fmt.Sprint("bytes=", size, "-"), "", 416, 0, 0}, {"bytes=-0", "", 416, 0, 0},
		{"bytes=5-9999999999", "", 206, 5, size}, {"bytes=0-1,2-6", "", 206, 0, 7}, {"bytes=1-2", `"other"`, 200, 0, size}, {"bytes=1-2", "W/" + tag, 200, 0, size}, {"bytes=1-2", tag, 206, 1, 3},
		{"items=1-2", "", 200, 0, size}, {"bytes=5-2", "", 416, 0, 0},
	} {
		headers := []string{"Range", c.ranges}
		if c.ifRange != "" {
			headers = append(headers, "If-Range", c.ifRange)
		}
		r := s.Anon.Get(path, headers...).Is(c.status)
		if c.status == 416 {
			if r.Header.Get("Content-Range") != fmt.Sprint("bytes */", size) {
				t.Errorf("%s: Content-Range %q", c.ranges, r.Header.Get("Content-Range"))
			}
		} else if !bytes.Equal(r.Bytes, all.Bytes[c.from:c.to]) {
			t.Errorf("%s, if %s: %d bytes", c.ranges, c.ifRange, len(r.Bytes))
		}
	}
	if r := s.Anon.Do("HEAD", path, nil, "Range", "bytes=0-1").Is(200); r.Header.Get("Content-Length") != fmt.Sprint(size) || r.Header.Get("ETag") != tag {
		t.Errorf("HEAD: %v", r.Header)
	}
	s.Anon.Get(path, "If-None-Match", tag).Is(304)
	s.Anon.Get(path, "If-Match", `"other"`).Is(412)
	// A download of a working copy is not continued after it has changed.
	tag = s.Ada.Get(at + "/download").Is(200).Header.Get("ETag")
	s.Ada.Get(at+"/download", "Range", "bytes=5-9", "If-Range", tag).Is(206)
	s.Ada.Upload(at, "one more", []byte("x"))
	s.Ada.Get(at+"/download", "Range", "bytes=5-9", "If-Range", tag).Is(200)
}

// An archive with a file that is damaged or missing on the disk is cut off, not ended well, and
// the files before and behind it can be read (security.md K15).
func TestArchiveOfDamagedBlob(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.ShutdownTimeout = time.Second })
	s.Harmed = "a file is damaged in many ways"
	at := s.Ada.Article(`{"title": "Damaged", "authors": [{"name": "A B"}]}`)
	first, data := disk.Random(5000, 3), disk.Random(1<<20, 5)
	s.Ada.Upload(at, "first", first)
	s.Ada.Upload(at, "second", data)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for what, damage := range map[string]func() error{
		"truncated": func() error { return os.Truncate(s.Blob(data), 1<<19) },
		"missing":   func() error { return os.Remove(s.Blob(data)) },
	} {
		if err := os.WriteFile(s.Blob(data), data, 0o600); err != nil && !os.IsPermission(err) {
			t.Fatal(err)
		}
		whole := s.Anon.Get("/v2/articles/1/download").Is(200)
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		res, err := http.Get(s.URL + "/v2/articles/1/download")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err == nil || len(got) > len(whole.Bytes)-len(data) {
			t.Errorf("%s: %d bytes, %v", what, len(got), err)
		}
		if r := s.Anon.Get("/v2/articles/1/download", "Range", "bytes=0-4999").Is(206); !bytes.Equal(r.Bytes, whole.Bytes[:5000]) {
			t.Errorf("%s: what lies before it is different", what)
		}
		if r := s.Anon.Get("/v2/articles/1/download", "Range", "bytes=-22").Is(206); !bytes.Equal(r.Bytes, whole.Bytes[len(whole.Bytes)-22:]) {
			t.Errorf("%s: what lies behind it is different", what)
		}
	}
	if !strings.Contains(s.Logs.String(), "a download was cut off") {
		t.Error("the log does not tell it")
	}
}

// Archives, file lists of versions and the other download address show nothing that an embargo
// withholds (security.md C04, C15).
func TestArchiveUnderEmbargo(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	empty := s.Ada.Published("Without files")
	at := s.Ada.Article(`{"title": "Files withheld", "authors": [{"name": "A B"}]}`)
	s.Ada.Upload(at, "open", []byte("1"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Upload(at, "canary", []byte("canary"))
	s.Ada.Embargo(at, "file", "2999-01-01")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	id := world.LastNumber(t, at)
	for _, path := range []string{"/v2/articles/ID/download", "/v2/articles/ID/versions/V/download", "/articles/ID/versions/V", "/v2/articles/ID/versions/V/files"} {
		ask := func(id int64, v string) string {
			return strings.NewReplacer("ID", fmt.Sprint(id), "V", v).Replace(path)
		}
		for _, who := range []world.Client{s.Anon, s.Ben} {
			got, none := who.Get(ask(id, "2")), who.Get(ask(empty, "1"))
			if got.StatusCode != none.StatusCode || string(got.Bytes) != string(none.Bytes) || strings.Contains(got.Whole(), "canary") {
				t.Errorf("%s tells %s, without files %s", path, got.Whole(), none.Whole())
			}
		}
	}
	s.Anon.Get("/v2/file/download/2").Refuses(404, "File not found")
	if got := unzip(s.Anon.Get(fmt.Sprintf("/v2/articles/%d/versions/1/download", id))); got != "open=1" {
		t.Errorf("version 1 has %s", got)
	}
	if got := unzip(s.Ada.Get(at + "/download")); got != "open=1|canary=canary" {
		t.Errorf("its owner gets %s", got)
	}
}

// The files of any public version, paged; and the other address of downloads.
func TestVersionFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	at := s.Ada.Article(`{"title": "Two versions", "authors": [{"name": "A B"}]}`)
	one := s.Ada.Upload(at, "one", []byte("1"))
	s.Ada.Upload(at, "two", []byte("22"))
	s.Ada.Upload(at, "three", []byte("333"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	s.Ada.Do("DELETE", one, nil).Is(204)
	draft := s.Ada.Upload(at, "four", []byte("4444"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for path, want := range map[string]string{
		"/v2/articles/1/versions/1/files": "one two three", "/v2/articles/1/versions/2/files": "two three four", "/v2/articles/1/versions/2/files/": "two three four",
		"/v2/articles/1/versions/1/files?page_size=2": "one two", "/v2/articles/1/versions/1/files?page=2&page_size=2": "three", "/v2/articles/1/versions/1/files?limit=1&offset=1": "two",
		"/v2/articles/1/versions/1/files?page=9": "",
	} {
		if got := world.FileNames(s.Anon.Get(path).Is(200).List()); got != want {
			t.Errorf("%s lists %s", path, got)
		}
	}
	if a, b := s.Anon.Get("/v2/articles/1/versions/2/files"), s.Anon.Get("/v2/articles/1/files"); string(a.Bytes) != string(b.Bytes) {
		t.Errorf("the latest version lists %s and %s", a.Bytes, b.Bytes)
	}
	s.Anon.Get("/v2/articles/1/versions/3/files").Refuses(404, "ArticleVersion")
	s.Anon.Get("/v2/articles/9/versions/1/files").Refuses(404, "ArticleVersion")
	s.Anon.Get("/v2/articles/1/versions/x/files").Refuses(400, "")
	s.Anon.Get("/v2/articles/1/versions/1/files?page=1&limit=1").Refuses(422, "")
	s.Anon.Get("/v2/articles/1/versions/1/files?page_size=1001").Refuses(422, "page_size")

	a, b := s.Anon.Get("/v2/file/download/1").Is(200), s.Anon.Get("/files/1").Is(200)
	world.SameHeaders(t, "the two addresses of a download", a.Header, b.Header)
	if string(a.Bytes) != "1" || string(b.Bytes) != "1" {
		t.Errorf("%q and %q", a.Bytes, b.Bytes)
	}
	s.Anon.Get("/v2/file/download/2", "Range", "bytes=1-1").Is(206)
	private := s.Ada.Upload(s.Ada.Article(`{"title": "Private"}`), "secret", []byte("s"))
	s.Ada.Get(fmt.Sprint("/v2/file/download/", world.LastNumber(t, private))).Refuses(404, "File not found")
	s.Anon.Get(fmt.Sprint("/v2/file/download/", world.LastNumber(t, draft))).Is(200)
	s.Anon.Get("/v2/file/download/99").Refuses(404, "File not found")
	link, _ := s.Ada.BeginAs(at, `{"link": "https://example.org/x"}`)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	if r := s.Anon.Get(fmt.Sprint("/v2/file/download/", world.LastNumber(t, link))).Is(302); r.Header.Get("Location") != "https://example.org/x" {
		t.Errorf("a link leads to %q", r.Header.Get("Location"))
	}
}

// When its owner switches downloads off, no other caller gets a byte, of the working copy at once
// and of the public versions from the next publication on.
func TestDownloadDisabled(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t)
	at := s.Ada.Article(`{"title": "Look, do not touch", "authors": [{"name": "A B"}]}`)
	s.Ada.Upload(at, "one", []byte("1"))
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	link := s.Ada.Link(at, "")
	set := func(off bool) {
		s.Alter(func(tx *bucket.Tx) error {
			art, err := working.Articles.Get(tx, 1)
			if err != nil {
				return err
			}
			art.DownloadDisabled = off
			return working.Articles.Put(tx, 1, art)
		})
	}
	public := []string{"/files/1", "/ndownloader/files/1", "/v2/file/download/1", "/v2/articles/1/download", "/v2/articles/1/versions/1/download", "/articles/1/versions/1"}
	shared := []string{"/articles/1?private_link=" + link}
	set(true)
	for _, path := range public {
		s.Anon.Get(path).Is(200)
	}
	for _, path := range shared {
		s.Anon.Get(path).Refuses(403, "switched off")
	}
	s.Ada.Get(at + "/download").Is(200)
	s.Ada.Upload(at, "two", []byte("2"))
	s.Anon.Get("/files/2?private_link="+link).Refuses(403, "switched off")
	s.Anon.Get("/files/2").Refuses(404, "File not found")
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	public = append(public, "/v2/articles/1/versions/2/download", "/files/2")
	for _, path := range append(public, shared...) {
		for _, who := range []world.Client{s.Anon, s.Ben, s.Root} {
			r := who.Get(path).Refuses(403, "switched off")
			if who.Get(path, "Range", "bytes=0-0").StatusCode != 403 || who.Do("HEAD", path, nil).StatusCode != 403 || r.Header.Get("ETag") != "" {
				t.Errorf("%s: %v", path, r.Header)
			}
		}
	}
	for _, path := range []string{"/files/1", "/files/2", "/v2/articles/1/download", "/v2/articles/1/versions/1/download", "/articles/1/versions/1", "/articles/1/versions/2", "/articles/1", at + "/download"} {
		if r := s.Ada.Get(path).Is(200); r.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s for its owner: %v", path, r.Header)
		}
	}
	if got := s.Anon.Get("/v2/articles/1").Is(200).Object(); got["download_disabled"] != true {
		t.Errorf("download_disabled is %v", got["download_disabled"])
	}
	set(false)
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
	for _, path := range append([]string{"/files/1", "/v2/articles/1/download", "/v2/articles/1/versions/1/download"}, shared...) {
		s.Anon.Get(path).Is(200)
	}
	s.Anon.Get("/v2/articles/1/versions/2/download").Refuses(403, "switched off")
	s.Alter(func(tx *bucket.Tx) error {
		return world.AlterPublic(tx, 1, func(h *record.PublicArticle, _ *record.ArticleVersion) { h.DownloadDisabled = true })
	})
	s.Anon.Get("/files/1").Refuses(403, "switched off")
}
