package load

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/bucket/files"
	"alcove/bucket/published"
	"alcove/cli"
	"alcove/config"
	"alcove/record"
	"alcove/tests/disk"
	"alcove/tests/routes"
)

// BenchmarkRange64K takes 64 KiB pieces of a file, warm: what the server itself costs beside the
// system's sending.
func BenchmarkRange64K(b *testing.B) {
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = b.TempDir(), "127.0.0.1:0", "off"
	s, err := cli.StartServer(cfg, routes.NewRouter, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Stop)
	data := disk.Random(64<<20, 5)
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	at := filepath.Join(cfg.Data, "blobs", sum[:2], sum[2:])
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(at, data, 0o600); err != nil {
		b.Fatal(err)
	}
	err = s.DB().Update(context.Background(), 0, func(tx *bucket.Tx) error {
		if err := published.Articles.Put(tx, 1, &record.PublicArticle{ID: 1, Latest: 1}); err != nil {
			return err
		}
		f := &record.PublicFile{ID: 1, ArticleID: 1, Name: "a", Size: int64(len(data)), SHA256: sum, Added: 1, MIME: "application/octet-stream", Published: time.Now()}
		return files.PublicFiles.Put(tx, 1, f)
	})
	if err != nil {
		b.Fatal(err)
	}
	conn, err := net.Dial("tcp", s.Config.BaseURL[len("http://"):])
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	const piece = 64 << 10
	b.SetBytes(piece)
	buf := make([]byte, 128<<10)
	for i := 0; b.Loop(); i++ {
		from := i * 7919 * 4096 % (len(data) - piece)
		fmt.Fprintf(conn, "GET /files/1 HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-%d\r\n\r\n", from, from+piece-1)
		got := 0
		for head := 0; head == 0 || got < head+piece; {
			n, err := conn.Read(buf)
			if err != nil {
				b.Fatal(err, io.EOF)
			}
			if head == 0 {
				for k := 0; k+3 < n; k++ {
					if string(buf[k:k+4]) == "\r\n\r\n" {
						head = k + 4
						break
					}
				}
			}
			got += n
		}
	}
}
