package deposit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

const (
	callTimeout = 3 * time.Minute  // a call of the main API, its reply included
	partTimeout = 30 * time.Minute // one part, however slow the line
	maxReply    = 64 << 20         // bytes of a reply that are read
)

// client talks to one server. The token goes to the base address only, and no
// redirect is followed.
type client struct {
	base  string // without /v2 and without a slash at the end
	token string
	http  *http.Client
	clock clock

	mu   sync.Mutex
	skew time.Duration // the server's clock minus ours, by its last Date header
}

// newClient reads the token and the authorities that o names.
func newClient(o Options) (*client, error) {
	base, err := BaseURL(o.To)
	if err != nil {
		return nil, err
	}
	token := o.Token
	if token == "" {
		if token, err = ReadToken(o.TokenFile); err != nil {
			return nil, err
		}
	}
	var own http.Client
	if o.HTTPClient != nil {
		own = *o.HTTPClient
	} else {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.MaxIdleConnsPerHost = 2 * o.Parallel
		if o.CACert != "" {
			pool, err := ReadAuthorities(o.CACert)
			if err != nil {
				return nil, err
			}
			transport.TLSClientConfig = &tls.Config{RootCAs: pool}
		}
		own.Transport = transport
	}
	if !o.InsecureHTTP {
		every := func(*http.Request) bool { return true } // the addresses of uploads are secrets, too
		own.Transport = Encrypted(cmp.Or(own.Transport, http.DefaultTransport), every)
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{base: base, token: token, http: &own, clock: o.clock}, nil
}

// close ends the connections that are kept open.
func (c *client) close() { c.http.CloseIdleConnections() }

// replyError is a reply that is not a success.
type replyError struct {
	Status  int
	Message string        // the server's own words, made printable
	after   time.Duration // what Retry-After asks for, 0 if it does not
}

func (e *replyError) Error() string {
	text := fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// networkError is a request without a whole reply.
type networkError struct {
	err  error
	sent bool // some of the request may have reached the server
}

func (e *networkError) Error() string { return "no reply from the server: " + e.err.Error() }
func (e *networkError) Unwrap() error { return e.err }

// reply is a success.
type reply struct {
	header http.Header
	text   []byte
}

// decode reads the body as JSON.
func (r reply) decode(out any) error {
	if err := json.Unmarshal(r.text, out); err != nil {
		return fmt.Errorf("the server's reply is not the JSON that was expected: %w", err)
	}
	return nil
}

// warnings are those of an acknowledgement. It is not ok of a reply that has no place
// for them.
func (r reply) warnings() (list []string, ok bool) {
	var ack struct {
		Warnings *[]string `json:"warnings"`
	}
	if json.Unmarshal(r.text, &ack) != nil || ack.Warnings == nil {
		return nil, false
	}
	for _, w := range *ack.Warnings {
		list = append(list, clean(w))
	}
	return list, true
}

// created returns the id of what a request made: entity_id, or the last number
// of the location in the body or in the header.
func (r reply) created() (int64, error) {
	var ack struct {
		ID       int64  `json:"entity_id"`
		Location string `json:"location"`
	}
	if json.Unmarshal(r.text, &ack) == nil && ack.ID > 0 {
		return ack.ID, nil
	}
	for _, location := range []string{ack.Location, r.header.Get("Location")} {
		location = strings.TrimRight(location, "/")
		id, err := strconv.ParseInt(location[strings.LastIndexByte(location, '/')+1:], 10, 64)
		if err == nil && id > 0 {
			return id, nil
		}
	}
	return 0, errors.New("the server's reply does not say the id of what it made")
}

// call sends a request to the main API, body as JSON if it is not nil.
func (c *client) call(ctx context.Context, method, path string, body []byte) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var r io.Reader
	if body != nil {
		r = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/v2"+path, r)
	if err != nil {
		return reply{}, fmt.Errorf("cannot make the request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Authorization", "token "+c.token)
	return c.do(req)
}

// get reads path into out, again and again if need be.
func (c *client) get(ctx context.Context, path string, out any) error {
	return c.repeat(ctx, func(int) error {
		r, err := c.call(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		return r.decode(out)
	})
}

// do sends a request as it is. Every 2xx is a success.
func (c *client) do(req *http.Request) (reply, error) {
	var connected atomic.Bool
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) },
	}))
	req.Header.Set("User-Agent", "alcove-deposit")
	resp, err := c.http.Do(req)
	if err != nil {
		var wrapped *url.Error // its text holds the address, and an upload address is a secret
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		if plain, ok := errors.AsType[*plainError](err); ok {
			return reply{}, plain
		}
		return reply{}, &networkError{err: err, sent: connected.Load()}
	}
	defer resp.Body.Close()
	if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		c.mu.Lock()
		c.skew = date.Sub(c.clock.now())
		c.mu.Unlock()
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return reply{}, c.refusal(resp)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err != nil {
		return reply{}, &networkError{err: err, sent: true}
	}
	if len(text) > maxReply {
		return reply{}, fmt.Errorf("the server's reply is longer than %d MiB", maxReply>>20)
	}
	return reply{header: resp.Header, text: text}, nil
}

// refusal makes the error of a reply that is not a success.
func (c *client) refusal(resp *http.Response) error {
	e := &replyError{Status: resp.StatusCode, after: retryAfter(resp.Header.Get("Retry-After"), c.clock.now())}
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what arrived will do
	var said struct {
		Message string `json:"message"`
	}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		e.Message = "it redirects to " + resp.Header.Get("Location") + "; give the final address"
	case json.Unmarshal(text, &said) == nil && said.Message != "":
		e.Message = said.Message
	}
	e.Message = clean(strings.ReplaceAll(e.Message, c.token, "[token]"))
	return e
}

// probe asks for one own article, to learn early whether address, certificate
// and token are right, and what the server's clock says. It gives up soon: a
// mistyped address should not take a minute to show.
func (c *client) probe(ctx context.Context) error {
	tried := 0
	err := c.retry(ctx, func(int) error { return c.probeOnce(ctx) }, func(err error) bool {
		tried++
		return tried < 3 && passing(err)
	})
	if err != nil {
		return fmt.Errorf("cannot list the own articles at %s: %w", c.base, err)
	}
	return nil
}

func (c *client) probeOnce(ctx context.Context) error {
	r, err := c.call(ctx, http.MethodGet, "/account/articles?page=1&page_size=1", nil)
	if err != nil {
		return err
	}
	var list []json.RawMessage
	return r.decode(&list)
}

// serverTime is now by the server's clock, early rather than late: the Date
// header and stored dates are cut to whole seconds.
func (c *client) serverTime() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock.now().Add(c.skew).Truncate(time.Second).Add(-2 * time.Second).UTC()
}

// clean makes foreign text fit for one line of output.
func clean(s string) string {
	const most = 300
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return strings.TrimSpace(s)
}
