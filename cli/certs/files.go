package certs

import (
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// maxFile bounds a certificate or key file, in bytes.
const maxFile = 1 << 20

// Files takes the certificate, with its chain, and the private key from two PEM
// files. At most once a second a handshake looks whether one of them was
// replaced or written, and then reads both again. A pair that does not load, as
// while only one of the two is new, leaves the old pair in use.
func Files(cert, key string) (*Source, error) {
	return files(cert, key, time.Now)
}

func files(cert, key string, now func() time.Time) (*Source, error) {
	p := &pair{cert: cert, key: key}
	first, err := p.load(now())
	if err != nil {
		return nil, err
	}
	return newSource(first, time.Second, now, p.load), nil
}

// pair is a certificate file and a key file as they were last read.
type pair struct {
	cert, key         string
	certInfo, keyInfo os.FileInfo
}

// load reads the pair, or returns nil when neither file changed since the last
// time it was read with success.
func (p *pair) load(now time.Time) (*tls.Certificate, error) {
	certInfo, err := os.Stat(p.cert)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate: %w", err)
	}
	keyInfo, err := os.Stat(p.key)
	if err != nil {
		return nil, fmt.Errorf("cannot read the private key: %w", err)
	}
	if unchanged(p.certInfo, certInfo) && unchanged(p.keyInfo, keyInfo) {
		return nil, nil
	}
	certPEM, err := readFile(os.Open(p.cert))
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate: %w", err)
	}
	keyPEM, err := readFile(os.Open(p.key))
	if err != nil {
		return nil, fmt.Errorf("cannot read the private key: %w", err)
	}
	cert, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("cannot use certificate %s with key %s: %w", p.cert, p.key, err)
	}
	p.certInfo, p.keyInfo = certInfo, keyInfo
	switch {
	case now.Before(cert.Leaf.NotBefore):
		slog.Warn("the TLS certificate is not valid yet", "file", p.cert, "valid_from", cert.Leaf.NotBefore.UTC(), "clock", now.UTC())
	case now.After(cert.Leaf.NotAfter):
		slog.Warn("the TLS certificate has expired", "file", p.cert, "valid_until", cert.Leaf.NotAfter.UTC(), "clock", now.UTC())
	}
	return &cert, nil
}

// unchanged compares what the system says of a file now with what it said
// before. A renamed or relinked file counts as changed even with an equal time.
func unchanged(before, now os.FileInfo) bool {
	return before != nil && os.SameFile(before, now) &&
		before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size()
}

// readFile reads a file that was just opened, up to maxFile, and closes it.
func readFile(f *os.File, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", f.Name(), maxFile)
	}
	return data, err
}
