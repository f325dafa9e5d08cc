package people

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"net"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// The page of own files shows each in its folder with its size, MD5 and state, deletes, and links what stays elsewhere.
func TestOwnFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	ada, b := s.Depositor("Lovelace")
	article := ada.Article(`{"title": "Rain & snow"}`)
	id := world.LastNumber(t, article)
	at := fmt.Sprintf("/account/articles/%d/files", id)
	shows(t, b.Open(at).Is(200), "<h1>Files</h1>", "There are no files yet.", "Rain &amp; snow", fmt.Sprintf(`href="/account/articles/%d/edit"`, id), "0 files")

	data := bytes.Repeat([]byte("rain\n"), 300)
	sum := fmt.Sprintf("%x", md5.Sum(data))
	file, upload := ada.BeginAs(article, fmt.Sprintf(`{"name": "<b>.csv", "size": %d, "md5": %q, "folder_path": "raw/été"}`, len(data), sum))
	s.Put(upload, 1, data).Is(200)
	r := b.Open(at).Is(200)
	shows(t, r, "raw/été/", "&lt;b&gt;.csv", "1.5 kB", sum, "all parts are here, not completed")
	ada.Do("POST", file, nil).Is(202)
	ada.Until(file, "available")
	shows(t, b.Open(at).Is(200), "stored and verified", fmt.Sprintf(`href="/files/%d"`, world.LastNumber(t, file)))
	if got := ada.Get(file).Is(200).Object()["folder_path"]; got != "raw/été" {
		t.Errorf("the folder is %v", got)
	}
	_, upload = ada.BeginAs(article, fmt.Sprintf(`{"name": "large.bin", "size": %d}`, world.PartSize+5))
	s.Put(upload, 2, []byte("12345")).Is(200)
	wrong, upload := ada.BeginAs(article, `{"name": "wrong.txt", "size": 1, "md5": "00000000000000000000000000000000"}`)
	s.Put(upload, 1, []byte("x")).Is(200)
	ada.Do("POST", wrong, nil).Is(202)
	ada.Until(wrong, "ic_failed")
	shows(t, b.Open(at).Is(200), "1 of 2 parts are missing", "In no folder", "failed: ", "3 files")
	shows(t, b.Open(at, "Accept-Language", "de").Is(200), "<h1>Dateien</h1>", "1 von 2 Teilen fehlen")

	// Without a script.
	r = b.Post(at, form("delete", fmt.Sprint(world.LastNumber(t, wrong)))).Is(303)
	if to := r.Header.Get("Location"); to != at+"?done=deleted" {
		t.Errorf("it leads to %q", to)
	}
	shows(t, b.Open(at+"?done=deleted").Is(200), "The file was deleted.")
	ada.Get(wrong).Is(404)
	b.Post(at, form("link", " https://example.org/a/far.csv ", "folder", "/far/")).Is(303)
	shows(t, b.Open(at+"?done=linked").Is(200), "The file was linked.", "far/", "far.csv", "stays elsewhere", `href="https://example.org/a/far.csv"`)

	// More than a page.
	for n := range 201 {
		ada.Send("POST", article+"/files", fmt.Sprintf(`{"name": "n%d", "size": 0}`, n)).Is(201)
	}
	r = b.Open(at).Is(200)
	next := between(t, string(r.Bytes), `rel="next" href="`, `"`)
	hides(t, r, ">n99<")
	shows(t, b.Open(next).Is(200), ">n99<", `rel="prev"`)
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, text, found := strings.Cut(text, from)
	text, _, ends := strings.Cut(text, to)
	if !found || !ends {
		t.Fatalf("there is no %q", from)
	}
	return text
}

// Those who do not own the article get no page of its files, and a refusal changes nothing.
func TestOwnFilesRefused(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.FilesPerArticle = 2 })
	ada, b := s.Depositor("Lovelace")
	_, other := s.Depositor("Hopper")
	article := ada.Article(`{"title": "Zebra"}`)
	file := ada.Upload(article, "one.csv", []byte("a,b\n"))
	at := fmt.Sprintf("/account/articles/%d/files", world.LastNumber(t, article))
	id := fmt.Sprint(world.LastNumber(t, file))
	before := s.Sequence()

	if to := s.Browser().Open(at).Is(303).Header.Get("Location"); to != "/sign-in?next="+at {
		t.Errorf("who is not signed in is led to %q", to)
	}
	s.Browser().Post(at, form("delete", id)).Is(303)
	for _, who := range []*world.Browser{other, b} {
		path := at
		if who == b {
			path = "/account/articles/999999/files"
		}
		hides(t, who.Open(path).Is(404), "one.csv", "Zebra")
		who.Post(path, form("delete", id)).Is(404)
		who.Post(path, form("link", "https://example.org/x")).Is(404)
	}
	b.Open("/account/articles/x/files").Is(400)
	b.Post(at, form("delete", id), "Sec-Fetch-Site", "cross-site").Is(403)
	b.Post(at, form("delete", id), "Origin", "https://example.org").Is(403)
	for _, none := range []string{"0", "x", "-1", "999999", strings.Repeat("9", 30)} {
		b.Post(at, form("delete", none)).Is(404)
	}
	theirs := other.Post(fmt.Sprintf("/account/articles/%d/files", world.LastNumber(t, article)), form("delete", id)).Is(404)
	hides(t, theirs, "Zebra")
	for link, says := range map[string]string{
		"": "Enter the address of the file", "ftp://example.org/x": "must begin with https://", "javascript:alert(1)": "must begin with https://",
		"https://u:p@example.org/": "must begin with https://", "https://example.org/" + strings.Repeat("x", 9000): "must begin with https://",
	} {
		shows(t, b.Post(at, form("link", link, "folder", "kept <&")).Is(422), says, `value="kept &lt;&amp;"`, `href="#link"`, `aria-invalid="true"`)
	}
	shows(t, b.Post(at, form("link", "https://example.org/x", "folder", "a/../b")).Is(422), "The folder must be names", `value="https://example.org/x"`)
	if s.Sequence() != before {
		t.Error("something was changed")
	}
	b.Post(at, form("link", "https://example.org/x")).Is(303)
	shows(t, b.Post(at, form("link", "https://example.org/y")).Is(422), "The article has as many files as this server allows", `value="https://example.org/y"`)

	bare := ada.Article(`{"title": "Only words", "is_metadata_record": true, "metadata_reason": "There are none"}`)
	none := b.Open(fmt.Sprintf("/account/articles/%d/files", world.LastNumber(t, bare))).Is(200)
	shows(t, none, "This is a record without files.")
	hides(t, none, "file-upload", `name="link"`)
}

