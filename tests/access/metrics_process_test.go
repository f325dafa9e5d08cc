package access

import (
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"alcove/config"
	"alcove/tests/disk"
	"alcove/tests/world"
)

// Issue 15 (C7): the figures tell how the process does: goroutines, open files, memory and garbage
// collections under the names that every program in Go has for them, and how long commits and
// syncs take, as histograms.
func TestMetricsOfProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems tell less")
	}
	t.Parallel()
	s := world.StartWithin(t, func(c *config.Config) { c.MetricsListen = "127.0.0.1:0" })
	before := s.Scrape()
	at := s.Ada.Article(`{"title": "Measured"}`)
	s.Ada.Upload(at, "part.bin", disk.Random(1000, 1))
	s.Ada.Upload(at, "other.bin", disk.Random(1000, 2))
	for range 8 { // connections that stay open are files, and have goroutines
		res, err := (&http.Client{Transport: &http.Transport{}}).Get(s.URL + "/v2/articles")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
	}
	runtime.GC()
	after := s.Scrape()
	for name, least := range map[string]float64{
		"go_goroutines": 10, "go_memstats_heap_alloc_bytes": 1 << 16, "go_memstats_sys_bytes": 1 << 20, "go_memstats_next_gc_bytes": 1 << 20,
		"go_memstats_alloc_bytes_total": 1 << 20, "go_gc_cycles_total": 1, "process_open_fds": 10, "process_max_fds": 20,
		"process_resident_memory_bytes": 1 << 20, "process_virtual_memory_bytes": 1 << 20, "process_cpu_seconds_total": 0.01,
	} {
		if after[name+"{}"] < least {
			t.Errorf("%s is %v, want at least %v", name, after[name+"{}"], least)
		}
	}
	if after["go_gc_cycles_total{}"] <= before["go_gc_cycles_total{}"] || after["process_open_fds{}"] > after["process_max_fds{}"] ||
		after["go_memstats_heap_alloc_bytes{}"] > after["go_memstats_sys_bytes{}"] {
		t.Errorf("they do not fit together: %v %v", before, after)
	}
	if after[fmt.Sprintf(`go_info{version=%q}`, runtime.Version())] != 1 {
		t.Error("the version of Go is not told")
	}

	commits := after["alcove_store_commits_total{}"]
	if n := histogram(t, after, "alcove_store_commit_seconds", ""); n != commits {
		t.Errorf("%v commits are in the histogram, of %v", n, commits)
	}
	if n := histogram(t, after, "alcove_fsync_seconds", `of="database"`); n != commits {
		t.Errorf("%v commits have synced, of %v", n, commits)
	}
	if took, disk := after["alcove_store_commit_seconds_sum{}"], after[`alcove_fsync_seconds_sum{of="database"}`]; disk <= 0 || disk >= took {
		t.Errorf("commits took %v s, of which the disk %v s", took, disk)
	}
	if n := histogram(t, after, "alcove_fsync_seconds", `of="part"`) - histogram(t, before, "alcove_fsync_seconds", `of="part"`); n != 2 {
		t.Errorf("%v parts were synced, want 2", n)
	}
	if n := histogram(t, after, "alcove_fsync_seconds", `of="name"`) - histogram(t, before, "alcove_fsync_seconds", `of="name"`); n < 2 {
		t.Errorf("%v names were synced, want 2 at least", n)
	}
}

// histogram checks the samples of a histogram, and returns how many observations it has.
func histogram(t *testing.T, values map[string]float64, name, label string) float64 {
	t.Helper()
	joined, last, buckets := strings.TrimPrefix(label+",", ","), -1.0, 0
	for bound := 0.0005; bound < 10; bound *= 2 {
		le := `le="` + strconv.FormatFloat(bound, 'f', -1, 64) + `"`
		n, there := values[name+"_bucket{"+joined+le+"}"]
		if !there || n < last {
			t.Errorf("%s{%s}: the bucket %s has %v, after %v", name, label, le, n, last)
		}
		last = n
		buckets++
	}
	all, there := values[name+"_bucket{"+joined+`le="+Inf"}`]
	count, counted := values[name+"_count{"+label+"}"]
	if !there || !counted || all != count || all < last || buckets != 15 {
		t.Errorf("%s{%s}: %v in %d buckets, %v counted", name, label, all, buckets, count)
	}
	if sum := values[name+"_sum{"+label+"}"]; sum < 0 || count > 0 && sum == 0 {
		t.Errorf("%s{%s}: they took %v s", name, label, sum)
	}
	return count
}
