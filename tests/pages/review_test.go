package pages

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"unicode/utf16"

	"alcove/tests/world"
)

// exif is a TIFF block with an artist, and an author as Windows writes it.
func exif(artist, author string) []byte {
	wide := []byte{}
	for _, u := range utf16.Encode([]rune(author)) {
		wide = binary.LittleEndian.AppendUint16(wide, u)
	}
	b := []byte("II*\x00\x08\x00\x00\x00\x02\x00")
	at := uint32(len(b) + 24 + 4)
	for _, e := range []struct {
		tag, kind uint16
		size      int
	}{{0x013b, 2, len(artist)}, {0x9c9d, 1, len(wide)}} {
		b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, e.tag), e.kind)
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(e.size)), at)
		at += uint32(e.size)
	}
	return append(append(append(b, 0, 0, 0, 0), artist...), wide...)
}

// Names of files and the properties in them that tell who made an article are named, by file; what
// says nothing of its authors is not.
func TestReviewCheck(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	made := s.Ada.Article(`{"title": "Depths", "authors": [{"name": "Grace Hopper", "orcid_id": "0000-0002-1825-0097"}, {"name": "Müller, Ärne"}]}`)
	upload := func(name string, data []byte) string {
		t.Helper()
		return fmt.Sprint(world.LastNumber(t, s.Ada.Upload(made, name, data)))
	}
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 9, 9)), nil); err != nil {
		t.Fatal(err)
	}
	block := append([]byte("Exif\x00\x00"), exif("hopper and others", "A. Müller")...)
	segment := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(block)+2))...)
	photo := append(append(segment, block...), picture.Bytes()[2:]...)
	var plain bytes.Buffer
	if err := png.Encode(&plain, image.NewGray(image.Rect(0, 0, 9, 9))); err != nil {
		t.Fatal(err)
	}
	text := []byte("tEXtAuthor\x00Grace HOPPER")
	chunk := binary.BigEndian.AppendUint32(append(binary.BigEndian.AppendUint32(nil, uint32(len(text)-4)), text...), crc32.ChecksumIEEE(text))
	drawing := append(append(bytes.Clone(plain.Bytes()[:33]), chunk...), plain.Bytes()[33:]...)
	var office bytes.Buffer
	z := zip.NewWriter(&office)
	for name, body := range map[string]string{"word/document.xml": "<w:t>Hopper</w:t>", "docProps/core.xml": "<dc:creator>Grace</dc:creator><cp:lastModifiedBy>0000-0002-1825-0097</cp:lastModifiedBy>"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(w, body)
	}
	z.Close()
	pdf := "%PDF-1.7\n1 0 obj\n<< /Author (G. H\\157pper) /Title <FEFF004D00FC006C006C00650072> >>\nendobj\n" + strings.Repeat("x", 3<<20) + "<x:xmpmeta><dc:creator>ada@example.org</dc:creator></x:xmpmeta>\n%%EOF"
	want := map[string][]string{
		upload("hopper.csv", []byte("1")):                                       {"name Hopper"},
		upload("photo.jpg", photo):                                              {"EXIF Artist Hopper", "EXIF XPAuthor Müller"},
		upload("drawing.png", drawing):                                          {"PNG text Hopper"},
		upload("text.docx", office.Bytes()):                                     {"core properties 0000-0002-1825-0097"},
		upload("paper.pdf", []byte(pdf)):                                        {"PDF Author Hopper", "PDF Title Müller", "XMP ada@example.org"},
		upload("plain.png", plain.Bytes()):                                      nil,
		upload("words.txt", []byte("by Hopper")):                                nil,
		upload("broken.jpg", photo[:30]):                                        nil,
		upload("broken.docx", office.Bytes()[:office.Len()-30]):                 nil,
		upload("broken.tif", []byte("II*\x00\xff\xff\xff\xff\xff\xff\xff\xff")): nil,
	}
	id := fmt.Sprint(world.LastNumber(t, made))
	check := func(when string) {
		t.Helper()
		out, said, status := world.AlcoveRun(t, "review-check", id, "--data", s.Cfg.Data)
		if status != 0 {
			t.Fatalf("%s: %d, %s", when, status, said)
		}
		found := map[string]int{}
		for _, line := range strings.Split(strings.TrimSpace(out), "\n")[1:] {
			file := strings.Fields(line)[0]
			found[file]++
			if want[file] == nil {
				t.Errorf("%s: %s", when, line)
			}
		}
		for file, lines := range want {
			if found[file] != len(lines) {
				t.Errorf("%s: file %s has %d lines, want %q", when, file, found[file], lines)
			}
			for _, l := range lines {
				if !strings.Contains(strings.Join(strings.Fields(out), " "), file+" "+l) {
					t.Errorf("%s: there is no %s %s in\n%s", when, file, l, out)
				}
			}
		}
	}
	check("beside the server")
	s.Stop()
	check("without it")
	if _, said, status := world.AlcoveRun(t, "review-check", "999", "--data", s.Cfg.Data); status != 1 || !strings.Contains(said, "cannot find an article 999") {
		t.Errorf("%d: %s", status, said)
	}
	if _, _, status := world.AlcoveRun(t, "review-check", "x", "--data", s.Cfg.Data); status != 2 {
		t.Errorf("no id is %d", status)
	}
}
