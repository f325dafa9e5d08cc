package cli

import (
	"bytes"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"

	"alcove/latency"
)

// processFigures are the metrics of the process, under the names that other programs in Go use for
// the same, so that the usual dashboards and alerts find them.
func processFigures(t *exposition) {
	goFigures(t)
	systemFigures(t)
}

// goMetrics are the figures of the runtime.
var goMetrics = []struct{ from, name, kind, help string }{
	{"/sched/goroutines:goroutines", "go_goroutines", "gauge", "Goroutines that exist."},
	{"/memory/classes/heap/objects:bytes", "go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap that are in use, or not yet collected."},
	{"/memory/classes/total:bytes", "go_memstats_sys_bytes", "gauge", "Bytes of memory that the Go runtime has from the system, the map of the database not counted."},
	{"/gc/heap/goal:bytes", "go_memstats_next_gc_bytes", "gauge", "Size of the heap at which the next garbage collection begins."},
	{"/gc/heap/allocs:bytes", "go_memstats_alloc_bytes_total", "counter", "Bytes of the heap that were ever taken."},
	{"/gc/cycles/total:gc-cycles", "go_gc_cycles_total", "counter", "Garbage collections since the start."},
	{"/cpu/classes/gc/total:cpu-seconds", "go_gc_cpu_seconds_total", "counter", "Estimate of the seconds of a processor that they took."},
}

func goFigures(t *exposition) {
	samples := make([]metrics.Sample, len(goMetrics))
	for i, m := range goMetrics {
		samples[i].Name = m.from
	}
	metrics.Read(samples)
	for i, m := range goMetrics {
		value := 0.0
		switch v := samples[i].Value; v.Kind() {
		case metrics.KindUint64:
			value = float64(v.Uint64())
		case metrics.KindFloat64:
			value = v.Float64()
		default:
			continue // a runtime that does not tell it
		}
		t.family(m.name, m.kind, m.help)
		t.sample(value)
	}
	t.family("go_info", "gauge", "Always 1; the version of Go is a label.")
	t.sample(1, "version", runtime.Version())
}

// systemFigures are what Linux tells of the process. Values that another system does not tell are
// left out.
func systemFigures(t *exposition) {
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		t.family("process_open_fds", "gauge", "Files, sockets and directories that are open.")
		t.sample(float64(len(open) - 1)) // but for the one that lists them
	}
	if limits, err := os.ReadFile("/proc/self/limits"); err == nil {
		if most, ok := mostFiles(limits); ok {
			t.family("process_max_fds", "gauge", "How many may be.")
			t.sample(most)
		}
	}
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := strings.Fields(string(b)); len(f) > 1 {
			page := float64(os.Getpagesize())
			t.family("process_virtual_memory_bytes", "gauge", "Address space of the process, the map of the database among it.")
			t.sample(figure(f[0]) * page)
			t.family("process_resident_memory_bytes", "gauge", "Memory of the machine that the process has, pages of the database that it has read among it.")
			t.sample(figure(f[1]) * page)
		}
	}
	if b, err := os.ReadFile("/proc/self/stat"); err == nil {
		const perSecond = 100 // the unit of Linux for programs, USER_HZ
		// The name of the program, in brackets, may hold anything.
		if f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:])); len(f) > 12 {
			t.family("process_cpu_seconds_total", "counter", "Seconds of a processor that the process took, in the system too.")
			t.sample((figure(f[11]) + figure(f[12])) / perSecond)
		}
	}
}

// mostFiles finds the soft limit of open files in the limits of a process.
func mostFiles(limits []byte) (float64, bool) {
	for line := range strings.Lines(string(limits)) {
		if rest, ok := strings.CutPrefix(line, "Max open files"); ok {
			if f := strings.Fields(rest); len(f) > 0 && f[0] != "unlimited" {
				return figure(f[0]), true
			}
		}
	}
	return 0, false
}

// figure reads a number of the system, 0 where it is none.
func figure(text string) float64 {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0
	}
	return float64(n)
}

// diskFigures are how long commits and syncs take.
func (s *Server) diskFigures(t *exposition) {
	commits, written := s.db.Latencies()
	t.family("alcove_store_commit_seconds", "histogram", "How long commits took, from their first write until they were on the disk.")
	t.histogram(commits.Read())
	t.family("alcove_fsync_seconds", "histogram", "How long it took to bring data to the disk: pages of a commit with its two syncs (database), bytes of a part of an upload (part), names of new files (name).")
	t.histogram(written.Read(), "of", "database")
	t.histogram(s.uploads.Syncs().Read(), "of", "part")
	t.histogram(s.blobs.Syncs().Read(), "of", "name")
}

// histogram adds the samples of one histogram of a family; labels are name, value pairs.
func (t *exposition) histogram(c latency.Counts, labels ...string) {
	name := t.name
	defer func() { t.name = name }()
	t.name = name + "_bucket"
	for i, bound := range latency.Bounds {
		t.sample(float64(c.AtMost[i]), append(labels, "le", strconv.FormatFloat(bound, 'f', -1, 64))...)
	}
	t.sample(float64(c.All), append(labels, "le", "+Inf")...)
	t.name = name + "_sum"
	t.sample(c.Seconds, labels...)
	t.name = name + "_count"
	t.sample(float64(c.All), labels...)
}
