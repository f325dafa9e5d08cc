package main

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	const rest = " S 1 2 2 0 -1 4194560 1000 0 5 0 250 51 7 8 20 0 9 0 12345 123 456"
	for _, tt := range []struct {
		text string
		want time.Duration // negative: an error
	}{
		{"12 (alcove)" + rest, 3010 * time.Millisecond},
		{"12 (a) S 9 (9) 9" + ")" + rest, 3010 * time.Millisecond},
		{"12 alcove" + rest, -1},
		{"12 (alcove) S 1 2 2", -1},
		{"12 (alcove) S 1 2 2 0 -1 4194560 1000 0 5 0 x 51 7", -1},
		{"", -1},
	} {
		got, err := parseStat(tt.text)
		if (err != nil) != (tt.want < 0) || err == nil && got != tt.want {
			t.Errorf("%q: %v %v", tt.text, got, err)
		}
	}
}

func TestParseKiB(t *testing.T) {
	const text = "Name:\tRssAnon: 5 kB\nVmRSS:\t  900 kB\nRssAnon:\t  12 kB\nRssFile:\t888 kB\nThreads:\t8\nBad:\tx kB\n"
	for name, want := range map[string]int64{"RssAnon": 12 << 10, "RssFile": 888 << 10, "Threads": -1, "Bad": -1, "Rss": -1} {
		got, err := parseKiB(text, name)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%s: %d %v", name, got, err)
		}
	}
}

func TestParseCPU(t *testing.T) {
	model, cores := parseCPU("processor\t: 0\nmodel name\t: Some CPU @ 2.0: fast\ncpu cores\t: 1\n\nprocessor\t: 1\nmodel name\t: Some CPU @ 2.0: fast\n")
	if model != "Some CPU @ 2.0: fast" || cores != 2 {
		t.Errorf("%q %d", model, cores)
	}
	if model, cores = parseCPU(""); model == "" || cores != 0 {
		t.Errorf("of nothing %q %d", model, cores)
	}
}
