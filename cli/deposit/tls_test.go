package deposit

import (
	"encoding/pem"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// Over HTTPS the authority must be named; an unknown one is refused at once.
func TestOverHTTPS(t *testing.T) {
	b := newBench(t, oneFile)
	b.write("f.bin", "hello")
	plain := b.Server
	b.Server = httptest.NewTLSServer(plain.Config.Handler)
	t.Cleanup(b.Server.Close)
	b.Server.Config.ErrorLog = nil
	b.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: b.Certificate().Raw})))

	start := b.time.now()
	if _, err := b.run(b.options()); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without the authority: %v", err)
	}
	if b.time.now() != start {
		t.Error("it was tried again")
	}
	o := b.options()
	o.CACert = filepath.Join(b.dir, "ca.pem")
	b.must(o)
	if len(b.byKey("x")) != 1 {
		t.Error("nothing was deposited")
	}

	// A client of the caller's own is used as it is.
	b.write("items.jsonl", `{"title":"Another"}`)
	o.CACert, o.HTTPClient = "", b.Client()
	b.must(o)
}
