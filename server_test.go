package main

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
	"testing"
	"time"

	"alcove/check"
	"alcove/cli"
	"alcove/config"
	"alcove/handlers"
)

// server is a real server on a loopback port with a data directory of its own.
type server struct {
	*cli.Server
	t    testing.TB
	cfg  config.Config
	URL  string
	Ada  client // two ordinary accounts
	Ben  client
	Root client // an administrator
	Anon client
	logs *lockedBuffer

	clock func() time.Time // nil for the system's

	// harmed is why what the server stores is damaged, or odd, at the end of the test, which
	// otherwise checks all of it.
	harmed    string
	willCheck bool
}

// client calls a server with one account's token, or none.
type client struct {
	s     *server
	token string
}

// reply is an answer, read to its end.
type reply struct {
	*http.Response
	t    testing.TB
	body []byte
}

// start starts a server with people. change may alter the configuration first.
func start(t testing.TB, change ...func(*config.Config)) *server {
	t.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = t.TempDir(), "127.0.0.1:0", "off"
	cfg.WrongTokens = 1_000_000 // the suite sends a lot of them
	for _, c := range change {
		c(&cfg)
	}
	s := &server{t: t, cfg: cfg}
	s.boot()
	t.Cleanup(func() {
		if s.Server != nil {
			s.Stop()
		}
	})
	s.Anon = client{s, ""}
	s.Ada, s.Ben = s.person("Ada", false), s.person("Ben", false)
	s.Root = s.person("Root", true)
	return s
}

func (s *server) boot() {
	s.t.Helper()
	if !s.willCheck {
		s.willCheck = true
		s.t.Cleanup(s.checkStore)
	}
	s.logs = &lockedBuffer{}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	var err error
	if s.Server, err = cli.StartServerAt(s.cfg, newRouter, log, s.clock); err != nil {
		s.t.Fatal(err)
	}
	s.URL = s.Server.Config.BaseURL
}

// checkStore fails the test when a check of all that is stored finds anything: a test that leaves
// what a check calls damaged has met a defect of the server or of the check, unless it says why.
func (s *server) checkStore() {
	if s.harmed == "" {
		checkStore(s.t, s.cfg.Data)
	}
}

// checkStore is a check of a data directory at the end of a test, of one that is still there.
func checkStore(t testing.TB, dir string) {
	_, bench := t.(*testing.B)
	if _, err := os.Stat(dir); err != nil || bench || t.Failed() || t.Skipped() {
		return
	}
	r, err := cli.CheckData(context.Background(), dir, check.Request{Restart: true})
	if err != nil || r.State != check.Done || r.Found > 0 {
		t.Errorf("the check at the end: %v, %s %s, %d found: %+v", err, r.State, r.Error, r.Found, r.Problems[:min(len(r.Problems), 5)])
	}
}

// restart stops the server and starts it again on the same data directory.
func (s *server) restart() {
	s.t.Helper()
	s.Stop()
	s.boot()
}

func (s *server) person(name string, admin bool) client {
	s.t.Helper()
	email := strings.ToLower(name) + "@example.org"
	_, err := handlers.AddAccount(context.Background(), s.DB(), handlers.NewAccount{
		Email: email, FirstName: name, LastName: "Tester", Admin: admin,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	token, err := handlers.AddToken(context.Background(), s.DB(), email, "test")
	if err != nil {
		s.t.Fatal(err)
	}
	return client{s, token}
}

// do sends a request. path is below the server's address, or a whole address; headers
// are name, value pairs.
func (c client) do(method, path string, body io.Reader, headers ...string) *reply {
	c.s.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = c.s.URL + path
	}
	req, err := http.NewRequest(method, path, body)
	if err != nil {
		c.s.t.Fatal(err)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "token "+c.token)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := noRedirects.Do(req)
	if err != nil {
		c.s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		c.s.t.Fatal(err)
	}
	if res.StatusCode >= 500 && res.StatusCode != 503 && res.StatusCode != 507 {
		c.s.t.Errorf("%s %s answered %d: %s\n%s", method, path, res.StatusCode, b, c.s.logs)
	}
	suite.saw(c.s.t, req, res, b)
	return &reply{res, c.s.t, b}
}

var noRedirects = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Timeout:       2 * time.Minute,
}

// send sends JSON text.
func (c client) send(method, path, body string, headers ...string) *reply {
	c.s.t.Helper()
	return c.do(method, path, strings.NewReader(body), headers...)
}

func (c client) get(path string, headers ...string) *reply {
	c.s.t.Helper()
	return c.do("GET", path, nil, headers...)
}

