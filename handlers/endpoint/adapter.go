package endpoint

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"alcove/handlers/lists"
	"alcove/index"
	"alcove/record"
)

// Match is what the router found for a request.
type Match struct {
	Route  *Route
	State  *Route   // the read endpoint of the address or the nearest above it, may be nil
	Params []Param  // decoded parts of the path
	Allow  []string // methods of the address, when Route is nil
}

// Serve answers one request. Errors become statuses in answer.go.
func (a *Server) Serve(w http.ResponseWriter, r *http.Request, find func(r *http.Request) Match) {
	start := time.Now()
	secrets := takeSecrets(r)
	number := a.numbers.next(start)
	c := &Call{
		Server: a, Context: r.Context(), Method: r.Method, Header: r.Header, number: number, RequestID: requestID(number),
		Request: r, Writer: &recorder{ResponseWriter: w}, secrets: secrets, Pattern: "-", Start: start,
	}
	out := c.Writer
	h := out.Header()
	h["X-Request-Id"] = []string{c.RequestID}
	for _, p := range commonHeaders {
		h[p.name] = p.value
	}
	if a.hsts != nil {
		h["Strict-Transport-Security"] = a.hsts
	}
	if len(r.TransferEncoding) > 0 {
		// A chunked request may have had a Content-Length too, which Go does not tell:
		// what follows it on the connection is not to be trusted (RFC 9112, 6.1).
		h.Set("Connection", "close")
	}
	defer func() {
		a.bodies.give(c.reserved)
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
		err = a.forward(c, out, err)
	}
	if err != nil {
		a.Jobs.RepairSoon(err)
		a.fail(c, out, err)
	}
	putBuffer(c.Buffer)
	a.logRequest(c, out, start, err)
}

