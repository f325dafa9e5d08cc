package load

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// part is a member of a zip.
type part struct {
	name  string
	bytes []byte
	mode  os.FileMode
	size  uint64 // that the directory tells; 0 for the true one
	small bool   // compressed
}

func readParts(t *testing.T, file string) (parts []part) {
	z, err := zip.OpenReader(file)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for _, m := range z.File {
		r, err := m.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, part{name: m.Name, bytes: b, mode: 0o644})
	}
	return parts
}

func writeParts(t *testing.T, file string, parts []part) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, CRC32: crc32.ChecksumIEEE(p.bytes), UncompressedSize64: uint64(len(p.bytes))}
		raw := p.bytes
		if p.small {
			var small bytes.Buffer
			w, _ := flate.NewWriter(&small, flate.BestCompression)
			w.Write(p.bytes)
			w.Close()
			h.Method, raw = zip.Deflate, small.Bytes()
		}
		if h.CompressedSize64 = uint64(len(raw)); p.size != 0 {
			h.UncompressedSize64 = p.size
			if !p.small {
				h.CompressedSize64 = p.size
			}
		}
		h.SetMode(p.mode)
		w, err := z.CreateRaw(h)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(raw)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, file, b.Bytes())
}

// resummed are parts whose manifests are right again.
func resummed(parts []part) []part {
	top, _, _ := strings.Cut(parts[0].name, "/")
	for _, kind := range []string{"manifest", "tagmanifest"} {
		var sha, short strings.Builder
		for _, p := range parts {
			path := strings.TrimPrefix(p.name, top+"/")
			if strings.HasPrefix(path, "data/") != (kind == "manifest") || strings.HasPrefix(path, "tagmanifest") {
				continue
			}
			fmt.Fprintf(&sha, "%x  %s\n", sha256.Sum256(p.bytes), path)
			fmt.Fprintf(&short, "%x  %s\n", md5.Sum(p.bytes), path)
		}
		for i := range parts {
			switch parts[i].name {
			case top + "/" + kind + "-sha256.txt":
				parts[i].bytes = []byte(sha.String())
			case top + "/" + kind + "-md5.txt":
				parts[i].bytes = []byte(short.String())
			}
		}
	}
	return parts
}

