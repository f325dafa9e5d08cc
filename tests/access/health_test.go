package access

import (
	"testing"
	"time"

	"alcove/tests/world"
)

// /health needs no token; whether the server is ready is for administrators. Neither tells
// anything else.
func TestHealth(t *testing.T) {
	s := world.Start(t)
	for deadline := time.Now().Add(10 * time.Second); s.Anon.Get("/readyz").StatusCode == 503; { // while the index of an empty store is made
		if time.Now().After(deadline) {
			t.Fatal("the server does not become ready")
		}
	}
	for path, want := range map[string]string{"/healthz": `{"status": "ok"}`, "/readyz": `{"status": "ready"}`} {
		if got := s.Anon.Get(path).Is(200); string(got.Bytes) != want || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s answered %s as %s", path, got.Bytes, got.Header.Get("Content-Type"))
		}
		s.Anon.Do("POST", path, nil).Refuses(405, "")
	}
}
