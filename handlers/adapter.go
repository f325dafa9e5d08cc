package handlers

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"alcove/record"
)

// Match is what the router found for a request.
type Match struct {
	Route  *Route
	State  *Route            // the read endpoint of the address or the nearest above it, may be nil
	Params map[string]string // decoded parts of the path
	Allow  []string          // methods of the address, when Route is nil
}

// textParams are the parts of paths that are not ids.
var textParams = map[string]bool{"token": true, "link_id": true, "a": true, "b": true, "c": true}

var idForm = regexp.MustCompile(`^[1-9][0-9]{0,17}$`)

// Serve answers one request: replies are written here and in answer.go only, where errors
// become statuses.
func (a *API) Serve(w http.ResponseWriter, r *http.Request, find func(*http.Request) Match) {
	start := time.Now()
	out := &recorder{ResponseWriter: w}
	secrets := takeSecrets(r)
	c := &Call{
		API: a, Context: r.Context(), Method: r.Method, Header: r.Header, RequestID: requestID(),
		request: r, writer: out, secrets: secrets, Pattern: "-",
	}
	a.commonHeaders(c, out.Header())
	if len(r.TransferEncoding) > 0 {
		// A chunked request may have had a Content-Length too, which Go does not tell:
		// what follows it on the connection is not to be trusted (RFC 9112, 6.1).
		out.Header().Set("Connection", "close")
	}
	defer func() {
		if p := recover(); p != nil {
			if p == http.ErrAbortHandler {
				a.logRequest(c, out, start, errors.New("the connection was aborted"))
				panic(p)
			}
			err := fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			begun := out.status != 0
			a.fail(c, out, err)
			a.Log.Error("panic", "request", c.RequestID, "error", err)
			a.logRequest(c, out, start, err)
			if begun { // what was sent so far must not be taken for whole
				panic(http.ErrAbortHandler)
			}
		}
	}()
	err := a.answer(c, out, find(r))
	if err != nil {
		a.fail(c, out, err)
	}
	a.logRequest(c, out, start, err)
}

func (a *API) answer(c *Call, w *recorder, m Match) error {
	if m.Route == nil {
		return a.noRoute(c, w, m)
	}
	c.Pattern, c.linked = m.Route.Path, m.Route.Endpoint.linked
	if err := c.authenticate(m.Route.Access); err != nil {
		return err
	}
	if err := c.readPath(m.Params); err != nil {
		return err
	}
	var err error
	if c.Query, err = readQuery(c.request.URL.RawQuery); err != nil {
		return err
	}
	if err := c.readBody(m.Route.Endpoint.body); err != nil {
		return err
	}
	if m.Route.Access == Account {
		if err := c.impersonate(); err != nil {
			return err
		}
	}
	if m.State != nil {
		c.state = m.State.Endpoint.read
	}
	c.changed = a.DB.LastChange()
	reply, err := m.Route.Endpoint.run(a, c)
	if err != nil {
		return err
	}
	return a.send(c, w, reply, m.Route.Access)
}

// noRoute answers requests for addresses or methods that do not exist, and OPTIONS.
func (a *API) noRoute(c *Call, w *recorder, m Match) error {
	if len(m.Allow) == 0 {
		return record.ErrNotFound
	}
	w.Header().Set("Allow", strings.Join(m.Allow, ", "))
	if c.Method != http.MethodOptions {
		return record.ErrNotAllowed
	}
	c.Pattern = "OPTIONS"
	w.Header().Set("Access-Control-Allow-Methods", strings.Join(m.Allow, ", "))
	dropBody(w)
	a.write(c, w, http.StatusNoContent, nil)
	return nil
}

func (c *Call) readPath(params map[string]string) error {
	c.ids, c.texts = map[string]int64{}, map[string]string{}
	for name, value := range params {
		if textParams[name] {
			c.texts[name] = value
			continue
		}
		if !idForm.MatchString(value) {
			return record.ErrBadID
		}
		id, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return record.ErrBadID
		}
		c.ids[name] = id
	}
	return nil
}

// linger is how long an answer waits for the rest of a body that nobody reads: Go takes
// it in before the answer goes out, and would wait for ever.
const linger = 2 * time.Second

func dropBody(w http.ResponseWriter) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(linger))
}

// readBody reads and parses a JSON body before any transaction is opened. Bodies are
// JSON whatever the Content-Type says (api-facts 1). A body that stays out is cut off
// after the body timeout, if there is one.
func (c *Call) readBody(kind bodyKind) error {
	if kind == streamBody {
		return nil
	}
	a := c.API
	if c.request.ContentLength > a.Limits.MaxBody {
		return record.ErrBodyTooLarge
	}
	rc := http.NewResponseController(c.writer)
	if a.Limits.BodyTimeout > 0 {
		rc.SetReadDeadline(time.Now().Add(a.Limits.BodyTimeout))
	}
	b, err := io.ReadAll(http.MaxBytesReader(c.writer, c.request.Body, a.Limits.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return record.ErrBodyTooLarge
	case err != nil:
		return record.Bad("BodyUnreadable", "The request body could not be read")
	}
	rc.SetReadDeadline(time.Time{})
	if kind == noBody {
		c.body, _ = record.ReadBody(b, true) // the endpoint has no use for it, impersonate may
		return nil
	}
	c.body, err = record.ReadBody(b, kind == optionalBody)
	return err
}

func (a *API) commonHeaders(c *Call, h http.Header) {
	h.Set("X-Request-Id", c.RequestID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Cache-Control, If-Match, If-Modified-Since, "+
		"If-None-Match, If-Unmodified-Since, Keep-Alive, Range, User-Agent, X-Cursor, X-Requested-With")
	h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Disposition, Content-Range, ETag, Last-Modified, Location, X-Cursor, X-Request-Id")
	h.Set("Access-Control-Max-Age", "3600")
}

func requestID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func (a *API) logRequest(c *Call, w *recorder, start time.Time, err error) {
	args := []any{
		"method", c.Method, "route", c.Pattern, "status", w.status, "bytes", w.bytes,
		"ms", time.Since(start).Milliseconds(), "request", c.RequestID, "remote", a.remote(c.request),
	}
	if c.Account != nil {
		args = append(args, "account", c.actor)
		if c.actor != c.Account.ID {
			args = append(args, "as", c.Account.ID)
		}
	}
	if w.status >= 500 && !errors.Is(err, context.Canceled) { // who has gone away is no fault
		a.Log.Error("request", append(args, "error", err)...)
		return
	}
	a.Log.Info("request", args...)
}
