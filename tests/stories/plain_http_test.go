package stories

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"alcove/tests/world"
)

// No command sends a token over plain HTTP to another machine: it exits with 5 and nothing leaves this one. A proxy takes all
// connections that the commands would open; those that use no proxy name an address of this machine that is not a loopback one.
func TestTokenOverPlainHTTP(t *testing.T) {
	var heard atomic.Int64
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			heard.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"email": "ada@example.org"}`))
	}))
	t.Cleanup(proxy.Close)
	t.Setenv("http_proxy", proxy.URL)
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	token, data := filepath.Join(dir, "token"), filepath.Join(dir, "data.csv")
	for name, text := range map[string]string{token: "alc_abc\n", data: "a,b\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := " --to http://data.example.org --token-file " + token
	direct := "http://" + outward(t)
	for _, call := range []string{
		"login http://data.example.org --token-file " + token,
		"ls" + at, "deposit " + data + " --title Abc" + at, "publish 1" + at, "link 1" + at, "rm 1" + at,
		"cite 1 --draft --to " + direct + " --token-file " + token,
		"get 1 --draft --out " + dir + "/got --to " + direct + " --token-file " + token,
		"pack 1 --out " + dir + "/packs --server " + direct + " --token-file " + token,
	} {
		_, stderr, status := world.AlcoveRun(t, strings.Fields(call)...)
		if status != 5 || !strings.Contains(stderr, "is not encrypted, so the token was not sent") {
			t.Errorf("alcove %s: %d %s", call, status, stderr)
		}
	}
	if heard.Load() > 0 {
		t.Errorf("%d requests had the token", heard.Load())
	}
	_, stderr, status := world.AlcoveRun(t, "login", "http://data.example.org", "--insecure-http", "--token-file", token)
	if status != 0 || heard.Load() == 0 {
		t.Errorf("with --insecure-http: %d %s", status, stderr)
	}
}

// outward returns an address of this machine, with a port on which it listens, that is no loopback one.
func outward(t *testing.T) string {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			l, err := net.Listen("tcp", net.JoinHostPort(n.IP.String(), "0"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return l.Addr().String()
		}
	}
	t.Skip("this machine has no address but loopback ones")
	return ""
}
