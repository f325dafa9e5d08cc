// Package world is what the tests of all themes share: servers with people, the requests that they
// send, and what they look for in the answers. A theme is a folder beside it.
package world

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/check"
	"alcove/cli"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/tests/routes"
)

// Server is a real server on a loopback port with a data directory of its own: the program in a
// process of its own, or, where a test needs what only Go can reach, in this one.
type Server struct {
	T       testing.TB
	Cfg     config.Config
	URL     string
	Metrics string // where its metrics are, host:port; empty for nowhere
	CA      string // certificate authority to trust, empty when it is not its own
	Ada     Client // two ordinary accounts
	Ben     Client
	Root    Client // an administrator
	Anon    Client
	Logs    *LockedBuffer

	Within bool             // it runs in this process
	Clock  func() time.Time // of one in this process, nil for the system's

	// harmed is why what the server stores is damaged, or odd, at the end of the test, which
	// otherwise checks all of it.
	Harmed    string
	willCheck bool

	program *program
	core    *cli.Server
	listen  string
}

// Client calls a server with one account's token, or none.
type Client struct {
	Server  *Server
	Token   string
	Session string // a cookie, sent as by pages of the server, "" for none
}

// Reply is an answer, read to its end.
type Reply struct {
	*http.Response
	T     testing.TB
	Bytes []byte
}

// Start starts the program as a server with people. change may alter the configuration first.
func Start(t testing.TB, change ...func(*config.Config)) *Server {
	t.Helper()
	return start(t, false, change)
}

// StartWithin is Start in this process: for a test that reads or changes the store, or sets the
// clock, or a configuration that the program would refuse.
func StartWithin(t testing.TB, change ...func(*config.Config)) *Server {
	t.Helper()
	return start(t, true, change)
}

func start(t testing.TB, within bool, change []func(*config.Config)) *Server {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = t.TempDir(), "127.0.0.1:0", "off"
	cfg.WrongTokens = 1_000_000 // the suite sends a lot of them
	cfg.PageRate = 0            // and asks for many pages
	cfg.WrongPasswords = 1_000_000
	for _, c := range change {
		c(&cfg)
	}
	s := &Server{T: t, Cfg: cfg, Within: within}
	s.Boot()
	t.Cleanup(s.Stop)
	s.Anon = Client{Server: s, Token: ""}
	s.Ada, s.Ben = s.Person("Ada", false), s.Person("Ben", false)
	s.Root = s.Person("Root", true)
	return s
}

// Boot starts a server that was stopped, or never started.
func (s *Server) Boot() {
	s.T.Helper()
	if !s.willCheck {
		s.willCheck = true
		s.T.Cleanup(s.CheckStore)
	}
	s.Logs = &LockedBuffer{}
	if s.Within = s.Within || s.Clock != nil; !s.Within {
		s.program = runProgram(s)
		return
	}
	s.BootWith(routes.NewRouter, slog.New(slog.NewTextHandler(s.Logs, nil)))
}

// BootWith is Boot in this process with another router, or log.
func (s *Server) BootWith(router cli.Router, log *slog.Logger) {
	s.T.Helper()
	core, err := cli.StartServerAt(s.Cfg, router, log, s.Clock)
	if err != nil {
		s.T.Fatal(err)
	}
	s.core, s.Within = core, true
	s.URL, s.Metrics, s.CA, s.listen = core.Config.BaseURL, core.Config.MetricsListen, core.CAPath, core.Address()
}

// Address is where the server listens, whatever clients call it.
func (s *Server) Address() string { return s.listen }

// Running reports whether the server was started and not stopped.
func (s *Server) Running() bool { return s.core != nil || s.program != nil }

// Stop stops the server, if it runs.
func (s *Server) Stop() {
	s.T.Helper()
	if s.core != nil {
		s.core.Stop()
	}
	if s.program != nil {
		s.program.stop(s)
	}
	s.core, s.program = nil, nil
}

// DB is the store of a server in this process.
func (s *Server) DB() *bucket.DB {
	if s.core == nil {
		s.T.Helper()
		s.T.Fatal("the store of a program cannot be reached: start the server with StartWithin")
	}
	return s.core.DB()
}

// Enter restarts the server in this process, where a helper has started the program.
func (s *Server) Enter() {
	s.T.Helper()
	s.Within = true
	s.Restart()
}