// upload is a form with a file, as browsers send it.
func upload(name string, data []byte) (body, kind string) {
	const boundary = "----WebKitFormBoundaryq7wT"
	return "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\nContent-Type: text/csv\r\n\r\n" +
		string(data) + "\r\n--" + boundary + "--\r\n", "multipart/form-data; boundary=" + boundary
}

// Without a script a form brings a file, whole and part by part; one that is cut off, has more than the file, or does
// not fit leaves nothing.
func TestFormUpload(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MaxFileSize = 25 << 20 })
	ada, b := s.Depositor("Lovelace")
	_, other := s.Depositor("Hopper")
	article := ada.Article(`{"title": "By form"}`)
	at := fmt.Sprintf("/account/articles/%d/files/upload", world.LastNumber(t, article))
	post := func(who *world.Browser, body, kind string, headers ...string) *world.Reply {
		t.Helper()
		return who.Do("POST", at, strings.NewReader(body), who.Sent(append([]string{"Content-Type", kind, "Sec-Fetch-Site", "same-origin"}, headers...)...)...)
	}
	sums := map[string]string{}
	for name, data := range map[string][]byte{
		"été %22x%22.csv": []byte("a,b\n1,2\n"), "empty": nil, "parts.bin": bytes.Repeat([]byte("0123456789abcde\n"), (2*world.PartSize+160)/16),
		"ends.txt": []byte("\r\n--\r\n------WebKitFormBoundaryq7w\r\n"),
	} {
		body, kind := upload(name, data)
		r := post(b, body, kind).Is(303)
		shows(t, b.Open(strings.TrimPrefix(r.Header.Get("Location"), s.URL)).Is(200), "The file was uploaded")
		sums[strings.ReplaceAll(name, "%22", `"`)] = fmt.Sprintf("%x", md5.Sum(data))
	}
	for _, f := range ada.Get(article + "/files").Is(200).List() {
		got := ada.Until(fmt.Sprint(article, "/files/", f["id"]), "available")
		if want := sums[f["name"].(string)]; got["computed_md5"] != want {
			t.Errorf("%v has the MD5 %v, want %q", f["name"], got["computed_md5"], want)
		}
	}
	before := ada.FileQuota()
	body, kind := upload("x.csv", []byte("x"))
	post(other, body, kind).Is(404)
	post(s.Browser(), body, kind).Is(303)
	b.Do("POST", at, strings.NewReader(body), b.Sent("Content-Type", kind, "Sec-Fetch-Site", "cross-site")...).Is(403)
	for _, bad := range []string{"", "x", "--", strings.Repeat("x", 40<<10), strings.TrimSuffix(body, "--\r\n"), body + "more", strings.Replace(body, `filename="x.csv"`, "", 1),
		strings.Replace(body, "\r\n\r\nx\r\n", "\r\n\r\nx\r\n------WebKitFormBoundaryq7wT\r\nContent-Disposition: form-data; name=\"y\"\r\n\r\ny\r\n", 1)[:len(body)]} {
		shows(t, post(b, bad, kind).Is(422), "Choose one file")
	}
	shows(t, post(b, body, "text/plain").Is(422), "Choose one file")
	large, kind := upload("large.bin", make([]byte, 25<<20+1))
	shows(t, post(b, large, kind).Is(422), "larger than this server accepts")
	cut := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 20000000\r\nSec-Fetch-Site: same-origin\r\nCookie: %s\r\n\r\n%s", at, kind, "alcove-demo="+b.Secret(), large[:11<<20])
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte(cut)); err != nil {
		t.Fatal(err)
	}
	s.Eventually("an upload has begun", func() bool { return ada.FileQuota() != before })
	conn.Close()
	s.Eventually("what was cut off is gone", func() bool { return ada.FileQuota() == before })
	if got := len(ada.Get(article + "/files").Is(200).List()); got != len(sums) {
		t.Errorf("there are %d files", got)
	}
}
