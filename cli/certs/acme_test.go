package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// With a server that speaks ACME all this is tested in tests/access/acme_test.go.

func openACME(t *testing.T, dir string, change func(*ACMEOptions)) (*ACME, error) {
	t.Helper()
	o := ACMEOptions{Domains: []string{"data.example.org"}, Directory: "https://127.0.0.1:1/dir", Log: slog.New(slog.DiscardHandler)}
	change(&o)
	a, err := OpenACME(dir, o)
	if err == nil {
		t.Cleanup(a.Close)
	}
	return a, err
}

func TestACMEFilesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "words": "not a key!", "good": " zWNDZM6eQGHWpSRTPal5eA== \n", "standard": "zW+/ZM6eQGHWpSRTPal5eA=="} {
		put(t, filepath.Join(dir, name), text)
	}
	for _, tc := range []struct{ ca, key, want string }{
		{key: "good"},
		{key: "none", want: "cannot read the key of the external account binding: "},
		{key: "empty", want: "in base64url, and nothing else"},
		{key: "words", want: "in base64url, and nothing else"},
		{key: "standard", want: "in base64url, and nothing else"},
		{ca: "none", want: "cannot read the authority of the ACME server: "},
		{ca: "words", want: "there is no certificate in it"},
	} {
		_, err := openACME(t, dir, func(o *ACMEOptions) {
			if tc.ca != "" {
				o.CA = filepath.Join(dir, tc.ca)
			}
			if tc.key != "" {
				o.KeyID, o.KeyFile = "id", filepath.Join(dir, tc.key)
			}
		})
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), dir)) {
			t.Errorf("%+v: %v", tc, err)
		}
	}
}

// Stored certificates can be read by their owner only and come back as they were; answers to
// challenges are not stored, and nothing is once all ends.
func TestACMEStore(t *testing.T) {
	dir := t.TempDir()
	a, err := openACME(t, dir, func(*ACMEOptions) {})
	if err != nil {
		t.Fatal(err)
	}
	store, ctx := a.manager.Cache, context.Background()
	for _, key := range []string{"data.example.org", "acme_account+key"} {
		if _, err := store.Get(ctx, key); !errors.Is(err, autocert.ErrCacheMiss) {
			t.Errorf("%s was there: %v", key, err)
		}
		if err := store.Put(ctx, key, []byte("of "+key)); err != nil {
			t.Error(err)
		}
		if got, err := store.Get(ctx, key); err != nil || string(got) != "of "+key {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	for _, key := range []string{"data.example.org+token", "x+http-01", "data.example.org+rsa", "../x", "acme_account.key"} {
		if err := store.Put(ctx, key, []byte("x")); err != nil {
			t.Error(err)
		}
		if _, err := store.Get(ctx, key); !errors.Is(err, autocert.ErrCacheMiss) {
			t.Errorf("%s: %v", key, err)
		}
		if err := store.Delete(ctx, key); err != nil {
			t.Error(err)
		}
	}
	var names []string
	err = filepath.WalkDir(filepath.Join(dir, "acme"), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		if !d.IsDir() {
			names = append(names, d.Name())
		}
		return err
	})
	if want := []string{"account-key.pem", "data.example.org.pem"}; err != nil || !slices.Equal(names, want) {
		t.Errorf("%v, %v, want %v", names, err, want)
	}
	for range 2 {
		if err := store.Delete(ctx, "data.example.org"); err != nil {
			t.Error(err)
		}
	}
	a.Close()
	if err := store.Put(ctx, "data.example.org", []byte("x")); err == nil {
		t.Error("something was kept after the end")
	}
}

// Handshakes for hosts without a certificate are refused at once, whatever they ask for.
func TestACMEHandshakes(t *testing.T) {
	a, err := openACME(t, t.TempDir(), func(*ACMEOptions) {})
	if err != nil {
		t.Fatal(err)
	}
	config := a.TLSConfig()
	for name, want := range map[string]error{"data.example.org": errNotYet, "DATA.example.org.": errNotYet, "": errNotYet, "other.example.org": nil, "localhost": nil} {
		cert, err := config.GetCertificate(&tls.ClientHelloInfo{ServerName: name})
		if cert != nil || !errors.Is(err, want) {
			t.Errorf("%q: %v, %v", name, cert, err)
		}
	}
	other, err := config.GetConfigForClient(&tls.ClientHelloInfo{ServerName: "data.example.org", SupportedProtos: []string{"h2", acme.ALPNProto}})
	if other != nil || err != nil {
		t.Errorf("who speaks HTTP, too, is no challenge: %v, %v", other, err)
	}
	challenge, err := config.GetConfigForClient(&tls.ClientHelloInfo{SupportedProtos: []string{acme.ALPNProto}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"data.example.org", "other.example.org", ""} {
		cert, err := challenge.GetCertificate(&tls.ClientHelloInfo{ServerName: name, SupportedProtos: []string{acme.ALPNProto}})
		if cert != nil || (err == nil) != (name != "data.example.org") {
			t.Errorf("challenge for %q: %v, %v", name, cert, err)
		}
	}
}

func TestACMEProblems(t *testing.T) {
	const refusal = "application/problem+json"
	for _, tc := range []struct{ kind, body, want string }{
		{refusal, `{"type": "urn:ietf:params:acme:error:rateLimited", "detail": "too many certificates"}`, "too many certificates (rateLimited)"},
		{refusal + "; charset=utf-8", `{"type": "urn:ietf:params:acme:error:badNonce", "detail": "old"}`, ""},
		{refusal, `{"type": "urn:ietf:params:acme:error:compound", "subproblems": [{"type": "x", "detail": "no", "identifier": {"value": "a.example"}}]}`, "no reason given (compound)|a.example: no (x)"},
		{refusal, `nonsense`, ""},
		{"application/json", `{"status": "pending", "identifier": {"value": "a.example"}, "challenges": [{"type": "dns-01"}, {"type": "http-01", "error": {"detail": "404"}}]}`, "a.example: challenge http-01: 404"},
		{"application/json", `{"status": "invalid", "error": {"type": "urn:ietf:params:acme:error:caa", "detail": "forbidden"}}`, "forbidden (caa)"},
		{"application/pem-certificate-chain", "-----BEGIN CERTIFICATE-----", ""},
	} {
		if got := strings.Join(problems(tc.kind, []byte(tc.body)), "|"); got != tc.want {
			t.Errorf("%s %s: %q, want %q", tc.kind, tc.body, got, tc.want)
		}
	}
}

func TestACMEOverdue(t *testing.T) {
	begin := time.Now()
	for _, tc := range []struct {
		lives, at int // days
		want      bool
	}{{90, 59, false}, {90, 67, false}, {90, 68, true}, {90, 91, true}, {6, 4, false}, {6, 5, true}, {397, 370, false}, {397, 380, true}} {
		leaf := &x509.Certificate{NotBefore: begin, NotAfter: begin.Add(time.Duration(tc.lives) * days)}
		if got := overdue(leaf, begin.Add(time.Duration(tc.at)*days)); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}
