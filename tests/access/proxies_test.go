package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/doubles"
	"alcove/tests/world"
)

var proxies = flag.Bool("proxies", false, "start nginx, Caddy and Apache with the configurations of packaging/proxies")

const publicHost = "data.example.org"

// proxied is a server behind a proxy, and the client of it.
type proxied struct {
	*testing.T
	server  *world.Server
	port    string // of the proxy
	command *exec.Cmd
	trust   *x509.CertPool
}

// The configurations that we hand out work as they are but for ports and paths: large files come and go
// without being kept by the proxy, ranges, conditions and addresses are the server's, long headers are
// refused by one of them, and the server learns who the client is.
func TestProxies(t *testing.T) {
	if !*proxies {
		t.Skip("make check-proxies")
	}
	for name, start := range map[string]func(p *proxied, dir string, put func(file string, replace ...string) string) *exec.Cmd{
		"nginx": func(p *proxied, dir string, put func(string, ...string) string) *exec.Cmd {
			site := put("nginx.conf", "listen 443 ssl", "listen 127.0.0.1:"+p.port+" ssl")
			main := filepath.Join(dir, "main.conf")
			temps := ""
			for _, n := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				temps += fmt.Sprintf("%s_temp_path %s/%s; ", n, dir, n)
			}
			disk.WriteFile(p, main, []byte(fmt.Sprintf("daemon off; pid %s/pid; error_log stderr; events {} http { access_log off; %s include %s; }", dir, temps, site)))
			return exec.Command("nginx", "-c", main, "-p", dir)
		},
		"caddy": func(p *proxied, dir string, put func(string, ...string) string) *exec.Cmd {
			file := put("Caddyfile", "disable_redirects", "disable_redirects\n\tadmin off\n\thttp_port "+fmt.Sprint(doubles.FreePort(p.T))+"\n\thttps_port "+p.port, "#tls", "tls")
			c := exec.Command("caddy", "run", "--config", file, "--adapter", "caddyfile")
			c.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
			return c
		},
		"apache": func(p *proxied, dir string, put func(string, ...string) string) *exec.Cmd {
			site := put("apache.conf", "*:443", "127.0.0.1:"+p.port)
			main := filepath.Join(dir, "main.conf")
			text := "ServerRoot " + dir + "\nServerName localhost\nPidFile " + dir + "/pid\nErrorLog /dev/stderr\nListen 127.0.0.1:" + p.port + "\n"
			for _, m := range []string{"mpm_event", "authz_core", "socache_shmcb", "ssl", "proxy", "proxy_http", "headers", "reqtimeout"} {
				text += "LoadModule " + m + "_module /usr/lib/apache2/modules/mod_" + m + ".so\n"
			}
			// Debian's own bounds for slow requests.
			text += "RequestReadTimeout header=20-40,minrate=500\nRequestReadTimeout body=10,minrate=500\nMutex file:" + dir + "\nUser www-data\nGroup www-data\nInclude " + site + "\n"
			disk.WriteFile(p, main, []byte(text))
			return exec.Command("apache2", "-d", dir, "-f", main, "-D", "FOREGROUND")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := behindProxy(t, start)
			p.files()
			p.headers()
			p.long()
			p.origins()
		})
	}
}

