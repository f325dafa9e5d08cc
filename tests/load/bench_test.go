package load

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"alcove/cli"
	"alcove/cli/operate"
	"alcove/config"
	"alcove/tests/routes"
)

// benchServer is a server with some published articles, for benchmarks.
func benchServer(b *testing.B, articles int) (base, token string) {
	b.Helper()
	cfg := config.Default()
	cfg.Data, cfg.Listen, cfg.TLS = b.TempDir(), "127.0.0.1:0", "off"
	s, err := cli.StartServer(cfg, routes.NewRouter, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Stop)
	ctx := context.Background()
	if _, err := operate.AddAccount(ctx, s.DB(), operate.NewAccount{Email: "a@example.org", FirstName: "A", LastName: "B"}); err != nil {
		b.Fatal(err)
	}
	if token, err = operate.AddToken(ctx, s.DB(), "a@example.org", "bench"); err != nil {
		b.Fatal(err)
	}
	base = s.Config.BaseURL
	for i := range articles {
		benchPublish(b, base, token, i)
	}
	return base, token
}

func benchPublish(b *testing.B, base, token string, i int) {
	b.Helper()
	body := fmt.Sprintf(`{"title": "Observation %d of the tide", "description": "%s", "authors": [{"name": "A B"}], "tags": ["tide"]}`,
		i, strings.Repeat("High water came late. ", 40))
	reply := benchCall(b, "POST", base+"/v2/account/articles", token, body)
	at := reply[strings.Index(reply, "http"):]
	benchCall(b, "POST", at[:strings.IndexByte(at, '"')]+"/publish", token, "")
}

func benchCall(b *testing.B, method, url, token, body string) string {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "token "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 400 {
		b.Fatalf("%s %s: %d %v %s", method, url, res.StatusCode, err, reply)
	}
	return string(reply)
}

// BenchmarkServer times whole requests over loopback, client included. "fixed" is the
// same HTTP server answering with ready bytes: the floor for the others.
func BenchmarkServer(b *testing.B) {
	base, token := benchServer(b, 100)
	page := benchCall(b, "GET", base+"/v2/articles", "", "")
	fixed := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, page) })}
	url, stop := benchListen(b, fixed)
	defer stop()
	for _, c := range []struct{ name, method, url, token, body string }{
		{"fixed", "GET", url, "", ""},
		{"list", "GET", base + "/v2/articles", "", ""},
		{"article", "GET", base + "/v2/articles/7", "", ""},
		{"own list", "GET", base + "/v2/account/articles", token, ""},
		{"own article", "GET", base + "/v2/account/articles/7", token, ""},
		{"search", "POST", base + "/v2/articles/search", "", `{"search_for": "tides"}`},
		{"create", "POST", base + "/v2/account/articles", token, `{"title": "Observation of the tide"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				benchCall(b, c.method, c.url, c.token, c.body)
			}
		})
	}
	b.Run("publish", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			benchPublish(b, base, token, i)
		}
	})
}

func benchListen(b *testing.B, s *http.Server) (url string, stop func()) {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	go s.Serve(l) // ends with stop
	return "http://" + l.Addr().String(), func() { s.Close() }
}
