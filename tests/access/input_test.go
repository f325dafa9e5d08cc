package access

import (
	"bytes"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/handlers/endpoint"
	"alcove/tests/routes"
	"alcove/tests/stage"
	"alcove/tests/world"
)

// An unreadable body is 400 on every route, and changes nothing (security.md D04, D05, D08).
// Whatever the Content-Type says, a body is JSON.
func TestInputUnreadable(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	bad := []string{
		"{", "{}}", `{"a": 1,}`, `{'a': 1}`, "{a: 1}", "\xef\xbb\xbf{}", "{} {}", "nul", "null", "[]", `"x"`, "1", "true", "a=b&c=d",
		"<a/>", `{"title": "a", "title": "b"}`, `{"x": {"a": 1, "\u0061": 2}}`, "{\"title\": \"\xff\xfe\"}", "{\"\xc3\x28\": 1}",
		`{"title": "\ud800"}`, `{"title": "\ud800\ud800"}`, `{"title": "\udc00\ud800"}`, `{"\ud800": 1}`, `{"title": "a\u0000b"}`, "{\"title\": \"a\x00b\"}",
		`{"title": "\ud800x"}`, `{"title": "` + "\n" + `"}`, `{"x": 01}`, `{"x": .5}`, `{"x": NaN}`, `{"x": +1}`,
		`{"custom_fields": ` + deep(32) + `}`, `{"custom_fields": ` + deep(10_001) + `}`,
		`{"title": "abc` + strings.Repeat("\\", 1000),
	}
	made := 0
	routes.EachJSON(t, func(r routes.Route, name, good, wrong string) {
		before := s.Sequence()
		for _, body := range bad {
			s.Ada.Send(r.Method, s.At(r), body).Refuses(400, "")
		}
		for _, empty := range []string{"", " \r\n\t"} {
			if got := s.Ada.Send(r.Method, s.At(r), empty); strings.HasSuffix(r.Path, "/search") && r.Path != "/v2/account/articles/search" {
				got.Is(200)
			} else if strings.Contains(r.Path, "/private_links") { // the body is optional
				if got.StatusCode >= 300 {
					t.Errorf("%s without a body answered %d %s", name, got.StatusCode, got.Bytes)
				}
				before = s.Sequence()
			} else {
				got.Refuses(400, "")
			}
		}
		if s.Sequence() != before {
			t.Errorf("%s: unreadable bodies changed the store", name)
		}
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json; charset=utf-16", "x", ""} {
			made++ // an address names one account only
			good := strings.Replace(good, "fresh@", fmt.Sprintf("fresh%d@", made), 1)
			if strings.HasSuffix(r.Path, "/unpublish") { // what was withdrawn is public no more
				s.Ada.Do("POST", strings.Replace(s.At(r), "/unpublish", "/publish", 1), nil).Is(201)
			}
			if got := s.Ada.Send(r.Method, s.At(r), good, "Content-Type", kind); got.StatusCode >= 300 {
				t.Errorf("%s with Content-Type %q: %d %s", name, kind, got.StatusCode, got.Bytes)
			}
		}
	})
	at := routes.FillPath("/v2/account/articles/:id", s.IDs)
	for _, body := range []string{deep(500_000), strings.Repeat("[", 1_000_000), strings.Repeat(`{"a":`, 200_000)} {
		begin := time.Now()
		s.Ada.Send("PATCH", at, body).Refuses(400, "too deeply")
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("%.10s… took %v", body, took)
		}
	}
	s.Ada.Send("PATCH", at, `{"unknown": `+deep(31)+`, "title": "32 levels are fine"}`).Is(205)
	r := s.Ada.Send("PATCH", at, `{"TITLE": "x", "Description": "y", "doi ": "z"}`).Is(205)
	if n := len(r.Object()["warnings"].([]any)); n != 3 || s.Ada.Get(at).Object()["title"] != "32 levels are fine" {
		t.Errorf("keys in the wrong case: %s", r.Bytes)
	}
}

