package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var uploadSize = flag.Int("upload-size", 45_000_000, "bytes of the file of TestUploadSurvivesKill")

// process is a server in a process of its own, which can be killed.
type process struct {
	t    *testing.T
	dir  string
	port string
	URL  string
	args []string     // of serve, beyond the usual ones
	wrap []string     // a command that runs it, with its arguments
	env  []string     // of the program, besides the usual
	http *http.Client // that calls are made with, nil for the usual one
	cmd  *exec.Cmd
	// harmed is why what it stores is damaged, or odd, at the end of the test.
	harmed    string
	willCheck bool
	peak      atomic.Int64 // KiB of anonymous memory, the most that a sample saw
}

var rssAnon = regexp.MustCompile(`RssAnon:\s+(\d+) kB`)

// sample looks how much anonymous memory the process has.
func (p *process) sample() {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)) // gone is nothing
	if m := rssAnon.FindSubmatch(b); m != nil {
		n, _ := strconv.ParseInt(string(m[1]), 10, 64)
		for old := p.peak.Load(); n > old && !p.peak.CompareAndSwap(old, n); old = p.peak.Load() {
		}
	}
}

func (p *process) start() {
	p.t.Helper()
	if !p.willCheck {
		p.willCheck = true
		p.t.Cleanup(func() {
			if p.harmed == "" {
				checkStore(p.t, filepath.Join(p.dir, "data"))
			}
		})
	}
	log := filepath.Join(p.dir, "log")
	os.Remove(log)
	out, err := os.Create(log)
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Close()
	words := append(slices.Clone(p.wrap), "alcove", "serve", "--data", filepath.Join(p.dir, "data"), "--listen", "127.0.0.1:"+p.port, "--tls", "off")
	words = append(words, p.args...)
	p.cmd = exec.Command(words[0], words[1:]...)
	p.cmd.Stderr = out
	p.cmd.Env = append(os.Environ(), p.env...)
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); ; <-time.After(10 * time.Millisecond) {
		b, _ := os.ReadFile(log)
		if m := servingAt.FindSubmatch(b); m != nil {
			p.URL = string(m[1])
			p.port = p.URL[strings.LastIndexByte(p.URL, ':')+1:]
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("the server does not start: %s", b)
		}
	}
}

func (p *process) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
}

// call sends a request; an error of the connection is no failure here.
func (p *process) call(method, url, token string, body io.Reader) (status int, reply []byte) {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		p.t.Error(err)
		return 0, nil
	}
	if token != "" {
		req.Header.Set("Authorization", "token "+token)
	}
	client := p.http
	if client == nil {
		client = http.DefaultClient
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil
	}
	return res.StatusCode, b
}

func (p *process) want(status int, method, url, token, body string) string {
	p.t.Helper()
	got, reply := p.call(method, url, token, strings.NewReader(body))
	if got != status {
		p.t.Fatalf("%s %s answered %d, want %d: %s", method, url, got, status, reply)
	}
	return string(reply)
}

// watch samples the memory of the server until the end.
func (p *process) watch() (end func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.sample()
			case <-stop:
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
}

// maxServer is how much anonymous memory the server may take for an upload, in KiB.
const maxServer = 200 << 10

