package load

import (
	"bytes"
	"crypto/md5"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var (
	slowClients = flag.Int("slow-clients", 60, "slow connections of each kind in TestSlowConnections")
	slowFor     = flag.Duration("slow-for", time.Second, "for how long they come again when they are cut off")
	slowFile    = flag.Int("slow-file", 8<<20, "bytes of the file that slow readers download")
	slowPatient = flag.Duration("slow-timeout", 3*time.Second, "header_timeout and stall_timeout of the server")
	slowStrict  = flag.Bool("slow-strict", false, "fail when others' p99 is more than twice the quiet one")
)

// slowly is one way to be slow: it begins something on a new connection, and then does step
// every second until the connection ends.
type slowly struct {
	name  string
	begin string // after the handshake
	bare  bool   // there is no handshake
	step  func(conn net.Conn) error
}

func dripByte(conn net.Conn) error { _, err := conn.Write([]byte("x")); return err }

func takeLittle(conn net.Conn) error {
	conn.SetReadDeadline(time.Now().Add(time.Millisecond))
	if _, err := conn.Read(make([]byte, 1024)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return nil
}

// Headers and bodies that drip, handshakes that never come and downloads that are not read do not
// keep other clients waiting, are all ended by the server, and cost it little memory (security.md
// I01 to I04).
func TestSlowConnections(t *testing.T) {
	t.Parallel() // it mostly waits
	patient := slowPatient.String()
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0", Args: []string{"--tls", "auto", "--header-timeout", patient, "--stall-timeout", patient}}
	token := p.Owner()
	p.Start()
	defer func() { p.Kill() }()
	client := trusting(p)
	p.HTTP = client
	download := public(p, token, disk.Random(*slowFile, 1))

	quiet := load(p, t, client, *slowFor)
	t.Logf("quiet: %v", quiet)
	sockets, memory := socketsOf(p), resident(p)
	for _, how := range []slowly{
		{"headers that drip", "GET /v2/articles HTTP/1.1\r\nHost: localhost\r\nX: ", false, dripByte},
		{"JSON at a byte a second", "POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{\"search_for\": \"", false, dripByte},
		{"no handshake", "", true, takeLittle},
		{"downloads that nobody takes", "GET " + strings.TrimPrefix(download, p.URL) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", false, takeLittle},
	} {
		begun, end, over := time.Now(), make(chan struct{}), make(chan struct{})
		var all sync.WaitGroup
		var dialled, failed atomic.Int64
		for i := range *slowClients {
			from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i%50))}
			all.Go(func() { how.comeAgain(p, from, end, over, &dialled, &failed) })
		}
		for dialled.Load() < int64(*slowClients) && time.Since(begun) < time.Minute {
			<-time.After(10 * time.Millisecond) // another process
		}
		most := socketsOf(p)
		attacked := load(p, t, client, *slowFor)
		grown := resident(p) - memory
		most = max(most, socketsOf(p))
		close(end)
		stopped := time.Now()
		for socketsOf(p) > sockets+8 && time.Since(stopped) < *slowPatient+time.Minute {
			<-time.After(20 * time.Millisecond)
		}
		took := time.Since(stopped)
		close(over)
		all.Wait()
		t.Logf("%s: %d connections, %d at a time, %d handshakes failed; others %v, %.1f × quiet; memory grew by %d KiB; all were closed %v after the last began",
			how.name, dialled.Load(), most-sockets, failed.Load(), attacked, float64(attacked.p99)/float64(quiet.p99), grown, took.Round(time.Millisecond))
		if n := socketsOf(p); n > sockets+8 {
			t.Errorf("%s: %d connections are open, %d before", how.name, n, sockets)
		}
		if failed.Load() == 0 && most-sockets < *slowClients*9/10 || most-sockets < *slowClients/2 {
			t.Errorf("%s: only %d were open at a time", how.name, most-sockets)
		}
		if grown > 200<<10 {
			t.Errorf("%s: memory grew by %d KiB", how.name, grown)
		}
		if attacked.failed > 0 {
			t.Errorf("%s: %d requests of others failed", how.name, attacked.failed)
		}
		if *slowStrict && attacked.p99 > 2*quiet.p99 {
			t.Errorf("%s: others' p99 went from %v to %v", how.name, quiet.p99, attacked.p99)
		}
	}
}