// behindProxy starts a server and a proxy in front of it.
func behindProxy(t *testing.T, start func(*proxied, string, func(string, ...string) string) *exec.Cmd) *proxied {
	p := &proxied{T: t, port: fmt.Sprint(doubles.FreePort(t)), trust: x509.NewCertPool()}
	p.server = world.Start(t, func(c *config.Config) {
		c.BaseURL = "https://" + publicHost
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	})
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	doubles.SelfSigned(t, cert, key, publicHost)
	text, err := os.ReadFile(cert)
	if err != nil || !p.trust.AppendCertsFromPEM(text) {
		t.Fatal("no certificate", err)
	}
	put := func(name string, replace ...string) string {
		b, err := os.ReadFile(filepath.Join(disk.Root(), "packaging", "proxies", name))
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for i := 0; i < len(replace); i += 2 {
			if !strings.Contains(text, replace[i]) {
				t.Fatalf("%s does not say %q", name, replace[i])
			}
			text = strings.Replace(text, replace[i], replace[i+1], 1)
		}
		text = strings.NewReplacer("/etc/ssl/alcove/fullchain.pem", cert, "/etc/ssl/alcove/privkey.pem", key).Replace(text)
		comments, settings := text[:strings.LastIndex(text, "#     base_url")], text[strings.LastIndex(text, "#     base_url"):]
		file := filepath.Join(dir, name)
		disk.WriteFile(t, file, []byte(comments+strings.ReplaceAll(settings, "127.0.0.1:8080", p.server.Address())))
		return file
	}
	p.command = start(p, dir, put)
	var said world.LockedBuffer
	p.command.Stdout, p.command.Stderr = &said, &said
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { // ends with the proxy
		p.command.Wait()
		close(ended)
	}()
	t.Cleanup(func() {
		p.command.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			p.command.Process.Kill()
		}
		if t.Failed() {
			t.Logf("the proxy said: %s", said.String())
		}
	})
	world.WaitFor(t, "the proxy answers", func() bool {
		select {
		case <-ended:
			t.Fatalf("the proxy ended: %s", said.String())
		default:
		}
		c, err := net.Dial("tcp", "127.0.0.1:"+p.port)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	return p
}

// client reaches the public host through the proxy, from an address of loopback.
func (p *proxied) client(from string, two bool) *http.Client {
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	t := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: p.trust},
		ForceAttemptHTTP2: two,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return d.DialContext(ctx, network, "127.0.0.1:"+p.port)
		},
	}
	p.Cleanup(t.CloseIdleConnections)
	return &http.Client{Transport: t, Timeout: 5 * time.Minute}
}

func (p *proxied) send(c *http.Client, method, url string, body io.Reader, headers ...string) *http.Response {
	p.Helper()
	if !strings.HasPrefix(url, "https://") {
		url = "https://" + publicHost + url
	}
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		p.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	r, err := c.Do(req)
	if err != nil {
		p.Fatalf("%s %s: %v", method, url, err)
	}
	p.Cleanup(func() { r.Body.Close() })
	return r
}

// object reads an answer of JSON with a status.
func (p *proxied) object(r *http.Response, status int) (o map[string]any) {
	p.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != status {
		p.Fatalf("%s %s: %d %v: %.300s", r.Request.Method, r.Request.URL, r.StatusCode, err, b)
	}
	json.Unmarshal(b, &o) // some answers are a word
	return o
}

// files uploads one in parts and reads it again.
func (p *proxied) files() {
	p.Helper()
	const size = 64 << 20
	data := disk.Random(size, 20)
	for _, two := range []bool{true, false} {
		c := p.client("127.0.0.1", two)
		token := []string{"Authorization", "token " + p.server.Ada.Token}
		made := p.object(p.send(c, "POST", "/v2/account/articles", strings.NewReader(`{"title": "Through a proxy"}`), token...), 201)
		article := made["location"].(string)
		if !strings.HasPrefix(article, "https://"+publicHost+"/v2/account/articles/") {
			p.Errorf("the article is at %s", article)
		}
		begun := p.object(p.send(c, "POST", article+"/files", strings.NewReader(fmt.Sprintf(`{"name": "large.bin", "size": %d}`, size)), token...), 201)
		file := p.object(p.send(c, "GET", begun["location"].(string), nil, token...), 200)
		upload := file["upload_url"].(string)
		var plan struct{ Parts []world.Part }
		b, _ := json.Marshal(p.object(p.send(c, "GET", upload, nil), 200))
		if err := json.Unmarshal(b, &plan); err != nil || len(plan.Parts) == 0 {
			p.Fatalf("the parts are %s", b)
		}
		for i, part := range plan.Parts {
			content := data[part.Start : part.End+1]
			body := io.Reader(bytes.NewReader(content))
			if i == 0 {
				body = p.halting(content)
			}
			req, err := http.NewRequest("PUT", fmt.Sprintf("%s/%d", upload, part.No), body)
			if err != nil {
				p.Fatal(err)
			}
			req.ContentLength = int64(len(content))
			r, err := c.Do(req)
			if err != nil {
				p.Fatal(err)
			}
			p.object(r, 200)
		}
		p.object(p.send(c, "POST", begun["location"].(string), nil, token...), 202)
		world.WaitFor(p.T, "the file is available", func() bool {
			file = p.object(p.send(c, "GET", begun["location"].(string), nil, token...), 200)
			return file["status"] == "available"
		})
		p.read(c, file["download_url"].(string), data, token)
	}
}

