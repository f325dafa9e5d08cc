package access

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"alcove/handlers"
	"alcove/handlers/endpoint"
	"alcove/tests/disk"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// The whole table registers, and every line is found under its own address and method.
func TestRoutesRegister(t *testing.T) {
	table := routes.All()
	m := routes.NewMux(&handlers.API{}, table)
	seen := map[string]bool{}
	s := &stage.Stage{}
	for _, r := range table {
		if key := r.Method + " " + r.Path; seen[key] {
			t.Errorf("%s stands twice in the table", key)
		} else {
			seen[key] = true
		}
		found, _ := m.Lookup(r.Method, s.At(r))
		if found == nil || found.Path != r.Path || found.Method != r.Method {
			t.Errorf("%s %s finds %v", r.Method, r.Path, found)
		}
		if strings.Contains(r.Path, "/account") != (r.Access == endpoint.Account || r.Access == endpoint.Session) && !strings.HasSuffix(r.Path, "/hrfeed/upload") && r.Path != "/v2/token" { // where the public description has it
			t.Errorf("%s %s has access %d: private endpoints, and no others, live below /account (specification 1)", r.Method, r.Path, r.Access)
		}
	}
}

// leads reports whether a route is a short address of a page, and answers so.
func leads(r routes.Route, status int) bool {
	return status == 302 && (r.Path == "/doi/*doi" || r.About.IsPage() && strings.Count(r.Path, ":") == 1)
}

// A trailing slash and double slashes change nothing, and nothing is redirected. HEAD is GET
// without the body.
func TestRoutesForms(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	robot := []string{"User-Agent", "Mozilla/5.0 (compatible; Examplebot/2.1)"} // views of people are counted, and pages tell their number
	for _, r := range routes.All() {
		at := s.At(r)
		method, who := r.Method, s.Ada
		if method != "GET" && r.Path != "/v2/articles/search" {
			who = s.Anon // nothing must change: the refusal tells which route was found
		}
		if r.Access == endpoint.Upload && method != "GET" {
			continue
		}
		want := who.Do(method, at, nil, robot...)
		if method == "GET" && !r.AsksForMore() && want.StatusCode != 200 && want.StatusCode != 404 && !leads(r, want.StatusCode) {
			t.Errorf("GET %s answered %d", at, want.StatusCode)
		}
		for _, form := range []string{at + "/", strings.ReplaceAll(at, "/", "//"), "/" + at, at + "//", "///" + at + "///"} {
			got := who.Do(method, s.URL+form, nil, robot...)
			if got.StatusCode != want.StatusCode || !bytes.Equal(world.Undated(got.Bytes), world.Undated(want.Bytes)) {
				t.Errorf("%s %s answered %d %.200s, without the slashes %d %.200s", method, form, got.StatusCode, got.Bytes, want.StatusCode, want.Bytes)
			}
		}
		if method != "GET" {
			continue
		}
		head := who.Do("HEAD", at, nil, robot...)
		if head.StatusCode != want.StatusCode || len(head.Bytes) != 0 {
			t.Errorf("HEAD %s answered %d with %d bytes, GET %d", at, head.StatusCode, len(head.Bytes), want.StatusCode)
		}
		world.SameHeaders(t, "HEAD "+at, head.Header, want.Header)
		if head.ContentLength != int64(len(want.Bytes)) {
			t.Errorf("HEAD %s: Content-Length %d, GET has %d bytes", at, head.ContentLength, len(want.Bytes))
		}
	}
}

