// Package fetch reads public items of other repositories, with all their versions, from the interfaces that those have for
// everyone. It trusts nothing that they answer: addresses, sizes, sums and numbers are checked or bounded, and bytes that are
// not those that were announced are refused.
//
//	reach.go     which addresses may be connected to
//	client.go    requests
//	address.go   which item the text of a person means
//	system.go    which API a server has, and where a DOI leads
//	figshare.go  the API of figshare, which Alcove has as well
//	invenio.go   that of InvenioRDM, which Zenodo is; invenio_record.go what it answers
//	dataverse.go that of Dataverse
//	words.go     what those say, in our words
//	sums.go      checksums that servers announce
//	file.go      bytes of files, verified
//	part.go      and kept while they arrive
//	item.go      an item as it was read
//	line.go      the line of "alcove import" that an item becomes
package fetch

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"alcove/cli/deposit"
)

// Bounds of what another server can make this one do.
const (
	maxReply     = 16 << 20  // bytes of one answer
	maxReplies   = 512 << 20 // bytes of all answers about one item
	maxRedirects = 5
	maxTries     = 3
	maxWait      = time.Minute // between two of them, whatever the server asks for

	// Silence is how long a server may send nothing.
	Silence = time.Minute
)

const agent = "alcove-fetch"

// Options say how a server is talked to.
type Options struct {
	Token     string        // of the server; "" for that of TokenFile
	TokenFile string        // the first line of this file is a token of the server; "" for none
	CACert    string        // PEM file of further authorities to trust; "" for none
	Silence   time.Duration // how long a server may send nothing; 0 for the usual
	// InsecureHTTP sends the token also over plain HTTP to another machine.
	InsecureHTTP bool

	Led bool // no person has named the server: it must be one that everyone reaches
}

// Client talks to one server. The token goes to the address that the client was made for and nowhere else. It connects
// to no address of an inner network, unless the server was named by one of that sort.
type Client struct {
	Base    string // address without /v2 and without a slash at its end
	system  System
	token   string
	http    *http.Client
	silence time.Duration
	left    int64 // bytes of answers that are still read
	fetched int64 // bytes of files that were read
}

// New is a client of the server at an address.
func New(ctx context.Context, base string, o Options) (*Client, error) {
	base, err := deposit.BaseURL(base)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	var r reach
	if !o.Led {
		if r, err = reachFrom(ctx, u.Hostname()); err != nil {
			return nil, err
		}
	}
	c := &Client{Base: base, silence: o.Silence}
	if c.silence == 0 {
		c.silence = Silence
	}
	if c.token = o.Token; c.token == "" && o.TokenFile != "" {
		if c.token, err = deposit.ReadToken(o.TokenFile); err != nil {
			return nil, err
		}
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // the addresses that are connected to are checked, and those would be a proxy's
	transport.DialContext = (&net.Dialer{Timeout: 30 * time.Second, ControlContext: r.control}).DialContext
	transport.MaxResponseHeaderBytes = 1 << 20
	transport.DisableCompression = true // what is bounded is what is read
	if o.CACert != "" {
		pool, err := deposit.ReadAuthorities(o.CACert)
		if err != nil {
			return nil, err
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	c.http = &http.Client{Transport: transport, CheckRedirect: c.redirected}
	if !o.InsecureHTTP {
		c.http.Transport = deposit.Encrypted(transport, carriesToken)
	}
	return c, nil
}

// Close ends the connections that are kept open.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Fetched is how many bytes of files were read.
func (c *Client) Fetched() int64 { return c.fetched }

// redirected bounds redirects, and takes the token out of those to another server.
func (c *Client) redirected(r *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return fmt.Errorf("it redirects more than %d times", maxRedirects)
	}
	if err := webAddress(r.URL); err != nil {
		return fmt.Errorf("it redirects to an address that is refused: %w", err)
	}
	if !c.own(r.URL) {
		r.Header.Del("Authorization")
		r.Header.Del(dataverseKey)
	}
	return nil
}

// carriesToken reports whether a request has a token of any system.
func carriesToken(r *http.Request) bool {
	return r.Header.Get("Authorization") != "" || r.Header.Get(dataverseKey) != ""
}

// own reports whether an address is below that of the server.
func (c *Client) own(u *url.URL) bool {
	return strings.HasPrefix(u.String()+"/", c.Base+"/")
}

// webAddress refuses an address that is no plain one of http or https.
func webAddress(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%q is no address of http or https", shorten(u.String()))
	case u.Hostname() == "" || u.User != nil:
		return fmt.Errorf("%q is no plain address", shorten(u.Redacted()))
	}
	return nil
}

// StatusError is an answer that is no success.
type StatusError struct {
	Status  int
	address string
	wait    time.Duration // that it asks for
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s answers %d %s", shorten(e.address), e.Status, http.StatusText(e.Status))
}

// Unknown reports whether an error says that there is no such thing, or no more.
func Unknown(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusGone)
}

// Gone reports whether an error says that there is no such thing for this caller.
func Gone(err error) bool {
	var e *StatusError
	return errors.As(err, &e) && e.Status >= 400 && e.Status < 500 && e.Status != http.StatusTooManyRequests && e.Status != http.StatusRequestTimeout
}

// passing reports whether the same request may succeed later.
func passing(err error) (wait time.Duration, ok bool) {
	var e *StatusError
	if errors.As(err, &e) {
		return e.wait, e.Status >= 500 || e.Status == http.StatusTooManyRequests || e.Status == http.StatusRequestTimeout
	}
	var n *net.OpError
	return 0, errors.As(err, &n) && n.Op != "dial" || errors.Is(err, io.ErrUnexpectedEOF)
}