// Quiet is the same server for a test that expects answers of 500.
func (s *Server) Quiet() *Server {
	quiet := *s
	quiet.T = quietly{s.T}
	return &quiet
}

// CheckStore fails the test when a check of all that is stored finds anything: a test that leaves
// what a check calls damaged has met a defect of the server or of the check, unless it says why.
func (s *Server) CheckStore() {
	if s.Harmed == "" {
		checkStore(s.T, s.Cfg.Data)
	}
}

// checkStore is a check of a data directory at the end of a test, of one that is still there.
func checkStore(t testing.TB, dir string) {
	_, bench := t.(*testing.B)
	if _, err := os.Stat(dir); err != nil || !lasting || bench || t.Failed() || t.Skipped() {
		return
	}
	r, err := cli.CheckData(context.Background(), dir, check.Request{Restart: true})
	if err != nil || r.State != check.Done || r.Found > 0 {
		t.Errorf("the check at the end: %v, %s %s, %d found: %+v", err, r.State, r.Error, r.Found, r.Problems[:min(len(r.Problems), 5)])
	}
}

// Restart stops the server and starts it again on the same data directory.
func (s *Server) Restart() {
	s.T.Helper()
	if !lasting {
		s.T.Skip("its store is in memory and ends with it")
	}
	s.Stop()
	s.Boot()
}

func (s *Server) Person(name string, admin bool) Client {
	s.T.Helper()
	email := strings.ToLower(name) + "@example.org"
	s.Operate("account", operate.NewAccount{Email: email, FirstName: name, LastName: "Tester", Admin: admin}, nil)
	var token string
	s.Operate("token", map[string]string{"account": email, "name": "test"}, &token)
	return Client{Server: s, Token: token}
}

// Do sends a request. path is below the server's address, or a whole address; headers
// are name, value pairs.
func (c Client) Do(method, path string, body io.Reader, headers ...string) *Reply {
	c.Server.T.Helper()
	if !strings.HasPrefix(path, "http") {
		path = c.Server.URL + path
	}
	req, err := http.NewRequest(method, path, body)
	if err != nil {
		c.Server.T.Fatal(err)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "token "+c.Token)
	}
	if c.Session != "" {
		req.Header.Set("Cookie", c.Session)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := NoRedirects.Do(req)
	if err != nil {
		c.Server.T.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.Server.T.Fatal(err)
	}
	if res.StatusCode >= 500 && res.StatusCode != 503 && res.StatusCode != 507 {
		c.Server.T.Errorf("%s %s answered %d: %s\n%s", method, path, res.StatusCode, b, c.Server.Logs)
	}
	routes.Suite.Saw(c.Server.T, req, res, b)
	return &Reply{res, c.Server.T, b}
}

var NoRedirects = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       2 * time.Minute,
}

// Send sends JSON text.
func (c Client) Send(method, path, body string, headers ...string) *Reply {
	c.Server.T.Helper()
	return c.Do(method, path, strings.NewReader(body), headers...)
}

func (c Client) Get(path string, headers ...string) *Reply {
	c.Server.T.Helper()
	return c.Do("GET", path, nil, headers...)
}

// Is checks the status.
func (r *Reply) Is(status int) *Reply {
	r.T.Helper()
	if r.StatusCode != status {
		r.T.Fatalf("%s %s answered %d, want %d: %.600s", r.Request.Method, r.Request.URL.Path, r.StatusCode, status, r.Bytes)
	}
	return r
}

// Refuses checks the status and the message of an error with exactly three fields.
func (r *Reply) Refuses(status int, message string) *Reply {
	r.T.Helper()
	r.Is(status)
	if status == 400 && r.Request.Method == "POST" && strings.HasPrefix(r.Request.URL.Path, "/v2/token") { // with the fields of RFC 6749, 5.2
		var e map[string]string
		if err := json.Unmarshal(r.Bytes, &e); err != nil || len(e) != 2 || e["error"] == "" || !strings.Contains(e["error_description"], message) {
			r.T.Errorf("%s %s: the error is %s, want %q", r.Request.Method, r.Request.URL.Path, r.Bytes, message)
		}
		return r
	}
	var e map[string]any
	if err := json.Unmarshal(r.Bytes, &e); err != nil {
		r.T.Fatalf("the error is no JSON: %v: %s", err, r.Bytes)
	}
	_, hasData := e["data"].(map[string]any)
	_, hasCode := e["code"].(string)
	if len(e) != 3 || !hasData || !hasCode {
		r.T.Errorf("the error is not message, code, data: %s", r.Bytes)
	}
	if got, _ := e["message"].(string); message != "" && !strings.Contains(got, message) {
		r.T.Errorf("%s %s: message %q, want %q", r.Request.Method, r.Request.URL.Path, got, message)
	}
	return r
}

