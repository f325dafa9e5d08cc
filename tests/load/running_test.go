package load

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/tests/disk"
	"alcove/tests/world"
)

// heldAt is a second address of a server, which holds the answer of the n-th file.
func heldAt(t *testing.T, from *world.Server, n int) (*stalling, string) {
	u, err := url.Parse(from.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &stalling{files: map[string]int{}, holds: n, reached: make(chan struct{})}
	server := httptest.NewUnstartedServer(proxy)
	address := "http://" + server.Listener.Addr().String()
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() }) // a request that is held would keep it open
	pass := httputil.NewSingleHostReverseProxy(u)
	pass.ModifyResponse = func(r *http.Response) error { r.Header.Del("Content-Length"); return nil }
	proxy.Handler = rewriting(pass, from.URL, address)
	server.Start()
	return proxy, address
}

func fiveFiles(s *world.Server) {
	at := s.Ada.Article(`{"title": "Heliotrope measurements", "authors": [{"name": "A B"}]}`)
	for i := range 5 {
		s.Ada.Upload(at, fmt.Sprintf("%d.bin", i), disk.Random(100_000+i, uint64(i+1)))
	}
	s.Ada.Do("POST", at+"/publish", nil).Is(201)
}

// Items are pulled into a server that runs; what Ctrl-C or the end of the server cut off goes on.
func TestPullIntoRunning(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	fiveFiles(from)
	proxy, address := heldAt(t, from, 3)
	cut := func(end func(*exec.Cmd)) string {
		t.Helper()
		var said bytes.Buffer
		cmd := pullCommand(to, address+"/v2/articles/1")
		cmd.Args = append(cmd.Args, "--silence", "1h") // so that nothing but the end of the command ends the work
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-proxy.reached
		end(cmd)
		if err := cmd.Wait(); err == nil {
			t.Error("it ended with 0")
		}
		return said.String()
	}
	said := cut(func(c *exec.Cmd) { c.Process.Signal(os.Interrupt) })
	if !strings.Contains(said, "stopped; the same command goes on where this one ended") {
		t.Error(said)
	}
	to.Eventually("the server gives the work up with its command", func() bool { return proxy.ended.Load() == 1 })
	proxy.mu.Lock()
	proxy.holds, proxy.reached = 4, make(chan struct{})
	proxy.mu.Unlock()
	said = cut(func(*exec.Cmd) { to.Stop() })
	if !strings.Contains(said, "the server was stopped; the same command goes on where this one ended") {
		t.Error(said)
	}
	to.Boot()
	proxy.mu.Lock()
	proxy.holds = 0
	proxy.mu.Unlock()
	b, err := pullCommand(to, address+"/v2/articles/1").CombinedOutput()
	if err != nil || !strings.Contains(string(b), "1 loaded, 1 of them published") {
		t.Fatal(err, string(b))
	}
	for i, want := range []int{1, 1, 2, 2, 1} {
		if got := proxy.files[fmt.Sprintf("/files/%d", i+1)]; got != want {
			t.Errorf("file %d was asked for %d times, want %d", i+1, got, want)
		}
	}
	found := func() bool {
		return len(to.Anon.Send("POST", "/v2/articles/search", `{"search_for": "heliotrope"}`).Is(200).List()) == 1
	}
	to.Eventually("the search finds it", found)
	sameBytes(t, from, to, "/v2/articles/1/versions/1/files", "/v2/articles/2/versions/1/files", "article")
	b, err = pullCommand(to, address+"/v2/articles/1").CombinedOutput()
	if err != nil || !strings.Contains(string(b), "1 loaded before") || !strings.Contains(string(b), "\n0 bytes of files were transferred") {
		t.Error(err, string(b))
	}

	// An item that was deleted here is not made again when it changes there.
	to.Ada.Send("POST", "/v2/account/articles/2/unpublish", `{"reason": "Not wanted"}`).Is(204)
	to.Ada.Send("DELETE", "/v2/account/articles/2", "").Is(204)
	from.Ada.Send("PATCH", "/v2/account/articles/1", `{"title": "Another title"}`).Is(205)
	from.Ada.Do("POST", "/v2/account/articles/1/publish", nil).Is(201)
	b, err = pullCommand(to, address+"/v2/articles/1").CombinedOutput()
	if err == nil || !strings.Contains(string(b), "it was loaded before as article 2, which was deleted or has another owner now") {
		t.Error(err, string(b))
	}
	b, err = pullCommand(to, address+"/v2/articles/77").CombinedOutput()
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 1 || !strings.Contains(string(b), "not everything was loaded: 1 refused") {
		t.Error(err, string(b))
	}
}

// Packages are unpacked into a server that runs, from paths as the command has them.
func TestUnpackIntoRunning(t *testing.T) {
	t.Parallel()
	from, to := world.Start(t), second(t)
	fiveFiles(from)
	dir := t.TempDir()
	if said, err := packs(from, dir, "article/1"); err != nil {
		t.Fatal(err, said)
	}
	unpacks := func(files ...string) (string, error) {
		cmd := exec.Command("alcove", append([]string{"unpack", "--data", to.Cfg.Data, "--account", "ada@example.org"}, files...)...)
		cmd.Dir = dir
		b, err := cmd.CombinedOutput()
		return string(b), err
	}
	if said, err := unpacks("article-1.zip"); err != nil || !strings.Contains(said, "1 loaded, 1 of them published") {
		t.Fatal(err, said)
	}
	sameBytes(t, from, to, "/v2/articles/1/versions/1/files", "/v2/articles/2/versions/1/files", "article")
	to.Eventually("the search finds it", func() bool {
		return len(to.Anon.Send("POST", "/v2/articles/search", `{"search_for": "heliotrope"}`).Is(200).List()) == 1
	})
	if said, err := unpacks("article-1.zip"); err != nil || !strings.Contains(said, "1 loaded before") {
		t.Error(err, said)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.zip"), []byte("no zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := unpacks("bad.zip", "absent.zip")
	if e, ok := err.(*exec.ExitError); !ok || e.ExitCode() != 1 || !strings.Contains(said, "2 of 2 packages were refused") {
		t.Error(err, said)
	}
}
