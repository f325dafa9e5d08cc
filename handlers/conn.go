package handlers

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Listener hands out connections that cost less than those of the system: a deadline is told
// to the system only where it would matter, and an answer leaves in one piece.
type Listener struct{ net.Listener }

// Accept waits for the next connection.
func (l Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return newConn(tcp), err
	}
	return c, err
}

// ConnContext lets the calls of a connection find it. It is for http.Server.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if own, ok := c.(*conn); ok { // what is encrypted lies on top of one, and is not gathered
		return context.WithValue(ctx, connKey{}, own)
	}
	return ctx
}

type connKey struct{}

// conn is a TCP connection of the server. As of any other, its methods may be called at the
// same time, but for Write and ReadFrom, of which there is one at a time.
//
// net/http moves deadlines eight times for each request, each of which costs the timers of the
// runtime, and hardly any of which comes to pass. Here a deadline is noted, and the system is
// told when something waits and what it was told last would be too late. What it was told may
// be too early: then the wait ends, the deadline is told, and the wait goes on.
type conn struct {
	*net.TCPConn
	reads, writes deadline

	due  int    // bytes of an answer that are still to come, none when nothing is held back
	head []byte // of the answer, as far as it is held back
	pair [2][]byte
	both net.Buffers // of pair

	piece  piece // that is sent next
	sender pieceSender
}

// piece is a part of a file that others may read at the same time, from one offset to before
// another. What is sent of it moves the first.
type piece struct {
	file   *os.File
	at, to int64
}

// Read is for who cannot have the system move the bytes.
func (p *piece) Read(b []byte) (int, error) {
	if p.at >= p.to {
		return 0, io.EOF
	}
	n, err := p.file.ReadAt(b[:min(int64(len(b)), p.to-p.at)], p.at)
	p.at += int64(n)
	return n, err
}

// newConn takes a connection over.
func newConn(tcp *net.TCPConn) *conn {
	c := &conn{TCPConn: tcp}
	c.reads.set, c.writes.set = tcp.SetReadDeadline, tcp.SetWriteDeadline
	return c
}

// deadline is when reads, or writes, give up.
type deadline struct {
	mu      sync.Mutex
	at      time.Time // as was asked for, zero for never
	told    time.Time // to the system
	waiting int       // how many reads or writes there are
	set     func(time.Time) error
}

// ask notes a deadline, for who waits as well.
func (d *deadline) ask(t time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = t
	if d.waiting == 0 {
		return nil
	}
	return d.tell()
}

// tell makes the system end a wait when it should, or before. The lock is held.
func (d *deadline) tell() error {
	if d.at.IsZero() || !d.told.IsZero() && !d.told.After(d.at) {
		return nil
	}
	d.told = d.at
	return d.set(d.at)
}

// exactly makes the system end waits when they should end, and not before.
func (d *deadline) exactly() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.told.Equal(d.at) {
		return nil
	}
	d.told = d.at
	return d.set(d.at)
}

// begin comes before a wait. It fails when there is nothing to wait for any more.
func (d *deadline) begin() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.at.IsZero() && d.at.Before(started) {
		return os.ErrDeadlineExceeded // as net/http ends a read that it does not want any more
	}
	d.waiting++
	return d.tell()
}

// started is a time before every deadline that was not over when it was asked for.
var started = time.Now()

// end comes after a wait that ended with err. It reports whether that came too early, and
// the wait should go on.
func (d *deadline) end(err error) (again bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting--
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) || !d.at.IsZero() && !time.Now().Before(d.at) {
		return false
	}
	d.told = d.at
	return d.set(d.at) == nil
}

// SetDeadline sets both deadlines.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.reads.ask(t), c.writes.ask(t))
}

// SetReadDeadline sets when reads give up, those as well that wait.
func (c *conn) SetReadDeadline(t time.Time) error { return c.reads.ask(t) }

// SetWriteDeadline sets when writes give up, those as well that wait.
func (c *conn) SetWriteDeadline(t time.Time) error { return c.writes.ask(t) }

// Read reads.
func (c *conn) Read(b []byte) (int, error) {
	for {
		if err := c.reads.begin(); err != nil {
			return 0, err
		}
		n, err := c.TCPConn.Read(b)
		if again := c.reads.end(err); n > 0 || !again {
			return n, err
		}
	}
}

// ReadFrom lets the system move the bytes of a file. What waits too short a time cannot always
// go on, so this waits for the right time from the beginning. Of a *piece it sends no more than
// the system takes at once, which is no error.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	if p, ok := r.(*piece); ok && sendsPieces {
		return c.sendPiece(p)
	}
	if err := c.writes.exactly(); err != nil {
		return 0, err
	}
	return c.TCPConn.ReadFrom(r)
}

// hold keeps back what is written until all of an answer is there: its head and a body of so
// many bytes, which are then sent at once. net/http would send the first 4 KiB by themselves.
// Whoever calls it writes such an answer next, or ends the connection.
func (c *conn) hold(body int) { c.due = body }

// gather sees to it that the answer which is written next, with a body of so many bytes,
// leaves in one piece, where that is of use.
func (c *Call) gather(body int) {
	if body <= headMost/2 || body > gatherMost {
		return
	}
	if own := c.plainConn(); own != nil {
		own.hold(body)
	}
}

// plainConn is the connection of a call, nil where it is encrypted or not one of ours.
func (c *Call) plainConn() *conn {
	own, _ := c.Context.Value(connKey{}).(*conn)
	return own
}

// gatherMost is the largest body whose head waits for it.
const gatherMost = 128 << 10

// Write writes, or keeps for later what hold says.
func (c *conn) Write(b []byte) (int, error) {
	if c.due == 0 {
		return c.write(b)
	}
	if c.head == nil {
		end := bytes.Index(b, headEnd)
		if end < 0 { // a head this long is sent as it comes
			c.due = 0
			return c.write(b)
		}
		c.due += end + len(headEnd)
		if c.due > len(b) && len(b) <= headMost {
			c.head = append((*heads.Get().(*[]byte))[:0], b...)
			c.due -= len(b)
			return len(b), nil
		}
		c.due = 0
		return c.write(b)
	}
	head := c.head
	c.head, c.due = nil, 0
	c.pair = [2][]byte{head, b}
	c.both = c.pair[:]
	n, err := c.writeBoth()
	c.pair = [2][]byte{}
	heads.Put(&head)
	return max(0, int(n)-len(head)), err
}

// headMost is how much of an answer net/http writes at first.
const headMost = 4 << 10

var (
	headEnd = []byte("\r\n\r\n")
	heads   = sync.Pool{New: func() any { b := make([]byte, 0, headMost); return &b }}
)

// writeBoth writes what both has.
func (c *conn) writeBoth() (sum int64, err error) {
	for {
		if err := c.writes.begin(); err != nil {
			return sum, err
		}
		n, err := c.both.WriteTo(c.TCPConn)
		sum += n
		if !c.writes.end(err) {
			return sum, err
		}
	}
}

func (c *conn) write(b []byte) (sum int, err error) {
	for {
		if err := c.writes.begin(); err != nil {
			return sum, err
		}
		n, err := c.TCPConn.Write(b[sum:])
		sum += n
		if !c.writes.end(err) {
			return sum, err
		}
	}
}
