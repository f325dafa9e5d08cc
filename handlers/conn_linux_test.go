package handlers

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// numbered is a file in which every place is another.
func numbered(t *testing.T, size int) (*os.File, []byte) {
	t.Helper()
	data := make([]byte, size)
	for i := range data {
		data[i] = byte(i * 7 >> (i % 11))
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, data
}

// segments is how many pieces with data the system has sent over a connection.
func segments(t *testing.T, c *conn) (n uint32) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var asked error
	err = raw.Control(func(fd uintptr) {
		var info *unix.TCPInfo
		if info, asked = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); asked == nil {
			n = info.Data_segs_out
		}
	})
	if err = errors.Join(err, asked); err != nil {
		t.Fatal(err)
	}
	return n
}

// A part of a file leaves in one piece with the head that is held back, without moving the
// offset of the file, also when the system was told a deadline that is over.
func TestPieceLeavesWithItsHead(t *testing.T) {
	f, data := numbered(t, 200_000)
	c, client := connected(t)
	head := []byte("HTTP/1.1 206 Partial Content\r\n\r\n")
	over := time.Now().Add(20 * time.Millisecond)
	c.SetWriteDeadline(over)
	if _, err := c.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	<-time.After(time.Until(over) + time.Millisecond)
	b := make([]byte, 1<<20)
	client.Read(b[:1])
	for _, s := range []span{{0, 64 << 10}, {100_001, 100_002}, {7, 40_000}, {len64(data) - 65_000, len64(data)}} {
		c.SetWriteDeadline(time.Now().Add(time.Minute))
		c.hold(int(s.len()))
		before := segments(t, c)
		if n, err := c.Write(head); n != len(head) || err != nil {
			t.Fatal(n, err)
		}
		p := piece{f, s.from, s.to}
		if n, err := c.ReadFrom(&p); n != s.len() || err != nil || p.at != s.to {
			t.Fatalf("%v: %d were sent: %v", s, n, err)
		}
		if n := segments(t, c) - before; s.len() == 1 && n != 1 {
			t.Errorf("%v: the head and a byte left in %d pieces", s, n)
		}
		client.SetReadDeadline(time.Now().Add(time.Minute))
		first, err := client.Read(b)
		if err != nil || first <= len(head) {
			t.Errorf("%v: the head has come by itself: %v", s, err)
		}
		if _, err := io.ReadFull(client, b[first:len(head)+int(s.len())]); err != nil {
			t.Fatal(err)
		}
		if got := b[:len(head)+int(s.len())]; !bytes.HasPrefix(got, head) || !bytes.Equal(got[len(head):], data[s.from:s.to]) {
			t.Errorf("%v: other bytes have come", s)
		}
	}
	if at, err := f.Seek(0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("the offset of the file is %d: %v", at, err)
	}
	if n, err := c.ReadFrom(&piece{f, 199_000, 300_000}); n != 1000 || err != nil {
		t.Errorf("of a file that ends early %d were sent: %v", n, err)
	}
	c.SetWriteDeadline(time.Unix(1, 0))
	if n, err := c.ReadFrom(&piece{f, 0, 10}); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("behind the deadline %d were sent: %v", n, err)
	}
}

func len64(b []byte) int64 { return int64(len(b)) }

// No transfer waits with a part of a file for a client that does not read; the head that was held
// back is waited for, and gives up at its deadline.
func TestPieceDoesNotWait(t *testing.T) {
	f, data := numbered(t, 1<<20)
	c, client := connected(t)
	head := []byte("HTTP/1.1 206 Partial Content\r\n\r\n")
	c.SetWriteDeadline(time.Now().Add(time.Minute))
	var sent []byte
	for range 100 { // more than any buffer takes
		p := piece{f, 0, len64(data)}
		n, err := c.ReadFrom(&p)
		if err != nil || p.at != n {
			t.Fatalf("%d, at %d: %v", n, p.at, err)
		}
		if sent = append(sent, data[:n]...); n < len64(data) {
			break
		}
	}
	for more := true; more; { // to the last byte
		n, err := c.ReadFrom(&piece{f, 0, 1})
		if err != nil {
			t.Fatal(err)
		}
		sent, more = append(sent, data[:n]...), n > 0
	}
	c.hold(100)
	c.Write(head)
	got := make(chan []byte)
	time.AfterFunc(50*time.Millisecond, func() {
		b := make([]byte, len(sent)+len(head))
		io.ReadFull(client, b)
		got <- b
	})
	if n, err := c.ReadFrom(&piece{f, 0, 100}); n != 0 || err != nil {
		t.Errorf("behind a head that waits %d were sent: %v", n, err)
	}
	if b := <-got; !bytes.Equal(b, append(sent, head...)) {
		t.Error("other bytes have come")
	}
	client.Close()
	for range 3 { // the first may still go out
		if _, err := c.ReadFrom(&piece{f, 0, 100}); err != nil {
			return
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Error("a client who has gone is sent bytes")
}
