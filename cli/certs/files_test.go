package certs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pairFor returns a certificate and a key that Auto made for a host.
func pairFor(t *testing.T, host string) (cert, key string) {
	t.Helper()
	dir := t.TempDir()
	auto(t, dir, []string{host}, time.Now)
	files := readAll(t, dir)
	return files[serverCert], files[serverKey]
}

// put replaces a file as careful programs do, under a temporary name.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		t.Fatal(err)
	}
}

func TestFilesAreReadAgain(t *testing.T) {
	log := logged(t)
	dir, c := t.TempDir(), newClock()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	oldCert, oldKey := pairFor(t, "old.local")
	newCert, newKey := pairFor(t, "new.local")
	put(t, certFile, oldCert)
	put(t, keyFile, oldKey)
	s, err := files(certFile, keyFile, c.now)
	if err != nil {
		t.Fatal(err)
	}
	if s.CAPath != "" {
		t.Errorf("CAPath is %q", s.CAPath)
	}
	expect := func(step, host string) {
		t.Helper()
		if got := shown(t, s).DNSNames[0]; got != host {
			t.Errorf("%s: the certificate of %s is shown", step, got)
		}
	}
	expect("at the start", "old.local")

	put(t, certFile, newCert)
	put(t, keyFile, newKey)
	expect("within a second", "old.local")
	c.add(time.Second)
	expect("after a second", "new.local")
	if !strings.Contains(log.String(), "was replaced") {
		t.Errorf("nothing was logged of the new pair: %s", log)
	}

	put(t, certFile, oldCert)
	for range 3 {
		c.add(time.Second)
		expect("with half of a pair", "new.local")
	}
	if n := strings.Count(log.String(), "could not be replaced"); n != 1 || !strings.Contains(log.String(), certFile) {
		t.Errorf("half a pair was logged %d times: %s", n, log)
	}
	put(t, keyFile, oldKey)
	c.add(time.Second)
	expect("with both halves", "old.local")

	if err := os.Remove(certFile); err != nil {
		t.Fatal(err)
	}
	c.add(time.Second)
	expect("without a file", "old.local")
	put(t, certFile, newCert)
	put(t, keyFile, newKey)
	c.add(time.Second)
	expect("with the second pair again", "new.local")
}

// A file written in place keeps its identity and gets another time; one that is
// renamed or linked into place may come with the same time and size.
func TestWaysToReplaceFiles(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	store := func(host string, modified time.Time, write func(name, text string)) {
		t.Helper()
		cert, key := pairFor(t, host)
		for name, text := range map[string]string{certFile: cert, keyFile: key} {
			write(name, text+strings.Repeat("\n", 2000-len(text)))
			if err := os.Chtimes(name, time.Time{}, modified); err != nil {
				t.Fatal(err)
			}
		}
	}
	renamed := func(name, text string) { put(t, name, text) }
	inPlace := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	store("first.local", start, renamed)
	s, err := files(certFile, keyFile, c.now)
	if err != nil {
		t.Fatal(err)
	}
	store("second.local", start.Add(time.Hour), inPlace)
	c.add(time.Second)
	if got := shown(t, s).DNSNames[0]; got != "second.local" {
		t.Errorf("after writing in place the certificate of %s is shown", got)
	}
	store("third.local", start.Add(time.Hour), renamed)
	c.add(time.Second)
	if got := shown(t, s).DNSNames[0]; got != "third.local" {
		t.Errorf("after renaming the certificate of %s is shown", got)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	cert, key := pairFor(t, "old.local")
	_, otherKey := pairFor(t, "new.local")
	for name, text := range map[string]string{"cert": cert, "key": key, "other": otherKey, "empty": "", "huge": strings.Repeat("x", maxFile+1)} {
		put(t, filepath.Join(dir, name), text)
	}
	for _, tc := range []struct{ cert, key, want string }{
		{"none", "key", "cannot read the certificate: "},
		{"cert", "none", "cannot read the private key: "},
		{"cert", "other", "private key does not match public key"},
		{"empty", "key", "cannot use certificate"},
		{"cert", "empty", "in key input"},
		{"huge", "key", "is larger than 1048576 bytes"},
		{".", "key", "cannot read the certificate: "},
	} {
		_, err := Files(filepath.Join(dir, tc.cert), filepath.Join(dir, tc.key))
		if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s and %s: got %v, want %s", tc.cert, tc.key, err, tc.want)
		}
	}
}

// A clock that is wrong, or a renewal that was forgotten, is told at once, and while the server
// runs when it comes to that; but once (security.md L08).
func TestValidityIsLogged(t *testing.T) {
	dir := t.TempDir()
	cert, key := pairFor(t, "old.local")
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put(t, certFile, cert)
	put(t, keyFile, key)
	early, soon, late := "is not valid yet", "ends soon", "has expired"
	for _, tc := range []struct {
		start time.Duration
		then  []time.Duration
		want  []string
	}{
		{start: -2 * days, want: []string{early}},
		{start: 0},
		{start: 85 * days, want: []string{soon}},
		{start: 91 * days, want: []string{late}},
		{start: -2 * days, then: []time.Duration{days, 2 * days, 84 * days, 2 * days, 10 * days}, want: []string{early, soon, late}},
	} {
		log := logged(t)
		c := newClock()
		c.add(tc.start)
		s, err := files(certFile, keyFile, c.now)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tc.then {
			c.add(d)
			shown(t, s)
			c.add(time.Second)
			shown(t, s)
		}
		if n := strings.Count(log.String(), "level="); n != len(tc.want) {
			t.Errorf("begun at %v: %d lines were logged, want %d:\n%s", tc.start, n, len(tc.want), log)
		}
		for _, want := range tc.want {
			if !strings.Contains(log.String(), want) {
				t.Errorf("begun at %v: the log has no %q:\n%s", tc.start, want, log)
			}
		}
	}
}

// certbot keeps the files of all renewals, and moves links to the newest.
func TestLinkedFiles(t *testing.T) {
	logged(t)
	dir, c := t.TempDir(), newClock()
	link := func(n, host string) {
		cert, key := pairFor(t, host)
		for name, text := range map[string]string{"fullchain": cert, "privkey": key} {
			put(t, filepath.Join(dir, name+n+".pem"), text)
			temp := filepath.Join(dir, "temp")
			if err := os.Symlink(name+n+".pem", temp); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(temp, filepath.Join(dir, name+".pem")); err != nil {
				t.Fatal(err)
			}
		}
	}
	link("1", "first.local")
	s, err := files(filepath.Join(dir, "fullchain.pem"), filepath.Join(dir, "privkey.pem"), c.now)
	if err != nil {
		t.Fatal(err)
	}
	link("2", "second.local")
	c.add(time.Second)
	if got := shown(t, s).DNSNames[0]; got != "second.local" {
		t.Errorf("the certificate of %s is shown", got)
	}
}
