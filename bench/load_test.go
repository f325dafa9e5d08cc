package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
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
