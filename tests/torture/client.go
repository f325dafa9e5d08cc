package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 64 << 20

// client calls the server; without a token it is a stranger.
type client struct {
	base  string // of the server, without /v2 and without a slash at the end
	token string
	http  *http.Client
}

// answer is a whole reply. No answer is an error of call.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// newTransport is the way to one server. It is closed with the server, since a kept
// connection to a server that was killed would make the first write of the next cycle
// one in doubt for nothing.
func newTransport() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       time.Minute,
	}
}

// call sends a request. path is below /v2, or a whole address, to which the token goes
// too. An error means that no whole answer came: what was asked may have been done.
func (c *client) call(method, path string, body []byte) (answer, error) {
	url := path
	if !strings.HasPrefix(path, "http") {
		url = c.base + "/v2" + path
	}
	req, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return answer{}, fmt.Errorf("cannot make the request: %w", err)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "token "+c.token)
	}
	if body != nil && strings.HasPrefix(path, "/") {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer{}, err
	}
	return answer{resp.StatusCode, resp.Header, text}, nil
}

// get reads path into out. A status other than 200 is an error that says it.
func (c *client) get(path string, out any) error { return c.ask("GET", path, nil, out) }

// ask is a request that changes nothing, answered with 200 and JSON.
func (c *client) ask(method, path string, body []byte, out any) error {
	a, err := c.call(method, path, body)
	if err != nil {
		return fmt.Errorf("%s %s got no answer: %w", method, path, err)
	}
	if a.status != http.StatusOK {
		return &statusError{method, path, a.status, fmt.Sprintf("%.300s", a.body)}
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return fmt.Errorf("%s %s answered something else than was expected: %w: %.300s", method, path, err, a.body)
	}
	return nil
}

// statusError is an answer with another status than the one that was expected.
type statusError struct {
	method, path string
	status       int
	body         string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s %s answered %d: %s", e.method, e.path, e.status, e.body)
}

// made is the id of what a request made: the last number of the address in the header.
func (a answer) made() int64 {
	at := a.header.Get("Location")
	id, err := strconv.ParseInt(at[strings.LastIndexByte(at, '/')+1:], 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// encode is a value as JSON; what the oracle sends and compares can always be encoded.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
