package certs

import (
	"crypto/tls"
	"crypto/x509"
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
	leaf              *x509.Certificate
	told              string // what was last logged of its validity
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
		p.tell(now)
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
	p.leaf, p.told = cert.Leaf, ""
	p.tell(now)
	return &cert, nil
}

// endsSoon is how long before its end a certificate is called to mind.
const endsSoon = 7 * 24 * time.Hour

// tell logs that the certificate is not valid, or not for long, once for each reason.
func (p *pair) tell(now time.Time) {
	why := ""
	switch {
	case now.Before(p.leaf.NotBefore):
		why = "the TLS certificate is not valid yet"
	case now.After(p.leaf.NotAfter):
		why = "the TLS certificate has expired"
	case p.leaf.NotAfter.Sub(now) < min(endsSoon, p.leaf.NotAfter.Sub(p.leaf.NotBefore)/4):
		why = "the TLS certificate ends soon, and its files have not been replaced"
	}
	if why != p.told && why != "" {
		slog.Warn(why, "file", p.cert, "valid_from", p.leaf.NotBefore.UTC(), "valid_until", p.leaf.NotAfter.UTC(), "clock", now.UTC())
	}
	p.told = why
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