// Preflights, methods that an address does not have, and the headers of every answer (security.md
// B18, E08, E20).
func TestRoutesMethods(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	table := routes.All()
	allowed := map[string][]string{}
	for _, r := range table {
		allowed[r.Path] = append(allowed[r.Path], r.Method)
		if r.Method == "GET" {
			allowed[r.Path] = append(allowed[r.Path], "HEAD")
		}
	}
	done := map[string]bool{}
	for _, r := range table {
		if done[r.Path] {
			continue
		}
		done[r.Path] = true
		want := append(slices.Sorted(slices.Values(allowed[r.Path])), "OPTIONS")
		for _, form := range []string{s.At(r), s.At(r) + "/"} {
			o := s.Anon.Do("OPTIONS", form, nil, "Origin", "https://example.org", "Access-Control-Request-Method", r.Method,
				"Access-Control-Request-Headers", "authorization,if-match,x-cursor").Is(204)
			if got := strings.Split(o.Header.Get("Allow"), ", "); !slices.Equal(got, want) {
				t.Errorf("OPTIONS %s: Allow %v, want %v", form, got, want)
			}
			if h := o.Header; h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Access-Control-Allow-Credentials") != "" ||
				!strings.Contains(h.Get("Access-Control-Allow-Methods"), r.Method) {
				t.Errorf("OPTIONS %s: %v", form, h)
			}
			for _, name := range []string{"Authorization", "Content-Type", "If-Match", "X-Cursor", "Range"} {
				if !strings.Contains(o.Header.Get("Access-Control-Allow-Headers"), name) {
					t.Errorf("OPTIONS %s does not allow the header %s", form, name)
				}
			}
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW", "get"} {
			if slices.Contains(allowed[r.Path], method) {
				continue
			}
			no := s.Ada.Do(method, s.At(r), nil).Is(405)
			if got := strings.Split(no.Header.Get("Allow"), ", "); !slices.Equal(got, want) {
				t.Errorf("%s %s: Allow %v, want %v", method, r.Path, got, want)
			}
			if method != "HEAD" {
				no.Refuses(405, "")
			}
		}
	}
	for _, r := range []*world.Reply{s.Anon.Get("/v2/articles"), s.Anon.Get("/v2/articles/999"), s.Anon.Get("/v2/account/articles"), s.Ada.Get("/v2/account")} {
		for name, part := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
			"Access-Control-Allow-Origin": "*", "Referrer-Policy": "no-referrer", "Content-Type": "application/json",
			"Cross-Origin-Resource-Policy": "same-origin",
		} {
			if r.Header.Get(name) != part {
				t.Errorf("%s: %s is %q", r.Request.URL, name, r.Header.Get(name))
			}
		}
		for _, name := range []string{"ETag", "Last-Modified", "Location", "X-Cursor"} {
			if !strings.Contains(r.Header.Get("Access-Control-Expose-Headers"), name) {
				t.Errorf("%s does not expose %s", r.Request.URL, name)
			}
		}
		if r.Header.Get("Server") != "" {
			t.Errorf("Server %q", r.Header.Get("Server"))
		}
	}
}

// Addresses that do not exist are 404 with the three fields, in whatever disguise; nothing is
// redirected or proxied (security.md B05, E05, E25).
func TestRoutesUnknown(t *testing.T) {
	s := stage.New(t)
	for _, path := range []string{
		"/v2", "/v2/", "/v2/nothing", "/V2/articles", "/v2/Articles", "/v2/articles/1/nothing", "/v2/articles/1/files/1/x",
		"/v2/account/articles/1/authors/1/2", "//evil.com/..", "//evil.com/%2e%2e", "/v2/../", "/v2/..", "/v2/%2e%2e/v2/articles",
		"/v2/./articles", "/v2/articles/1%2f..%2f2", "/v2/articles/1%2Fversions", "/v2%2farticles", "/v2/articles%2f1", "/v2\\articles",
		"/v2/articles;x", "/v2/articles/1/../2", "/v2/articles%00", "/v2/articles/1/versions/..", "/upload", "/upload/", "/files", "/files/..",
	} {
		r := s.Ada.Get(s.URL + path)
		if r.StatusCode == 400 && strings.HasSuffix(path, "/..") {
			continue // the last part stands where an id belongs
		}
		r.Refuses(404, "")
		if r.Header.Get("Location") != "" {
			t.Errorf("%s has a Location", path)
		}
	}
	for _, c := range []struct{ request, status string }{
		{"CONNECT example.org:443 HTTP/1.1", "421"},
		{"CONNECT /v2/articles HTTP/1.1", "405"},
		{"GET http://evil.example/nothing HTTP/1.1", "421"},
		{"TRACE /nothing HTTP/1.1", "404"},
		{"GET * HTTP/1.1", "404"},
		{"GET v2/articles HTTP/1.1", "400"},
		{"OPTIONS * HTTP/1.1", "200"},
	} {
		got := s.SendRaw(c.request + "\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 "+c.status) {
			t.Errorf("%s answered %.120q", c.request, got)
		}
	}
	if strings.Contains(s.Logs.String(), "panic") {
		t.Errorf("a panic was logged:\n%s", s.Logs)
	}
}

