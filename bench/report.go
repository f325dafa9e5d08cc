package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// claim is a ratio, or a value by itself, with what is promised of it.
type claim struct {
	text   string
	of     func(sample) float64
	over   string
	under  string // empty for a value by itself
	limit  float64
	atMost bool
}

// claims are the promises that this run can show. What was not measured is left out.
func claims(s []searching) []claim {
	list := []claim{
		{"list page never seen / bare handler, CPU", cpu, "list, never seen", "bare: list", 1.45, true},
		{"list page repeated / bare handler, CPU", cpu, "list, repeated", "bare: list", 1.2, true},
		{"single article / bare handler, CPU", cpu, "single article", "bare: article", 1.4, true},
		{"not modified / bare empty 304, CPU", cpu, "not modified", "bare: 304", 1.35, true},
		{"list page never seen / PocketBase's fast mode, rps", rps, "list, never seen", "pocketbase: list, fast mode", 10, false},
		{"list page never seen / PocketBase with its count, rps", rps, "list, never seen", "pocketbase: list", 0, false},
		{"list page never seen / nginx, static file, CPU", cpu, "list, never seen", "nginx: list", math.Inf(1), true},
		{"growth, first page, CPU", cpu, "list, never seen", "small: list, never seen", 1.25, true},
		{"growth, filtered page, CPU", cpu, "list, filtered", "small: list, filtered", 1.25, true},
		{"growth, own list, CPU", cpu, "own list", "small: own list", 1.25, true},
		{"growth, single article, CPU", cpu, "single article", "small: single article", 1.25, true},
		{"deep page by cursor / first page, rps", rps, "list by cursor, deep", "list, never seen", 0.6, false},
	}
	p50s := []float64{2, 8, 2, 15, 15, 15} // in the order of searches
	for i, q := range s {
		list = append(list,
			claim{"search, " + q.name + ", p50 ms", p50, ours + q.name, "", p50s[i], true},
			claim{"search, " + q.name + ", p99 ms", p99, ours + q.name, "", 50, true})
	}
	for i, q := range s {
		limit := 0.0
		if i == 2 {
			limit = 50
		}
		list = append(list,
			claim{"Bleve's field sort / search, " + q.name + ", p50", p50, bleveSort + q.name, ours + q.name, limit, false},
			claim{"SQLite FTS5 / search, " + q.name + ", p50", p50, sqliteFTS + q.name, ours + q.name, 0, false})
	}
	return append(list,
		claim{"durable creates at 1 client / raw fdatasync, rps", rps, "create, 1 clients", rawWrite, 0, false},
		claim{"durable creates at 32 clients / raw fdatasync, rps", rps, "create, 32 clients", rawWrite, 0.9, false},
		claim{"durable creates at 128 clients / raw fdatasync, rps", rps, "create, 128 clients", rawWrite, 1.7, false},
		claim{"publish / create at 32 clients, rps", rps, "publish, 32 clients", "create, 32 clients", 0.7, false},
		claim{"found by search after publish, p99 ms", p99, "from publish to found, meanwhile", "", 200, true})
}

// row is the claim held against the results; empty when they do not speak of it.
func (c claim) row(r *results) string {
	values := r.values(c.over, c.of)
	if c.under != "" {
		values = ratios(values, r.values(c.under, c.of))
	}
	s := summarise(values)
	if math.IsNaN(s.median) {
		return ""
	}
	goal, met := "–", ""
	switch {
	case c.limit == 0 || math.IsInf(c.limit, 0): // nothing was promised
	case c.atMost:
		goal, met = "≤ "+number(c.limit), said(s.median <= c.limit)
	default:
		goal, met = "≥ "+number(c.limit), said(s.median >= c.limit)
	}
	return fmt.Sprintf("| %s | %s | %s | %s |\n", c.text, s, goal, met)
}

func said(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// head is what a report says before its tables.
type head struct {
	title, machine, date, commands, corpus, load string
	notes                                        []string
	ready                                        float64 // ms
	idle                                         int64   // bytes of RssAnon after the start
	disk                                         map[string]int64
	items                                        int
	full                                         int // bytes of the full JSON of an article, on average
}

// write writes the report, in Markdown.
func (h *head) write(out io.Writer, r *results, s []searching) {
	fmt.Fprintf(out, "# %s\n\nWritten by `make bench`. Ratios count, not absolute numbers: client and server share the cores.\n\n", h.title)
	fmt.Fprintf(out, "- Date: %s\n- Machine: %s\n- Load average when it began and ended: %s\n- Command: `%s`\n- Corpus: %s\n", h.date, h.machine, h.load, h.commands, h.corpus)
	for _, n := range h.notes {
		fmt.Fprintf(out, "- %s\n", n)
	}
	rounds := len(r.samples[r.names[0]])
	fmt.Fprintf(out, "\n## Ratios\n\nMedian of %d interleaved rounds (lowest–highest); each ratio is taken within its round.\n\n"+
		"| what | median (spread) | goal | met here |\n|---|---|---|---|\n", rounds)
	for _, c := range claims(s) {
		io.WriteString(out, c.row(r))
	}
	fmt.Fprint(out, "\n## Measures\n\nCPU is utime and stime of the server's process, or of this one for what runs in it.\n\n"+
		"| measure | rps | CPU µs each | p50 ms | p99 ms |\n|---|---|---|---|---|\n")
	for _, name := range r.names {
		cells := []string{name}
		for _, of := range []func(sample) float64{rps, cpu, p50, p99} {
			cells = append(cells, summarise(r.values(name, of)).String())
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	const mib = 1 << 20
	fmt.Fprintf(out, "\n## Start, memory, disk\n\n- Ready %.0f ms after the start, warm (goal: under 250 ms with 1,000,000 items).\n", h.ready)
	fmt.Fprintf(out, "- RssAnon: %d MiB after the start, at most %d MiB while it was read (goals: 120 and 300), %d MiB after the last writes.\n", h.idle/mib, r.most/mib, r.after/mib)
	total := int64(0)
	parts := []string{}
	for _, name := range slices.Sorted(maps.Keys(h.disk)) {
		total += h.disk[name]
		if h.disk[name] >= mib {
			parts = append(parts, fmt.Sprintf("%s %d", name, h.disk[name]/int64(h.items)))
		}
	}
	each := total / int64(h.items)
	fmt.Fprintf(out, "- Disk: %d bytes for each item before the rounds, %.1f × its full JSON of %d bytes (goal: 7). In bytes for each item: %s.\n",
		each, float64(each)/float64(h.full), h.full, strings.Join(parts, ", "))
}
