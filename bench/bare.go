package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// The bare server is net/http and nothing else: what every Go server pays. It is this
// program again, started as
//
//	bench bare LISTEN DIR [CERT KEY]
//
// It writes the file DIR/NAME at /NAME, and answers /304 with an empty 304.
func bare(args []string) error {
	if len(args) != 2 && len(args) != 4 {
		return fmt.Errorf("usage: bench bare LISTEN DIR [CERT KEY]")
	}
	mux := http.NewServeMux()
	names, err := filepath.Glob(filepath.Join(args[1], "*"))
	if err != nil {
		return fmt.Errorf("cannot look for answers: %w", err)
	}
	for _, path := range names {
		body, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("cannot read an answer: %w", err)
		}
		mux.HandleFunc("/"+filepath.Base(path), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(body)
		})
	}
	mux.HandleFunc("/304", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) })
	s := &http.Server{Addr: args[0], Handler: mux}
	if len(args) == 4 {
		return s.ListenAndServeTLS(args[2], args[3])
	}
	return s.ListenAndServe()
}

// startBare serves answers, by their names, under the same certificate as Alcove.
func startBare(ctx context.Context, dir string, cert *certificate, answers map[string][]byte) (*server, error) {
	folder := filepath.Join(dir, "answers")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("cannot keep the answers: %w", err)
	}
	for name, body := range answers {
		if err := os.WriteFile(filepath.Join(folder, name), body, 0o600); err != nil {
			return nil, fmt.Errorf("cannot keep the answers: %w", err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("cannot find this program: %w", err)
	}
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	args := []string{"bare", listen, folder}
	if cert != nil {
		args = append(args, cert.cert, cert.key)
	}
	return startServer(ctx, dir, "bare", listen, "/list", cert != nil, program, args...)
}

// certificate is a pair of PEM files.
type certificate struct{ cert, key string }

// newCertificate makes a certificate of its own authority for this run.
func newCertificate(dir string) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"bench"}, NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate: %w", err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}
	c := &certificate{filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")}
	for path, block := range map[string]*pem.Block{c.cert: {Type: "CERTIFICATE", Bytes: der}, c.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			return nil, fmt.Errorf("cannot write a certificate: %w", err)
		}
	}
	return c, nil
}
