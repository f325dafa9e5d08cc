package load

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"alcove/bucket"
	"alcove/cli/operate"
)

var (
	writeData  = flag.String("write-data", "", "data directory of BenchmarkWrites, of which a copy is written to; a new one when empty")
	writeURL   = flag.String("write-url", hotURL, "where the repository of -write-data says that it is")
	writeCount = flag.Int("write-count", 4000, "creates in a round of BenchmarkWrites")
)

// BenchmarkWrites tells what durable writes cost a server in a process of its own: drafts
// that 32 and 128 clients make, and 32 publish. An iteration is a round, in which the disk
// is asked first for what a commit needs at least: writes of 4 KiB with a sync behind each.
//
//	go test -run '^$' -bench Writes -benchtime 5x .
//
// With HOTPATH_PROFILE=FILE the server writes a profile.
func BenchmarkWrites(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "data")
	if *writeData != "" {
		if err := os.CopyFS(dir, os.DirFS(*writeData)); err != nil {
			b.Fatal(err)
		}
	}
	token := writeToken(b, dir)
	s := startHot(b, "alcove", "serve", "--data", dir, "--tls", "off", "--base-url", *writeURL, "--account-quota", "0", "--listen")
	r := rand.New(rand.NewPCG(1, 2))
	create := func() []byte { return hotPost("/v2/account/articles", token, writeBody(r)) }
	s.write(b, 128, 256, create) // the first requests are not typical
	figures := map[string][]float64{}
	note := func(name string, value float64) { figures[name] = append(figures[name], value) }
	for b.Loop() {
		disk := writeSynced(b, filepath.Join(dir, "raw"), *writeCount/2)
		note("raw/s", disk)
		few := s.write(b, 32, *writeCount, create)
		note("create32/s", few.rate)
		note("create32-ratio", few.rate/disk)
		note("create32-µs", few.cpu)
		many := s.write(b, 128, *writeCount, create)
		note("create128/s", many.rate)
		note("create128-ratio", many.rate/disk)
		note("create128-µs", many.cpu)
		drafts := many.made
		public := s.write(b, 32, min(len(drafts), *writeCount/2), func() []byte {
			id := drafts[0]
			drafts = drafts[1:]
			return hotPost("/v2/account/articles/"+id+"/publish", token, "")
		})
		note("publish32/s", public.rate)
		note("publish32-ratio", public.rate/few.rate)
		note("publish32-µs", public.cpu)
	}
	b.ReportMetric(0, "ns/op")
	for name, values := range figures {
		b.ReportMetric(median(values), name)
	}
	b.ReportMetric(float64(anonymousMemory(b, s.cmd.Process.Pid))/(1<<20), "MiB")
}

// writeToken makes an account and gives a token of it.
func writeToken(b *testing.B, dir string) string {
	b.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	db, err := bucket.Open(dir, bucket.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	if _, err := operate.AddAccount(context.Background(), db, operate.NewAccount{Email: "writer@example.org", FirstName: "A", LastName: "B"}); err != nil {
		b.Fatal(err)
	}
	token, err := operate.AddToken(context.Background(), db, "writer@example.org", "bench")
	if err != nil {
		b.Fatal(err)
	}
	return token
}

// writeBody is a draft that can be published, of a kilobyte or so.
func writeBody(r *rand.Rand) string {
	words := func(n int) string {
		var list []string
		for range n {
			list = append(list, fmt.Sprintf("word%d", int(r.ExpFloat64()*600)))
		}
		return strings.Join(list, " ")
	}
	return fmt.Sprintf(`{"title": "Observation %s", "description": "<p>%s</p>", "authors": [{"name": "Ada B%d"}, {"name": "Ben C"}], `+
		`"tags": ["%s", "%s"], "categories": [37], "defined_type": "dataset", "license": 1}`, words(8), words(110), r.IntN(100), words(1), words(1))
}

func hotPost(target, token, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: token %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		target, token, len(body), body)
}

// writeSynced tells how many times a second 4 KiB can be written and synced.
func writeSynced(b *testing.B, name string, n int) float64 {
	b.Helper()
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer os.Remove(name)
	defer f.Close()
	page, begin := make([]byte, 4096), time.Now()
	for range n {
		if _, err := f.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := syscall.Fdatasync(int(f.Fd())); err != nil {
			b.Fatal(err)
		}
	}
	return float64(n) / time.Since(begin).Seconds()
}

// written is what a round of writes has shown: how many a second, microseconds of the
// server's processor time for each, and the ids of what was made.
type written struct {
	rate, cpu float64
	made      []string
}

// write sends n requests through as many connections as there are clients.
func (s *hotServer) write(b *testing.B, clients, n int, next func() []byte) (w written) {
	b.Helper()
	asks := make([][]byte, n)
	for i := range asks {
		asks[i] = next()
	}
	var lock sync.Mutex
	var all sync.WaitGroup
	before, begin := s.cpu(b), time.Now()
	for i := range clients {
		all.Go(func() {
			c, err := net.Dial("tcp", s.listen)
			if err != nil {
				b.Error(err)
				return
			}
			defer c.Close()
			in := bufio.NewReaderSize(c, 16<<10)
			var made []string
			for at := i; at < n; at += clients {
				if _, err := c.Write(asks[at]); err != nil {
					b.Error(err)
					return
				}
				id, err := createdAnswer(in)
				if err != nil {
					b.Errorf("%.300s: %v", asks[at], err)
					return
				}
				made = append(made, id)
			}
			lock.Lock()
			defer lock.Unlock()
			w.made = append(w.made, made...)
		})
	}
	all.Wait()
	w.rate = float64(n) / time.Since(begin).Seconds()
	w.cpu = (s.cpu(b) - before).Seconds() * 1e6 / float64(n)
	slices.Sort(w.made)
	return w
}

var location = []byte("Location: ")

// createdAnswer reads an answer of 201 and gives the id that its address ends with.
func createdAnswer(in *bufio.Reader) (id string, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return "", err
	}
	if string(line[9:12]) != "201" {
		return "", fmt.Errorf("the answer is %s", line)
	}
	length := 0
	for len(line) > 2 {
		if line, err = in.ReadSlice('\n'); err != nil {
			return "", err
		}
		if digits, ok := bytes.CutPrefix(line, contentLength); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(digits))); err != nil {
				return "", err
			}
		}
		if at, ok := bytes.CutPrefix(line, location); ok {
			id = string(bytes.TrimSpace(at[bytes.LastIndexByte(at, '/')+1:]))
		}
	}
	_, err = in.Discard(length)
	return id, err
}

// anonymousMemory is RssAnon of a process in bytes.
func anonymousMemory(b *testing.B, pid int) int64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); fields[0] == "RssAnon:" {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			return n << 10
		}
	}
	return 0
}