// get asks for an address with GET. The body of the reply ends with an error when the server is silent for too long. The
// caller closes it.
func (c *Client) get(ctx context.Context, address string, headers http.Header) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address", shorten(address))
	}
	if err := webAddress(u); err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.silence, func() { end(errSilent) })
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, headers)
	r.Header.Set("User-Agent", agent)
	if c.token != "" && c.own(u) {
		c.system.authorize(r.Header, c.token)
	}
	reply, err := c.http.Do(r)
	if err != nil {
		timer.Stop()
		err = causeOf(ctx, err)
		end(nil)
		return nil, fmt.Errorf("cannot read %s: %w", shorten(address), err)
	}
	reply.Body = &heard{ctx, reply.Body, timer, c.silence, func() { end(nil) }}
	if reply.StatusCode != http.StatusOK && (headers.Get("Range") == "" || reply.StatusCode != http.StatusPartialContent) {
		reply.Body.Close()
		e := &StatusError{Status: reply.StatusCode, address: address}
		if n, err := strconv.Atoi(reply.Header.Get("Retry-After")); err == nil && n > 0 {
			e.wait = time.Duration(n) * time.Second
		}
		return nil, e
	}
	return reply, nil
}

var errSilent = errors.New("the server sent nothing for too long")

// causeOf is why a request was ended, without its address, which an error of net/http has twice.
func causeOf(ctx context.Context, err error) error {
	if why := context.Cause(ctx); errors.Is(why, errSilent) {
		return why
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// heard is the body of a reply, which a silent server ends.
type heard struct {
	ctx   context.Context
	body  io.ReadCloser
	timer *time.Timer
	most  time.Duration
	end   func()
}

func (h *heard) Read(b []byte) (int, error) {
	h.timer.Reset(h.most)
	n, err := h.body.Read(b)
	if err != nil && err != io.EOF {
		err = causeOf(h.ctx, err)
	}
	return n, err
}

func (h *heard) Close() error {
	h.timer.Stop()
	defer h.end()
	return h.body.Close()
}

// read reads a small answer, again where the server is busy.
func (c *Client) read(ctx context.Context, address string, headers http.Header) (text []byte, got http.Header, err error) {
	for try := 1; ; try++ {
		if text, got, err = c.readOnce(ctx, address, headers); err == nil || try == maxTries {
			return text, got, err
		}
		wait, again := passing(err)
		if !again {
			return nil, nil, err
		}
		select {
		case <-time.After(min(max(wait, time.Duration(try)*time.Second), maxWait)):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

func (c *Client) readOnce(ctx context.Context, address string, headers http.Header) ([]byte, http.Header, error) {
	reply, err := c.get(ctx, address, headers)
	if err != nil {
		return nil, nil, err
	}
	defer reply.Body.Close()
	most := min(maxReply, c.left)
	text, err := io.ReadAll(io.LimitReader(reply.Body, most+1))
	if c.left -= int64(len(text)); err != nil {
		return nil, nil, fmt.Errorf("cannot read %s: %w", shorten(address), err)
	}
	if int64(len(text)) > most {
		return nil, nil, fmt.Errorf("the answer of %s is longer than %d MiB, or those about the item are longer than %d MiB", shorten(address), maxReply>>20, maxReplies>>20)
	}
	return text, reply.Header, nil
}

// Text reads a small answer of a media type.
func (c *Client) Text(ctx context.Context, address, media string) ([]byte, error) {
	text, _, err := c.read(ctx, address, http.Header{"Accept": {media}})
	return text, err
}

// json reads an answer of the API.
func (c *Client) json(ctx context.Context, path string, to any) error {
	_, err := c.page(ctx, path, "", to)
	return err
}

// page is json of a page of a list, behind a cursor or none (""). It returns the cursor of the next page, where the server
// has those.
func (c *Client) page(ctx context.Context, path, cursor string, to any) (next string, err error) {
	headers := http.Header{"Accept": {"application/json"}}
	if cursor != "" {
		headers.Set("X-Cursor", cursor)
	}
	return c.decode(ctx, path, headers, to)
}

var errOtherAnswer = errors.New("is not the JSON that was expected")

// decode reads an answer in JSON.
func (c *Client) decode(ctx context.Context, path string, headers http.Header, to any) (next string, err error) {
	text, got, err := c.read(ctx, c.Base+path, headers)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return "", fmt.Errorf("the answer of %s %w: %w", shorten(c.Base+path), errOtherAnswer, err)
	}
	return got.Get("X-Cursor"), nil
}

// list reads a list of the API to its end, or to more than most.
func list[T any](ctx context.Context, c *Client, path string, most int) (all []T, err error) {
	all = []T{}
	cursor := ""
	for page := 1; ; page++ {
		at := fmt.Sprintf("%s?page_size=%d", path, pageSize)
		if cursor == "" && page > 1 {
			at += "&page=" + strconv.Itoa(page)
		}
		var some []T
		if cursor, err = c.page(ctx, at, cursor, &some); err != nil {
			return nil, err
		}
		if all = append(all, some...); len(all) > most {
			return nil, fmt.Errorf("%s has more than %d entries", shorten(c.Base+path), most)
		}
		if len(some) < pageSize {
			return all, nil
		}
	}
}

// shorten makes text of another server fit for a line of output.
func shorten(text string) string {
	const most = 200
	text = strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
