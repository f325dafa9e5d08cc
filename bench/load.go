package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requests makes the text of the next request, nil when there is none left. It is called
// from many goroutines.
type requests func() []byte

// get is a request without a body. header is empty or ends with CRLF.
func get(target, header string) []byte {
	return []byte("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + header + "\r\n")
}

// post is a request with a JSON body.
func post(target, header, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s",
		target, len(body), header, body)
}

// always is the same request again and again.
func always(text []byte) requests { return func() []byte { return text } }

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte // nil unless it was asked for
}

// conn is a connection that is kept alive.
type conn struct {
	net.Conn
	in *bufio.Reader
}

const patience = 30 * time.Second // for one answer

func (s *server) dial() (*conn, error) {
	c, err := net.DialTimeout("tcp", s.listen, patience)
	if err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", s.name, err)
	}
	if s.secure {
		t := tls.Client(c, &tls.Config{InsecureSkipVerify: true}) // our own, on loopback
		if err := t.Handshake(); err != nil {
			c.Close()
			return nil, fmt.Errorf("cannot connect to %s: %w", s.name, err)
		}
		c = t
	}
	return &conn{c, bufio.NewReaderSize(c, 16<<10)}, nil
}

// do sends a request and reads the answer.
func (c *conn) do(text []byte, keep bool) (answer, error) {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return answer{}, err
	}
	if _, err := c.Write(text); err != nil {
		return answer{}, err
	}
	if !keep {
		if a, ok, err := c.skim(); ok || err != nil {
			return a, err
		}
	}
	res, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, header: res.Header}
	if keep {
		a.body, err = io.ReadAll(io.LimitReader(res.Body, 64<<20))
	} else {
		_, err = io.Copy(io.Discard, res.Body)
	}
	if err == nil && res.Close {
		err = errors.New("the server does not keep the connection")
	}
	return a, err
}

// skim reads an answer of which the status and the Location count, if its head is there, says
// how long the body is, and leaves the connection open. It takes a third of the time that net/http's
// client needs, which the servers lack. Without an answer it reports false, having read nothing.
func (c *conn) skim() (a answer, ok bool, err error) {
	if _, err := c.in.Peek(1); err != nil {
		return a, false, err
	}
	have, _ := c.in.Peek(c.in.Buffered())
	end := bytes.Index(have, []byte("\r\n\r\n"))
	if end < 0 || len(have) < 12 {
		return a, false, nil
	}
	head := have[:end+2]
	length := int64(-1)
	if at := bytes.Index(head, []byte("\r\nContent-Length: ")); at >= 0 {
		digits, _, _ := bytes.Cut(head[at+len("\r\nContent-Length: "):], []byte("\r\n"))
		if length, err = strconv.ParseInt(string(digits), 10, 64); err != nil {
			return a, false, nil
		}
	}
	a.status, err = strconv.Atoi(string(head[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
	if a.status == http.StatusNotModified {
		length = 0
	}
	if err != nil || length < 0 || a.status >= 400 || bytes.Contains(head, []byte("\r\nConnection: close\r\n")) {
		return a, false, nil
	}
	if at := bytes.Index(head, []byte("\r\nLocation: ")); at >= 0 {
		place, _, _ := bytes.Cut(head[at+len("\r\nLocation: "):], []byte("\r\n"))
		a.header = http.Header{"Location": {string(place)}}
	}
	c.in.Discard(end + 4)
	_, err = io.CopyN(io.Discard, c.in, length)
	return a, true, err
}

// ask sends one request on a connection of its own and returns the answer with its body.
func (s *server) ask(text []byte) (answer, error) {
	c, err := s.dial()
	if err != nil {
		return answer{}, err
	}
	defer c.Close()
	a, err := c.do(text, true)
	if err != nil {
		return a, fmt.Errorf("%s: %w", s.name, err)
	}
	return a, nil
}

// trial is what is asked of a server in a round.
type trial struct {
	server  *server
	clients int
	next    requests
	want    int           // status that every answer must have
	seen    func(answer)  // told of every answer, without its body, from many goroutines; may be nil
	then    func()        // called when the last answer is there; may be nil
	tail    bool          // wait for what the server does afterwards, and count its processor time
	later   time.Duration // how long after the last answer that begins at the latest
}

// run asks for a time d, on connections that have had an answer before.
func (t trial) run(ctx context.Context, d time.Duration) (sample, error) {
	conns := make([]*conn, t.clients)
	defer func() {
		for _, c := range conns {
			if c != nil {
				c.Close()
			}
		}
	}()
	for i := range conns {
		var err error
		if conns[i], err = t.server.dial(); err != nil {
			return sample{}, err
		}
		if _, err := t.one(conns[i]); err != nil {
			return sample{}, err
		}
	}
	cpu, err := cpuTime(t.server.pid())
	if err != nil {
		return sample{}, err
	}
	var all []time.Duration
	var failed error
	var lock sync.Mutex
	var clients sync.WaitGroup
	begin := time.Now()
	for _, c := range conns {
		clients.Go(func() {
			var took []time.Duration
			var err error
			for now := time.Now(); now.Sub(begin) < d && ctx.Err() == nil; {
				var more bool
				if more, err = t.one(c); !more {
					break
				}
				after := time.Now()
				took, now = append(took, after.Sub(now)), after
			}
			lock.Lock()
			defer lock.Unlock()
			all, failed = append(all, took...), errors.Join(failed, err)
		})
	}
	clients.Wait()
	wall := time.Since(begin)
	if t.then != nil {
		t.then()
	}
	if err := errors.Join(failed, ctx.Err(), t.server.alive()); err != nil {
		return sample{}, err
	}
	if t.tail {
		time.Sleep(t.later)
		if err := quiet(ctx, t.server); err != nil {
			return sample{}, err
		}
	}
	after, err := cpuTime(t.server.pid())
	if err != nil {
		return sample{}, err
	}
	return newSample(all, wall, after-cpu), nil
}

// one asks once. It reports false when there is nothing left to ask, and with an error.
func (t trial) one(c *conn) (bool, error) {
	text := t.next()
	if text == nil {
		return false, nil
	}
	a, err := c.do(text, false)
	if err != nil {
		return false, fmt.Errorf("%s: %w", t.server.name, err)
	}
	if a.status != t.want {
		first, _, _ := strings.Cut(string(text), "\r\n")
		return false, fmt.Errorf("%s answered %d to %s: %s", t.server.name, a.status, first, a.body)
	}
	if t.seen != nil {
		t.seen(a)
	}
	return true, nil
}