// An upload in parallel parts in random order goes on after the server was killed half-way; every
// part that was said to be complete is, and the bytes that are downloaded are those that were
// sent (security.md F17). No part of the file is ever kept here or there, so it may have any
// size.
func TestUploadSurvivesKill(t *testing.T) {
	t.Parallel()
	p := &process{t: t, dir: t.TempDir(), port: "0"}
	token := p.owner()
	size := int64(*uploadSize)
	data := func(pt part) []byte { return random(int(pt.End-pt.Start+1), uint64(pt.No)*0x9e3779b97f4a7c15) }
	sum, sent := md5.New(), sha256.New()
	for at := int64(0); at < size; at += partSize {
		b := data(part{No: int(at/partSize) + 1, Start: at, End: min(at+partSize, size) - 1})
		sum.Write(b)
		sent.Write(b)
	}
	p.start()
	defer func() { p.kill() }()
	watched := p.watch()
	defer func() { watched() }()

	article := lastField(p.want(201, "POST", p.URL+"/v2/account/articles", token, `{"title": "Large", "authors": [{"name": "A B"}]}`))
	file := lastField(p.want(201, "POST", article+"/files", token, fmt.Sprintf(`{"name": "large.bin", "size": %d, "md5": "%x"}`, size, sum.Sum(nil))))
	upload := regexp.MustCompile(`"upload_url": "([^"]*)"`).FindStringSubmatch(p.want(200, "GET", file, token, ""))[1]

	plan := func() (parts []part) {
		var u struct {
			Parts []part `json:"parts"`
		}
		if err := json.Unmarshal([]byte(p.want(200, "GET", upload, "", "")), &u); err != nil {
			t.Fatal(err)
		}
		return u.Parts
	}
	// send sends parts in random order, four at a time, and tells which were acknowledged.
	send := func(parts []part) (done map[int]bool) {
		done = map[int]bool{}
		var mu sync.Mutex
		var all sync.WaitGroup
		slots := make(chan struct{}, 4)
		for _, i := range rand.Perm(len(parts)) {
			slots <- struct{}{}
			all.Go(func() {
				defer func() { <-slots }()
				pt := parts[i]
				status, _ := p.call("PUT", fmt.Sprintf("%s/%d", upload, pt.No), "", bytes.NewReader(data(pt)))
				mu.Lock()
				defer mu.Unlock()
				done[pt.No] = status == 200
			})
		}
		all.Wait()
		return done
	}
	// cut sends the first half of a part's bytes, and the rest never.
	var cutting sync.WaitGroup
	cut := func(pt part) (end func()) {
		r, w := io.Pipe()
		cutting.Go(func() {
			if status, _ := p.call("PUT", fmt.Sprintf("%s/%d", upload, pt.No), "", r); status != 0 {
				t.Errorf("part %d was answered with %d", pt.No, status)
			}
			r.Close() // whatever was not read is not waited for
		})
		b := data(pt)
		w.Write(b[:len(b)/2])
		return func() { w.CloseWithError(io.ErrUnexpectedEOF) }
	}
	first := plan()
	rand.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	half := len(first) / 2
	acknowledged := send(first[:half])
	one, two := cut(first[half]), cut(first[half+1])
	watched()
	p.kill()
	one()
	two()
	cutting.Wait()
	p.start()
	watched = p.watch()
	var missing []part
	for _, pt := range plan() {
		if (pt.Status == "COMPLETE") != acknowledged[pt.No] {
			t.Errorf("part %d is %s after the kill; acknowledged before: %v", pt.No, pt.Status, acknowledged[pt.No])
		}
		if pt.Status != "COMPLETE" {
			missing = append(missing, pt)
		}
	}
	t.Logf("%d of %d parts acknowledged before the kill, %d to send again", half, len(first), len(missing))
	send(missing)
	p.want(202, "POST", file, token, "")
	begun := time.Now()
	for !strings.Contains(p.want(200, "GET", file, token, ""), `"status": "available"`) {
		if time.Since(begun) > 10*time.Minute {
			t.Fatal("the file does not become available")
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Logf("checked and available in %v", time.Since(begun).Round(time.Millisecond))
	download := regexp.MustCompile(`"download_url": "([^"]*)"`).FindStringSubmatch(p.want(200, "GET", file, token, ""))[1]
	if n, got := p.fetch(download, token); n != size || !bytes.Equal(got, sent.Sum(nil)) {
		t.Errorf("the download has %d bytes, not those that were sent", n)
	}
	p.sample()
	t.Logf("anonymous memory of the server: at most %d KiB", p.peak.Load())
	if p.peak.Load() > maxServer {
		t.Errorf("the server took %d KiB of memory, more than %d", p.peak.Load(), maxServer)
	}
}

// fetch downloads a file, and returns how many bytes it has and their SHA-256.
func (p *process) fetch(url, token string) (n int64, sum []byte) {
	p.t.Helper()
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	sha := sha256.New()
	if n, err = io.Copy(sha, res.Body); err != nil {
		p.t.Error(err)
	}
	return n, sha.Sum(nil)
}
