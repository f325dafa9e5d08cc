package main

import (
	"testing"
	"time"
)

// /health needs no token; whether the server is ready is for administrators. Neither tells
// anything else.
func TestHealth(t *testing.T) {
	s := start(t)
	for deadline := time.Now().Add(10 * time.Second); s.Anon.get("/readyz").StatusCode == 503; { // while the index of an empty store is made
		if time.Now().After(deadline) {
			t.Fatal("the server does not become ready")
		}
	}
	for path, want := range map[string]string{"/healthz": `{"status": "ok"}`, "/readyz": `{"status": "ready"}`} {
		if got := s.Anon.get(path).is(200); string(got.body) != want || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s answered %s as %s", path, got.body, got.Header.Get("Content-Type"))
		}
		s.Anon.do("POST", path, nil).refuses(405, "")
	}
}
