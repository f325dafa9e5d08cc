package access

import (
	"errors"
	"io/fs"
	"log/slog"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"alcove/bucket"
	"alcove/bucket/users"
	"alcove/cli"
	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/world"
)

// Whatever the umask, the data directory and all in it are for its owner only (security.md K25).
func TestThreatPermissions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "data")
	s := world.Start(t, func(c *config.Config) { c.Data = dir })
	at := s.Ada.Article(`{"title": "With files", "authors": [{"name": "Grace Hopper"}]}`)
	s.Ada.Previews(s.Ada.Upload(at, "a.png", disk.OnePixel), "preview_available")
	s.Ada.Upload(at, "large", disk.Random(3<<20, 9))
	_, upload := s.Ada.Begin(at, "open", disk.Random(100, 1))
	s.Anon.Do("PUT", upload+"/1", strings.NewReader(string(disk.Random(100, 1)))).Is(200)
	s.Ada.Do("DELETE", at, nil).Is(204)
	s.Restart()
	n := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the search index drops files as it goes
		}
		if n++; err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || n < 20 {
		t.Errorf("%d files: %v", n, err)
	}
}

// Without a configuration the server listens on this machine only, with TLS, and lets no client
// in: there is no account before an operator makes one (security.md N04).
func TestThreatDefaults(t *testing.T) {
	t.Parallel()
	d := config.Default()
	if !d.OnLoopback() || d.TLS == "off" || d.MetricsListen != "" || len(d.TrustedProxies) != 0 {
		t.Errorf("by itself it listens on %s with TLS %s, metrics %q, proxies %v", d.Listen, d.TLS, d.MetricsListen, d.TrustedProxies)
	}
	if _, err := config.Load(config.Sources{Env: []string{"ALCOVE_TLS=off", "ALCOVE_LISTEN=0.0.0.0:8080"}}); err == nil {
		t.Error("it would listen everywhere without TLS")
	}
	d.Data, d.Listen, d.TLS = t.TempDir(), "127.0.0.1:0", "off"
	s, err := cli.StartServer(d, routes.NewRouter, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	err = s.DB().View(func(tx *bucket.Tx) error {
		for row, err := range users.Accounts.All(tx, nil) {
			t.Errorf("there is an account %d: %v", row.Key, err)
		}
		for row, err := range users.Tokens.All(tx, nil) {
			t.Errorf("there is a token %s: %v", row.Key, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Nothing that profiles or breaks a server on purpose is in the program (security.md N03).
func TestThreatNothingForDebugging(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "alcove").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 || !slices.Contains(deps, "alcove/handlers") {
		t.Fatalf("go list tells %d packages", len(deps))
	}
	for _, p := range deps {
		if p == "net/http/pprof" || p == "net/http/httptest" || p == "testing" || strings.Contains(p, "gofail") || strings.HasPrefix(p, "plugin") {
			t.Errorf("the program has %s in it", p)
		}
	}
	s := world.Start(t)
	for _, path := range []string{"/debug/pprof/", "/debug/vars", "/metrics", "/.git/HEAD", "/alcove.db", "/server-status", "/config", "/v2/debug"} {
		s.Root.Get(path).Refuses(404, "")
	}
}

// A log that cannot be written, as on a full disk, does not stop the service (security.md I15).
func TestThreatLogUnwritable(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = t.TempDir(), "127.0.0.1:0", "off"
	s := &world.Server{T: t, Cfg: cfg, Logs: &world.LockedBuffer{}}
	var full diskFull
	s.BootWith(routes.NewRouter, slog.New(slog.NewTextHandler(&full, nil)))
	defer s.CheckStore()
	defer s.Stop()
	s.Anon = world.Client{Server: s, Token: ""}
	ada := s.Person("Ada", false)
	for range 50 {
		ada.Article(`{"title": "Nobody reads of this"}`)
		s.Anon.Get("/v2/articles/99").Is(404)
	}
	if full.refused.Load() < 100 {
		t.Errorf("only %d lines were refused", full.refused.Load())
	}
}

// diskFull takes nothing.
type diskFull struct{ refused atomic.Int32 }

func (d *diskFull) Write([]byte) (int, error) {
	d.refused.Add(1)
	return 0, syscall.ENOSPC
}
