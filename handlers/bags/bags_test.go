package bags

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"runtime"
	"testing"
	"time"

	"alcove/blobs/archive"
	"alcove/handlers/present"
	"alcove/record"
)

// many yields files of one byte.
func many(n int) iter.Seq2[*record.PublicFile, error] {
	sum, body := md5.Sum([]byte("x")), []byte("x")
	return func(yield func(*record.PublicFile, error) bool) {
		for i := range n {
			f := &record.PublicFile{
				ID: int64(i + 1), Name: fmt.Sprintf("measurement %06d.csv", i), Folder: fmt.Sprintf("station %d/raw", i%1000), Size: 1, MIME: "text/csv",
				MD5: hex.EncodeToString(sum[:]), SHA256: "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", CRC32: crc32.ChecksumIEEE(body),
			}
			if !yield(f, nil) {
				return
			}
		}
	}
}

// A bag of as many files as an article can have is a zip that can be read, and keeps less memory than a few hundred
// bytes a file: its manifests and its RO-Crate, some 70 MB, are never there as a whole.
func TestBagOfManyFiles(t *testing.T) {
	const count = 100_000
	document, err := json.Marshal(present.ArticleComplete{})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	b, err := Of(present.Settings{SiteURL: "https://r.example"}, Version{Document: document, Stamp: time.Unix(1_700_000_000, 0), Files: many(count)})
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	kept := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / count
	t.Logf("laid out in %v, %d bytes a file, a zip of %d bytes", time.Since(start), kept, b.Size())
	if kept > 600 {
		t.Errorf("a bag keeps %d bytes for each file", kept)
	}
	var whole bytes.Buffer
	send := func(w io.Writer, i int, from, to int64) error {
		if i < len(b.Made) {
			return archive.WritePart(w, from, to, b.Made[i])
		}
		_, err := io.WriteString(w, "x")
		return err
	}
	if err := b.WriteRange(&whole, 0, b.Size(), send); err != nil || int64(whole.Len()) != b.Size() {
		t.Fatal(err, whole.Len())
	}
	z, err := zip.NewReader(bytes.NewReader(whole.Bytes()), b.Size())
	if err != nil || len(z.File) != count+len(b.Made) {
		t.Fatal(err)
	}
	for _, f := range z.File[:len(b.Made)] {
		r, err := f.Open()
		if err == nil {
			_, err = io.Copy(io.Discard, r) // checks the CRC-32
		}
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	runtime.KeepAlive(b)
}

// A part of a file that is made is what stands there in the whole, and one that is not there is an error.
func TestPartOfMade(t *testing.T) {
	write := func(w io.Writer) error {
		for i := range 1000 {
			if _, err := fmt.Fprintf(w, "%04d", i); err != nil {
				return err
			}
		}
		return nil
	}
	var whole bytes.Buffer
	if err := write(&whole); err != nil {
		t.Fatal(err)
	}
	for from := int64(0); from < 4000; from += 333 {
		for _, n := range []int64{1, 3, 500, 4000} {
			to := min(from+n, 4000)
			var part bytes.Buffer
			if err := archive.WritePart(&part, from, to, write); err != nil || part.String() != whole.String()[from:to] {
				t.Errorf("bytes %d to %d: %v", from, to, err)
			}
		}
	}
	if archive.WritePart(io.Discard, 3990, 4001, write) == nil {
		t.Error("bytes behind the end were written")
	}
}