// After a request with both lengths the connection is closed, whatever bytes follow it
// (security.md E01). Go does not tell such a request from another chunked one.
func TestRoutesSmuggling(t *testing.T) {
	s := world.Start(t)
	got := s.SendRaw("POST /v2/articles/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"2\r\n{}\r\n0\r\n\r\nGET /v2/licenses HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if n := strings.Count(got, "HTTP/1.1 "); n != 1 || !strings.Contains(got, "Connection: close") {
		t.Errorf("%d answers: %s", n, got)
	}
	res, err := http.ReadResponse(bufio.NewReader(strings.NewReader(got)), nil)
	if err != nil || res.StatusCode != 200 && res.StatusCode != 400 {
		t.Errorf("%v, %v", res, err)
	}
	if got := s.SendRaw("GET /v2/licenses HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); !strings.Contains(got, "\r\nConnection: close\r\n") {
		t.Errorf("Connection: close is not echoed: %.300s", got)
	}
}

// Over HTTPS clients speak HTTP/2; every route answers as over HTTP/1.1, downloads and refused
// bodies among them.
func TestRoutesHTTP2(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	s.Cfg.TLS = "auto"
	s.Restart()
	pem, err := os.ReadFile(s.CA)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	h2 := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}, CheckRedirect: world.NoRedirects.CheckRedirect}
	defer h2.CloseIdleConnections()
	call := func(method, path, body string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "token "+s.Ada.Token)
		res, err := h2.Do(req)
		if err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.ProtoMajor != 2 || res.StatusCode >= 500 {
			t.Errorf("%s %s: HTTP/%d, %d, %v", method, path, res.ProtoMajor, res.StatusCode, err)
		}
		return res, string(b)
	}
	for _, r := range routes.All() {
		if r.Method == "GET" && !r.AsksForMore() {
			if res, _ := call("GET", s.At(r), ""); res.StatusCode != 200 && !leads(r, res.StatusCode) {
				t.Errorf("GET %s answered %d", s.At(r), res.StatusCode)
			}
		}
	}
	if res, body := call("GET", "/files/"+s.Public[":file_id"], ""); body != string(disk.OnePixel) || res.ContentLength != int64(len(disk.OnePixel)) {
		t.Errorf("the download is %q, %d", body, res.ContentLength)
	}
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/v2/account/articles", `{"title": "Over HTTP/2"}`, 201}, {"POST", "/v2/account/articles", "{", 400}, {"POST", "/v2/articles/search", "", 200},
		{"POST", "/v2/account/articles", `{"title": "` + strings.Repeat("x", 1<<20) + `"}`, 413}, {"PUT", "/v2/articles", "", 405}, {"GET", "/nothing", "", 404},
		{"PATCH", "/v2/account/articles/" + s.IDs[":id"], `{"title": "Changed"}`, 205}, {"OPTIONS", "/v2/articles", "", 204},
	} {
		if res, body := call(c.method, c.path, c.body); res.StatusCode != c.status {
			t.Errorf("%s %s answered %d %.200s, want %d", c.method, c.path, res.StatusCode, body, c.status)
		}
	}
}
