package doubles

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// pebble is Let's Encrypt's server for tests, in a process of its own, and a DNS server that
// says of every name that it is this machine.
type pebble struct {
	T         *testing.T
	directory string
	ca        string // PEM file with its own certificate
	TLSPort   int    // where it looks for tls-alpn-01
	HTTPPort  int    // where it looks for http-01
	Issued    *x509.CertPool
	processes []*exec.Cmd
}

// PebbleConfig is what the tests vary in its configuration.
type PebbleConfig struct {
	Validity int               // seconds that certificates are good for
	Keys     map[string]string // external account bindings that it asks for, by id
}

func StartPebble(t *testing.T, c PebbleConfig) *pebble {
	t.Helper()
	for _, name := range []string{"pebble", "pebble-challtestsrv"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("this test needs pebble; make tools installs it")
		}
	}
	p := &pebble{T: t, TLSPort: FreePort(t), HTTPPort: FreePort(t), Issued: x509.NewCertPool()}
	dir := t.TempDir()
	p.ca = filepath.Join(dir, "cert.pem")
	key := filepath.Join(dir, "key.pem")
	SelfSigned(t, p.ca, key)
	acme, management, dns := FreePort(t), FreePort(t), FreePort(t)
	text, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": Loopback(acme), "managementListenAddress": Loopback(management), "certificate": p.ca, "privateKey": key,
		"httpPort": p.HTTPPort, "tlsPort": p.TLSPort, "certificateValidityPeriod": c.Validity,
		"externalAccountBindingRequired": c.Keys != nil, "externalAccountMACKeys": c.Keys,
	}})
	if err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, filepath.Join(dir, "config.json"), text)
	p.run("pebble-challtestsrv", "-dns01", Loopback(dns), "-http01", "", "-https01", "", "-tlsalpn01", "", "-management", "", "-defaultIPv6", "")
	p.run("pebble", "-config", filepath.Join(dir, "config.json"), "-dnsserver", Loopback(dns))
	t.Cleanup(p.Stop)

	p.directory = "https://" + Loopback(acme) + "/dir"
	pool := x509.NewCertPool()
	own, err := os.ReadFile(p.ca)
	if err != nil || !pool.AppendCertsFromPEM(own) {
		t.Fatal(err)
	}
	asks := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true}}
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(20 * time.Millisecond) { // another process
		res, err := asks.Get("https://" + Loopback(management) + "/roots/0")
		if err == nil {
			defer res.Body.Close()
			root, err := io.ReadAll(res.Body)
			if err != nil || !p.Issued.AppendCertsFromPEM(root) {
				t.Fatalf("pebble has no root: %v, %s", err, root)
			}
			p.resolves(Loopback(dns))
			return p
		}
		if time.Now().After(deadline) {
			t.Fatalf("pebble does not start: %v", err)
		}
	}
}

// resolves waits until the DNS server answers.
func (p *pebble) resolves(address string) {
	p.T.Helper()
	r := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", address)
	}}
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(20 * time.Millisecond) { // another process
		found, err := r.LookupHost(p.T.Context(), "data.example.org.")
		if err == nil && len(found) > 0 {
			return
		}
		if time.Now().After(deadline) {
			p.T.Fatalf("the DNS server does not start: %v", err)
		}
	}
}

func (p *pebble) run(name string, args ...string) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1", "PEBBLE_AUTHZREUSE=100")
	if err := cmd.Start(); err != nil {
		p.T.Fatal(err)
	}
	p.processes = append(p.processes, cmd)
}

// Stop ends what run began; the second time it does nothing.
func (p *pebble) Stop() {
	for _, cmd := range p.processes {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	p.processes = nil
}

// Serve starts a repository that gets its certificates from pebble.
func (p *pebble) Serve(change ...func(*config.Config)) *world.Server {
	p.T.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = filepath.Join(p.T.TempDir(), "data"), Loopback(p.TLSPort), "acme"
	cfg.ACME = config.ACME{Domains: []string{"data.example.org", "files.example.org"}, AcceptTerms: true, Directory: p.directory, CA: p.ca}
	for _, c := range change {
		c(&cfg)
	}
	s := &world.Server{T: p.T, Cfg: cfg}
	s.Boot()
	p.T.Cleanup(s.Stop)
	return s
}

// Shake is the certificate that a client gets that names a host and trusts pebble.
func (p *pebble) Shake(s *world.Server, host string) (*x509.Certificate, error) {
	conn, err := tls.DialWithDialer(&net.Dialer{Timeout: 10 * time.Second}, "tcp", s.Cfg.Listen, &tls.Config{RootCAs: p.Issued, ServerName: host})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0], nil
}

// Shown waits until a host has another certificate than one.
func (p *pebble) Shown(s *world.Server, host string, other *x509.Certificate) *x509.Certificate {
	p.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(20 * time.Millisecond) { // another process is at work
		cert, err := p.Shake(s, host)
		if err == nil && (other == nil || !cert.Equal(other)) {
			return cert
		}
		if time.Now().After(deadline) {
			p.T.Fatalf("there is no new certificate for %s: %v\n%s", host, err, s.Logs.String())
		}
	}
}

// Says waits until the log has a text.
func (p *pebble) Says(s *world.Server, text string) {
	p.T.Helper()
	for deadline := time.Now().Add(20 * time.Second); !strings.Contains(s.Logs.String(), text); <-time.After(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.T.Fatalf("the log has no %q:\n%s", text, s.Logs.String())
		}
	}
}