// Into decodes the body.
func (r *Reply) Into(to any) {
	r.T.Helper()
	if err := json.Unmarshal(r.Bytes, to); err != nil {
		r.T.Fatalf("%s: %v: %.300s", r.Request.URL.Path, err, r.Bytes)
	}
}

// Object decodes a JSON object.
func (r *Reply) Object() map[string]any {
	r.T.Helper()
	var o map[string]any
	r.Into(&o)
	return o
}

// List decodes a JSON list of objects.
func (r *Reply) List() []map[string]any {
	r.T.Helper()
	var l []map[string]any
	r.Into(&l)
	return l
}

// Article makes an article and returns its address below /v2/account.
func (c Client) Article(body string) string {
	c.Server.T.Helper()
	r := c.Send("POST", "/v2/account/articles", body).Is(201)
	return strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL)
}

// Published makes and publishes an article with one author, and returns its id.
func (c Client) Published(title string) int64 {
	c.Server.T.Helper()
	at := c.Article(fmt.Sprintf(`{"title": %q, "authors": [{"name": "Grace Hopper"}]}`, title))
	c.Do("POST", at+"/publish", nil).Is(201)
	return LastNumber(c.Server.T, at)
}

func LastNumber(t testing.TB, path string) (n int64) {
	t.Helper()
	if _, err := fmt.Sscan(path[strings.LastIndexByte(path, '/')+1:], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Begin starts the upload of a file and returns its address and its upload address.
func (c Client) Begin(article, name string, data []byte) (file, upload string) {
	c.Server.T.Helper()
	sum := md5.Sum(data)
	return c.BeginAs(article, fmt.Sprintf(`{"name": %q, "size": %d, "md5": %q}`, name, len(data), hex.EncodeToString(sum[:])))
}

func (c Client) BeginAs(article, body string) (file, upload string) {
	c.Server.T.Helper()
	r := c.Send("POST", article+"/files", body).Is(201)
	file = strings.TrimPrefix(r.Header.Get("Location"), c.Server.URL)
	upload, _ = c.Get(file).Is(200).Object()["upload_url"].(string)
	return file, upload
}

// Part is one part of an upload's plan.
type Part struct {
	No     int    `json:"partNo"`
	Start  int64  `json:"startOffset"`
	End    int64  `json:"endOffset"`
	Status string `json:"status"`
	Locked bool   `json:"locked"`
}

func (s *Server) Parts(upload string) (parts []Part) {
	s.T.Helper()
	var u struct {
		Parts []Part `json:"parts"`
	}
	s.Anon.Get(upload).Is(200).Into(&u)
	return u.Parts
}

// Upload uploads a file whole and waits until it is available.
func (c Client) Upload(article, name string, data []byte) (file string) {
	c.Server.T.Helper()
	file, upload := c.Begin(article, name, data)
	for _, p := range c.Server.Parts(upload) {
		c.Server.Anon.Do("PUT", fmt.Sprintf("%s/%d", upload, p.No), bytes.NewReader(data[p.Start:p.End+1])).Is(200)
	}
	c.Do("POST", file, nil).Is(202)
	c.Until(file, "available")
	return file
}

// Until reads a file record until it has a status.
func (c Client) Until(file, status string) (f map[string]any) {
	c.Server.T.Helper()
	c.Server.Eventually(file+" is "+status, func() bool {
		f = c.Get(file).Is(200).Object()
		return f["status"] == status
	})
	return f
}

// LockedBuffer is a buffer that a test reads while a server writes to it.
type LockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *LockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *LockedBuffer) String() string { return string(l.Bytes()) }

func (l *LockedBuffer) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}

// Figshare is the profile of the public service, as config.Load completes it.
func Figshare(c *config.Config) {
	c.Profile, c.BlankStrings, c.OwnerIsAuthor = "figshare", "empty", true
}
