package access

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/world"
)

// The figures of a server stand at an address of their own, in the text format of Prometheus, and
// nowhere else.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := world.Start(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	before := s.Scrape()
	at := s.Ada.Article(`{"title": "Counted", "authors": [{"name": "A B"}]}`)
	s.Ada.Begin(at, "open.bin", []byte("bytes that do not come"))
	for range 3 {
		s.Anon.Get("/v2/articles/777777").Is(404)
	}
	s.Anon.Get("/v2/nowhere/" + strings.Repeat("x", 50)).Is(404)
	s.Anon.Do("BREW", "/v2/articles", nil).Is(405)
	s.Anon.Do("OPTIONS", "/v2/articles", nil).Is(204)
	s.Anon.Do("HEAD", "/v2/articles", nil).Is(200)
	s.Ada.Send("POST", "/v2/account/articles/search", `{"search_for": "counted"}`).Is(200)
	after := s.Scrape()
	for name, grown := range map[string]float64{
		`alcove_http_requests_total{method="GET",route="/v2/articles/:id",class="4xx"}`:             3,
		`alcove_http_requests_total{method="POST",route="/v2/account/articles",class="2xx"}`:        1,
		`alcove_http_requests_total{method="POST",route="/v2/account/articles/search",class="2xx"}`: 1,
		`alcove_http_requests_total{method="HEAD",route="/v2/articles",class="2xx"}`:                1,
		`alcove_http_requests_total{method="OPTIONS",route="OPTIONS",class="2xx"}`:                  1,
		`alcove_http_requests_total{method="OTHER",route="-",class="4xx"}`:                          2,
		`alcove_uploads_open{}`: 1,
	} {
		if _, there := after[name]; !there || after[name]-before[name] != grown {
			t.Errorf("%s went from %v to %v, want %v more", name, before[name], after[name], grown)
		}
	}
	for name, want := range map[string]float64{
		`alcove_index_documents{index="private"}`: 1, `alcove_index_documents{index="public"}`: 0, `alcove_index_lag_changes{index="private"}`: 0,
		`alcove_index_lag_seconds{index="private"}`: 0, `alcove_index_rebuilding{index="private"}`: 0, `alcove_index_failing{index="private"}`: 0,
		`alcove_index_failures_total{index="public"}`: 0, `alcove_store_stopped{}`: 0,
	} {
		if got, there := after[name]; !there || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"alcove_store_commits_total{}", "alcove_store_changes_total{}", "alcove_store_last_change_seconds{}"} {
		if after[name] <= before[name] {
			t.Errorf("%s went from %v to %v", name, before[name], after[name])
		}
	}
	if got, want := after["alcove_store_changes_total{}"], float64(s.Sequence()); got != want {
		t.Errorf("%v changes, want %v", got, want)
	}
	for name := range after {
		if strings.Contains(name, "xxx") || strings.Contains(name, "BREW") {
			t.Errorf("a client has made the name %s", name)
		}
	}
	s.Anon.Get("/metrics").Is(404)
	for path, want := range map[string]int{"/": 404, "/v2/articles": 404, "/metrics/": 404} {
		res, err := http.Get("http://" + s.Metrics + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s answers %d", path, res.StatusCode)
		}
	}
	address := s.Metrics
	s.Stop()
	if res, err := http.Get("http://" + address + "/metrics"); err == nil {
		res.Body.Close()
		t.Error("the figures are told by a server that was stopped")
	}
}

// The figures are for the operator: no address but one of this machine can be set.
func TestMetricsAddress(t *testing.T) {
	if config.Default().MetricsListen != "" {
		t.Error("figures are told though nobody asked for it")
	}
	for address, ok := range map[string]bool{
		"127.0.0.1:9100": true, "[::1]:9100": true, "localhost:0": true, "": true,
		":9100": false, "0.0.0.0:9100": false, "192.0.2.1:9100": false, "[::]:9100": false, "example.org:9100": false, "9100": false, "127.0.0.1": false,
	} {
		_, err := config.Load(config.Sources{Flags: map[string]string{"metrics-listen": address}})
		if ok != (err == nil) {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && !strings.Contains(fmt.Sprint(err), "metrics_listen") {
			t.Errorf("%q: the error does not name the setting: %v", address, err)
		}
	}
}
