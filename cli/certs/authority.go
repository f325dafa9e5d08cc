package certs

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"strings"
	"time"
)

const (
	authorityLife = 10 * 365 * 24 * time.Hour
	leafLife      = 90 * 24 * time.Hour
	renewBefore   = 30 * 24 * time.Hour

	// backdate lets clients accept a new certificate whose clock is a little
	// behind ours.
	backdate = time.Hour
)

// Trust in ca.pem lets every holder of ca-key.pem impersonate every name that the authority may
// vouch for. So the certificate says, in a name constraint that is critical (RFC 5280, 4.2.1.10),
// which names those are: the ones that mean something only on one machine or in one local
// network, which no public authority vouches for either. A key that leaks is then of no use
// against the web, mail or bank of the person who trusted it.
//
// The private address ranges belong to the list for the same reason, and because the constraint
// cannot be changed later: a repository that is tried on loopback and then opened to the
// laboratory keeps its authority. The cost: a thief of the key could impersonate other devices in
// local networks where it is trusted, as is the case for .local and home.arpa.
//
// A server whose name is a public one gets exactly that name on top, and what
// lies below it, when its authority is made. It can be impersonated by its own
// key, which is true of any server.
var (
	localNames = []string{"localhost", "local", "internal", "home.arpa"}
	localNets  = []net.IPNet{
		network("127.0.0.0/8"), network("::1/128"),
		network("10.0.0.0/8"), network("172.16.0.0/12"), network("192.168.0.0/16"), network("fc00::/7"),
	}
)

func network(cidr string) net.IPNet {
	_, n, err := net.ParseCIDR(cidr)
	if err != nil {
		panic(err)
	}
	return *n
}

// authority signs the server's certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// loadAuthority reads the authority from the folder. It makes one when there is
// no certificate or when the one there is ends too soon to be of use.
func loadAuthority(f *folder, hosts []string, now time.Time) (*authority, error) {
	cert, err := f.certificate(caCert)
	if errors.Is(err, os.ErrNotExist) {
		return makeAuthority(f, hosts, now)
	}
	if err != nil {
		return nil, err
	}
	if now.Before(cert.NotBefore) {
		return nil, fmt.Errorf("cannot use %s: it is valid from %s, and the clock of this machine says %s",
			f.file(caCert), cert.NotBefore.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	if cert.NotAfter.Sub(now) < renewBefore {
		slog.Warn("the local certificate authority is at its end; a new one takes its place, which clients have to trust",
			"file", f.file(caCert), "valid_until", cert.NotAfter.UTC())
		return makeAuthority(f, hosts, now)
	}
	key, err := f.key(caKey)
	if err != nil {
		return nil, err
	}
	if !cert.IsCA {
		return nil, fmt.Errorf("cannot use %s: it is not the certificate of an authority", f.file(caCert))
	}
	if !key.PublicKey.Equal(cert.PublicKey) {
		return nil, fmt.Errorf("cannot use %s: it is not the key of %s", f.file(caKey), f.file(caCert))
	}
	return &authority{cert, key}, nil
}

func makeAuthority(f *folder, hosts []string, now time.Time) (*authority, error) {
	key, serial, err := newKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject: pkix.Name{
			Organization: []string{"Alcove"},
			CommonName:   fmt.Sprintf("Alcove local authority %.4x", serial.Bytes()),
		},
		NotBefore:             now.Add(-backdate),
		NotAfter:              now.Add(authorityLife),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},

		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         append([]string{}, localNames...),
	}
	for i := range localNets {
		template.PermittedIPRanges = append(template.PermittedIPRanges, &localNets[i])
	}
	for _, h := range hosts {
		ip := net.ParseIP(h)
		switch {
		case ip == nil && !isLocalName(h):
			template.PermittedDNSDomains = append(template.PermittedDNSDomains, h)
		case ip != nil && !isLocalIP(ip):
			template.PermittedIPRanges = append(template.PermittedIPRanges, single(ip))
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("cannot make a certificate authority: %w", err)
	}
	if err := f.writePair(caCert, caKey, der, key); err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("cannot read back a new certificate: %w", err)
	}
	slog.Info("a local certificate authority was made", "file", f.file(caCert), "valid_until", cert.NotAfter.UTC())
	return &authority{cert, key}, nil
}

// issue signs a certificate for the hosts. It fails for a host that the
// authority may not vouch for, since no client would accept the certificate.
func (a *authority) issue(hosts []string, now time.Time) ([]byte, *ecdsa.PrivateKey, error) {
	key, serial, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{Organization: []string{"Alcove"}},
		NotBefore:    now.Add(-backdate),
		NotAfter:     now.Add(leafLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},

		BasicConstraintsValid: true,
	}
	if template.NotAfter.After(a.cert.NotAfter) {
		template.NotAfter = a.cert.NotAfter
	}
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, h)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot sign a certificate for %s: %w", strings.Join(hosts, ", "), err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot read back a new certificate: %w", err)
	}
	if err := a.verify(leaf, now); err != nil {
		return nil, nil, err
	}
	return der, key, nil
}

// verify does what a client does that trusts nothing but this authority.
func (a *authority) verify(leaf *x509.Certificate, now time.Time) error {
	roots := x509.NewCertPool()
	roots.AddCert(a.cert)
	_, err := leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now})
	return err
}

// newKey returns a P-256 key and a random serial number of 127 bits.
func newKey() (*ecdsa.PrivateKey, *big.Int, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, fmt.Errorf("cannot make a serial number: %w", err)
	}
	return key, serial, nil
}

func isLocalName(name string) bool {
	for _, n := range localNames {
		if name == n || strings.HasSuffix(name, "."+n) {
			return true
		}
	}
	return false
}

func isLocalIP(ip net.IP) bool {
	for _, n := range localNets {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// single is the network with one address.
func single(ip net.IP) *net.IPNet {
	if v4 := ip.To4(); v4 != nil {
		return &net.IPNet{IP: v4, Mask: net.CIDRMask(32, 32)}
	}
	return &net.IPNet{IP: ip, Mask: net.CIDRMask(128, 128)}
}
