package pages

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// view opens the page of the only file of a new item.
func view(t *testing.T, s *world.Server, name string, content []byte) string {
	t.Helper()
	made := s.Ada.Article(`{"title": "One file", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	file := s.Ada.Upload(made, name, content)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	return page(t, s.Anon, fmt.Sprintf("/files/%d/view", world.LastNumber(t, file)), 200)
}

// Each kind of file is shown as people read it: a table with what its columns hold, a tree, text with
// numbers of lines, the members of an archive, what a header says.
func TestPreviews(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	text := view(t, s, "rain.csv", []byte("station,date,mm\nNYA,1974-01-01,0.4\nNYA,1974-01-02,\n\"a \"\"b\"\"\",1974-01-03,12\n"))
	holds(t, text, `<th scope="col">station</th>`, "<td>a &#34;b&#34;</td>", "3 rows read",
		`<th scope="row">mm</th><td>number</td><td class="number">2</td><td class="number">1</td><td>0.4</td><td>12</td><td class="number">2</td>`,
		`<th scope="row">date</th><td>date</td>`, `<th scope="row">station</th><td>text</td>`, ">One file</a>")
	holds(t, view(t, s, "semicolon.csv", []byte("a;b\n1;2\n")), `<th scope="col">a</th><th scope="col">b</th>`)
	holds(t, view(t, s, "x.json", []byte(`{"a": [1, {"b": null}], "c": "<script>"}`)), "<b>a</b> [2]", "<b>b</b> <span>null", "&lt;script&gt;")
	holds(t, view(t, s, "x.xml", []byte(`<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a k="v"><b>text</b></a>`)), "<b>a</b> k=&#34;v&#34;", "<b>b</b>", "text")
	holds(t, view(t, s, "script.txt", []byte("import os\n\tprint(1)\n")), "<li><code>import os</code></li>", "<li><code>    print(1)</code></li>")
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"folder/a.txt", "b.txt"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, "hello")
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, view(t, s, "all.zip", packed.Bytes()), "folder/a.txt", `<td class="number">5 B</td>`)
	packed.Reset()
	g := gzip.NewWriter(&packed)
	w := tar.NewWriter(g)
	if err := w.WriteHeader(&tar.Header{Name: "inside.txt", Size: 2, Mode: 0o600, ModTime: time.Unix(1, 0)}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, "hi")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	holds(t, view(t, s, "all.tar.gz", packed.Bytes()), "inside.txt")
	card := func(s string) string { return s + strings.Repeat(" ", 80-len(s)) }
	holds(t, view(t, s, "sky.fits", []byte(card("SIMPLE  =                    T")+card("NAXIS   =                    2 / axes")+card("END"))), `<th scope="row">NAXIS</th><td>2 / axes</td>`)
	holds(t, view(t, s, "dot.png", disk.OnePixel), `<img src="/files/`, `?inline=true"`)
	holds(t, view(t, s, "sound.mp3", []byte("ID3")), `<audio controls preload="metadata" src="/files/`)
	holds(t, view(t, s, "sheet.docx", []byte("PK")), "no preview of files of this kind")
	holds(t, view(t, s, "sheet.xlsx", []byte("PK")), "cannot be read as what its name says")
	// A file that is not of its kind is shown as the text that it is, or said not to be readable.
	holds(t, view(t, s, "broken.zip", []byte("no archive")), "<li><code>no archive</code></li>")
	holds(t, view(t, s, "broken.json", []byte("{not json")), "cannot be read as what its name says")
	holds(t, view(t, s, "zero.txt", []byte("a\x00b")), "cannot be read as what its name says")
}

// Whatever a file holds, its page is bounded and comes soon, and says that it has a part.
func TestPreviewsAreBounded(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	for name, content := range map[string]string{
		"line.csv": "a,b\n" + strings.Repeat("x", 3<<20), "wide.csv": strings.Repeat("a,", 200_000), "long.csv": strings.Repeat("1,2,3\n", 500_000),
		"deep.json": strings.Repeat("[", 200_000), "closed.json": strings.Repeat("[", 900) + strings.Repeat("]", 900), "many.json": "[" + strings.Repeat("1,", 200_000) + "1]",
		"deep.xml": strings.Repeat("<a>", 100_000), "text.txt": strings.Repeat("word ", 1<<20), "lines.txt": strings.Repeat("\n", 1<<20),
		"quotes.csv": strings.Repeat(`"`, 500_000), "bad.nc": "CDF\x01\x00\x00\x00\x00\x00\x00\x00\x0a\xff\xff\xff\xff" + strings.Repeat("\x00\x00\x00\x01aaaa", 100_000),
		"bomb.zip": "PK\x05\x06\x00\x00\x00\x00\xf0\xc3\xf0\xc3\xff\xff\xff\x00\x00\x00\x00\x00\x00\x00",
	} {
		start := time.Now()
		if text := view(t, s, name, []byte(content)); len(text) > 1<<20 {
			t.Errorf("the page of %s has %d bytes", name, len(text))
		}
		if took := time.Since(start); took > 20*time.Second { // with the upload, where everything else runs too
			t.Errorf("the page of %s took %v", name, took)
		}
	}
}

// A file is shown to those who may download it.
func TestPreviewsOfWithheldFiles(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Held", "defined_type": "dataset", "authors": [{"name": "Ada Lovelace"}]}`)
	file := s.Ada.Upload(made, "secret.csv", []byte("secret,word\n"))
	at := fmt.Sprintf("/files/%d/view", world.LastNumber(t, file))
	lacks(t, page(t, s.Anon, at, 404), "secret")
	link := s.Ada.Link(made, `{}`)
	r := s.Anon.Get(at+"?private_link="+link, "Accept", browser).Is(200)
	holds(t, string(r.Bytes), "secret", "private_link="+link)
	if got := r.Header.Get("Cache-Control"); got != "private, no-store" || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("it may be kept: %q, %q", got, r.Header.Get("Referrer-Policy"))
	}
	s.Ada.Send("PUT", made+"/embargo", `{"is_embargoed": true, "embargo_date": "2099-01-01", "embargo_type": "file"}`).Is(205)
	s.Ada.Do("POST", made+"/publish", nil).Is(201)
	lacks(t, page(t, s.Anon, at, 404), "secret")
	lacks(t, page(t, s.Anon, pageOf(s, world.LastNumber(t, made)), 200), "secret.csv", "/view")
	page(t, s.Anon, "/files/999/view", 404)
}