// Bodies with very many values are refused, and quickly (security.md D06).
func TestInputMany(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	at := routes.FillPath("/v2/account/articles/:id", s.IDs)
	many := strings.Builder{}
	for i := range 60_000 {
		fmt.Fprintf(&many, `"k%d": 1, `, i)
	}
	for _, body := range []string{
		"{" + many.String() + many.String()[:7] + `": 1}`, `{"authors": [` + strings.Repeat(`{"name":"A"},`, 70_000) + `{}]}`,
		`{"tags": [` + strings.Repeat(`1,`, 100_001) + `1]}`,
	} {
		begin := time.Now()
		if r := s.Ada.Send("PATCH", at, body); r.StatusCode < 400 || time.Since(begin) > 5*time.Second {
			t.Errorf("%.30s: %d after %v", body, r.StatusCode, time.Since(begin))
		}
	}
}

// One byte too many is 413 on every route, with and without a Content-Length; the connection is
// closed and nothing changed (security.md D07).
func TestInputTooLarge(t *testing.T) {
	t.Parallel()
	s := stage.New(t, func(c *config.Config) { c.MaxBody = 64 << 10 })
	limit := int(s.Cfg.MaxBody)
	long := func(n int) string { return `{"title": "` + strings.Repeat("x", n-len(`{"title": ""}`)) + `"}` }
	signedIn := s.SignedIn(s.Member("Lovelace"), world.Password).Scripts()
	before := s.Sequence()
	for _, r := range routes.All() {
		if r.Method == "PUT" && r.Access == endpoint.Upload || strings.HasSuffix(r.Path, "/files/upload") {
			continue // parts and files have a size of their own
		}
		who := s.Ada
		if r.Access == endpoint.Session {
			who = signedIn
		}
		if r.Access == endpoint.Account {
			s.Anon.Send(r.Method, s.At(r), long(limit+1)).Refuses(401, "")
		}
		for _, body := range []io.Reader{strings.NewReader(long(limit + 1)), io.MultiReader(strings.NewReader(long(limit + 1)))} {
			if got := who.Do(r.Method, s.At(r), body).Refuses(413, ""); !got.Close {
				t.Errorf("%s %s: the connection was not closed", r.Method, r.Path)
			}
		}
	}
	if s.Sequence() != before {
		t.Error("bodies that are too large changed the store")
	}
	s.Ada.Send("PATCH", routes.FillPath("/v2/account/articles/:id", s.IDs), long(limit)).Is(205)
}

// A request whose body does not come is cut off by the read timeout, also where no body is
// expected, and no goroutine stays behind (security.md I02). No timeout means none.
func TestInputSlow(t *testing.T) {
	s := world.Start(t, func(c *config.Config) { c.ReadTimeout = 300 * time.Millisecond })
	world.NoRedirects.CloseIdleConnections()
	before := runtime.NumGoroutine()
	auth := "\r\nAuthorization: token " + s.Ada.Token
	done := make(chan string)
	requests := []string{
		"POST /v2/account/articles HTTP/1.1" + auth, "POST /v2/account/articles HTTP/1.1", "POST /v2/articles/search HTTP/1.1",
		"GET /v2/articles HTTP/1.1", "POST /v2/nothing HTTP/1.1", "PUT /v2/articles HTTP/1.1", "OPTIONS /v2/articles HTTP/1.1",
		"DELETE /v2/account/articles/1 HTTP/1.1" + auth, "PUT /v2/account/articles/x HTTP/1.1" + auth, "PUT /upload/nothing/1 HTTP/1.1",
	}
	bodies := []string{"\r\nContent-Length: 100\r\n\r\n{\"title\": ", "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\"", "\r\nTransfer-Encoding: chunked\r\n\r\n"}
	for _, r := range requests {
		for _, b := range bodies {
			go func() { done <- s.SendRaw(r + "\r\nHost: localhost" + b) }()
		}
	}
	limit := time.After(15 * time.Second)
	for range len(requests) * len(bodies) {
		select {
		case got := <-done:
			if got == "" || strings.HasPrefix(got, "HTTP/1.1 5") {
				t.Errorf("answered %.200q", got)
			}
		case <-limit:
			t.Fatal("a slow body was not cut off")
		}
	}
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; <-time.After(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			var b [1 << 16]byte
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), b[:runtime.Stack(b[:], true)])
		}
	}
	s.Cfg.ReadTimeout = 0
	s.Restart()
	body, w := io.Pipe()
	go func() { // ends when the request was read
		for _, part := range []string{`{"title": `, `"A slow `, `but honest one"}`} {
			<-time.After(50 * time.Millisecond)
			io.WriteString(w, part)
		}
		w.Close()
	}()
	s.Ada.Do("POST", "/v2/account/articles", body).Is(201)
}