// halting is a body that comes to its end only when the server has the first half on its disk: the proxy
// passes on what has come.
func (p *proxied) halting(content []byte) io.Reader {
	r, w := io.Pipe()
	before := p.staged()
	go func() { // ends with the request
		half := len(content) / 2
		w.Write(content[:half])
		deadline := time.Now().Add(time.Minute)
		for p.staged()-before < int64(half/2) && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if p.staged()-before < int64(half/2) {
			w.CloseWithError(fmt.Errorf("the server has %d bytes of a part, of which the proxy has %d", p.staged()-before, half))
			return
		}
		w.Write(content[half:])
		w.Close()
	}()
	return r
}

// staged is how much space the uploads take on the disk.
func (p *proxied) staged() (n int64) {
	filepath.WalkDir(filepath.Join(p.server.Cfg.Data, "uploads"), func(path string, d os.DirEntry, err error) error {
		n += allocated(path)
		return nil
	})
	return n
}

// read gets the file whole, in a range, and under a condition.
func (p *proxied) read(c *http.Client, url string, data []byte, token []string) {
	p.Helper()
	whole := p.send(c, "GET", url, nil, token...)
	first := make([]byte, 1<<20)
	if _, err := io.ReadFull(whole.Body, first); err != nil {
		p.Fatal(err)
	}
	if n := p.kept(); n > 8<<20 {
		p.Errorf("the proxy keeps %d bytes of a download on its disk", n)
	}
	rest, err := io.ReadAll(whole.Body)
	if err != nil || !bytes.Equal(append(first, rest...), data) {
		p.Errorf("%d bytes were read: %v", len(first)+len(rest), err)
	}
	part := p.send(c, "GET", url, nil, append([]string{"Range", "bytes=1000000-1000999"}, token...)...)
	got, err := io.ReadAll(part.Body)
	if err != nil || part.StatusCode != 206 || !bytes.Equal(got, data[1_000_000:1_001_000]) {
		p.Errorf("a range: %d, %d bytes, %v", part.StatusCode, len(got), err)
	}
	tag := whole.Header.Get("Etag")
	if again := p.send(c, "GET", url, nil, append([]string{"If-None-Match", tag}, token...)...); again.StatusCode != 304 || tag == "" {
		p.Errorf("under the condition %s: %d", tag, again.StatusCode)
	}
}

// kept is what the processes of the proxy have in open files that have no name any more, or are theirs alone.
func (p *proxied) kept() (n int64) {
	pids := []string{fmt.Sprint(p.command.Process.Pid)}
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%s/task/%s/children", pids[0], pids[0]))
	for _, pid := range append(pids, strings.Fields(string(children))...) {
		open, _ := filepath.Glob("/proc/" + pid + "/fd/*")
		for _, fd := range open {
			if to, _ := os.Readlink(fd); strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/") {
				n += allocated(fd)
			}
		}
	}
	return n
}

