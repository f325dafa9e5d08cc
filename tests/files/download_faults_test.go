package files

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// Missing bytes are never sent, and no answer tells their path (security.md K15, C17).
func TestDownloadOfDamagedBlob(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.ShutdownTimeout = time.Second })
	data := disk.Random(23<<20, 29)
	path := s.Ada.PublicFile("big.bin", data)
	blob := s.Blob(data)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	conn.(*net.TCPConn).SetReadBuffer(64 << 10) // most of the file stays with the server
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
	if _, err := io.ReadFull(conn, make([]byte, 1024)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(blob, 12<<20); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.Copy(io.Discard, conn); rest > 20<<20 {
		t.Errorf("a blob that ended early: %d bytes more, %v", rest, err)
	}
	conn.Close()

	outside := filepath.Join(t.TempDir(), "secret")
	disk.WriteFile(t, outside, make([]byte, len(data)))
	for what, damage := range map[string]func() error{
		"truncated": func() error { return os.WriteFile(blob, data[:len(data)-1], 0o600) },
		"longer":    func() error { return os.WriteFile(blob, append(data[:len(data):len(data)], 0), 0o600) },
		"missing":   func() error { return nil },
		"a folder":  func() error { return os.Mkdir(blob, 0o700) },
		"a link":    func() error { return os.Symlink(outside, blob) },
	} {
		if err := os.RemoveAll(blob); err != nil {
			t.Fatal(err)
		}
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		for _, ranges := range []string{"", "bytes=0-1", "bytes=-1"} {
			req, _ := http.NewRequest("GET", s.URL+path, nil)
			req.Header.Set("Range", ranges)
			res, err := world.NoRedirects.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(res.Body)
			res.Body.Close()
			told := fmt.Sprint(res.Header) + string(body)
			if res.StatusCode != 500 || !strings.Contains(told, `"code": "InternalServerError"`) || len(body) > 300 {
				t.Errorf("%s: %d with %d bytes", what, res.StatusCode, len(body))
			}
			for _, secret := range []string{"blob", s.Cfg.Data, filepath.Base(blob), "sha256", "attachment"} {
				if strings.Contains(told, secret) {
					t.Errorf("%s: the answer tells of %s: %s", what, secret, told)
				}
			}
		}
	}
	os.RemoveAll(blob)
	disk.WriteFile(t, blob, data)
	if r := s.Anon.Get(path).Is(200); !bytes.Equal(r.Bytes, data) {
		t.Error("other bytes after the repair")
	}
	s.Stop()
	log := s.Logs.String()
	for _, said := range []string{"file 1: its blob is missing", "bytes and should have", "are not what was stored", "not a regular file"} {
		if !strings.Contains(log, said) {
			t.Errorf("the log does not say %q", said)
		}
	}
}
