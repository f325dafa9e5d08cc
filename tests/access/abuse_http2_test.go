package access

import (
	"bytes"
	"crypto/tls"
	"flag"
	"io"
	"runtime"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"alcove/config"
	"alcove/tests/world"
)

var floods = flag.Int("floods", 5000, "frames of each flood of TestAbuseHTTP2")

// flood is a connection of HTTP/2 that says what no browser says.
type flood struct {
	conn   *tls.Conn
	frames *http2.Framer
	stream uint32
	block  bytes.Buffer
	coder  *hpack.Encoder
}

func newFlood(t *testing.T, address string) *flood {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	conn.SetDeadline(time.Now().Add(time.Minute))
	f := &flood{conn: conn, frames: http2.NewFramer(conn, conn), stream: 1}
	f.coder = hpack.NewEncoder(&f.block)
	io.WriteString(conn, http2.ClientPreface)
	f.frames.WriteSettings()
	return f
}

func (f *flood) headers(path string) []byte {
	f.block.Reset()
	for _, h := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}} {
		f.coder.WriteField(hpack.HeaderField{Name: h[0], Value: h[1]})
	}
	return f.block.Bytes()
}

// open begins a stream and tells its number.
func (f *flood) open(path string) (uint32, error) {
	id := f.stream
	f.stream += 2
	return id, f.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.headers(path), EndStream: true, EndHeaders: true})
}

// drain reads what the server says until the connection ends, and tells how it ended it, and how
// many streams were answered and refused.
func (f *flood) drain() (why http2.ErrCode, answers, refused int) {
	for {
		frame, err := f.frames.ReadFrame()
		if err != nil {
			return why, answers, refused
		}
		switch g := frame.(type) {
		case *http2.GoAwayFrame:
			why = g.ErrCode
		case *http2.HeadersFrame:
			answers++
		case *http2.RSTStreamFrame:
			refused++
		}
	}
}

// Floods of HTTP/2 frames, each of which costs the sender less than the server, are cut off or
// served in their turn; memory stays where it was, and other clients are answered meanwhile
// (security.md E18).
func TestAbuseHTTP2(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.TLS = "auto" })
	world.NoRedirects.CloseIdleConnections()
	before := runtime.NumGoroutine()
	n := *floods
	for _, tc := range []struct {
		name string
		run  func(f *flood) error
		cut  bool // or streams refused by the server
	}{
		{"rapid reset", func(f *flood) error {
			for range n {
				id, err := f.open("/v2/articles")
				if err != nil {
					return err
				}
				if err := f.frames.WriteRSTStream(id, http2.ErrCodeCancel); err != nil {
					return err
				}
			}
			return nil
		}, false},
		{"more streams than allowed", func(f *flood) error {
			for range n {
				if _, err := f.open("/v2/openapi.json"); err != nil {
					return err
				}
			}
			return nil
		}, true},
		{"continuations without end", func(f *flood) error {
			err := f.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.headers("/v2/articles")})
			for i := 0; i < n && err == nil; i++ {
				f.block.Reset()
				f.coder.WriteField(hpack.HeaderField{Name: "x", Value: string(make([]byte, 1000)), Sensitive: true})
				err = f.frames.WriteContinuation(1, false, f.block.Bytes())
			}
			return err
		}, true},
		{"empty continuations", func(f *flood) error {
			err := f.frames.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: f.headers("/v2/articles")})
			for i := 0; i < n && err == nil; i++ {
				err = f.frames.WriteContinuation(1, false, nil)
			}
			return err
		}, false},
		{"settings", func(f *flood) error {
			for range n {
				if err := f.frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1}); err != nil {
					return err
				}
			}
			return nil
		}, false},
		{"pings", func(f *flood) error {
			for range n {
				if err := f.frames.WritePing(false, [8]byte{}); err != nil {
					return err
				}
			}
			return nil
		}, false},
		{"window updates", func(f *flood) error {
			for range n {
				if err := f.frames.WriteWindowUpdate(0, 1<<30); err != nil {
					return err
				}
			}
			return nil
		}, true},
		{"answers that nobody takes", func(f *flood) error {
			if err := f.frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
				return err
			}
			for range 200 {
				if _, err := f.open("/v2/openapi.json"); err != nil {
					return err
				}
			}
			return nil
		}, false},
	} {
		heap := liveHeap()
		f := newFlood(t, s.Address())
		sent := make(chan error, 1)
		go func() { sent <- tc.run(f) }() // ends at the latest with the connection
		err := <-sent
		var slowest time.Duration
		for range 20 {
			begun := time.Now()
			plain, dialErr := tls.Dial("tcp", s.Address(), &tls.Config{InsecureSkipVerify: true})
			if dialErr != nil {
				t.Fatal(dialErr)
			}
			plain.SetDeadline(begun.Add(10 * time.Second))
			io.WriteString(plain, "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
			b, readErr := io.ReadAll(plain)
			plain.Close()
			if readErr != nil || !bytes.HasPrefix(b, []byte("HTTP/1.1 200")) {
				t.Fatalf("%s: another client was answered %.100q, %v", tc.name, b, readErr)
			}
			slowest = max(slowest, time.Since(begun))
		}
		grown := liveHeap() - heap
		f.conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		why, answers, refused := f.drain()
		f.conn.Close()
		t.Logf("%s: sending ended with %v, the server with %v, %d answers, %d streams refused; the heap grew by %d KiB; the slowest other answer took %v", tc.name, err, why, answers, refused, grown>>10, slowest)
		if grown > 100<<20 {
			t.Errorf("%s: the heap grew by %d MiB", tc.name, grown>>20)
		}
		if tc.cut && err == nil && why == http2.ErrCodeNo && refused == 0 {
			t.Errorf("%s: nothing was refused", tc.name)
		}
	}
	waitIdle(t, before)
}

// liveHeap is how many bytes the heap has that are in use.
func liveHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
