package access

import (
	"bufio"
	"crypto/tls"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

var vanishing = flag.Int("vanishing", 300, "clients that vanish in TestAbuseVanishing")

// Whatever makes two servers disagree where a request ends is refused, or ends the connection:
// the bytes behind it are never answered (security.md E01).
func TestAbuseSmuggling(t *testing.T) {
	s := world.Start(t)
	const hidden = "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for _, tc := range []struct{ name, headers, body string }{
		{"both lengths", "Content-Length: 5\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"},
		{"both, the other way", "Transfer-Encoding: chunked\r\nContent-Length: 60", "0\r\n\r\n"},
		{"two lengths", "Content-Length: 2\r\nContent-Length: 40", "{}"},
		{"a list of lengths", "Content-Length: 2, 40", "{}"},
		{"length with a sign", "Content-Length: +2", "{}"},
		{"negative length", "Content-Length: -1", "{}"},
		{"length in hexadecimal", "Content-Length: 0x2", "{}"},
		{"coding twice", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"},
		{"coding in a list", "Transfer-Encoding: identity, chunked", "2\r\n{}\r\n0\r\n\r\n"},
		{"unknown coding", "Transfer-Encoding: xchunked\r\nContent-Length: 2", "{}"},
		{"coding after a vertical tab", "Transfer-Encoding: \x0bchunked\r\nContent-Length: 2", "{}"},
		{"space before the colon", "Transfer-Encoding : chunked\r\nContent-Length: 2", "{}"},
		{"folded line", "X: y\r\n Transfer-Encoding: chunked\r\nContent-Length\r\n : 2", "{}"},
		{"a name with a zero byte", "Content-Length\x00: 2", "{}"},
		{"chunk with a long size", "Transfer-Encoding: chunked", "00000000000000002\r\n{}\r\n0\r\n\r\n"},
		{"chunk that is too long", "Transfer-Encoding: chunked", "2\r\n{}xx\r\n0\r\n\r\n"},
		{"negative chunk", "Transfer-Encoding: chunked", "-2\r\n{}\r\n0\r\n\r\n"},
		{"chunk without end of line", "Transfer-Encoding: chunked", "2\n{}\n0\n\n"},
	} {
		got := s.SendRaw("POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\n" + tc.headers + "\r\n\r\n" + tc.body + hidden)
		if n := strings.Count(got, "HTTP/1.1 "); n > 1 || strings.Contains(got, "CC BY") {
			t.Errorf("%s: %d answers: %.600s", tc.name, n, got)
		}
	}
	for _, request := range []string{
		"GET /v2/licenses HTTP/1.1\r\n\r\n", "GET /v2/licenses HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "GET /v2/licenses HTTP/1.1\r\nHost: a b\r\n\r\n",
		"GET  /v2/licenses HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /v2/licenses HTTP/3.7\r\nHost: localhost\r\n\r\n", "GET /v2/licenses\r\n\r\n", "\x16\x03\x01\x02\x00\r\n\r\n",
	} {
		if got := s.SendRaw(request); strings.Contains(got, " 200 ") {
			t.Errorf("%q answered %.200s", request, got)
		}
	}
}

// Headers and addresses that are too large, or too many, are refused (security.md E21).
func TestAbuseHeaders(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d: b\r\n", i)
		}
		return b.String()
	}
	for _, tc := range []struct{ name, request, want string }{
		{"40 KiB in one header", "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 40<<10) + "\r\n", "431"},
		{"40 KiB without an end", "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 60<<10), "431"},
		{"5,000 names", "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\n" + lines(5000), "431"},
		{"5,000 times one name", "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("a: b\r\n", 5000), "431"},
		{"600 of any kind", "GET /nothing HTTP/1.1\r\nHost: localhost\r\n" + lines(300) + strings.Repeat("a: b\r\n", 300), "431"},
		{"60 KiB of address", "GET /v2/licenses?" + strings.Repeat("x", 60<<10) + " HTTP/1.1\r\nHost: localhost\r\n", "431"},
		{"400 headers", "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\n" + lines(400), "200"},
		{"20 KiB in one header", "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 20<<10) + "\r\n", "200"},
	} {
		if got := s.SendRaw(tc.request + "Connection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 "+tc.want) {
			t.Errorf("%s: %.200s", tc.name, got)
		}
	}
}

// Nothing that a client says of the host, or of where it thinks it is, comes back in an
// address: those are from the configuration.
func TestAbuseHost(t *testing.T) {
	t.Parallel()
	s := world.Start(t)
	id := s.Ada.Published("An item")
	for _, headers := range [][]string{
		{"Host: evil.example"}, {"Host: evil.example:443", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "X-Forwarded-Port: 1"},
		{"Host: localhost", "Forwarded: host=evil.example;proto=https"}, {"Host: localhost", "X-Original-URL: /evil.example", "X-Rewrite-URL: /evil.example"},
	} {
		for _, request := range []string{
			"GET /v2/articles", fmt.Sprintf("GET /v2/articles/%d", id), "GET /v2/openapi.json", "GET http://evil.example/v2/articles",
			"POST /v2/account/articles", "GET /v2/account/articles", "GET /nothing",
		} {
			body := ""
			if strings.HasPrefix(request, "POST") {
				body = `{"title": "Mine"}`
			}
			got := s.SendRaw(fmt.Sprintf("%s HTTP/1.1\r\n%s\r\nAuthorization: token %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
				request, strings.Join(headers, "\r\n"), s.Ada.Token, len(body), body))
			if strings.Contains(got, "evil") || !strings.HasPrefix(got, "HTTP/1.1 ") || strings.HasPrefix(got, "HTTP/1.1 5") || strings.HasPrefix(got, "HTTP/1.1 3") {
				t.Errorf("%s with %v answered %.300s", request, headers, got)
			}
		}
	}
	for _, address := range []string{"https://data.example.org/repo", ""} {
		s.Cfg.BaseURL = address
		s.Restart()
		want := s.URL
		r := world.Client{Server: s, Token: s.Ada.Token}.Send("POST", "http://"+s.Address()+"/v2/account/articles", `{"title": "Mine"}`).Is(201)
		if at := r.Header.Get("Location"); !strings.HasPrefix(at, want+"/v2/") {
			t.Errorf("base_url %q: Location %s", address, at)
		}
	}
}

// Plain HTTP at a port that speaks TLS is neither served nor sent on (security.md E06).
func TestAbusePlainOnTLS(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.TLS = "auto" })
	for _, request := range []string{"GET /v2/account HTTP/1.1\r\nHost: localhost\r\nAuthorization: token " + s.Ada.Token + "\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\r\n\r\n\r\n\r\n\r\n"} {
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		io.WriteString(conn, request)
		b, _ := io.ReadAll(conn)
		conn.Close()
		if got := string(b); strings.Contains(got, "Location") || strings.Contains(got, " 200 ") || strings.Contains(got, "@example.org") {
			t.Errorf("%.20q answered %s", request, got)
		}
	}
}

// Every answer, refusals too, has the headers for browsers (security.md B18, E20). There are no
// cookies, and those that come say nothing. HSTS only where it was asked for, and not over plain
// HTTP.
func TestAbuseHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.BaseURL, c.HSTS = "https://data.example.org", 365*24*time.Hour })
	at := "http://" + s.Address()
	check := func(hsts string) {
		t.Helper()
		ada := world.Client{Server: s, Token: s.Ada.Token}
		for _, r := range []*world.Reply{
			s.Anon.Get(at + "/v2/articles"), s.Anon.Get(at + "/v2/articles"), s.Anon.Get(at + "/nothing"), s.Anon.Get(at+"/v2/account", "Cookie", "session="+s.Ada.Token),
			ada.Get(at+"/v2/account", "Origin", "https://evil.example"), ada.Send("POST", at+"/v2/account/articles", "{"), s.Anon.Do("OPTIONS", at+"/v2/articles", nil, "Origin", "null"),
			s.Anon.Do("DELETE", at+"/v2/articles", nil), s.Anon.Get(at+"/v2/articles", "If-None-Match", "*"), s.Anon.Get(at + "/healthz"), s.Anon.Get(at + "/v2/docs"),
		} {
			h := r.Header
			if h.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") ||
				!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.Get("Referrer-Policy") != "no-referrer" ||
				h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" ||
				len(h["Set-Cookie"]) > 0 || h.Get("Server") != "" || h.Get("Strict-Transport-Security") != hsts {
				t.Errorf("%s %s: %d, %v", r.Request.Method, r.Request.URL, r.StatusCode, h)
			}
		}
		if r := s.Anon.Get(at+"/v2/account", "Cookie", "token="+s.Ada.Token); r.StatusCode != 401 {
			t.Errorf("a cookie let somebody in: %d", r.StatusCode)
		}
	}
	check("max-age=31536000")
	s.Cfg.HSTS = 0
	s.Restart()
	at = "http://" + s.Address()
	check("")
	s.Cfg.HSTS, s.Cfg.BaseURL = time.Hour, ""
	s.Restart()
	at = "http://" + s.Address()
	check("")
}

