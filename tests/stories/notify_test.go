package stories

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"alcove/tests/doubles"
)

// The service manager hears that the server is ready when requests are answered, and not before, and
// hears that it stops. It is told at a socket with a path, and at one whose name begins with @.
func TestServiceManager(t *testing.T) {
	t.Parallel()
	for _, abstract := range []bool{false, true} {
		dir, err := os.MkdirTemp("", "notify") // the path of a socket is short
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		name := filepath.Join(dir, "s")
		if abstract {
			name = "@" + name
		}
		manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Fatal(err)
		}
		defer manager.Close()
		heard := func() string {
			b := make([]byte, 4096)
			manager.SetReadDeadline(time.Now().Add(time.Minute))
			n, err := manager.Read(b)
			if err != nil {
				t.Fatal(err)
			}
			return string(b[:n])
		}

		port := strconv.Itoa(doubles.FreePort(t))
		var log bytes.Buffer
		serve := exec.Command("alcove", "serve", "--data", filepath.Join(dir, "data"), "--tls", "off", "--listen", "127.0.0.1:"+port)
		serve.Stdout, serve.Stderr = io.Discard, &log
		serve.Env = append(os.Environ(), "NOTIFY_SOCKET="+name)
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		defer serve.Process.Kill()
		if s := heard(); s != "READY=1" {
			t.Errorf("the first that the manager hears is %q", s)
		}
		for _, path := range []string{"/readyz", "/v2/articles"} {
			r, err := http.Get("http://127.0.0.1:" + port + path)
			if err != nil || r.StatusCode != http.StatusOK {
				t.Fatalf("ready, and %s: %v %v", path, r, err)
			}
			r.Body.Close()
		}
		serve.Process.Signal(syscall.SIGTERM)
		if s := heard(); s != "STOPPING=1" {
			t.Errorf("at the end the manager hears %q", s)
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("it ended with %v: %s", err, &log)
		}

		// One that cannot start is never ready.
		bad := exec.Command("alcove", "serve", "--data", filepath.Join(dir, "data"), "--listen", "192.0.2.1:1", "--tls", "files")
		bad.Env = serve.Env
		if out, err := bad.CombinedOutput(); err == nil {
			t.Errorf("it started: %s", out)
		}
		manager.SetReadDeadline(time.Now())
		if n, err := manager.Read(make([]byte, 100)); err == nil {
			t.Errorf("the manager hears %d bytes of a server that cannot start", n)
		}
	}
}
