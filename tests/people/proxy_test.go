package people

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

// behind is a real nginx before a server, which says in a header that a person has come, unless that is "".
func behind(t *testing.T, s *world.Server, user string) world.Client {
	t.Helper()
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed: make contenders")
	}
	at := doubles.Loopback(doubles.FreePort(t))
	dir := t.TempDir()
	conf := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log stderr;
events {}
http {
	access_log off;
	client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
	server {
		listen %[2]s;
		location / { proxy_pass http://%[3]s; proxy_set_header Host $host; proxy_set_header X-Remote-User ""; proxy_set_header X-Remote-Mail ""; }
		location /sign-in/with/shibboleth {
			proxy_pass http://%[3]s; proxy_set_header Host $host;
			proxy_set_header X-Remote-User "%[4]s"; proxy_set_header X-Remote-Mail "%[5]s";
		}
	}
}
`, dir, at, s.Address(), user, map[bool]string{true: "lovelace@example.org"}[user != ""])
	file := filepath.Join(dir, "nginx.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(nginx, "-c", file, "-p", dir)
	var said world.LockedBuffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	world.WaitFor(t, "nginx answers", func() bool {
		c, err := net.Dial("tcp", at)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	there := *s
	there.URL = "http://" + at
	return world.Client{Server: &there}
}

// A proxy says in a header who has come: nginx is believed, which is trusted, and no other client. The header of a client that comes
// through nginx is not passed on.
func TestProxySignIn(t *testing.T) {
	t.Parallel()
	proxied := func(trusted string) func(c *config.Config) {
		return func(c *config.Config) {
			c.SiteURL = "https://data.example.org"
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(trusted)}
			c.SignIn.Proxy = &config.Proxy{
				Name: "shibboleth", Label: "Example University", Header: "X-Remote-User", Mail: "X-Remote-Mail",
				Admission: config.Admission{LinkMail: true, MailDomains: []string{"example.org"}},
			}
		}
	}
	s := world.StartWithin(t, proxied("127.0.0.1/32"))
	mail := s.Member("Lovelace")
	const at = "/sign-in/with/shibboleth?next=/search"
	come := func(c world.Client) *world.Browser { return &world.Browser{Client: c, Cookies: s.Browser().Cookies} }

	b := come(behind(t, s, "https://idp.example.org!ada"))
	shows(t, b.Open("/sign-in?next=/search").Is(200), "Sign in with Example University")
	if to := b.Open(at).Is(303).Header.Get("Location"); to != "/search" {
		t.Errorf("it leads to %q", to)
	}
	shows(t, b.Open("/account").Is(200), mail)
	forged := []string{"X-Remote-User", "root", "X-Remote-Mail", "lovelace@example.org"}
	for _, user := range []string{"", "https://idp.example.org!ada"} { // what a client says does not pass nginx
		b := come(behind(t, s, user))
		b.Open("/account", forged...).Is(303)
		if r := b.Open(at, forged...); (user == "") != (r.StatusCode == 403) {
			t.Errorf("as %q the client got %d", user, r.StatusCode)
		}
		if user != "" {
			shows(t, b.Open("/account").Is(200), mail)
		}
	}
	// From a trusted address each header is there once, and has something.
	for _, headers := range [][]string{
		nil, {"X-Remote-User", ""}, {"X-Remote-User", "a", "X-Remote-User", "b", "X-Remote-Mail", "lovelace@example.org"}, {"X-Remote-Mail", "lovelace@example.org"},
		{"X-Remote-User", "a", "X-Remote-Mail", "lovelace@example.org", "X-Remote-Mail", "x@example.org"},
		{"X-Remote-User", "a", "X-Remote-Mail", "lovelace@elsewhere.example"}, {"X-Remote-User", strings.Repeat("a", 2000), "X-Remote-Mail", "lovelace@example.org"},
		{"X-Remote-User", "a", "X-Remote-Mail", "root@example.org"},
	} {
		b := s.Browser()
		b.Open(at, headers...).Is(403)
		if b.Secret() != "" {
			t.Errorf("%v began a session", headers)
		}
	}

	// The same requests from an address that is not trusted.
	s.Stop()
	proxied("192.0.2.1/32")(&s.Cfg)
	s.Boot()
	for _, c := range []world.Client{s.Anon, behind(t, s, "https://idp.example.org!ada")} {
		b := come(c)
		for _, path := range []string{at, "/account", "/sign-in/back/shibboleth"} {
			if r := b.Open(path, append(forged, "X-Forwarded-For", "192.0.2.1")...); r.StatusCode == 200 || b.Secret() != "" {
				t.Errorf("%s is open: %d", path, r.StatusCode)
			}
		}
		b.Open(at, forged...).Is(403)
	}
}
