package handlers

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// connected is a connection of a server, and its other end.
func connected(t *testing.T) (*conn, net.Conn) {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listener{inner}
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close(); server.Close() })
	return server.(*conn), client
}

// A read gives up at its deadline, whichever was asked for before and after it began, and
// never before.
func TestReadDeadline(t *testing.T) {
	c, client := connected(t)
	b := make([]byte, 1)
	soon := 40 * time.Millisecond
	give := func() { time.AfterFunc(4*soon, func() { client.Write([]byte("x")) }) }
	for name, ask := range map[string]func(){
		"later":   func() { c.SetReadDeadline(time.Now().Add(time.Hour)) },
		"never":   func() { c.SetReadDeadline(time.Time{}) },
		"renewed": func() { c.SetDeadline(time.Now().Add(2 * soon)); c.SetDeadline(time.Now().Add(time.Minute)) },
	} {
		c.SetReadDeadline(time.Now().Add(soon))
		time.AfterFunc(soon/2, ask) // while the read waits
		give()
		if n, err := c.Read(b); n != 1 || err != nil {
			t.Errorf("%s: a read whose deadline was moved ends with %d, %v", name, n, err)
		}
		c.SetReadDeadline(time.Now().Add(soon))
		ask() // before it waits
		give()
		if n, err := c.Read(b); n != 1 || err != nil {
			t.Errorf("%s: a read whose deadline was moved before ends with %d, %v", name, n, err)
		}
	}
	for range 3 {
		at := time.Now().Add(soon)
		c.SetReadDeadline(time.Now().Add(time.Hour))
		c.SetReadDeadline(at)
		if _, err := c.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().Before(at) {
			t.Errorf("a read ends with %v, %v after its deadline", err, time.Since(at))
		}
		if ne := net.Error(nil); true {
			_, err := c.Read(b)
			if !errors.As(err, &ne) || !ne.Timeout() {
				t.Errorf("a read behind the deadline ends with %v", err)
			}
		}
		c.SetReadDeadline(time.Time{})
		time.AfterFunc(soon, func() { c.SetReadDeadline(time.Unix(1, 0)) }) // as net/http ends a read
		if _, err := c.Read(b); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a read that is not wanted any more ends with %v", err)
		}
	}
	c.SetReadDeadline(time.Time{})
	client.Close()
	if _, err := c.Read(b); err != io.EOF {
		t.Errorf("a read of a closed connection ends with %v", err)
	}
}

// A write whose deadline moves while it waits goes on where it was; one that is not read gives
// up.
func TestWriteDeadline(t *testing.T) {
	c, client := connected(t)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // more than any buffer takes
	soon := 40 * time.Millisecond
	got := make(chan []byte, 1)
	for _, held := range []bool{false, true} {
		head := []byte("HTTP/1.1 200 OK\r\n\r\n")
		c.SetWriteDeadline(time.Now().Add(soon))
		time.AfterFunc(soon/2, func() { c.SetWriteDeadline(time.Now().Add(time.Minute)) })
		size := len(sent)
		if held {
			size += len(head)
			c.hold(len(sent))
			if n, err := c.Write(head); n != len(head) || err != nil {
				t.Fatalf("the head: %d, %v", n, err)
			}
		}
		time.AfterFunc(4*soon, func() {
			b := make([]byte, size)
			io.ReadFull(client, b)
			got <- b
		})
		if n, err := c.Write(sent); n != len(sent) || err != nil {
			t.Fatalf("wrote %d bytes: %v", n, err)
		}
		if b := <-got; !bytes.HasSuffix(b, sent) || len(b) != size {
			t.Errorf("held back: %v: other bytes have come", held)
		}
	}
	at := time.Now().Add(soon)
	c.SetWriteDeadline(at)
	if n, err := c.Write(sent); !errors.Is(err, os.ErrDeadlineExceeded) || n == len(sent) || time.Now().Before(at) {
		t.Errorf("a write that nobody takes ends with %d, %v", n, err)
	}
	from, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	from.Write(sent)
	from.Seek(0, io.SeekStart)
	at = time.Now().Add(soon)
	c.SetWriteDeadline(at)
	if _, err := c.ReadFrom(from); !errors.Is(err, os.ErrDeadlineExceeded) || time.Now().Before(at) {
		t.Errorf("a file that nobody takes ends with %v", err)
	}
}

// The head of an answer waits for its body, and nothing else does.
func TestHold(t *testing.T) {
	c, client := connected(t)
	read := func(want string) {
		t.Helper()
		b := make([]byte, len(want)+1)
		n, _ := io.ReadFull(client, b[:len(want)])
		client.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
		more, _ := client.Read(b[n:])
		client.SetReadDeadline(time.Now().Add(10 * time.Second))
		if got := string(b[:n+more]); got != want {
			t.Errorf("%d bytes have come, want %d", len(got), len(want))
		}
	}
	write := func(text string) {
		t.Helper()
		if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("wrote %d of %d bytes: %v", n, len(text), err)
		}
	}
	const head = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n"
	client.SetReadDeadline(time.Now().Add(10 * time.Second))
	for range 2 { // again and again on one connection
		c.hold(10)
		write(head + "01234")
		read("")
		write("56789")
		read(head + "0123456789")
		write("more")
		read("more")
		c.hold(5)
		write(head + "01234") // all at once
		read(head + "01234")
		c.hold(5)
		long := "HTTP/1.1 200 OK\r\nA: " + string(bytes.Repeat([]byte("a"), headMost))
		write(long) // its end is not in sight
		read(long)
		write("\r\n\r\n01234")
		read("\r\n\r\n01234")
	}
}
