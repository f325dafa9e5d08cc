package certs

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var loopback = []string{"localhost", "127.0.0.1", "::1"}

const days = 24 * time.Hour

// clock is a time that the test moves.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *clock { return &clock{t: time.Now()} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// logged collects what is logged until the end of the test.
func logged(t *testing.T) *bytes.Buffer {
	var b bytes.Buffer
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	t.Cleanup(func() { slog.SetDefault(old) })
	return &b
}

func auto(t *testing.T, dir string, hosts []string, now func() time.Time) *Source {
	t.Helper()
	s, err := Auto(dir, hosts, now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown is the certificate that a handshake gets.
func shown(t *testing.T, s *Source) *x509.Certificate {
	t.Helper()
	cert, err := s.TLSConfig().GetCertificate(&tls.ClientHelloInfo{})
	if err != nil {
		t.Fatal(err)
	}
	return cert.Leaf
}

func readAll(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range []string{caCert, caKey, serverCert, serverKey} {
		data, err := os.ReadFile(filepath.Join(dir, "tls", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(data)
	}
	return files
}

func TestFilesAreForTheOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "tls"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := auto(t, dir, loopback, time.Now)
	if info, err := os.Stat(filepath.Dir(s.CAPath)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v, %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(s.CAPath))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if want := []string{caKey, caCert, serverKey, serverCert}; !slices.Equal(names, want) {
		t.Errorf("the directory holds %v", names)
	}
}

func TestSecondStart(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	auto(t, dir, loopback, c.now)
	first := readAll(t, dir)
	c.add(59 * days)
	auto(t, dir, []string{"::1", "LOCALHOST.", "127.0.0.1", "0:0:0:0:0:0:0:1"}, c.now)
	if second := readAll(t, dir); second[caCert] != first[caCert] || second[caKey] != first[caKey] ||
		second[serverCert] != first[serverCert] || second[serverKey] != first[serverKey] {
		t.Error("a second start with the same hosts changed a file")
	}

	hosts := append(slices.Clone(loopback), "lab.local", "192.168.1.20")
	s := auto(t, dir, hosts, c.now)
	third := readAll(t, dir)
	if third[caCert] != first[caCert] || third[caKey] != first[caKey] {
		t.Error("other local hosts changed the authority")
	}
	for _, h := range hosts {
		if err := shown(t, s).VerifyHostname(h); err != nil {
			t.Error(err)
		}
	}
	if third[serverKey] == first[serverKey] {
		t.Error("the new certificate has the old key")
	}
}

func TestRenewalAtStart(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	first := shown(t, auto(t, dir, loopback, c.now))
	if life := first.NotAfter.Sub(first.NotBefore); life > 91*days {
		t.Errorf("the certificate is valid for %v", life)
	}
	ca := readAll(t, dir)[caCert]
	c.add(60*days + time.Hour)
	second := shown(t, auto(t, dir, loopback, c.now))
	if !second.NotAfter.After(first.NotAfter) || readAll(t, dir)[caCert] != ca {
		t.Error("after 60 days the certificate was kept, or the authority was not")
	}
	c.add(-61 * days)
	if _, err := Auto(dir, loopback, c.now); err == nil || !strings.Contains(err.Error(), "ca.pem: it is valid from") {
		t.Errorf("with the clock before everything: %v", err)
	}
}

func TestRenewalWhileRunning(t *testing.T) {
	log := logged(t)
	dir, c := t.TempDir(), newClock()
	s := auto(t, dir, loopback, c.now)
	first := shown(t, s)
	c.add(59 * days)
	if !shown(t, s).Equal(first) {
		t.Error("replaced while 31 days were left")
	}

	// The disk refuses: the old certificate stays, and the log says so once.
	blocker := filepath.Join(dir, "tls", serverKey+".tmp", "x")
	if err := os.MkdirAll(blocker, 0o700); err != nil {
		t.Fatal(err)
	}
	c.add(2 * days)
	for range 3 {
		if !shown(t, s).Equal(first) {
			t.Error("replaced by a certificate that could not be stored")
		}
		c.add(time.Minute)
	}
	if n := strings.Count(log.String(), "could not be replaced"); n != 1 || !strings.Contains(log.String(), "server-key.pem") {
		t.Errorf("the failure was logged %d times: %s", n, log)
	}

	if err := os.RemoveAll(filepath.Dir(blocker)); err != nil {
		t.Fatal(err)
	}
	c.add(time.Minute)
	second := shown(t, s)
	if second.Equal(first) || second.NotAfter.Sub(c.now()) < 89*days {
		t.Error("not renewed after the disk was well again")
	}
	if third := shown(t, auto(t, dir, loopback, c.now)); !third.Equal(second) {
		t.Error("the renewed certificate is not the one on the disk")
	}
}

func TestEndOfTheAuthority(t *testing.T) {
	log := logged(t)
	dir, c := t.TempDir(), newClock()
	s := auto(t, dir, loopback, c.now)
	old := readAll(t, dir)[caCert]
	c.add(authorityLife - 60*days)
	if leaf := shown(t, s); leaf.NotAfter.Sub(c.now()) > 60*days || leaf.NotAfter.Before(c.now().Add(59*days)) {
		t.Errorf("with 60 days of the authority left the certificate ends %v", leaf.NotAfter)
	}
	if readAll(t, dir)[caCert] != old {
		t.Fatal("the authority was replaced too early")
	}
	c.add(31 * days)
	s = auto(t, dir, loopback, c.now)
	if readAll(t, dir)[caCert] == old || !strings.Contains(log.String(), "is at its end") {
		t.Error("the authority was not replaced, or not with a word about it")
	}
	if _, err := shown(t, s).Verify(x509.VerifyOptions{Roots: trusting(t, s.CAPath), CurrentTime: c.now()}); err != nil {
		t.Error(err)
	}
}