// comeAgain makes slow connections, one after another, until the end; the last one stays until
// the server closes it, or all is over.
func (how slowly) comeAgain(p *world.Process, from net.Addr, end, over chan struct{}, dialled, failed *atomic.Int64) {
	for {
		raw, err := (&net.Dialer{LocalAddr: from, Timeout: 30 * time.Second}).Dial("tcp", strings.TrimPrefix(p.URL, "https://"))
		if err != nil {
			failed.Add(1)
			return
		}
		raw.(*net.TCPConn).SetReadBuffer(8 << 10)
		conn := raw
		if !how.bare {
			encrypted := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}})
			encrypted.SetDeadline(time.Now().Add(30 * time.Second))
			if _, err := io.WriteString(encrypted, how.begin); err != nil {
				failed.Add(1) // the handshake took too long: it is tried again
				raw.Close()
				select {
				case <-end:
					return
				default:
					continue
				}
			}
			encrypted.SetDeadline(time.Time{})
			conn = encrypted
		}
		dialled.Add(1)
		tick := time.NewTicker(time.Second)
		for goes := true; goes && how.step(conn) == nil; {
			select {
			case <-tick.C:
			case <-over:
				goes = false
			}
		}
		tick.Stop()
		raw.Close()
		select {
		case <-end:
			return
		default:
		}
	}
}

// trusting is a client that trusts the authority of a process.
func trusting(p *world.Process) *http.Client {
	p.T.Helper()
	pem, err := os.ReadFile(filepath.Join(p.Dir, "data", "tls", "ca.pem"))
	if err != nil {
		p.T.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem)
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}, Timeout: time.Minute}
}

// public publishes some items, one with a file, and tells where it is downloaded.
func public(p *world.Process, token string, data []byte) (download string) {
	p.T.Helper()
	article := ""
	for i := range 30 {
		article = world.LastField(p.Want(201, "POST", p.URL+"/v2/account/articles", token, fmt.Sprintf(`{"title": "Glacier %d", "authors": [{"name": "A B"}]}`, i)))
		if i < 29 {
			p.Want(201, "POST", article+"/publish", token, "")
		}
	}
	file := world.LastField(p.Want(201, "POST", article+"/files", token, fmt.Sprintf(`{"name": "large.bin", "size": %d, "md5": "%x"}`, len(data), md5.Sum(data))))
	upload := between(p.Want(200, "GET", file, token, ""), `"upload_url": "`)
	for n := 0; n*world.PartSize < len(data); n++ {
		if status, b := p.Call("PUT", fmt.Sprintf("%s/%d", upload, n+1), "", bytes.NewReader(data[n*world.PartSize:min((n+1)*world.PartSize, len(data))])); status != 200 {
			p.T.Fatalf("a part was answered with %d %s", status, b)
		}
	}
	p.Want(202, "POST", file, token, "")
	for begun := time.Now(); !strings.Contains(p.Want(200, "GET", file, token, ""), `"status": "available"`); <-time.After(20 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			p.T.Fatal("the file does not become available")
		}
	}
	p.Want(201, "POST", article+"/publish", token, "")
	return between(p.Want(200, "GET", file, token, ""), `"download_url": "`)
}

func between(text, before string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, `"`)
	return text
}

// pace is how fast requests are answered.
type pace struct {
	n, failed int
	p50, p99  time.Duration
}

func (p pace) String() string {
	return fmt.Sprintf("%d requests, p50 %v, p99 %v, %d failed", p.n, p.p50.Round(10*time.Microsecond), p.p99.Round(10*time.Microsecond), p.failed)
}

// load asks for lists, items and searches with two clients for some time.
func load(p *world.Process, t *testing.T, client *http.Client, d time.Duration) (out pace) {
	t.Helper()
	var mu sync.Mutex
	var took []time.Duration
	var all sync.WaitGroup
	end := time.Now().Add(d)
	for worker := range 2 {
		all.Go(func() {
			for i := worker; time.Now().Before(end); i++ {
				method, path, body := "GET", "/v2/articles?page_size=10", ""
				if i%3 == 1 {
					method, path, body = "POST", "/v2/articles/search", fmt.Sprintf(`{"search_for": "glacier %d"}`, i%30)
				}
				begun := time.Now()
				req, err := http.NewRequest(method, p.URL+path, strings.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				res, err := client.Do(req)
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					res.Body.Close()
				}
				mu.Lock()
				took = append(took, time.Since(begun))
				if err != nil || res.StatusCode != 200 {
					out.failed++
				}
				mu.Unlock()
				<-time.After(2 * time.Millisecond) // an open loop would measure itself
			}
		})
	}
	all.Wait()
	slices.Sort(took)
	out.n, out.p50, out.p99 = len(took), took[len(took)/2], took[len(took)*99/100]
	return out
}

// socketsOf is how many the process has open.
func socketsOf(p *world.Process) (n int) {
	dir := fmt.Sprintf("/proc/%d/fd", p.Cmd.Process.Pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		p.T.Fatal(err)
	}
	for _, e := range entries {
		if to, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// resident is how much anonymous memory the process has at the moment, in KiB.
func resident(p *world.Process) int64 {
	p.Peak.Store(0)
	p.Sample()
	return p.Peak.Load()
}