func (a *Server) answer(c *Call, w *recorder, m Match) error {
	if headerLines(c.Header) > maxHeaderLines {
		return record.ErrTooManyHeaders
	}
	if !a.hosts.Answers(c.Request) && (m.Route == nil || !m.Route.Endpoint.anyHost) {
		return record.ErrMisdirected
	}
	if err := c.findSession(m.Route); err != nil {
		return err
	}
	if m.Route == nil {
		if err := c.pace(0); err != nil {
			return err
		}
		if c.Browser() {
			if err := c.PacePage(); err != nil {
				return err
			}
		}
		return a.noRoute(c, w, m)
	}
	c.kind = m.Route.kind()
	c.Pattern, c.linked, c.reading = m.Route.Path, m.Route.Endpoint.linked, m.Route.Endpoint.Reads()
	c.oauth = m.Route.Endpoint.fields != nil
	if m.Route.Access == Public {
		if err := c.pace(0); err != nil {
			return err
		}
	}
	if m.Route.About.IsPage() && !m.Route.Endpoint.free {
		if err := c.PacePage(); err != nil {
			return err
		}
	}
	key, cacheable := c.responseKey(m.Route)
	c.Position = a.DB.Position() // before anything is read
	if cacheable {
		if r, ok := a.lists.Find(c.Position, key); ok {
			return a.send(c, w, r, Public)
		}
	}
	c.params = m.Params
	if err := c.enter(m.Route.Access); err != nil {
		return err
	}
	if needed := m.Route.scope(); !c.scope.Opens(needed) {
		return record.ErrScope.With("scope", string(needed))
	}
	if err := c.readPath(m.Params); err != nil {
		return err
	}
	var err error
	if c.Query, err = lists.ReadQuery(c.Request.URL.RawQuery); err != nil {
		return err
	}
	if err := c.orderRefused(m.Route); err != nil {
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
	if m.Route.Endpoint.body == noBody {
		c.Warned = c.body.Unknown()
	}
	if m.State != nil {
		c.State = m.State.Endpoint.read
	}
	if c.Changed = a.DB.LastChange(); m.Route.Access == Public {
		c.Changed = a.DB.LastPublicChange() // of private changes nothing is told
	}
	reply, err := c.run(m.Route.Endpoint)
	if err != nil {
		return err
	}
	if cacheable {
		c.cacheList(key, reply)
	}
	return a.send(c, w, reply, m.Route.Access)
}

// run runs an endpoint, and once more where it has met damage that is repaired: nothing was done
// then. An endpoint that reads a body can run only once.
func (c *Call) run(e Endpoint) (Reply, error) {
	run := func() (Reply, error) { return e.run(c) }
	if e.body == streamBody {
		return run()
	}
	var reply Reply
	err := c.Server.Jobs.Again(c.Context, func() (err error) {
		reply, err = run()
		return err
	})
	if errors.Is(err, index.ErrDamaged) { // the index heals
		reply, err = run()
	}
	return reply, err
}

// noRoute answers requests for addresses or methods that do not exist, and OPTIONS.
func (a *Server) noRoute(c *Call, w *recorder, m Match) error {
	if len(m.Allow) == 0 {
		return record.ErrNotFound
	}
	w.Header().Set("Allow", strings.Join(m.Allow, ", "))
	if c.Method != http.MethodOptions {
		return record.ErrNotAllowed
	}
	c.Pattern = "OPTIONS"
	w.Header().Set("Access-Control-Allow-Methods", strings.Join(m.Allow, ", "))
	for _, p := range preflightHeaders {
		w.Header()[p.name] = p.value
	}
	dropBody(w)
	a.write(c, w, http.StatusNoContent, nil)
	return nil
}

// maxHeaderLines bounds how many header lines a request may have; their bytes are bounded
// before they come here.
const maxHeaderLines = 500

func headerLines(h http.Header) (n int) {
	for _, values := range h {
		n += len(values)
	}
	return n
}

// enter finds the caller, and sees to it that it does not come too often. Of public routes
// that was done before.
func (c *Call) enter(access Access) error {
	err := c.Server.Jobs.Again(c.Context, func() error { return c.authenticate(access) })
	if access == Public {
		return err
	}
	account := int64(0)
	if c.Account != nil {
		account = c.Account.ID
	}
	if slow := c.pace(account); slow != nil {
		return slow
	}
	return err
}

// header is a header line. Its value is shared by answers and is not changed.
type header struct {
	name  string // in canonical form
	value []string
}

// commonHeaders are in every answer.
var commonHeaders = []header{
	{"X-Content-Type-Options", []string{"nosniff"}},
	{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'"}},
	{"Referrer-Policy", []string{"no-referrer"}},
	{"Cross-Origin-Resource-Policy", []string{"same-origin"}}, // scripts of other sites read by CORS, which this leaves alone
	{"Access-Control-Allow-Origin", []string{"*"}},
	{"Access-Control-Expose-Headers", []string{"Accept-Ranges, Content-Disposition, Content-Range, ETag, Last-Modified, Link, Location, X-Cursor, X-Request-Id, X-Warnings"}},
}

// preflightHeaders, with the methods, are what browsers read in answers to OPTIONS only.
var preflightHeaders = []header{
	{"Access-Control-Allow-Headers", []string{"Authorization, Content-Type, Cache-Control, If-Match, If-Modified-Since, " +
		"If-None-Match, If-Unmodified-Since, Keep-Alive, Range, User-Agent, X-Cursor, X-Requested-With"}},
	{"Access-Control-Max-Age", []string{"3600"}},
}

// requestID names a request by its number. It is no secret.
func requestID(number int64) string {
	var b [8]byte
	var text [16]byte
	binary.BigEndian.PutUint64(b[:], uint64(number))
	hex.Encode(text[:], b[:])
	return string(text[:])
}

// logRequest counts a request and writes its line.
func (a *Server) logRequest(c *Call, w *recorder, start time.Time, err error) {
	a.Requests.Count(c.Method, c.Pattern, w.status)
	a.Latencies.Observe(c.kind, time.Since(start))
	a.noteAccess(c, w.status)
	level := slog.LevelInfo
	fault := w.status >= 500 && !errors.Is(err, context.Canceled) // a client that has gone away is no fault
	if fault {
		level = slog.LevelError
	}
	attrs := []slog.Attr{
		slog.String("method", c.Method), slog.String("route", c.Pattern), slog.Int("status", w.status), slog.Int64("bytes", w.bytes),
		slog.Int64("ms", time.Since(start).Milliseconds()), slog.String("request", c.RequestID), slog.String("remote", a.Remote(c.Request)),
	}
	if c.Account != nil {
		attrs = append(attrs, slog.Int64("account", c.Actor))
		if c.Actor != c.Account.ID {
			attrs = append(attrs, slog.Int64("as", c.Account.ID))
		}
	}
	if fault {
		attrs = append(attrs, slog.Any("error", err))
	}
	a.Log.LogAttrs(c.Context, level, "request", attrs...)
}
