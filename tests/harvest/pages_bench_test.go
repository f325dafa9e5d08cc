package harvest

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"alcove/config"
	"alcove/tests/world"
)

var (
	pagesRecords = flag.Int("pages-records", 20_000, "how many records BenchmarkOAIPages walks through")
	pagesData    = flag.String("pages-data", "", "data directory with as many records, which is made where there is none and kept")
)

// BenchmarkOAIPages walks once through all records as a harvester does, page by page, and asks for the first page between
// every ten others. An answer is timed until its last byte.
//
// With -pages-data the records are kept for the next run; the check of all data that a new directory begins with is left out.
//
//	go test -run '^$' -bench OAIPages -benchtime 1x ./tests/harvest -pages-records 1000000
func BenchmarkOAIPages(b *testing.B) {
	s := filled(b)
	var first, others []time.Duration
	const begin = "verb=ListRecords&metadataPrefix=oai_dc"
	timed := func(query string) (page []byte, took time.Duration) {
		began := time.Now()
		page = s.Anon.Get("/v2/oai?" + query).Is(200).Bytes
		return page, time.Since(began)
	}
	records := 0
	for b.Loop() {
		token := ""
		for n := 0; n == 0 || token != ""; n++ {
			if n%10 == 0 {
				_, took := timed(begin)
				first = append(first, took)
			}
			query := begin
			if token != "" {
				query = "verb=ListRecords&resumptionToken=" + url.QueryEscape(token)
			}
			page, took := timed(query)
			others = append(others, took)
			records += bytes.Count(page, []byte("<record>"))
			token = ""
			if m := tokenElement.FindSubmatch(page); m != nil { // parsing all of it would take the processor that the server needs
				token = string(m[1])
			}
		}
	}
	if records != b.N**pagesRecords {
		b.Errorf("%d records of %d", records, b.N**pagesRecords)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(at(first, 50), "first-p50-ms")
	b.ReportMetric(at(first, 99), "first-p99-ms")
	b.ReportMetric(at(others, 50), "page-p50-ms")
	b.ReportMetric(at(others, 99), "page-p99-ms")
	b.ReportMetric(at(others, 99)/at(first, 50), "ratio")
}

var tokenElement = regexp.MustCompile(`<resumptionToken[^>]*>([^<]+)<`)

// at is a percentile in milliseconds.
func at(times []time.Duration, percent int) float64 {
	slices.Sort(times)
	return float64(times[(len(times)-1)*percent/100].Microseconds()) / 1000
}

// filled is a server with as many public records as are walked through.
func filled(b *testing.B) *world.Server {
	b.Helper()
	kept := func(c *config.Config) {
		c.Listen = "127.0.0.1:18573" // another address would have every document rendered again meanwhile
		c.CheckEvery = 0
		if *pagesData != "" {
			c.Data = *pagesData
		}
	}
	_, err := os.Stat(filepath.Join(*pagesData, "alcove.db"))
	if *pagesData != "" && err == nil {
		s := world.Start(b, func(c *config.Config) { kept(c); c.Data = b.TempDir() }) // whose people are elsewhere
		s.Stop()
		s.Cfg.Data = *pagesData
		s.Boot()
		idle(b, s)
		return s
	}
	s := world.Start(b, kept)
	address := s.URL
	s.Stop()
	path := filepath.Join(b.TempDir(), "items.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	about := strings.Repeat("What the gauge at the bridge has measured in this month. ", 12)
	for n := range *pagesRecords {
		fmt.Fprintf(w, `{"key": "%d", "title": "Rain at the bridge, month %d", "description": "<p>%s</p>", "defined_type": "dataset", "tags": ["rain", "gauge %d"], "categories": [%d], `+
			`"authors": [{"name": "Ada Lovelace"}, {"name": "Ben Observer %d"}], "license": 1, "publish": true}`+"\n", n, n, about, n%5000, []int{37, 51}[n%2], n%1000)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	f.Close()
	began := time.Now()
	if said, err := s.Imports("ada@example.org", path, "--base-url", address); err != nil {
		b.Fatal(err, said)
	}
	b.Logf("%d records were loaded in %s", *pagesRecords, time.Since(began).Round(time.Second))
	s.Boot()
	idle(b, s)
	return s
}

// idle waits until the server has done what it does after a start: it looks through its file, and renders documents again
// where they are of another address.
func idle(b *testing.B, s *world.Server) {
	began := time.Now()
	for last := -1; ; {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
		if err != nil {
			b.Fatal(err)
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:])) // from the state on
		user, err := strconv.Atoi(fields[11])
		if err != nil {
			b.Fatal(err)
		}
		if last >= 0 && user-last < 10 { // hundredths of a second within five
			b.Logf("it was idle after %s", time.Since(began).Round(time.Second))
			return
		}
		last = user
		time.Sleep(5 * time.Second)
	}
}
