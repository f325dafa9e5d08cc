// Package doubles is the other services that the server talks to, as tests start them: real programs, such as slapd
// and pebble, and stand-ins that share no code with the server's own clients; and ports and certificates for them.
package doubles

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"testing"
	"time"

	"alcove/tests/disk"
)

// FreePort is a port that nothing listens on. It is below those that the system gives out by itself, so that no server or
// client beside the test gets it while the test's own is stopped or not yet started.
func FreePort(t *testing.T) int {
	t.Helper()
	for range 100 {
		port := 20_000 + mathrand.IntN(12_000)
		if l, err := net.Listen("tcp", Loopback(port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return 0
}

func Loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// SelfSigned writes a certificate for loopback, and its key.
func SelfSigned(t *testing.T, certFile, keyFile string, names ...string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: append(names, "localhost"),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	disk.WriteFile(t, certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	disk.WriteFile(t, keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}
