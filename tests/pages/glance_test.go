package pages

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"os"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// landing publishes an item with files, in the order of their names and contents, and opens its page.
func landing(t *testing.T, s *world.Server, files ...string) (at, text string) {
	t.Helper()
	made := s.Ada.Article(`{"title": "In place", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	for i := 0; i < len(files); i += 2 {
		s.Ada.Upload(made, files[i], []byte(files[i+1]))
	}
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at = pageOf(s, world.LastNumber(t, made))
	return at, page(t, s.Anon, at, 200)
}

// The page of an item shows the beginning of the file that tells best what is in it: data before a
// README, that before other texts. A file that cannot be read leaves no gap.
func TestPreviewInPlace(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	const place = `<section class="glance"`
	rows := "station,mm\n" + strings.Repeat("NYA,\"0,4\"\n", 14)
	_, text := landing(t, s, "LICENSE", "free\n", "README.md", "# Read me\n", "rain.csv", rows, "z.csv", "no,no\n1,2\n")
	holds(t, text, place, `aria-label="Preview: rain.csv"`, `<th scope="col">station</th><th scope="col">mm</th>`, "<td>NYA</td><td>0,4</td>", "10 of 14 rows", "/view\"")
	if got := strings.Count(text, "<td>NYA</td>"); got != 10 {
		t.Errorf("%d rows are shown", got)
	}
	_, text = landing(t, s, "LICENSE", "free\n", "a.py", "print()\n", "README.md", "# Read <b>me</b>\n\n"+strings.Repeat("more\n", 20))
	holds(t, text, place, "<pre tabindex=\"0\"># Read &lt;b&gt;me&lt;/b&gt;", "12 of 22 lines")
	_, text = landing(t, s, "wide.tsv", strings.Repeat("a\t", 30)+"a\n"+strings.Repeat("1\t2\t3\n", 50_000))
	holds(t, text, "and 21 more columns", "the first 10 rows")
	for name, content := range map[string]string{
		"zero.csv": "a,b\n\x00,1\n", "head.csv": "a,b\n", "empty.txt": "\n \n", "line.csv": strings.Repeat("x", 1<<20), "quotes.csv": strings.Repeat(`"`, 100_000), "broken.png": "no picture",
		"sheet.xlsx": "PK", "LICENSE": "free", "data.json": "{}",
	} {
		if _, text := landing(t, s, name, content); strings.Contains(text, place) {
			t.Errorf("the page shows something of %s:\n%s", name, text)
		}
	}
	at, text := landing(t, s, "long.csv", strings.Repeat(strings.Repeat("é", 3000)+",", 300)+"\n"+strings.Repeat(strings.Repeat("\"<&\"", 1000)+"\n", 9))
	if len(text) > 40_000 {
		t.Errorf("the page has %d bytes", len(text))
	}
	lacks(t, page(t, s.Anon, at+"?lang=de", 200), "Preview:")

	made := s.Ada.Article(`{"title": "A picture", "defined_type": "figure", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Upload(made, "a.csv", []byte("a,b\n1,2\n"))
	file := s.Ada.Upload(made, "A.png", disk.Picture(20, 10, color.Black))
	s.Ada.Previews(file, "preview_available")
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	id := world.LastNumber(t, file)
	holds(t, page(t, s.Anon, pageOf(s, world.LastNumber(t, made)), 200), fmt.Sprintf(`<a class="picture" href="/files/%d/view"><img src="/files/%d/preview/%d/thumb.png" alt="A.png"></a>`, id, id, id))
	s.Anon.Get(fmt.Sprintf("/files/%d/preview/%d/thumb.png", id, id)).Is(200)
}

// Of files that readers may not download nothing is shown, not to their owner either; nor where the bytes are no
// longer what was stored.
func TestPreviewInPlaceOfWithheldFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for _, held := range []string{`/embargo {"is_embargoed": true, "embargo_date": "2099-01-01", "embargo_type": "file"}`, `/confidentiality {"reason": "secret"}`} {
		made := s.Ada.Article(`{"title": "Held", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
		s.Ada.Upload(made, "secret.csv", []byte("secret,word\ncovert,1\n"))
		at, body, _ := strings.Cut(held, " ")
		s.Ada.Send("PUT", made+at, body).Is(205)
		s.Ada.Do("POST", made+"/publish", nil).Is(201)
		where := pageOf(s, world.LastNumber(t, made))
		lacks(t, page(t, s.Anon, where, 200), "covert", "secret.csv", "glance")
		lacks(t, page(t, s.Ada, where, 200), "covert", "glance")
	}
	made := s.Ada.Article(`{"title": "Looked at only", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	s.Ada.Upload(made, "secret.csv", []byte("secret,word\ncovert,1\n"))
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at := pageOf(s, world.LastNumber(t, made))
	holds(t, page(t, s.Anon, at, 200), "covert")
	s.Ada.Send("PUT", made, `{"title": "Looked at only", "download_disabled": true}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	for _, version := range []string{"", "/1"} {
		lacks(t, page(t, s.Anon, at+version, 200), "covert")
		lacks(t, page(t, s.Ada, at+version, 200), "covert")
	}

	damaged := []byte("damaged,word\ncovert,1\n")
	at, text := landing(t, s, "damaged.csv", string(damaged))
	holds(t, text, "covert")
	blob := s.Blob(damaged)
	s.Harmed = "a blob is not what was stored"
	s.Stop()
	if err := os.Chmod(blob, 0o600); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, blob, []byte("damaged,word\ncXvert,1\n"))
	s.Boot()
	lacks(t, page(t, s.Anon, at, 200), "cXvert", "covert", "glance")
}

// A folder has its files, and the page of the item the look into one.
func TestPreviewInPlaceStandsOnce(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Folders", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	file, upload := s.Ada.BeginAs(made, `{"name": "deep.csv", "size": 19, "folder_path": "raw"}`)
	s.Ada.Do("PUT", upload+"/1", strings.NewReader("deep,word\ncovert,1\n")).Is(200)
	s.Ada.Do("POST", file, nil).Is(202)
	s.Ada.Until(file, "available")
	s.Ada.Upload(made, "top.csv", []byte("top,word\nshown,1\n"))
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	at := pageOf(s, world.LastNumber(t, made))
	holds(t, page(t, s.Anon, at, 200), "shown")
	lacks(t, page(t, s.Anon, at+"?folder=raw", 200), "glance", "covert")
}

// A picture that browsers cannot show is seen as its thumbnail.
func TestPreviewOfTIFF(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "A scan", "defined_type": "figure", "authors": [{"name": "Ada Lovelace"}]}`)
	var scan bytes.Buffer
	if err := tiff.Encode(&scan, disk.Painted(20, 10, color.Black), nil); err != nil {
		t.Fatal(err)
	}
	file := s.Ada.Upload(made, "scan.tif", scan.Bytes())
	s.Ada.Previews(file, "preview_available")
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	id := world.LastNumber(t, file)
	at := fmt.Sprintf("/files/%d/view", id)
	holds(t, page(t, s.Anon, pageOf(s, world.LastNumber(t, made)), 200), at)
	holds(t, page(t, s.Anon, at, 200), fmt.Sprintf(`<img src="/files/%d/preview/%d/thumb.png" alt="scan.tif">`, id, id))
}

// A PDF is shown by the browser's viewer, with a way to it for browsers without one. The page lets in
// frames of this server alone, and the file may be in frames of this server alone.
func TestPreviewOfPDF(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "A paper", "defined_type": "paper", "authors": [{"name": "Ada Lovelace"}]}`)
	at := fmt.Sprintf("/files/%d", world.LastNumber(t, s.Ada.Upload(made, "paper.pdf", []byte("%PDF-1.4\n"))))
	link := s.Ada.Link(made, `{}`)
	for _, secret := range []string{"?private_link=" + link, ""} {
		if secret == "" {
			s.Ada.Do("POST", made+"/publish", nil).Is(201)
		}
		r := s.Anon.Get(at+"/view"+secret, "Accept", browser).Is(200)
		text := html.UnescapeString(string(r.Bytes))
		src := at + "?inline=true"
		if secret != "" {
			src += "&" + secret[1:]
		}
		holds(t, text, `<iframe class="preview-document" src="`+src+`" title="paper.pdf"></iframe>`, `<a href="`+src+`">Open the file`)
		if policy := r.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-src 'self'") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("the page has the policy %q", policy)
		}
		for _, r := range []*world.Reply{s.Anon.Get(src).Is(200), s.Anon.Get(src, "If-None-Match", s.Anon.Get(src).Header.Get("ETag")).Is(304)} {
			if got := r.Header.Get("Content-Security-Policy"); got != "sandbox; default-src 'none'; frame-ancestors 'self'" || r.Header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%d: the file has %v", r.StatusCode, r.Header)
			}
		}
	}
	if r := s.Anon.Get(at + "?inline=true").Is(200); r.Header.Get("Content-Type") != "application/pdf" || !strings.HasPrefix(r.Header.Get("Content-Disposition"), "inline;") {
		t.Errorf("the file is %v", r.Header)
	}
	lacks(t, view(t, s, "false.pdf", []byte("<!doctype html><script>alert(1)</script>")), "<iframe")
	if policy := s.Anon.Get("/", "Accept", browser).Is(200).Header.Get("Content-Security-Policy"); strings.Contains(policy, "frame-src") {
		t.Errorf("other pages let frames in: %q", policy)
	}
}
