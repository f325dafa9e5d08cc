package certs

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/acme/autocert"
)

// acmeStore keeps what autocert wants kept: the key of the account, and private key and
// chain of each host. Answers to challenges live in memory only, as one process answers.
type acmeStore struct {
	path    string
	context context.Context // nothing is written after its end
	log     *slog.Logger
}

func openACMEStore(dir, directory string, log *slog.Logger) (*acmeStore, error) {
	u, err := url.Parse(directory)
	if err != nil {
		return nil, fmt.Errorf("cannot use the address of the ACME server: %w", err)
	}
	path, err := filepath.Abs(filepath.Join(dir, "acme"))
	if err != nil {
		return nil, fmt.Errorf("cannot find the data directory: %w", err)
	}
	name := fmt.Sprintf("%s-%.4x", u.Hostname(), sha256.Sum256([]byte(directory)))
	for _, p := range []string{path, filepath.Join(path, name)} {
		f, err := openFolder(p)
		if err != nil {
			return nil, err
		}
		f.close()
	}
	return &acmeStore{path: filepath.Join(path, name), log: log}, nil
}

// file is the name for a key of autocert; false for what is not kept.
func (s *acmeStore) file(key string) (string, bool) {
	if key == "acme_account+key" {
		return "account-key.pem", true
	}
	return key + ".pem", !strings.ContainsAny(key, "+/") && key != "acme_account.key"
}

// Get returns what is kept under a key, or autocert.ErrCacheMiss.
func (s *acmeStore) Get(_ context.Context, key string) ([]byte, error) {
	name, kept := s.file(key)
	if !kept {
		return nil, autocert.ErrCacheMiss
	}
	f, err := openFolder(s.path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	data, err := readFile(f.root.Open(name))
	if errors.Is(err, os.ErrNotExist) {
		return nil, autocert.ErrCacheMiss
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", f.file(name), err)
	}
	return data, nil
}

// Put returns when what is to be kept is on the disk.
func (s *acmeStore) Put(_ context.Context, key string, data []byte) error {
	name, kept := s.file(key)
	if !kept {
		return nil
	}
	if err := s.context.Err(); err != nil {
		return err
	}
	f, err := openFolder(s.path)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.writeFile(name, data); err != nil {
		s.log.Error("cannot keep what the ACME server gave; it will be asked for again at the next start", "error", err)
		return err
	}
	if leaf := firstCertificate(data); leaf != nil {
		s.log.Info("a TLS certificate was obtained", "host", key, "valid_until", leaf.NotAfter.UTC(), "issuer", leaf.Issuer.String(), "file", f.file(name))
	}
	return nil
}

// Delete removes what is kept under a key, if anything is.
func (s *acmeStore) Delete(_ context.Context, key string) error {
	name, kept := s.file(key)
	if !kept {
		return nil
	}
	f, err := openFolder(s.path)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot remove %s: %w", f.file(name), err)
	}
	return nil
}

// firstCertificate is the first one in PEM text, nil when there is none.
func firstCertificate(text []byte) *x509.Certificate {
	for {
		var b *pem.Block
		if b, text = pem.Decode(text); b == nil {
			return nil
		}
		if b.Type == "CERTIFICATE" {
			cert, err := x509.ParseCertificate(b.Bytes)
			if err != nil {
				return nil
			}
			return cert
		}
	}
}
