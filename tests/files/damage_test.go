package files

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
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

// trusting are clients of a server with TLS, over HTTP/1.1 and HTTP/2.
func trusting(s *world.Server) map[string]*http.Client {
	s.T.Helper()
	pem, err := os.ReadFile(s.CA)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		s.T.Fatal("no certificate to trust", err)
	}
	made := map[string]*http.Client{}
	for name, h2 := range map[string]bool{"HTTP/1.1 over TLS": false, "HTTP/2": true} {
		t := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: h2}
		s.T.Cleanup(t.CloseIdleConnections)
		made[name] = &http.Client{Transport: t, Timeout: time.Minute}
	}
	return made
}

// A bit that flipped in a stored file is never sent (security.md K15). The bytes before it are
// right and the download does not end well, over every protocol; afterwards the file is refused,
// until its bytes are stored again.
func TestDownloadOfFlippedBit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for _, over := range []string{"HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			s := world.Start(t, func(c *config.Config) { c.ShutdownTimeout = time.Second })
			s.Harmed = "bits of files are flipped"
			data, small := disk.Random(5*mib+123, 31), []byte("a small file")
			path, tiny := s.Ada.PublicFile("big.bin", data), s.Ada.PublicFile("small", small)
			at := s.Ada.Article(`{"title": "Two files", "authors": [{"name": "Grace Hopper"}]}`)
			s.Ada.Upload(at, "first", small[:5])
			s.Ada.Upload(at, "second", data)
			s.Ada.Do("POST", at+"/publish", nil).Is(201)
			zip := fmt.Sprintf("/v2/articles/%d/download", world.LastNumber(t, at))
			wholeZip := s.Anon.Get(zip).Is(200).Bytes
			how := world.NoRedirects
			if over != "HTTP/1.1" {
				s.Cfg.TLS = "auto"
			}
			s.Restart() // so that nothing of the files was checked
			if over != "HTTP/1.1" {
				how = trusting(s)[over]
			}
			disk.FlipBit(t, s.Blob(data), 3*mib+5)
			disk.FlipBit(t, s.Blob(small), 3)

			if status, got, err := world.Download(t, how, s.URL+path, "bytes=0-2000000"); status != 206 || err != nil || !bytes.Equal(got, data[:2000001]) {
				t.Errorf("a range before it: %d, %d bytes, %v", status, len(got), err)
			}
			status, got, err := world.Download(t, how, s.URL+zip, "")
			if status != 200 || err == nil || len(got) >= len(wholeZip) || !bytes.HasPrefix(wholeZip, got) || len(got) > 4*mib {
				t.Errorf("an archive of it: %d, %d bytes, %v", status, len(got), err)
			}
			if over == "HTTP/1.1" && len(got) < 3*mib {
				t.Errorf("the archive was cut after %d bytes, before what is damaged", len(got))
			}
			for _, ranges := range []string{"", "bytes=0-0", "bytes=-1"} {
				if status, _, err := world.Download(t, how, s.URL+path, ranges); status != 500 || err != nil {
					t.Errorf("after it was found, %q: %d, %v", ranges, status, err)
				}
			}
			status, got, err = world.Download(t, how, s.URL+tiny, "")
			if status != 500 || err != nil || bytes.Contains(got, []byte("small")) || bytes.Contains(got, []byte("sha")) {
				t.Errorf("a small file: %d %s, %v", status, got, err)
			}
			logged(t, s, filepath.Base(filepath.Dir(s.Blob(data)))+filepath.Base(s.Blob(data)))

			s.Cfg.TLS = "off"
			s.Restart()
			if status, _, _ := world.Download(t, world.NoRedirects, s.URL+path, ""); status != 500 {
				t.Errorf("after a restart: %d", status)
			}
			s.Ada.PublicFile("again.bin", data)
			if r := s.Anon.Get(path).Is(200); !bytes.Equal(r.Bytes, data) {
				t.Error("other bytes after they were stored again")
			}
			if r := s.Anon.Get(zip).Is(200); !bytes.Equal(r.Bytes, wholeZip) {
				t.Error("another archive after the bytes were stored again")
			}
		})
	}
}

// A download in whose middle damage is found is cut there.
func TestDownloadCutAtFlippedBit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	data := disk.Random(5*mib, 37)
	s := world.Start(t, func(c *config.Config) { c.TLS = "auto" })
	clients := trusting(s)
	s.Cfg.TLS = "off"
	s.Restart()
	path := s.Ada.PublicFile("big.bin", data)
	for _, over := range []string{"HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2"} {
		for _, ranges := range []string{"", "bytes=1000000-4999999"} {
			s.Cfg.TLS = map[bool]string{true: "off", false: "auto"}[over == "HTTP/1.1"]
			s.Restart()
			how := world.NoRedirects
			if over != "HTTP/1.1" {
				how = clients[over]
			}
			disk.FlipBit(t, s.Blob(data), 4*mib-1)
			from := 0
			if ranges != "" {
				from = 1_000_000
			}
			status, got, err := world.Download(t, how, s.URL+path, ranges)
			if status != 200+from/1_000_000*6 || err == nil || !bytes.HasPrefix(data[from:], got) || len(got) > 3*mib-from {
				t.Errorf("%s %s: %d, %d bytes, %v", over, ranges, status, len(got), err)
			}
			if over == "HTTP/1.1" && len(got) != 3*mib-from {
				t.Errorf("%s: cut after %d bytes", ranges, len(got))
			}
			logged(t, s, "bytes 3145728 to 4194303 are not what was stored")
			disk.WriteFile(t, s.Blob(data), data) // another time: a file that an operator has put there
		}
	}
}

// Each of several ranges is checked before it is sent, also one that lies before the first of them.
func TestRangesBackToFlippedBit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	data := disk.Random(5*mib, 38)
	s := world.Start(t)
	s.Harmed = "a bit of a file is flipped"
	path := s.Ada.PublicFile("big.bin", data)
	s.Restart() // so that nothing of the file was checked
	disk.FlipBit(t, s.Blob(data), mib+5)
	status, got, err := world.Download(t, world.NoRedirects, s.URL+path, "bytes=4194304-4299999,1048576-1048600")
	if status != 206 || err == nil || !bytes.Contains(got, data[4194304:4300000]) || bytes.Contains(got, data[1048576:1048580]) {
		t.Errorf("a range before the first one: %d, %d bytes, %v", status, len(got), err)
	}
	logged(t, s, "bytes 1048576 to 2097151 are not what was stored")
}

// logged waits for something in the log.
func logged(t *testing.T, s *world.Server, what string) {
	t.Helper()
	s.Stop()
	if !strings.Contains(s.Logs.String(), what) {
		t.Errorf("the log does not say %q", what)
	}
	s.Boot()
}
