package access

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// A repository gets certificates by tls-alpn-01 on its own listener, shows them to clients that
// name its hosts and to no others, and has them after a restart though the authority is gone.
func TestACME(t *testing.T) {
	t.Parallel() // it mostly waits for pebble
	p := doubles.StartPebble(t, doubles.PebbleConfig{Validity: 3600})
	s := p.Serve()
	if want := fmt.Sprintf("https://data.example.org:%d", p.TLSPort); s.URL != want {
		t.Errorf("the address is %s, want %s", s.URL, want)
	}
	first := p.Shown(s, "data.example.org", nil)
	if other := p.Shown(s, "files.example.org", nil); other.Equal(first) || other.VerifyHostname("files.example.org") != nil {
		t.Errorf("files.example.org is shown the certificate of %v", other.DNSNames)
	}
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: p.Issued, ServerName: "data.example.org"}, ForceAttemptHTTP2: true, DisableKeepAlives: true}}
	res, err := client.Get("https://" + s.Cfg.Listen + "/v2/licenses")
	if err != nil || res.StatusCode != 200 || res.ProtoMajor != 2 {
		t.Fatalf("%v, %v", res, err)
	}
	res.Body.Close()
	for _, host := range []string{"evil.example.org", "example.org", "DATA.example.org.evil.org"} {
		if _, err := p.Shake(s, host); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
			t.Errorf("%s: %v", host, err)
		}
	}
	// A client that names no host, as one that connects by address, is shown the first one's.
	conn, err := tls.Dial("tcp", s.Cfg.Listen, &tls.Config{InsecureSkipVerify: true})
	if err != nil || !conn.ConnectionState().PeerCertificates[0].Equal(first) {
		t.Errorf("without a name: %v", err)
	}
	if err == nil {
		conn.Close()
	}
	modes(t, filepath.Join(s.Cfg.Data, "acme"))

	p.Stop()
	s.Stop()
	s.Boot()
	if cert := p.Shown(s, "data.example.org", nil); !cert.Equal(first) {
		t.Error("the certificate of before the restart was not used")
	}
	if strings.Contains(s.Logs.String(), "level=WARN") || strings.Contains(s.Logs.String(), "level=ERROR") {
		t.Errorf("trouble was logged:\n%s", s.Logs.String())
	}
}

// modes checks that only the owner can read private keys.
func modes(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !d.IsDir() {
			files++
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || files != 3 {
		t.Errorf("%d files in %s, %v; want the account's key and two certificates", files, dir, err)
	}
}

// An authority that knows its customers by a key refuses strangers, in words that the log
// repeats; with the key certificates come, and are renewed.
func TestACMEBindingAndRenewal(t *testing.T) {
	t.Parallel() // it mostly waits for pebble
	const key = "zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W"
	p := doubles.StartPebble(t, doubles.PebbleConfig{Validity: 12, Keys: map[string]string{"kid-1": key}})
	bind := func(id, key string) func(*config.Config) {
		name := filepath.Join(t.TempDir(), "key")
		disk.WriteFile(t, name, []byte(key+"\n"))
		return func(c *config.Config) {
			c.ACME.Domains, c.ACME.KeyID, c.ACME.KeyFile = []string{"data.example.org"}, id, name
		}
	}
	for _, wrong := range []func(*config.Config){func(*config.Config) {}, bind("kid-2", key), bind("kid-1", key[4:])} {
		s := p.Serve(wrong)
		p.Says(s, "cannot obtain a TLS certificate")
		if !strings.Contains(s.Logs.String(), "externalAccountRequired") && !strings.Contains(s.Logs.String(), "unauthorized") && !strings.Contains(s.Logs.String(), "malformed") {
			t.Errorf("the log does not say why:\n%s", s.Logs.String())
		}
		if _, err := p.Shake(s, "data.example.org"); err == nil || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("without a certificate: %v", err)
		}
		s.Stop()
	}
	s := p.Serve(bind("kid-1", key))
	first := p.Shown(s, "data.example.org", nil)
	second := p.Shown(s, "data.example.org", first)
	if !second.NotAfter.After(first.NotAfter) {
		t.Errorf("valid until %v, then %v", first.NotAfter, second.NotAfter)
	}
	world.WaitFor(t, "both certificates are in the log", func() bool {
		return strings.Count(s.Logs.String(), "a TLS certificate was obtained") >= 2
	})
}

// Where challenges come over plain HTTP, other requests there are neither answered nor sent on
// (security.md E06). The log says why a challenge on the main listener failed.
func TestACMEOverHTTP(t *testing.T) {
	t.Parallel() // it mostly waits for pebble
	p := doubles.StartPebble(t, doubles.PebbleConfig{Validity: 3600})
	s := p.Serve(func(c *config.Config) {
		c.Listen = doubles.Loopback(doubles.FreePort(t)) // not where tls-alpn-01 looks for it
		c.ACME.Domains, c.ACME.HTTPListen = []string{"data.example.org"}, doubles.Loopback(p.HTTPPort)
	})
	p.Shown(s, "data.example.org", nil)
	if log := s.Logs.String(); !strings.Contains(log, "challenge tls-alpn-01") || !strings.Contains(log, "Failed to connect") {
		t.Errorf("the log does not say why the first challenge failed:\n%s", log)
	}
	for _, path := range []string{"/", "/v2/articles", "/v2/account?access_token=secret", "/.well-known/acme-challenge/../../v2", "/.well-known/acme-challenge/none"} {
		for _, method := range []string{"GET", "POST"} {
			req, err := http.NewRequest(method, "http://"+doubles.Loopback(p.HTTPPort)+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = "data.example.org"
			req.Header.Set("Authorization", "token secret")
			res, err := world.NoRedirects.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != 404 || res.Header.Get("Location") != "" || strings.Contains(string(b), p.T.TempDir()) {
				t.Errorf("%s %s answered %d %v %s", method, path, res.StatusCode, res.Header, b)
			}
		}
	}
}

// An authority that cannot be reached does not keep the server from starting.
func TestACMEUnreachable(t *testing.T) {
	t.Parallel() // it mostly waits for pebble
	p := doubles.StartPebble(t, doubles.PebbleConfig{Validity: 3600})
	p.Stop()
	s := p.Serve()
	p.Says(s, "the ACME server cannot be reached")
	p.Says(s, "cannot obtain a TLS certificate")
	if _, err := p.Shake(s, "data.example.org"); err == nil {
		t.Error("a certificate was shown")
	}
}