// is checks the status.
func (r *reply) is(status int) *reply {
	r.t.Helper()
	if r.StatusCode != status {
		r.t.Fatalf("%s %s answered %d, want %d: %.600s", r.Request.Method, r.Request.URL.Path, r.StatusCode, status, r.body)
	}
	return r
}

// refuses checks the status and the message of an error with exactly three fields.
func (r *reply) refuses(status int, message string) *reply {
	r.t.Helper()
	r.is(status)
	var e map[string]any
	if err := json.Unmarshal(r.body, &e); err != nil {
		r.t.Fatalf("the error is no JSON: %v: %s", err, r.body)
	}
	_, hasData := e["data"].(map[string]any)
	_, hasCode := e["code"].(string)
	if len(e) != 3 || !hasData || !hasCode {
		r.t.Errorf("the error is not message, code, data: %s", r.body)
	}
	if got, _ := e["message"].(string); message != "" && !strings.Contains(got, message) {
		r.t.Errorf("%s %s: message %q, want %q", r.Request.Method, r.Request.URL.Path, got, message)
	}
	return r
}

// into decodes the body.
func (r *reply) into(to any) {
	r.t.Helper()
	if err := json.Unmarshal(r.body, to); err != nil {
		r.t.Fatalf("%s: %v: %.300s", r.Request.URL.Path, err, r.body)
	}
}

// object decodes a JSON object.
func (r *reply) object() map[string]any {
	r.t.Helper()
	var o map[string]any
	r.into(&o)
	return o
}

// list decodes a JSON list of objects.
func (r *reply) list() []map[string]any {
	r.t.Helper()
	var l []map[string]any
	r.into(&l)
	return l
}

// article makes an article and returns its address below /v2/account.
func (c client) article(body string) string {
	c.s.t.Helper()
	r := c.send("POST", "/v2/account/articles", body).is(201)
	return strings.TrimPrefix(r.Header.Get("Location"), c.s.URL)
}

// published makes and publishes an article with one author, and returns its id.
func (c client) published(title string) int64 {
	c.s.t.Helper()
	at := c.article(fmt.Sprintf(`{"title": %q, "authors": [{"name": "Grace Hopper"}]}`, title))
	c.do("POST", at+"/publish", nil).is(201)
	return lastNumber(c.s.t, at)
}

func lastNumber(t testing.TB, path string) (n int64) {
	t.Helper()
	if _, err := fmt.Sscan(path[strings.LastIndexByte(path, '/')+1:], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// begin starts the upload of a file and returns its address and its upload address.
func (c client) begin(article, name string, data []byte) (file, upload string) {
	c.s.t.Helper()
	sum := md5.Sum(data)
	return c.beginAs(article, fmt.Sprintf(`{"name": %q, "size": %d, "md5": %q}`, name, len(data), hex.EncodeToString(sum[:])))
}

func (c client) beginAs(article, body string) (file, upload string) {
	c.s.t.Helper()
	r := c.send("POST", article+"/files", body).is(201)
	file = strings.TrimPrefix(r.Header.Get("Location"), c.s.URL)
	upload, _ = c.get(file).is(200).object()["upload_url"].(string)
	return file, upload
}

// part is one part of an upload's plan.
type part struct {
	No     int    `json:"partNo"`
	Start  int64  `json:"startOffset"`
	End    int64  `json:"endOffset"`
	Status string `json:"status"`
	Locked bool   `json:"locked"`
}

func (s *server) parts(upload string) (parts []part) {
	s.t.Helper()
	var u struct {
		Parts []part `json:"parts"`
	}
	s.Anon.get(upload).is(200).into(&u)
	return u.Parts
}

// upload uploads a file whole and waits until it is available.
func (c client) upload(article, name string, data []byte) (file string) {
	c.s.t.Helper()
	file, upload := c.begin(article, name, data)
	for _, p := range c.s.parts(upload) {
		c.s.Anon.do("PUT", fmt.Sprintf("%s/%d", upload, p.No), bytes.NewReader(data[p.Start:p.End+1])).is(200)
	}
	c.do("POST", file, nil).is(202)
	c.until(file, "available")
	return file
}

// until reads a file record until it has a status.
func (c client) until(file, status string) map[string]any {
	c.s.t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		changed := c.s.DB().Changed()
		f := c.get(file).is(200).object()
		if f["status"] == status {
			return f
		}
		select {
		case <-changed:
		case <-time.After(time.Until(deadline)):
			c.s.t.Fatalf("%s is %v, want %s", file, f["status"], status)
		}
	}
}

// random is n bytes that look random and are the same for a seed.
func random(n int, seed uint64) []byte {
	b := make([]byte, n)
	for i := range b {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		b[i] = byte(seed)
	}
	return b
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
