package access

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/world"
)

// A client that guesses tokens is soon told to wait; a right token at the same address is not,
// and other addresses are not either (security.md I14).
func TestWrongTokens(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.WrongTokens = 20 })
	guess := func(path string, headers ...string) *world.Reply {
		return world.Client{Server: s, Token: "0123"}.Get(path, headers...)
	}
	for range 10 {
		guess("/v2/account").Refuses(401, "authorization")
		s.Anon.Get("/v2/account?access_token=guessed").Refuses(401, "authorization")
	}
	for _, path := range []string{"/v2/account", "/v2/account/articles", "/v2/articles/1/files"} {
		r := guess(path).Refuses(429, "Too many unknown tokens")
		if n, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || n < 1 || n > 60 {
			t.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
		}
	}
	s.Anon.Get("/v2/account?access_token=guessed").Refuses(429, "")
	s.Ada.Get("/v2/account").Is(200)
	s.Anon.Get("/v2/articles").Is(200)
	s.Anon.Get("/v2/account").Refuses(401, "") // without a token nothing is guessed

	s.Cfg.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	s.Restart()
	for range 25 {
		guess("/v2/account", "X-Forwarded-For", "192.0.2.1")
	}
	guess("/v2/account", "X-Forwarded-For", "192.0.2.1").Refuses(429, "")
	guess("/v2/account", "X-Forwarded-For", "192.0.2.2").Refuses(401, "")
	for i := range 25 { // addresses of one network of IPv6
		guess("/v2/account", "X-Forwarded-For", fmt.Sprintf("2001:db8::%x", i))
	}
	guess("/v2/account", "X-Forwarded-For", "2001:db8::ffff").Refuses(429, "")
}

// A rate holds for an account wherever it comes from, and for an address without one; a client
// that keeps to it is not refused. By default there is none.
func TestRateLimit(t *testing.T) {
	s := world.Start(t)
	for range 300 {
		s.Anon.Get("/v2/licenses").Is(200)
	}
	s.Cfg.RateLimit, s.Cfg.RateBurst = 1, 5
	s.Restart()
	late := func(what string, again func() *world.Reply) {
		t.Helper()
		for i := range 50 {
			r := again()
			if r.StatusCode == 429 {
				if i < 5 {
					t.Errorf("%s: request %d was refused", what, i)
				}
				if r.Refuses(429, "too fast").Header.Get("Retry-After") != "1" {
					t.Errorf("%s: Retry-After is %q", what, r.Header.Get("Retry-After"))
				}
				return
			}
		}
		t.Errorf("%s: nothing was refused", what)
	}
	late("public", func() *world.Reply { return s.Anon.Get("/v2/licenses") })
	for what, path := range map[string]string{"kept": "/v2/articles", "no such route": "/nothing", "no token": "/v2/account", "either": "/v2/articles/1/files"} {
		if r := s.Anon.Get(path); r.StatusCode != 429 {
			t.Errorf("%s: %s answered %d", what, path, r.StatusCode)
		}
	}
	late("account", func() *world.Reply { return s.Ada.Get("/v2/account") })
	s.Ben.Get("/v2/account").Is(200)
	s.Ben.Send("POST", "/v2/account/articles", `{"title": "Mine"}`).Is(201)
}

// A JSON body that drips is cut off though read_timeout would let it go on, and one that comes
// steadily is not (security.md I02).
func TestDrippingBody(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.HeaderTimeout, c.ReadTimeout = time.Second, time.Minute })
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	begun := time.Now()
	fmt.Fprintf(conn, "POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{")
	go func() { // ends when the server has closed the connection
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := io.WriteString(conn, " "); err != nil {
				return
			}
		}
	}()
	conn.SetReadDeadline(begun.Add(30 * time.Second))
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if took := time.Since(begun); err != nil || res.StatusCode != 400 || took < 900*time.Millisecond || took > 6*time.Second {
		t.Errorf("after %v: %v, %v", took, res, err)
	}

	r, w := io.Pipe()
	go func() { // ends when all was sent
		io.WriteString(w, `{"search_for": "`)
		for range 15 {
			<-time.After(100 * time.Millisecond)
			io.WriteString(w, strings.Repeat("a", 300))
		}
		io.WriteString(w, `"}`)
		w.Close()
	}()
	if got := s.Anon.Do("POST", "/v2/articles/search", r); got.StatusCode >= 500 || got.StatusCode == 400 && strings.Contains(string(got.Bytes), "could not be read") {
		t.Errorf("a steady body was answered with %d %s", got.StatusCode, got.Bytes)
	}
}

// Bodies that are large and never end take a bounded amount of memory together (security.md D07,
// I02). Those that find none are told so, small ones need none, and all is given back.
func TestBodiesTogether(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MaxBody = 16 << 20 })
	const each = 8<<20 + 1 // 16 MiB of room
	var conns []net.Conn
	hold := func() net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
		fmt.Fprintf(conn, "POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", each+1000)
		go conn.Write(make([]byte, each)) // ends with the connection
		return conn
	}
	refused := make(chan string, 4)
	for range 4 {
		conn := hold()
		go func() { // ends when the server answers, or closes
			conn.SetReadDeadline(time.Now().Add(20 * time.Second))
			line, _ := bufio.NewReader(conn).ReadString('\n')
			refused <- line
		}()
	}
	for range 2 {
		if line := <-refused; !strings.Contains(line, "503") {
			t.Errorf("answered %q", line)
		}
	}
	s.Anon.Send("POST", "/v2/articles/search", `{"search_for": "small"}`).Is(200)
	for _, c := range conns {
		c.Close()
	}
	body := `{"search_for": "` + strings.Repeat("x", each) + `"}`
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) { // closed connections are noticed in time
		if r := s.Anon.Send("POST", "/v2/articles/search", body); r.StatusCode != 503 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the room was not given back")
		}
	}
}
