package certs

import (
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Auto keeps an authority and a certificate for hosts in the directory tls inside
// dir, making what is missing. Hosts are DNS names and IP addresses; there must be
// at least one. The authority stays the same from start to start for ten years.
// The certificate is valid for 90 days and is replaced when fewer than 30 days
// remain, at the start or while the server runs, and at a start with other hosts.
//
// A file that is there and cannot be used is an error that names it: nothing that
// a client may trust is replaced because it looks damaged. It is an error too when
// a host is neither local nor one that the authority was made for.
func Auto(dir string, hosts []string, now func() time.Time) (*Source, error) {
	path, err := filepath.Abs(filepath.Join(dir, "tls"))
	if err != nil {
		return nil, fmt.Errorf("cannot find the data directory: %w", err)
	}
	k := &keeper{path: path, hosts: normal(hosts)}
	if len(k.hosts) == 0 {
		return nil, errors.New("cannot make a certificate for no host at all")
	}
	first, err := k.load(now())
	if err != nil {
		return nil, err
	}
	k.until = first.Leaf.NotAfter
	s := newSource(first, time.Minute, now, k.renew)
	s.CAPath = filepath.Join(path, caCert)
	return s, nil
}

// normal writes hosts the way certificates do, sorted and each once.
func normal(hosts []string) []string {
	var list []string
	for _, h := range hosts {
		h = strings.ToLower(strings.TrimSuffix(h, "."))
		if ip := net.ParseIP(h); ip != nil {
			h = ip.String()
		}
		if h != "" {
			list = append(list, h)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// keeper keeps the certificate on disk fresh.
type keeper struct {
	path  string
	hosts []string
	until time.Time // when the certificate in use ends
}

// renew makes a new certificate when the one in use ends soon.
func (k *keeper) renew(now time.Time) (*tls.Certificate, error) {
	if k.until.Sub(now) >= renewBefore {
		return nil, nil
	}
	cert, err := k.load(now)
	if err != nil {
		return nil, err
	}
	k.until = cert.Leaf.NotAfter
	return cert, nil
}

// load returns the certificate from the disk, or a new one when that is not
// good any more.
func (k *keeper) load(now time.Time) (*tls.Certificate, error) {
	f, err := openFolder(k.path)
	if err != nil {
		return nil, err
	}
	defer f.close()
	ca, err := loadAuthority(f, k.hosts, now)
	if err != nil {
		return nil, err
	}
	leaf, err := f.certificate(serverCert)
	var key *ecdsa.PrivateKey
	if err == nil {
		key, err = f.key(serverKey)
	}
	if errors.Is(err, os.ErrNotExist) {
		return k.replace(f, ca, now)
	}
	if err != nil {
		return nil, fmt.Errorf("%w; when it is removed, a new one is made", err)
	}
	if !key.PublicKey.Equal(leaf.PublicKey) || leaf.NotAfter.Sub(now) < renewBefore ||
		!slices.Equal(hostsOf(leaf), k.hosts) || ca.verify(leaf, now) != nil {
		return k.replace(f, ca, now)
	}
	return &tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}, nil
}

// replace issues a certificate and stores it.
func (k *keeper) replace(f *folder, ca *authority, now time.Time) (*tls.Certificate, error) {
	der, key, err := ca.issue(k.hosts, now)
	if reason := (x509.CertificateInvalidError{}); errors.As(err, &reason) && reason.Reason == x509.CANotAuthorizedForThisName {
		return nil, fmt.Errorf("cannot make a certificate for %s: %s was not made for all of these names (%w); "+
			"use certificate files, or remove %s so that a new authority is made, which every client then has to trust",
			strings.Join(k.hosts, ", "), f.file(caCert), err, f.path)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate with %s: %w", f.file(caCert), err)
	}
	if err := f.writePair(serverCert, serverKey, der, key); err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("cannot read back a new certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}, nil
}

// hostsOf lists the names and addresses that a certificate is for, as normal does.
func hostsOf(leaf *x509.Certificate) []string {
	hosts := slices.Clone(leaf.DNSNames)
	for _, ip := range leaf.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	return normal(hosts)
}