// A package that is damaged, or made to do harm, is refused with a reason, and nothing of it is loaded.
func TestPackDamaged(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	at := from.Ada.Article(`{"title": "Packed once", "authors": [{"name": "A B"}]}`)
	from.Ada.Upload(at, "a.txt", []byte("the bytes of a file"))
	from.Ada.Do("POST", at+"/publish", nil).Is(201)
	dir := t.TempDir()
	if said, err := packs(from, dir, "1"); err != nil {
		t.Fatal(err, said)
	}
	whole := filepath.Join(dir, "article-1.zip")
	sum := sha256.Sum256([]byte("the bytes of a file"))
	file := "article-1/data/files/" + hex.EncodeToString(sum[:])
	index := func(parts []part, name string) int {
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name })
		if i < 0 {
			t.Fatalf("no %s in %v", name, parts)
		}
		return i
	}
	to.Stop()
	zeros := make([]byte, 64<<20)
	for _, c := range []struct {
		name, why string
		change    func(parts []part) []part
	}{
		{"a changed byte", "other bytes than its manifest says", func(p []part) []part { p[index(p, file)].bytes[3] ^= 1; return p }},
		{"a changed description", "other bytes than its manifest says", func(p []part) []part {
			i := index(p, "article-1/data/item.json")
			p[i].bytes = bytes.Replace(p[i].bytes, []byte("Packed once"), []byte("Packed 1nce"), 1)
			return p
		}},
		{"a changed tag file", "other bytes than its manifest says", func(p []part) []part { p[index(p, "article-1/metadata/v1/article.json")].bytes[2] ^= 1; return p }},
		{"no file", "which is not there", func(p []part) []part { i := index(p, file); return slices.Delete(p, i, i+1) }},
		{"no file that the item names", "there is no such file in the package", func(p []part) []part { i := index(p, file); return resummed(slices.Delete(p, i, i+1)) }},
		{"no manifest", "it has no manifest-md5.txt", func(p []part) []part { i := index(p, "article-1/manifest-md5.txt"); return slices.Delete(p, i, i+1) }},
		{"one file more", `lacks "data/files/more"`, func(p []part) []part { return append(p, part{name: "article-1/data/files/more", mode: 0o644}) }},
		{"one file more with its sums", "belongs to no version", func(p []part) []part {
			return resummed(append(p, part{name: "article-1/data/files/more", mode: 0o644}))
		}},
		{"one tag file more", `lacks "more"`, func(p []part) []part { return append(p, part{name: "article-1/more", mode: 0o644}) }},
		{"a path upwards", "leads elsewhere", func(p []part) []part { return append(p, part{name: "article-1/../../x", mode: 0o644}) }},
		{"a path upwards at once", "leads elsewhere", func(p []part) []part { return append(p, part{name: "../x", mode: 0o644}) }},
		{"a path from the root", "leads elsewhere", func(p []part) []part { return append(p, part{name: "/etc/x", mode: 0o644}) }},
		{"a path of Windows", "leads elsewhere", func(p []part) []part { return append(p, part{name: `article-1\x`, mode: 0o644}) }},
		{"another folder", "not in the one folder", func(p []part) []part { return append(p, part{name: "article-2/x", mode: 0o644}) }},
		{"a link", "neither a file nor a folder", func(p []part) []part {
			return append(p, part{name: "article-1/data/files/l", bytes: []byte("/etc/passwd"), mode: 0o777 | os.ModeSymlink})
		}},
		{"a name twice", "have the same name", func(p []part) []part { return append(p, p[index(p, file)]) }},
		{"a name twice but for capitals", "have the same name", func(p []part) []part {
			return append(p, part{name: "article-1/data/ITEM.json", mode: 0o644})
		}},
		{"addresses to fetch", "never followed", func(p []part) []part {
			return resummed(append(p, part{name: "article-1/fetch.txt", bytes: []byte("http://127.0.0.1/x - data/files/x\n"), mode: 0o644}))
		}},
		{"a size that is too small", "cannot be read", func(p []part) []part {
			i := index(p, file)
			p[i].small, p[i].size = true, 3
			return p
		}},
		{"a size that is too large", "cannot be read", func(p []part) []part {
			i := index(p, file)
			p[i].small, p[i].size = true, 300
			return p
		}},
		{"a bomb", "cannot be read", func(p []part) []part {
			i := index(p, file)
			p[i].bytes, p[i].small, p[i].size = zeros, true, 19
			return p
		}},
		{"a bomb that describes", "longer than", func(p []part) []part {
			p[index(p, "article-1/bagit.txt")] = part{name: "article-1/bagit.txt", bytes: zeros, small: true, mode: 0o644, size: 65 << 20}
			return p
		}},
		{"a bomb that tells its size", "larger than this server accepts", func(p []part) []part {
			i := index(p, file)
			p[i].size, p[i].small = 1<<50, true
			return p
		}},
		{"an older bag", "not that of BagIt 1.0", func(p []part) []part {
			p[index(p, "article-1/bagit.txt")].bytes = []byte("BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n")
			return p
		}},
	} {
		bad := filepath.Join(t.TempDir(), "bad.zip")
		writeParts(t, bad, c.change(readParts(t, whole)))
		for _, flags := range [][]string{{"--dry-run"}, nil} {
			said, err := unpackage(to, append(flags, bad)...)
			if err == nil || !strings.Contains(said, c.why) || !strings.Contains(said, "1 refused") {
				t.Errorf("%s %v: %v %s", c.name, flags, err, said)
			}
		}
	}
	cut := filepath.Join(t.TempDir(), "cut.zip")
	b, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, cut, b[:len(b)-30])
	if said, err := unpackage(to, cut, whole, filepath.Join(dir, "none.zip")); err == nil || !strings.Contains(said, "not a zip") || !strings.Contains(said, "1 loaded, 1 of them published, 2 refused") {
		t.Error(err, said)
	}
	to.Boot()
	if list := to.Ada.Get("/v2/account/articles").Is(200).List(); len(list) != 2 {
		t.Errorf("%d articles", len(list))
	}
	// As any zip program packs it again, with folders and compressed, it is the same package.
	parts := readParts(t, whole)
	for i := range parts {
		parts[i].small = true
	}
	writeParts(t, cut, append([]part{{name: "article-1/", mode: 0o755 | os.ModeDir}, {name: "article-1/data/", mode: 0o755 | os.ModeDir}}, parts...))
	if said, err := unpacks(to, cut); err != nil || !strings.Contains(said, "1 loaded before") {
		t.Error(err, said)
	}
}
