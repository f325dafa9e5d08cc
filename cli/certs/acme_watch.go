package certs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxAnswer bounds an answer of an ACME server, in bytes.
const maxAnswer = 1 << 20

// watcher carries the requests to an ACME server, and logs what the server complains of:
// autocert tells of a failed challenge no more than that it failed, and of a failed renewal
// nothing.
type watcher struct {
	base    http.RoundTripper
	context context.Context // no request outlasts it
	log     *slog.Logger

	mu   sync.Mutex
	said map[string]time.Time // what was logged, and when
}

func (w *watcher) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(w.context, cancel)()
	res, err := w.base.RoundTrip(r.WithContext(ctx))
	if err != nil {
		if w.context.Err() == nil {
			w.warn("the ACME server cannot be reached", err.Error())
		}
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err == nil && len(body) > maxAnswer {
		err = fmt.Errorf("cannot read the answer of the ACME server: it has more than %d bytes", maxAnswer)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range problems(res.Header.Get("Content-Type"), body) {
		w.warn("the ACME server refuses", p)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// warn logs a problem; the same one again only after ten minutes.
func (w *watcher) warn(what, problem string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if time.Since(w.said[problem]) < 10*time.Minute {
		return
	}
	if len(w.said) > 100 || w.said == nil {
		w.said = map[string]time.Time{}
	}
	w.said[problem] = time.Now()
	w.log.Warn(what, "error", problem)
}

// problem is an error as ACME has them (RFC 8555, 6.7).
type problem struct {
	Type, Detail string
	Identifier   struct{ Value string }
	Subproblems  []problem
}

func (p *problem) String() string {
	text := cmp.Or(p.Detail, "no reason given")
	if p.Identifier.Value != "" {
		text = p.Identifier.Value + ": " + text
	}
	if p.Type != "" {
		text += " (" + strings.TrimPrefix(p.Type, "urn:ietf:params:acme:error:") + ")"
	}
	return text
}

// problems are those in an answer: the answer itself, those of its challenges, or that of an
// order. A nonce that was too old is part of the game.
func problems(kind string, body []byte) (list []string) {
	if strings.HasPrefix(kind, "application/problem+json") {
		var p problem
		if json.Unmarshal(body, &p) != nil || strings.HasSuffix(p.Type, ":badNonce") {
			return nil
		}
		list = append(list, p.String())
		for _, s := range p.Subproblems {
			list = append(list, s.String())
		}
		return list
	}
	var object struct {
		Identifier struct{ Value string }
		Error      *problem
		Challenges []struct {
			Type  string
			Error *problem
		}
	}
	if json.Unmarshal(body, &object) != nil {
		return nil // a certificate, for one
	}
	if object.Error != nil && object.Challenges == nil {
		list = append(list, object.Error.String())
	}
	for _, c := range object.Challenges {
		if c.Error != nil {
			list = append(list, fmt.Sprintf("%s: challenge %s: %s", object.Identifier.Value, c.Type, c.Error))
		}
	}
	return list
}
