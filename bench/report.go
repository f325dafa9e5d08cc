package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// head is what a report says beside its tables.
type head struct {
	title, machine, date, commands, corpus, load string
	notes                                        []string
	items                                        int

	readies         []float64 // ms
	firsts          []first
	idle, smallIdle int64            // bytes of RssAnon after the start, and where there are few items
	disk            map[string]int64 // bytes by the first part of the path
	buckets         []share
	full, inList    int // bytes of the full JSON of an article, and of one in a list, on average
	sized           map[string]float64
	profiles        []profile
}

// write writes the report, in Markdown.
func (h *head) write(out io.Writer, r *results, s []searching) {
	fmt.Fprintf(out, "# %s\n\nWritten by `make bench`. Ratios count, not absolute numbers: client and server share the cores.\n\n", h.title)
	fmt.Fprintf(out, "- Date: %s\n- Machine: %s\n- Load average when it began and ended: %s\n- Command: `%s`\n- Corpus: %s\n", h.date, h.machine, h.load, h.commands, h.corpus)
	for _, n := range h.notes {
		fmt.Fprintf(out, "- %s\n", n)
	}
	fmt.Fprint(out, `- The bare handler that goals are held against writes the very bytes of Alcove's answer: its status, every
  header line and its body. Rows that begin with a dash compare the same with a handler that writes the body
  alone, and with one that also logs a line, as Alcove does
- All items of the corpus were published in one year, so a search narrowed by a year works for it and loses nothing
`)
	rounds := len(r.samples[r.names[0]])
	fmt.Fprintf(out, "\n## Ratios\n\nMedian of %d interleaved rounds (lowest–highest), of %d for bulk loads; each ratio is taken within its round.\n\n"+
		"| what | median (spread) | goal | met here |\n|---|---|---|---|\n", rounds, len(r.samples[bulkImport]))
	for _, c := range claims(s) {
		io.WriteString(out, c.row(r))
	}
	h.start(out, r)
	h.where(out, r)
	h.space(out)
	fmt.Fprint(out, "\n## Measures\n\nCPU is utime and stime of the server's process, or of this one for what runs in it. In bulk loads a request is an item.\n\n"+
		"| measure | rps | CPU µs each | p50 ms | p99 ms |\n|---|---|---|---|---|\n")
	for _, name := range r.names {
		cells := []string{name}
		for _, of := range []func(sample) float64{rps, cpu, p50, p99} {
			cells = append(cells, summarise(r.values(name, of)).String())
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
}

const mib = 1 << 20

// start is how soon it is ready, and what it holds in memory.
func (h *head) start(out io.Writer, r *results) {
	ready := summarise(h.readies)
	fmt.Fprint(out, "\n## Start, memory, disk\n\n| what | value | goal with 1,000,000 items | met here |\n|---|---|---|---|\n")
	fmt.Fprintf(out, "| ready after the start, warm, ms | %s | ≤ 300 | %s |\n", ready, said(ready.median <= 300))
	for _, f := range h.firsts {
		took := summarise(f.took)
		fmt.Fprintf(out, "| first search after a start, %s, ms | %s | ≤ 250 | %s |\n", f.kind, took, said(took.median <= 250))
	}
	fmt.Fprintf(out, "| RssAnon idle, a second after the start, MiB | %d | ≤ 100 | %s |\n", h.idle/mib, said(h.idle <= 100*mib))
	fmt.Fprintf(out, "| — with few items | %d | – | |\n", h.smallIdle/mib)
	fmt.Fprintf(out, "| RssAnon while it was read by 32 and searched, at most, MiB | %d | ≤ 300 | %s |\n", r.most/mib, said(r.most <= 300*mib))
	fmt.Fprintf(out, "| RssAnon after the last writes, MiB | %d | – | |\n", r.after/mib)
	total := int64(0)
	for _, n := range h.disk {
		total += n
	}
	times := float64(total) / float64(h.items) / float64(h.full)
	fmt.Fprintf(out, "| disk for each item / its full JSON of %d bytes | %s | ≤ 7 | %s |\n", h.full, number(times), said(times <= 7))
}

// where says where the time of a read and of a create goes, in steps that differ by one
// thing each.
func (h *head) where(out io.Writer, r *results) {
	fmt.Fprint(out, "\n## Where each microsecond goes\n\nServer CPU in µs for each request; what a step adds is taken within each round.\n\n"+
		"| step | list page | adds | article | adds | 304 | adds |\n|---|---|---|---|---|---|---|\n")
	steps := []struct{ text, list, article, same string }{
		{"net/http, the body alone", bareBody + "list", bareBody + "article", bareBody + "304"},
		{"+ Alcove's header lines", bareSame + "list", bareSame + "article", bareSame + "304"},
		{"+ a line in a log (log/slog)", bareLog + "list", bareLog + "article", bareLog + "304"},
		{"Alcove, asked again: routing, credentials, reading the request strictly, the page it kept", "list, repeated", "single article, repeated", "not modified"},
		{"Alcove, never seen: reading the store, sums, cursor", "list, never seen", "single article, never seen", ""},
		{"Alcove, a visit that is counted, and storing it afterwards", "", "single article, never seen, counted as visited", ""},
	}
	var last [3]string
	for _, s := range steps {
		fmt.Fprintf(out, "| %s ", s.text)
		for i, name := range []string{s.list, s.article, s.same} {
			if name == "" {
				fmt.Fprint(out, "| | ")
				continue
			}
			now, adds := r.values(name, cpu), ""
			if last[i] != "" {
				adds = number(summarise(differences(now, r.values(last[i], cpu))).median)
			}
			fmt.Fprintf(out, "| %s | %s ", number(summarise(now).median), adds)
			last[i] = name
		}
		fmt.Fprint(out, "|\n")
	}
	for _, p := range h.profiles {
		p.write(out)
	}
	h.creates(out, r)
}

// creates says what bounds durable writing.
func (h *head) creates(out io.Writer, r *results) {
	mid := func(name string, of func(sample) float64) float64 { return summarise(r.values(name, of)).median }
	fmt.Fprintf(out, "\nA create is durable when its commit is on the disk. Here a write and fdatasync of 4 KiB comes %s times a second, and\n"+
		"bbolt, which writes its pages, syncs, writes its head and syncs again, commits one key %s times a second with %s µs of CPU.\n",
		number(mid(rawWrite, rps)), number(mid(oneCommit, rps)), number(mid(oneCommit, cpu)))
	for _, clients := range []int{1, 32, 128} {
		name := fmt.Sprintf("create, %d clients", clients)
		used := mid(name, cpu)
		fmt.Fprintf(out, "With %d clients a create takes %s µs of the server's CPU: a core has room for %s a second, and %s were made.\n",
			clients, number(used), number(1e6/used), number(mid(name, rps)))
	}
}

// space is the disk by files and by buckets.
func (h *head) space(out io.Writer) {
	fmt.Fprintf(out, "\n## Disk\n\nBytes for each of %d items before the rounds. An article has %d bytes of JSON in full and %d in a list.\n\n| what | bytes | filled | |\n|---|---|---|---|\n", h.items, h.full, h.inList)
	n := int64(h.items)
	for _, name := range slices.SortedFunc(maps.Keys(h.disk), func(a, b string) int { return cmp.Compare(h.disk[b], h.disk[a]) }) {
		if h.disk[name] >= mib {
			fmt.Fprintf(out, "| **%s** | %d | | |\n", name, h.disk[name]/n)
		}
	}
	for _, b := range h.buckets {
		if b.bytes/n > 0 {
			fmt.Fprintf(out, "| `%s` | %d | %d | %s |\n", b.name, b.bytes/n, b.filled/n, b.meaning())
		}
	}
	if len(h.sized) > 0 {
		fmt.Fprintf(out, "\nAfter a bulk load Alcove's two indexes take %.0f bytes for each item, and two of Bleve alone %.0f.\n", h.sized[bulkIndex], h.sized[bulkBleve])
	}
}

// differences subtracts round by round.
func differences(of, from []float64) []float64 {
	out := make([]float64, min(len(of), len(from)))
	for i := range out {
		out[i] = of[i] - from[i]
	}
	return out
}