// 401 before 400 before 404 before 422, on every route.
func TestInputOrder(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	before := s.Sequence()
	routes.EachJSON(t, func(r routes.Route, name, good, wrong string) {
		at := s.At(r)
		s.Ada.Send(r.Method, at, wrong).Refuses(422, "")
		if r.Access != endpoint.Account {
			return
		}
		for _, body := range []string{"{", wrong, good, ""} {
			s.Anon.Send(r.Method, at, body).Refuses(401, "")
			if strings.Contains(r.Path, ":id") {
				s.Anon.Send(r.Method, strings.Replace(at, "/articles/", "/articles/x", 1), body).Refuses(401, "")
			}
		}
		if !strings.Contains(r.Path, ":id") {
			return
		}
		for _, body := range []string{wrong, `{}`, good, `{"title": "x", "authors": [{"id": 99}], "doi": "10.1/x", "size": -1}`} {
			s.Ben.Send(r.Method, at, body).Refuses(404, "not found")
		}
		s.Ben.Send(r.Method, at, "{").Refuses(400, "")
		s.Ada.Send(r.Method, routes.FillPath(r.Path, map[string]string{":id": "0"}), wrong).Refuses(400, "id in the address")
	})
	if s.Sequence() != before {
		t.Error("a refusal changed the store")
	}
}

// Numbers are exact or refused, types are not guessed, and text comes back as it was sent
// (security.md D09, D10, D11, D20).
func TestInputValues(t *testing.T) {
	s := stage.New(t)
	at := routes.FillPath("/v2/account/articles/:id", s.IDs)
	before := s.Sequence()
	for _, v := range []string{
		"1e0", "1.0", "-0", "1e400", "9223372036854775808", "-9223372036854775809", "1" + strings.Repeat("0", 400), `"5"`, "true", "{}", "[[]]", `""`,
	} {
		s.Ada.Send("PATCH", at, `{"license": `+v+`}`).Refuses(422, "license")
		s.Ada.Send("PUT", at+"/categories", `{"categories": [`+v+`]}`).Refuses(422, "categories[0]")
		s.Ada.Send("PUT", at+"/authors", `{"authors": [{"id": `+v+`}]}`).Refuses(422, "authors[0].id")
		s.Ada.Send("POST", at+"/files", `{"name": "a", "size": `+v+`}`).Refuses(422, "size")
		for _, key := range []string{"page", "page_size", "limit", "offset", "institution", "group", "item_type", "project_id"} {
			s.Anon.Send("POST", "/v2/articles/search", `{"`+key+`": `+v+`}`).Refuses(422, key)
		}
	}
	for _, body := range []string{
		`{"license": 9007199254740993}`, `{"title": true}`, `{"description": 5}`, `{"tags": [null]}`, `{"references": [1]}`, `{"references": [["x"]]}`,
		`{"defined_type": "DATASET"}`, `{"defined_type": " dataset"}`, `{"defined_type": "dаtaset"}`, `{"defined_type": 3}`, `{"is_metadata_record": 1}`,
		`{"is_metadata_record": "true"}`, `{"custom_fields": []}`, `{"custom_fields": {"a": [null]}}`, `{"custom_fields": {"a": {"b": 1}}}`,
	} {
		s.Ada.Send("PATCH", at, body).Refuses(422, "")
	}
	s.Anon.Send("POST", "/v2/articles/search", `{"order_direction": "DESC"}`).Refuses(422, "order_direction")
	s.Anon.Send("POST", "/v2/articles/search", `{"order": "published_date "}`).Refuses(400, "Invalid value received for order")
	if s.Sequence() != before {
		t.Error("refused values changed the store")
	}
	numbers := `"a": 1e300, "b": -0, "c": 1.0, "d": 9007199254740993, "e": 1E+2`
	s.Ada.Send("PATCH", at, `{"custom_fields": {`+numbers+`}}`).Is(205)
	for _, n := range []string{"1e300", "-0", "1.0", "9007199254740993", "1E+2"} {
		if !strings.Contains(string(s.Ada.Get(at).Bytes), `"value": `+n+`,`) {
			t.Errorf("the number %s did not come back", n)
		}
	}
	text := `<script>alert(1)</script> & "quoted" \\ javascript:x` + "\u2028\u2029\u202e" + ` é (NFD e\u0301) \r\n\t\u001b[31m \ud83d\ude00`
	r := s.Ada.Send("PATCH", at, `{"title": "`+strings.ReplaceAll(text, `"`, `\"`)+`"}`).Is(205)
	want := "<script>alert(1)</script> & \"quoted\" \\ javascript:x\u2028\u2029\u202e é (NFD e\u0301) \r\n\t\x1b[31m 😀"
	if got := s.Ada.Get(at).Object()["title"]; got != want {
		t.Errorf("title %q, want %q (%s)", got, want, r.Bytes)
	}
}

