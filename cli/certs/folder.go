package certs

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"alcove/cli/osfile"
)

const (
	caCert     = "ca.pem"
	caKey      = "ca-key.pem"
	serverCert = "server.pem"
	serverKey  = "server-key.pem"
)

// folder is the directory tls of the data directory. Every error it returns has
// the path of the file in it.
type folder struct {
	path string
	root *os.Root
}

// openFolder makes the directory if there is none, closes it to other people,
// and opens it.
func openFolder(path string) (*folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the directory for certificates: %w", err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		return nil, fmt.Errorf("cannot close the directory for certificates to others: %w", err)
	}
	parent, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("cannot open the data directory: %w", err)
	}
	defer parent.Close()
	if err := syncDirectory(parent); err != nil {
		return nil, err
	}
	root, err := parent.OpenRoot(filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("cannot open the directory for certificates: %w", err)
	}
	return &folder{path, root}, nil
}

func (f *folder) close() { f.root.Close() }

func (f *folder) file(name string) string { return filepath.Join(f.path, name) }

// certificate reads a certificate; a missing file is os.ErrNotExist.
func (f *folder) certificate(name string) (*x509.Certificate, error) {
	der, err := f.block(name, "CERTIFICATE")
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", f.file(name), err)
	}
	return cert, nil
}

// key reads a private key; a missing file is os.ErrNotExist.
func (f *folder) key(name string) (*ecdsa.PrivateKey, error) {
	der, err := f.block(name, "PRIVATE KEY")
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", f.file(name), err)
	}
	key, isECDSA := parsed.(*ecdsa.PrivateKey)
	if !isECDSA {
		return nil, fmt.Errorf("cannot use %s: it is not an ECDSA key", f.file(name))
	}
	return key, nil
}

// block reads a file that consists of one PEM block of the given type.
func (f *folder) block(name, kind string) ([]byte, error) {
	text, err := readFile(f.root.Open(name))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", f.file(name), err)
	}
	b, rest := pem.Decode(text)
	if b == nil || b.Type != kind || len(bytes.TrimSpace(rest)) > 0 {
		return nil, fmt.Errorf("cannot use %s: it is not one PEM block of the type %s", f.file(name), kind)
	}
	return b.Bytes, nil
}

// writePair stores a key and then its certificate, each whole or not at all.
func (f *folder) writePair(certName, keyName string, cert []byte, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("cannot encode a private key: %w", err)
	}
	if err := f.write(keyName, "PRIVATE KEY", der); err != nil {
		return err
	}
	return f.write(certName, "CERTIFICATE", cert)
}

// write replaces a file with one PEM block, as writeFile does.
func (f *folder) write(name, kind string, der []byte) error {
	return f.writeFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// writeFile replaces a file and returns when the new one is on the disk. The
// temporary name is the same every time, so a process that stops in between
// leaves one such file at most.
func (f *folder) writeFile(name string, data []byte) error {
	temp := name + ".tmp"
	err := f.writeSynced(temp, data)
	if err == nil {
		err = f.root.Rename(temp, name)
	}
	if err == nil {
		err = syncDirectory(f.root)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", f.file(name), err)
	}
	return nil
}

func (f *folder) writeSynced(name string, data []byte) error {
	if err := f.root.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

func syncDirectory(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return fmt.Errorf("cannot sync a directory: %w", err)
	}
	defer d.Close()
	if err := osfile.SyncNames(d); err != nil {
		return fmt.Errorf("cannot sync a directory: %w", err)
	}
	return nil
}
