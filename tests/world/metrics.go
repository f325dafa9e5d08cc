package world

import (
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
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

// Scrape reads the metrics of a server.
func (s *Server) Scrape() map[string]float64 {
	s.T.Helper()
	res, err := http.Get("http://" + s.Metrics + "/metrics")
	if err != nil {
		s.T.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
		s.T.Fatal(res.Status, res.Header, err)
	}
	return parseMetrics(s.T, string(b))
}
