package load

import (
	"bytes"
	"crypto/md5"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"alcove/tests/disk"
	"alcove/tests/world"
)

var (
	memoryParts = flag.Int("memory-parts", 6, "parts of 10 MiB that TestMemoryLimit sends at a time")
	memoryLimit = flag.Int64("memory-limit", 512<<20, "bytes that the server of TestMemoryLimit may take, where the system lets us say so")
	memoryFor   = flag.Duration("memory-for", time.Second, "for how long one account works at full speed")
)

// box is a memory control group of Linux, of version 1 or 2.
type box struct{ limit, procs, peak, kills string }

// newBox makes a group that may take so much; without the right to, or on a system that has
// none, it is nil, and memory is only looked at.
func newBox(t *testing.T, limit int64) *box {
	t.Helper()
	name := fmt.Sprintf("alcove-test-%d", os.Getpid())
	for _, b := range []box{
		{"memory.limit_in_bytes", "cgroup.procs", "memory.max_usage_in_bytes", "memory.oom_control"},
		{"memory.max", "cgroup.procs", "memory.peak", "memory.events"},
	} {
		dir := filepath.Join("/sys/fs/cgroup", name)
		if strings.Contains(b.limit, "limit") {
			dir = filepath.Join("/sys/fs/cgroup/memory", name)
		}
		if err := os.Mkdir(dir, 0o755); err != nil {
			continue
		}
		t.Cleanup(func() { os.Remove(dir) })
		for _, f := range []*string{&b.limit, &b.procs, &b.peak, &b.kills} {
			*f = filepath.Join(dir, *f)
		}
		if os.WriteFile(b.limit, []byte(strconv.FormatInt(limit, 10)), 0o644) == nil {
			return &b
		}
	}
	return nil
}

func (b *box) add(pid int) error {
	return os.WriteFile(b.procs, []byte(strconv.Itoa(pid)), 0o644)
}

// told is what the group says of a line that begins with a name; of none the whole is a number.
func told(file, name string) int64 {
	text, _ := os.ReadFile(file) // not there is nothing
	for _, line := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}

// Many parts at a time, and a search load, stay within the memory that a small machine gives.
// One account at full speed does not keep other clients from being answered (security.md I07).
func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	p := &world.Process{T: t, Dir: t.TempDir(), Port: "0"}
	token := p.Owner()
	b := newBox(t, *memoryLimit)
	p.Start()
	defer func() { p.Kill() }()
	if b != nil {
		if err := b.add(p.Cmd.Process.Pid); err != nil {
			t.Fatal(err)
		}
	} else {
		t.Log("this system gives no memory control group to the test: the limit is not enforced")
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}, Timeout: 2 * time.Minute}
	watched := p.Watch()
	part := disk.Random(world.PartSize, 7)
	sum := md5.New()
	for range *memoryParts {
		sum.Write(part)
	}
	public(p, token, []byte("small"))
	article := world.LastField(p.Want(201, "POST", p.URL+"/v2/account/articles", token, `{"title": "Large", "authors": [{"name": "A B"}]}`))
	file := world.LastField(p.Want(201, "POST", article+"/files", token,
		fmt.Sprintf(`{"name": "large.bin", "size": %d, "md5": "%x"}`, *memoryParts*world.PartSize, sum.Sum(nil))))
	upload := between(p.Want(200, "GET", file, token, ""), `"upload_url": "`)

	quiet := load(p, t, client, max(*memoryFor, time.Second))
	var senders sync.WaitGroup
	var sent atomic.Int64
	gate := make(chan struct{})
	for n := 1; n <= *memoryParts; n++ {
		senders.Go(func() {
			// The first half of every part is sent before any second half.
			half := &pausing{parts: [][]byte{part[:len(part)/2], part[len(part)/2:]}, gate: gate}
			req, err := http.NewRequest("PUT", fmt.Sprintf("%s/%d", upload, n), half)
			if err != nil {
				t.Error(err)
				return
			}
			req.ContentLength = world.PartSize
			res, err := client.Do(req)
			if err != nil {
				t.Errorf("part %d: %v", n, err)
				return
			}
			defer res.Body.Close()
			if answer, _ := io.ReadAll(res.Body); res.StatusCode != 200 {
				t.Errorf("part %d: %d %s", n, res.StatusCode, answer)
			}
			sent.Add(1)
		})
	}
	loaded := load(p, t, client, max(*memoryFor, time.Second))
	close(gate)
	senders.Wait()
	p.Want(202, "POST", file, token, "")
	for begun := time.Now(); !strings.Contains(p.Want(200, "GET", file, token, ""), `"status": "available"`); <-time.After(50 * time.Millisecond) {
		if time.Since(begun) > 5*time.Minute {
			t.Fatal("the file does not become available")
		}
	}
	heavy := heavy(p, t, token, client)
	watched()
	t.Logf("%d parts at a time; others quiet %v, beside the parts %v, beside an account at full speed %v: %.1f and %.1f × quiet",
		sent.Load(), quiet, loaded, heavy, float64(loaded.p99)/float64(quiet.p99), float64(heavy.p99)/float64(quiet.p99))
	t.Logf("anonymous memory at most %d KiB", p.Peak.Load())
	if b != nil {
		t.Logf("memory of the group, with what it keeps of files: at most %d KiB of %d", told(b.peak, "")>>10, *memoryLimit>>10)
		if n := told(b.kills, "oom_kill "); n > 0 {
			t.Errorf("the system killed %d processes", n)
		}
	}
	if quiet.failed+loaded.failed+heavy.failed > 0 {
		t.Errorf("%d, %d and %d requests failed", quiet.failed, loaded.failed, heavy.failed)
	}
}

// pausing is a body that waits between its two parts.
type pausing struct {
	parts [][]byte
	gate  chan struct{}
	now   io.Reader
}

func (p *pausing) Read(b []byte) (int, error) {
	for {
		if p.now != nil {
			if n, err := p.now.Read(b); n > 0 || err == nil {
				return n, nil
			}
			if len(p.parts) == 0 {
				return 0, io.EOF
			}
			<-p.gate
		}
		p.now, p.parts = bytes.NewReader(p.parts[0]), p.parts[1:]
	}
}

// heavy measures the answers to other clients while one account writes, lists and searches as
// fast as it can.
func heavy(p *world.Process, t *testing.T, token string, client *http.Client) pace {
	end := make(chan struct{})
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-end:
					return
				default:
				}
				switch (i + worker) % 4 {
				case 0:
					p.Call("POST", p.URL+"/v2/account/articles", token, strings.NewReader(fmt.Sprintf(`{"title": "Heavy %d"}`, i)))
				case 1:
					p.Call("GET", p.URL+"/v2/account/articles?page_size=100", token, nil)
				case 2:
					p.Call("POST", p.URL+"/v2/account/articles/search", token, strings.NewReader(`{"search_for": "heavy"}`))
				default:
					p.Call("GET", p.URL+"/v2/articles?page_size=100", token, nil)
				}
			}
		})
	}
	out := load(p, t, client, max(*memoryFor, time.Second))
	close(end)
	all.Wait()
	return out
}
