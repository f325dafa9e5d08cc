package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"alcove/cli/certs"
)

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