// A 205 has a body, which clients parse and RFC 9110 does not expect (security.md E09). With its
// length told, the connection goes on to the next request either way.
func TestAbuseResetContent(t *testing.T) {
	s := world.Start(t)
	article := s.Ada.Article(`{"title": "Mine"}`)
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	dialled := 0
	trace := &httptrace.ClientTrace{ConnectStart: func(string, string) { dialled++ }}
	for i := range 10 {
		for _, method := range []string{"PATCH", "GET"} {
			req, err := http.NewRequest(method, s.URL+article, strings.NewReader(fmt.Sprintf(`{"title": "Number %d"}`, i)))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "token "+s.Ada.Token)
			res, err := client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(res.Body)
			res.Body.Close()
			if want := map[string]int{"PATCH": 205, "GET": 200}[method]; err != nil || res.StatusCode != want || res.ContentLength != int64(len(b)) || len(b) == 0 {
				t.Errorf("%s: %d, %d of %d bytes, %v", method, res.StatusCode, len(b), res.ContentLength, err)
			}
		}
	}
	if dialled != 1 {
		t.Errorf("%d connections were needed", dialled)
	}
}

// Clients that vanish in the middle of a request or an answer leave nothing (security.md E23).
func TestAbuseVanishing(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.TLS = "auto" })
	world.NoRedirects.CloseIdleConnections()
	before := runtime.NumGoroutine()
	trust := &tls.Config{InsecureSkipVerify: true}
	requests := []string{
		"", "GET /v2/art", "GET /v2/articles HTTP/1.1\r\nHost: localhost\r\n", "GET /v2/articles HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", "GET /v2/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n",
	}
	for i := range *vanishing {
		conn, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		text := requests[i%len(requests)]
		if i%7 > 0 { // the rest never shake hands
			io.WriteString(tls.Client(conn, trust), text)
		}
		if i%2 == 0 {
			conn.(*net.TCPConn).SetLinger(0)
		}
		conn.Close()
	}
	waitIdle(t, before)
}

