package main

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"alcove/config"
)

var (
	metricHelp   = regexp.MustCompile(`^# HELP ([a-z][a-z0-9_]*) ([^\\\n]+)$`)
	metricType   = regexp.MustCompile(`^# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)$`)
	metricSample = regexp.MustCompile(`^([a-z][a-z0-9_]*)(?:\{((?:[a-z]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? ([0-9]+(?:\.[0-9]+)?)$`)
	// histogramPart is what the names of a histogram's samples have behind that of the family.
	histogramPart = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// parseMetrics reads the text format strictly: each family once, with its help and its
// type, together, no sample twice.
func parseMetrics(t testing.TB, text string) map[string]float64 {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line has no end")
	}
	values, families, kinds, family := map[string]float64{}, map[string]bool{}, map[string]string{}, ""
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if m := metricHelp.FindStringSubmatch(line); m != nil {
			if family = m[1]; families[family] {
				t.Errorf("%s is there twice", family)
			}
			families[family] = true
		} else if m := metricType.FindStringSubmatch(line); m != nil {
			if m[1] != family || kinds[family] != "" {
				t.Errorf("out of place: %s", line)
			}
			if kinds[family] = m[2]; (m[2] == "counter") != strings.HasSuffix(family, "_total") {
				t.Errorf("%s is a %s", family, m[2])
			}
		} else if m := metricSample.FindStringSubmatch(line); m != nil {
			name := m[1] + "{" + m[2] + "}"
			of := m[1]
			if kinds[family] == "histogram" {
				of = histogramPart.ReplaceAllString(of, "")
			}
			if _, twice := values[name]; twice || of != family || kinds[family] == "" || strings.HasSuffix(m[2], ",") {
				t.Errorf("out of place: %s", line)
			}
			values[name], _ = strconv.ParseFloat(m[3], 64)
		} else {
			t.Errorf("no line of the format: %q", line)
		}
	}
	return values
}

// scrape reads the metrics of a server.
func (s *server) scrape() map[string]float64 {
	s.t.Helper()
	res, err := http.Get("http://" + s.Config.MetricsListen + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		s.t.Fatal(res.Status, res.Header, err)
	}
	return parseMetrics(s.t, string(b))
}

// The figures of a server stand at an address of their own, in the text format of Prometheus, and
// nowhere else.
func TestMetrics(t *testing.T) {
	t.Parallel()
	s := start(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	before := s.scrape()
	at := s.Ada.article(`{"title": "Counted", "authors": [{"name": "A B"}]}`)
	s.Ada.begin(at, "open.bin", []byte("bytes that do not come"))
	for range 3 {
		s.Anon.get("/v2/articles/777777").is(404)
	}
	s.Anon.get("/v2/nowhere/" + strings.Repeat("x", 50)).is(404)
	s.Anon.do("BREW", "/v2/articles", nil).is(405)
	s.Anon.do("OPTIONS", "/v2/articles", nil).is(204)
	s.Anon.do("HEAD", "/v2/articles", nil).is(200)
	s.Ada.send("POST", "/v2/account/articles/search", `{"search_for": "counted"}`).is(200)
	after := s.scrape()
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
	if got, want := after["alcove_store_changes_total{}"], float64(s.DB().Sequence()); got != want {
		t.Errorf("%v changes, want %v", got, want)
	}
	for name := range after {
		if strings.Contains(name, "xxx") || strings.Contains(name, "BREW") {
			t.Errorf("a client has made the name %s", name)
		}
	}
	s.Anon.get("/metrics").is(404)
	for path, want := range map[string]int{"/": 404, "/v2/articles": 404, "/metrics/": 404} {
		res, err := http.Get("http://" + s.Config.MetricsListen + path)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s answers %d", path, res.StatusCode)
		}
	}
	address := s.Config.MetricsListen
	s.Stop()
	s.Server = nil
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
