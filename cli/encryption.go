package cli

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"alcove/cli/certs"
)

// encryption is how the listener speaks TLS; nil when it does not.
func (s *Server) encryption() (*tls.Config, error) {
	c := s.Config
	switch c.TLS {
	case "auto":
		source, err := certs.Auto(c.Data, c.Hosts(), time.Now)
		if err != nil {
			return nil, err
		}
		s.CAPath = source.CAPath
		return source.TLSConfig(), nil
	case "files":
		source, err := certs.Files(c.TLSCert, c.TLSKey)
		if err != nil {
			return nil, err
		}
		s.files = source
		return source.TLSConfig(), nil
	case "acme":
		return s.certificatesByACME()
	}
	return nil, nil
}

func (s *Server) certificatesByACME() (config *tls.Config, err error) {
	c := s.Config.ACME
	s.acme, err = certs.OpenACME(s.Config.Data, certs.ACMEOptions{
		Domains: c.Domains, Email: c.Email, Directory: c.Directory, CA: c.CA, KeyID: c.KeyID, KeyFile: c.KeyFile, Log: s.log,
	})
	if err != nil {
		return nil, err
	}
	for _, address := range []string{s.Config.BaseURL, s.Config.DownloadBaseURL, s.Config.UploadBaseURL} {
		if u, err := url.Parse(address); err == nil && u.Scheme == "https" && !slices.Contains(c.Domains, u.Hostname()) {
			s.log.Warn("answers name an address that acme_domains has no certificate for", "address", address)
		}
	}
	return s.acme.TLSConfig(), nil
}

// hsts is what browsers are told, which they heed over HTTPS only (RFC 6797, 7.2).
func (s *Server) hsts() time.Duration {
	if strings.HasPrefix(s.Config.BaseURL, "https://") {
		return s.Config.HSTS
	}
	return 0
}

// challengeListener answers the challenges of an ACME server over plain HTTP, and nothing else: a
// request for the API, perhaps with a token, is 404 and not sent on.
type challengeListener struct {
	http *http.Server
	done chan struct{}
}

// listenChallenges begins to answer challenges; at no address it does nothing.
func listenChallenges(address string, a *certs.ACME, log *slog.Logger) (*challengeListener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen for ACME challenges on %s: %w", address, err)
	}
	c := &challengeListener{http: &http.Server{
		Handler: a.Challenges(), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 8 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}, done: make(chan struct{})}
	c.http.SetKeepAlivesEnabled(false)
	go func() { // ends with close
		defer close(c.done)
		if err := c.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			log.Error("challenges over plain HTTP are answered no more", "error", err)
		}
	}()
	return c, nil
}

func (c *challengeListener) close() {
	_ = c.http.Close()
	<-c.done
}
