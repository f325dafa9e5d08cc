package files

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// A slow client is served as long as it reads; one that reads nothing, or nearly nothing, is cut
// off. All of them begin quickly, so that they are sent large pieces.
func TestDownloadSlowly(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.StallTimeout = 3 * time.Second })
	data := disk.Random(48<<20, 53)
	path := s.Ada.PublicFile("slow.bin", data)
	const quick = 20 << 20
	for _, c := range []struct {
		name  string
		piece int // that is taken every tenth of a second
		ticks int
		whole bool
	}{
		{"slow", 64 << 10, 50, true},
		{"stands still", 0, 70, false},
		{"some bytes now and then", 100, 70, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.(*net.TCPConn).SetReadBuffer(64 << 10) // most of the file stays with the server
			conn.SetDeadline(time.Now().Add(time.Minute))
			fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path)
			res, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]byte, quick, len(data))
			if _, err := io.ReadFull(res.Body, got); err != nil {
				t.Fatal(err)
			}
			tick := time.NewTicker(100 * time.Millisecond)
			defer tick.Stop()
			for range c.ticks {
				<-tick.C
				n, err := io.ReadFull(res.Body, got[len(got):len(got)+c.piece])
				if got = got[:len(got)+n]; err != nil {
					break
				}
			}
			rest, err := io.ReadAll(res.Body)
			got = append(got, rest...)
			if !bytes.HasPrefix(data, got) {
				t.Error("other bytes have come")
			}
			if whole := len(got) == len(data); whole != c.whole {
				t.Errorf("%d of %d bytes have come: %v", len(got), len(data), err)
			}
		})
	}
}

// Ranges requested one behind another come whole and in order, also when the client reads only
// once the connection is full; a client that reads none is cut off.
func TestRangesThatWait(t *testing.T) {
	t.Parallel()
	const stall = 2 * time.Second
	s := world.Start(t, func(c *config.Config) { c.StallTimeout = stall })
	data := disk.Random(1<<20, 54)
	path := s.Ada.PublicFile("waits.bin", data)
	const asks, length = 300, 64 << 10
	at := func(i int) int { return i * 7919 * 13 % (len(data) - length) }
	for _, c := range []struct {
		name  string
		waits time.Duration
		whole bool
	}{
		{"takes them late", stall / 2, true}, // after the rest of a range is checked again
		{"takes none", stall * 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.(*net.TCPConn).SetReadBuffer(64 << 10)
			conn.SetDeadline(time.Now().Add(time.Minute))
			var text bytes.Buffer
			for i := range asks {
				fmt.Fprintf(&text, "GET %s HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-%d\r\n\r\n", path, at(i), at(i)+length-1)
			}
			if _, err := conn.Write(text.Bytes()); err != nil {
				t.Fatal(err)
			}
			<-time.After(c.waits)
			in, whole := bufio.NewReader(conn), 0
			for ; whole < asks; whole++ {
				res, err := http.ReadResponse(in, nil)
				if err != nil {
					break
				}
				got, err := io.ReadAll(res.Body)
				if want := data[at(whole) : at(whole)+length]; !bytes.HasPrefix(want, got) {
					t.Fatalf("range %d: other bytes have come", whole)
				}
				if err != nil {
					break
				}
			}
			if (whole == asks) != c.whole {
				t.Errorf("%d of %d ranges have come whole", whole, asks)
			}
		})
	}
}