// Ids that are none, and strange queries, on every route (security.md A21, D16).
func TestInputAddresses(t *testing.T) {
	t.Parallel()
	s := stage.New(t)
	signedIn := s.SignedIn(s.Member("Lovelace"), world.Password).Scripts()
	before := s.Sequence()
	ids := []string{
		"0", "-1", "1.0", "01", "+1", "1e3", "0x1", " 1", "1 ", "１", "2147483648", "9223372036854775807", "9223372036854775808",
		"999999999999999999", "1" + strings.Repeat("0", 40), "null", "1\x00", "1\n", "1'", "*", "١", "%", ":id", "\xff", "latest",
	}
	for _, r := range routes.All() {
		who := s.Ada
		if r.Access == endpoint.Session {
			who = signedIn
		}
		for _, part := range strings.Split(r.Path, "/") {
			title := map[bool]string{true: ":second", false: ":first"}[strings.HasPrefix(r.Path, "/articles")]
			if !strings.HasPrefix(part, ":") || part == title && r.About.IsPage() && strings.Contains(r.Path, "/:second") {
				continue // any title leads to a page
			}
			pattern := strings.Replace(r.Path, part, "@@", 1)
			route := r
			route.Path = pattern
			base := s.At(route)
			for _, id := range ids {
				got := who.Do(r.Method, strings.Replace(base, "@@", url.PathEscape(id), 1), strings.NewReader("{}"))
				if got.StatusCode == 422 && r.Method == "DELETE" && strings.HasSuffix(r.Path, "/collections/:id/authors/:author_id") {
					continue // the stated answer for an unknown author
				}
				if got.StatusCode == 200 && strings.HasPrefix(r.Path, "/stats/") && (id == "2147483648" || id == "999999999999999999") {
					continue // what was never there has no numbers
				}
				if got.StatusCode != 404 && got.StatusCode != 400 {
					t.Errorf("%s %s with %q answered %d %.200s", r.Method, r.Path, id, got.StatusCode, got.Bytes)
				}
			}
			for _, id := range []string{"", "1/..", ".", "..", "1%2f", "1%5c"} {
				if got := who.Do(r.Method, strings.Replace(base, "@@", id, 1), strings.NewReader("{}")); got.StatusCode < 400 && r.Method != "GET" {
					t.Errorf("%s %s with %q answered %d", r.Method, r.Path, id, got.StatusCode)
				}
			}
		}
		if r.Method != "GET" && !strings.HasSuffix(r.Path, "/search") || r.AsksForMore() {
			continue
		}
		for query, want := range map[string]int{
			"%zz": 400, "a=%": 400, "a=1;b=2": 400, "a=%ff": 400, "=&&&=": 200, "unknown=1&x[]=2": 200, "a=%00": 200,
		} {
			got := who.Do(r.Method, s.At(r)+"?"+query, strings.NewReader(map[bool]string{true: "{}"}[r.Method != "GET"]))
			if got.StatusCode != want && !(want == 200 && (got.StatusCode == 404 || leads(r, got.StatusCode))) {
				t.Errorf("%s %s?%.20s answered %d, want %d", r.Method, r.Path, query, got.StatusCode, want)
			}
		}
	}
	s.Anon.Get("/v2/articles?" + strings.Repeat("a=b&", 5000)).Is(200)
	s.Anon.Get("/v2/articles?q=" + strings.Repeat("x", 60<<10)).Is(431)
	if s.Sequence() != before {
		t.Error("something changed")
	}
	if bytes.Contains(s.Logs.Bytes(), []byte("panic")) {
		t.Errorf("a panic was logged:\n%s", s.Logs)
	}
}
