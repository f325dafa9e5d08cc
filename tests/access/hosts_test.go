package access

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// A page of another site that points its name at this server (DNS rebinding) reads nothing: requests for hosts that are
// not the server's get 421, those for its own names, loopback and the address of the listener are answered.
func TestHosts(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) {
		c.SiteURL, c.DownloadBaseURL, c.UploadBaseURL = "https://pages.example.org/repo", "https://files.example.org:8444", "https://[2001:db8::7]/up"
		c.AllowedHosts = []string{"alcove_backend", "192.0.2.7", "2001:db8::9"}
		c.MetricsListen = "127.0.0.1:0"
	})
	_, port, _ := net.SplitHostPort(s.Address())
	for host, want := range map[string]int{
		"localhost": 200, "localhost:" + port: 200, "LocalHost.": 200, "127.0.0.1": 200, "127.0.0.1:" + port: 200, "[::1]:" + port: 200, "[::1]": 200,
		"app.localhost:1": 200, "[::ffff:127.0.0.1]": 200,
		"pages.example.org": 200, "PAGES.example.org.:99": 200, "files.example.org": 200, "[2001:db8::7]": 200, "[2001:DB8:0::7]:443": 200,
		"alcove_backend:8080": 200, "192.0.2.7": 200, "[2001:db8::9]": 200,
		"evil.test": 421, "evil.test:" + port: 421, "localhost.evil.test": 421, "evil.localhost.test": 421, "127.0.0.1.evil.test": 421, "evillocalhost": 421,
		"0.0.0.0": 421, "[::]": 421, "192.0.2.8": 421, "8.8.8.8:" + port: 421, "example.org": 421, "sub.pages.example.org": 421,
		"localhost:x": 421, "localhost@evil.test": 421, "evil.test@localhost": 421, "[::1": 421, "[localhost]": 421, ".": 421, ".localhost.evil.test": 421, "localhost,evil.test": 421,
	} {
		for path, status := range map[string]int{"/v2/licenses": want, "/": want, "/nowhere": want, "/healthz": 200, "/readyz": 200} {
			if status == 200 && path == "/nowhere" {
				status = 404
			}
			if got := rawStatus(s.SendRaw(fmt.Sprintf("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, host))); got != status && !(path == "/readyz" && got == 503) && !(got == 400 && want == 421) {
				t.Errorf("%s for host %s: %d, want %d", path, host, got, status)
			}
		}
	}
	for request, want := range map[string]int{
		"GET /v2/licenses HTTP/1.0\r\n\r\n":                                                             200, // no browser sends one without a host
		"GET /v2/licenses HTTP/1.0\r\nHost: evil.test\r\n\r\n":                                          421,
		"GET http://evil.test/v2/licenses HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n":     421, // the target counts (RFC 9112, 3.2.2)
		"GET http://localhost/v2/licenses HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n":     200,
		"HEAD /v2/licenses HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n":                    421,
		"OPTIONS /v2/licenses HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n":                 421,
		"PUT /upload/x/1 HTTP/1.1\r\nHost: evil.test\r\nContent-Length: 0\r\nConnection: close\r\n\r\n": 421,
	} {
		if got := rawStatus(s.SendRaw(request)); got != want {
			t.Errorf("%q: %d, want %d", request, got, want)
		}
	}
	refused := s.SendRaw("GET /v2/licenses HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n")
	page := s.SendRaw("GET /search HTTP/1.1\r\nHost: evil.test\r\nAccept: text/html\r\nConnection: close\r\n\r\n")
	for _, answer := range []string{refused, page} {
		if !strings.Contains(answer, "allowed_hosts") || strings.Contains(answer, "evil.test") || strings.Contains(answer, "example.org") && answer == refused {
			t.Errorf("the refusal says %s", answer)
		}
	}
	if !strings.Contains(refused, "MisdirectedRequest") || !strings.Contains(page, "<h1") {
		t.Errorf("the refusals are %s and %s", refused, page)
	}

	for host, want := range map[string]int{"localhost": 200, s.Metrics: 200, "evil.test": 421} {
		req, err := http.NewRequest("GET", "http://"+s.Metrics+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("metrics for host %s: %d, want %d", host, res.StatusCode, want)
		}
	}
}

// The authority of HTTP/2 is the host, and a listener on every interface answers for the address that the client
// connected to.
func TestHostsOfListeners(t *testing.T) {
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.TLS, c.Listen = "auto", "0.0.0.0:0" })
	_, port, _ := net.SplitHostPort(s.Address())
	trust := &tls.Config{InsecureSkipVerify: true}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust.Clone(), ForceAttemptHTTP2: true}}
	for host, want := range map[string]int{"localhost": 200, "127.0.0.1": 200, "evil.test": 421, "0.0.0.0": 421} {
		req, err := http.NewRequest("GET", "https://127.0.0.1:"+port+"/v2/licenses", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if res.StatusCode != want || res.ProtoMajor != 2 {
			t.Errorf("%s for host %s: %d, want %d", res.Proto, host, res.StatusCode, want)
		}
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.To4() == nil {
			continue
		}
		at := net.JoinHostPort(ip.IP.String(), port)
		conn, err := tls.Dial("tcp", at, trust)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /v2/licenses HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", at)
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || res.StatusCode != 200 {
			t.Errorf("%s: %v, %v", at, res, err)
		}
		conn.Close()
	}
}

// rawStatus is the status of an answer as it came.
func rawStatus(answer string) (status int) {
	fmt.Sscanf(answer, "HTTP/1.%d %d", new(int), &status)
	return status
}
