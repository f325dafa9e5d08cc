package main

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
)

// flipBit changes one bit of a file and leaves its times as they were, as a disk would. The
// server must not have read the file before.
func flipBit(t *testing.T, path string, at int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at] ^= 1
	writeFile(t, path, b)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// taken is what a client got of a download, and how it ended: nil for well.
func taken(t *testing.T, how *http.Client, url, ranges string) (status int, got []byte, ended error) {
	t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if ranges != "" {
		req.Header.Set("Range", ranges)
	}
	res, err := how.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, ended = io.ReadAll(res.Body)
	return res.StatusCode, got, ended
}

// trusting are clients of a server with TLS, over HTTP/1.1 and HTTP/2.
func (s *server) trusting() map[string]*http.Client {
	s.t.Helper()
	pem, err := os.ReadFile(s.CAPath)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		s.t.Fatal("no certificate to trust", err)
	}
	made := map[string]*http.Client{}
	for name, h2 := range map[string]bool{"HTTP/1.1 over TLS": false, "HTTP/2": true} {
		t := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: h2}
		s.t.Cleanup(t.CloseIdleConnections)
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
			s := start(t, func(c *config.Config) { c.ShutdownTimeout = time.Second })
			s.harmed = "bits of files are flipped"
			data, small := random(5*mib+123, 31), []byte("a small file")
			path, tiny := s.Ada.publicFile("big.bin", data), s.Ada.publicFile("small", small)
			at := s.Ada.article(`{"title": "Two files", "authors": [{"name": "Grace Hopper"}]}`)
			s.Ada.upload(at, "first", small[:5])
			s.Ada.upload(at, "second", data)
			s.Ada.do("POST", at+"/publish", nil).is(201)
			zip := fmt.Sprintf("/v2/articles/%d/download", lastNumber(t, at))
			wholeZip := s.Anon.get(zip).is(200).body
			how := noRedirects
			if over != "HTTP/1.1" {
				s.cfg.TLS = "auto"
			}
			s.restart() // so that nothing of the files was checked
			if over != "HTTP/1.1" {
				how = s.trusting()[over]
			}
			flipBit(t, s.blob(data), 3*mib+5)
			flipBit(t, s.blob(small), 3)

			if status, got, err := taken(t, how, s.URL+path, "bytes=0-2000000"); status != 206 || err != nil || !bytes.Equal(got, data[:2000001]) {
				t.Errorf("a range before it: %d, %d bytes, %v", status, len(got), err)
			}
			status, got, err := taken(t, how, s.URL+zip, "")
			if status != 200 || err == nil || len(got) >= len(wholeZip) || !bytes.HasPrefix(wholeZip, got) || len(got) > 4*mib {
				t.Errorf("an archive of it: %d, %d bytes, %v", status, len(got), err)
			}
			if over == "HTTP/1.1" && len(got) < 3*mib {
				t.Errorf("the archive was cut after %d bytes, before what is damaged", len(got))
			}
			for _, ranges := range []string{"", "bytes=0-0", "bytes=-1"} {
				if status, _, err := taken(t, how, s.URL+path, ranges); status != 500 || err != nil {
					t.Errorf("after it was found, %q: %d, %v", ranges, status, err)
				}
			}
			status, got, err = taken(t, how, s.URL+tiny, "")
			if status != 500 || err != nil || bytes.Contains(got, []byte("small")) || bytes.Contains(got, []byte("sha")) {
				t.Errorf("a small file: %d %s, %v", status, got, err)
			}
			logged(t, s, filepath.Base(filepath.Dir(s.blob(data)))+filepath.Base(s.blob(data)))

			s.cfg.TLS = "off"
			s.restart()
			if status, _, _ := taken(t, noRedirects, s.URL+path, ""); status != 500 {
				t.Errorf("after a restart: %d", status)
			}
			s.Ada.publicFile("again.bin", data)
			if r := s.Anon.get(path).is(200); !bytes.Equal(r.body, data) {
				t.Error("other bytes after they were stored again")
			}
			if r := s.Anon.get(zip).is(200); !bytes.Equal(r.body, wholeZip) {
				t.Error("another archive after the bytes were stored again")
			}
		})
	}
}

// A download in whose middle damage is found is cut there.
func TestDownloadCutAtFlippedBit(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	data := random(5*mib, 37)
	s := start(t, func(c *config.Config) { c.TLS = "auto" })
	clients := s.trusting()
	s.cfg.TLS = "off"
	s.restart()
	path := s.Ada.publicFile("big.bin", data)
	for _, over := range []string{"HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2"} {
		for _, ranges := range []string{"", "bytes=1000000-4999999"} {
			s.cfg.TLS = map[bool]string{true: "off", false: "auto"}[over == "HTTP/1.1"]
			s.restart()
			how := noRedirects
			if over != "HTTP/1.1" {
				how = clients[over]
			}
			flipBit(t, s.blob(data), 4*mib-1)
			from := 0
			if ranges != "" {
				from = 1_000_000
			}
			status, got, err := taken(t, how, s.URL+path, ranges)
			if status != 200+from/1_000_000*6 || err == nil || !bytes.HasPrefix(data[from:], got) || len(got) > 3*mib-from {
				t.Errorf("%s %s: %d, %d bytes, %v", over, ranges, status, len(got), err)
			}
			if over == "HTTP/1.1" && len(got) != 3*mib-from {
				t.Errorf("%s: cut after %d bytes", ranges, len(got))
			}
			logged(t, s, "bytes 3145728 to 4194303 are not what was stored")
			writeFile(t, s.blob(data), data) // another time: a file that an operator has put there
		}
	}
}

// logged waits for something in the log.
func logged(t *testing.T, s *server, what string) {
	t.Helper()
	s.Stop()
	if !strings.Contains(s.logs.String(), what) {
		t.Errorf("the log does not say %q", what)
	}
	s.boot()
}
