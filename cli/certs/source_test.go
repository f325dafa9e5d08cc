package certs

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// trusting returns a pool with the certificates of one PEM file.
func trusting(t *testing.T, name string) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !pool.AppendCertsFromPEM(data) {
		t.Fatalf("no certificate in %s", name)
	}
	return pool
}

// serve answers "hello" on a free loopback port until the test ends.
func serve(t *testing.T, s *Source) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{
		TLSConfig: s.TLSConfig(),
		Handler:   http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("hello")) }),
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	done := make(chan error, 1)
	go func() { done <- srv.ServeTLS(l, "", "") }()
	t.Cleanup(func() {
		srv.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

func TestServer(t *testing.T) {
	s := auto(t, t.TempDir(), loopback, time.Now)
	port := serve(t, s)
	get := func(host string, cfg *tls.Config) (*http.Response, error) {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: cfg, ForceAttemptHTTP2: true}}
		defer c.CloseIdleConnections()
		resp, err := c.Get("https://" + net.JoinHostPort(host, port))
		if err == nil {
			resp.Body.Close()
		}
		return resp, err
	}
	for _, host := range []string{"127.0.0.1", "localhost"} {
		resp, err := get(host, &tls.Config{RootCAs: trusting(t, s.CAPath)})
		if err != nil {
			t.Fatal(err)
		}
		if resp.ProtoMajor != 2 {
			t.Errorf("%s was served with %s", host, resp.Proto)
		}
	}
	if _, err := get("127.0.0.1", &tls.Config{RootCAs: x509.NewCertPool()}); err == nil {
		t.Error("a client that trusts nobody was satisfied")
	}
	if _, err := get("127.0.0.1", &tls.Config{RootCAs: trusting(t, s.CAPath), ServerName: "other.local"}); err == nil {
		t.Error("the certificate was good for a name that nobody asked for")
	}
	old := &tls.Config{RootCAs: trusting(t, s.CAPath), MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	if conn, err := tls.Dial("tcp", net.JoinHostPort("127.0.0.1", port), old); err == nil { // not by HTTP/2, which wants TLS 1.2 itself
		conn.Close()
		t.Error("TLS 1.1 was spoken")
	}
}

// Handshakes at the same time as renewals get one whole certificate or another.
func TestConcurrentHandshakes(t *testing.T) {
	logged(t)
	c := newClock()
	s := auto(t, t.TempDir(), loopback, c.now)
	port := serve(t, s)
	roots := trusting(t, s.CAPath)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 10 {
				c.add(20 * days)
				conn, err := tls.Dial("tcp", "127.0.0.1:"+port, &tls.Config{RootCAs: roots, Time: c.now})
				if err != nil {
					// Another client may have moved the clock past the end of the
					// certificate between the two looks at it.
					if reason := (x509.CertificateInvalidError{}); !errors.As(err, &reason) || reason.Reason != x509.Expired {
						t.Error(err)
					}
					continue
				}
				conn.Close()
			}
		})
	}
	wg.Wait()
	if left := shown(t, s).NotAfter.Sub(c.now()); left < 0 {
		c.add(time.Minute)
		if left = shown(t, s).NotAfter.Sub(c.now()); left < renewBefore {
			t.Errorf("%v left", left)
		}
	}
}
