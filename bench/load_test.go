package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// own is a server in this process.
func own(t *testing.T, h http.HandlerFunc) *server {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return &server{name: "own", listen: s.Listener.Addr().String(), gone: make(chan struct{}),
		cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}}}
}

func TestTrial(t *testing.T) {
	var asked, seen atomic.Int64
	s := own(t, func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1); r.Method != "POST" || r.Header.Get("X") != "y" || r.ContentLength != 2 {
			w.WriteHeader(http.StatusTeapot)
		}
	})
	var left atomic.Int64
	left.Store(50)
	tr := trial{server: s, clients: 3, want: 200, seen: func(answer) { seen.Add(1) }, next: func() []byte {
		if left.Add(-1) < 0 {
			return nil
		}
		return post("/", "X: y\r\n", "{}")
	}}
	got, err := tr.run(context.Background(), time.Minute)
	if err != nil || asked.Load() != 50 || seen.Load() != 50 || got.rps <= 0 || !(got.p50 <= got.p99) {
		t.Errorf("%+v %v after %d requests", got, err, asked.Load())
	}
	tr.next, tr.seen = always(get("/", "")), nil
	if _, err := tr.run(context.Background(), time.Minute); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("a wrong answer counts: %v", err)
	}
}

func TestClaims(t *testing.T) {
	r := &results{samples: map[string][]sample{"a": {{cpu: 3}, {cpu: 30}, {cpu: 4}}, "b": {{cpu: 2}, {cpu: 10}, {cpu: 4}}}}
	for _, tt := range []struct {
		c    claim
		want string
	}{
		{claim{"x", cpu, "a", "b", 1.5, true}, "| x | 1.50 (1.00–3.00) | ≤ 1.50 | yes |\n"},
		{claim{"x", cpu, "a", "b", 1.4, true}, "| x | 1.50 (1.00–3.00) | ≤ 1.40 | no |\n"},
		{claim{"x", cpu, "a", "", 5, false}, "| x | 4.00 (3.00–30.0) | ≥ 5.00 | no |\n"},
		{claim{"x", cpu, "a", "b", 0, false}, "| x | 1.50 (1.00–3.00) | – |  |\n"},
		{claim{"x", cpu, "a", "c", 1, false}, ""},
	} {
		if got := tt.c.row(r); got != tt.want {
			t.Errorf("%+v: %q, not %q", tt.c, got, tt.want)
		}
	}
}

// An answer whose body is not used is read to its end all the same, whatever its form, and the
// next one on the connection is not mistaken for a part of it.
func TestSkim(t *testing.T) {
	forms := map[string]http.HandlerFunc{
		"/length":  func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "short") },
		"/chunked": func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, strings.Repeat("long ", 10000)) },
		"/large": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100000")
			io.WriteString(w, strings.Repeat("x", 100000))
		},
		"/made": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/there/7")
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, "{}")
		},
		"/same": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) },
		"/none": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/bad":  func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "why", http.StatusTeapot) },
	}
	want := map[string]int{"/made": 201, "/same": 304, "/none": 204, "/bad": 418}
	s := own(t, func(w http.ResponseWriter, r *http.Request) { forms[r.URL.Path](w, r) })
	c, err := s.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		for path := range forms {
			a, err := c.do(get(path, ""), false)
			if status := max(want[path], 200); err != nil || a.status != status {
				t.Fatalf("%s: %d %v, not %d", path, a.status, err, status)
			}
			if path == "/made" && a.header.Get("Location") != "/there/7" {
				t.Errorf("Location %q", a.header.Get("Location"))
			}
		}
	}
	forms["/close"] = func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") }
	if _, err := c.do(get("/close", ""), false); err == nil {
		t.Error("a connection that ends is taken for one that stays")
	}
}

// A posted body is on the disk before the answer, each once.
func TestDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "posted")
	d, err := newDurable(path, &kept{Status: 201, Body: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	s := own(t, d.ServeHTTP)
	list, err := newDrafts([]article{{Key: "k", Title: "Ice", Publish: true}, {Title: `A "glacier"`}})
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	tr := trial{server: s, clients: 8, want: 201, next: func() []byte {
		if n.Load() == 100 {
			return nil
		}
		return post("/", "", list.text(n.Add(1), "word"))
	}}
	if _, err := tr.run(context.Background(), time.Minute); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string]bool{}
	for in := json.NewDecoder(bytes.NewReader(text)); in.More(); {
		var a article
		if err := in.Decode(&a); err != nil {
			t.Fatal(err)
		}
		if a.Key != "" || a.Publish {
			t.Errorf("a draft says what only an import may: %+v", a)
		}
		titles[a.Title] = true
	}
	if len(titles) < 100 || !titles["word 2 Ice"] || !titles[`word 1 A "glacier"`] {
		t.Errorf("%d titles: %v", len(titles), titles)
	}
	c, err := s.dial()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if a, err := c.do(post("/", "", "{"), true); err != nil || a.status != 400 {
		t.Errorf("no JSON: %d %v", a.status, err)
	}
}