// allocated is how many bytes of the disk a file takes.
func allocated(path string) int64 {
	var s syscall.Stat_t
	if syscall.Stat(path, &s) != nil {
		return 0
	}
	return s.Blocks * 512
}

// headers sends long ones.
func (p *proxied) headers() {
	p.Helper()
	c := p.client("127.0.0.1", false)
	if r := p.send(c, "GET", "/v2/articles", nil, "X-Long", strings.Repeat("a", 20_000)); r.StatusCode != 200 {
		p.Errorf("with a header of 20 kB: %d", r.StatusCode)
	}
	if r := p.send(c, "GET", "/v2/articles", nil, "X-Long", strings.Repeat("a", 100_000)); r.StatusCode != 431 && r.StatusCode != 400 {
		p.Errorf("with a header of 100 kB: %d", r.StatusCode)
	}
}

// long reads an item of 100 files and 3,000 authors with a long title in Chinese.
func (p *proxied) long() {
	p.Helper()
	c := p.server.Ada
	title := strings.Repeat("雨の研究", 60)
	at := c.Article(fmt.Sprintf(`{"title": %q, "defined_type": "dataset", "authors": [{"name": "Ada Lovelace", "orcid_id": "0000-0002-1825-0097"}]}`, title))
	for n := range 300 {
		names := world.JSONList(10, fmt.Sprintf(`{"name": "Author %d-#"}`, n))
		c.Send("POST", at+"/authors", `{"authors": `+names+`}`).Is(205)
	}
	for n := range 99 {
		c.Send("POST", at+"/files", fmt.Sprintf(`{"link": "https://example.org/%s/%d"}`, strings.Repeat("雨", 1000), n)).Is(201)
	}
	c.Upload(at, strings.Repeat("雨", 400)+".csv", []byte("one\n"))
	c.Do("POST", at+"/publish", nil).Is(201)
	id := world.LastNumber(p.T, at)
	page := p.server.Anon.Get(fmt.Sprintf("/v2/articles/%d", id)).Is(200).Object()["url_public_html"].(string)
	paths := []string{page, page + "/1", page + "/linkset", fmt.Sprintf("/articles/%d/versions/1?format=bagit", id)}
	for offset := 0; offset < 100; offset += 50 {
		for _, f := range p.server.Anon.Get(fmt.Sprintf("/v2/articles/%d/files?limit=50&offset=%d", id, offset)).Is(200).List() {
			paths = append(paths, fmt.Sprintf("/files/%v", f["id"]))
		}
	}
	for _, two := range []bool{true, false} {
		through := p.client("127.0.0.1", two)
		through.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		for _, path := range paths {
			if r := p.send(through, "GET", path, nil, "Accept", "text/html"); r.StatusCode != 200 && r.StatusCode != 302 {
				p.Errorf("%.80s: %d", path, r.StatusCode)
			}
		}
	}
}

// origins looks which address the server takes for that of the client, and that a path stays as it is.
func (p *proxied) origins() {
	p.Helper()
	c := p.client("127.0.0.5", false)
	if r := p.send(c, "GET", "/v2/articles?page=1", nil, "X-Forwarded-For", "192.0.2.77", "X-Forwarded-Proto", "http"); r.StatusCode != 200 {
		p.Errorf("the list: %d", r.StatusCode)
	}
	world.WaitFor(p.T, "the log has the address", func() bool { return strings.Contains(p.server.Logs.String(), "remote=127.0.0.5") })
	if strings.Contains(p.server.Logs.String(), "192.0.2.77") {
		p.Error("the server believes what a client says of its address")
	}
	if r := p.send(c, "GET", "/", nil); r.StatusCode != 200 || !strings.Contains(r.Header.Get("Content-Type"), "text/html") {
		p.Errorf("the page: %d", r.StatusCode)
	}
	if r := p.send(c, "GET", "/v2/articles%2F1", nil); r.StatusCode != 404 {
		p.Errorf("an encoded slash: %d", r.StatusCode)
	}
}
