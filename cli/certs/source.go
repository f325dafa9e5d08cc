// Package certs provides the server's TLS certificate: from files that the operator
// keeps, from an authority that speaks ACME (see OpenACME), or from a small authority
// of the server's own.
//
// The authority lives in the data directory and is made once:
//
//	tls/                 mode 0700, files 0600
//	    ca.pem           the authority's certificate; clients are told to trust it
//	    ca-key.pem       its private key, PKCS #8
//	    server.pem       the certificate the server shows, signed by the authority
//	    server-key.pem   its private key, PKCS #8; a new one with every certificate
//
// Every file is written under a temporary name, synced and renamed, and then the
// directory is synced; a key goes before its certificate. A process that stops in
// between leaves an authority without certificate or a server key that belongs to
// no certificate, and the next start replaces either.
//
// Only one process may use the directory at a time. The lock of the data
// directory sees to that.
package certs

import (
	"crypto/tls"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Source hands out the current certificate. It starts no goroutine: whether
// there is a newer certificate is looked up during handshakes.
type Source struct {
	// CAPath is the file with the certificate that clients have to trust. It is
	// empty for a Source made by Files.
	CAPath string

	now     func() time.Time
	every   time.Duration                             // shortest time between two looks
	refresh func(time.Time) (*tls.Certificate, error) // guarded by mu; nil, nil when nothing changed
	current atomic.Pointer[tls.Certificate]           // never nil
	mu      sync.Mutex                                // held by the one handshake that looks
	next    time.Time                                 // guarded by mu; no look before it
	failure string                                    // guarded by mu; what the last look complained of
}

// newSource starts with a certificate that was just loaded.
func newSource(first *tls.Certificate, every time.Duration, now func() time.Time, refresh func(time.Time) (*tls.Certificate, error)) *Source {
	s := &Source{now: now, every: every, refresh: refresh, next: now().Add(every)}
	s.current.Store(first)
	return s
}

// TLSConfig returns a new configuration for a server: TLS 1.2 at least, HTTP/2
// and HTTP/1.1, and always the certificate that is current at the handshake.
func (s *Source) TLSConfig() *tls.Config {
	return serverConfig(func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		s.look()
		return s.current.Load(), nil
	})
}

// serverConfig is what all ways to a certificate share. The suites are those of Go with
// forward secrecy and authenticated encryption; of TLS 1.3 all are.
func serverConfig(certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)) *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		NextProtos:     []string{"h2", "http/1.1"},
		GetCertificate: certificate,
		CipherSuites: []uint16{
			tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
			tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, tls.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
			tls.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, tls.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
		},
	}
}

// Take goes on with what another source has read, and looks where that one would.
func (s *Source) Take(other *Source) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh, s.next, s.failure = other.refresh, other.next, ""
	s.current.Store(other.current.Load())
}

// look replaces the current certificate when there is a newer one. One handshake
// does the work; those at the same time go on with the certificate at hand. A
// failure leaves that in place, is logged once, and is tried again after every.
func (s *Source) look() {
	if !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	now := s.now()
	if now.Before(s.next) {
		return
	}
	s.next = now.Add(s.every)
	cert, err := s.refresh(now)
	if err != nil {
		if err.Error() != s.failure {
			slog.Warn("the TLS certificate could not be replaced; the old one stays in use",
				"error", err, "valid_until", s.current.Load().Leaf.NotAfter.UTC())
		}
		s.failure = err.Error()
		return
	}
	s.failure = ""
	if cert != nil {
		s.current.Store(cert)
		slog.Info("the TLS certificate was replaced", "valid_until", cert.Leaf.NotAfter.UTC())
	}
}