// waitIdle waits until there are no more goroutines than before.
func waitIdle(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			var b [1 << 16]byte
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b[:], true)])
		}
	}
}

// Certificate files that are replaced while the server runs are picked up by the
// next handshake, a half of a pair is not, and what is open goes on.
func TestCertificateFilesReload(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := dir+"/cert.pem", dir+"/key.pem"
	doubles.SelfSigned(t, cert, key)
	s := world.Start(t, func(c *config.Config) { c.TLS, c.TLSCert, c.TLSKey = "files", cert, key })
	serial := func() string {
		conn, err := tls.Dial("tcp", s.Address(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	first := serial()
	open, err := tls.Dial("tcp", s.Address(), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	next, nextKey := dir+"/next.pem", dir+"/next-key.pem"
	doubles.SelfSigned(t, next, nextKey)
	if err := os.Rename(next, cert); err != nil {
		t.Fatal(err)
	}
	<-time.After(1100 * time.Millisecond) // the files are looked at once a second
	if serial() != first {
		t.Error("half of a pair was taken")
	}
	if err := os.Rename(nextKey, key); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); serial() == first; <-time.After(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the new pair is not shown")
		}
	}
	fmt.Fprintf(open, "GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if res, err := http.ReadResponse(bufio.NewReader(open), nil); err != nil || res.StatusCode != 200 {
		t.Errorf("what was open: %v, %v", res, err)
	}
}
