package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// ACMEOptions say where certificates come from, and for which hosts.
type ACMEOptions struct {
	Domains   []string // lower case, ASCII; at least one
	Email     string   // may be empty
	Directory string   // address of the ACME server's directory (RFC 8555, 7.1.1)
	CA        string   // PEM file that the server's own certificate is checked against; empty for the system's
	KeyID     string   // external account binding (RFC 8555, 7.3.4), empty for none
	KeyFile   string   // its HMAC key in base64url
	Log       *slog.Logger
}

// ACME obtains certificates from a server that speaks ACME (RFC 8555), and renews them when
// a third of their time is left, or thirty days. Making one agrees to the terms of service
// that the server names; the log has their address.
//
// Handshakes never wait for the server: as long as there is no certificate for a host, and for
// hosts that are not configured, they are refused.
type ACME struct {
	manager *autocert.Manager
	domains []string
	ready   map[string]*atomic.Bool // a certificate has been there
	log     *slog.Logger
	context context.Context // ends with Close
	stop    context.CancelFunc
}

// OpenACME prepares what Start begins. Certificates and the key of the account are kept below
// dir, in a directory for each ACME server:
//
//	acme/                         mode 0700, files 0600
//	    HOST-XXXXXXXX/            host of the server, beginning of the SHA-256 of its address
//	        account-key.pem       the key that the server knows us by
//	        data.example.org.pem  private key and chain of one host
//
// An authority or a key for the account binding that cannot be read is an error that names
// the file.
func OpenACME(dir string, o ACMEOptions) (*ACME, error) {
	store, err := openACMEStore(dir, o.Directory, o.Log)
	if err != nil {
		return nil, err
	}
	a := &ACME{domains: o.Domains, ready: map[string]*atomic.Bool{}, log: o.Log}
	a.context, a.stop = context.WithCancel(context.Background())
	store.context = a.context
	for _, d := range o.Domains {
		a.ready[d] = new(atomic.Bool)
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CA != "" {
		if base.TLSClientConfig.RootCAs, err = readAuthorities(o.CA); err != nil {
			return nil, err
		}
	}
	binding, err := readBinding(o.KeyID, o.KeyFile)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(a.context, base.CloseIdleConnections)
	a.manager = &autocert.Manager{
		Prompt: func(terms string) bool {
			o.Log.Info("agreeing to the terms of service of the ACME server", "terms", terms)
			return true
		},
		Cache:                  store,
		HostPolicy:             autocert.HostWhitelist(o.Domains...),
		Email:                  o.Email,
		ExternalAccountBinding: binding,
		Client: &acme.Client{
			DirectoryURL: o.Directory, UserAgent: "alcove",
			HTTPClient: &http.Client{Transport: &watcher{base: base, context: a.context, log: o.Log}, Timeout: 30 * time.Second},
		},
	}
	return a, nil
}

func readAuthorities(name string) (*x509.CertPool, error) {
	text, err := readFile(os.Open(name))
	if err != nil {
		return nil, fmt.Errorf("cannot read the authority of the ACME server: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("cannot use %s as the authority of the ACME server: there is no certificate in it", name)
	}
	return pool, nil
}

func readBinding(id, name string) (*acme.ExternalAccountBinding, error) {
	if id == "" {
		return nil, nil
	}
	text, err := readFile(os.Open(name))
	if err != nil {
		return nil, fmt.Errorf("cannot read the key of the external account binding: %w", err)
	}
	key, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(string(text)), "="))
	if err != nil || len(key) == 0 {
		return nil, fmt.Errorf("cannot use %s: it must hold the key of the external account binding in base64url, and nothing else", name)
	}
	return &acme.ExternalAccountBinding{KID: id, Key: key}, nil
}

// Challenges answers the http-01 challenges (RFC 8555, 8.3) of orders that begin after this
// call, and nothing else: what is other gets 404. It is meant for plain HTTP at port 80.
func (a *ACME) Challenges() http.Handler {
	h := a.manager.HTTPHandler(http.NotFoundHandler())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, err := net.SplitHostPort(r.Host); err == nil { // the manager knows hosts without ports
			r = r.Clone(r.Context())
			r.Host = host
		}
		h.ServeHTTP(w, r)
	})
}

// Start obtains what is missing, in the background. The listener must be open.
func (a *ACME) Start() {
	for _, d := range a.domains {
		go a.keep(d) // ends after Close, when the step under way has failed
	}
}

// Close ends what Start began, and keeps renewals from being asked for. It does not wait.
func (a *ACME) Close() { a.stop() }

// Times between tries of a host: Let's Encrypt allows five failures an hour. The manager does not
// try a failed host again within a minute.
const (
	firstRetry = 5 * time.Minute
	lastRetry  = time.Hour
)

// keep obtains the certificate of a host, trying again until there is one, and then looks
// whether the manager renews it in time.
func (a *ACME) keep(domain string) {
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		cert, err := a.manager.GetCertificate(asked(domain))
		if a.context.Err() != nil {
			return
		}
		if err == nil {
			a.ready[domain].Store(true)
			a.log.Info("a TLS certificate is in use", "host", domain, "valid_until", cert.Leaf.NotAfter.UTC())
			break
		}
		a.log.Error("cannot obtain a TLS certificate; this host is not served until there is one",
			"host", domain, "error", err, "next_try", time.Now().Add(wait).UTC().Truncate(time.Second))
		if !a.sleep(wait) {
			return
		}
	}
	for a.sleep(time.Hour) {
		if cert, err := a.manager.GetCertificate(asked(domain)); err == nil && overdue(cert.Leaf, time.Now()) {
			a.log.Error("the TLS certificate should have been renewed, and could not be", "host", domain, "valid_until", cert.Leaf.NotAfter.UTC())
		}
	}
}

// overdue reports whether a certificate is well past the time when it should be renewed.
func overdue(leaf *x509.Certificate, now time.Time) bool {
	due := min(leaf.NotAfter.Sub(leaf.NotBefore)/3, 30*24*time.Hour)
	return leaf.NotAfter.Sub(now) < due*3/4
}

// sleep waits; false when everything ends meanwhile.
func (a *ACME) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-a.context.Done():
		return false
	}
}

// asked is a handshake for a host by a client that knows ECDSA: the one kind of key that is used.
func asked(domain string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// TLSConfig returns a new configuration for a server, like that of a Source, which answers
// tls-alpn-01 challenges (RFC 8737) too. A client that names no host gets the first one's
// certificate.
func (a *ACME) TLSConfig() *tls.Config {
	usual := serverConfig(a.certificate)
	challenge := serverConfig(func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if a.ready[hello.ServerName] == nil {
			return nil, nil
		}
		return a.manager.GetCertificate(hello)
	})
	challenge.NextProtos = []string{acme.ALPNProto}
	usual.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acme.ALPNProto {
			return challenge, nil
		}
		return nil, nil
	}
	return usual
}

// errNotYet is what those are told, in the log, who come before there is a certificate.
var errNotYet = errors.New("cannot serve this host: its certificate has not been obtained yet")

// certificate is the one for a handshake; none at all makes an alert unrecognized_name.
func (a *ACME) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	if name == "" {
		name = a.domains[0]
	}
	switch ready := a.ready[name]; {
	case ready == nil:
		return nil, nil
	case !ready.Load():
		return nil, errNotYet
	}
	return a.manager.GetCertificate(asked(name))
}
