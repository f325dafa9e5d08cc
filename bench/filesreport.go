package main

import (
	"fmt"
	"math"
	"os"
	"strings"
)

// filesResults are the samples of all rounds by what they are of.
type filesResults struct {
	names   []string // in the order they came
	samples map[string][]float64
}

func newFilesResults() *filesResults { return &filesResults{samples: map[string][]float64{}} }

func (r *filesResults) add(name string, value float64) {
	if _, known := r.samples[name]; !known {
		r.names = append(r.names, name)
	}
	r.samples[name] = append(r.samples[name], value)
}

// filesRatio is a goal: a measure over another, in the same round.
type filesRatio struct {
	what, over, under string
	goal              float64
	atMost            bool
}

func filesRatios() []filesRatio {
	return []filesRatio{
		{"part PUT, 1 stream / only write and sync", "parts, 1 streams, Alcove, MiB/s", "parts, 1 streams, only write and sync, MiB/s", 0.9, false},
		{"part PUT, 4 streams / only write and sync", "parts, 4 streams, Alcove, MiB/s", "parts, 4 streams, only write and sync, MiB/s", 0.9, false},
		{"first byte to available / md5 of one core", "first byte to available, 1 stream, Alcove, MiB/s", "md5, one core, MiB/s", 0.4, false},
		{"first byte to available / dd conv=fsync", "first byte to available, 1 stream, Alcove, MiB/s", "dd conv=fsync, MiB/s", math.NaN(), false},
		{"download plain / nginx", "download plain, Alcove, MiB/s", "download plain, nginx, MiB/s", 0.95, false},
		{"download plain / nginx, server CPU", "download plain, Alcove, server CPU ms per GiB", "download plain, nginx, server CPU ms per GiB", 1.1, true},
		{"download plain, first since start / nginx", "download plain, Alcove, first since start, MiB/s", "download plain, nginx, MiB/s", math.NaN(), false},
		{"download plain, first since start / nginx, server CPU", "download plain, Alcove, first since start, server CPU ms per GiB", "download plain, nginx, server CPU ms per GiB", math.NaN(), true},
		{"download TLS / nginx", "download TLS, Alcove, MiB/s", "download TLS, nginx, MiB/s", 0.95, false},
		{"download TLS / nginx, server CPU", "download TLS, Alcove, server CPU ms per GiB", "download TLS, nginx, server CPU ms per GiB", 1.1, true},
		{"download HTTP/2 / nginx over TLS", "download TLS, Alcove, HTTP/2, MiB/s", "download TLS, nginx, MiB/s", math.NaN(), false},
		{"64 KiB ranges / nginx, server CPU", "64 KiB ranges, Alcove, server CPU µs each", "64 KiB ranges, nginx, server CPU µs each", math.NaN(), true},
		{"64 KiB ranges, bare handler with the same header lines / nginx, server CPU", "64 KiB ranges, bare handler, server CPU µs each", "64 KiB ranges, nginx, server CPU µs each", math.NaN(), true},
		{"64 KiB ranges / bare handler with the same header lines, server CPU", "64 KiB ranges, Alcove, server CPU µs each", "64 KiB ranges, bare handler, server CPU µs each", 1.5, true},
		{"64 KiB ranges / net/http.ServeFile, server CPU", "64 KiB ranges, Alcove, server CPU µs each", "64 KiB ranges, net/http.ServeFile, server CPU µs each", math.NaN(), true},
		{"64 KiB ranges / nginx, a second", "64 KiB ranges, Alcove, a second", "64 KiB ranges, nginx, a second", math.NaN(), false},
		{"64 KiB ranges one after another / nginx, server CPU", "64 KiB ranges one after another, Alcove, server CPU µs each", "64 KiB ranges one after another, nginx, server CPU µs each", math.NaN(), true},
		{"64 KiB ranges one after another, bare handler with the same header lines / nginx, server CPU", "64 KiB ranges one after another, bare handler, server CPU µs each", "64 KiB ranges one after another, nginx, server CPU µs each", math.NaN(), true},
	}
}

// write writes the ratios with their goals, the medians, and every sample.
func (r *filesResults) write(path, about string, run *filesRun) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Benchmarks of files\n\n%s. %d rounds, a large file of %d MiB, %d small files of 4 KiB, an archive of %d files.\n"+
		"`go run . files`. Downloads are warm: the file is in the memory of the system. \"First since start\" is the first\n"+
		"download after the server started, in which every chunk is compared with its CRC-32.\n\n", about, run.rounds, run.size>>20, run.small, run.many)
	b.WriteString("| ratio, round by round | median | lowest | highest | goal |\n|---|---|---|---|---|\n")
	for _, q := range filesRatios() {
		s, goal := summarise(ratios(r.samples[q.over], r.samples[q.under])), "–"
		if !math.IsNaN(q.goal) {
			sign, met := "≥", s.median >= q.goal
			if q.atMost {
				sign, met = "≤", s.median <= q.goal
			}
			goal = fmt.Sprintf("%s %v, %s", sign, q.goal, map[bool]string{true: "met", false: "**missed**"}[met])
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", q.what, number(s.median), number(s.low), number(s.high), goal)
	}
	b.WriteString("\n| measure | median | lowest | highest | samples |\n|---|---|---|---|---|\n")
	for _, name := range r.names {
		s := summarise(r.samples[name])
		var raw []string
		for _, v := range r.samples[name] {
			raw = append(raw, number(v))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", name, number(s.median), number(s.low), number(s.high), strings.Join(raw, " "))
	}
	fmt.Print(b.String())
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return fmt.Errorf("cannot write the results: %w", err)
	}
	return nil
}
