package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The bare handler writes a captured answer again: all of it, with a log line, or the body
// alone.
func TestBare(t *testing.T) {
	dir := t.TempDir()
	list := answer{status: 200, body: []byte(`[{"id": 1}]`), header: http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {"11"}, "X-Cursor": {"abc"}, "Vary": {"Origin", "Accept"},
		"Date": {"Sat, 21 Nov 2026 07:34:54 GMT"}, "X-Request-Id": {"0123456789abcdef"}}}
	same := answer{status: 304, header: http.Header{"Etag": {`"x"`}, "Date": list.header["Date"], "X-Request-Id": list.header["X-Request-Id"]}}
	for name, a := range map[string]answer{"list": list, "304": same} {
		header := a.header.Clone()
		header.Del("Date")
		text, err := json.Marshal(kept{Status: a.status, Header: header, Body: a.body})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	mux, err := bareMux(dir, slog.New(slog.NewJSONHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(mux)
	defer s.Close()
	ask := func(path string) answer {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer{res.StatusCode, res.Header, body}
	}
	for path, want := range map[string]answer{"/list": list, "/log/list": list, "/304": same, "/log/304": same} {
		if err := sameBytes(want, ask(path)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 2 {
		t.Errorf("%d lines in the log, not 2", n)
	}
	if got := ask("/body/list"); string(got.body) != string(list.body) || got.header.Get("X-Cursor") != "" {
		t.Errorf("the body alone comes with %q", got.header)
	}
	if got := ask("/body/304"); got.status != 304 || got.header.Get("Etag") != "" {
		t.Errorf("the status alone is %d with %q", got.status, got.header)
	}
}

func TestSameBytes(t *testing.T) {
	made := func(change func(*answer)) answer {
		a := answer{200, http.Header{"Date": {"1"}, "X-Request-Id": {"22"}, "Etag": {"e"}}, []byte("body")}
		change(&a)
		return a
	}
	want := made(func(*answer) {})
	for name, tt := range map[string]struct {
		change func(*answer)
		same   bool
	}{
		"nothing":              {func(*answer) {}, true},
		"another date":         {func(a *answer) { a.header.Set("Date", "2") }, true},
		"another request":      {func(a *answer) { a.header.Set("X-Request-Id", "33") }, true},
		"a longer request":     {func(a *answer) { a.header.Set("X-Request-Id", "333") }, false},
		"no tag":               {func(a *answer) { a.header.Del("Etag") }, false},
		"another tag":          {func(a *answer) { a.header.Set("Etag", "f") }, false},
		"one line more":        {func(a *answer) { a.header.Add("Etag", "e") }, false},
		"another status":       {func(a *answer) { a.status = 201 }, false},
		"a different body":     {func(a *answer) { a.body = []byte("bode") }, false},
		"an additional header": {func(a *answer) { a.header.Set("Server", "x") }, false},
	} {
		if err := sameBytes(want, made(tt.change)); (err == nil) != tt.same {
			t.Errorf("%s: %v", name, err)
		}
	}
}
