package certs

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// forge signs a certificate for one host without asking whether the authority may
// vouch for it, as a thief of the key would.
func forge(t *testing.T, a *authority, host string) *x509.Certificate {
	t.Helper()
	key, serial, err := newKey()
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return leaf
}

func TestNameConstraints(t *testing.T) {
	dir := t.TempDir()
	s := auto(t, dir, append([]string{"data.example.org", "203.0.113.7"}, loopback...), time.Now)
	f, err := openFolder(filepath.Dir(s.CAPath))
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	ca, err := loadAuthority(f, nil, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !ca.cert.PermittedDNSDomainsCritical {
		t.Error("the name constraints are not critical")
	}
	roots := trusting(t, s.CAPath)
	for host, allowed := range map[string]bool{
		"localhost": true, "app.localhost": true, "lab.local": true, "data.internal": true, "nas.home.arpa": true,
		"127.0.0.1": true, "127.9.9.9": true, "::1": true, "10.1.2.3": true, "172.31.0.1": true, "192.168.1.1": true, "fd00::1": true,
		"data.example.org": true, "203.0.113.7": true,

		"google.com": false, "example.org": false, "other.example.org": false, "notlocal": false, "local.example": false,
		"8.8.8.8": false, "203.0.113.8": false, "172.32.0.1": false, "::2": false, "2001:db8::1": false,
	} {
		_, err := forge(t, ca, host).Verify(x509.VerifyOptions{Roots: roots, DNSName: host})
		var reason x509.CertificateInvalidError
		refused := errors.As(err, &reason) && reason.Reason == x509.CANotAuthorizedForThisName
		if allowed && err != nil || !allowed && !refused {
			t.Errorf("%s: %v", host, err)
		}
	}
}

// The authority cannot be widened afterwards, and the message says what to do.
func TestHostOutsideTheAuthority(t *testing.T) {
	dir := t.TempDir()
	auto(t, dir, loopback, time.Now)
	before := readAll(t, dir)
	for _, host := range []string{"data.example.org", "203.0.113.7"} {
		_, err := Auto(dir, append([]string{host}, loopback...), time.Now)
		if err == nil {
			t.Fatalf("%s was accepted", host)
		}
		for _, want := range []string{host, filepath.Join(dir, "tls", caCert) + " was not made for", "remove " + filepath.Join(dir, "tls")} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	}
	for name, text := range readAll(t, dir) {
		if text != before[name] {
			t.Errorf("%s was changed", name)
		}
	}
	if _, err := Auto(t.TempDir(), []string{"", "."}, time.Now); err == nil {
		t.Error("a certificate for nobody")
	}
}

func TestDamagedFiles(t *testing.T) {
	other := t.TempDir()
	auto(t, other, loopback, time.Now)
	foreign := readAll(t, other)
	for _, tc := range []struct {
		file   string
		damage func(text string) string
		want   string
	}{
		{caCert, func(s string) string { return "" }, "it is not one PEM block of the type CERTIFICATE"},
		{caCert, func(s string) string { return s[:len(s)/2] }, "it is not one PEM block"},
		{caCert, func(s string) string { return s + s }, "it is not one PEM block"},
		{caCert, func(s string) string { return strings.Repeat("x", maxFile+1) }, "is larger than"},
		{caCert, func(s string) string { return foreign[caKey] }, "it is not one PEM block of the type CERTIFICATE"},
		{caCert, func(s string) string { return "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" }, "x509: malformed certificate"},
		{caKey, func(s string) string { return "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" }, "asn1"},
		{caKey, func(s string) string { return foreign[caKey] }, "it is not the key of"},
		{caKey, nil, "no such file"},
		{serverCert, func(s string) string { return "rubbish" }, "it is not one PEM block"},
		{serverKey, func(s string) string { return s[1:] }, "when it is removed, a new one is made"},
	} {
		dir := t.TempDir()
		auto(t, dir, loopback, time.Now)
		name := filepath.Join(dir, "tls", tc.file)
		text := readAll(t, dir)[tc.file]
		if tc.damage == nil {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(name, []byte(tc.damage(text)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Auto(dir, loopback, time.Now)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %s", tc.file, err, tc.want)
		}
	}
}

// A certificate of the server in the place of the authority's is noticed.
func TestLeafIsNoAuthority(t *testing.T) {
	dir := t.TempDir()
	auto(t, dir, loopback, time.Now)
	files := readAll(t, dir)
	for from, to := range map[string]string{serverCert: caCert, serverKey: caKey} {
		if err := os.WriteFile(filepath.Join(dir, "tls", to), []byte(files[from]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Auto(dir, loopback, time.Now); err == nil || !strings.Contains(err.Error(), "ca.pem: it is not the certificate of an authority") {
		t.Errorf("got %v", err)
	}
}

// A process may stop after each step of writing. The next start repairs what is
// half done and keeps the authority once its certificate exists.
func TestInterruptedWrites(t *testing.T) {
	other := t.TempDir()
	auto(t, other, loopback, time.Now)
	foreign := readAll(t, other)
	for _, tc := range []struct {
		name   string
		change map[string]string // "" removes the file
		keepCA bool
	}{
		{"key of an authority without certificate", map[string]string{caCert: "", serverCert: "", serverKey: ""}, false},
		{"no certificate of the server yet", map[string]string{serverCert: "", serverKey: ""}, true},
		{"its key only", map[string]string{serverCert: ""}, true},
		{"new key and old certificate", map[string]string{serverKey: foreign[serverKey]}, true},
		{"certificate of another authority", map[string]string{serverCert: foreign[serverCert], serverKey: foreign[serverKey]}, true},
		{"key of the server removed", map[string]string{serverKey: ""}, true},
		{"half a temporary file", map[string]string{serverKey + ".tmp": "-----BEG", caKey + ".tmp": "x", serverCert: ""}, true},
	} {
		dir := t.TempDir()
		auto(t, dir, loopback, time.Now)
		before := readAll(t, dir)
		for name, text := range tc.change {
			path := filepath.Join(dir, "tls", name)
			err := os.WriteFile(path, []byte(text), 0o600)
			if text == "" {
				err = os.Remove(path)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		s, err := Auto(dir, loopback, time.Now)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if kept := readAll(t, dir)[caCert] == before[caCert]; kept != tc.keepCA {
			t.Errorf("%s: authority kept is %v", tc.name, kept)
		}
		if _, err := shown(t, s).Verify(x509.VerifyOptions{Roots: trusting(t, s.CAPath), DNSName: "localhost"}); err != nil {
			t.Errorf("%s: %v", tc.name, err)
		}
		if !s.current.Load().PrivateKey.(*ecdsa.PrivateKey).PublicKey.Equal(shown(t, s).PublicKey) {
			t.Errorf("%s: the key does not belong to the certificate", tc.name)
		}
	}
}

// The lists that decide what goes into the constraints agree with the verifier.
func TestLocal(t *testing.T) {
	for name, want := range map[string]bool{"localhost": true, "a.local": true, "local": true, "xlocal": false, "local.org": false} {
		if isLocalName(name) != want {
			t.Errorf("%s", name)
		}
	}
	for ip, want := range map[string]bool{"127.0.0.2": true, "::ffff:10.0.0.1": true, "fdff::": true, "1.1.1.1": false, "fe80::1": false} {
		if isLocalIP(net.ParseIP(ip)) != want {
			t.Errorf("%s", ip)
		}
	}
}
